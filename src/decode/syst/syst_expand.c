/*
 * SyS-T, expanding: make the text and the tree of fields of a message.
 *
 * The frame is parsed once (syst_frame_parse), and its sender and format are looked up in the
 * collateral.  Then one function per type makes text and fields together.  Texts are those of
 * the reference printer where that one is right.
 *
 * An inconsistent frame still shows the parts that it has.
 */
#include "config.h"

#include "base/bytes.h"
#include "decode/argument.h"
#include "decode/syst/syst_collateral.h"
#include "decode/syst/syst_expand.h"
#include "decode/syst/syst_frame.h"
#include "decode/syst/syst_printf.h"

#include <string.h>

enum { PRINTER_BLOCK = 24 /* see nul_behind */ };

struct syst_job {
	const struct syst_frame *f;
	struct syst_client_choice choice;
	const struct syst_entry *entry; /* row of a CATALOG or SHORT message */
	struct expansion *e;
};

/* --- adding fields ----------------------------------------------------- */

static struct field *
add_bits(struct syst_job *j, enum syst_field row, size_t bit, size_t bits)
{
	if (j->e->exported && syst_fields[row].detail)
		return &j->e->spare;
	return expansion_add(j->e, &syst_fields[row], FIELD_PAYLOAD, bit, (uint32_t)bits);
}

static void
add_uint(struct syst_job *j, enum syst_field row, size_t at, size_t bytes, uint64_t value)
{
	add_bits(j, row, 8 * at, 8 * bytes)->u = value;
}

/* Add a field of bytes or text: those of the frame from AT on. */
static void
add_part(struct syst_job *j, enum syst_field row, size_t at, size_t length)
{
	struct field *field = add_bits(j, row, 8 * at, 8 * length);
	field->s.at = (const char *)j->f->p + at;
	field->s.length = length;
}

/* Add a text that is not in the frame, or not in this form. */
static struct field *
add_text(struct syst_job *j, enum syst_field row, const char *text, size_t length)
{
	struct field *field = add_bits(j, row, 0, 0);
	field->place = FIELD_NOWHERE;
	field->s.at = text;
	field->s.length = length;
	return field;
}

static void
add_note(struct syst_job *j, const char *text)
{
	add_text(j, SYST_F_NOTE, text, strlen(text));
}

static void
add_trailing(struct syst_job *j, size_t at)
{
	if (at < j->f->payload_end)
		add_part(j, SYST_F_TRAILING, at, j->f->payload_end - at);
}

static struct field *
open_level(struct syst_job *j, enum syst_field row, size_t at, size_t length)
{
	return expansion_open(j->e, &syst_fields[row], FIELD_PAYLOAD, 8 * at,
			      (uint32_t)(8 * length));
}

/* --- sender ------------------------------------------------------------ */

/* Return the number of a COMPACT build.  The subtype lies inside the number: bits 0 to 19 are
 * below it, the rest starts at bit 30 [SyS-T 1.0, BUILD, second hand: library].  The reference
 * printer takes bits 28 and 29 for 30 and 31, and so loses two bits of the number. */
static uint64_t
compact_build(const struct syst_frame *f)
{
	uint64_t word = bytes_le(f->p, f->payload_end);
	return (word >> 4 & 0xfffff) | word >> 30 << 20;
}

static uint64_t
build_number(const struct syst_frame *f)
{
	return f->word ? compact_build(f) : bytes_le64(f->p + f->payload);
}

/* Get the GUID of a frame's sender.  Return false if it has none. */
static bool
stated_guid(const struct syst_decoder *d, const struct syst_frame *f, uint8_t guid[static 16])
{
	if (f->word) {
		memcpy(guid, d->guid, 16);
		return d->has_guid;
	}
	if (!syst_frame_has(f, SYST_HEADER_GUID, f->at.guid, 16))
		return false;
	memcpy(guid, f->p + f->at.guid, 16);
	return true;
}

static unsigned
module_of(uint32_t header)
{
	return header >> 16 & 0x7f;
}

/* Make the GUID that represents a sender without one in the collateral: the module in byte 7,
 * known from the reference printer's behaviour [SyS-T 1.0, second hand: systprint]. */
static void
printer_guid(uint32_t header, uint8_t guid[static 16])
{
	memset(guid, 0, 16);
	guid[7] = (uint8_t)module_of(header);
}

/* Make that GUID as in the library's documentation and its example collateral: master, channel,
 * and the module in byte 8 [SyS-T 1.0, collateral, second hand: library]. */
static void
pseudo_guid(uint32_t header, const struct syst_sender *sender, uint8_t guid[static 16])
{
	memset(guid, 0, 16);
	guid[4] = (uint8_t)(sender->master >> 8);
	guid[5] = (uint8_t)sender->master;
	guid[6] = (uint8_t)(sender->channel >> 8);
	guid[7] = (uint8_t)sender->channel;
	guid[8] = (uint8_t)module_of(header);
}

