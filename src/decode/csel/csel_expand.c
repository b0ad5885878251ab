/*
 * CSEL: build text and fields of a record.
 *
 * Faults are found again from the record's bytes and from the results of stepping in
 * `aux`.  Each fault has a name in csel_diags.
 */
#include "config.h"

#include "base/bytes.h"
#include "decode/csel/csel_log.h"
#include "decode/record.h"

#include <assert.h>
#include <string.h>

/* --- tables ------------------------------------------------------------ */

const struct kind_row csel_kinds[CSEL_KIND_COUNT] = {
    [CSEL_HEADER] = {"header", "csel_signature and version"},
    [CSEL_START] = {"start", "a run begins"},
    [CSEL_STOP] = {"stop", "a run ends"},
    [CSEL_END] = {"end", "the stream ends"},
    [CSEL_EVENT] = {"event", "an event of the stream"},
    [CSEL_METADATA] = {"metadata", "who the stream is and when it was made"},
    [CSEL_STATE_CONTROL] = {"state_control", "how long its first steps may take"},
    [CSEL_UNKNOWN] = {"unknown", "an entry of unknown size and what follows it"},
    [CSEL_TRUNCATED] = {"truncated", "an entry whose end is missing"},
    [CSEL_EOF] = {"eof", "the end of the log and what is missing there"},
};

static const char *const entry_names[] = {NULL, "start", "stop", "end", "event"};

const struct field_row csel_fields[CSEL_F_COUNT] = {
    [CSEL_F_SIGNATURE] = {"signature", FIELD_BYTES, "4d464d4e in every log"},
    [CSEL_F_VERSION] = {"version", FIELD_TEXT, "version of the file format"},
    [CSEL_F_UUID] = {"uuid", FIELD_TEXT, "the stream's identifier"},
    [CSEL_F_NAME] = {"name", FIELD_TEXT, "the stream's name"},
    [CSEL_F_INIT_TS] = {"init_ts", FIELD_UINT, "time at which the stream was made, in ticks"},
    [CSEL_F_TIMEOUT_START] = {"timeout_init_to_start", FIELD_UINT,
			      "microseconds until the first start at most, 0 for no limit"},
    [CSEL_F_TIMEOUT_EVENT] = {"timeout_start_to_event", FIELD_UINT,
			      "microseconds from a start to its first event at most"},
    [CSEL_F_ID] = {"id", FIELD_UINT, "type of entry: its first byte", .values = entry_names,
		   .value_count = 5},
    [CSEL_F_TS] = {"ts", FIELD_UINT, "time stamp in ticks"},
    [CSEL_F_SEQ] = {"seq", FIELD_UINT, "sequence number of an event"},
    [CSEL_F_EVENT] = {"event", FIELD_UINT, "which event of the stream"},
    [CSEL_F_RESERVED] = {"reserved", FIELD_BYTES, "bytes that should be zero"},
    [CSEL_F_DIAG] = {"diag", FIELD_LIST, "fault"},
    [CSEL_F_DIAG_NAME] = {"diag_name", FIELD_TEXT, "one thing that is wrong"},
    [CSEL_F_MISSING] = {"missing", FIELD_UINT, "sequence numbers missing before this one"},
    [CSEL_F_STATE] = {"state", FIELD_TEXT,
		      "the stream's state after this record: init, running, stopped or ended"},
    [CSEL_F_RUN] = {"run", FIELD_UINT, "number of the run, from 1"},
    [CSEL_F_RUNS] = {"runs", FIELD_UINT, "runs in the log"},
};

static const char *const state_names[] = {[CSEL_STATE_INIT] = "init",
					  [CSEL_STATE_RUNNING] = "running",
					  [CSEL_STATE_STOPPED] = "stopped",
					  [CSEL_STATE_ENDED] = "ended"};

/* --- expanding --------------------------------------------------------- */

struct csel_job {
	struct record r;
	const struct message *m;
	struct text *text;
	enum csel_diag diags[8];
	size_t diag_count;
};

static void
add_diag(struct csel_job *j, bool holds, enum csel_diag diag)
{
	if (holds && diag != CSEL_DIAG_NONE) {
		assert(j->diag_count < sizeof j->diags / sizeof *j->diags);
		j->diags[j->diag_count++] = diag;
	}
}

