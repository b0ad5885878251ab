/*
 * Opening live sources: see live.h.
 *
 * A host may have several addresses, such as IPv4 and IPv6, which are tried in turn.  The
 * kernel's own keep-alive probes detect vanished peers and carry no data.
 *
 * A look-up cannot be interrupted, so a detached thread makes it.  If it takes too long,
 * the caller stops waiting.  The last of the two to finish frees the shared data.  The
 * thread is not a job (base/job.h), because stopping a job waits for it.
 *
 * A serial port is set to 8 data bits, no parity, one stop bit and no flow control.
 * live_disconnect restores its earlier settings.
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
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

enum {
	CONNECT_MS = 5000, /* for each address */
	LOOK_UP_MS = 3000, /* then the old addresses are tried */
	BAUD_USUAL = 115200,
	PROBE_AFTER_S = 30, /* silence before the first probe */
	PROBE_EVERY_S = 10, /* between two probes */
	PROBES = 3	    /* unanswered probes of a vanished peer */
};

#define TCP_PREFIX "tcp:"
#define SERIAL_PREFIX "serial:"

/* Shared with the look-up thread. */
struct look_up {
	char *host, *port;
	struct addrinfo *addresses; /* valid once `done` is readable; NULL: none found */
	int done;
	atomic_int users;
};

struct live {
	char *name;
	char *host, *port;	    /* NULL: a serial port */
	struct addrinfo *addresses; /* of the host */
	bool by_name;		    /* a name, so its addresses may change */
	bool connected;		    /* live_connect was called before */
	char *device;
	speed_t speed;
	struct termios before; /* settings of the port; valid if IS_SET */
	bool is_set;
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

/* Call getaddrinfo and return its result. */
static int
find_addresses(const char *host, const char *port, int flags, struct addrinfo **found)
{
	const struct addrinfo want = {
	    .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | flags};
	int failed = getaddrinfo(host, port, &want, found);
	if (failed)
		*found = NULL;
	return failed;
}

/* Look the host up for the first time. */
static int
look_up(struct live *live, struct err *err)
{
	live->by_name =
	    find_addresses(live->host, live->port, AI_NUMERICHOST, &live->addresses) != 0;
	int failed =
	    live->by_name ? find_addresses(live->host, live->port, 0, &live->addresses) : 0;
	if (!failed)
		return 0;
	return err_set(err, ERR_USAGE, "%s: %s: %s; name a host that can be reached", live->name,
		       live->host, failed == EAI_SYSTEM ? strerror(errno) : gai_strerror(failed));
}

static void
leave_look_up(struct look_up *l)
{
	if (atomic_fetch_sub(&l->users, 1) > 1)
		return;
	if (l->addresses)
		freeaddrinfo(l->addresses);
	if (l->done >= 0)
		close(l->done);
	free(l->host);
	free(l->port);
	free(l);
}

static void *
run_look_up(void *context)
{
	struct look_up *l = context;
	const uint64_t one = 1;
	find_addresses(l->host, l->port, 0, &l->addresses);
	if (write(l->done, &one, sizeof one) < 0) {
		/* a new eventfd always has room */
	}
	leave_look_up(l);
	return NULL;
}

/* Wait for a look-up.  Return false once STOP is readable. */
static bool
await_look_up(const struct look_up *l, int stop, bool *done)
{
	struct pollfd wait[] = {{.fd = l->done, .events = POLLIN}, {.fd = stop, .events = POLLIN}};
	int64_t end = thread_now_ms() + LOOK_UP_MS, left;
	while ((left = end - thread_now_ms()) > 0 && poll(wait, 2, (int)left) <= 0)
		continue;
	*done = wait[0].revents;
	return !wait[1].revents;
}

/* Look the host up again.  Keep the old addresses if that fails or takes long.  Return false once
 * STOP is readable. */
static bool
look_up_again(struct live *live, int stop)
{
	pthread_t thread;
	bool done = false, goes_on = true;
	struct look_up *l = mem_new(sizeof *l);
	*l = (struct look_up){.host = mem_text(live->host),
			      .port = mem_text(live->port),
			      .done = eventfd(0, EFD_CLOEXEC),
			      .users = 2};
	if (l->done >= 0 && thread_start(&thread, run_look_up, l)) {
		pthread_detach(thread);
		goes_on = await_look_up(l, stop, &done);
	} else {
		l->users = 1;
	}
	uint64_t count;
	if (done && read(l->done, &count, sizeof count) == sizeof count && l->addresses) {
		freeaddrinfo(live->addresses);
		live->addresses = l->addresses;
		l->addresses = NULL;
	}
	leave_look_up(l);
	return goes_on;
}

/* Parse NAME as HOST:PORT.  An IPv6 address contains colons, so it stands in brackets. */
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
	live->host = mem_text(name + bracketed);
	live->host[colon - name - 2 * bracketed] = '\0';
	live->port = mem_text(colon + 1);
	return *live->host ? look_up(live, err) : refuse_form(live, err);
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

/* Parse NAME as DEVICE or DEVICE@BAUD. */
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
	free(live->host);
	free(live->port);
	free(live->device);
	free(live->name);
	free(live);
}

