/*
 * SyS-T: the row that the reference printer would print for a message.
 *
 * The printer runs checks in a fixed order and stops at the first that fails; a text without NUL
 * is one of them.  Rows that failed contain only a dump of the bytes.  Where the printer cannot
 * decode (CLOCK and SBD), drops bits (COMPACT builds) or prints nothing (64-bit addresses), the
 * row has the right value.
 *
 * No document defines these rows.  Columns, the order of checks and each oddity are known from the
 * reference printer's behaviour: [SyS-T 1.0, second hand: systprint].
 */
#include "config.h"

#include "decode/syst/syst_expand.h"

enum status { OK, UNKNOWN_TYPE, TOO_SHORT, CHECKSUM_ERROR, MISSING_COLLATERAL, UNKNOWN_STATE };

static const char *const status_names[] = {
    [OK] = "OK",
    [UNKNOWN_TYPE] = "UNKNOWN_TYPE",
    [TOO_SHORT] = "TOO_SHORT",
    [CHECKSUM_ERROR] = "CHECKSUM_ERROR",
    [MISSING_COLLATERAL] = "MISSING_COLLATERAL",
    [UNKNOWN_STATE] = "UNKNOWN_STATE", /* printed for messages that are too long */
};

/* True if the printer accepts the text at AT: not empty, and ended by NUL. */
static bool
text_good(const struct syst_frame *f, size_t at)
{
	return at < f->payload_end && f->p[at] && memchr(f->p + at, 0, f->payload_end - at) != NULL;
}

static enum status
payload_status(const struct syst_frame *f, const struct syst_client *client)
{
	if (f->type == SYST_CATALOG && !client)
		return MISSING_COLLATERAL; /* checked before the subtype */
	if (f->type == SYST_STRING)	   /* checked before the subtype, too */
		return !text_good(f, f->payload)      ? TOO_SHORT
		       : f->peek.kind == SYST_UNKNOWN ? UNKNOWN_TYPE
						      : OK;
	if (f->peek.kind == SYST_UNKNOWN)
		return UNKNOWN_TYPE;
	if (f->fault != SYST_SOUND) /* the printer has no such types, so they cannot be too short */
		return f->type == SYST_CLOCK || f->type == SYST_SBD ? UNKNOWN_TYPE : TOO_SHORT;
	if (f->type == SYST_BUILD && f->payload + 8 < f->payload_end)
		return text_good(f, f->payload + 8) ? OK : TOO_SHORT;
	return OK;
}

/* Run the checks in the printer's order: a wrong length hides a bad CRC, and that hides an unknown
 * type [SyS-T 1.0, second hand: systprint]. */
static enum status
frame_status(const struct syst_frame *f, const struct syst_client *client)
{
	size_t crc = f->header & SYST_HEADER_CRC ? 4 : 0;
	if (f->length < 4)
		return TOO_SHORT;
	if (f->word)
		return f->fault == SYST_SOUND ? OK : TOO_SHORT;
	if (f->length < f->at.payload + crc)
		return TOO_SHORT;
	if (f->peek.has_length && f->length != f->peek.length)
		return f->length < f->peek.length ? TOO_SHORT : UNKNOWN_STATE;
	uint32_t stated, computed;
	if (syst_frame_crc(f, &stated, &computed) && stated != computed)
		return CHECKSUM_ERROR;
	return payload_status(f, client);
}

/* Append a dump as the printer does: only the first byte always has two digits. */
static void
add_dump(struct text *out, const struct syst_frame *f)
{
	for (size_t i = 0; i < f->length; i++)
		text_addf(out, i ? "%X" : "%02X", f->p[i]);
}

/* Append text with quotes doubled, even in columns that the printer does not quote. */
static void
add_escaped(struct text *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '"')
			text_add_char(out, '"');
		text_add_char(out, text[i] == '\n' ? ' ' : text[i]);
	}
}