/* [CSEL 1.0, "Header Section"] */
static void
expand_header(struct csel_job *j)
{
	const uint8_t *p = j->r.p;
	size_t seen = j->r.length < sizeof csel_signature ? j->r.length : sizeof csel_signature;
	add_diag(j, memcmp(p, csel_signature, seen) != 0, CSEL_DIAG_BAD_SIGNATURE);
	if (j->r.length < CSEL_HEADER_SIZE) {
		add_diag(j, true, CSEL_DIAG_TRUNCATED);
		text_add(j->text, "header");
		return;
	}
	const char *version = arena_format(&j->r.e->arena, "%u.%u", p[4], p[5]);
	record_part(&j->r, CSEL_F_SIGNATURE, 0, sizeof csel_signature);
	record_text(&j->r, CSEL_F_VERSION, version);
	record_part(&j->r, CSEL_F_RESERVED, 6, 2);
	text_addf(j->text, "CSEL %s", version);
	add_diag(j, bytes_le16(p + 4) != 1, CSEL_DIAG_BAD_VERSION);
	add_diag(j, bytes_le16(p + 6) != 0, CSEL_DIAG_RESERVED_NONZERO);
}

void
csel_add_uuid(struct text *text, const uint8_t *uuid)
{
	for (size_t i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			text_add_char(text, '-');
		text_add_hex(text, uuid + i, 1);
	}
}

/* [CSEL 1.0, "Metadata Section"] */
static void
expand_metadata(struct csel_job *j)
{
	const uint8_t *p = j->r.p;
	text_add(j->text, "stream");
	if (j->r.length < CSEL_METADATA_SIZE) {
		add_diag(j, true, CSEL_DIAG_TRUNCATED);
		return;
	}
	struct text text = {0};
	csel_add_uuid(&text, p + CSEL_UUID_AT);
	const char *uuid = arena_text(&j->r.e->arena, text.data, text.length);
	text_free(&text);
	size_t length = strnlen((const char *)p + CSEL_NAME_AT, CSEL_NAME_SIZE);
	record_text(&j->r, CSEL_F_UUID, uuid);
	record_part(&j->r, CSEL_F_NAME, CSEL_NAME_AT, length);
	record_uint(&j->r, CSEL_F_INIT_TS, CSEL_INIT_AT, 8, bytes_le64(p + CSEL_INIT_AT));
	text_add_char(j->text, ' ');
	text_add_bytes(j->text, p + CSEL_NAME_AT, length);
	text_addf(j->text, " %s", uuid);
	add_diag(j, length == CSEL_NAME_SIZE, CSEL_DIAG_NAME_NOT_TERMINATED);
}

/* [CSEL 1.0, "State Control Section"] */
static void
expand_control(struct csel_job *j)
{
	text_add(j->text, "timeouts");
	if (j->r.length < CSEL_CONTROL_SIZE) {
		add_diag(j, true, CSEL_DIAG_TRUNCATED);
		return;
	}
	uint32_t start = bytes_le32(j->r.p), event = bytes_le32(j->r.p + 4);
	record_uint(&j->r, CSEL_F_TIMEOUT_START, 0, 4, start);
	record_uint(&j->r, CSEL_F_TIMEOUT_EVENT, 4, 4, event);
	if (start)
		text_addf(j->text, " %u us to the first start,", start);
	text_addf(j->text, " %u us from a start to its first event", event);
	add_diag(j, !event, CSEL_DIAG_ZERO_EVENT_TIMEOUT);
}

/* [CSEL 1.0, "Log Entries Section"] */
static void
expand_entry(struct csel_job *j)
{
	const struct message *m = j->m;
	const uint8_t *p = j->r.p;
	unsigned before = CSEL_AUX_STATE(m->aux);
	uint32_t run = CSEL_AUX_RUN(m->aux) + (m->kind == CSEL_START);
	record_uint(&j->r, CSEL_F_ID, 0, 1, p[0]);
	record_uint(&j->r, CSEL_F_TS, 1, 8, bytes_le64(p + 1));
	if (m->kind == CSEL_EVENT) {
		record_uint(&j->r, CSEL_F_SEQ, 9, 4, bytes_le32(p + 9));
		record_uint(&j->r, CSEL_F_EVENT, 13, 2, bytes_le16(p + 13));
		record_part(&j->r, CSEL_F_RESERVED, 15, 2);
		text_addf(j->text, "event %u seq %u", bytes_le16(p + 13), bytes_le32(p + 9));
		add_diag(j, bytes_le16(p + 15) != 0, CSEL_DIAG_RESERVED_NONZERO);
	} else if (m->kind == CSEL_END) {
		text_add(j->text, "end");
	} else {
		text_addf(j->text, "%s run %u", csel_kinds[m->kind].name, run);
	}
	add_diag(j, true, csel_order_diags[m->kind][before]);
	add_diag(j, CSEL_AUX_LATE(m->aux),
		 m->kind == CSEL_START ? CSEL_DIAG_START_TIMEOUT : CSEL_DIAG_EVENT_TIMEOUT);
	add_diag(j, CSEL_AUX_BACK(m->aux), CSEL_DIAG_TIMESTAMP_REGRESSION);
	add_diag(j, true, csel_sequence_diags[CSEL_AUX_SEQUENCE(m->aux)]);
	if (CSEL_AUX_MISSING(m->aux))
		record_value(&j->r, CSEL_F_MISSING, CSEL_AUX_MISSING(m->aux));
	record_text(&j->r, CSEL_F_STATE, state_names[csel_next_states[m->kind][before]]);
	record_value(&j->r, CSEL_F_RUN, run);
}

