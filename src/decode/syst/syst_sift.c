/*
 * SyS-T, sifting: prove that the text and the type of a message have no needle, without making
 * them.
 *
 * Each type of message has a rule for how its text is made.  Notes of the search keep results that
 * hold for all frames of a type, for a row of the collateral or for a format.
 */
#include "config.h"

#include "base/bytes.h"
#include "decode/syst/syst_expand.h"

#include <string.h>

enum {
	LOCATION_END = 21,	 /* most bytes up to a location's first byte */
	KEY_HEADER = 0x3f00000f, /* type and subtype, which define the kind of an id */
};

/* First words of wide note keys. */
static const uint64_t BY_OWNER = UINT64_C(1) << 62, BY_ID = UINT64_C(1) << 63;

/* A frame that is sifted. */
struct syst_sieved {
	const struct syst_decoder *d;
	const struct message *m;
	const struct syst_frame *f;
	const struct syst_sender *sender;
	const struct window *window; /* has the frame at the message's offset; or NULL */
	struct sought *sought;
};

/* True if LENGTH bytes from AT on, which are in the text, have a needle. */
static bool
part_has(const struct syst_sieved *j, size_t at, size_t length)
{
	if (j->window)
		return sought_is_in(j->sought, SOUGHT_AS_BYTES, j->window, j->m->offset + at,
				    length);
	return needles_are_in(&j->sought->needles, j->f->p + at, length);
}

/* Subjects of notes: a sender's type, a row of the collateral, all frames of a type. */
enum note { NOTE_TYPE, NOTE_ENTRY, NOTE_FORM };

static struct sought_note *
note_of(const struct syst_sieved *j, enum note what, const struct syst_client *client,
	uint64_t number)
{
	const struct syst_frame *f = j->f;
	uint64_t type = (uint64_t)what << 10 | f->type << 6 | (syst_is_short(f) ? 0 : f->subtype);
	const uint64_t key[3] = {number, (uint64_t)(uintptr_t)client, type};
	return sought_note(j->sought, key);
}

static const struct syst_client *
client_of(const struct syst_sieved *j)
{
	return syst_choose_client(j->d, j->f, j->sender, NULL, j->m).client;
}

/* True if no text of a row of the collateral has a needle, whatever the arguments. */
static bool
format_lacks(const struct syst_sieved *j, const struct syst_entry *entry)
{
	struct sought_note *note = note_of(j, NOTE_ENTRY, NULL, (uint64_t)(uintptr_t)entry);
	if (note->fresh)
		note->never =
		    syst_format_judge(j->sought, entry->text, strlen(entry->text)) == SOUGHT_NEVER;
	note->fresh = false;
	return note->never;
}

static void
pass_number(const struct sought *sought, struct sought_sieve *sieve, unsigned number)
{
	char digits[20];
	sought_pass(sought, sieve, digits, (size_t)(text_put_uint(digits, number) - digits));
}

/* True if the name of a type's subtype, as made by make_type(), has no needle. */
static bool
subtype_lacks(const struct syst_sieved *j, const struct syst_client *client,
	      struct sought_sieve *sieve)
{
	const struct syst_frame *f = j->f;
	const char *detail = syst_subtype_name(f->type, f->subtype);
	const struct syst_entry *protocol =
	    !detail && client ? syst_client_entry(client, SYST_TABLE_PROTOCOLS, f->subtype) : NULL;
	if (protocol)
		return !sought_joins(j->sought, ":") && !sieve->found &&
		       syst_format_judge(j->sought, protocol->text, strlen(protocol->text)) ==
			   SOUGHT_NEVER;
	if (detail)
		sought_pass_text(j->sought, sieve, detail);
	else
		pass_number(j->sought, sieve, f->subtype);
	return !sieve->found;
}

