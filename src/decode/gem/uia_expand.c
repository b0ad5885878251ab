/*
 * UIA: build fields and text of an event.
 *
 * The log contains only numbers.  Names, formats and severities come from the profile,
 * event by event.  The name also selects the meaning of an event (a sync point, a
 * change of context), with or without the module as prefix, unless the profile sets
 * it.  Formats are those of XDC: printf's, plus %$F for a file with its line and %$S
 * for a nested format.  Strings are addresses in the target, so %s shows an
 * address.  Formats are converted to plain ones once, for syst_printf.  The log has no
 * names ("do not include UIA configuration information") [UIA 1.01, System Analyzer
 * User Guide SPRUH43D].
 */
#include "config.h"

#include "decode/argument.h"
#include "decode/record.h"
#include "decode/syst/syst_printf.h"
#include "decode/gem/uia.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- tables ------------------------------------------------------------ */

const struct kind_row uia_kinds[UIA_KIND_COUNT] = {
    [UIA_PACKET] = {"packet", "the header of a packet"},
    [UIA_EVENT] = {"event", "an event of a logger"},
    [UIA_DATA] = {"data", "what is in a packet that holds no events"},
    [UIA_PADDING] = {"padding", "a packet without data, or zero bytes"},
    [UIA_FOOTER] = {"footer", "a word after a packet"},
    [UIA_DAMAGE] = {"damage", "bytes that are neither an event nor a packet"},
    [UIA_TRUNCATED] = {"truncated", "a packet whose end is missing"},
};

/* [UIA 1.01, UIAPacket PayloadEndian] */
static const char *const byte_orders[] = {"little", "big"};

const struct field_row uia_fields[UIA_F_COUNT] = {
    [UIA_F_HDR_TYPE] = {"hdr_type", FIELD_UINT, "type of a packet or of an event's header",
			.part = FIELD_HEAD},
    [UIA_F_ENDIAN] = {"endian", FIELD_UINT, "byte order of a packet's events",
		      .values = byte_orders, .value_count = 2, .part = FIELD_HEAD},
    [UIA_F_EVENT_LENGTH] = {"event_length", FIELD_UINT, "bytes of a packet, its header included",
			    .part = FIELD_HEAD},
    [UIA_F_SEQ] = {"seq", FIELD_UINT, "sequence number of a packet or of an event",
		   .part = FIELD_HEAD},
    [UIA_F_PRIORITY] = {"priority", FIELD_UINT, "priority of a packet", .part = FIELD_HEAD},
    [UIA_F_DYNAMIC] = {"dynamic", FIELD_UINT, "whether a packet's logger was made at run time",
		       .part = FIELD_HEAD},
    [UIA_F_INSTANCE] = {"instance", FIELD_UINT, "number of a packet's logger", .part = FIELD_HEAD},
    [UIA_F_MODULE] = {"module", FIELD_UINT, "module of a packet's logger", .part = FIELD_HEAD},
    [UIA_F_DEST] = {"dest", FIELD_UINT, "receiver of a packet", .part = FIELD_HEAD},
    [UIA_F_SRC] = {"src", FIELD_UINT, "core that sent a packet", .part = FIELD_HEAD},
    [UIA_F_LOGGER] = {"logger", FIELD_UINT, "number of an event's logger"},
    [UIA_F_MISSING] = {"missing", FIELD_UINT, "events of the logger lost before this one"},
    [UIA_F_TIMESTAMP] = {"timestamp", FIELD_UINT, "time stamp of an event in ticks"},
    [UIA_F_EVENT_ID] = {"event_id", FIELD_UINT, "number of an event"},
    [UIA_F_MODULE_ID] = {"module_id", FIELD_UINT, "module that logged an event"},
    [UIA_F_NAME] = {"name", FIELD_TEXT, "name of an event, from the profile"},
    [UIA_F_ARGS] = {"args", FIELD_LIST, "arguments of an event"},
    [UIA_F_ARG] = {"arg", FIELD_UINT, "an argument of an event", .argument = true},
    [UIA_F_FILE_PTR] = {"file_ptr", FIELD_UINT, "address of the source file's name",
			.address = FIELD_TEXT_ADDRESS},
    [UIA_F_LINE] = {"line", FIELD_UINT, "line in the source file"},
    [UIA_F_OLD] = {"old", FIELD_UINT, "context before the change", .address = FIELD_ADDRESS},
    [UIA_F_FMT_PTR] = {"fmt_ptr", FIELD_UINT, "address of a format", .address = FIELD_TEXT_ADDRESS},
    [UIA_F_NEW] = {"new", FIELD_UINT, "context after the change", .address = FIELD_ADDRESS,
		   .kinds = 1u << UIA_EVENT},
    [UIA_F_OLD_FUNC] = {"old_func", FIELD_UINT, "function before the change",
			.address = FIELD_ADDRESS},
    [UIA_F_NEW_FUNC] = {"new_func", FIELD_UINT, "function after the change",
			.address = FIELD_ADDRESS},
    [UIA_F_SERIAL] = {"serial", FIELD_UINT, "serial number of a sync point"},
    [UIA_F_CPU_TS] = {"cpu_ts", FIELD_UINT, "the CPU's time at a sync point"},
    [UIA_F_GLOBAL_TS] = {"global_ts", FIELD_UINT, "the global time at a sync point"},
    [UIA_F_CYCLES_PER_TICK] = {"cycles_per_tick", FIELD_UINT,
			       "CPU cycles per tick of the CPU's time"},
    [UIA_F_CPU_FREQ] = {"cpu_freq", FIELD_UINT, "cycles of the CPU per second"},
    [UIA_F_CYCLES_PER_GLOBAL_TICK] = {"cycles_per_global_tick", FIELD_UINT,
				      "CPU cycles per tick of the global time"},
    [UIA_F_GLOBAL_FREQ] = {"global_freq", FIELD_UINT, "ticks of the global time per second"},
    [UIA_F_SNAPSHOT_ID] = {"snapshot_id", FIELD_UINT, "number of a snapshot"},
    [UIA_F_ADDRESS] = {"address", FIELD_UINT, "where a snapshot's memory lies",
		       .address = FIELD_ADDRESS},
    [UIA_F_TOTAL_LENGTH] = {"total_length", FIELD_UINT, "bytes of a snapshot in all its records"},
    [UIA_F_REC_LENGTH] = {"rec_length", FIELD_UINT, "bytes of a snapshot in this record"},
    [UIA_F_DATA] = {"data", FIELD_BYTES, "memory of a snapshot"},
    [UIA_F_BYTES] = {"bytes", FIELD_BYTES, "bytes that are not an event", .detail = true},
};

