/*
 * A live source that breaks off again and again: its messages are those of the pieces, each
 * decoded as a capture of its own, with a loss before each but the first; and index and
 * readers, which start anywhere, agree with one walk.
 *
 * What the source sends ends where no file may grow longer: so the capture has an end.
 */
#include "config.h"

#include "test.h"

#include "base/text.h"
#include "base/vec.h"
#include "drive.h"
#include "index/index.h"
#include "random.h"
#include "same_index.h"
#include "session/session.h"
#include "temp_file.h"
#include "trace/trace.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PIECES = 5, SIZE = 300000, RUNS = 4 };

static const struct {
	const char *format;
	const char *arguments; /* of mkcapture */
	bool grid;	       /* where long runs are cut depends on their offset */
} formats[] = {
    {"syst/raw", "-f syst/raw -m len32 -n 300K"},
    {"syst/raw", "-f syst/raw -m all -n 300K"},
    {"syst/hex", "-f syst/hex -m all -n 300K"},
    {"syst/stp", "-f syst/stp -m all -n 300K"},
    {"stp", "-f syst/stp -m len32 --senders=9 -n 300K"},
    {"encap", "-f encap -m all -n 300K"},
    {"gem", "-f gem -m all -n 300K"},
    {"uia", "-f uia -m all -n 300K", .grid = true},
    {"csel", "-f csel -m all -n 300K"},
    {"text", "-f syst/hex -m all -n 300K"},
    {"itm", "-f itm -m all -n 300K"},
    {"tpiu", "-f tpiu -m all -n 300K"},
};

struct sender {
	pthread_t thread;
	int listening;
	const uint8_t *bytes;
	size_t starts[PIECES + 1];
};

/* Sends each piece to a connection of its own. */
static void *
send_pieces(void *context)
{
	struct sender *s = context;
	for (int i = 0; i < PIECES; i++) {
		int to = accept(s->listening, NULL, NULL);
		for (size_t at = s->starts[i]; at < s->starts[i + 1];) {
			ssize_t n = send(to, s->bytes + at, s->starts[i + 1] - at, MSG_NOSIGNAL);
			if (n <= 0)
				break;
			at += (size_t)n;
		}
		close(to);
	}
	return NULL;
}

/* The name to open. */
static void
start_sender(struct sender *s, char name[static 32])
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof address;
	s->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(s->listening, (struct sockaddr *)&address, size), 0);
	assert_int_equal(listen(s->listening, 1), 0);
	assert_int_equal(getsockname(s->listening, (struct sockaddr *)&address, &size), 0);
	snprintf(name, 32, "tcp:127.0.0.1:%u", ntohs(address.sin_port));
	assert_int_equal(pthread_create(&s->thread, NULL, send_pieces, s), 0);
}

static int
compare_sizes(const void *a, const void *b)
{
	const size_t *left = a, *right = b;
	return (*left > *right) - (*left < *right);
}

/* Opens the capture of all that S sends. */
static void
receive(struct session *session, struct sender *s, const char *format)
{
	const struct rlimit limit = {SIZE, RLIM_INFINITY};
	struct rlimit before;
	char name[32];
	struct err err = {0};
	getrlimit(RLIMIT_FSIZE, &before);
	option_defaults(profile_options_table(), &session->profile);
	setrlimit(RLIMIT_FSIZE, &limit);
	start_sender(s, name);
	if (!session_open(session, name, format, NULL, 0, &err))
		fail_msg("%s", err.what);
	struct capture *capture = trace_capture(session->traces.at[0]);
	while (!capture_ended(capture))
		capture_wait(capture, UINT64_MAX, 1000);
	setrlimit(RLIMIT_FSIZE, &before);
	pthread_join(s->thread, NULL);
	close(s->listening);
	assert_int_equal(capture_size(capture), SIZE);
	assert_memory_equal(capture_bytes(capture), s->bytes, SIZE);
}

static void
check_message(const struct message *m, const struct message *want, const char *name)
{
	if (m->offset != want->offset || m->length != want->length || m->kind != want->kind ||
	    m->flags != want->flags || m->ticks != want->ticks || m->origin != want->origin ||
	    m->severity != want->severity)
		fail_msg("%s: not the message %zu+%u of its piece, but %zu+%u", name,
			 (size_t)want->offset, want->length, (size_t)m->offset, m->length);
}

static void
check_loss(const struct message *m, uint64_t offset, const char *name)
{
	if (m->offset != offset || m->length || m->kind != DECODE_KIND_LOSS ||
	    m->flags != MESSAGE_LOST)
		fail_msg("%s: no loss at %zu", name, (size_t)offset);
}