static bool
lacks_guid(const struct syst_frame *f)
{
	return f->length >= 4 && !f->word && !(f->header & SYST_HEADER_GUID);
}

/* Get the GUID under which the frame's sender announces its build.  Return false if it has none. */
static bool
announcing_guid(const struct syst_decoder *d, const struct syst_frame *f,
		const struct syst_sender *sender, uint8_t guid[static 16])
{
	if (stated_guid(d, f, guid))
		return true;
	if (sender && (f->word || lacks_guid(f)))
		pseudo_guid(f->word ? 0 : f->header, sender, guid);
	else if (lacks_guid(f))
		printer_guid(f->header, guid);
	else
		return false;
	return true;
}

/* Make a GUID that may represent a sender without one in the collateral: if FIRST, the
 * reference printer's, else the library's.  Return false if it has none of that kind.  A word
 * has no module. */
static bool
stand_in_guid(const struct syst_frame *f, const struct syst_sender *sender, bool first,
	      uint8_t guid[static 16])
{
	static const struct syst_sender unknown = {0};
	if (first && lacks_guid(f))
		printer_guid(f->header, guid);
	else if (!first && (lacks_guid(f) || (f->word && sender)))
		pseudo_guid(f->word ? 0 : f->header, sender ? sender : &unknown, guid);
	else
		return false;
	return true;
}

/* Return the build of the frame's sender: that of a BUILD message, else the last one announced. */
static struct syst_build
build_of(const struct syst_decoder *d, const struct syst_frame *f, const struct syst_sender *sender,
	 const struct decode_history *history, const struct message *m, uint8_t guid[static 16])
{
	struct syst_build build = {.history = history, .before = m, .guid = guid};
	build.known = history && f->fault == SYST_SOUND && f->peek.kind == SYST_BUILD;
	build.found = build.known || !announcing_guid(d, f, sender, guid);
	if (build.known)
		build.number = build_number(f);
	return build;
}

/* Find a client by the sender's GUID, then by those that may represent it. */
static void
find_client(const struct syst_collateral *collateral, const struct syst_frame *f,
	    const struct syst_sender *sender, struct syst_build *build,
	    struct syst_client_choice *choice)
{
	uint8_t guid[16];
	if (choice->has_guid)
		choice->client =
		    syst_collateral_client(collateral, choice->guid, build, &choice->excluded);
	for (unsigned i = 0; i < 2 && !choice->client; i++) {
		bool excluded;
		if (!stand_in_guid(f, sender, i == 0, guid))
			continue;
		choice->client = syst_collateral_client(collateral, guid, build, &excluded);
		choice->excluded |= excluded;
	}
}

/* Like find_client() where builds do not matter, with a cache. */
static void
recall_client(struct syst_memory *memory, const struct syst_collateral *collateral,
	      const struct syst_frame *f, const struct syst_sender *sender, const struct message *m,
	      struct syst_client_choice *choice)
{
	enum { SENDERS = sizeof memory->senders / sizeof *memory->senders };
	struct syst_build build = {.found = true};
	/* all units of a sender without GUID share one entry */
	uint64_t key = lacks_guid(f) ? m->origin ^ (f->header >> 12 & 15) : m->origin;
	struct syst_known_sender *known =
	    &memory->senders[key * 0x9e3779b97f4a7c15u >> 32 & (SENDERS - 1)];
	if (memory->collateral != collateral)
		*memory = (struct syst_memory){.collateral = collateral};
	if (known->key != key || !key) {
		find_client(collateral, f, sender, &build, choice);
		*known = (struct syst_known_sender){key, choice->client, choice->excluded};
	}
	choice->client = known->client;
	choice->excluded = known->excluded;
}

struct syst_client_choice
syst_choose_client(const struct syst_decoder *d, const struct syst_frame *f,
		   const struct syst_sender *sender, const struct decode_history *history,
		   const struct message *m)
{
	const struct syst_collateral *collateral = d->collateral;
	struct syst_client_choice choice = {0};
	uint8_t announcing[16];
	choice.has_guid = stated_guid(d, f, choice.guid);
	if (!collateral)
		return choice;
	if (history && history->memory && f->fault == SYST_SOUND &&
	    !syst_collateral_needs_history(collateral)) {
		struct syst_memory *memory = (void *)((char *)history->memory + d->memory_at);
		recall_client(memory, collateral, f, sender, m, &choice);
	} else {
		struct syst_build build = build_of(d, f, sender, history, m, announcing);
		find_client(collateral, f, sender, &build, &choice);
	}
	return choice;
}

/* Return the row of a client's table for a number, NULL without collateral. */
static const struct syst_entry *
look_up(const struct syst_job *j, enum syst_table table, uint64_t id)
{
	return j->choice.client ? syst_client_entry(j->choice.client, table, id) : NULL;
}

