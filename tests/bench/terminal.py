"""Drives a terminal program through a pty and measures what its user would see.

    with Terminal(["less", "file"]) as t:
        first = t.first_screen(shows(["a line of the file"]))  # ms from the start
        t.rest()                        # until the program has nothing more to do
        frame = t.press("G")            # ms, bytes, text: the frame that answers

Times are taken where bytes are read from the pty.  A frame ends when nothing
came for GAP seconds and the thread that draws sleeps.  The text of a frame is
what is left of the bytes without control sequences, which is enough to see that
a screen was painted and what it cost.

Programs reword their titles and notices, so nothing here waits for words.  A wait
ends with a state of the process, which /proc shows (`rest`), or with data on the
screen (`first_screen`, `until`): texts of the capture (`shows`) or a number that
the caller knows (`shows_number`).

link=(RTT in ms, kbit/s) puts a slow link between user and program: keys arrive
half a round trip late, bytes one after the other at that rate and half a round
trip later, and the program is read from only while less than a full socket is
under way, so that it feels the link as it would over SSH.
"""
import codecs
import collections
import contextlib
import ctypes
import fcntl
import mmap
import os
import pty
import re
import select
import signal
import struct
import termios
import time

GAP = 0.03
REST = 0.7          # s that a program does nothing before it counts as at rest
PATIENCE = 2        # s that a wait goes on then: lnav shows its counts once a second
POLL = 0.005        # s between two looks at its threads
TICK = 1000 / os.sysconf("SC_CLK_TCK")  # ms, the unit of processor times in /proc
OVERHEAD = 60       # bytes that a packet costs on the link besides its own
IN_FLIGHT = 32768   # bytes that a socket takes before the writer waits
CONTROL = re.compile(rb"\x1b\[[0-9;?>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
                     rb"|\x1b[()*+#%][0-9A-Za-z]|\x1b.|[\x00-\x1f\x7f]", re.S)

FORWARD = re.compile(rb"\x1b\[(\d+)C")

Frame = collections.namedtuple("Frame", "first last bytes text raw")


def text_of(raw):
    return CONTROL.sub(b"", raw).decode("utf-8", "replace")


def row_text_of(raw):
    """The same with what the cursor was moved forward over, as blanks: text of these
    rows that need not be sent, because it is there."""
    return text_of(FORWARD.sub(lambda way: b" " * int(way[1]), raw))


