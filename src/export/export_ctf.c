/*
 * `-t ctf`: a folder with a trace in the Common Trace Format 1.8, for babeltrace2, Trace
 * Compass and similar readers.
 *
 * All messages are events of one kind in one stream.  Their order is that of the list even
 * for equal times.  Time in a stream never steps back: an event gets the latest time up to
 * it.  Its field `late` contains the difference to the message's own time.  Parts of the
 * session without a common clock are separate traces, in folders clock1, clock2 and so on.
 * Readers would merge streams of one trace.
 *
 * Times count from the first one in a part.  The metadata contains that time and is
 * therefore written last.  Messages before it get the same time.  A packet ends with the
 * event that fills PACKET bytes.
 */
#include "config.h"

#include "base/bytes.h"
#include "export/export_record.h"
#include "query/value.h"
#include "session/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define FIRST_LINE "/* CTF 1.8 */\n"
#define TRACER "\ttracer_name = \"" PACKAGE_NAME "\";\n"
#define PART "clock"

enum {
	PACKET = 64 * 1024,
	MAGIC = 0xc1fc1fc1,
	/* magic, stream; begin, end, content size, packet size */
	HEADER = 4 + 4 + 4 * 8,
	NOWHERE = -1
};

struct ctf {
	const struct contexts *contexts; /* NULL: none are shown */
	struct export_times times;
	int folder; /* the output folder */
	size_t part;
	int place;	      /* folder of the part, or NOWHERE */
	struct writer stream; /* file in that folder */
	struct text packet;   /* the packet being filled, or empty */
	uint64_t first, last;
};

/* --- events ------------------------------------------------------------ */

static void
put_number(struct text *out, uint64_t value, size_t bytes)
{
	uint8_t le[8];
	bytes_put_le64(le, value);
	text_add_bytes(out, le, bytes);
}

/* Append a string. babeltrace2 up to 2.0.4 shows the previous value in place of an empty string,
 * so write `-` instead. */
static void
put_string(struct text *out, const char *bytes, size_t length)
{
	if (!length)
		text_add_char(out, '-');
	text_add_safe(out, bytes, length, TEXT_UTF8); /* its output contains no NUL */
	text_add_char(out, '\0');
}

static void
put_text(struct text *out, const struct text *text)
{
	put_string(out, text_get(text), text->length);
}

static void
put_contexts(struct text *out, const struct export_message *message)
{
	struct contexts *contexts = session_of(reader_trace(message->reader))->contexts;
	struct text label = {0};
	for (unsigned i = 0; i < contexts_count(contexts); i++) {
		struct context_value value;
		text_clear(&label);
		if (context_value(contexts, message->contexts, message->message, i, &value))
			value_add_context(contexts, message->contexts, i, &value, &label);
		put_text(out, &label);
	}
	text_free(&label);
}

static void
put_flags(const struct export_message *message, struct text *out)
{
	struct text flags = {0};
	export_flags(message, "", " ", &flags);
	put_text(out, &flags);
	text_free(&flags);
}

/* Write the fields in the order of their declaration in write_event. */
void
export_ctf(struct export_message *message, struct text *out)
{
	const struct expansion *e = message->expansion;
	const struct message *m = message->message;
	const char *trace = trace_name(reader_trace(message->reader));
	size_t start = export_record_begin(message, out);
	put_number(out, message->number, 8);
	put_string(out, trace, strlen(trace));
	put_number(out, m->offset, 8);
	put_number(out, m->length, 4);
	put_number(out, m->severity, 1);
	put_text(out, &e->origin);
	put_text(out, &e->type);
	put_text(out, &e->text);
	put_flags(message, out);
	if (message->contexts)
		put_contexts(out, message);
	export_record_end(out, start);
}

/* --- metadata ---------------------------------------------------------- */

