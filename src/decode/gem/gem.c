/*
 * GEM: words that a program writes to the OVERLAY register of a TI C64x+ or C66x core,
 * in records of fixed size made by a converter.
 *
 * The two highest bits of a word give its type: a single word (00), the first (10) or
 * the second (11) word of a pair. 01 is reserved [UIA 1.01, GemTraceSync, "OVERLAY
 * register bit assignments"].  The two lowest bits are fixed by the hardware (the text
 * gives them three digits, "011b").  Only a change matters, which hints at a wrong
 * layout.  The words of a pair are neighbours.  A first word thus needs one record of
 * look-ahead, and a second word needs the word before it.  Sync points and snapshots
 * count up by one; gaps in these numbers are losses.
 *
 * The loop over records is compiled twice.  The version for bare little-endian words
 * has a constant layout.
 */
#include "config.h"

#include "base/bytes.h"
#include "decode/gem/gem.h"
#include "decode/record.h"
#include "decode/summary.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 4, RECORD_MAX = 4096, RUN_UP = 65536, PROBE_WORDS = 4096 };

/* --- tables ------------------------------------------------------------ */

static const struct kind_row kinds[GEM_KIND_COUNT] = {
    [GEM_SYNCPOINT] = {"syncpoint", "a sync point with its serial number"},
    [GEM_CTXCHG] = {"ctxchg", "a context change with its event's sequence number"},
    [GEM_SNAPSHOT] = {"snapshot", "a snapshot with its number"},
    [GEM_RESERVED] = {"reserved", "a word of a reserved type"},
    [GEM_FIRST] = {"first", "the first word of two"},
    [GEM_SECOND] = {"second", "the second word of two, with the data of both"},
    [GEM_TRUNCATED] = {"truncated", "a record whose end is missing"},
};

/* [UIA 1.01, GemTraceSync ContextType] */
static const char *const ctx_names[16] = {
    [0] = "Reserved0",	 [1] = "SyncPoint",   [2] = "ContextChange",	   [3] = "Snapshot",
    [4] = "Reserved4",	 [5] = "Reserved5",   [6] = "Reserved6",	   [7] = "Reserved7",
    [8] = "Reserved8",	 [9] = "Reserved9",   [10] = "Reserved10",	   [11] = "Reserved11",
    [12] = "Reserved12", [13] = "Reserved13", [14] = "Global32bTimestamp", [15] = "User",
};

#define SECOND .kinds = 1u << GEM_SECOND
#define PAIR .kinds = 1u << GEM_FIRST | 1u << GEM_SECOND, .absence = FIELD_ABSENT_LOST
#define CONTEXT .kinds = 1u << GEM_SECOND | 1u << GEM_CTXCHG, .absence = FIELD_ABSENT_UNMATCHED
/* A context is the address of a task or function, as in an event, or a number of the user's. */
#define CONTEXT_VALUE .address = FIELD_ADDRESS, .most = UINT32_MAX

const struct field_row gem_fields[GEM_F_COUNT] = {
    [GEM_F_WORD] = {"word", FIELD_HEXTEXT, "the word as written, with its fixed bits", .digits = 8},
    [GEM_F_LSB] = {"lsb", FIELD_UINT, "the two lowest bits, fixed by the hardware"},
    [GEM_F_TYPE_ID] = {"type_id", FIELD_UINT, "type of a single word"},
    [GEM_F_VALUE] = {"value", FIELD_UINT, "24 bits of a serial, sequence or snapshot number"},
    [GEM_F_CTX_TYPE] = {"ctx_type", FIELD_UINT, "type of a pair", .values = ctx_names,
			.value_count = 16, PAIR},
    [GEM_F_CTX_NAME] = {"ctx_name", FIELD_TEXT, "name of a pair's type", PAIR},
    [GEM_F_DATA24] = {"data24", FIELD_UINT, "upper 24 bits of a pair's data"},
    [GEM_F_SEQ20] = {"seq20", FIELD_UINT, "20 bits of the sequence number of a pair's event"},
    [GEM_F_DATA8] = {"data8", FIELD_UINT, "lower 8 bits of a pair's data"},
    [GEM_F_TS] = {"ts", FIELD_UINT, "the record's time stamp in ticks"},
    [GEM_F_PAIR] = {"pair", FIELD_TEXT, "state of a pair: complete, first_lost or second_lost"},
    [GEM_F_FIRST_OFFSET] = {"first_offset", FIELD_UINT, "offset of the first word"},
    [GEM_F_DATA] = {"data", FIELD_HEXTEXT, "32 bits of a complete pair", .digits = 8, SECOND,
		    .absence = FIELD_ABSENT_LOST, .instead = "recovered_data", CONTEXT_VALUE},
    [GEM_F_MISSING] = {"missing", FIELD_UINT, "sync points or snapshots lost before this one"},
    [GEM_F_MATCHED] = {"matched", FIELD_BOOL, "whether the software event of this word was found"},
    [GEM_F_EVENT_OFFSET] = {"event_offset", FIELD_UINT,
			    "offset of the matching event in the software log"},
    [GEM_F_SERIAL32] = {"serial32", FIELD_UINT,
			"full serial number of a sync point, from its event"},
    [GEM_F_RECOVERED_DATA] = {"recovered_data", FIELD_HEXTEXT,
			      "data of a pair without its first word, from its event", .digits = 8,
			      SECOND, CONTEXT_VALUE},
    [GEM_F_EVENT_NAME] = {"event_name", FIELD_TEXT, "name of the matching event",
			  .absence = FIELD_ABSENT_UNMATCHED},
    [GEM_F_EVENT_NEW] = {"event_new", FIELD_HEXTEXT, "the new context by the matching event",
			 .digits = 8, CONTEXT, CONTEXT_VALUE},
    [GEM_F_EVENT_PREV] = {"event_prev", FIELD_HEXTEXT, "the context before by the matching event",
			  .digits = 8, CONTEXT, CONTEXT_VALUE},
    FIELD_SYMBOL_ROWS(GEM_F_FUNCTION),
};

