/*
 * How late messages of a live source are on the screen:
 *
 *	lag [-r RATE] [-s SECONDS] [-k KEYS] [-v] TRAWL [OPTION...]
 *
 * sends lines of a kernel log at RATE bytes a second to TRAWL, which runs in a pty of
 * 80x24 and follows, types KEYS once the first lines are there, and prints one line of
 * JSON.  Each line says when it was made.  Its lag is from then until a terminal emulator
 * shows it or a later one, in milliseconds; -v prints each frame that was later than
 * LATE_MS.
 *
 * Other work on the machine makes threads and the kernel's network late.  Therefore a
 * stamp is sent each millisecond over a connection of its own, to a thread that only
 * waits for it: `reference` is by how much that was late, at most and while the latest
 * frame was under way.
 */
#define _GNU_SOURCE
#include "config.h"

#include "../unit/emulator.h"

#include <err.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum {
	ROWS = 24,
	COLS = 80,
	LINE = 100, /* bytes */
	TICK_US = 1000,
	LATE_MS = 100,
	BUCKETS = 10000,    /* of 100 us */
	WAKES = 1 << 20,    /* of the reference, one each millisecond */
	BEGIN_US = 2000000, /* what is shown before is not counted */
};

struct lags {
	uint64_t bucket[BUCKETS], count;
	int64_t most, most_from, most_to;
};

static double rate = 1e7;
static int seconds = 60, listening = -1;
static int64_t start;
static atomic_bool done;
static atomic_size_t wakes;
static int64_t woke_at[WAKES], woke_late[WAKES]; /* us */

static int64_t
now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000 - start;
}

static void
sleep_us(int64_t us)
{
	struct timespec time = {us / 1000000, us % 1000000 * 1000};
	nanosleep(&time, NULL);
}

static int
listen_local(struct sockaddr_in *address)
{
	socklen_t size = sizeof *address;
	int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	*address =
	    (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	if (file < 0 || bind(file, (struct sockaddr *)address, size) || listen(file, 1) ||
	    getsockname(file, (struct sockaddr *)address, &size))
		err(1, "cannot listen");
	return file;
}

/* Two ends of a connection. */
static void
connect_ends(int ends[2])
{
	struct sockaddr_in address;
	socklen_t size = sizeof address;
	int waiting = listen_local(&address);
	ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(ends[0], (struct sockaddr *)&address, size) ||
	    (ends[1] = accept(waiting, NULL, NULL)) < 0)
		err(1, "no connection");
	close(waiting);
}

static void *
send_stamps(void *to)
{
	while (!done) {
		int64_t stamp = now_us();
		if (write(*(int *)to, &stamp, sizeof stamp) != sizeof stamp)
			break;
		sleep_us(TICK_US);
	}
	shutdown(*(int *)to, SHUT_WR);
	return NULL;
}

static void *
take_stamps(void *from)
{
	int64_t stamp;
	while (wakes < WAKES &&
	       recv(*(int *)from, &stamp, sizeof stamp, MSG_WAITALL) == sizeof stamp) {
		woke_at[wakes] = now_us();
		woke_late[wakes] = woke_at[wakes] - stamp;
		wakes++;
	}
	return NULL;
}

static int64_t
latest_wake(int64_t from, int64_t to)
{
	int64_t most = 0;
	for (size_t i = 0; i < wakes; i++)
		if (woke_at[i] >= from && woke_at[i] - woke_late[i] <= to && woke_late[i] > most)
			most = woke_late[i];
	return most;
}

/* Sends what is due each millisecond. */
static void *
send_lines(void *none)
{
	(void)none;
	static char buffer[1 << 20];
	double sent = 0;
	int to = accept(listening, NULL, NULL);
	if (to < 0)
		err(1, "accept");
	int64_t begun = now_us();
	while (!done) {
		int64_t now = now_us();
		double due = (double)(now - begun) * rate / 1e6;
		size_t count = 0;
		while (sent + LINE <= due && count + LINE <= sizeof buffer) {
			int length = snprintf(
			    buffer + count, LINE, "[%5lld.%06lld] sender: stamp=%012lld ",
			    (long long)(now / 1000000), (long long)(now % 1000000), (long long)now);
			memset(buffer + count + length, '.', (size_t)(LINE - length));
			buffer[count + LINE - 1] = '\n';
			count += LINE;
			sent += LINE;
		}
		for (size_t at = 0; at < count;) {
			ssize_t n = write(to, buffer + at, count - at);
			if (n <= 0)
				return NULL;
			at += (size_t)n;
		}
		sleep_us(TICK_US);
	}
	close(to);
	return NULL;
}

static int64_t
newest_stamp(struct emulator *screen)
{
	int64_t newest = -1;
	for (int y = 0; y < ROWS; y++) {
		const char *at = strstr(emulator_row(screen, y), "stamp=");
		long long stamp;
		if (at && strlen(at) >= 18 && sscanf(at, "stamp=%lld", &stamp) == 1 &&
		    stamp > newest)
			newest = stamp;
	}
	return newest;
}