static const char *const severities[] = {"MAX",	  "FATAL", "ERROR", "WARNING", "INFO",
					 "USER1", "USER2", "DEBUG", NULL};
static const char *const roles[] = {
    [UIA_ROLE_AUTO] = "auto",	[UIA_ROLE_PLAIN] = "plain",	[UIA_ROLE_SYNC] = "sync",
    [UIA_ROLE_TIMER] = "timer", [UIA_ROLE_CONTEXT] = "context", NULL};

#define EVENT(...) OPTION_ROW(struct uia_event_options, __VA_ARGS__)
static const struct option_row event_rows[] = {
    EVENT(id, UINT, "number of the event in the log", .max = UIA_EVENT_IDS - 1, .required = true),
    EVENT(name, TEXT, "what to call it; syncPoint, globalTimerFreq and ...CtxChg are understood"),
    EVENT(format, TEXT, "printf format of its arguments, from the first on"),
    EVENT(severity, CHOICE, "its severity", "INFO", .choices = severities),
    EVENT(role, CHOICE, "what its arguments mean; auto: by its name", "auto", .choices = roles),
};
static const struct option_table event_table =
    OPTION_TABLE("events", struct uia_event_options, event_rows);

#define OPTION(...) OPTION_ROW(struct uia_options, __VA_ARGS__)
static const struct option_row option_rows[] = {
    OPTION(events, LIST, "names of events; the log has only their numbers", .table = &event_table),
};
const struct option_table uia_options_table = OPTION_TABLE("uia", struct uia_options, option_rows);

/* --- names and formats ------------------------------------------------- */