static const char *const endians[] = {[GEM_LITTLE] = "little", [GEM_BIG] = "big", NULL};

#define OPTION(...) OPTION_ROW(struct gem_options, __VA_ARGS__)
static const struct option_row option_rows[] = {
    OPTION(record_size, UINT, "bytes per record", "4", .min = WORD, .max = RECORD_MAX),
    OPTION(word_offset, UINT, "where the 32-bit word lies in a record", "0", .max = RECORD_MAX),
    OPTION(endian, CHOICE, "byte order of words and time stamps", "little", .choices = endians),
    OPTION(timestamp_offset, UINT, "where the time stamp lies in a record", "0", .max = RECORD_MAX),
    OPTION(timestamp_width, UINT, "bytes of a time stamp, 0 for none", "0", .max = 8),
};
static const struct option_table options_table =
    OPTION_TABLE("gem", struct gem_options, option_rows);

static inline enum gem_kind
kind_of(uint32_t word)
{
	/* [UIA 1.01, GemTraceSync]: type IDs 000000b to 000011b */
	static const uint8_t singles[] = {GEM_RESERVED, GEM_SYNCPOINT, GEM_CTXCHG, GEM_SNAPSHOT};
	if (word >> 31)
		return word >> 30 & 1 ? GEM_SECOND : GEM_FIRST;
	return gem_type_id(word) < sizeof singles ? singles[gem_type_id(word)] : GEM_RESERVED;
}

/* --- opening ----------------------------------------------------------- */

struct gem_decoder {
	struct decoder base;
	const struct gem_options *options;
};

static struct decoder *
gem_open(const void *options, const struct window *head, struct err *err)
{
	const struct gem_options *own = options;
	(void)head;
	if (own->word_offset + WORD > own->record_size ||
	    own->timestamp_offset + own->timestamp_width > own->record_size) {
		err_set(err, ERR_CONFIG,
			"word and time stamp of gem must lie within the %llu bytes "
			"of a record; set record_size",
			(unsigned long long)own->record_size);
		return NULL;
	}
	struct gem_decoder *d = mem_new(sizeof *d);
	d->base.ops = &gem_ops;
	d->base.untimed = !own->timestamp_width;
	d->options = own;
	return &d->base;
}

/* --- guesses ----------------------------------------------------------- */

/* A guessed position of the words, and the evidence for it. */
struct gem_guess {
	size_t record_size, word_offset;
	size_t time_offset, time_width; /* of rising timestamps; width 0: none */
	int endian;
	size_t words, fits, misfits;
	int score;
};

enum {
	GUESS_RECORD_MAX = 24, /* a word with a timestamp of 8 bytes, and the same size again */
	GUESS_FITS = 8,	       /* fewer may be luck */
	GUESS_FITS_MOST = 128, /* more do not raise the score */
	GUESS_TRIAL = 64,      /* words tested before the rest */
	GUESS_MISFITS = 8,     /* words per tolerated misfit */
	GUESS_TIMED = 4	       /* per cent added for timestamps */
};

/* Positions within a record. */
struct gem_layout {
	size_t size, word, time, width;
	bool big;
};

static uint64_t
time_at(const struct gem_layout *l, const uint8_t *p)
{
	if (!l->big)
		return bytes_le(p + l->time, l->width);
	uint64_t value = 0;
	for (size_t i = 0; i < l->width; i++)
		value = value << 8 | p[l->time + i];
	return value;
}

