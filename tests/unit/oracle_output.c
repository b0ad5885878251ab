/*
 * Outputs of a session, read again: JSON lines with their columns of differences, CTF by the
 * layout that its metadata declare, and the events of Perfetto.  Each has the messages that
 * were selected, in the order of the list, with the times of the oracle.
 */
#include "config.h"

#include "oracle.h"

#include "base/bytes.h"
#include "export/export.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECOND SENT_SECOND

/* The rows that an output should have, one after the other. */
struct wanted {
	struct oracle *o;
	const struct selection *selection;
	const char *format;
	size_t row;		     /* of the list, behind the present one */
	bool begun;		     /* a message that was printed had a time */
	int64_t latest, last;	     /* of those times: the latest, the last */
	const struct listed *listed; /* the present one */
	const struct sent *sent;
};

/* Goes on to the next; false at the end. */
static bool
next_wanted(struct wanted *w)
{
	if (w->sent && w->sent->timed) {
		int64_t made = w->sent->made;
		w->latest = w->begun && w->latest > made ? w->latest : made;
		w->last = made;
		w->begun = true;
	}
	while (w->row < w->o->all.count) {
		w->listed = &w->o->all.at[w->row++];
		w->sent = oracle_sent(w->o, w->listed);
		if (oracle_wants(w->o, w->selection, w->listed->trace, w->sent))
			return true;
	}
	w->sent = NULL;
	return false;
}

static void
fail_wanted(const struct wanted *w, const char *what, int64_t got, int64_t want)
{
	oracle_fail(w->o, "%s of %s, row %zu, trace %zu message %zu: %s %" PRId64 ", not %" PRId64,
		    w->format, text_get(&w->selection->text), w->row - 1, w->listed->trace,
		    w->listed->number, what, got, want);
}

static void
compare(const struct wanted *w, const char *what, int64_t got, int64_t want, int64_t near)
{
	if (llabs(got - want) > near)
		fail_wanted(w, what, got, want);
}

static void export(const struct wanted *w, int output, unsigned columns)
{
	struct writer writer = {.file = output, .is_direct = true};
	struct export_options options = {.format = export_find(w->format),
					 .filter = w->selection->filter,
					 .columns = columns,
					 .output = &writer};
	struct export_result result;
	struct err err = {0};
	if (export_run(&w->o->session, &options, &result, &err) < 0)
		oracle_fail(w->o, "%s: %s", w->format, err.what);
}

/* --- lines -------------------------------------------------------------- */

/* The number behind NAME in a line; false if there is none. */
static bool
number_in(const char *line, const char *name, int64_t *number)
{
	char *end = NULL;
	const char *at = strstr(line, name);
	if (at)
		*number = strtoll(at + strlen(name), &end, 10);
	return at && end > at + strlen(name);
}

static void
compare_identity(const struct wanted *w, const char *line)
{
	int64_t number = -1, offset = -1;
	number_in(line, "\"n\":", &number);
	number_in(line, "\"offset\":", &offset);
	compare(w, "number", number, (int64_t)w->listed->number, 0);
	/* a message is known by its last byte where others lie between */
	if (offset > (int64_t)w->sent->place)
		fail_wanted(w, "offset", offset, (int64_t)w->sent->place);
}

static void
compare_time(const struct wanted *w, const char *line)
{
	int64_t time = 0;
	bool timed = number_in(line, "\"time\":", &time);
	compare(w, "has a time", timed, w->sent->timed, 0);
	if (timed)
		compare(w, "time", time, w->sent->made, w->o->near);
}

/* A difference of WANT to a message before, if there is ANY.  Where times are off a little,
 * so are small ones, of which it may be uncertain whether they are steps back. */
static void
compare_difference(const struct wanted *w, const char *line, const char *name, bool any,
		   bool steps_back, int64_t want)
{
	int64_t got = 0;
	bool certain = !any || !w->o->near || llabs(want) > 2 * w->o->near;
	bool found = number_in(line, name, &got);
	if (certain)
		compare(w, name, found, any && (steps_back || want >= 0), 0);
	if (found)
		compare(w, name, got, want, 2 * w->o->near);
}

/* The message before it, whatever is selected, that has a time. */
static const struct sent *
timed_before(const struct wanted *w)
{
	for (size_t row = w->row - 1; row-- > 0;) {
		const struct sent *sent = oracle_sent(w->o, &w->o->all.at[row]);
		if (sent->timed)
			return sent;
	}
	return NULL;
}