/* Return the role of an event by its name, with or without a module before it. */
static enum uia_role
role_by_name(const char *name)
{
	static const struct {
		const char *name;
		enum uia_role role;
	} known[] = {/* [UIA 1.01, UIASync] */
		     {"syncPoint", UIA_ROLE_SYNC},
		     {"syncPointAfterHalt", UIA_ROLE_SYNC},
		     {"globalTimerFreq", UIA_ROLE_TIMER}};
	static const char change[] = "CtxChg";
	const char *own = name;
	for (const char *at = name; *at; at++)
		if (strchr(".:_/", *at))
			own = at + 1;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcasecmp(own, known[i].name))
			return known[i].role;
	size_t length = strlen(own), end = sizeof change - 1;
	bool changes = length >= end && !strcasecmp(own + length - end, change);
	return changes ? UIA_ROLE_CONTEXT : UIA_ROLE_PLAIN;
}

/* Convert a format for syst_printf.  The caller frees it. */
static char *
plain_format(const char *format)
{
	struct text out = {0};
	while (*format) {
		size_t length = 1;
		if (*format == '%')
			length += strspn(format + 1, "-+ #0123456789.*");
		if (*format != '%' || format[length] == '%') {
			length += *format == '%';
			text_add_bytes(&out, format, length);
		} else if (!strncmp(format + 1, "$F", 2) || !strncmp(format + 1, "$S", 2)) {
			text_add(&out, format[2] == 'F' ? "0x%08x:%u" : "0x%08x");
			length = 3;
		} else if (format[length] == 's') {
			text_add(&out, "0x%08x");
			length++;
		} else {
			text_add_bytes(&out, format, length);
		}
		format += length;
	}
	char *plain = mem_text(text_get(&out));
	text_free(&out);
	return plain;
}

int
uia_rows_make(struct uia_decoder *d, const struct uia_options *options, struct err *err)
{
	const struct uia_event_options *events = options->events.at;
	if (options->events.count >= UINT16_MAX)
		return err_set(err, ERR_CONFIG, "events of uia are too many; list each id once");
	*vec_add(&d->rows) =
	    (struct uia_event_row){.severity = SEVERITY_INFO, .role = UIA_ROLE_PLAIN};
	for (size_t i = 0; i < options->events.count; i++) {
		const struct uia_event_options *event = &events[i];
		enum uia_role role = (enum uia_role)event->role;
		if (role == UIA_ROLE_AUTO)
			role = event->name ? role_by_name(event->name) : UIA_ROLE_PLAIN;
		d->row_of[event->id] = (uint16_t)d->rows.count;
		*vec_add(&d->rows) = (struct uia_event_row){
		    .name = event->name,
		    .format = event->format ? plain_format(event->format) : NULL,
		    .severity = (uint8_t)event->severity,
		    .role = (uint8_t)role};
	}
	return 0;
}

void
uia_rows_free(struct uia_decoder *d)
{
	for (size_t i = 0; i < d->rows.count; i++)
		free(d->rows.at[i].format);
	vec_free(&d->rows);
}

/* --- events ------------------------------------------------------------ */

bool
uia_event_parse(const struct uia_decoder *d, const struct message *m, const uint8_t *p,
		size_t length, struct uia_event *event)
{
	bool big = m->aux & UIA_AUX_BIG;
	if (m->kind != UIA_EVENT || length < uia_event_least(0))
		return false;
	uint32_t word = uia_word(p, big);
	unsigned type = word >> 27;
	if (type >= UIA_EVENT_TYPES || length < uia_event_least(type))
		return false;
	size_t prefix = uia_event_prefix(type);
	uint32_t ids = uia_word(p + prefix - 4, big);
	*event = (struct uia_event){.row = &d->rows.at[d->row_of[ids >> 16]],
				    .args = p + prefix,
				    .args_length = length - prefix,
				    .sequence = (uint16_t)word,
				    .id = (uint16_t)(ids >> 16),
				    .module = (uint16_t)ids,
				    .type = (uint8_t)type,
				    .big = big,
				    .timed = type & UIA_TYPE_TIMED,
				    .snapshot = type & UIA_TYPE_SNAPSHOT};
	if (event->timed)
		event->timestamp = uia_word(p + 4, big) | (uint64_t)uia_word(p + 8, big) << 32;
	return true;
}

uint32_t
uia_argument(const struct uia_event *event, size_t n)
{
	return n < event->args_length / 4 ? uia_word(event->args + 4 * n, event->big) : 0;
}