static void
make_origin(struct syst_job *j)
{
	const struct syst_frame *f = j->f;
	char guid[SYST_GUID_TEXT];
	bool has_module = f->length >= 4 && !f->word && !(f->header & SYST_HEADER_GUID);
	const struct syst_entry *module =
	    has_module ? look_up(j, SYST_TABLE_MODULES, module_of(f->header)) : NULL;
	if (module) {
		text_add(&j->e->origin, module->text);
	} else if (j->choice.client) {
		text_add(&j->e->origin, syst_client_name(j->choice.client));
	} else if (j->choice.has_guid) {
		text_add(&j->e->origin, syst_guid_text(guid, j->choice.guid));
	} else if (has_module) {
		text_add_uint(&j->e->origin, module_of(f->header));
		text_add_char(&j->e->origin, ':');
		text_add_uint(&j->e->origin, f->header >> 12 & 15);
	}
}

/* --- type, header ------------------------------------------------------ */

static void
add_protocol(struct syst_job *j, unsigned subtype)
{
	const struct syst_entry *protocol = look_up(j, SYST_TABLE_PROTOCOLS, subtype);
	const uint8_t bytes[4] = {(uint8_t)subtype};
	const struct syst_args args = {
	    .at = bytes, .length = sizeof bytes, .apart = protocol ? protocol->apart : NULL};
	if (protocol)
		syst_printf(&j->e->type, protocol->text, strlen(protocol->text), &args, NULL);
	else
		text_addf(&j->e->type, "%u", subtype);
}

/* True for SHORT: a word that is the sender's number, except for the type. */
static bool
is_short(const struct syst_frame *f)
{
	return f->type == SYST_SHORT32 || f->type == SYST_SHORT64;
}

static void
make_type(struct syst_job *j)
{
	struct text *out = &j->e->type;
	unsigned type = j->f->type, subtype = j->f->subtype;
	const char *name = syst_type_name(type), *detail = syst_subtype_name(type, subtype);
	if (j->f->length < 4) {
		text_add(out, "BAD");
		return;
	}
	if (name)
		text_add(out, name);
	else
		text_addf(out, "TYPE%u", type);
	if (is_short(j->f))
		return;
	text_add(out, ":");
	if (detail)
		text_add(out, detail);
	else if (type == SYST_RAW)
		add_protocol(j, subtype);
	else
		text_addf(out, "%u", subtype);
}

/* Add module and unit, which are in the header too. */
static void
add_sender(struct syst_job *j)
{
	uint32_t header = j->f->header;
	if (header & SYST_HEADER_GUID) {
		add_bits(j, SYST_F_UNIT, 12, 11)->u = header >> 12 & 0x7ff;
	} else {
		struct field *module = add_bits(j, SYST_F_MODULE, 16, 7);
		module->u = module_of(header);
		const struct syst_entry *known = look_up(j, SYST_TABLE_MODULES, module->u);
		if (known && !j->e->fieldless) {
			struct text safe = {0};
			text_add_safe(&safe, known->text, strlen(known->text), TEXT_ASCII);
			module->note = arena_text(&j->e->arena, text_get(&safe), safe.length);
			text_free(&safe);
		}
		add_bits(j, SYST_F_UNIT, 12, 4)->u = header >> 12 & 15;
	}
}

static void
add_header(struct syst_job *j)
{
	static const struct {
		enum syst_field row;
		uint32_t flag;
		size_t bit;
	} flags[] = {
	    {SYST_F_HAS_LOCATION, SYST_HEADER_LOCATION, 8},
	    {SYST_F_HAS_LENGTH, SYST_HEADER_LENGTH, 9},
	    {SYST_F_HAS_CRC, SYST_HEADER_CRC, 10},
	    {SYST_F_HAS_TIME, SYST_HEADER_TIME, 11},
	    {SYST_F_HAS_GUID, SYST_HEADER_GUID, 23},
	};
	const struct syst_frame *f = j->f;
	uint32_t header = f->header;

	open_level(j, SYST_F_HEADER, 0, 4);
	add_bits(j, SYST_F_TYPE, 0, 4)->u = f->type;
	if (f->word) {
		if (f->type == SYST_BUILD)
			add_bits(j, SYST_F_SUBTYPE, 24, 6)->u = f->subtype;
		expansion_close(j->e);
		return;
	}
	add_bits(j, SYST_F_SEVERITY, 4, 3)->u = header >> 4 & 7;
	if (header >> 7 & 1)
		add_bits(j, SYST_F_RESERVED, 7, 1)->u = 1;
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		add_bits(j, flags[i].row, flags[i].bit, 1)->u = (header & flags[i].flag) != 0;
	struct field *subtype = add_bits(j, SYST_F_SUBTYPE, 24, 6);
	subtype->u = f->subtype;
	subtype->note = syst_subtype_name(f->type, f->subtype);
	if (header >> 30)
		add_bits(j, SYST_F_RESERVED, 30, 2)->u = header >> 30;
	expansion_close(j->e);
}

/* --- the parts before the payload -------------------------------------- */