static void
write_clock(const struct export_part *part, struct text *out)
{
	int64_t seconds = part->first / SECOND, rest = part->first % SECOND;
	if (rest < 0) {
		rest += SECOND;
		seconds--;
	}
	text_addf(out,
		  "clock {\n"
		  "\tname = common;\n"
		  "\tdescription = \"%s\";\n"
		  "\tfreq = 1000000000;\n"
		  "\toffset_s = %" PRId64 ";\n"
		  "\toffset = %" PRId64 ";\n"
		  "\tabsolute = %s;\n"
		  "};\n\n",
		  part->wall ? "since 1970-01-01 00:00 UTC" : "of the captures", seconds, rest,
		  part->wall ? "true" : "false");
}

/* Declare the string of a context.  Characters not allowed in a name become `_`.  The number
 * keeps names distinct. */
static void
declare_context(const struct contexts *contexts, unsigned context, struct text *out)
{
	text_addf(out, "\t\tstring _context%u_", context);
	for (const char *c = contexts_name(contexts, context); *c; c++) {
		char low = (char)(*c | 0x20);
		bool plain = (low >= 'a' && low <= 'z') || (*c >= '0' && *c <= '9');
		text_add_char(out, plain ? *c : '_');
	}
	text_add(out, ";\n");
}

/* Write the event declaration.  Readers drop a leading `_`; without it some names would be
 * reserved words. */
static void
write_event(const struct contexts *contexts, struct text *out)
{
	text_add(out, "event {\n"
		      "\tname = \"message\";\n"
		      "\tid = 0;\n"
		      "\tstream_id = 0;\n"
		      "\tfields := struct {\n"
		      "\t\tuint64_t _late;\n"
		      "\t\tuint64_t _n;\n"
		      "\t\tstring _trace;\n"
		      "\t\tuint64_t _offset;\n"
		      "\t\tuint32_t _length;\n"
		      "\t\tenum : uint8_t {");
	for (unsigned i = 0; i < SEVERITY_COUNT; i++)
		text_addf(out, "%s %s = %u", i ? "," : "", severity_name((enum severity)i), i);
	text_add(out, " } _severity;\n"
		      "\t\tstring _origin;\n"
		      "\t\tstring _type;\n"
		      "\t\tstring _text;\n"
		      "\t\tstring _flags;\n");
	for (unsigned i = 0; contexts && i < contexts_count(contexts); i++)
		declare_context(contexts, i, out);
	text_add(out, "\t};\n};\n");
}

static void
write_metadata(const struct ctf *ctf, struct text *out)
{
	static const char head[] = FIRST_LINE
	    "\n"
	    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n\n"
	    "trace {\n"
	    "\tmajor = 1;\n"
	    "\tminor = 8;\n"
	    "\tbyte_order = le;\n"
	    "\tpacket.header := struct {\n"
	    "\t\tuint32_t magic;\n"
	    "\t\tuint32_t stream_id;\n"
	    "\t};\n"
	    "};\n\n"
	    "env {\n" TRACER "};\n\n";
	static const char stream[] =
	    "typealias integer {\n"
	    "\tsize = 64; align = 8; signed = false; map = clock.common.value;\n"
	    "} := common_time_t;\n\n"
	    "stream {\n"
	    "\tid = 0;\n"
	    "\tpacket.context := struct {\n"
	    "\t\tcommon_time_t timestamp_begin;\n"
	    "\t\tcommon_time_t timestamp_end;\n"
	    "\t\tuint64_t content_size;\n"
	    "\t\tuint64_t packet_size;\n"
	    "\t};\n"
	    "\tevent.header := struct {\n"
	    "\t\tcommon_time_t timestamp;\n"
	    "\t};\n"
	    "};\n\n";
	text_add(out, head);
	write_clock(&ctf->times.parts.at[ctf->part], out);
	text_add(out, stream);
	write_event(ctf->contexts, out);
}

/* --- files ------------------------------------------------------------- */

static int
begin_part(struct ctf *ctf, size_t part, struct err *err)
{
	char name[32];
	snprintf(name, sizeof name, PART "%zu", part + 1);
	bool apart = ctf->times.parts.count > 1;
	if (apart && mkdirat(ctf->folder, name, 0777) && errno != EEXIST)
		return err_set(err, ERR_IO, "cannot make %s: %s", name, strerror(errno));
	ctf->part = part;
	ctf->place = openat(ctf->folder, apart ? name : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ctf->place < 0)
		return err_set(err, ERR_IO, "cannot open %s: %s", name, strerror(errno));
	return writer_open_at(&ctf->stream, ctf->place, "stream", err);
}

