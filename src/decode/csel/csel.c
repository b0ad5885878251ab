/*
 * CSEL: the log of one stream of events that an application keeps for Arm's Critical
 * Application Monitoring; csel_log.h names the document.
 *
 * A log consists of three fixed parts of 8, 88 and 8 bytes, then entries.  The first
 * byte of an entry gives its length: 9 for start, stop and end, 17 for event.  The
 * meaning of an entry depends on the state before it.  The log is a machine with four
 * states, and most of this file checks for violations: events outside a run, late
 * starts, time or sequence numbers that go back.  `aux` of an entry contains the state
 * before it, and csel_expand.c derives the rest.
 *
 * A wrong signature ends decoding, and so does an entry of unknown size.  Its bytes
 * are shown in pieces.  With after_unknown set to search, decoding continues at the
 * next bytes that look like entries.  A message of length 0 at the end reports missing
 * entries.  A log that still grows does not have it.
 *
 * With sequence numbers per event ID, the last SEEN IDs of a run are compared, because
 * more do not fit into a checkpoint.  An evicted ID starts again.
 *
 * csel_expand.c builds text and fields.
 */
#include "config.h"

#include "base/bytes.h"
#include "decode/csel/csel_log.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHAIN = 16, /* consecutive entries needed to resync */
	ENTRY_MAX = 17,
	REACH = 65536 + 64 + CHAIN * ENTRY_MAX, /* longest unknown piece, and the search after it */
	RUN_UP = 4096,
	SEEN = 5
};

/* --- tables ------------------------------------------------------------ */

/* [CSEL 1.0, "Start", "Stop", "End", "Event"] */
static const uint8_t entry_sizes[] = {
    [CSEL_START] = 9, [CSEL_STOP] = 9, [CSEL_END] = 9, [CSEL_EVENT] = 17};

static const char *const epochs[] = {
    [CSEL_EPOCH_AUTO] = "auto", [CSEL_EPOCH_NONE] = "none", [CSEL_EPOCH_UNIX] = "unix", NULL};
static const char *const checks[] = {[CSEL_CHECK_STREAM] = "stream",
				     [CSEL_CHECK_PER_EVENT_ID] = "per_event_id",
				     [CSEL_CHECK_OFF] = "off",
				     NULL};
static const char *const after_unknown[] = {
    [CSEL_AFTER_UNKNOWN_STOP] = "stop", [CSEL_AFTER_UNKNOWN_SEARCH] = "search", NULL};

#define OPTION(...) OPTION_ROW(struct csel_options, __VA_ARGS__)
static const struct option_row option_rows[] = {
    OPTION(tick_us, NUMBER, "microseconds per tick of the time stamps", "1", .positive = true,
	   .max = 1000000000000),
    OPTION(epoch, CHOICE, "start of the timestamps; auto: 1970 if they are large enough", "auto",
	   .choices = epochs),
    OPTION(sequence_check, CHOICE,
	   "whether sequence numbers count all events of a run, or those of each event id",
	   "stream", .choices = checks),
    OPTION(after_unknown, CHOICE,
	   "whether decoding ends at an entry of unknown size, or goes on at the next bytes that "
	   "look like entries, which is a guess",
	   "stop", .choices = after_unknown),
};
static const struct option_table options_table =
    OPTION_TABLE("csel", struct csel_options, option_rows);

/* --- opening ----------------------------------------------------------- */

static struct decoder *
csel_open(const void *options, const struct window *head, struct err *err)
{
	const struct csel_options *own = options;
	if (!(own->tick_us > 0) || own->tick_us > 1e12) {
		err_set(err, ERR_CONFIG, "tick_us of csel must be a number above 0");
		return NULL;
	}
	struct csel_decoder *d = mem_new(sizeof *d);
	d->base.ops = &csel_ops;
	d->base.hz = 1e6 / own->tick_us;
	d->base.unix_epoch = own->epoch == CSEL_EPOCH_UNIX;
	d->options = own;
	if (head->offset == 0 && head->length >= CSEL_HEADER_SIZE + CSEL_METADATA_SIZE) {
		const uint8_t *metadata = head->bytes + CSEL_HEADER_SIZE;
		/* "does not assume or enforce an epoch" [CSEL 1.0, "About the timestamp fields"] */
		double init = (double)bytes_le64(metadata + CSEL_INIT_AT) * own->tick_us;
		memcpy(d->name, metadata + CSEL_NAME_AT, CSEL_NAME_SIZE);
		csel_add_uuid(&d->uuid, metadata + CSEL_UUID_AT);
		if (own->epoch == CSEL_EPOCH_AUTO)
			d->base.unix_epoch = init > 1e15;
	}
	return &d->base;
}