static uint32_t
guess_word(const struct gem_guess *guess, const struct window *head, size_t i)
{
	const uint8_t *p = head->bytes + i * guess->record_size + guess->word_offset;
	return guess->endian == GEM_BIG ? bytes_be32(p) : bytes_le32(p);
}

static bool
guess_is_bad(const struct gem_guess *guess, size_t words)
{
	return guess->misfits * GUESS_MISFITS > words;
}

/* Count the evidence for a layout.  Bare words have no signature.  Numbers that count up and
 * pairs that meet are fits; impossible words and sequences are misfits. */
static void
guess_count(struct gem_guess *guess, const struct window *head)
{
	uint32_t last[GEM_KIND_COUNT] = {0}, before = 0;
	bool known[GEM_KIND_COUNT] = {false};
	guess->words = head->length / guess->record_size;
	if (guess->words > PROBE_WORDS)
		guess->words = PROBE_WORDS;
	for (size_t i = 0; i < guess->words; i++) {
		uint32_t word = guess_word(guess, head, i), value = gem_value(word);
		enum gem_kind kind = kind_of(word);
		bool after_first = i && kind_of(before) == GEM_FIRST;
		guess->misfits += kind == GEM_RESERVED || (i && (word ^ before) & 3) ||
				  after_first != (kind == GEM_SECOND);
		guess->fits += kind == GEM_SECOND && after_first;
		if (kind == GEM_SYNCPOINT || kind == GEM_SNAPSHOT) {
			guess->fits += known[kind] && value == last[kind] + 1;
			guess->misfits += known[kind] && value - last[kind] - 1 > 16;
			known[kind] = true;
			last[kind] = value;
		}
		before = word;
		if (i == GUESS_TRIAL && guess->misfits * 2 > GUESS_TRIAL) {
			guess->words = i + 1;
			break;
		}
	}
}

/* Score a guess.  Fits beyond luck make it worth decoding, more fits raise the score, misfits
 * lower it.  Other bytes of the record remain unexplained, so the score is never certain. */
static void
guess_rate(struct gem_guess *guess)
{
	size_t fits = guess->fits < GUESS_FITS_MOST ? guess->fits : GUESS_FITS_MOST;
	if (guess->fits < GUESS_FITS || guess_is_bad(guess, guess->words))
		return;
	int range = PROBE_CERTAIN - 1 - PROBE_DECODE;
	guess->score = PROBE_DECODE + range * (int)fits / GUESS_FITS_MOST;
	guess->score -= (int)((size_t)guess->score * guess->misfits / guess->words);
}

/* Measure how far the WIDTH bytes at OFFSET of the records rise.  Return false if they do not
 * behave like timestamps, which mostly rise and almost never go back. */
static bool
guess_rises(const struct gem_guess *guess, const struct window *head, size_t offset, size_t width,
	    uint64_t *rise)
{
	const struct gem_layout layout = {
	    .time = offset, .width = width, .big = guess->endian == GEM_BIG};
	size_t on = 0, back = 0;
	uint64_t last = 0;
	*rise = 0;
	for (size_t i = 0; i < guess->words; i++) {
		uint64_t time = time_at(&layout, head->bytes + i * guess->record_size);
		on += i && time > last;
		back += i && time < last;
		*rise += i && time > last ? (time - last) >> WORD
					  : 0; /* shifted so that the sum cannot wrap */
		last = time;
	}
	return on * 2 > guess->words && back * 2 * GUESS_MISFITS <= guess->words;
}

/* Find the timestamps next to the words.  The candidate that rises least wins, because others
 * include bytes below the timestamp.  If two rise equally, the wider one wins. */
static void
guess_times(struct gem_guess *guess, const struct window *head)
{
	uint64_t least = UINT64_MAX, rise;
	for (size_t width = 8; width >= WORD; width -= WORD) {
		for (size_t at = 0; at + width <= guess->record_size; at += WORD) {
			bool apart =
			    at + width <= guess->word_offset || at >= guess->word_offset + WORD;
			if (!apart || !guess_rises(guess, head, at, width, &rise) || rise >= least)
				continue;
			least = rise;
			guess->time_offset = at;
			guess->time_width = width;
		}
	}
	int better = guess->score + GUESS_TIMED;
	if (guess->time_width)
		guess->score = better < PROBE_CERTAIN ? better : PROBE_CERTAIN - 1;
}

static int
guess_compare(const void *a, const void *b)
{
	const struct gem_guess *left = a, *right = b;
	return right->score - left->score;
}