/* Append a source file by number, as FILE:LINE. */
static void
text_source(const struct syst_client *client, struct text *out, uint32_t file, uint32_t line)
{
	const struct syst_entry *name =
	    client ? syst_client_entry(client, SYST_TABLE_FILES, file) : NULL;
	if (name)
		text_add(out, name->text);
	else
		text_addf(out, "%u", file);
	text_addf(out, ":%u", line);
}

/* Return the size of the frame's location, 0 if it has none.  Set *ADDRESS to true if it is an
 * address. */
static size_t
location_size(const struct syst_frame *f, bool *address)
{
	size_t size = (size_t)(f->at.length - f->at.location);
	bool given = size && syst_frame_has(f, SYST_HEADER_LOCATION, f->at.location, size);
	*address = given && f->p[f->at.location] & SYST_LOCATION_ADDRESS;
	return given ? size : 0;
}

void
syst_source(const struct syst_frame *f, const struct syst_client *client,
	    const struct syst_entry *entry, struct text *out)
{
	bool address;
	size_t size = location_size(f, &address);
	size_t value = f->at.location + 1u, half = size / 2;
	if (size && !address)
		text_source(client, out, (uint32_t)bytes_le(f->p + value, half),
			    (uint32_t)bytes_le(f->p + value + half, half));
	else if (entry && entry->has_file)
		text_source(client, out, entry->file, entry->line);
}

size_t
syst_address(const struct syst_frame *f, uint64_t *value)
{
	bool address;
	size_t size = location_size(f, &address);
	if (!address)
		return 0;
	*value = bytes_le(f->p + f->at.location + 1, size - 1);
	return size - 1;
}

static void
add_location(struct syst_job *j)
{
	const struct syst_frame *f = j->f;
	struct text text = {0};
	uint64_t address;
	bool is_address;
	size_t size = location_size(f, &is_address), digits = 2 * syst_address(f, &address);
	if (!size && !(j->entry && j->entry->has_file))
		return; /* most messages have none */
	syst_source(f, j->choice.client, j->entry, &text);
	if (digits)
		text_addf(&text, "%s0x%0*llX", text.length ? " " : "", (int)digits,
			  (unsigned long long)address);
	if (text.length) {
		struct field *field =
		    add_text(j, SYST_F_LOCATION, arena_copy(&j->e->arena, text.data, text.length),
			     text.length);
		if (size) {
			field->place = FIELD_PAYLOAD;
			field->bit = 8ull * f->at.location;
			field->bits = (uint32_t)(8 * size);
		}
	}
	text_free(&text);
}

static void
add_prefix(struct syst_job *j)
{
	const struct syst_frame *f = j->f;
	char guid[SYST_GUID_TEXT];
	if (syst_frame_has(f, SYST_HEADER_GUID, f->at.guid, 16)) {
		struct field *field = add_bits(j, SYST_F_GUID, 8 * f->at.guid, 128);
		field->s.at = arena_copy(&j->e->arena, syst_guid_text(guid, f->p + f->at.guid),
					 SYST_GUID_TEXT);
		field->s.length = SYST_GUID_TEXT - 1;
	}
	add_location(j);
	if (syst_frame_has(f, SYST_HEADER_LENGTH, f->at.length, 2))
		add_uint(j, SYST_F_PAYLOAD_LENGTH, f->at.length, 2,
			 bytes_le16(f->p + f->at.length));
	if (syst_frame_has(f, SYST_HEADER_TIME, f->at.time, 8))
		add_uint(j, SYST_F_MSG_TS, f->at.time, 8, bytes_le64(f->p + f->at.time));
}

/* --- payloads ---------------------------------------------------------- */

/* Return the value of a single word without its type: 28 or 60 bits [SyS-T 1.0, SHORT, second
 * hand: library, systprint]. */
static uint64_t
word_value(const struct syst_frame *f)
{
	return bytes_le(f->p, f->payload_end) >> 4;
}

/* Return the length of the text at AT: up to its NUL, or to the payload's end.  The library and
 * p_sys-t write texts without NUL [SyS-T 1.0, STRING, second hand: library, p_sys-t]. */
/* Return the length of the text at AT: up to its NUL, or to the payload's end. */
static size_t
text_length(const struct syst_frame *f, size_t at, bool *terminated)
{
	const uint8_t *nul = at < f->payload_end ? memchr(f->p + at, 0, f->payload_end - at) : NULL;
	*terminated = nul != NULL;
	return nul ? (size_t)(nul - f->p) - at : f->payload_end - at;
}

static size_t
put_string(struct syst_job *j, size_t at)
{
	bool terminated;
	size_t length = text_length(j->f, at, &terminated);
	text_add_bytes(&j->e->text, j->f->p + at, length);
	add_part(j, SYST_F_STRING, at, length);
	return at + length + terminated;
}

/* Expand BUILD.  LONG is a number of 64 bits, then an optional text [SyS-T 1.0, BUILD, second
 * hand: library, systprint]. */