static void
csel_close(struct decoder *decoder)
{
	text_free(&((struct csel_decoder *)decoder)->uuid);
	free(decoder);
}

static void
csel_identify_origin(const struct decoder *decoder, const struct message *m,
		     struct origin_identity *origin)
{
	const struct csel_decoder *d = (const struct csel_decoder *)decoder;
	(void)m;
	origin->guid = d->uuid.length ? text_get(&d->uuid) : NULL;
}

static void
csel_probe(const struct window *head, struct probe *probe)
{
	const uint8_t *p = head->bytes;
	if (head->length < CSEL_HEADER_SIZE ||
	    memcmp(p, csel_signature, sizeof csel_signature) != 0)
		return;
	/* 01 00 "for the 1.0 version" [CSEL 1.0, "Header Section"], taken as major, minor */
	probe->score = p[4] == 1 ? 99 : 90;
	snprintf(probe->reason, sizeof probe->reason, "it starts with MFMN, version %u.%u", p[4],
		 p[5]);
}

/* --- state ------------------------------------------------------------- */

enum csel_phase {
	PHASE_HEADER,
	PHASE_METADATA,
	PHASE_CONTROL,
	PHASE_ENTRIES,
	PHASE_UNKNOWN, /* in unknown bytes */
	PHASE_OVER     /* no more messages */
};

struct csel_state {
	struct decode_state base;
	uint64_t highest; /* highest timestamp seen */
	uint32_t runs;
	uint32_t timeout_event; /* microseconds [CSEL 1.0, second hand: CAM demonstration] */
	union {
		struct {			/* no event yet in this run, or no run yet */
			uint64_t since;		/* timestamp at which the wait began */
			uint32_t timeout_start; /* microseconds, for the first run */
		} waiting;
		struct { /* last sequence number of each ID, newest first */
			uint32_t sequence[SEEN];
			uint16_t id[SEEN];
		} seen;
	};
	uint8_t phase; /* enum csel_phase */
	uint8_t state; /* enum csel_state_name */
	bool is_waiting;
	uint8_t seen_count;
	uint8_t unused[4];
};
static_assert(DECODE_SAVED_SIZE(struct csel_state) <= CHECKPOINT_MAX,
	      "a checkpoint is the state itself");

/* --- stepping ---------------------------------------------------------- */

enum silent { SILENT_REST, SILENT_COUNT };
static const struct silent_row silent[SILENT_COUNT] = {
    [SILENT_REST] = {.name = "foreign",
		     .help = "all that follows a signature that differs",
		     .undecoded = true},
};

/* Pack the `aux` of an entry: the state before it and the results of its checks. */
static inline uint64_t
aux_pack(unsigned state, bool late, bool back, unsigned sequence, uint32_t run, uint32_t missing)
{
	uint32_t most = (1u << 27) - 1;
	return (uint64_t)missing << 33 | (uint64_t)(run < most ? run : most) << 6 | sequence << 4 |
	       (unsigned)back << 3 | (unsigned)late << 2 | state;
}
static void
csel_set_diag(struct message *m, enum csel_diag diag)
{
	if (csel_diags[diag].severity < m->severity)
		m->severity = csel_diags[diag].severity;
	m->flags |= csel_diags[diag].flags;
}

static bool
is_late(const struct csel_decoder *d, uint64_t since, uint64_t ts, uint32_t timeout)
{
	return timeout && ts > since && (double)(ts - since) * d->options->tick_us > timeout;
}

/* Compare an event's sequence number with the previous one and keep it.  Return 0, or an index
 * into csel_sequence_diags.  The document does not require that it counts up by one: "Unsigned
 * integer" [CSEL 1.0, "Event"].  sequence_check can therefore disable this. */
static unsigned
check_sequence(struct csel_state *s, uint16_t id, uint32_t sequence, uint32_t *missing)
{
	unsigned at = 0;
	while (at < s->seen_count && s->seen.id[at] != id)
		at++;
	bool known = at < s->seen_count;
	uint32_t step = known ? sequence - s->seen.sequence[at] : 1;
	if (!known && s->seen_count < SEEN)
		s->seen_count++;
	if (!known)
		at = s->seen_count - 1u;
	for (; at; at--) {
		s->seen.id[at] = s->seen.id[at - 1];
		s->seen.sequence[at] = s->seen.sequence[at - 1];
	}
	s->seen.id[0] = id;
	s->seen.sequence[0] = sequence;
	if (step == 1)
		return 0;
	if (!step)
		return 2;
	if (step >= 1u << 31)
		return 3;
	*missing = step - 1;
	return 1;
}