static void
gem_probe(const struct window *head, struct probe *probes)
{
	enum { SIDE = GUESS_RECORD_MAX / WORD };
	struct gem_guess guesses[SIDE * (SIDE + 1)];
	size_t count = 0;
	for (size_t size = WORD; size <= GUESS_RECORD_MAX; size += WORD) {
		for (size_t i = 0; i < size / WORD * 2; i++) {
			struct gem_guess *guess = &guesses[count];
			*guess = (struct gem_guess){.record_size = size,
						    .word_offset = i / 2 * WORD,
						    .endian = i % 2 ? GEM_BIG : GEM_LITTLE};
			guess_count(guess, head);
			guess_rate(guess);
			if (guess->score > 0)
				guess_times(guess, head);
			count += guess->score > 0;
		}
	}
	qsort(guesses, count, sizeof *guesses, guess_compare);
	for (size_t i = 0; i < count && i < PROBES_MAX; i++) {
		const struct gem_guess *guess = &guesses[i];
		probes[i] = (struct probe){.score = guess->score};
		snprintf(probes[i].reason, sizeof probes->reason,
			 "records of %zu bytes, word at %zu, %s endian: of %zu words %zu are pairs "
			 "or count up, %zu do not fit",
			 guess->record_size, guess->word_offset, endians[guess->endian],
			 guess->words, guess->fits, guess->misfits);
		int length =
		    snprintf(probes[i].settings, sizeof probes->settings,
			     "record_size: %zu, word_offset: %zu, endian: %s", guess->record_size,
			     guess->word_offset, endians[guess->endian]);
		if (guess->time_width)
			snprintf(probes[i].settings + length,
				 sizeof probes->settings - (size_t)length,
				 ", timestamp_offset: %zu, timestamp_width: %zu",
				 guess->time_offset, guess->time_width);
	}
}

/* --- state ------------------------------------------------------------- */

struct gem_state {
	struct decode_state base;
	uint64_t time;	  /* last timestamp, unwrapped */
	uint32_t first;	  /* previous record if it is a first word, else 0 */
	uint32_t last[2]; /* last SyncPoint and Snapshot */
	uint8_t lsb;	  /* of the previous record */
	bool has_last[2];
	bool is_under_way; /* a previous record exists */
};
static_assert(DECODE_SAVED_SIZE(struct gem_state) <= CHECKPOINT_MAX,
	      "a checkpoint is the state itself");

/* --- stepping ---------------------------------------------------------- */

static inline struct gem_layout
layout_of(const struct gem_options *o)
{
	return (struct gem_layout){.size = o->record_size,
				   .word = o->word_offset,
				   .time = o->timestamp_offset,
				   .width = o->timestamp_width,
				   .big = o->endian == GEM_BIG};
}

static inline uint32_t
word_at(const struct gem_layout *l, const uint8_t *p)
{
	return l->big ? bytes_be32(p + l->word) : bytes_le32(p + l->word);
}

/* Return the number of SyncPoints or Snapshots missing before this one.  Serial numbers and
 * snapshot IDs count up by one; a word has their "24 LSBs" [UIA 1.01, GemTraceSync]. */
static inline uint32_t
count_on(struct gem_state *s, enum gem_kind kind, uint32_t value)
{
	unsigned which = kind == GEM_SNAPSHOT;
	uint32_t missing = s->has_last[which] ? (value - s->last[which] - 1) & 0xffffff : 0;
	s->has_last[which] = true;
	s->last[which] = value;
	return missing;
}

/* True if the first word of a pair has a reserved context type: 0 and 4 to 13 [UIA 1.01,
 * GemTraceSync ContextType]. */
static inline bool
is_reserved_pair(uint32_t first)
{
	return 0x3ff1 >> gem_ctx_type(first) & 1;
}

/* Mark M as suspect, with at least a warning. */
static inline void
set_suspect(struct message *m)
{
	m->flags |= MESSAGE_SUSPECT;
	if (m->severity > SEVERITY_WARNING)
		m->severity = SEVERITY_WARNING;
}

/* Fill in the parts of M that follow from the word.  NEXT is the word after it, 0 if it is the
 * last. */
