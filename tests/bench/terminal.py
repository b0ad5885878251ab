"""Drives a terminal program through a pty and measures what its user would see.

    with Terminal(["less", "file"]) as t:
        first = t.first_screen()        # ms from the start
        frame = t.press("G")            # ms, bytes, text: the frame that answers

Times are taken where bytes are read from the pty.  A frame ends when nothing
came for GAP seconds.  The text of a frame is what is left of the bytes without
control sequences, which is enough to see that a screen was painted and what it
cost; what stands on the screen then is for `until` to see.

link=(RTT in ms, kbit/s) puts a slow link between user and program: keys arrive
half a round trip late, bytes one after the other at that rate and half a round
trip later, and the program is read from only while less than a full socket is
under way, so that it feels the link as it would over SSH.
"""
import codecs
import collections
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

    def text(self):
        return "\n".join("".join(row) for row in self.rows)

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


class Terminal:
    def __init__(self, argv, size=(120, 40), env=None, link=None):
        self.rtt, self.rate = (link[0] / 1000, link[1] * 125) if link else (0, 0)
        self.screen = Screen(size)
        self.unread = b""           # by the screen
        self.free = 0               # when the link has sent what it was given
        self.delayed = collections.deque()
        self.start = time.monotonic()
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
        """The next bytes and when they reach the user, or None at UNTIL."""
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
                return None
            now = time.monotonic()
            self.unread += data
            if self.rate:
                self.free = max(self.free, now) + (len(data) + OVERHEAD) / self.rate
                now = self.free
            return data, now + self.rtt / 2

    def frame(self, since, gap=None, limit=60):
        """What comes until nothing came for GAP; times in ms after SINCE."""
        gap = gap or GAP + 2 * self.rtt
        raw, first, last = b"", None, None
        end = time.monotonic() + limit
        while got := self.read(min(end, time.monotonic() + (gap if raw else limit))):
            raw += got[0]
            last = (got[1] - since) * 1000
            first = last if first is None else first
        return Frame(first, last, len(raw), text_of(raw), raw)

    # --- measures --------------------------------------------------------

    def first_screen(self, letters=200, limit=60):
        """ms from the start until so many letters of text were there."""
        raw, end = b"", time.monotonic() + limit
        while got := self.read(end):
            raw += got[0]
            if len("".join(text_of(raw).split())) >= letters:
                return (got[1] - self.start) * 1000
        return None

    def press(self, keys, gap=None, limit=60):
        """The frame that answers keys, once what came before has been read."""
        self.drain(GAP)
        since = time.monotonic()
        self.send(keys)
        return self.frame(since, gap, limit)

    def painted(self):
        """The text of the screen."""
        raw, self.unread = self.unread, b""
        self.screen.feed(raw)
        return self.screen.text()

    def until(self, keys, pattern, limit=120):
        """ms from the keys until the screen has the pattern once more than before; None if it
        never had."""
        self.drain(GAP)
        wanted = re.compile(pattern)
        before = len(wanted.findall(self.painted()))
        since = time.monotonic()
        self.send(keys)
        while got := self.read(since + limit):
            if len(wanted.findall(self.painted())) > before:
                return (got[1] - since) * 1000
        return None

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

    # --- the process -----------------------------------------------------

    def cpu(self):
        """ms of processor time so far."""
        with open(f"/proc/{self.pid}/stat") as stat:
            words = stat.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def calm(self, limit=120):
        """Waits until the program has nothing more to do; seconds since the start."""
        end, quiet, before = time.monotonic() + limit, 0, self.cpu()
        since = time.monotonic()
        while time.monotonic() < end and quiet < 5:
            self.drain(0.1)
            now = self.cpu()
            if now - before < 5:
                quiet += 1
            else:
                quiet, since = 0, time.monotonic()
            before = now
        return since - self.start

    def status(self, key):
        with open(f"/proc/{self.pid}/status") as status:
            for line in status:
                if line.startswith(key + ":"):
                    return int(line.split()[1])
        return 0

    def wakeups(self):
        total = 0
        for task in os.listdir(f"/proc/{self.pid}/task"):
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