static void
begin_run(const struct csel_decoder *d, struct csel_state *s, uint64_t ts, bool *late)
{
	*late = !s->runs && is_late(d, s->waiting.since, ts, s->waiting.timeout_start);
	s->runs++;
	memset(&s->seen, 0, sizeof s->seen);
	s->seen_count = 0;
	s->waiting.since = ts;
	s->is_waiting = true;
}

static unsigned
check_event(const struct csel_decoder *d, struct csel_state *s, const uint8_t *p, uint64_t ts,
	    bool *late, uint32_t *missing)
{
	if (s->is_waiting) {
		*late = is_late(d, s->waiting.since, ts, s->timeout_event);
		s->is_waiting = false;
		memset(&s->seen, 0, sizeof s->seen);
	}
	if (d->options->sequence_check == CSEL_CHECK_OFF)
		return 0;
	bool per_id = d->options->sequence_check == CSEL_CHECK_PER_EVENT_ID;
	return check_sequence(s, per_id ? bytes_le16(p + 13) : 0, bytes_le32(p + 9), missing);
}

/* Decode the entry at P: identifier, timestamp, and the rest of an event: [CSEL 1.0, "Log
 * Entries Section"]. */
static void
step_entry(const struct csel_decoder *d, struct csel_state *s, enum csel_kind kind,
	   const uint8_t *p, struct message *m)
{
	unsigned before = s->state, sequence = 0;
	uint64_t ts = bytes_le64(p + 1);
	uint32_t run = s->runs, missing = 0;
	bool late = false, back = ts < s->highest;

	if (!back)
		s->highest = ts;
	if (kind == CSEL_EVENT && before == CSEL_STATE_RUNNING)
		sequence = check_event(d, s, p, ts, &late, &missing);
	else if (kind == CSEL_START)
		begin_run(d, s, ts, &late);
	s->state = csel_next_states[kind][before];

	m->kind = (uint8_t)kind;
	m->length = entry_sizes[kind];
	m->ticks = ts;
	m->flags = MESSAGE_TIMED;
	m->severity = SEVERITY_INFO;
	m->aux = aux_pack(before, late, back, sequence, run, missing);
	if (csel_order_diags[kind][before])
		csel_set_diag(m, csel_order_diags[kind][before]);
	if (sequence)
		csel_set_diag(m, csel_sequence_diags[sequence]);
	if (late || back)
		m->severity = SEVERITY_ERROR;
}

/* Make a truncated message of the LEFT bytes.  Return false if more bytes may follow. */
static bool
step_cut(struct csel_state *s, size_t left, bool last, struct message *m)
{
	m->length = (uint32_t)left;
	csel_set_diag(m, CSEL_DIAG_TRUNCATED);
	if (last && s->phase < PHASE_ENTRIES)
		s->phase = PHASE_OVER;
	return last;
}

/* [CSEL 1.0, "Header Section"] */
static bool
step_header(struct csel_state *s, const uint8_t *p, size_t left, bool last, struct message *m)
{
	size_t seen = left < sizeof csel_signature ? left : sizeof csel_signature;
	m->kind = CSEL_HEADER;
	m->severity = SEVERITY_DEBUG;
	if (left < CSEL_HEADER_SIZE && !last)
		return false;
	bool foreign = memcmp(p, csel_signature, seen) != 0;
	if (foreign)
		csel_set_diag(m, CSEL_DIAG_BAD_SIGNATURE);
	if (left < CSEL_HEADER_SIZE)
		return step_cut(s, left, last, m);
	if (bytes_le16(p + 4) != 1)
		csel_set_diag(m, CSEL_DIAG_BAD_VERSION);
	if (bytes_le16(p + 6))
		csel_set_diag(m, CSEL_DIAG_RESERVED_NONZERO);
	m->length = CSEL_HEADER_SIZE;
	s->phase = foreign ? PHASE_OVER : PHASE_METADATA;
	return true;
}

/* Decode the metadata.  The name is a "64-byte string (including null-character)" [CSEL 1.0,
 * "Metadata Section"]. */