static inline void
gem_fill(struct gem_state *s, uint32_t word, uint32_t next, struct message *m)
{
	static const struct {
		uint8_t severity;
		uint16_t flags;
	} plain[GEM_KIND_COUNT] = {
	    [GEM_SYNCPOINT] = {SEVERITY_INFO, MESSAGE_SYNC},
	    [GEM_CTXCHG] = {SEVERITY_INFO, 0},
	    [GEM_SNAPSHOT] = {SEVERITY_INFO, 0},
	    [GEM_RESERVED] = {SEVERITY_WARNING, MESSAGE_SUSPECT},
	    [GEM_FIRST] = {SEVERITY_INFO, 0},
	    [GEM_SECOND] = {SEVERITY_INFO, 0},
	};
	enum gem_kind kind = kind_of(word);
	uint64_t aux = word;
	bool lost = false;
	m->kind = (uint8_t)kind;
	m->severity = plain[kind].severity;
	m->flags |= plain[kind].flags;
	if (kind == GEM_SYNCPOINT || kind == GEM_SNAPSHOT) {
		uint32_t missing = count_on(s, kind, gem_value(word));
		aux |= (uint64_t)missing << 32;
		lost = missing != 0;
	} else if (kind == GEM_FIRST) {
		lost = kind_of(next) != GEM_SECOND;
		aux |= lost ? 0 : GEM_AUX_COMPLETE;
		if (is_reserved_pair(word))
			set_suspect(m);
	} else if (kind == GEM_SECOND) {
		lost = !s->first;
		if (!lost) {
			aux |= GEM_AUX_COMPLETE | (uint64_t)(s->first >> 2 & 0xfffffff) << 32;
			if (gem_ctx_type(s->first) == GEM_CTX_GLOBAL_TIME)
				m->flags |= MESSAGE_SYNC;
			if (is_reserved_pair(s->first))
				set_suspect(m);
		}
	}
	if (lost) {
		m->severity = SEVERITY_ERROR;
		m->flags |= MESSAGE_LOST;
	}
	if (((word ^ s->lsb) & 3) && s->is_under_way) {
		aux |= GEM_AUX_LSB_CHANGED;
		set_suspect(m);
	}
	m->aux = aux;
	s->first = kind == GEM_FIRST ? word : 0;
	s->lsb = word & 3;
	s->is_under_way = true;
}

/* Fill M from the record at P, which is at OFFSET.  NEXT as for gem_fill. */
static inline __attribute__((always_inline)) void
fill_record(struct gem_state *s, const uint8_t *p, uint64_t offset, const struct gem_layout *l,
	    uint32_t next, struct message *m)
{
	m->offset = offset;
	m->origin = 0;
	m->length = (uint32_t)l->size;
	m->flags = 0;
	m->ticks = 0;
	if (l->width) {
		uint64_t ts = time_at(l, p);
		s->time = s->is_under_way ? bytes_unwrap(s->time, ts, 8 * (unsigned)l->width) : ts;
		m->ticks = s->time;
		m->flags = MESSAGE_TIMED;
	}
	gem_fill(s, word_at(l, p), next, m);
}

/* Decode up to MAX whole records of the window.  Fill OUT, or count into SUMMARY if it is not
 * NULL.  Inlined for each layout. */
static inline __attribute__((always_inline)) size_t
step_records(struct gem_state *s, const struct window *w, struct gem_layout l, struct message *out,
	     size_t max, struct summary *summary)
{
	uint64_t offset = s->base.offset, end = w->offset + w->length;
	uint64_t until = w->until < end ? w->until : end;
	const uint8_t *p = w->bytes + (offset - w->offset);
	struct summing sums;
	size_t count = 0;
	if (summary)
		sums = summing_open(summary);
	for (; count < max && offset < until && end - offset >= l.size; count++) {
		uint32_t next = 0;
		struct message own, *m = summary ? &own : &out[count];
		if (end - offset >= 2 * l.size)
			next = word_at(&l, p + l.size);
		else if (!w->last && kind_of(word_at(&l, p)) == GEM_FIRST)
			break;
		fill_record(s, p, offset, &l, next, m);
		if (summary)
			summing_add(&sums, m);
		offset += l.size;
		p += l.size;
	}
	if (summary)
		summing_close(&sums, summary);
	s->base.offset = offset;
	return count;
}

/* Take an incomplete record at the end of the capture.  Return false without one. */
static bool
take_rest(const struct gem_options *o, struct decode_state *state, const struct window *w,
	  struct message *m)
{
	uint64_t end = w->offset + w->length, left = end - state->offset;
	if (!w->last || !left || left >= o->record_size || state->offset >= w->until)
		return false;
	*m = (struct message){.offset = state->offset,
			      .length = (uint32_t)left,
			      .kind = GEM_TRUNCATED,
			      .severity = SEVERITY_ERROR,
			      .flags = MESSAGE_TRUNCATED};
	state->offset = end;
	return true;
}

static inline bool
is_bare(const struct gem_options *o)
{
	return o->record_size == WORD && o->endian == GEM_LITTLE && !o->timestamp_width;
}

static const struct gem_layout bare = {.size = WORD};