/* --- TCP --------------------------------------------------------------- */

/* Wait until FILE is connected.  Return 0 or errno: ECANCELED once STOP is readable. */
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

/* Let the kernel detect that a silent peer is gone. */
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

/* Return a descriptor, or negative with errno in *ERROR. */
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
connect_host(struct live *live, int stop, struct err *err)
{
	int error = EHOSTUNREACH, file = -1;
	if (live->connected && live->by_name && !look_up_again(live, stop))
		error = ECANCELED;
	live->connected = true;
	for (const struct addrinfo *a = live->addresses; a && file < 0 && error != ECANCELED;
	     a = a->ai_next)
		file = connect_address(a, stop, &error);
	if (file < 0)
		err_set(err, error == ECANCELED ? ERR_CANCELLED : ERR_IO, "%s", strerror(error));
	return file;
}

/* --- serial ports ------------------------------------------------------ */

static bool
set_port(struct live *live, int file)
{
	struct termios settings;
	if (tcgetattr(file, &settings))
		return false;
	live->before = settings;
	cfmakeraw(&settings);
	settings.c_cflag &= ~(tcflag_t)(CSTOPB | PARENB | CRTSCTS);
	settings.c_cflag |= CLOCAL | CREAD;
	settings.c_iflag &= ~(tcflag_t)(IXOFF | IXANY);
	settings.c_cc[VMIN] = 1;
	settings.c_cc[VTIME] = 0;
	live->is_set = !cfsetspeed(&settings, live->speed) && !tcsetattr(file, TCSANOW, &settings);
	if (!live->is_set) /* the driver may have taken some */
		tcsetattr(file, TCSANOW, &live->before);
	return live->is_set;
}

static int
open_port(struct live *live, struct err *err)
{
	int file = open(live->device, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (file < 0 && (errno == EACCES || errno == EPERM))
		return err_set(err, ERR_USAGE,
			       "%s; join the group that owns the device, often dialout",
			       strerror(errno));
	if (file < 0 && (errno == ENOENT || errno == ENOTDIR))
		return err_set(err, ERR_USAGE, "there is no %s; connect the device first",
			       live->device);
	if (file < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	if (!isatty(file)) {
		close(file);
		return err_set(err, ERR_USAGE, "it is not a serial port");
	}
	if (set_port(live, file))
		return file;
	err_set(err, ERR_IO, "it cannot be set to this baud rate: %s", strerror(errno));
	close(file);
	return -1;
}

int
live_connect(struct live *live, int stop, struct err *err)
{
	return live->host ? connect_host(live, stop, err) : open_port(live, err);
}

void
live_disconnect(struct live *live, int file)
{
	if (live->is_set)
		tcsetattr(file, TCSANOW, &live->before);
	close(file);
}
