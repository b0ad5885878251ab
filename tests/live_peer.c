/*
 * The other side of a live source, for tests:
 *
 *	live_peer tcp|tcp6|pty|PORT NAMEFILE FILE FROM-TO...
 *
 * Writes how trawl names it to NAMEFILE.  Each range of FILE is sent to a connection of its
 * own, which is then closed; after the last one all stays open until the program is
 * killed.  A pty is one connection that sends all ranges.
 */
#define _GNU_SOURCE

#include <err.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* The name appears with all of its text. */
static void
tell_name(const char *path, const char *name)
{
	char draft[4096];
	snprintf(draft, sizeof draft, "%s.new", path);
	FILE *file = fopen(draft, "w");
	if (!file || fprintf(file, "%s\n", name) < 0 || fclose(file) || rename(draft, path))
		err(2, "%s", path);
}

static int
listen_local(const char *name_file, int six, int port)
{
	const int on = 1;
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_in v4 = {.sin_family = AF_INET,
				 .sin_addr = {htonl(INADDR_LOOPBACK)},
				 .sin_port = htons((uint16_t)port)};
	struct sockaddr *address = six ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4;
	socklen_t size = six ? sizeof v6 : sizeof v4;
	int file = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char name[64];
	if (file < 0 || setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) ||
	    bind(file, address, size) || listen(file, 8) || getsockname(file, address, &size))
		err(77, "cannot listen");
	snprintf(name, sizeof name, six ? "tcp:[::1]:%u" : "tcp:127.0.0.1:%u",
		 ntohs(six ? v6.sin6_port : v4.sin_port));
	tell_name(name_file, name);
	return file;
}

static int
open_pty(const char *name_file)
{
	char name[128];
	int file = posix_openpt(O_RDWR | O_NOCTTY);
	if (file < 0 || grantpt(file) || unlockpt(file))
		err(77, "no pty");
	/* an open other end keeps what is written until it is read */
	int other = open(ptsname(file), O_RDWR | O_NOCTTY);
	struct termios settings;
	if (other < 0 || tcgetattr(other, &settings))
		err(77, "no pty");
	cfmakeraw(&settings);
	tcsetattr(other, TCSANOW, &settings);
	snprintf(name, sizeof name, "serial:%s@115200", ptsname(file));
	tell_name(name_file, name);
	return file;
}

static void
send_range(int to, const uint8_t *bytes, size_t size, const char *range)
{
	size_t from, until;
	if (sscanf(range, "%zu-%zu", &from, &until) != 2 || from > until || until > size)
		errx(2, "no such range: %s", range);
	while (from < until) {
		ssize_t n = write(to, bytes + from, until - from);
		if (n < 0)
			err(1, "cannot send");
		from += (size_t)n;
	}
}

int
main(int argc, char **argv)
{
	struct stat st;
	if (argc < 5)
		errx(2, "usage: live_peer tcp|tcp6|pty|PORT NAMEFILE FILE FROM-TO...");
	int file = open(argv[3], O_RDONLY);
	if (file < 0 || fstat(file, &st))
		err(2, "%s", argv[3]);
	const uint8_t *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (bytes == MAP_FAILED)
		err(2, "%s", argv[3]);
	int pty = strcmp(argv[1], "pty") ? -1 : open_pty(argv[2]);
	int listening =
	    pty < 0 ? listen_local(argv[2], !strcmp(argv[1], "tcp6"), atoi(argv[1])) : -1;
	for (int i = 4; i < argc; i++) {
		int to = pty < 0 ? accept(listening, NULL, NULL) : pty;
		if (to < 0)
			err(1, "cannot accept");
		send_range(to, bytes, (size_t)st.st_size, argv[i]);
		if (pty < 0 && i + 1 < argc)
			close(to);
	}
	pause();
	return 0;
}