static void
expand_rest(struct csel_job *j)
{
	bool truncated = j->m->kind == CSEL_TRUNCATED;
	record_uint(&j->r, CSEL_F_ID, 0, 1, j->r.p[0]);
	if (truncated)
		text_addf(j->text, "the first %zu bytes of an entry", j->r.length);
	else if (j->m->aux & CSEL_UNKNOWN_FIRST)
		text_addf(j->text, "unknown entry 0x%02x, %zu bytes from there", j->r.p[0],
			  j->r.length);
	else
		text_addf(j->text, "%zu bytes more", j->r.length);
	if (!truncated && j->m->aux & CSEL_UNKNOWN_ENDS)
		text_add(j->text, ", what follows looks like entries");
	else if (!truncated && j->m->severity == SEVERITY_FATAL) /* decoding ends here */
		text_add(j->text, " (to search the bytes after it, write after_unknown: search "
				  "in a profile)");
	add_diag(j, truncated, CSEL_DIAG_TRUNCATED);
	add_diag(j, !truncated && j->m->aux & CSEL_UNKNOWN_FIRST, CSEL_DIAG_UNKNOWN_ENTRY);
}

static void
expand_end(struct csel_job *j)
{
	enum csel_diag missing[2];
	unsigned state = CSEL_EOF_STATE(j->m->aux);
	uint64_t runs = CSEL_EOF_RUNS(j->m->aux);
	csel_missing_at_end(state, runs, missing);
	record_text(&j->r, CSEL_F_STATE, state_names[state]);
	record_value(&j->r, CSEL_F_RUNS, runs);
	text_addf(j->text, "end of the log after %llu run%s", (unsigned long long)runs,
		  runs == 1 ? "" : "s");
	add_diag(j, true, missing[0]);
	add_diag(j, true, missing[1]);
}

static void
finish_diags(struct csel_job *j)
{
	if (!j->diag_count)
		return;
	record_list(&j->r, CSEL_F_DIAG);
	for (size_t i = 0; i < j->diag_count; i++) {
		const char *name = csel_diags[j->diags[i]].name;
		record_text(&j->r, CSEL_F_DIAG_NAME, name);
		text_addf(j->text, "%s %s", i ? "," : ":", name);
	}
	record_list_end(&j->r);
	if (j->m->kind == CSEL_EVENT && CSEL_AUX_MISSING(j->m->aux))
		text_addf(j->text, " (%u missing)", CSEL_AUX_MISSING(j->m->aux));
}

void
csel_expand(const struct decoder *decoder, const struct message *m, const struct window *w,
	    enum expand_want want, const struct decode_history *history, struct expansion *e)
{
	static void (*const each[CSEL_KIND_COUNT])(struct csel_job *) = {
	    [CSEL_HEADER] = expand_header, [CSEL_METADATA] = expand_metadata,
	    [CSEL_START] = expand_entry,   [CSEL_STOP] = expand_entry,
	    [CSEL_END] = expand_entry,	   [CSEL_EVENT] = expand_entry,
	    [CSEL_UNKNOWN] = expand_rest,  [CSEL_TRUNCATED] = expand_rest,
	    [CSEL_EOF] = expand_end,	   [CSEL_STATE_CONTROL] = expand_control,
	};
	struct csel_job job = {
	    .r = record_open(e, csel_fields, m, w, want), .m = m, .text = &e->text};
	(void)history;
	text_add(&e->type, csel_kinds[m->kind].name);
	text_add(&e->origin, ((const struct csel_decoder *)decoder)->name);
	each[m->kind](&job);
	finish_diags(&job);
}