static size_t
gem_step(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	 struct message *out, size_t max)
{
	const struct gem_options *o = ((const struct gem_decoder *)decoder)->options;
	struct gem_state *s = (struct gem_state *)state;
	size_t count = is_bare(o) ? step_records(s, w, bare, out, max, NULL)
				  : step_records(s, w, layout_of(o), out, max, NULL);
	if (count < max)
		count += take_rest(o, state, w, &out[count]);
	return count;
}

/* --- counting ---------------------------------------------------------- */

/* Classes of words, by their six highest bits.  CLASSES_ODD has a bit for each class that is
 * odd in any context (kind_of, is_reserved_pair).  COUNTS_ values name the number that must
 * count up. */
enum { CLASS_SHIFT = 26, CLASSES = 64, CLASS_SYNCPOINT = 1, CLASS_SNAPSHOT = 3 };
#define CLASS_GLOBAL_TIME (1u << 5 | GEM_CTX_GLOBAL_TIME)
#define CLASSES_ODD ((uint64_t)0x3ff1 << 32 | 0xfffffff1)
enum { COUNTS_NOT, COUNTS_SYNC, COUNTS_SNAPSHOT, COUNTS };
static const uint8_t class_counts[CLASSES] = {
    [CLASS_SYNCPOINT] = COUNTS_SYNC, [CLASS_SNAPSHOT] = COUNTS_SNAPSHOT};

static inline bool
is_first(uint32_t word)
{
	return word >> 30 == 2;
}

static inline bool
is_second(uint32_t word)
{
	return word >> 30 == 3;
}

/* Facts about a run of words without loss. */
struct gem_run {
	uint64_t count, suspects;
	uint64_t seen, before; /* classes, a bit each: of all words, and of all but the last */
};

/* Add a run that starts at OFFSET. */
static void
add_run(struct summary *summary, uint64_t offset, const struct gem_run *run)
{
	bool sync = run->seen >> CLASS_SYNCPOINT & 1 || run->before >> CLASS_GLOBAL_TIME & 1;
	uint32_t *severities = tally_row(&summary->tally, 0, offset)->severities;
	severities[SEVERITY_INFO] += (uint32_t)(run->count - run->suspects);
	severities[SEVERITY_WARNING] += (uint32_t)run->suspects;
	summary->count += run->count;
	summary->flags |= (sync ? MESSAGE_SYNC : 0) | (run->suspects ? MESSAGE_SUSPECT : 0);
	for (uint64_t seen = run->seen; seen; seen &= seen - 1) {
		uint32_t class = (uint32_t)__builtin_ctzll(seen);
		summary->kinds |= (uint64_t)1 << kind_of(class << CLASS_SHIFT);
	}
}

/* Return the number of bare words before `until` that have a successor in the window. */
static uint64_t
words_before(const struct window *w, uint64_t from)
{
	uint64_t end = w->offset + w->length, left = end > from ? (end - from) / WORD : 0;
	uint64_t before = w->until > from ? (w->until - from - 1) / WORD + 1 : 0;
	left -= left != 0;
	return left < before ? left : before;
}

/* Count bare words like gem_fill.  Stop when something is lost or the fixed bits change, and at
 * a second word if an earlier call counted the first. */
static void
sum_plain(struct gem_state *s, const struct window *w, struct summary *summary)
{
	static const uint32_t masks[COUNTS] = {0, 0xffffff, 0xffffff};
	uint32_t expected[COUNTS] = {0, s->last[0] + 1, s->last[1] + 1};
	uint64_t from = s->base.offset, left = words_before(w, from);
	uint64_t unknown = (uint64_t)!s->has_last[0] << CLASS_SYNCPOINT | (uint64_t)!s->has_last[1]
									      << CLASS_SNAPSHOT;
	const uint8_t *p = w->bytes + (from - w->offset);
	struct gem_run run = {0};
	uint32_t last = 0, odd = 0;
	if (!left || !s->is_under_way || is_second(bytes_le32(p)))
		return;
	for (uint32_t next = bytes_le32(p); run.count < left; run.count++) {
		uint32_t now = next, class = now >> CLASS_SHIFT, value = gem_value(now);
		unsigned counts = class_counts[class];
		next = bytes_le32(p + WORD * (run.count + 1));
		if ((unknown >> class & 1) | ((now ^ s->lsb) & 3) |
		    (uint32_t)(is_first(now) ^ is_second(next)) |
		    ((value - expected[counts]) & masks[counts]))
			break;
		expected[counts] = value + 1;
		odd = (CLASSES_ODD >> class & 1) | (odd & is_second(now));
		run.suspects += odd;
		run.before = run.seen;
		run.seen |= (uint64_t)1 << class;
		last = now;
	}
	if (!run.count)
		return;
	add_run(summary, from, &run);
	s->first = is_first(last) ? last : 0;
	s->last[0] = expected[COUNTS_SYNC] - 1;
	s->last[1] = expected[COUNTS_SNAPSHOT] - 1;
	s->base.offset += WORD * run.count;
}