class Screen:
    """What a program has painted: characters by row and column, no colours.  Programs leave
    out what is there already, so that a text may come in pieces; on the screen it is whole."""
    PIECES = re.compile(r"\x1b\[([0-9;?>=]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
                        r"|\x1b[()*+#%][0-9A-Za-z]|\x1b(.)|([\x00-\x1f\x7f])"
                        r"|([^\x00-\x1f\x7f]+)", re.S)

    def __init__(self, size):
        self.columns, self.height = size
        self.x = self.y = 0
        self.top, self.bottom = 0, self.height - 1
        self.rest = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.rows = [self.blank() for _ in range(self.height)]

    def blank(self):
        return [" "] * self.columns

    def feed(self, raw):
        data, at = self.rest + self.decoder.decode(raw), 0
        for piece in self.PIECES.finditer(data):
            if piece.start() != at:
                break   # a sequence that is not all there
            at = piece.end()
            arguments, final, escape, control, letters = piece.groups()
            if letters:
                self.write(letters)
            elif final:
                self.move(arguments, final)
            elif escape == "M":
                self.up()
            elif control:
                self.control(control)
        self.rest = data[at:]

    def write(self, letters):
        for letter in letters:
            if self.x == self.columns:
                self.x = 0
                self.down()
            self.rows[self.y][self.x] = self.last = letter
            self.x += 1

    def control(self, c):
        if c == "\r":
            self.x = 0
        elif c == "\n":
            self.down()
        elif c == "\b":
            self.x = max(0, self.x - 1)
        elif c == "\t":
            self.x = min(self.columns - 1, self.x // 8 * 8 + 8)

    def down(self):
        if self.y == self.bottom:
            self.scroll(self.top, 1)
        elif self.y < self.height - 1:
            self.y += 1

    def up(self):
        if self.y == self.top:
            self.scroll(self.top, -1)
        elif self.y:
            self.y -= 1

    def scroll(self, top, count):
        """Rows from TOP to the bottom of the region move up, or down if COUNT is negative."""
        for _ in range(min(abs(count), self.height)):
            del self.rows[top if count > 0 else self.bottom]
            self.rows.insert(self.bottom if count > 0 else top, self.blank())

    def move(self, arguments, final):
        given = [int(n) if n.isdigit() else 0 for n in arguments.split(";")]
        n, row = max(1, given[0]), self.rows[self.y]
        if final in "Hf":
            self.y = min(n, self.height) - 1
            self.x = min(max(1, given[1] if len(given) > 1 else 1), self.columns) - 1
        elif final in "AB":
            self.y = max(0, min(self.height - 1, self.y + (n if final == "B" else -n)))
        elif final in "CD":
            self.x = max(0, min(self.columns - 1, self.x + (n if final == "C" else -n)))
        elif final == "G":
            self.x = min(n, self.columns) - 1
        elif final == "d":
            self.y = min(n, self.height) - 1
        elif final == "K":
            start = self.x if given[0] == 0 else 0
            end = self.x + 1 if given[0] == 1 else self.columns
            row[start:end] = [" "] * (end - start)
        elif final == "J":
            self.erase(given[0])
        elif final == "X":
            row[self.x:self.x + n] = [" "] * len(row[self.x:self.x + n])
        elif final == "P":
            row[self.x:] = (row[self.x + n:] + [" "] * n)[:self.columns - self.x]
        elif final == "@":
            row[self.x:] = ([" "] * n + row[self.x:])[:self.columns - self.x]
        elif final in "LM":
            self.scroll(self.y, n if final == "M" else -n)
        elif final in "ST":
            self.scroll(self.top, n if final == "S" else -n)
        elif final == "b":
            self.write(self.last * n)
        elif final == "r":
            self.top = n - 1
            self.bottom = min(given[1] if len(given) > 1 and given[1] else self.height,
                              self.height) - 1
            self.x = self.y = 0

    def erase(self, how):
        for y in range(self.y + 1 if how == 0 else 0, self.y if how == 1 else self.height):
            self.rows[y] = self.blank()
        row = self.rows[self.y]
        if how == 0:
            row[self.x:] = [" "] * (self.columns - self.x)
        elif how == 1:
            row[:self.x + 1] = [" "] * len(row[:self.x + 1])


def shows(texts, where=slice(None)):
    """Return a test for `until`: the rows WHERE of the screen have all of the texts."""
    def holds(rows):
        screen = "\n".join(rows[where])
        return all(text in screen for text in texts)
    return holds


def shows_number(number, where=slice(None), before=r"(?<!\d)"):
    """Return a test for `until`: the rows WHERE have the number after a match of BEFORE.
    Its thousands may be separated."""
    wanted = re.compile(before + f"{number:,}".replace(",", r"\W?") + r"(?![\d%]|[.,]\d)")
    return lambda rows: any(wanted.search(row) for row in rows[where])


def states_of(pid):
    """Return the states of the threads of a process, a letter each: R runs or is ready to run,
    D waits for the disk, S sleeps."""
    return [state_of(f"/proc/{pid}/task/{task}") for task in threads_of(pid)]


def threads_of(pid):
    with contextlib.suppress(OSError):
        return os.listdir(f"/proc/{pid}/task")
    return []


def stat_of(path):
    """Return the fields of a process or a thread from its state on; of one that has ended,
    those of an idle one."""
    with contextlib.suppress(OSError), open(path + "/stat") as stat:
        return stat.read().rsplit(")", 1)[1].split()
    return ["Z"] + ["0"] * 50


def state_of(path):
    return stat_of(path)[0]


def children_of(pid):
    return [int(entry) for entry in os.listdir("/proc")
            if entry.isdigit() and stat_of("/proc/" + entry)[1] == str(pid)]


class Terminal:
    def __init__(self, argv, size=(120, 40), env=None, link=None):
        self.rtt, self.rate = (link[0] / 1000, link[1] * 125) if link else (0, 0)
        self.screen = Screen(size)
        self.unread = b""           # by the screen
        self.free = 0               # when the link has sent what it was given
        self.delayed = collections.deque()
        self.name = argv[0]
        self.start = self.active = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}, **(env or {}))
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
            try:
                os.execvp(argv[0], argv)
            finally:
                os._exit(127)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for end in (signal.SIGHUP, signal.SIGKILL):
            try:
                os.kill(self.pid, end)
                for _ in range(50):
                    if os.waitpid(self.pid, os.WNOHANG)[0]:
                        os.close(self.fd)
                        return
                    time.sleep(0.01)
            except (ProcessLookupError, ChildProcessError):
                break
        os.close(self.fd)

    # --- bytes -----------------------------------------------------------

    def send(self, keys):
        """Keys, now; they reach the program half a round trip later."""
        self.delayed.append((time.monotonic() + self.rtt / 2, keys.encode()))
        self.deliver()

    def deliver(self):
        while self.delayed and self.delayed[0][0] <= time.monotonic():
            os.write(self.fd, self.delayed.popleft()[1])

    def read(self, until):
        """Return the next bytes and when they reach the user, or None at UNTIL.  Raise EOFError
        if the program has ended."""
        while True:
            self.deliver()
            now = time.monotonic()
            full = self.rate and self.free - now > IN_FLIGHT / self.rate
            wait = until - now
            if wait <= 0:
                return None
            if self.delayed:
                wait = min(wait, max(0, self.delayed[0][0] - now))
            if full:
                time.sleep(min(wait, 0.005))
                continue
            if not select.select([self.fd], [], [], wait)[0]:
                continue
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                raise EOFError(f"{self.name} has ended") from None
            now = time.monotonic()
            self.unread += data
            if self.rate:
                self.free = max(self.free, now) + (len(data) + OVERHEAD) / self.rate
                now = self.free
            return data, now + self.rtt / 2

    def frame(self, since, gap=None, limit=60):
        """Return the output until nothing came for GAP and the thread that draws sleeps, at most
        LIMIT; times in ms after SINCE."""
        gap = gap or GAP + 2 * self.rtt
        raw, first, last = b"", None, None
        end = time.monotonic() + limit
        while True:
            got = self.read(min(end, time.monotonic() + (gap if raw else limit)))
            if not got:
                if time.monotonic() < end and state_of(f"/proc/{self.pid}") in "RD":
                    continue
                break
            raw += got[0]
            last = (got[1] - since) * 1000
            first = last if first is None else first
        return Frame(first, last, len(raw), text_of(raw), raw)

    # --- states ----------------------------------------------------------

    def rows(self):
        """Return the rows of the screen as it is now."""
        raw, self.unread = self.unread, b""
        self.screen.feed(raw)
        return ["".join(row) for row in self.screen.rows]

    def is_busy(self):
        """Return true if one of its threads or children runs or waits for the disk."""
        return any({"R", "D"} & set(states_of(pid)) for pid in [self.pid, *children_of(self.pid)])

    def pieces(self, limit):
        """Yield when each piece of output came, until the program is at rest or LIMIT is over.
        At rest: for REST seconds it wrote nothing, waited for no disk and used no more
        processor time than a clock on its screen takes, and now none of its threads and
        children runs.  `active` is when it was last seen to do something."""
        now = time.monotonic()
        end, self.active, quiet, spent = now + limit, now, now, self.cpu()
        while now < end:
            got, states = self.read(now + POLL), states_of(self.pid)
            now = time.monotonic()
            if got or "D" in states or self.cpu() > spent + TICK:
                self.active = quiet = now
                spent = self.cpu()
            elif "R" in states:
                self.active = now
            elif now >= quiet + REST:
                if not self.is_busy():
                    return
                quiet = now
            if got:
                yield got[1]

    def rest(self, limit=120):
        """Wait until the program is at rest.  Return when it last did something."""
        for _ in self.pieces(limit):
            pass
        return self.active

    def until(self, keys, holds, limit=120, lasting=False):
        """Return the ms from the keys until the screen passes the test HOLDS, and true.  If it
        does not pass until the program is at rest, return the ms until then, and false.
        With LASTING it has to pass from then on, so that no passing number counts."""
        self.drain(GAP)
        if holds(self.rows()):  # still, from the last measurement
            self.until("", lambda rows: not holds(rows))
        since, found = time.monotonic(), None
        self.send(keys)
        for wait in (self.pieces(limit), self.output(PATIENCE)):
            for at in wait:
                if not holds(self.rows()):
                    found = None
                elif found is None:
                    found = at
                    if not lasting:
                        break
            if found:
                break
        return ((found or self.active) - since) * 1000, found is not None

    def settles(self, keys, where, seconds=1):
        """Return the ms from the keys until the rows WHERE are as they still are after so many
        seconds, or None if they were so before.  The program may go on with other work."""
        self.drain(GAP)
        shown, settled, since = self.rows()[where], None, time.monotonic()
        self.send(keys)
        for at in self.output(seconds):
            if self.rows()[where] != shown:
                shown, settled = self.rows()[where], (at - since) * 1000
        return settled

    def first_screen(self, holds, limit=60):
        """Return the ms from the start until the screen passes the test HOLDS, or None."""
        for at in self.pieces(limit):
            if holds(self.rows()):
                return (at - self.start) * 1000
        return None

    # --- measures --------------------------------------------------------

    def press(self, keys, gap=None, limit=60):
        """The frame that answers keys, once what came before has been read."""
        self.drain(GAP)
        since = time.monotonic()
        self.send(keys)
        return self.frame(since, gap, limit)

    def hold(self, keys, count, rate):
        """A key held down: ms from the last one to the last byte it caused."""
        start, raw = time.monotonic(), 0
        for i in range(count):
            while got := self.read(start + i / rate):
                raw += len(got[0])
            since = time.monotonic()
            self.send(keys)
        rest = self.frame(since)
        return rest.last or 0, (raw + rest.bytes) / count

    def drain(self, seconds):
        """Bytes that come in that time."""
        end, count = time.monotonic() + seconds, 0
        while got := self.read(end):
            count += len(got[0])
        return count

    def output(self, seconds):
        """Yield when each piece of output came in that time."""
        end = time.monotonic() + seconds
        while got := self.read(end):
            yield got[1]

    # --- the process -----------------------------------------------------

    def cpu(self):
        """ms of processor time so far."""
        words = stat_of(f"/proc/{self.pid}")
        return (int(words[11]) + int(words[12])) * TICK

    def end(self, keys, limit=10):
        """Send keys that end the program and wait until it has ended."""
        self.send(keys)
        with contextlib.suppress(EOFError):
            self.drain(limit)

    def status(self, key):
        with open(f"/proc/{self.pid}/status") as status:
            for line in status:
                if line.startswith(key + ":"):
                    return int(line.split()[1])
        return 0

    def wakeups(self):
        total = 0
        for task in threads_of(self.pid):
            with open(f"/proc/{self.pid}/task/{task}/status") as status:
                for line in status:
                    if line.startswith("voluntary_ctxt_switches:"):
                        total += int(line.split()[1])
        return total

    def idle(self, seconds):
        """Bytes, wake-ups and ms of processor time of a program left alone."""
        wakeups, cpu = self.wakeups(), self.cpu()
        count = self.drain(seconds)
        return count, self.wakeups() - wakeups, self.cpu() - cpu


# --- the page cache --------------------------------------------------------

def evict(path):
    """Drops a file from the page cache; false where the system does not."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return resident(path) < 1 << 20


def resident(path):
    """Bytes of a file in the page cache."""
    size, page = os.path.getsize(path), mmap.PAGESIZE
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                          ctypes.c_int, ctypes.c_long]
    libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    with open(path, "rb") as file:
        at = libc.mmap(None, size, 1, 1, file.fileno(), 0)  # PROT_READ, MAP_SHARED
    pages = ctypes.create_string_buffer((size + page - 1) // page)
    libc.mincore(at, size, pages)
    libc.munmap(at, size)
    return page * sum(byte & 1 for byte in pages.raw) if size < 1 << 34 else \
        page * pages.raw.count(b"\x01")
