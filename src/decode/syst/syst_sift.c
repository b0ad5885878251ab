/*
 * SyS-T, sifting: what the text and the type of a message lack, without making them.
 *
 * Each type of message has a rule of how its text comes about.  What holds for all frames
 * of a type, a row of the collateral or a format is found once and noted with what is
 * sought.
 */
#include "config.h"

#include "base/bytes.h"
#include "decode/syst/syst_expand.h"

#include <string.h>

enum { LOCATION_END = 21 /* of the first byte of a location, at most */ };

/* A frame that is sifted. */
struct syst_sieved {
	const struct syst_decoder *d;
	const struct message *m;
	const struct syst_frame *f;
	const struct syst_sender *sender;
	const struct window *window; /* that has the frame at the message's offset; or NULL */
	struct sought *sought;
};

/* Whether LENGTH bytes from AT on, which stand in the text, have a needle. */
static bool
part_has(const struct syst_sieved *j, size_t at, size_t length)
{
	if (j->window)
		return sought_is_in(j->sought, j->window, j->m->offset + at, length);
	return needles_are_in(&j->sought->needles, j->f->p + at, length);
}

/* What is noted: of a sender's type; of a row of the collateral; of all frames of a type. */
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

/* A note of the frame's type and subtype, for the collateral as it is. */
static struct sought_note *
note_type(const struct syst_sieved *j, enum note what)
{
	return note_of(j, what, NULL, (uint64_t)(uintptr_t)j->d->collateral);
}

/* Whether no text of a row of the collateral has it, whatever the arguments. */
static bool
format_lacks(const struct syst_sieved *j, const struct syst_entry *entry)
{
	struct sought_note *note = note_of(j, NOTE_ENTRY, NULL, (uint64_t)(uintptr_t)entry);
	if (note->fresh)
		note->never = syst_format_lacks(j->sought, entry->text, strlen(entry->text));
	note->fresh = false;
	return note->never;
}

/* Whether the name of a type's subtype lacks it: as make_type() makes it. */
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
		       syst_format_lacks(j->sought, protocol->text, strlen(protocol->text));
	if (detail)
		sought_pass_text(j->sought, sieve, detail);
	else
		sought_pass_any(j->sought, sieve, SOUGHT_NUMBERS);
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
		sought_pass_any(j->sought, &sieve, SOUGHT_NUMBERS);
	if (!syst_is_short(f)) {
		sought_pass_text(j->sought, &sieve, ":");
		note->never = subtype_lacks(j, client, &sieve);
	} else {
		note->never = !sieve.found;
	}
	note->fresh = false;
	return note->never;
}