uint64_t
uia_argument64(const struct uia_event *event, size_t n)
{
	return uia_argument(event, n) | (uint64_t)uia_argument(event, n + 1) << 32;
}

/* --- expanding --------------------------------------------------------- */

struct uia_job {
	struct record r;
	const struct message *m;
	struct uia_event event;
	size_t args; /* offset in the record */
	struct text *text;
};

/* Add an argument of one word, or of two words with the low one first. */
static void
add_argument(struct uia_job *j, enum uia_field row, size_t n)
{
	if (4 * n + 4 <= j->event.args_length)
		record_uint(&j->r, row, j->args + 4 * n, 4, uia_argument(&j->event, n));
}

static void
add_argument64(struct uia_job *j, enum uia_field row, size_t n)
{
	if (4 * n + 8 <= j->event.args_length)
		record_uint(&j->r, row, j->args + 4 * n, 8, uia_argument64(&j->event, n));
}

/* syncPoint: serial, CPU time, global time, cycles per tick, CPU frequency: [UIA 1.01,
 * UIASync]. */
static void
expand_sync(struct uia_job *j)
{
	add_argument(j, UIA_F_SERIAL, UIA_SYNC_SERIAL);
	add_argument64(j, UIA_F_CPU_TS, 1);
	add_argument64(j, UIA_F_GLOBAL_TS, 3);
	add_argument(j, UIA_F_CYCLES_PER_TICK, 5);
	add_argument64(j, UIA_F_CPU_FREQ, 6);
	text_addf(j->text, " serial %u, CPU %llu at global %llu",
		  uia_argument(&j->event, UIA_SYNC_SERIAL),
		  (unsigned long long)uia_argument64(&j->event, 1),
		  (unsigned long long)uia_argument64(&j->event, 3));
}

/* globalTimerFreq: serial, CPU cycles per tick, frequency: [UIA 1.01, UIASync]. */
static void
expand_timer(struct uia_job *j)
{
	add_argument(j, UIA_F_SERIAL, 0);
	add_argument(j, UIA_F_CYCLES_PER_GLOBAL_TICK, 1);
	add_argument64(j, UIA_F_GLOBAL_FREQ, 2);
	text_addf(j->text, " serial %u, %llu Hz", uia_argument(&j->event, 0),
		  (unsigned long long)uia_argument64(&j->event, 2));
}

/* File, line, previous value, format, new value: [UIA 1.01, LogCtxChg]. */
static void
expand_context(struct uia_job *j)
{
	const char *name = j->event.row->name;
	add_argument(j, UIA_F_FILE_PTR, 0);
	add_argument(j, UIA_F_LINE, 1);
	add_argument(j, UIA_F_OLD, UIA_CONTEXT_OLD);
	add_argument(j, UIA_F_FMT_PTR, 3);
	add_argument(j, UIA_F_NEW, UIA_CONTEXT_NEW);
	if (name && strcasestr(name, "func")) {
		add_argument(j, UIA_F_OLD_FUNC, 5);
		add_argument(j, UIA_F_NEW_FUNC, 6);
	}
	text_addf(j->text, " 0x%08x to 0x%08x", uia_argument(&j->event, UIA_CONTEXT_OLD),
		  uia_argument(&j->event, UIA_CONTEXT_NEW));
}