static const char *
file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Append the columns between type and location. */
static void
add_sender(struct text *out, const struct syst_frame *f, const struct syst_client_choice *choice)
{
	char guid[SYST_GUID_TEXT];
	if (f->word) {
		text_addf(out, ",%s,,0,,0x%016X,", severity_name(SEVERITY_MAX), 0);
		return;
	}
	text_addf(out, ",%s,", severity_name(f->header >> 4 & 7));
	if (choice->client)
		text_add(out, syst_client_name(choice->client));
	else if (choice->has_guid)
		text_add(out, syst_guid_text(guid, choice->guid));
	else
		text_addf(out, "%u", f->header >> 16 & 0x7f);
	text_addf(out, ",%u,", f->header >> 12 & (choice->has_guid ? 0x7ff : 15));
	if (f->header & SYST_HEADER_TIME)
		text_addf(out, "0x%016llX", (unsigned long long)f->peek.ticks);
	text_addf(out, ",0x%016X,", 0);
}

/* Append the location.  The printer omits 64-bit addresses; this keeps one without a source
 * line. */
static void
add_location(struct text *out, const struct syst_frame *f, const struct syst_client *client,
	     const struct syst_entry *entry)
{
	struct text source = {0};
	uint64_t address;
	size_t size = syst_address(f, &address);
	syst_source(f, client, entry, &source);
	add_escaped(out, text_get(&source), source.length);
	if (size == 4 || (size && !source.length))
		text_addf(out, "%s0x%0*llX", source.length ? " " : "", (int)(2 * size),
			  (unsigned long long)address);
	text_free(&source);
}

static void
add_columns(struct text *out, const struct syst_frame *f, const struct syst_client_choice *choice,
	    const struct syst_entry *entry, const struct expansion *e)
{
	uint32_t stated, computed;
	if (f->type == SYST_CATALOG && !syst_subtype_name(f->type, f->subtype))
		text_add(out, "\",CATALOG:??");
	else
		text_addf(out, "\",%s", text_get(&e->type));
	add_sender(out, f, choice);
	add_location(out, f, choice->client, entry);
	text_addf(out, ",%zu,", f->length);
	if (syst_frame_crc(f, &stated, &computed))
		text_addf(out, "0x%08X", stated);
	text_add_char(out, ',');
	if (choice->client)
		text_add(out, file_name(syst_client_file(choice->client)));
}

static void
add_payload(struct text *out, const struct syst_frame *f, const struct syst_entry *entry,
	    const struct expansion *e)
{
	struct text faulty = {0};
	if (f->peek.kind == SYST_CATALOG && !entry) {
		text_addf(out, "Undefined catalog id 0x0x%0*llX",
			  (int)(2 * syst_catalog_id_size(f)),
			  (unsigned long long)syst_catalog_id(f));
	} else if (e->flags & MESSAGE_DAMAGED && syst_printer_text(f, entry, &faulty)) {
		add_escaped(out, text_get(&faulty), faulty.length);
	} else {
		add_escaped(out, text_get(&e->text), e->text.length);
	}
	text_free(&faulty);
}

/* Expand again like the printer, which uses the first client of a sender, whatever its builds. */
static void
forget_builds(const struct syst_decoder *d, const struct message *m,
	      const struct syst_sender *sender, struct expansion *e)
{
	text_clear(&e->text);
	text_clear(&e->type);
	text_clear(&e->origin);
	e->flags = 0;
	syst_expand(d, m, e->payload, e->payload_length, EXPAND_TYPE, NULL, sender, e);
}

bool
syst_systprint_from(const struct decoder *decoder, const struct message *m,
		    const struct syst_sender *sender, struct expansion *e, struct text *out)
{
	const struct syst_decoder *d = (const struct syst_decoder *)decoder;
	if (m->kind > SYST_BAD || !e->payload)
		return false;

	if (decoder->needs_history)
		forget_builds(d, m, sender, e);

	struct syst_frame f;
	syst_frame_parse(&f, e->payload, e->payload_length);
	struct syst_client_choice choice = syst_choose_client(d, &f, sender, NULL, m);
	const struct syst_entry *entry = syst_choose_entry(&f, choice.client);
	enum status status = frame_status(&f, choice.client);

	text_addf(out, "%s,\"", status_names[status]);
	if (status != OK)
		add_dump(out, &f);
	else
		add_payload(out, &f, entry, e);
	if (status == OK || status == MISSING_COLLATERAL)
		add_columns(out, &f, &choice, entry, e);
	else
		text_add(out, "\",,,,,,");
	return true;
}

bool
syst_systprint(const struct decoder *decoder, const struct message *m, const struct window *w,
	       struct expansion *e, struct text *out)
{
	(void)w;
	return syst_systprint_from(decoder, m, NULL, e, out);
}
