/*
 * `-t perfetto`: Chrome trace events as a JSON array, one object on a line.
 *
 * A trace is a process, an origin is a thread of it, and a message is an instant of that
 * thread.  A context is a thread too, with a slice for each value: from the first message
 * with the value to the first with another.  Threads are numbered in the order of
 * appearance.
 *
 * An interval is a thread of the process in which it ends, with a slice for each pair, if
 * its end is written.  Slices of a thread must nest, so other overlapping pairs get
 * further threads.  A begin without an end is an event `B` without an end, on a separate
 * thread.
 *
 * Times are microseconds with three digits, counted from the full second in which the part
 * of the session began.  Readers keep them as floating point, which is too coarse for
 * nanoseconds since 1970.  The label of a process shows that second, and each instant has
 * the exact time as an argument.  A message from before that second (the clock stepped
 * back) is placed at the second.
 *
 * These readers accept an array without its end, so output cut by a signal is readable
 * too.
 */
#include "config.h"

#include "base/map.h"
#include "base/option.h"
#include "export/export_record.h"
#include "query/interval/intervals.h"
#include "query/value.h"
#include "session/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#define SECOND INT64_C(1000000000)

enum {
	THREADS_MAX = 65536, /* in a session; the rest share one */
	LABEL_MAX = 200,     /* bytes of a slice's name */
	LEVELS_MAX = 64	     /* threads of an interval in a process */
};

/* Part of a thread's key, next to its process. */
enum { SEED_ORIGIN = 1, SEED_CONTEXT = 2, SEED_INTERVAL = 3 };

/* A context of a trace or an origin. */
struct perfetto_lane {
	size_t process, thread;
	bool open;
	uint64_t value, begun; /* hash of its label; nanoseconds */
	struct text label;     /* JSON string */
};

struct slice {
	uint64_t begin, end; /* nanoseconds */
};

/* A thread of pairs that nest or follow each other.  They arrive in the order of their ends. */
struct perfetto_track {
	size_t process, interval;
	size_t thread;
	VEC(struct slice) last; /* outermost slices until now */
};

struct perfetto {
	const struct contexts *contexts;   /* NULL: none are shown */
	const struct intervals *intervals; /* NULL: none are defined */
	VEC(struct perfetto_track) tracks;
	struct export_times times;
	bool *seen;	    /* for each process: it was named */
	struct map threads; /* hash of a thread's key: its number */
	struct map lane_of; /* thread number: index in `lanes`, plus one */
	VEC(struct perfetto_lane) lanes;
	uint64_t *latest; /* latest time of each process, in ns */
	bool any;	  /* an event was written */
};

/* --- records ----------------------------------------------------------- */

/* Append safe text and a NUL.  A body is a list of strings, each ended by a NUL: the origin; the
 * label of each context, or nothing; two for each interval; the members of an object.  The first
 * of an interval is the length and label of the pair that ends.  The second is the label of a
 * begin without an end.  A label of an interval follows a blank. */
static void
put_safe(const char *bytes, size_t length, struct text *out)
{
	text_add_safe(out, bytes, length, TEXT_UTF8);
	text_add_char(out, '\0');
}

/* Append the contexts of this trace.  Other traces show theirs in their own process. */
static void
put_contexts(const struct export_message *message, struct text *out)
{
	struct trace *trace = reader_trace(message->reader);
	struct contexts *contexts = session_of(trace)->contexts;
	struct text label = {0};
	for (unsigned i = 0; i < contexts_count(contexts); i++) {
		struct context_value value;
		text_clear(&label);
		if (context_value(contexts, message->contexts, message->message, i, &value) &&
		    value.trace == trace)
			value_add_context(contexts, message->contexts, i, &value, &label);
		put_safe(text_get(&label), label.length < LABEL_MAX ? label.length : LABEL_MAX,
			 out);
	}
	text_free(&label);
}

static void
put_label(struct intervals *intervals, size_t interval, const struct export_message *message,
	  struct expansion *scratch, struct text *out)
{
	struct value_look look = {.reader = message->reader,
				  .message = message->message,
				  .contexts = message->contexts,
				  .expansion = scratch};
	struct text label = {0};
	text_add_char(out, ' ');
	intervals_add_key(intervals, interval, &look, &label);
	if (!label.length)
		text_add(&label, intervals_name(intervals, interval));
	text_add_safe(out, text_get(&label), label.length < LABEL_MAX ? label.length : LABEL_MAX,
		      TEXT_UTF8);
	text_free(&label);
}