static void
check_json(struct oracle *o, const struct selection *s)
{
	struct wanted w = {.o = o, .selection = s, .format = "jsonl"};
	int output = memfd_create("test", 0);
	char *line = NULL;
	size_t room = 0;
	export(&w, output, EXPORT_DELTA | EXPORT_GAP);
	FILE *file = fdopen(output, "r");
	rewind(file);
	while (next_wanted(&w)) {
		int64_t trace = -1;
		if (getline(&line, &room, file) < 0)
			fail_wanted(&w, "is there", 0, 1);
		number_in(line, "\"trace\":\"t", &trace);
		compare(&w, "trace", trace, (int64_t)w.listed->trace, 0);
		compare_identity(&w, line);
		compare_time(&w, line);
		const struct sent *before = w.sent->timed ? timed_before(&w) : NULL;
		compare_difference(&w, line, "\"gap\":", before != NULL, false,
				   before ? w.sent->made - before->made : 0);
		compare_difference(&w, line, "\"delta\":", w.sent->timed && w.begun, true,
				   w.sent->made - w.last);
		o->printed++;
	}
	assert_true(getline(&line, &room, file) < 0);
	free(line);
	fclose(file);
}

/* --- CTF ----------------------------------------------------------------- */

struct stream {
	struct text bytes;
	size_t at, end; /* of the packet */
	uint64_t begins, ends;
	unsigned contexts; /* strings behind the usual ones */
	int64_t base;	   /* what times count from */
};

static void
read_file(int folder, const char *name, struct text *bytes)
{
	char block[4096];
	ssize_t length;
	int file = openat(folder, name, O_RDONLY);
	assert_true(file >= 0);
	while ((length = read(file, block, sizeof block)) > 0)
		text_add_bytes(bytes, block, (size_t)length);
	close(file);
}

static void
read_metadata(int folder, struct stream *stream)
{
	struct text text = {0};
	int64_t seconds = 0, rest = 0;
	read_file(folder, "metadata", &text);
	assert_true(number_in(text_get(&text), "offset_s = ", &seconds));
	assert_true(number_in(text_get(&text), "offset = ", &rest));
	stream->base = seconds * SECOND + rest;
	for (const char *at = text_get(&text); (at = strstr(at, "string _context")); at++)
		stream->contexts++;
	text_free(&text);
}

static uint64_t
take_number(struct stream *stream, size_t bytes)
{
	uint8_t le[8] = {0};
	assert_true(stream->at + bytes <= stream->bytes.length);
	memcpy(le, stream->bytes.data + stream->at, bytes);
	stream->at += bytes;
	return bytes_le64(le);
}

static const char *
take_string(struct stream *stream)
{
	const char *string = stream->bytes.data + stream->at;
	stream->at += strnlen(string, stream->bytes.length - stream->at) + 1;
	assert_true(stream->at <= stream->bytes.length);
	return string;
}

static void
begin_packet(struct stream *stream)
{
	size_t start = stream->at;
	assert_int_equal(take_number(stream, 4), 0xc1fc1fc1);
	assert_int_equal(take_number(stream, 4), 0);
	stream->begins = take_number(stream, 8);
	stream->ends = take_number(stream, 8);
	stream->end = start + take_number(stream, 8) / 8;
	assert_int_equal(take_number(stream, 8) / 8, stream->end - start);
	assert_in_range(stream->end, stream->at + 1, stream->bytes.length);
}

static void
compare_event(struct stream *stream, const struct wanted *w)
{
	int64_t near = w->o->near, stands = w->latest, late = 0;
	bool first = stream->at == stream->end;
	if (first)
		begin_packet(stream);
	uint64_t stamp = take_number(stream, 8);
	assert_in_range(stamp, stream->begins, stream->ends);
	assert_true(!first || stamp == stream->begins);
	if (w->sent->timed) {
		stands = w->begun && w->latest > w->sent->made ? w->latest : w->sent->made;
		late = stands - w->sent->made;
	} else if (!w->begun) {
		stands = stream->base; /* with the first that has a time, if there is one */
	}
	compare(w, "CTF time", stream->base + (int64_t)stamp, stands, near);
	compare(w, "late", (int64_t)take_number(stream, 8), late, 2 * near);
	compare(w, "number", (int64_t)take_number(stream, 8), (int64_t)w->listed->number, 0);
	compare(w, "trace", take_string(stream)[1] - '0', (int64_t)w->listed->trace, 0);
	assert_true(take_number(stream, 8) <= w->sent->place);
	take_number(stream, 4);
	compare(w, "severity", (int64_t)take_number(stream, 1), w->sent->severity, 0);
	for (unsigned i = 0; i < 4 + stream->contexts; i++)
		take_string(stream);
	assert_true(stream->at <= stream->end);
	assert_true(stream->at < stream->end || stamp == stream->ends);
}