static void
expand_build(struct syst_job *j)
{
	const struct syst_frame *f = j->f;
	uint64_t number = build_number(f);
	int digits = f->word && f->payload_end == 4 ? 8 : 16;
	text_addf(&j->e->text, "0x%0*llX", digits, (unsigned long long)number);
	add_uint(j, SYST_F_ID, f->payload, f->word ? f->payload_end : 8, number);
	if (f->word || f->payload + 8 == f->payload_end)
		return;
	text_add_char(&j->e->text, ' ');
	add_trailing(j, put_string(j, f->payload + 8));
}

static void
expand_short(struct syst_job *j)
{
	const struct syst_frame *f = j->f;
	uint64_t value = word_value(f);
	bool wide = f->payload_end == 8;
	add_bits(j, SYST_F_VALUE, 4, 8 * f->payload_end - 4)->u = value;
	if (!j->entry) {
		text_addf(&j->e->text, "0x%0*llX", wide ? 16 : 8, (unsigned long long)value);
		return;
	}
	uint8_t bytes[8];
	uint64_t open = value & ~j->entry->mask;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(open >> 8 * i);
	const struct syst_args args = {.at = bytes,
				       .length = sizeof bytes,
				       .packing = wide ? SYST_P64 : SYST_P32,
				       .apart = j->entry->apart};
	syst_printf(&j->e->text, j->entry->text, strlen(j->entry->text), &args, NULL);
	add_text(j, SYST_F_FORMAT, j->entry->text, strlen(j->entry->text));
}

struct arg_sink {
	struct syst_job *job;
	size_t at;	    /* offset of the arguments in the frame */
	const char *format; /* rest of the format, after the last conversion */
	size_t count;	    /* arguments seen */
};

static void
add_arg(void *context, const struct syst_arg *arg)
{
	static const enum syst_field rows[] = {
	    [SYST_ARG_INT] = SYST_F_ARG_INT,
	    [SYST_ARG_UINT] = SYST_F_ARG_UINT,
	    [SYST_ARG_NUMBER] = SYST_F_ARG_NUMBER,
	    [SYST_ARG_TEXT] = SYST_F_ARG_TEXT,
	};
	struct arg_sink *sink = context;
	struct field *field =
	    add_bits(sink->job, rows[arg->type], 8 * (sink->at + arg->at), 8 * arg->length);
	switch (arg->type) {
	case SYST_ARG_INT:
		field->i = arg->i;
		break;
	case SYST_ARG_UINT:
		field->u = arg->u;
		break;
	case SYST_ARG_NUMBER:
		field->d = arg->d;
		break;
	case SYST_ARG_TEXT:
		field->s.at = arg->s.at;
		field->s.length = arg->s.length;
		break;
	}
	struct expansion *e = sink->job->e;
	sink->count++;
	if (arg->name) {
		argument_keep_name(e, field, sink->count, arg->name, arg->spec, arg->spec_length);
	} else {
		size_t length;
		const char *name = argument_find_name(sink->format, arg->spec, &length);
		argument_set_name(e, field, sink->count, name, length, arg->spec, arg->spec_length);
	}
	if (!arg->width)
		sink->format = arg->spec + arg->spec_length;
}

/* Return the call of a PRINTF message: a format with its NUL, then arguments [SyS-T 1.0, STRING,
 * second hand: library, systprint]. */
/* Format of a PRINTF or CATALOG message, and the position of its arguments. */
struct syst_call {
	const char *format;
	size_t length;
	size_t at; /* offset of the arguments in the frame */
	enum syst_packing packing;
	const struct syst_format *apart; /* or NULL */
};

static enum syst_packing
string_packing(unsigned subtype)
{
	return subtype == SYST_STRING_PRINTF64 ? SYST_P64 : SYST_P32;
}

static struct syst_call
string_call(const struct syst_frame *f, bool *terminated)
{
	size_t length = text_length(f, f->payload, terminated);
	return (struct syst_call){
	    .format = (const char *)f->p + f->payload,
	    .length = length,
	    .at = f->payload + length + *terminated,
	    .packing = string_packing(f->subtype),
	};
}

/* [SyS-T 1.0, CATALOG, second hand: library, systprint] */
static struct syst_call
catalog_call(const struct syst_frame *f, const struct syst_entry *entry)
{
	return (struct syst_call){
	    .format = entry->text,
	    .length = strlen(entry->text),
	    .at = f->payload + syst_catalog_id_size(f),
	    /* ID32P32 1, ID64P32 2, ID32P64 5, ID64P64 6 */
	    .packing = f->subtype & 4 ? SYST_P64 : SYST_P32,
	    .apart = entry->apart,
	};
}

/*
 * If the last argument is a string without NUL, the reference printer reads the byte after the
 * payload [SyS-T 1.0, second hand: systprint].  With a CRC, that is the CRC's first byte.  Without
 * one, the byte is after the printer's copy of the frame, and its value is chance.  A NUL was seen
 * after copies that fit the smallest blocks of its heap, never after longer ones.
 */