static bool
step_metadata(struct csel_state *s, const uint8_t *p, size_t left, bool last, struct message *m)
{
	m->kind = CSEL_METADATA;
	m->severity = SEVERITY_DEBUG;
	if (left < CSEL_METADATA_SIZE)
		return step_cut(s, left, last, m);
	if (!memchr(p + CSEL_NAME_AT, 0, CSEL_NAME_SIZE))
		csel_set_diag(m, CSEL_DIAG_NAME_NOT_TERMINATED);
	m->length = CSEL_METADATA_SIZE;
	s->highest = s->waiting.since = bytes_le64(p + CSEL_INIT_AT);
	s->phase = PHASE_CONTROL;
	return true;
}

/* Decode the timeouts.  The second one "cannot be zero" [CSEL 1.0, "State Control Section"]. */
static bool
step_control(struct csel_state *s, const uint8_t *p, size_t left, bool last, struct message *m)
{
	m->kind = CSEL_STATE_CONTROL;
	m->severity = SEVERITY_DEBUG;
	if (left < CSEL_CONTROL_SIZE)
		return step_cut(s, left, last, m);
	s->waiting.timeout_start = bytes_le32(p);
	s->timeout_event = bytes_le32(p + 4);
	if (!s->timeout_event)
		csel_set_diag(m, CSEL_DIAG_ZERO_EVENT_TIMEOUT);
	m->length = CSEL_CONTROL_SIZE;
	s->phase = PHASE_ENTRIES;
	return true;
}

static bool
is_entry(uint8_t id)
{
	return id >= CSEL_START && id <= CSEL_EVENT;
}

enum chain { CHAIN_NONE, CHAIN_FOUND, CHAIN_UNDECIDED };

/* Check for CHAIN consecutive entries from P on, or fewer up to the end, where the last one may
 * be cut.  CHAIN_UNDECIDED means that more bytes are needed. */
static enum chain
find_chain(const uint8_t *p, size_t left, bool last)
{
	uint64_t first = left >= 9 ? bytes_le64(p + 1) : 0;
	for (int i = 0; i < CHAIN; i++) {
		uint8_t id = left ? *p : CSEL_EVENT; /* read once, as in step_body */
		if (!is_entry(id))
			return CHAIN_NONE;
		if (left < entry_sizes[id])
			return !last ? CHAIN_UNDECIDED : i > (left > 0) ? CHAIN_FOUND : CHAIN_NONE;
		if ((bytes_le64(p + 1) - first) >> 48)
			return CHAIN_NONE;
		left -= entry_sizes[id];
		p += entry_sizes[id];
	}
	return CHAIN_FOUND;
}

/* Search for entries after P, at most MOST bytes on.  Store their distance in *LENGTH. */
static enum chain
search_entries(const uint8_t *p, size_t left, size_t most, bool last, size_t *length)
{
	enum chain chain = CHAIN_NONE;
	for (size_t at = 1; chain == CHAIN_NONE && at <= most; at++) {
		chain = find_chain(p + at, left - at, last);
		*length = at;
	}
	return chain;
}

/* Step over unknown bytes in pieces, and mark the first piece.  Entries have no length field
 * [CSEL 1.0, "Log Entries Section"], so the next entry can only be guessed, if after_unknown
 * allows it. */
static bool
step_unknown(const struct csel_decoder *d, struct csel_state *s, const uint8_t *p, size_t left,
	     bool last, struct message *m)
{
	bool search = d->options->after_unknown == CSEL_AFTER_UNKNOWN_SEARCH;
	uint64_t cut = decode_run_cut(m->offset) - m->offset;
	size_t length = left < cut ? left : cut;
	enum chain chain = search ? search_entries(p, left, length, last, &length) : CHAIN_NONE;
	if (chain == CHAIN_UNDECIDED || (chain == CHAIN_NONE && left < cut && !last))
		return false;
	m->kind = CSEL_UNKNOWN;
	m->severity = SEVERITY_DEBUG;
	m->length = (uint32_t)length;
	if (s->phase != PHASE_UNKNOWN) {
		m->aux = CSEL_UNKNOWN_FIRST;
		csel_set_diag(m, CSEL_DIAG_UNKNOWN_ENTRY);
		if (search)
			m->severity = SEVERITY_ERROR; /* not fatal: decoding continues */
	} else {
		m->flags = MESSAGE_FILLER;
	}
	s->phase = PHASE_UNKNOWN;
	if (chain == CHAIN_FOUND) {
		m->aux |= CSEL_UNKNOWN_ENDS;
		m->flags |= MESSAGE_ESTIMATED;
		s->phase = PHASE_ENTRIES;
	}
	return true;
}