static void
put_intervals(struct intervals *intervals, const struct export_message *message, struct text *out)
{
	const struct session_intervals *hook = session_of(reader_trace(message->reader))->intervals;
	struct interval_length length;
	struct expansion scratch = {0};
	for (size_t i = 0; i < intervals_count(intervals); i++) {
		if (message->timed &&
		    hook->find(hook->context, i, message->reader, message->message, true,
			       &length) &&
		    !length.ticks) {
			text_addf(out, "%" PRId64, length.length);
			put_label(intervals, i, message, &scratch, out);
		}
		text_add_char(out, '\0');
		if (message->timed &&
		    intervals_is_open(intervals, i, message->reader, message->message))
			put_label(intervals, i, message, &scratch, out);
		text_add_char(out, '\0');
	}
	expansion_free(&scratch);
}

static void
put_members(const struct export_message *message, struct text *out)
{
	const struct expansion *e = message->expansion;
	const struct message *m = message->message;
	const struct text *name = e->text.length ? &e->text : &e->type;
	text_add(out, "\"name\":");
	export_json_string(out, text_get(name), name->length);
	text_addf(out, ",\"cat\":\"%s\",\"args\":{\"n\":%" PRIu64 ",\"type\":",
		  severity_name(m->severity), message->number);
	export_json_string(out, text_get(&e->type), e->type.length);
	text_addf(out, ",\"severity\":\"%s\",\"offset\":%" PRIu64 ",\"length\":%" PRIu32,
		  severity_name(m->severity), m->offset, m->length);
	if (message->timed)
		text_addf(out, ",\"time\":%" PRId64, message->time);
	text_add(out, ",\"flags\":\"");
	export_flags(message, "", " ", out);
	text_add(out, "\"}");
	text_add_char(out, '\0');
}

void
export_perfetto(struct export_message *message, struct text *out)
{
	const struct expansion *e = message->expansion;
	size_t start = export_record_begin(message, out);
	put_safe(text_get(&e->origin), e->origin.length, out);
	if (message->contexts)
		put_contexts(message, out);
	struct intervals *intervals = intervals_of(session_of(reader_trace(message->reader)));
	if (intervals)
		put_intervals(intervals, message, out);
	put_members(message, out);
	export_record_end(out, start);
}

/* --- events ------------------------------------------------------------ */

static void
begin_event(struct perfetto *p, const char *phase, size_t process, size_t thread, struct text *out)
{
	text_addf(out, "%s{\"ph\":\"%s\",\"pid\":%zu,\"tid\":%zu", p->any ? "," : "", phase,
		  process + 1, thread);
	p->any = true;
}

/* Append nanoseconds as microseconds. */
static void
add_time(const char *name, uint64_t ns, struct text *out)
{
	text_addf(out, ",\"%s\":%" PRIu64 ".%03u", name, ns / 1000, (unsigned)(ns % 1000));
}

static void
name_process(struct perfetto *p, size_t process, struct text *out)
{
	const char *name = trace_name(p->times.session->traces.at[process]);
	if (p->seen[process])
		return;
	p->seen[process] = true;
	begin_event(p, "M", process, 0, out);
	text_add(out, ",\"name\":\"process_name\",\"args\":{\"name\":");
	export_json_string(out, name, strlen(name));
	text_add(out, "}}\n");
}

/* Return the thread of a sender, or of a context with an optional sender.  Name it on first use. */
static size_t
thread_of(struct perfetto *p, size_t process, unsigned seed, const char *origin,
	  const char *context, struct text *out)
{
	uint64_t key = option_hash_text(origin, seed + ((uint64_t)process << 32));
	if (context)
		key = option_hash_text(context, key);
	uint64_t *found = map_find(&p->threads, key);
	if (found)
		return *found;
	if (p->threads.count >= THREADS_MAX)
		return 0;
	uint64_t *added = map_add(&p->threads, key);
	size_t thread = p->threads.count; /* from 1 on */
	*added = thread;
	struct text name = {0};
	if (context)
		text_addf(&name, "%s%s", context, *origin ? " of " : "");
	text_add(&name, *origin || context ? origin : "(nobody)");
	begin_event(p, "M", process, thread, out);
	text_add(out, ",\"name\":\"thread_name\",\"args\":{\"name\":");
	export_json_string(out, text_get(&name), name.length);
	text_add(out, "}}\n");
	text_free(&name);
	return thread;
}