static bool
type_lacks(const struct syst_sieved *j)
{
	const struct syst_frame *f = j->f;
	const char *name = syst_type_name(f->type);
	bool varies =
	    f->type == SYST_RAW && syst_collateral_has(j->d->collateral, SYST_TABLE_PROTOCOLS);
	const struct syst_client *client = varies ? client_of(j) : NULL;
	struct sought_note *note = note_of(j, NOTE_TYPE, client, 0);
	struct sought_sieve sieve = {0};
	if (!note->fresh)
		return note->never;
	sought_pass_text(j->sought, &sieve, name ? name : "TYPE");
	if (!name)
		pass_number(j->sought, &sieve, f->type);
	if (!syst_is_short(f)) {
		sought_pass_text(j->sought, &sieve, ":");
		note->never = subtype_lacks(j, client, &sieve);
	} else {
		note->never = !sieve.found;
	}
	note->fresh = false;
	return note->never;
}

/* Return the verdict on the texts of an id that the collateral does not have. */
static enum sought_verdict
judge_unnamed(const struct sought *sought)
{
	struct sought_sieve sieve = {0};
	sought_pass_text(sought, &sieve, "id 0x");
	sought_pass_any(sought, &sieve, SOUGHT_NUMBERS);
	sought_pass_text(sought, &sieve, " args");
	sought_pass_any(sought, &sieve, SOUGHT_NUMBERS);
	return sieve.found ? SOUGHT_MAY : SOUGHT_NEVER;
}

/* True if the text of a CATALOG message has no needle, by its format and arguments. */
static bool
catalog_lacks(const struct syst_sieved *j, struct sought_answer *answer)
{
	const struct syst_entry *entry = syst_choose_entry(j->f, client_of(j));
	if (!entry) {
		answer->unnamed = true;
		return judge_unnamed(j->sought) == SOUGHT_NEVER;
	}
	struct syst_call call = syst_catalog_call(j->f, entry);
	const struct syst_args args = syst_call_args(j->f, &call);
	return syst_printf_lacks(j->sought, call.format, call.length, &args);
}

static bool
string_lacks(const struct syst_sieved *j)
{
	const struct syst_frame *f = j->f;
	bool terminated;
	if (!syst_is_printf(f))
		return !part_has(j, f->payload, f->payload_end - f->payload);
	struct syst_call call = syst_string_call(f, &terminated);
	const struct syst_args args = syst_call_args(f, &call);
	return syst_printf_lacks(j->sought, call.format, call.length, &args);
}

/* True if a text that is only a number has no needle. */
static bool
number_lacks(const struct syst_sieved *j)
{
	struct sought_sieve sieve = {0};
	sought_pass_any(j->sought, &sieve, SOUGHT_NUMBERS);
	return !sieve.found;
}

/* True if the text of a word, by the collateral's row or its number, has no needle. */
static bool
short_lacks(const struct syst_sieved *j)
{
	const struct syst_entry *entry = syst_choose_entry(j->f, client_of(j));
	return entry ? format_lacks(j, entry) : number_lacks(j);
}

/* True if a number with an optional text has no needle [SyS-T 1.0, BUILD, second hand: library]. */
static bool
build_lacks(const struct syst_sieved *j)
{
	const struct syst_frame *f = j->f;
	struct sought_sieve sieve = {0};
	size_t at = f->payload + 8, length = f->payload_end - f->payload - 8;
	if (f->word || at >= f->payload_end)
		return number_lacks(j);
	if (!sought_own_is_in(j->sought, f->p + at, length))
		return true;
	sought_pass_any(j->sought, &sieve, SOUGHT_NUMBERS);
	sought_pass(j->sought, &sieve, f->p + at, length);
	return !sieve.found;
}

/* [SyS-T 1.0, CLOCK, second hand: library, p_sys-t] */
static bool
clock_lacks(const struct syst_sieved *j)
{
	struct sought_sieve sieve = {0};
	sought_pass_text(j->sought, &sieve, "clock ");
	sought_pass_any(j->sought, &sieve, SOUGHT_NUMBERS);
	sought_pass_text(j->sought, &sieve, " at ");
	sought_pass_any(j->sought, &sieve, SOUGHT_NUMBERS);
	sought_pass_text(j->sought, &sieve, " Hz");
	return !sieve.found;
}

