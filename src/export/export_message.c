/*
 * Common parts of all formats: a message with its time and flags, and the output.  If a
 * file cannot take everything, it ends with a whole message.
 */
#include "config.h"

#include "export/export.h"
#include "session/clock/clocks.h"
#include "session/session.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Estimates need a complete index.  A format with a writer orders events by their times and gets
 * no estimates (export_cycles). */
struct cycles_walk *
export_cycles_of(struct trace *trace)
{
	struct index_progress progress;
	index_get_progress(trace_index(trace), &progress);
	return progress.complete && cycles_may_have(trace) ? cycles_walk_new(trace) : NULL;
}

struct cycles_walk *
export_cycles(const struct export_format *format, struct trace *trace)
{
	bool needs_cycles = format->needs & VALUE_NEEDS_CLOCKS && !format->writer &&
			    !format->rows &&
			    !(format->live && capture_is_stream(trace_capture(trace)));
	return needs_cycles ? export_cycles_of(trace) : NULL;
}

void
export_kept_free(struct export_kept *kept)
{
	text_free(&kept->name);
}

/* Set the time of MESSAGE, if it has one. */
static void
find_time(struct export_message *message)
{
	struct message_time time;
	struct trace *trace = reader_trace(message->reader);
	struct message m = *message->message;
	bool any =
	    message->found ? message->found_any : cycles_time(trace, message->cycles, &m, &time);
	if (message->found)
		time = *message->found;
	message->related = any && (time.known || m.flags & MESSAGE_TIMED);
	message->session_time = time;
	message->expansion->flags |= m.flags & MESSAGE_ESTIMATED;
	if (!any || !time.known) {
		message->ticked = m.flags & MESSAGE_TIMED;
		message->ticks = m.ticks;
		return;
	}
	message->timed = true;
	message->wall = time.wall;
	message->part = time.part;
	message->time = time.nanoseconds;
	if (time.estimated)
		message->expansion->flags |= MESSAGE_ESTIMATED;
}

void
export_message(const struct export_format *format, struct export_message *message, struct text *out)
{
	if (format->want)
		reader_expand(message->reader, message->message, format->want, message->expansion);
	message->ticked = message->message->flags & MESSAGE_TIMED;
	message->ticks = message->message->ticks;
	message->timed = message->wall = message->related = message->has_delta = false;
	message->time = 0;
	if (format->needs & VALUE_NEEDS_CLOCKS)
		find_time(message);
	if (format->message)
		format->message(message, out);
}

void
export_flags(const struct export_message *message, const char *quote, const char *between,
	     struct text *out)
{
	unsigned flags = message->message->flags | message->expansion->flags;
	const char *before = "";
	flags &= (1u << MESSAGE_FLAGS_SHOWN) - 1;
	for (unsigned bit = 0; flags; bit++, flags >>= 1) {
		if (flags & 1) {
			text_addf(out, "%s%s%s%s", before, quote, message_flag_name(bit), quote);
			before = between;
		}
	}
}

/* --- writing ----------------------------------------------------------- */

static void
make_safe(struct text *lines, enum text_charset charset)
{
	struct text safe = {0};
	text_add_safe_lines(&safe, text_get(lines), lines->length, charset);
	text_free(lines);
	*lines = safe;
}

int
export_flush(struct text *out, const struct export_target *to, struct err *err)
{
	if (!to->styled && isatty(to->writer->file))
		make_safe(out, to->charset);
	int failed = writer_add(to->writer, text_get(out), out->length, err);
	text_clear(out);
	return failed;
}

int
export_sink_flush(const struct export_sink *sink, struct err *err)
{
	enum { LARGE = 256 * 1024 };
	return sink->flush && sink->out->length >= LARGE ? sink->flush(sink->context, err) : 0;
}