/* --- contexts ---------------------------------------------------------- */

static void
end_slice(struct perfetto *p, struct perfetto_lane *lane, uint64_t now, struct text *out)
{
	if (!lane->open)
		return;
	begin_event(p, "X", lane->process, lane->thread, out);
	add_time("ts", lane->begun, out);
	add_time("dur", now > lane->begun ? now - lane->begun : 0, out);
	text_addf(out, ",\"cat\":\"context\",\"name\":%s}\n", text_get(&lane->label));
	lane->open = false;
}

static struct perfetto_lane *
lane_of(struct perfetto *p, size_t process, size_t thread)
{
	uint64_t *at = map_add(&p->lane_of, thread);
	if (!*at) {
		struct perfetto_lane *lane = vec_add(&p->lanes);
		lane->process = process;
		lane->thread = thread;
		*at = p->lanes.count;
	}
	return &p->lanes.at[*at - 1];
}

static void
show_context(struct perfetto *p, size_t process, const char *origin, unsigned context,
	     const char *label, uint64_t now, struct text *out)
{
	const char *whose = contexts_is_per_trace(p->contexts, context) ? "" : origin;
	size_t thread =
	    thread_of(p, process, SEED_CONTEXT, whose, contexts_name(p->contexts, context), out);
	if (!thread)
		return;
	struct perfetto_lane *lane = lane_of(p, process, thread);
	uint64_t value = option_hash_text(label, 0);
	if (lane->open && lane->value == value)
		return;
	end_slice(p, lane, now, out);
	if (!*label)
		return;
	lane->open = true;
	lane->value = value;
	lane->begun = now;
	text_clear(&lane->label);
	export_json_string(&lane->label, label, strlen(label));
}

/* --- intervals --------------------------------------------------------- */

static size_t
interval_thread(struct perfetto *p, size_t process, size_t interval, const char *which,
		size_t level, struct text *out)
{
	struct text name = {0};
	text_addf(&name, "interval %s%s", intervals_name(p->intervals, interval), which);
	if (level)
		text_addf(&name, " %zu", level + 1);
	size_t thread = thread_of(p, process, SEED_INTERVAL, "", text_get(&name), out);
	text_free(&name);
	return thread;
}

/* Add a slice to a track.  No earlier slice may end later.  Return false if it does not nest. */
static bool
take_slice(struct perfetto_track *track, struct slice slice)
{
	size_t count = track->last.count;
	while (count && track->last.at[count - 1].begin >= slice.begin)
		count--;
	if (count && track->last.at[count - 1].end > slice.begin)
		return false;
	track->last.count = count;
	*vec_add(&track->last) = slice;
	return true;
}

static struct perfetto_track *
track_for(struct perfetto *p, size_t process, size_t interval, struct slice slice, struct text *out)
{
	size_t level = 0, last = 0;
	for (size_t i = 0; i < p->tracks.count; i++) {
		struct perfetto_track *track = &p->tracks.at[i];
		if (track->process != process || track->interval != interval)
			continue;
		if (take_slice(track, slice))
			return track;
		last = i;
		level++;
	}
	if (level >= LEVELS_MAX)
		return &p->tracks.at[last];
	struct perfetto_track *track = vec_add(&p->tracks);
	track->process = process;
	track->interval = interval;
	track->thread = interval_thread(p, process, interval, "", level, out);
	take_slice(track, slice);
	return track;
}

static void
end_interval_event(const char *label, struct text *out)
{
	text_add(out, ",\"cat\":\"interval\",\"name\":");
	export_json_string(out, label, strlen(label));
	text_add(out, "}\n");
}

/* Write events for PAIR and OPEN, two strings of the body. */
static void
show_interval(struct perfetto *p, size_t process, size_t interval, const char *pair,
	      const char *open, uint64_t now, struct text *out)
{
	char *label;
	if (*pair) {
		int64_t length = strtoll(pair, &label, 10);
		uint64_t most = length > 0 ? (uint64_t)length : 0;
		struct slice slice = {most < now ? now - most : 0, now};
		size_t thread = track_for(p, process, interval, slice, out)->thread;
		begin_event(p, "X", process, thread, out);
		add_time("ts", slice.begin, out);
		add_time("dur", slice.end - slice.begin, out);
		end_interval_event(label + 1, out);
	}
	if (*open) {
		size_t thread = interval_thread(p, process, interval, " without end", 0, out);
		begin_event(p, "B", process, thread, out);
		add_time("ts", now, out);
		end_interval_event(open + 1, out);
	}
}