/* [SyS-T 1.0, SBD, second hand: library] */
static bool
sbd_lacks(const struct syst_sieved *j)
{
	static const uint8_t address_sizes[] = {0, 2, 4, 8};
	const struct syst_frame *f = j->f;
	struct sought_sieve sieve = {0};
	size_t address = address_sizes[f->subtype >> 2 & 3];
	sought_pass_text(j->sought, &sieve, "id 0x");
	sought_pass_any(j->sought, &sieve, SOUGHT_NUMBERS);
	if (address) {
		sought_pass_text(j->sought, &sieve, " at 0x");
		sought_pass_any(j->sought, &sieve, SOUGHT_NUMBERS);
	}
	if (f->subtype & SYST_SBD_NAMED) {
		bool terminated;
		size_t at = f->payload + (f->subtype & 1 ? 8 : 4) + address;
		sought_pass_text(j->sought, &sieve, " ");
		sought_pass(j->sought, &sieve, f->p + at, syst_text_length(f, at, &terminated));
	}
	sought_pass_text(j->sought, &sieve, ": ");
	sought_pass_any(j->sought, &sieve, SOUGHT_NUMBERS);
	return !sieve.found;
}

static bool
frame_lacks(const struct syst_sieved *j, struct sought_answer *answer)
{
	const struct syst_frame *f = j->f;
	if (f->header & SYST_HEADER_CRC && !f->word && sought_joins_begin(j->sought, syst_bad_crc))
		return false;
	switch (f->peek.kind) {
	case SYST_STRING:
		return string_lacks(j);
	case SYST_CATALOG:
		return catalog_lacks(j, answer);
	case SYST_RAW:
		return !sought_is_in_hex(j->sought, f->p + f->payload, f->payload_end - f->payload);
	case SYST_BUILD:
		return build_lacks(j);
	case SYST_SHORT32:
	case SYST_SHORT64:
		return short_lacks(j);
	case SYST_CLOCK:
		return clock_lacks(j);
	case SYST_SBD:
		return sbd_lacks(j);
	default:
		return false;
	}
}

/* True if no sound frame of a type and subtype has a needle, whatever its content.  Reads only
 * type and subtype of the frame. */
static bool
any_lacks(const struct syst_sieved *j)
{
	const struct syst_frame *f = j->f;
	const struct syst_collateral *collateral = j->d->collateral;
	switch (f->type) {
	case SYST_BUILD:
		return f->subtype != SYST_BUILD_LONG && number_lacks(j);
	case SYST_SHORT32:
		return !syst_collateral_has(collateral, SYST_TABLE_SHORT32) && number_lacks(j);
	case SYST_SHORT64:
		return !syst_collateral_has(collateral, SYST_TABLE_SHORT64) && number_lacks(j);
	case SYST_CLOCK:
		return clock_lacks(j);
	case SYST_SBD:
		return !(f->subtype & SYST_SBD_NAMED) && sbd_lacks(j);
	default:
		return false;
	}
}

/* Cheap proofs that text and type have no needle, for all frames of a form: a type, a subtype, and
 * with or without checksum. */
enum rule {
	RULE_NONE = 1, /* parse the frame; 0 is a form not met yet */
	RULE_NEVER,    /* they never have one */
	RULE_IN_PLACE, /* search their bytes */
	RULE_DIGITS,   /* search their bytes for those with a needle's digits */
	RULE_FORMAT,   /* judge the format inside them */
	RULE_ID	       /* judge the collateral's format for them */
};

static enum rule
rule_of_text(const struct syst_sieved *j)
{
	switch (j->f->type) {
	case SYST_STRING:
		if (!syst_is_printf(j->f))
			return RULE_IN_PLACE;
		return syst_complaints_lack(j->sought) ? RULE_FORMAT : RULE_NONE;
	case SYST_CATALOG:
		return RULE_ID;
	case SYST_RAW:
		if (syst_collateral_has(j->d->collateral, SYST_TABLE_PROTOCOLS))
			return RULE_NONE;
		return j->sought->in_hex ? RULE_DIGITS : RULE_NEVER;
	default:
		return any_lacks(j) ? RULE_NEVER : RULE_NONE;
	}
}