/* Fill in the packet's header and write the packet. */
static int
end_packet(struct ctf *ctf, struct err *err)
{
	struct text header = {0};
	if (!ctf->packet.length)
		return 0;
	put_number(&header, MAGIC, 4);
	put_number(&header, 0, 4);
	put_number(&header, ctf->first, 8);
	put_number(&header, ctf->last, 8);
	put_number(&header, ctf->packet.length * 8, 8);
	put_number(&header, ctf->packet.length * 8, 8);
	memcpy(ctf->packet.data, header.data, HEADER);
	text_free(&header);
	return export_flush(&ctf->packet, &(struct export_target){.writer = &ctf->stream}, err);
}

static int
end_part(struct ctf *ctf, struct err *err)
{
	struct text metadata = {0};
	struct writer file = {.file = -1};
	if (ctf->place < 0)
		return 0;
	int failed = end_packet(ctf, err);
	if (writer_commit(&ctf->stream, err) < 0)
		failed = ERR_IO;
	write_metadata(ctf, &metadata);
	if (!failed)
		failed = writer_open_at(&file, ctf->place, "metadata", err);
	if (!failed)
		failed = export_flush(&metadata, &(struct export_target){.writer = &file}, err);
	if (!failed)
		failed = writer_commit(&file, err);
	writer_abandon(&file);
	text_free(&metadata);
	close(ctf->place);
	ctf->place = NOWHERE;
	return failed;
}

/* --- joining ----------------------------------------------------------- */

static void *
ctf_open(struct session *session, const struct export_options *options)
{
	struct ctf *ctf = mem_new(sizeof *ctf);
	export_times_open(&ctf->times, session);
	ctf->contexts = contexts_defined(session->contexts) ? session->contexts : NULL;
	ctf->folder = options->output->file;
	ctf->place = NOWHERE;
	return ctf;
}

static void
add_event(struct ctf *ctf, const struct export_record *record, const char *body)
{
	const struct export_part *part = &ctf->times.parts.at[ctf->part];
	uint64_t time = (uint64_t)part->latest - (uint64_t)part->first;
	static const char header[HEADER];
	if (!ctf->packet.length) {
		text_add_bytes(&ctf->packet, header, sizeof header);
		ctf->first = time;
	}
	ctf->last = time;
	put_number(&ctf->packet, time, 8);
	put_number(&ctf->packet, (uint64_t)part->latest - (uint64_t)record->time, 8);
	text_add_bytes(&ctf->packet, body, record->size - sizeof *record);
}

static int
ctf_write(void *context, const struct text *records, struct text *out, struct err *err)
{
	struct ctf *ctf = context;
	struct export_record record;
	const char *body;
	int failed = 0;
	(void)out;
	for (size_t at = 0; !failed && export_record_next(records, &at, &record, &body);) {
		size_t trace = export_times_take(&ctf->times, &record);
		size_t number = ctf->times.part_of[trace];
		if (ctf->place >= 0 && ctf->part != number)
			failed = end_part(ctf, err);
		if (!failed && ctf->place < 0)
			failed = begin_part(ctf, number, err);
		if (failed)
			break;
		add_event(ctf, &record, body);
		if (ctf->packet.length >= PACKET)
			failed = end_packet(ctf, err);
	}
	return failed;
}

static int
ctf_close(void *context, struct text *out, struct err *err)
{
	struct ctf *ctf = context;
	int failed = 0;
	(void)out;
	if (ctf->place < 0 && ctf->times.parts.count == 1) /* an empty trace is still a trace */
		failed = begin_part(ctf, 0, err);
	int ended = end_part(ctf, err);
	export_times_close(&ctf->times);
	text_free(&ctf->packet);
	free(ctf);
	return failed ? failed : ended;
}

const struct export_writer export_ctf_writer = {
    .open = ctf_open, .write = ctf_write, .close = ctf_close};