static bool
nul_behind(const struct syst_frame *f)
{
	if (f->payload_end < f->length)
		return !f->p[f->payload_end];
	return f->length <= PRINTER_BLOCK;
}

static struct syst_args
call_args(const struct syst_frame *f, const struct syst_call *call)
{
	return (struct syst_args){
	    .at = f->p + call->at,
	    .length = f->payload_end - call->at,
	    .packing = call->packing,
	    .nul_behind = nul_behind(f),
	    .apart = call->apart,
	};
}

static void
put_printf(struct syst_job *j, const struct syst_call *call)
{
	struct arg_sink context = {.job = j, .at = call->at, .format = call->format};
	const struct syst_arg_sink sink = {&context, add_arg};
	const struct syst_args args = call_args(j->f, call);
	if (j->e->needles && j->e->fieldless && !j->e->text.length &&
	    syst_printf_lacks(j->e->needles, call->format, call->length, &args)) {
		j->e->no_match = true;
		return;
	}
	open_level(j, SYST_F_ARGS, call->at, args.length)->label = "arguments";
	struct syst_printf_result result = syst_printf(&j->e->text, call->format, call->length,
						       &args, j->e->fieldless ? NULL : &sink);
	expansion_close(j->e);
	if (result.faulty)
		j->e->flags |= MESSAGE_DAMAGED;
	if (result.faulty)
		add_note(j, "the arguments do not fit the format");
	if (result.cut)
		add_note(j, "widths and text are cut to what can be shown");
	add_trailing(j, call->at + result.used);
}

/* True if the payload of a frame is a format with its arguments. */
static bool
is_printf(const struct syst_frame *f)
{
	return f->type == SYST_STRING && syst_formatted[SYST_STRING] >> f->subtype & 1;
}

bool
syst_printer_text(const struct syst_frame *f, const struct syst_entry *entry, struct text *out)
{
	bool terminated;
	if (!is_printf(f) && !entry)
		return false;
	struct syst_call call = is_printf(f) ? string_call(f, &terminated) : catalog_call(f, entry);
	const struct syst_args args = call_args(f, &call);
	syst_printf_strictly(out, call.format, call.length, &args);
	return true;
}

static void
expand_string(struct syst_job *j)
{
	const struct syst_frame *f = j->f;
	bool terminated;
	struct syst_call call = string_call(f, &terminated);
	if (is_printf(f)) {
		add_part(j, SYST_F_FORMAT, f->payload, call.length);
		put_printf(j, &call);
	} else {
		add_trailing(j, put_string(j, f->payload));
	}
	if (!terminated)
		add_note(j, "no NUL ends the text");
}

size_t
syst_catalog_id_size(const struct syst_frame *f)
{
	return f->subtype & 1 ? 4 : 8;
}

uint64_t
syst_catalog_id(const struct syst_frame *f)
{
	return bytes_le(f->p + f->payload, syst_catalog_id_size(f));
}

static void
put_raw_arguments(struct syst_job *j, size_t at)
{
	const struct syst_frame *f = j->f;
	j->e->unnamed = true;
	text_addf(&j->e->text, "id 0x%llX", (unsigned long long)syst_catalog_id(f));
	if (at < f->payload_end)
		text_add(&j->e->text, " args");
	add_part(j, SYST_F_DATA, at, f->payload_end - at);
	add_note(j, j->choice.client	 ? "the collateral has no format for this id"
		    : j->choice.excluded ? "the sender's collateral is for other builds"
					 : "no collateral for this sender");
	while (at < f->payload_end) {
		size_t size = f->payload_end - at < 4 ? f->payload_end - at : 4;
		text_addf(&j->e->text, " 0x%0*llX", (int)(2 * size),
			  (unsigned long long)bytes_le(f->p + at, size));
		at += size;
	}
}

static void
expand_catalog(struct syst_job *j)
{
	const struct syst_frame *f = j->f;
	size_t size = syst_catalog_id_size(f);
	add_uint(j, SYST_F_ID, f->payload, size, syst_catalog_id(f));
	if (!j->entry) {
		put_raw_arguments(j, f->payload + size);
		return;
	}
	struct syst_call call = catalog_call(f, j->entry);
	add_text(j, SYST_F_FORMAT, call.format, call.length);
	put_printf(j, &call);
}

/* Expand RAW.  The subtype is the protocol's number, the payload "opaque": [SyS-T 1.0, RAW, second
 * hand: library, systprint]. */
static void
expand_raw(struct syst_job *j)
{
	const struct syst_frame *f = j->f;
	text_add_hex(&j->e->text, f->p + f->payload, f->payload_end - f->payload);
	add_part(j, SYST_F_DATA, f->payload, f->payload_end - f->payload);
}

/* Expand CLOCK: "The source clock value and frequency" [SyS-T 1.0, "Clock Synchronization"], 64
 * bits each [SyS-T 1.0, CLOCK, second hand: library, p_sys-t].  The reference printer does not
 * read it. */