static bool
step_body(const struct csel_decoder *d, struct csel_state *s, const uint8_t *p, size_t left,
	  bool last, struct message *m)
{
	uint8_t id = *p; /* read once, as bytes of a growing log may change */
	if (s->phase == PHASE_UNKNOWN || !is_entry(id))
		return step_unknown(d, s, p, left, last, m);
	if (left < entry_sizes[id]) {
		m->kind = CSEL_TRUNCATED;
		m->severity = SEVERITY_ERROR;
		return step_cut(s, left, last, m);
	}
	step_entry(d, s, id, p, m);
	return true;
}

/* Decode the message at P from LEFT bytes.  Return false if more are needed. */
static bool
step_one(const struct csel_decoder *d, struct csel_state *s, const uint8_t *p, size_t left,
	 bool last, struct message *m)
{
	switch ((enum csel_phase)s->phase) {
	case PHASE_HEADER:
		return step_header(s, p, left, last, m);
	case PHASE_METADATA:
		return step_metadata(s, p, left, last, m);
	case PHASE_CONTROL:
		return step_control(s, p, left, last, m);
	case PHASE_ENTRIES:
	case PHASE_UNKNOWN:
		return step_body(d, s, p, left, last, m);
	case PHASE_OVER:
		break;
	}
	return false;
}

static void
step_end(struct csel_state *s, struct message *m)
{
	enum csel_diag missing[2];
	csel_missing_at_end(s->state, s->runs, missing);
	m->kind = CSEL_EOF;
	m->severity = SEVERITY_DEBUG;
	m->aux = (uint64_t)s->runs << 2 | s->state;
	csel_set_diag(m, missing[0]);
	csel_set_diag(m, missing[1]);
	s->phase = PHASE_OVER;
}

static size_t
csel_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	  struct message *out, size_t max)
{
	const struct csel_decoder *d = (const struct csel_decoder *)decoder;
	struct csel_state *s = (struct csel_state *)state;
	uint64_t end = w->offset + w->length;
	size_t count = 0;
	while (count < max && state->offset < w->until && s->phase != PHASE_OVER) {
		struct message *m = &out[count];
		const uint8_t *p = w->bytes + (state->offset - w->offset);
		size_t left = (size_t)(end - state->offset);
		bool ends = !left && w->last && s->phase >= PHASE_ENTRIES;
		*m = (struct message){.offset = state->offset};
		if (ends)
			step_end(s, m);
		else if (!left || !step_one(d, s, p, left, w->last, m))
			break;
		state->offset += m->length;
		count++;
	}
	if (s->phase == PHASE_OVER && end > state->offset) {
		state->silent[SILENT_REST] += 8 * (end - state->offset);
		state->offset = end; /* the rest cannot be decoded */
	}
	return count;
}

static int
csel_resync(const struct decoder *decoder, struct decode_state *state, const struct window *w)
{
	struct csel_state *s = (struct csel_state *)state;
	decode_plain_start(decoder, state);
	if (!w->offset)
		return 0;
	for (size_t at = 0; at < w->length; at++) {
		if (find_chain(w->bytes + at, w->length - at, w->last) == CHAIN_FOUND) {
			state->offset = w->offset + at;
			s->phase = PHASE_ENTRIES;
			s->state = CSEL_STATE_RUNNING;
			s->runs = 1;
			return 0;
		}
	}
	return ERR_SYNC;
}

const struct decoder_ops csel_ops = {
    .format = "csel",
    .title = "CAM stream event log (CSEL)",
    .help = "the log of a critical application monitoring service for one "
	    "stream",
    .fields = csel_fields,
    .field_count = CSEL_F_COUNT,
    .kinds = csel_kinds,
    .kind_count = CSEL_KIND_COUNT,
    .silent = silent,
    .silent_count = SILENT_COUNT,
    .options = &options_table,
    .alike = "event",
    /* no unnamed: no file contains names for events */
    /* no clocks: a log has only its service's clock */
    /* no contexts: an entry is an event, not a state that lasts */
    /* no trigger: the service writes the entries */
    .reach = REACH,
    .run_up = RUN_UP,
    .state_size = sizeof(struct csel_state),
    .checkpoint_size = DECODE_SAVED_SIZE(struct csel_state),
    .probe = csel_probe,
    .open = csel_open,
    .close = csel_close,
    .start = decode_plain_start,
    .save = decode_plain_save,
    .restore = decode_plain_restore,
    .is_free = true,
    .step = csel_step,
    .resync = csel_resync,
    .expand = csel_expand,
    .identify_origin = csel_identify_origin,
    /* no printer: no public tool prints it */
};