static void
check_ctf(struct oracle *o, const struct selection *s)
{
	struct wanted w = {.o = o, .selection = s, .format = "ctf"};
	struct stream stream = {0};
	struct folder out;
	folder_make(&out);
	int folder = open(out.path, O_RDONLY | O_DIRECTORY);
	export(&w, folder, 0);
	read_metadata(folder, &stream);
	read_file(folder, "stream", &stream.bytes);
	while (next_wanted(&w)) {
		compare_event(&stream, &w);
		if (w.sent->timed && !w.begun)
			compare(&w, "CTF offset", stream.base, w.sent->made, o->near);
	}
	assert_int_equal(stream.at, stream.bytes.length);
	folder_path(&out, "stream");
	folder_path(&out, "metadata");
	close(folder);
	text_free(&stream.bytes);
	folder_remove(&out);
}

/* --- Perfetto ------------------------------------------------------------ */

/* The time of an event in ns: microseconds with three digits. */
static int64_t
event_time(const char *line)
{
	unsigned long long whole = 0, rest = 0;
	const char *at = strstr(line, "\"ts\":");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "\"ts\":%llu.%3llu", &whole, &rest), 2);
	return (int64_t)(whole * 1000 + rest);
}

static void
compare_instant(const struct wanted *w, const char *line, const char *const *threads,
		int64_t *first)
{
	int64_t process = 0, thread = 0;
	number_in(line, "\"pid\":", &process);
	number_in(line, "\"tid\":", &thread);
	compare(w, "process", process, 1 + (int64_t)w->listed->trace, 0);
	compare_identity(w, line);
	compare_time(w, line);
	const char *origin = w->o->origins[w->listed->trace][w->sent->sender];
	if (!threads[thread] || strcmp(threads[thread], *origin ? origin : "(nobody)") != 0)
		fail_wanted(w, "thread", thread, 0);
	if (!w->begun && !w->sent->timed) {
		compare(w, "event", event_time(line), 0, 0);
		return;
	}
	if (!w->begun) /* and from which second on depends on its last digit */
		number_in(line, "\"time\":", first);
	int64_t base = *first - *first % SECOND;
	int64_t made = w->sent->timed ? w->sent->made : w->latest;
	compare(w, "event", event_time(line), made > base ? made - base : 0, w->o->near);
}

enum { THREADS = 64 };

/* Notes the name of a thread. */
static void
note_thread(const char *line, const char **threads)
{
	static const char name[] = "\"args\":{\"name\":\"";
	const char *at = strstr(line, name);
	int64_t thread = -1;
	if (!at || !strstr(line, "\"thread_name\"") || !number_in(line, "\"tid\":", &thread))
		return;
	assert_in_range(thread, 0, THREADS - 1);
	at += strlen(name);
	threads[thread] = strndup(at, strcspn(at, "\""));
}

static void
check_perfetto(struct oracle *o, const struct selection *s)
{
	struct wanted w = {.o = o, .selection = s, .format = "perfetto"};
	const char *threads[THREADS] = {0};
	int64_t first = 0;
	int output = memfd_create("test", 0);
	char *line = NULL;
	size_t room = 0;
	export(&w, output, 0);
	FILE *file = fdopen(output, "r");
	rewind(file);
	while (getline(&line, &room, file) >= 0) {
		note_thread(line, threads);
		if (!strstr(line, "\"ph\":\"i\""))
			continue;
		assert_true(next_wanted(&w));
		compare_instant(&w, line, threads, &first);
	}
	assert_false(next_wanted(&w));
	for (size_t i = 0; i < THREADS; i++)
		free((char *)threads[i]);
	free(line);
	fclose(file);
}

void
oracle_check_outputs(struct oracle *o, const struct selection *s)
{
	check_json(o, s);
	check_ctf(o, s);
	check_perfetto(o, s);
}