static bool
catalog_lacks(const struct syst_sieved *j, struct sought_answer *answer)
{
	const struct syst_entry *entry = syst_choose_entry(j->f, client_of(j));
	if (!entry) {
		struct sought_sieve sieve = {0};
		answer->unnamed = true;
		sought_pass_text(j->sought, &sieve, "id 0x");
		sought_pass_any(j->sought, &sieve, SOUGHT_NUMBERS);
		sought_pass_text(j->sought, &sieve, " args");
		sought_pass_any(j->sought, &sieve, SOUGHT_NUMBERS);
		return !sieve.found;
	}
	if (format_lacks(j, entry))
		return true;
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

/* What stands for a number alone. */
static bool
number_lacks(const struct syst_sieved *j)
{
	struct sought_sieve sieve = {0};
	sought_pass_any(j->sought, &sieve, SOUGHT_NUMBERS);
	return !sieve.found;
}

/* The collateral's row for a word, or its number. */
static bool
short_lacks(const struct syst_sieved *j)
{
	const struct syst_entry *entry = syst_choose_entry(j->f, client_of(j));
	return entry ? format_lacks(j, entry) : number_lacks(j);
}

/* A number, and perhaps a text behind it. */
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
	if (f->header & SYST_HEADER_CRC && !f->word && sought_joins(j->sought, syst_bad_crc))
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

/* Whether sound frames of a type and subtype lack it, whatever else they say, unless
 * says_more(); nothing else of the frame need be there. */
static bool
any_lacks(const struct syst_sieved *j)
{
	const struct syst_frame *f = j->f;
	const struct syst_collateral *collateral = j->d->collateral;
	if (sought_joins(j->sought, syst_bad_crc))
		return false;
	switch (f->type) {
	case SYST_BUILD:
		return f->subtype != SYST_BUILD_LONG && number_lacks(j);
	case SYST_SHORT32:
		return !syst_collateral_has(collateral, SYST_TABLE_SHORT32) && number_lacks(j);
	case SYST_SHORT64:
		return !syst_collateral_has(collateral, SYST_TABLE_SHORT64) && number_lacks(j);
	case SYST_RAW:
		return !syst_collateral_has(collateral, SYST_TABLE_PROTOCOLS) && !j->sought->in_hex;
	case SYST_CLOCK:
		return clock_lacks(j);
	case SYST_SBD:
		return !(f->subtype & SYST_SBD_NAMED) && sbd_lacks(j);
	default:
		return false;
	}
}

/* Whether most of such frames say more than any_lacks asks for. */
static bool
says_more(const struct syst_sieved *j)
{
	unsigned type = j->f->type;
	return type == SYST_STRING || type == SYST_CATALOG ||
	       (type == SYST_RAW && j->sought->in_hex);
}

/* As any_lacks, with their type; noted. */
static bool
form_lacks(const struct syst_sieved *j)
{
	if (says_more(j))
		return false;
	struct sought_note *note = note_type(j, NOTE_FORM);
	if (note->fresh) {
		bool never = any_lacks(j) && type_lacks(j);
		note = note_type(j, NOTE_FORM); /* that of the type may have taken its place */
		note->never = never;
	}
	note->fresh = false;
	return note->never;
}

/* Whether no type of a kind, nor its text but for bytes that stand in the frame, can have a
 * needle. */
static bool
kind_lacks(const struct syst_decoder *d, struct sought *sought, unsigned kind)
{
	static const struct message m;
	struct syst_frame f = {.type = kind};
	const struct syst_sieved j = {.d = d, .m = &m, .f = &f, .sought = sought};
	bool never = true;
	for (f.subtype = 0; never && f.subtype < 64; f.subtype++)
		never = kind == SYST_STRING ? type_lacks(&j) : form_lacks(&j);
	return never;
}

bool
syst_in_place(const struct syst_decoder *d, struct sought *sought, uint64_t kinds, unsigned flags)
{
	enum { PLAIN = MESSAGE_TIMED | MESSAGE_SENDER_TIMED | MESSAGE_SYNC | MESSAGE_RESYNC };
	if (flags & ~(unsigned)PLAIN) /* checksums and formats among them: MESSAGE_CHECKED */
		return false;
	for (unsigned kind = 0; kinds >> kind; kind++)
		if (kinds >> kind & 1 && !kind_lacks(d, sought, kind))
			return false;
	return true;
}

/* What the text of a sound frame follows from: its type, its payload, what the collateral
 * has for its number, and what the printer would find behind it. */
static void
find_text_bytes(const struct syst_sieved *j, struct sought_answer *answer)
{
	const struct syst_frame *f = j->f;
	const struct syst_entry *entry = NULL;
	uint32_t stated, computed;
	if (syst_frame_crc(f, &stated, &computed) && stated != computed)
		return; /* the text says so */
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

/* A text without format or checksum.  The bytes may have changed since they were stepped over. */
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
	bool sound = !(m->flags & (MESSAGE_LOSS | MESSAGE_SUSPECT));
	f.type = m->kind;
	f.subtype = length < 4 ? 0 : syst_header_subtype(bytes_le32(p));
	if (sought && sound && m->kind < SYST_UNKNOWN && form_lacks(&j)) {
		answer->text_lacks = answer->type_lacks = true;
		return;
	}
	syst_frame_parse(&f, p, length);
	/* who sent it, and so what its numbers mean, may depend on what came before */
	bool varies = atomic_load(&d->base.needs_history) && syst_has_entry(&f);
	if (f.fault != SYST_SOUND || !sound || varies)
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