/* Write `0x1f, ` backwards from END and return its start.  Most texts consist of such numbers. */
static char *
write_hex(char *end, uint32_t value)
{
	*--end = ' ';
	*--end = ',';
	do {
		*--end = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	*--end = 'x';
	*--end = '0';
	return end;
}

static void
expand_plain(struct uia_job *j)
{
	size_t count = j->event.args_length / 4;
	text_add_char(j->text, '(');
	for (size_t i = 0; i < count; i++) {
		char number[16], *end = number + sizeof number;
		char *start = write_hex(end, uia_argument(&j->event, i));
		text_add_bytes(j->text, start, (size_t)(end - start) - (i + 1 == count ? 2 : 0));
	}
	text_add_char(j->text, ')');
}

/* HdrType_EventWithSnapshotId: [UIA 1.01, EventHdr]. */
static void
expand_snapshot(struct uia_job *j)
{
	size_t at = j->args + 4 * UIA_SNAPSHOT_WORDS, left = j->r.length - at;
	uint32_t lengths = uia_argument(&j->event, 4);
	size_t length = lengths & 0xffff;
	if (length > left)
		length = left;
	add_argument(j, UIA_F_FILE_PTR, 0);
	add_argument(j, UIA_F_LINE, 1);
	add_argument(j, UIA_F_SNAPSHOT_ID, UIA_SNAPSHOT_ID);
	add_argument(j, UIA_F_ADDRESS, 3);
	/* two halves of a word, both with the whole word as extent */
	record_uint(&j->r, UIA_F_TOTAL_LENGTH, j->args + 16, 4, lengths >> 16);
	record_uint(&j->r, UIA_F_REC_LENGTH, j->args + 16, 4, lengths & 0xffff);
	add_argument(j, UIA_F_FMT_PTR, 5);
	record_part(&j->r, UIA_F_DATA, at, length);
	text_addf(j->text, " snapshot %u, %u of %u bytes at 0x%08x",
		  uia_argument(&j->event, UIA_SNAPSHOT_ID), lengths & 0xffff, lengths >> 16,
		  uia_argument(&j->event, 3));
}

/* Add the arguments without names.  Return the index of the list's field. */
static size_t
add_arguments(struct uia_job *j)
{
	size_t list = j->r.e->fields.count;
	record_list(&j->r, UIA_F_ARGS);
	for (size_t i = 0; 4 * i + 4 <= j->event.args_length; i++)
		add_argument(j, UIA_F_ARG, i);
	record_list_end(&j->r);
	for (size_t i = list + 1; i < j->r.e->fields.count; i++)
		argument_set_name(j->r.e, &j->r.e->fields.at[i], i - list, "", 0, "", 0);
	return list;
}

struct uia_arg_sink {
	struct uia_job *job;
	size_t list;	    /* index of the list's field */
	const char *format; /* rest after the last conversion */
};

static void
name_argument(void *context, const struct syst_arg *arg)
{
	struct uia_arg_sink *sink = context;
	struct expansion *e = sink->job->r.e;
	size_t number = arg->at / 4 + 1, field = sink->list + number, length = 0;
	const char *name = "";
	if (!arg->width) {
		name = argument_find_name(sink->format, arg->spec, &length);
		sink->format = arg->spec + arg->spec_length;
	}
	if (field < e->fields.count && e->fields.at[field].row->argument)
		argument_set_name(e, &e->fields.at[field], number, name, length, arg->spec,
				  arg->spec_length);
}

/* Replace the text by the profile's format, with the arguments packed like those of a
 * little-endian sender.  Name the argument fields after words in the format. */
static void
add_formatted(struct uia_job *j, const char *format, size_t list)
{
	size_t count = j->event.args_length / 4;
	uint8_t *packed = arena_alloc(&j->r.e->arena, 4 * count);
	for (size_t i = 0; i < 4 * count; i++)
		packed[i] = (uint8_t)(uia_argument(&j->event, i / 4) >> 8 * (i % 4));
	const struct syst_args args = {.at = packed, .length = 4 * count, .packing = SYST_P32};
	struct uia_arg_sink context = {j, list, format};
	const struct syst_arg_sink sink = {&context, name_argument};
	text_clear(j->text);
	syst_printf(j->text, format, strlen(format), &args, j->r.e->fields.count ? &sink : NULL);
}

static void
expand_event(struct uia_job *j)
{
	static void (*const by_role[])(struct uia_job *) = {[UIA_ROLE_PLAIN] = expand_plain,
							    [UIA_ROLE_SYNC] = expand_sync,
							    [UIA_ROLE_TIMER] = expand_timer,
							    [UIA_ROLE_CONTEXT] = expand_context};
	const struct uia_event *event = &j->event;
	unsigned missing = UIA_AUX_MISSING(j->m->aux);
	j->args = (size_t)(event->args - j->r.p);
	record_uint(&j->r, UIA_F_HDR_TYPE, 0, 4, event->type);
	record_uint(&j->r, UIA_F_SEQ, 0, 4, event->sequence);
	record_value(&j->r, UIA_F_LOGGER, uia_origin_instance(j->m->origin));
	if (missing)
		record_value(&j->r, UIA_F_MISSING, missing);
	if (event->timed)
		record_uint(&j->r, UIA_F_TIMESTAMP, 4, 8, event->timestamp);
	record_uint(&j->r, UIA_F_EVENT_ID, j->args - 4, 4, event->id);
	record_uint(&j->r, UIA_F_MODULE_ID, j->args - 4, 4, event->module);
	if (event->row->name)
		record_text(&j->r, UIA_F_NAME, event->row->name);
	if (event->row->name)
		text_add(j->text, event->row->name);
	else
		text_addf(j->text, "event %u", event->id);
	size_t list = event->snapshot ? j->r.e->fields.count : add_arguments(j);
	(event->snapshot ? expand_snapshot : by_role[event->row->role])(j);
	if (event->row->format)
		add_formatted(j, event->row->format, list);
	if (missing)
		text_addf(j->text, ", %u lost before it", missing);
	if (j->m->aux & UIA_AUX_BACK)
		text_addf(j->text, ", sequence steps back to %u", event->sequence);
}

/* HdrType_EventPkt, words 1 to 4: [UIA 1.01, UIAPacket Hdr]. */
static void
expand_packet(struct uia_job *j)
{
	static const char *const types[16] = {[8] = "channelized",
					      [9] = "message",
					      [10] = "event",
					      [11] = "CPU trace",
					      [12] = "STM trace"};
	const uint8_t *p = j->r.p;
	uint32_t w1 = bytes_be32(p), w2 = bytes_be32(p + 4), w3 = bytes_be32(p + 8);
	unsigned type = w1 >> 28, length = type == 9 ? w1 >> 16 & 0x7ff : w1 & 0x7ffffff;
	record_uint(&j->r, UIA_F_HDR_TYPE, 0, 4, type);
	record_uint(&j->r, UIA_F_ENDIAN, 0, 4, w1 >> 27 & 1);
	record_uint(&j->r, UIA_F_EVENT_LENGTH, 0, 4, length);
	record_uint(&j->r, UIA_F_SEQ, 4, 2, w2 >> 16);
	record_uint(&j->r, UIA_F_PRIORITY, 7, 1, w2 & 3);
	record_uint(&j->r, UIA_F_DYNAMIC, 8, 2, w3 >> 31);
	record_uint(&j->r, UIA_F_INSTANCE, 8, 2, w3 >> 16 & 0x7fff);
	record_uint(&j->r, UIA_F_MODULE, 10, 2, w3 & 0xffff);
	record_uint(&j->r, UIA_F_DEST, 12, 2, bytes_be16(p + 12));
	record_uint(&j->r, UIA_F_SRC, 14, 2, bytes_be16(p + 14));
	text_addf(j->text, "%s packet %u, %u bytes", types[type] ? types[type] : "user", w2 >> 16,
		  length);
}

static void
expand_rest(struct uia_job *j)
{
	record_part(&j->r, UIA_F_BYTES, 0, j->r.length);
	if (j->m->flags & MESSAGE_FILLER)
		text_addf(j->text, "%zu zero bytes", j->r.length);
	else if (j->r.length)
		text_addf(j->text, "%zu bytes", j->r.length);
	else
		text_add(j->text, "the capture ends within a packet");
}

static void
add_origin(struct text *out, uint64_t origin)
{
	if (origin != UIA_ORIGIN_NONE)
		text_addf(out, "core %u logger %u", (unsigned)uia_origin_source(origin),
			  uia_origin_instance(origin));
}

void
uia_expand(const struct decoder *decoder, const struct message *m, const struct window *w,
	   enum expand_want want, const struct decode_history *history, struct expansion *e)
{
	const struct uia_decoder *d = (const struct uia_decoder *)decoder;
	struct uia_job job = {
	    .r = record_open(e, uia_fields, m, w, want), .m = m, .text = &e->text};
	(void)history;
	text_add(&e->type, uia_kinds[m->kind].name);
	add_origin(&e->origin, m->origin);
	if (m->kind == UIA_PACKET)
		expand_packet(&job);
	else if (uia_event_parse(d, m, job.r.p, job.r.length, &job.event))
		expand_event(&job);
	else
		expand_rest(&job);
}