static enum rule
find_rule(const struct syst_decoder *d, uint32_t header, struct sought *sought)
{
	const struct syst_frame f = {.type = syst_header_type(header),
				     .subtype = syst_header_subtype(header)};
	const struct syst_sieved j = {.d = d, .f = &f, .sought = sought};
	if (!(syst_subtypes[f.type] >> f.subtype & 1) ||
	    (header & SYST_HEADER_CRC && sought_joins_begin(sought, syst_bad_crc)))
		return RULE_NONE;
	enum rule rule = rule_of_text(&j);
	return rule != RULE_NONE && type_lacks(&j) ? rule : RULE_NONE;
}

/* Return the rule for frames with a header, with the present collateral. */
static inline enum rule
rule_of(const struct syst_decoder *d, uint32_t header, struct sought *sought)
{
	unsigned has_crc = header / SYST_HEADER_CRC & 1;
	uint8_t *rule = &sought->forms[syst_header_subtype(header) << 5 | has_crc << 4 |
				       syst_header_type(header)];
	if (!*rule)
		*rule = (uint8_t)find_rule(d, header, sought);
	return *rule;
}

unsigned
syst_in_place(const struct syst_decoder *d, struct sought *sought, uint64_t kinds, unsigned flags)
{
	enum { PLAIN = MESSAGE_TIMED | MESSAGE_SENDER_TIMED | MESSAGE_SYNC | MESSAGE_RESYNC };
	unsigned looks = 1u << SOUGHT_AS_BYTES;
	if (flags & ~(unsigned)PLAIN) /* includes MESSAGE_CHECKED: checksums and formats */
		return 0;
	if (kinds >> SYST_UNKNOWN)
		return 0;
	sought_rest_on(sought, d->collateral);
	for (uint32_t kind = 0; kind < SYST_UNKNOWN; kind++)
		for (uint32_t subtype = 0; kinds >> kind & 1 && subtype < 64; subtype++) {
			if (!(syst_subtypes[kind] >> subtype & 1) ||
			    syst_formatted[kind] >> subtype & 1)
				continue;
			enum rule rule = rule_of(d, kind | subtype << 24, sought);
			if (rule != RULE_NEVER && rule != RULE_IN_PLACE && rule != RULE_DIGITS)
				return 0;
			looks |= (unsigned)(rule == RULE_DIGITS) << SOUGHT_AS_DIGITS;
		}
	return looks;
}

/* --- following rules --------------------------------------------------------- */

/* A frame and its payload, while its rule is followed. */
struct ruled {
	const struct syst_decoder *d;
	const struct message *m;
	const uint8_t *p;
	size_t length, payload, end;
	const struct syst_sender *sender;
	const struct window *window;
	struct sought *sought;
	bool unnamed; /* as in struct expansion */
};

/* True if the payload has a needle, or may have one.  A match in the header does not count,
 * because many frames can have the same header. */
static inline bool
bytes_have(const struct ruled *r, enum sought_look look)
{
	if (r->window && !sought_is_in(r->sought, look, r->window, r->m->offset, r->length))
		return false;
	const uint8_t *p = r->p + r->payload;
	size_t length = r->end - r->payload;
	return look == SOUGHT_AS_BYTES ? needles_are_in(&r->sought->needles, p, length)
				       : sought_is_in_hex(r->sought, p, length);
}

/* Return the verdict on a PRINTF frame by its format, and if that does not decide, by its
 * arguments. */
static enum sought_verdict
judge_printf(const struct ruled *r, uint32_t header)
{
	const uint8_t *p = r->p + r->payload;
	const char *format = (const char *)p;
	size_t left = r->end - r->payload, length = strnlen(format, left);
	if (length == left)
		return SOUGHT_MAY;
	if (syst_printf_in_place(r->sought, format, length))
		return SOUGHT_IN_PLACE;
	const struct syst_args args =
	    syst_string_args(p, left, length, syst_header_subtype(header));
	return syst_printf_lacks(r->sought, format, length, &args) ? SOUGHT_NEVER : SOUGHT_MAY;
}