/* --- joining ----------------------------------------------------------- */

static void *
perfetto_open(struct session *session, const struct export_options *options)
{
	struct perfetto *p = mem_new(sizeof *p);
	(void)options;
	export_times_open(&p->times, session);
	p->contexts = contexts_defined(session->contexts) ? session->contexts : NULL;
	p->intervals = intervals_of(session);
	p->seen = mem_new(session->traces.count * sizeof *p->seen);
	p->latest = mem_new(session->traces.count * sizeof *p->latest);
	return p;
}

/* Return the second from which times of a part count. */
static int64_t
base_of(const struct export_part *part)
{
	int64_t rest = part->first % SECOND;
	return part->first - (rest < 0 ? rest + SECOND : rest);
}

static void
add_record(struct perfetto *p, struct export_record *record, const char *body, struct text *out)
{
	size_t process = export_times_take(&p->times, record);
	int64_t base = base_of(&p->times.parts.at[p->times.part_of[process]]);
	uint64_t now = record->time > base ? (uint64_t)record->time - (uint64_t)base : 0;
	const char *origin = body, *part = body + strlen(body) + 1;
	name_process(p, process, out);
	for (unsigned i = 0; p->contexts && i < contexts_count(p->contexts); i++) {
		show_context(p, process, origin, i, part, now, out);
		part += strlen(part) + 1;
	}
	for (size_t i = 0; p->intervals && i < intervals_count(p->intervals); i++) {
		const char *open = part + strlen(part) + 1;
		show_interval(p, process, i, part, open, now, out);
		part = open + strlen(open) + 1;
	}
	size_t thread = thread_of(p, process, SEED_ORIGIN, origin, NULL, out);
	begin_event(p, "i", process, thread, out);
	add_time("ts", now, out);
	text_addf(out, ",\"s\":\"t\",%s}\n", part);
	if (now > p->latest[process])
		p->latest[process] = now;
}

static int
perfetto_write(void *context, const struct text *records, struct text *out, struct err *err)
{
	struct perfetto *p = context;
	struct export_record record;
	const char *body;
	(void)err;
	for (size_t at = 0; export_record_next(records, &at, &record, &body);)
		add_record(p, &record, body, out);
	return 0;
}

/* Label a process with the date of time 0. */
static void
label_process(struct perfetto *p, size_t process, struct text *out)
{
	const struct export_part *part = &p->times.parts.at[p->times.part_of[process]];
	time_t seconds = (time_t)(base_of(part) / SECOND);
	struct tm tm;
	char text[64] = "";
	if (!p->seen[process] || !part->begun)
		return;
	if (part->wall && gmtime_r(&seconds, &tm))
		strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	begin_event(p, "M", process, 0, out);
	text_add(out, ",\"name\":\"process_labels\",\"args\":{\"labels\":\"0 is ");
	if (*text)
		text_add(out, text);
	else
		text_addf(out, "%" PRId64 " s of a clock of its own", (int64_t)seconds);
	text_add(out, "\"}}\n");
}

static int
perfetto_close(void *context, struct text *out, struct err *err)
{
	struct perfetto *p = context;
	(void)err;
	for (size_t i = 0; i < p->lanes.count; i++) {
		end_slice(p, &p->lanes.at[i], p->latest[p->lanes.at[i].process], out);
		text_free(&p->lanes.at[i].label);
	}
	for (size_t i = 0; i < p->times.session->traces.count; i++)
		label_process(p, i, out);
	text_add(out, "]\n");
	export_times_close(&p->times);
	for (size_t i = 0; i < p->tracks.count; i++)
		vec_free(&p->tracks.at[i].last);
	vec_free(&p->lanes);
	vec_free(&p->tracks);
	map_free(&p->threads);
	map_free(&p->lane_of);
	free(p->seen);
	free(p->latest);
	free(p);
	return 0;
}

const struct export_writer export_perfetto_writer = {
    .open = perfetto_open, .write = perfetto_write, .close = perfetto_close};