/* The messages of a piece, with offsets in the whole. */
static void
decode_piece(const struct decoder *decoder, const uint8_t *bytes, size_t from, size_t to, bool grid,
	     message_list *out)
{
	uint64_t start = grid ? from : 0;
	const struct window w = {.bytes = bytes + from,
				 .offset = start,
				 .length = to - from,
				 .until = UINT64_MAX,
				 .last = true};
	struct decode_state *state = decode_state_new(decoder);
	struct message m;
	if (grid)
		decode_state_start_at(decoder, state, from);
	while (decoder->ops->step(decoder, state, &w, &m, 1)) {
		m.offset += from - start;
		*vec_add(out) = m;
	}
	decode_state_free(decoder, state);
}

/* What is walked is what the pieces give. */
static void
check_pieces(const struct decoder *decoder, const struct sender *s, bool grid,
	     const struct message *walked, size_t count, const char *name)
{
	size_t at = 0;
	for (int i = 0; i < PIECES && s->starts[i] < SIZE; i++) {
		size_t from = s->starts[i], to = s->starts[i + 1] < SIZE ? s->starts[i + 1] : SIZE;
		message_list piece = {0};
		if (i)
			check_loss(&walked[at++], from, name);
		decode_piece(decoder, s->bytes, from, to, grid, &piece);
		assert_true(at + piece.count < count);
		for (size_t j = 0; j < piece.count; j++)
			check_message(&walked[at++], &piece.at[j], name);
		vec_free(&piece);
	}
	check_loss(&walked[at++], SIZE, name);
	assert_int_equal(at, count);
}

static struct index *
build(const struct trace *trace, unsigned threads)
{
	const struct index_options options = {.threads = threads, .segment = 1};
	struct index *index = index_new(trace_capture(trace), trace_decoder(trace), &options);
	index_build(index);
	return index;
}

static void
compare(struct session *session, const struct sender *s, bool grid, const char *name)
{
	struct trace *trace = session->traces.at[0];
	const struct decoder *decoder = trace_decoder(trace);
	struct reader *reader = reader_new(trace);
	struct message batch[64];
	message_list walked = {0};
	size_t n;
	while ((n = reader_walk(reader, batch, sizeof batch / sizeof *batch)))
		for (size_t i = 0; i < n; i++)
			*vec_add(&walked) = batch[i];
	check_pieces(decoder, s, grid, walked.at, walked.count, name);
	struct index *one = build(trace, 1), *many = build(trace, 3);
	same_index(decoder, one, many, name);
	index_free(one);
	index_free(many);
	index_build(trace_index(trace));
	same_messages(reader, walked.at, walked.count, name);
	reader_free(reader);
	vec_free(&walked);
}

static void
run(size_t i, const uint8_t *bytes, size_t length, uint64_t *seed, const char *name)
{
	struct session session = {0};
	struct sender s = {.bytes = bytes, .starts = {[PIECES] = length}};
	for (int piece = 1; piece < PIECES; piece++)
		s.starts[piece] = 1 + random_below(seed, SIZE - 1);
	s.starts[1] = random_below(seed, 2) ? 65536 : s.starts[1]; /* a cell's border */
	qsort(s.starts + 1, PIECES - 1, sizeof *s.starts, compare_sizes);
	receive(&session, &s, formats[i].format);
	compare(&session, &s, formats[i].grid, name);
	session_close(&session);
}

static void
test_pieces(void **state)
{
	(void)state;
	char path[TEMP_PATH];
	uint64_t seed = 1;
	signal(SIGXFSZ, SIG_IGN);
	temp_make(path, "", "", 0);
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		struct text command = {0};
		text_addf(&command, "tests/mkcapture %s -o %s", formats[i].arguments, path);
		if (system(text_get(&command)) != 0)
			fail_msg("%s", text_get(&command));
		uint8_t *bytes = mem_new(2 * SIZE);
		FILE *file = fopen(path, "r");
		assert_non_null(file);
		size_t length = fread(bytes, 1, 2 * SIZE, file);
		fclose(file);
		assert_true(length >= SIZE);
		for (int j = 0; j < RUNS; j++)
			run(i, bytes, length, &seed, text_get(&command));
		vec_release(bytes);
		text_free(&command);
	}
	unlink(path);
}

/* --- names of hosts -------------------------------------------------------- */