/* Add the owner of a frame's ids to a key: its GUID, or else its sender and module. */
static void
add_owner(const struct ruled *r, uint32_t header, uint64_t key[static 3])
{
	if (header & SYST_HEADER_GUID) {
		key[0] |= SYST_HEADER_GUID;
		memcpy(&key[1], r->p + 4, 16);
		return;
	}
	key[0] |= header & SYST_HEADER_MODULE;
	if (r->sender)
		key[1] = 1ull << 32 | (uint32_t)r->sender->master << 16 | r->sender->channel;
}

/* Return the collateral's client that owns a frame's ids.  Cached in a note. */
static const struct syst_client *
find_owner(const struct ruled *r, uint32_t header)
{
	uint64_t key[SOUGHT_KEY] = {BY_OWNER};
	add_owner(r, header, key);
	struct sought_note *note = sought_note_wide(r->sought, key);
	if (note->fresh) {
		struct syst_frame f;
		syst_frame_parse(&f, r->p, r->length);
		note->found = syst_choose_client(r->d, &f, r->sender, NULL, r->m).client;
		note->fresh = false;
	}
	return note->found;
}

/* Fill in the note on all frames with the same id and the same owner. */
static void
note_id(const struct ruled *r, struct sought_note *note)
{
	struct syst_frame f;
	syst_frame_parse(&f, r->p, r->length);
	const struct syst_sieved j = {
	    .d = r->d, .m = r->m, .f = &f, .sender = r->sender, .sought = r->sought};
	const struct syst_entry *entry = syst_choose_entry(&f, client_of(&j));
	note->fresh = false;
	note->unnamed = !entry;
	note->verdict = entry ? syst_format_judge(r->sought, entry->text, strlen(entry->text))
			      : judge_unnamed(r->sought);
}

/* Return the verdict on a CATALOG frame by its id.  Many senders share few clients. */
static enum sought_verdict
judge_id(struct ruled *r, uint32_t header)
{
	size_t size = header >> 24 & 1 ? 4 : 8;
	uint64_t key[SOUGHT_KEY] = {BY_ID | (header & KEY_HEADER)};
	if (atomic_load(&r->d->base.needs_history) || r->end - r->payload < size)
		return SOUGHT_MAY;
	if (r->sender)
		key[1] = (uint64_t)(uintptr_t)find_owner(r, header);
	else
		add_owner(r, header, key);
	key[4] = bytes_le(r->p + r->payload, size);
	struct sought_note *note = sought_note_wide(r->sought, key);
	if (note->fresh)
		note_id(r, note);
	r->unnamed |= note->unnamed;
	return (enum sought_verdict)note->verdict;
}

/* Find the payload of a frame with a full header.  Return false if it is not in the frame. */
static inline bool
find_payload(struct ruled *r, uint32_t header)
{
	size_t behind = header & SYST_HEADER_CRC ? 4 : 0;
	if (header & SYST_HEADER_LOCATION && r->length < LOCATION_END)
		return false;
	r->payload = syst_layout(header, r->p).payload;
	r->end = r->length - behind;
	return r->payload + behind <= r->length;
}

/* Return the verdict on text and type of a frame.  NEVER: neither has a needle.  ALWAYS: the text
 * has one.  MAY: unknown, or only with more work. */
static inline __attribute__((always_inline)) enum sought_verdict
follow_rule(struct ruled *r)
{
	const struct message *m = r->m;
	if (m->kind >= SYST_UNKNOWN || m->flags & (MESSAGE_LOSS | MESSAGE_SUSPECT) || r->length < 4)
		return SOUGHT_MAY;
	uint32_t header = bytes_le32(r->p);
	enum rule rule = rule_of(r->d, header, r->sought);
	if (rule <= RULE_NEVER)
		return rule == RULE_NEVER ? SOUGHT_NEVER : SOUGHT_MAY;
	if (!find_payload(r, header))
		return SOUGHT_MAY;
	enum sought_look look = rule == RULE_DIGITS ? SOUGHT_AS_DIGITS : SOUGHT_AS_BYTES;
	enum sought_verdict verdict = rule == RULE_ID	    ? judge_id(r, header)
				      : rule == RULE_FORMAT ? judge_printf(r, header)
							    : SOUGHT_IN_PLACE;
	if (verdict != SOUGHT_IN_PLACE)
		return verdict;
	return bytes_have(r, look) ? SOUGHT_MAY : SOUGHT_NEVER;
}

