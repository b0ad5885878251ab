/* Batch output: the table of formats and the loop; see export.h. */
#include "config.h"

#include "export/export.h"
#include "base/vec.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 256, FLUSH = 256 * 1024 };

static void
export_none(struct export_message *message, struct text *out)
{
	(void)message;
	(void)out;
}

const struct export_format export_formats[] = {
    {.name = "text",
     .help = "one line per message, for people",
     .expand = true,
     .want = EXPAND_TEXT,
     .message = export_text},
    {.name = "csv",
     .help = "comma separated values with a header",
     .expand = true,
     .want = EXPAND_TEXT,
     .header = "n,trace,offset,length,ticks,time,severity,origin,type,text,flags\n",
     .message = export_csv},
    {.name = "jsonl",
     .help = "one JSON object per line with all fields",
     .expand = true,
     .want = EXPAND_FIELDS,
     .message = export_jsonl},
    {.name = "csv-systprint",
     .help = "the columns of the SyS-T reference printer",
     .expand = true,
     .want = EXPAND_TEXT,
     .header = "Decode Status,Payload,Type,Severity,Origin,Unit,Message TimeStamp,"
	       "Context TimeStamp,Location,Raw Length,Checksum,Collateral\n",
     .message = export_systprint},
    {.name = "ppl", .help = "element lines as trc_pkt_lister prints them", .message = export_ppl},
    {.name = "none", .help = "decode all, print nothing", .message = export_none},
};
const size_t export_format_count = sizeof export_formats / sizeof *export_formats;

const struct export_format *
export_find(const char *name)
{
	for (size_t i = 0; i < export_format_count; i++)
		if (!strcmp(name, export_formats[i].name))
			return &export_formats[i];
	return NULL;
}

void
export_flags(const struct export_message *message, const char *quote, const char *between,
	     struct text *out)
{
	unsigned flags = message->message->flags | message->expansion->flags;
	const char *before = "";
	for (unsigned bit = 0; bit < MESSAGE_FLAGS_SHOWN; bit++) {
		if (flags >> bit & 1) {
			text_addf(out, "%s%s%s%s", before, quote, message_flag_name(bit), quote);
			before = between;
		}
	}
}

bool
export_time(struct trace *trace, const struct message *m, int64_t *nanoseconds)
{
	double hz = trace_clock(trace).hz;
	if (!(m->flags & MESSAGE_TIMED) || hz < 1 || hz > 1e18)
		return false;
	unsigned __int128 time = (unsigned __int128)m->ticks * 1000000000 / (uint64_t)hz;
	if (time > INT64_MAX)
		return false;
	*nanoseconds = (int64_t)time;
	return true;
}

static int
flush(struct text *out, int file, struct err *err)
{
	size_t done = 0;
	while (done < out->length) {
		ssize_t n = write(file, out->data + done, out->length - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
		done += (size_t)n;
	}
	text_clear(out);
	return 0;
}

struct run {
	const struct export_options *options;
	struct export_result *result;
	struct text out;
	struct expansion expansion, scratch;
};

static void
write_message(struct run *run, struct reader *reader, const struct message *m, uint64_t number)
{
	const struct export_format *format = run->options->format;
	struct filter filter = run->options->filter;
	if (m->flags & (MESSAGE_DAMAGED | MESSAGE_TRUNCATED | MESSAGE_LOST))
		run->result->damaged = true;
	if (!filter_match(&filter, reader, m, &run->scratch))
		return;
	struct export_message message = {.reader = reader,
					 .message = m,
					 .number = number,
					 .expansion = &run->expansion,
					 .charset = run->options->charset};
	if (format->expand)
		reader_expand(reader, m, format->want, &run->expansion);
	if (run->expansion.flags & MESSAGE_DAMAGED)
		run->result->damaged = true;
	format->message(&message, &run->out);
	run->result->messages++;
}

static int
write_trace(struct run *run, struct trace *trace, struct err *err)
{
	if (atomic_load(&trace_decoder(trace)->wants_history))
		index_build(trace_index(trace));
	struct reader *reader = reader_new(trace);
	struct message batch[BATCH];
	uint64_t number = 0;
	size_t count;
	int failed = 0;
	while (!failed && (count = reader_walk(reader, batch, BATCH)) > 0) {
		for (size_t i = 0; i < count; i++)
			write_message(run, reader, &batch[i], number++);
		/* a stream's messages go out as they come */
		if (run->out.length >= FLUSH || !capture_ended(trace_capture(trace)))
			failed = flush(&run->out, run->options->output, err);
	}
	reader_free(reader);
	return failed;
}

int
export_run(struct session *session, const struct export_options *options,
	   struct export_result *result, struct err *err)
{
	struct run run = {.options = options, .result = result};
	*result = (struct export_result){0};
	bool any = false;
	int failed = 0;
	if (options->format->header)
		text_add(&run.out, options->format->header);
	for (size_t i = 0; i < session->traces.count && !failed; i++) {
		struct trace *trace = session->traces.at[i];
		if (options->source && strcmp(options->source, trace_name(trace)) != 0)
			continue;
		any = true;
		failed = write_trace(&run, trace, err);
	}
	if (!any)
		failed = err_set(err, ERR_USAGE, "no trace is named %s; --info shows their names",
				 options->source ? options->source : "so");
	if (!failed)
		failed = flush(&run.out, options->output, err);
	expansion_free(&run.expansion);
	expansion_free(&run.scratch);
	text_free(&run.out);
	return failed;
}
