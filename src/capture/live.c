/*
 * Opening live sources: see live.h.
 *
 * A host may have several addresses, as of IPv4 and IPv6; each is tried in turn.  They
 * are looked up once, since a look-up cannot be interrupted.  Probes for peers that
 * vanished are the kernel's own and carry no data.
 *
 * A serial port is set to 8 data bits, no parity, one stop bit and no flow control.  It
 * keeps these settings afterwards, as other programs leave them too.
 */
#include "config.h"

#include "capture/live.h"
#include "base/text.h"
#include "base/thread.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

enum {
	CONNECT_MS = 5000, /* for each address */
	BAUD_USUAL = 115200,
	PROBE_AFTER_S = 30, /* of silence, */
	PROBE_EVERY_S = 10, /* and the peer is gone */
	PROBES = 3	    /* if none of these is answered */
};

#define TCP_PREFIX "tcp:"
#define SERIAL_PREFIX "serial:"

struct live {
	char *name;
	struct addrinfo *addresses; /* of a host; NULL: it is a serial port */
	char *device;
	speed_t speed;
};

static const struct {
	unsigned baud;
	speed_t speed;
} speeds[] = {
    {1200, B1200},	 {2400, B2400},	      {4800, B4800},	   {9600, B9600},
    {19200, B19200},	 {38400, B38400},     {57600, B57600},	   {115200, B115200},
    {230400, B230400},	 {460800, B460800},   {500000, B500000},   {576000, B576000},
    {921600, B921600},	 {1000000, B1000000}, {1152000, B1152000}, {1500000, B1500000},
    {2000000, B2000000}, {2500000, B2500000}, {3000000, B3000000}, {3500000, B3500000},
    {4000000, B4000000},
};

static bool
has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

bool
live_is_named(const char *path)
{
	return has_prefix(path, TCP_PREFIX) || has_prefix(path, SERIAL_PREFIX);
}

/* --- names ------------------------------------------------------------- */

static int
refuse_form(const struct live *live, struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "%s: expected tcp:HOST:PORT, tcp:[ADDRESS]:PORT or serial:DEVICE@BAUD",
		       live->name);
}

static int
look_up(struct live *live, const char *host, const char *port, struct err *err)
{
	const struct addrinfo want = {
	    .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	int failed = getaddrinfo(host, port, &want, &live->addresses);
	if (!failed)
		return 0;
	live->addresses = NULL;
	return err_set(err, ERR_USAGE, "%s: %s: %s; name a host that can be reached", live->name,
		       host, failed == EAI_SYSTEM ? strerror(errno) : gai_strerror(failed));
}

/* NAME is HOST:PORT; an address of IPv6 has colons of its own and stands in brackets. */
static int
read_host(struct live *live, const char *name, struct err *err)
{
	uint64_t number;
	const char *colon = strrchr(name, ':');
	bool bracketed = *name == '[';
	if (!colon || colon == name || (bracketed && colon[-1] != ']') ||
	    (!bracketed && memchr(name, ':', (size_t)(colon - name))) ||
	    !text_parse_uint(colon + 1, UINT16_MAX, &number) || !number)
		return refuse_form(live, err);
	char *host = mem_text(name + bracketed);
	host[colon - name - 2 * bracketed] = '\0';
	int failed = *host ? look_up(live, host, colon + 1, err) : refuse_form(live, err);
	free(host);
	return failed;
}

static int
refuse_baud(const struct live *live, const char *baud, struct err *err)
{
	struct text rates = {0};
	for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
		text_addf(&rates, "%s%u", i ? ", " : "", speeds[i].baud);
	int failed = err_set(err, ERR_USAGE, "%s: no such baud rate: %s; there are %s", live->name,
			     baud, text_get(&rates));
	text_free(&rates);
	return failed;
}

/* NAME is DEVICE or DEVICE@BAUD. */
static int
read_port(struct live *live, const char *name, struct err *err)
{
	uint64_t baud = BAUD_USUAL;
	const char *at = strrchr(name, '@');
	live->device = mem_text(name);
	if (at)
		live->device[at - name] = '\0';
	if (!*live->device)
		return refuse_form(live, err);
	if (at && !text_parse_uint(at + 1, UINT32_MAX, &baud))
		return refuse_baud(live, at + 1, err);
	for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
		if (speeds[i].baud == baud) {
			live->speed = speeds[i].speed;
			return 0;
		}
	return refuse_baud(live, at + 1, err);
}

struct live *
live_new(const char *path, struct err *err)
{
	struct live *live = mem_new(sizeof *live);
	live->name = mem_text(path);
	int failed = has_prefix(path, TCP_PREFIX)
			 ? read_host(live, path + sizeof TCP_PREFIX - 1, err)
			 : read_port(live, path + sizeof SERIAL_PREFIX - 1, err);
	if (!failed)
		return live;
	live_free(live);
	return NULL;
}

void
live_free(struct live *live)
{
	if (!live)
		return;
	if (live->addresses)
		freeaddrinfo(live->addresses);
	free(live->device);
	free(live->name);
	free(live);
}

/* --- TCP --------------------------------------------------------------- */

/* Waits until FILE is connected; 0, or errno: ECANCELED once STOP can be read. */
static int
await_connection(int file, int stop)
{
	struct pollfd wait[] = {{.fd = file, .events = POLLOUT}, {.fd = stop, .events = POLLIN}};
	int64_t end = thread_now_ms() + CONNECT_MS;
	for (;;) {
		int64_t left = end - thread_now_ms();
		int ready = poll(wait, 2, left > 0 ? (int)left : 0);
		if (ready < 0 && errno != EINTR)
			return errno;
		if (ready > 0)
			break;
		if (left <= 0)
			return ETIMEDOUT;
	}
	if (wait[1].revents)
		return ECANCELED;
	int error = 0;
	socklen_t size = sizeof error;
	return getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &size) ? errno : error;
}