/* --- parsed frames ----------------------------------------------------------- */

/* Set the inputs that determine the text of a sound frame: its type, its payload, the collateral's
 * row for its number, and the byte that the printer would find after it. */
static void
find_text_bytes(const struct syst_sieved *j, struct sought_answer *answer)
{
	const struct syst_frame *f = j->f;
	const struct syst_entry *entry = NULL;
	uint32_t stated, computed;
	if (syst_frame_crc(f, &stated, &computed) && stated != computed)
		return; /* the text starts with syst_bad_crc */
	if (j->d->collateral && syst_has_entry(f))
		entry = syst_choose_entry(f, client_of(j));
	answer->unnamed = f->peek.kind == SYST_CATALOG && !entry;
	size_t from = f->word ? 0 : f->payload;
	answer->text_bytes = f->p + from;
	answer->text_bytes_length = f->payload_end - from;
	answer->text_from = entry;
	answer->text_form = (uint16_t)(f->type | f->subtype << 4 | (unsigned)f->word << 10 |
				       (unsigned)syst_nul_behind(f) << 11);
}

/* Return a text without format or checksum.  The bytes may have changed since step() read them. */
const char *
syst_text(const struct message *m, const uint8_t *p, size_t length, size_t *size)
{
	const unsigned doubtful = MESSAGE_LOSS | MESSAGE_SUSPECT | MESSAGE_DAMAGED;
	if (m->kind != SYST_STRING || m->flags & doubtful || length < 4)
		return NULL;
	uint32_t header = bytes_le32(p);
	if (header & SYST_HEADER_LOCATION && length < LOCATION_END)
		return NULL;
	size_t from = syst_layout(header, p).payload;
	bool formatted = syst_formatted[SYST_STRING] >> syst_header_subtype(header) & 1;
	if (header & SYST_HEADER_CRC || formatted || from > length)
		return NULL;
	*size = strnlen((const char *)p + from, length - from);
	return (const char *)p + from;
}

void
syst_sift(const struct syst_decoder *d, const struct message *m, const uint8_t *p, size_t length,
	  const struct syst_sender *sender, const struct window *window, struct sought *sought,
	  struct sought_answer *answer)
{
	struct syst_frame f;
	const struct syst_sieved j = {
	    .d = d, .m = m, .f = &f, .sender = sender, .window = window, .sought = sought};
	struct ruled r = {.d = d,
			  .m = m,
			  .p = p,
			  .length = length,
			  .sender = sender,
			  .window = window,
			  .sought = sought};
	if (sought)
		sought_rest_on(sought, d->collateral);
	enum sought_verdict verdict = sought ? follow_rule(&r) : SOUGHT_MAY;
	answer->text_lacks = answer->type_lacks = verdict == SOUGHT_NEVER;
	answer->text_has = verdict == SOUGHT_ALWAYS;
	answer->unnamed = r.unnamed;
	if (answer->text_has)
		answer->keyed = syst_type_key(d, m, p, length, &answer->type_key);
	if (answer->text_has || answer->text_lacks)
		return;
	syst_frame_parse(&f, p, length);
	/* the sender's client, and so the meaning of numbers, may depend on earlier messages */
	bool varies = atomic_load(&d->base.needs_history) && syst_has_entry(&f);
	if (f.fault != SYST_SOUND || m->flags & (MESSAGE_LOSS | MESSAGE_SUSPECT) || varies)
		return;
	answer->keyed = syst_type_key(d, m, p, length, &answer->type_key);
	if (sought) {
		answer->text_lacks = frame_lacks(&j, answer);
		answer->type_lacks = answer->text_lacks && type_lacks(&j);
	} else {
		find_text_bytes(&j, answer);
	}
	if (!answer->text_lacks)
		answer->text = syst_text(m, p, length, &answer->text_length);
}