#define MOVES "moves.test"
#define STUCK "stuck.test"
enum { SOON_MS = 30000 }; /* it is tried again after 100 ms */

static _Atomic in_addr_t moved_to; /* address of MOVES */
static atomic_int look_ups;

/* In place of the C library's: two names, whose look-ups tests decide, and addresses. */
int
getaddrinfo(const char *host, const char *port, const struct addrinfo *want,
	    struct addrinfo **found)
{
	struct in_addr address;
	bool is_name = !inet_pton(AF_INET, host, &address);
	if (is_name && want->ai_flags & AI_NUMERICHOST)
		return EAI_NONAME;
	if (is_name && !strcmp(host, STUCK) && look_ups++)
		pause();
	if (is_name && !moved_to)
		return EAI_AGAIN;
	struct addrinfo *a = calloc(1, sizeof *a + sizeof(struct sockaddr_in));
	assert_non_null(a);
	struct sockaddr_in *in = (struct sockaddr_in *)(a + 1);
	in->sin_family = AF_INET;
	in->sin_port = htons((uint16_t)atoi(port));
	in->sin_addr.s_addr = is_name ? moved_to : address.s_addr;
	*a = (struct addrinfo){.ai_family = AF_INET,
			       .ai_socktype = SOCK_STREAM,
			       .ai_addr = (struct sockaddr *)in,
			       .ai_addrlen = sizeof *in};
	*found = a;
	return 0;
}

void
freeaddrinfo(struct addrinfo *a)
{
	free(a);
}

/* Listens at an address of this machine; a port 0 is chosen. */
static int
listen_at(in_addr_t address, uint16_t *port)
{
	const int on = 1;
	struct sockaddr_in in = {
	    .sin_family = AF_INET, .sin_port = *port, .sin_addr.s_addr = address};
	socklen_t size = sizeof in;
	int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(file, (struct sockaddr *)&in, size) || listen(file, 1) ||
	    getsockname(file, (struct sockaddr *)&in, &size)) {
		close(file);
		return -1;
	}
	*port = in.sin_port;
	return file;
}

static void
send_and_close(int listening, const char *text)
{
	struct pollfd wait = {.fd = listening, .events = POLLIN};
	assert_int_equal(poll(&wait, 1, SOON_MS), 1);
	int to = accept(listening, NULL, NULL);
	assert_int_equal(write(to, text, strlen(text)), strlen(text));
	close(to);
}

/* A host that has another address by then is found there; one that is not found, where it
 * was. */
static void
test_moved(void **state)
{
	(void)state;
	char name[64];
	uint16_t port = 0;
	moved_to = htonl(INADDR_LOOPBACK);
	int here = listen_at(moved_to, &port), there = listen_at(htonl(INADDR_LOOPBACK + 1), &port);
	if (there < 0)
		skip();
	snprintf(name, sizeof name, "tcp:" MOVES ":%u", ntohs(port));
	struct capture *c = capture_open(name, &(struct capture_options){0}, NULL);
	assert_non_null(c);
	send_and_close(here, "one");
	assert_int_equal(capture_wait(c, 2, -1), 3);
	moved_to = htonl(INADDR_LOOPBACK + 1);
	send_and_close(there, "two");
	assert_int_equal(capture_wait(c, 5, -1), 6);
	moved_to = 0;
	send_and_close(there, "six");
	assert_int_equal(capture_wait(c, 8, -1), 9);
	assert_memory_equal(capture_bytes(c), "onetwosix", 9);
	capture_close(c);
	close(here);
	close(there);
}

/* What waits for a look-up ends at once. */
static void
test_stuck(void **state)
{
	(void)state;
	char name[64];
	uint16_t port = 0;
	moved_to = htonl(INADDR_LOOPBACK);
	int here = listen_at(moved_to, &port);
	snprintf(name, sizeof name, "tcp:" STUCK ":%u", ntohs(port));
	struct capture *c = capture_open(name, &(struct capture_options){0}, NULL);
	assert_non_null(c);
	send_and_close(here, "one");
	for (int i = 0; look_ups < 2 && i < SOON_MS; i++)
		usleep(1000);
	assert_int_equal(look_ups, 2);
	struct timespec start, end;
	clock_gettime(CLOCK_MONOTONIC, &start);
	capture_close(c);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_in_range(end.tv_sec - start.tv_sec, 0, 2); /* the look-up lasts for ever */
	close(here);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces),
					   cmocka_unit_test(test_moved),
					   cmocka_unit_test(test_stuck)};
	return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