/* Has the kernel find out that a silent peer is gone. */
static void
probe_silence(int file)
{
	const struct {
		int level, name, value;
	} options[] = {{SOL_SOCKET, SO_KEEPALIVE, 1},
		       {IPPROTO_TCP, TCP_KEEPIDLE, PROBE_AFTER_S},
		       {IPPROTO_TCP, TCP_KEEPINTVL, PROBE_EVERY_S},
		       {IPPROTO_TCP, TCP_KEEPCNT, PROBES}};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		setsockopt(file, options[i].level, options[i].name, &options[i].value,
			   sizeof options[i].value);
}

/* A descriptor, or negative with errno in *ERROR. */
static int
connect_address(const struct addrinfo *address, int stop, int *error)
{
	int file = socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
			  address->ai_protocol);
	if (file < 0) {
		*error = errno;
		return -1;
	}
	probe_silence(file);
	*error = connect(file, address->ai_addr, address->ai_addrlen) ? errno : 0;
	if (*error == EINPROGRESS || *error == EINTR)
		*error = await_connection(file, stop);
	if (!*error)
		return file;
	close(file);
	return -1;
}

static int
connect_host(const struct live *live, int stop, struct err *err)
{
	int error = EHOSTUNREACH, file = -1;
	for (const struct addrinfo *a = live->addresses; a && file < 0 && error != ECANCELED;
	     a = a->ai_next)
		file = connect_address(a, stop, &error);
	if (file < 0)
		err_set(err, error == ECANCELED ? ERR_CANCELLED : ERR_IO, "%s", strerror(error));
	return file;
}

/* --- serial ports ------------------------------------------------------ */

static bool
set_port(int file, speed_t speed)
{
	struct termios settings;
	if (tcgetattr(file, &settings))
		return false;
	cfmakeraw(&settings);
	settings.c_cflag &= ~(tcflag_t)(CSTOPB | PARENB | CRTSCTS);
	settings.c_cflag |= CLOCAL | CREAD;
	settings.c_iflag &= ~(tcflag_t)(IXOFF | IXANY);
	settings.c_cc[VMIN] = 1;
	settings.c_cc[VTIME] = 0;
	return !cfsetspeed(&settings, speed) && !tcsetattr(file, TCSANOW, &settings);
}

static int
open_port(const struct live *live, struct err *err)
{
	int file = open(live->device, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (file < 0 && (errno == EACCES || errno == EPERM))
		return err_set(err, ERR_USAGE,
			       "%s; join the group that owns the device, often dialout",
			       strerror(errno));
	if (file < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	if (!isatty(file)) {
		close(file);
		return err_set(err, ERR_USAGE, "it is no serial port");
	}
	if (set_port(file, live->speed))
		return file;
	err_set(err, ERR_IO, "it cannot be set to this baud rate: %s", strerror(errno));
	close(file);
	return -1;
}

int
live_connect(const struct live *live, int stop, struct err *err)
{
	return live->addresses ? connect_host(live, stop, err) : open_port(live, err);
}