static void
expand_clock(struct syst_job *j)
{
	const struct syst_frame *f = j->f;
	uint64_t clock = bytes_le64(f->p + f->payload), hz = bytes_le64(f->p + f->payload + 8);
	text_addf(&j->e->text, "clock %llu at %llu Hz", (unsigned long long)clock,
		  (unsigned long long)hz);
	add_uint(j, SYST_F_CLOCK, f->payload, 8, clock);
	add_uint(j, SYST_F_FREQ, f->payload + 8, 8, hz);
	add_trailing(j, f->payload + 16);
}

/* Expand SBD: id, address, name with its NUL, the rest.  The subtype defines which parts exist and
 * their width [SyS-T 1.0, SBD, second hand: library]. */
static void
expand_sbd(struct syst_job *j)
{
	static const uint8_t address_sizes[] = {0, 2, 4, 8};
	const struct syst_frame *f = j->f;
	struct text *out = &j->e->text;
	size_t at = f->payload;
	size_t id_size = f->subtype & 1 ? 8 : 4, address_size = address_sizes[f->subtype >> 2 & 3];

	uint64_t id = bytes_le(f->p + at, id_size);
	text_addf(out, "id 0x%llX", (unsigned long long)id);
	add_uint(j, SYST_F_ID, at, id_size, id);
	at += id_size;
	if (address_size) {
		uint64_t address = bytes_le(f->p + at, address_size);
		text_addf(out, " at 0x%llX", (unsigned long long)address);
		add_uint(j, SYST_F_ADDR, at, address_size, address);
		at += address_size;
	}
	if (f->subtype & SYST_SBD_NAMED) {
		bool terminated;
		size_t length = text_length(f, at, &terminated);
		text_add_char(out, ' ');
		text_add_bytes(out, f->p + at, length);
		add_part(j, SYST_F_NAME, at, length);
		at += length + terminated;
		if (!terminated)
			add_note(j, "no NUL ends the name");
	}
	text_add(out, ": ");
	text_add_hex(out, f->p + at, f->payload_end - at);
	add_part(j, SYST_F_DATA, at, f->payload_end - at);
}

static void
expand_unknown(struct syst_job *j)
{
	const struct syst_frame *f = j->f;
	if (syst_type_name(f->type))
		text_addf(&j->e->text, "reserved subtype %u: ", f->subtype);
	else
		text_addf(&j->e->text, "reserved type %u: ", f->type);
	expand_raw(j);
}

static void
expand_bad(struct syst_job *j)
{
	const struct syst_frame *f = j->f;
	size_t want = f->peek.length > f->peek.least ? f->peek.length : f->peek.least;
	struct text *out = &j->e->text;
	text_addf(out, "%s, %zu bytes of %zu", f->fault == SYST_TOO_LONG ? "too long" : "too short",
		  f->length, want);
	add_note(j, arena_text(&j->e->arena, out->data, out->length));
	text_add(out, ": ");
	if (f->peek.kind == SYST_STRING && f->fault == SYST_TOO_SHORT &&
	    f->payload < f->payload_end) {
		expand_string(j); /* the existing part is readable */
		return;
	}
	text_add_hex(out, f->p, f->length);
	add_part(j, SYST_F_DATA, f->payload, f->length - f->payload);
}

static void (*const bodies[])(struct syst_job *) = {
    [SYST_BUILD] = expand_build,     [SYST_SHORT32] = expand_short, [SYST_STRING] = expand_string,
    [SYST_CATALOG] = expand_catalog, [SYST_RAW] = expand_raw,	    [SYST_SHORT64] = expand_short,
    [SYST_CLOCK] = expand_clock,     [SYST_SBD] = expand_sbd,	    [SYST_UNKNOWN] = expand_unknown,
    [SYST_BAD] = expand_bad,
};

/* --- messages ---------------------------------------------------------- */

/* Get the CRC of a sound frame.  Return false if it has none.  In a truncated frame the CRC may be
 * missing; the bytes in its place are then payload. */
static bool
find_crc(struct syst_frame *f, const struct message *m, uint32_t *stated, uint32_t *computed)
{
	if (f->fault != SYST_SOUND || !syst_frame_crc(f, stated, computed))
		return false;
	if (*stated == *computed || !(m->flags & MESSAGE_TRUNCATED))
		return true;
	syst_frame_drop_crc(f);
	return false;
}

/* True if the collateral may define the message's text or type. */
static bool
has_entry(const struct syst_frame *f)
{
	return f->type == SYST_CATALOG || is_short(f) || f->type == SYST_RAW;
}

const struct syst_entry *
syst_choose_entry(const struct syst_frame *f, const struct syst_client *client)
{
	if (!client || f->fault != SYST_SOUND)
		return NULL;
	switch (f->peek.kind) {
	case SYST_SHORT32:
		return syst_client_entry(client, SYST_TABLE_SHORT32, word_value(f));
	case SYST_SHORT64:
		return syst_client_entry(client, SYST_TABLE_SHORT64, word_value(f));
	case SYST_CATALOG:
		return syst_client_entry(client,
					 syst_catalog_id_size(f) == 4 ? SYST_TABLE_CATALOG32
								      : SYST_TABLE_CATALOG64,
					 syst_catalog_id(f));
	default:
		return NULL;
	}
}