static void
gem_summarise(const struct decoder *decoder, struct decode_state *state, const struct window *w,
	      struct summary *summary)
{
	const struct gem_options *o = ((const struct gem_decoder *)decoder)->options;
	struct gem_state *s = (struct gem_state *)state;
	struct message rest;
	if (is_bare(o))
		do
			sum_plain(s, w, summary);
		while (step_records(s, w, bare, NULL, 1, summary));
	else
		step_records(s, w, layout_of(o), NULL, SIZE_MAX, summary);
	if (take_rest(o, state, w, &rest))
		summary_add(summary, &rest, 1);
}

/* Move to the next multiple of the record size, because records lie on a grid.  The lost state
 * of earlier records is restored by the run-up. */
static int
gem_resync(const struct decoder *decoder, struct decode_state *state, const struct window *w)
{
	uint64_t size = ((const struct gem_decoder *)decoder)->options->record_size;
	uint64_t offset = (w->offset + size - 1) / size * size;
	if (offset > w->offset + w->length)
		return ERR_SYNC;
	decode_plain_start(decoder, state);
	state->offset = offset;
	return 0;
}

/* --- expanding --------------------------------------------------------- */

struct gem_job {
	struct record r;
	const struct message *m;
	struct gem_layout layout;
	uint32_t word;
};

/* Add a field of the word: COUNT bits starting at BIT. */
static void
add_bits(struct gem_job *j, enum gem_field row, unsigned bit, unsigned count, uint64_t value)
{
	bool whole = j->layout.big; /* bits of a big-endian word are not contiguous */
	record_bits(&j->r, row, 8 * j->layout.word + (whole ? 0 : bit), whole ? 32 : count, value);
}

static void
add_type(struct gem_job *j, unsigned type)
{
	record_value(&j->r, GEM_F_CTX_TYPE, type);
	record_text(&j->r, GEM_F_CTX_NAME, ctx_names[type]);
}

/* One word: [UIA 1.01, GemTraceSync], type IDs 000001b to 000011b. */
static void
expand_single(struct gem_job *j)
{
	static const char *const names[] = {[GEM_SYNCPOINT] = "SyncPoint",
					    [GEM_CTXCHG] = "ContextChange seq",
					    [GEM_SNAPSHOT] = "Snapshot"};
	uint32_t type = gem_type_id(j->word), value = gem_value(j->word);
	uint32_t missing = GEM_AUX_MISSING(j->m->aux);
	struct text *text = &j->r.e->text;
	add_bits(j, GEM_F_TYPE_ID, 26, 6, type);
	add_bits(j, GEM_F_VALUE, 2, 24, value);
	if (j->m->kind == GEM_RESERVED)
		text_addf(text, "reserved type %u value 0x%06x", type, value);
	else
		text_addf(text, "%s %u", names[j->m->kind], value);
	if (missing) {
		record_value(&j->r, GEM_F_MISSING, missing);
		text_addf(text, ", %u missing before it", missing);
	}
}

/* "10XXXXb", the 24 MSBs of the data: [UIA 1.01, GemTraceSync]. */
static void
expand_first(struct gem_job *j)
{
	bool complete = j->m->aux & GEM_AUX_COMPLETE;
	add_type(j, gem_ctx_type(j->word));
	add_bits(j, GEM_F_DATA24, 2, 24, gem_value(j->word));
	record_text(&j->r, GEM_F_PAIR, complete ? "complete" : "second_lost");
	text_addf(&j->r.e->text, "%s data=0x%06x.. %s", ctx_names[gem_ctx_type(j->word)],
		  gem_value(j->word), complete ? "first word" : "second word lost");
}

/* "11XXXXb", 20 LSBs of an event's sequence number, 8 LSBs of the data: [UIA 1.01,
 * GemTraceSync]. */
static void
expand_second(struct gem_job *j)
{
	bool complete = j->m->aux & GEM_AUX_COMPLETE;
	uint32_t first = GEM_AUX_FIRST(j->m->aux);
	uint32_t sequence = gem_sequence(j->word), low = gem_data8(j->word);
	struct text *text = &j->r.e->text;
	add_bits(j, GEM_F_SEQ20, 10, 20, sequence);
	add_bits(j, GEM_F_DATA8, 2, 8, low);
	record_text(&j->r, GEM_F_PAIR, complete ? "complete" : "first_lost");
	if (!complete) {
		text_addf(text, "data=0x......%02x seq 0x%05x first word lost", low, sequence);
		return;
	}
	uint32_t data = first << 8 | low;
	record_value(&j->r, GEM_F_FIRST_OFFSET, j->m->offset - j->layout.size);
	record_value(&j->r, GEM_F_DATA, data);
	add_type(j, first >> 24);
	text_addf(text, "%s data=0x%08x seq 0x%05x", ctx_names[first >> 24], data, sequence);
}