/* Lines made from FROM on until TO were shown at TIME: equally many in each moment. */
static void
add_lags(struct lags *lags, int64_t from, int64_t to, int64_t time)
{
	for (int64_t stamp = from; stamp < to; stamp += 100) {
		int64_t bucket = (time - stamp) / 100;
		lags->bucket[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
		lags->count++;
	}
	if (time - from > lags->most) {
		lags->most = time - from;
		lags->most_from = from;
		lags->most_to = time;
	}
}

static double
quantile(const struct lags *lags, double part)
{
	uint64_t below = 0;
	int i = 0;
	while (i < BUCKETS - 1 && (double)(below += lags->bucket[i]) < part * (double)lags->count)
		i++;
	return i / 10.0;
}

/* The scheduler shares between sessions first: by the same value as between threads. */
static void
raise_session(void)
{
	setsid();
	FILE *file = fopen("/proc/self/autogroup", "w");
	if (!file)
		return;
	fprintf(file, "%d", getpriority(PRIO_PROCESS, 0));
	fclose(file);
}

static pid_t
start_program(char **argv, int argc, int *terminal)
{
	struct sockaddr_in address;
	struct winsize window = {.ws_row = ROWS, .ws_col = COLS};
	char name[64], **args = calloc((size_t)argc + 4, sizeof *args);
	listening = listen_local(&address);
	snprintf(name, sizeof name, "tcp:127.0.0.1:%u", ntohs(address.sin_port));
	memcpy(args, argv, (size_t)argc * sizeof *args);
	args[argc] = name;
	*terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*terminal < 0 || grantpt(*terminal) || unlockpt(*terminal))
		err(1, "no pty");
	ioctl(*terminal, TIOCSWINSZ, &window);
	pid_t child = fork();
	if (!child) {
		int other = open(ptsname(*terminal), O_RDWR | O_NOCTTY);
		for (int i = 0; i < 3; i++)
			dup2(other, i);
		if (other > 2)
			close(other);
		setenv("TERM", "xterm-256color", 1);
		setenv("LC_ALL", "C.UTF-8", 1);
		execvp(args[0], args);
		_exit(127);
	}
	return child;
}

int
main(int argc, char **argv)
{
	static struct lags lags;
	const char *keys = "";
	bool verbose = false, typed = false;
	int option, terminal;
	while ((option = getopt(argc, argv, "+r:s:k:v")) != -1) {
		if (option == 'r')
			rate = atof(optarg);
		else if (option == 's')
			seconds = atoi(optarg);
		else if (option == 'k')
			keys = optarg;
		else if (option == 'v')
			verbose = true;
		else
			return 2;
	}
	raise_session();
	start = now_us();
	pid_t child = start_program(argv + optind, argc - optind, &terminal);
	struct emulator *screen = emulator_new(ROWS, COLS);
	pthread_t sender, stamps, reference;
	int ends[2];
	pthread_create(&sender, NULL, send_lines, NULL);
	connect_ends(ends);
	pthread_create(&stamps, NULL, send_stamps, &ends[0]);
	pthread_create(&reference, NULL, take_stamps, &ends[1]);
	signal(SIGPIPE, SIG_IGN);
	uint64_t bytes = 0, frames = 0;
	int64_t shown = -1, end = (int64_t)seconds * 1000000 + BEGIN_US, now;
	while ((now = now_us()) < end) {
		struct pollfd wait = {.fd = terminal, .events = POLLIN};
		char buffer[65536];
		if (poll(&wait, 1, (int)((end - now) / 1000) + 1) <= 0)
			continue;
		ssize_t n = read(terminal, buffer, sizeof buffer);
		int64_t time = now_us();
		if (n <= 0)
			break;
		emulator_feed(screen, buffer, (size_t)n);
		bytes += (uint64_t)n;
		int64_t newest = newest_stamp(screen);
		if (newest <= shown)
			continue;
		if (!typed && write(terminal, keys, strlen(keys)) < 0)
			err(1, "keys");
		typed = true;
		frames++;
		if (shown >= BEGIN_US)
			add_lags(&lags, shown, newest, time);
		if (verbose && shown >= BEGIN_US && time - shown > LATE_MS * 1000)
			fprintf(stderr, "%.3f s: %.1f ms, its newest %.1f ms; reference %.1f ms\n",
				(double)time / 1e6, (double)(time - shown) / 1e3,
				(double)(time - newest) / 1e3,
				(double)latest_wake(shown, time) / 1e3);
		shown = newest;
	}
	done = true;
	if (verbose)
		for (int y = 0; y < ROWS; y++)
			fprintf(stderr, "%s\n", emulator_row(screen, y));
	kill(child, SIGTERM);
	pthread_join(stamps, NULL);
	pthread_join(reference, NULL);
	printf("{\"p50\":%.1f, \"p99\":%.1f, \"max\":%.1f, \"reference_max\":%.1f, "
	       "\"reference_then\":%.1f, \"frames\":%llu, \"bytes_per_frame\":%.0f}\n",
	       quantile(&lags, 0.5), quantile(&lags, 0.99), (double)lags.most / 1e3,
	       (double)latest_wake(0, INT64_MAX) / 1e3,
	       (double)latest_wake(lags.most_from, lags.most_to) / 1e3, (unsigned long long)frames,
	       frames ? (double)bytes / (double)frames : 0);
	emulator_free(screen);
	return 0;
}