/* Add the CRC's fields.  If it is wrong, the text starts with a note. */
static void
add_crc(struct syst_job *j, uint32_t stated, uint32_t computed)
{
	const struct syst_frame *f = j->f;
	add_uint(j, SYST_F_CRC, f->payload_end, 4, stated);
	add_uint(j, SYST_F_CRC_OK, f->payload_end, 4, stated == computed);
	if (stated == computed)
		return;
	j->e->flags |= MESSAGE_DAMAGED;
	if (!j->e->fieldless)
		add_note(j,
			 arena_format(&j->e->arena, "bad CRC: these bytes give 0x%08x", computed));
}

/* True if the arguments of a sound frame fit its format.  Set *UNNAMED to true if a CATALOG message
 * has no format. */
static bool
arguments_fit(const struct syst_decoder *d, const struct message *m, const struct syst_frame *f,
	      const struct decode_history *history, const struct syst_sender *sender, bool *unnamed)
{
	struct syst_call call;
	bool terminated;
	if (f->peek.kind == SYST_CATALOG) {
		const struct syst_client *client =
		    syst_choose_client(d, f, sender, history, m).client;
		const struct syst_entry *entry = syst_choose_entry(f, client);
		*unnamed = !entry;
		if (!entry)
			return true;
		call = catalog_call(f, entry);
	} else if (is_printf(f)) {
		call = string_call(f, &terminated);
	} else {
		return true;
	}
	const struct syst_args args = call_args(f, &call);
	return syst_printf_fits(call.format, call.length, &args);
}

/* Set the flags for EXPAND_FLAGS, as a full expansion would, but without text. */
static void
check_frame(const struct syst_decoder *d, const struct message *m, struct syst_frame *f,
	    const struct decode_history *history, const struct syst_sender *sender,
	    struct expansion *e)
{
	uint32_t stated, computed;
	bool good = !find_crc(f, m, &stated, &computed) || stated == computed;
	if (!arguments_fit(d, m, f, history, sender, &e->unnamed) || !good)
		e->flags |= MESSAGE_DAMAGED;
}

void
syst_expand(const struct syst_decoder *d, const struct message *m, const uint8_t *p, size_t length,
	    enum expand_want want, const struct decode_history *history,
	    const struct syst_sender *sender, struct expansion *e)
{
	struct syst_frame f;
	syst_frame_parse(&f, p, length);
	if (f.fault == SYST_SOUND && f.peek.kind == SYST_BUILD) {
		e->announces = announcing_guid(d, &f, sender, e->guid);
		e->build = build_number(&f);
	}
	if (want == EXPAND_FLAGS && f.fault == SYST_SOUND) {
		check_frame(d, m, &f, history, sender, e);
		return;
	}
	struct syst_job j = {.f = &f, .e = e};
	e->fieldless = want != EXPAND_FIELDS;
	bool sound = f.fault == SYST_SOUND;
	if (want >= EXPAND_TEXT || has_entry(&f)) {
		j.choice = syst_choose_client(d, &f, sender, history, m);
		j.entry = syst_choose_entry(&f, j.choice.client);
	}
	if (want >= EXPAND_TYPE)
		make_type(&j);
	if (want >= EXPAND_TEXT)
		make_origin(&j);
	if (!e->fieldless && length >= 4) {
		if (!e->exported)
			add_header(&j);
		if (!f.word) {
			add_sender(&j);
			add_prefix(&j);
		} else if (j.entry) {
			add_location(&j);
		}
	}
	uint32_t stated, computed;
	bool has_crc = find_crc(&f, m, &stated, &computed);
	if (has_crc && stated != computed)
		text_add(&e->text, "bad CRC: ");
	bodies[sound ? f.peek.kind : SYST_BAD](&j);
	if (f.word && sound && f.length > f.payload_end)
		add_part(&j, SYST_F_TRAILING, f.payload_end, f.length - f.payload_end);
	if (has_crc)
		add_crc(&j, stated, computed);
}

void
syst_settle(const struct syst_decoder *d, const uint8_t *p, size_t length,
	    const struct syst_sender *sender, struct decode_check *check, struct message *m)
{
	struct syst_frame f;
	uint32_t stated, computed;
	bool unnamed = false;
	if (!(check->severities >> m->severity & 1) || m->flags & MESSAGE_TRUNCATED)
		return;
	syst_frame_parse(&f, p, length);
	if (syst_frame_crc(&f, &stated, &computed) && stated != computed)
		return;
	if (f.peek.kind == SYST_CATALOG && atomic_load(&d->base.needs_history))
		return;
	if (!arguments_fit(d, m, &f, NULL, sender, &unnamed))
		return;
	check->unnamed |= unnamed;
	m->flags &= (uint16_t)~MESSAGE_CHECKED;
}