static void
gem_expand(const struct decoder *decoder, const struct message *m, const struct window *w,
	   enum expand_want want, const struct decode_history *history, struct expansion *e)
{
	static void (*const each[GEM_KIND_COUNT])(struct gem_job *) = {
	    [GEM_SYNCPOINT] = expand_single, [GEM_CTXCHG] = expand_single,
	    [GEM_SNAPSHOT] = expand_single,  [GEM_RESERVED] = expand_single,
	    [GEM_FIRST] = expand_first,	     [GEM_SECOND] = expand_second,
	};
	struct gem_job job = {.r = record_open(e, gem_fields, m, w, want),
			      .m = m,
			      .layout = layout_of(((const struct gem_decoder *)decoder)->options),
			      .word = GEM_AUX_WORD(m->aux)};
	(void)history;
	text_add(&e->type, kinds[m->kind].name);
	text_add(&e->origin, "GEM");
	if (m->kind == GEM_TRUNCATED) {
		text_addf(&e->text, "%u of %zu bytes of a record", m->length, job.layout.size);
		return;
	}
	add_bits(&job, GEM_F_WORD, 0, 32, job.word);
	add_bits(&job, GEM_F_LSB, 0, 2, job.word & 3);
	each[m->kind](&job);
	if (m->aux & GEM_AUX_LSB_CHANGED)
		text_addf(&e->text, ", fixed bits changed to %u", job.word & 3);
	if (job.layout.width)
		record_uint(&job.r, GEM_F_TS, job.layout.time, job.layout.width,
			    time_at(&job.layout, job.r.p));
}

/* Read the global time's low half from a pair of words. */
static void
gem_read_clock(const struct decoder *decoder, const struct message *m, const struct window *w,
	       const struct expansion *e, struct clock_reading *reading)
{
	uint32_t word = GEM_AUX_WORD(m->aux), first = GEM_AUX_FIRST(m->aux);
	(void)decoder;
	(void)w;
	(void)e;
	if (m->kind != GEM_SECOND || !(m->aux & GEM_AUX_COMPLETE) ||
	    first >> GEM_VALUE_BITS != GEM_CTX_GLOBAL_TIME)
		return;
	reading->kind = CLOCK_READING_POINT;
	reading->a = m->ticks;
	reading->b = (first & 0xffffff) << 8 | gem_data8(word);
}

static const struct clock_source clocks = {
    .kinds = 1u << GEM_SYNCPOINT | 1u << GEM_CTXCHG | 1u << GEM_SNAPSHOT | 1u << GEM_SECOND,
    .link = "GEM global time",
    .a = CLOCK_TRACE,
    .b = CLOCK_GLOBAL,
    .read = gem_read_clock,
    .bits_b = 32,
    .matched = "GEM serial numbers",
};

static const struct context_row contexts[] = {
    {"task", "event_new", "ctxchg", NULL, NULL},
    {"task", "data", "second", "ctx_name", "ContextChange"},
    {"user", "data", "second", "ctx_name", "User"},
};

const struct decoder_ops gem_ops = {
    .format = "gem",
    .title = "TI GEM trace OVERLAY words",
    .help = "sync points, context changes and snapshots of a C64x+ or C66x core, in records",
    .fields = gem_fields,
    .field_count = GEM_F_COUNT,
    .kinds = kinds,
    .kind_count = GEM_KIND_COUNT,
    .options = &options_table,
    .contexts = contexts,
    .context_count = sizeof contexts / sizeof *contexts,
    .alike = "ctx_type",
    /* no unnamed: no file contains names for words */
    .clocks = &clocks,
    /* no trigger: the program writes the words */
    .reach = 2 * RECORD_MAX,
    .run_up = RUN_UP,
    .state_size = sizeof(struct gem_state),
    .checkpoint_size = DECODE_SAVED_SIZE(struct gem_state),
    .probe = gem_probe,
    .open = gem_open,
    .close = decode_plain_close,
    .start = decode_plain_start,
    .save = decode_plain_save,
    .restore = decode_plain_restore,
    .step = gem_step,
    .summarise = gem_summarise,
    .resync = gem_resync,
    .expand = gem_expand,
    /* no printer: no public tool prints it */
};
