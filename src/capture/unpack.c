/*
 * Unpacking with libarchive: see unpack.h.
 *
 * Each layer is a libarchive reader for a single form, so only the first bytes decide the
 * form: a capture of zeros is not an empty tar archive.  The output of a layer is the
 * input of the next.  Opening reads the first piece of the innermost layer.  If that
 * fails, the bytes are not taken for packed, since captures may begin with any bytes.
 *
 * The members of an uncompressed archive are listed first, skipping their content.  In a
 * compressed archive, a second member shows only after the first has been read.
 *
 * libarchive returns whole blocks (64 KiB, zstd 128 KiB).  If the file is cut, the bytes
 * after the last whole block are lost.  It ignores the trailer of gzip (RFC 1952, section
 * 2.3.1), so check_gzip verifies it.  A file that joins several gzip members is not
 * verified.
 */
#include "config.h"

#include "capture/unpack.h"
#include "base/bytes.h"
#include "base/vec.h"
#include "capture/foreign.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	LAYERS = 4,
	CHUNK = 128 * 1024,
	HEAD = 512,	       /* bytes that identify the form */
	LISTED = 3,	       /* members named in an error */
	ENTRIES_MAX = 10000,   /* entries searched for a member */
	OPEN_BYTES = 64 << 20, /* bytes searched too, in the file or a layer */
	LIST_BYTES = 4 << 20,  /* bytes read to list members */
	BEHIND_MAX = 1 << 20,  /* bytes read after an archive */
};

static const struct unpack_form {
	const char *pack; /* as in capture/foreign.h */
	int (*support)(struct archive *);
	int filter; /* ARCHIVE_FILTER_NONE: an archive */
	const char *extract;
} forms[] = {
    {"gzip", archive_read_support_filter_gzip, ARCHIVE_FILTER_GZIP},
    {"xz", archive_read_support_filter_xz, ARCHIVE_FILTER_XZ},
    {"zstd", archive_read_support_filter_zstd, ARCHIVE_FILTER_ZSTD},
    {"bzip2", archive_read_support_filter_bzip2, ARCHIVE_FILTER_BZIP2},
    {"lz4", archive_read_support_filter_lz4, ARCHIVE_FILTER_LZ4},
    {"zip", archive_read_support_format_zip_streamable, ARCHIVE_FILTER_NONE, "unzip -p"},
    {"tar", archive_read_support_format_tar, ARCHIVE_FILTER_NONE, "tar xOf"},
};

struct layer {
	struct unpack *owner;
	struct archive *archive;
	const struct unpack_form *form;
	struct text member; /* names of the members read */
	uint64_t at;	    /* offset of the next byte in the member */
	uint32_t crc;	    /* of the gzip data read */
	uint64_t gap;	    /* zeros before PENDING */
	const void *pending;
	size_t pending_length;
	bool ended;
	struct err failure; /* error that ended the layer */
};

struct unpack {
	struct unpack_source source;
	uint64_t taken;
	bool opened;
	bool unreadable;
	uint64_t gzip_heads; /* possible starts of gzip members in the bytes read */
	size_t layer_count;
	struct layer layers[LAYERS];
	struct text name;
	uint32_t crc_table[4][256];
	uint8_t chunk[CHUNK];
};

static const uint8_t zeros[CHUNK];

/* --- the checksum of gzip ------------------------------------------------ */

/* RFC 1952, section 8: the polynomial 0x04c11db7, reflected.  Table K is for a byte that K bytes
 * follow, so one step handles four bytes. */
static void
fill_crc_table(uint32_t table[4][256])
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
		table[0][i] = crc;
	}
	for (int k = 1; k < 4; k++)
		for (int i = 0; i < 256; i++)
			table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 0xff];
}

static uint32_t
gzip_crc(const struct unpack *unpack, uint32_t crc, const uint8_t *p, size_t length)
{
	const uint32_t(*table)[256] = unpack->crc_table;
	crc = ~crc;
	for (; length >= 4; length -= 4, p += 4) {
		crc ^= bytes_le32(p);
		crc = table[3][crc & 0xff] ^ table[2][crc >> 8 & 0xff] ^
		      table[1][crc >> 16 & 0xff] ^ table[0][crc >> 24];
	}
	while (length--)
		crc = crc >> 8 ^ table[0][(crc ^ *p++) & 0xff];
	return ~crc;
}

static void
count_gzip_heads(struct unpack *unpack, size_t length)
{
	static const uint8_t head[] = {0x1f, 0x8b, 8};
	const uint8_t *p = unpack->chunk, *end = p + length;
	for (; (p = memchr(p, *head, (size_t)(end - p))); p++) {
		size_t left = (size_t)(end - p); /* at the end, part of a head counts too */
		unpack->gzip_heads += !memcmp(p, head, left < sizeof head ? left : sizeof head);
	}
}

/* --- members ------------------------------------------------------------ */

/* True if an entry may be a capture: no folder, link, or companion file of macOS. */
static bool
is_member(struct archive_entry *entry)
{
	static const char beside[] = "__MACOSX/";
	const char *path = archive_entry_pathname(entry);
	return archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry) &&
	       (!path || strncmp(path, beside, sizeof beside - 1) != 0);
}

static void
name_member(struct archive_entry *entry, struct text *out)
{
	const char *path = archive_entry_pathname(entry);
	if (path)
		text_add_safe(out, path, strlen(path), TEXT_UTF8);
	else
		text_add_char(out, '?');
}

static int
refuse_members(const struct unpack *unpack, const struct unpack_form *form, const char *members,
	       struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "%s holds several files (%s); read one with %s %s NAME | trawl -",
		       unpack->source.name, members, form->extract, unpack->source.name);
}

/* --- layers ------------------------------------------------------------- */

/* End a layer with a reason, which all later reads return too. */
static int
layer_break(struct layer *layer, const char *why, struct err *err)
{
	err_set(&layer->failure, ERR_DATA, "%s", why);
	return err_set(err, ERR_DATA, "%s", why);
}

static int
layer_fail(struct layer *layer, struct err *err)
{
	const char *why =
	    layer->owner->unreadable ? "it cannot be read" : archive_error_string(layer->archive);
	return layer_break(layer, why ? why : "its bytes do not follow the format", err);
}

/* Move to the next member.  Return 1, 0 if none is left, or negative with a reason. */
static int
next_member(struct layer *layer, struct archive_entry **entry, struct err *err)
{
	for (int i = 0; i < ENTRIES_MAX; i++) {
		int result = archive_read_next_header(layer->archive, entry);
		if (result == ARCHIVE_EOF)
			return 0;
		if (result < ARCHIVE_WARN)
			return layer_fail(layer, err);
		if (layer->form->filter || is_member(*entry))
			return 1;
	}
	return layer_break(layer, "too many of its entries are not files", err);
}

/* Check that gzip ends with the length and checksum of its data.  With several gzip members, the
 * trailer covers only the last one, so it may differ. */
static bool
check_gzip(struct layer *layer, struct err *err)
{
	const struct unpack *unpack = layer->owner;
	const struct unpack_source *source = &unpack->source;
	const int64_t used = archive_filter_bytes(layer->archive, -1);
	uint8_t end[8];
	if (layer > unpack->layers || layer->form->filter != ARCHIVE_FILTER_GZIP ||
	    source->size == UINT64_MAX || source->size < sizeof end ||
	    source->read(source->context, source->size - sizeof end, end, sizeof end) !=
		(ssize_t)sizeof end)
		return true;
	bool all = (uint64_t)used == source->size;
	bool fits = bytes_le32(end) == layer->crc && bytes_le32(end + 4) == (uint32_t)layer->at;
	if (all && (fits || unpack->gzip_heads > 1))
		return true;
	layer_break(layer,
		    all ? "its bytes do not match the checksum of gzip"
			: "what follows is not gzip data",
		    err);
	return false;
}

static ssize_t layer_read(struct layer *, const void **bytes, struct err *);

/* Read the rest of the layer below an archive, up to BEHIND_MAX bytes.  Only its end shows whether
 * the data was good. */
static ssize_t
end_below(struct layer *layer, struct err *err)
{
	const void *bytes;
	ssize_t n = layer > layer->owner->layers ? 1 : 0;
	for (size_t all = 0; n > 0 && all < BEHIND_MAX; all += (size_t)n)
		n = layer_read(layer - 1, &bytes, err);
	return n < 0 ? n : 0;
}

/* Finish a layer after its member.  A second member is an error. */
static ssize_t
end_member(struct layer *layer, struct err *err)
{
	struct archive_entry *entry;
	int more = next_member(layer, &entry, err);
	layer->ended = more == 0;
	if (layer->ended && !check_gzip(layer, err))
		return ERR_DATA;
	if (layer->ended)
		return end_below(layer, err);
	if (more > 0) {
		text_add(&layer->member, ", ");
		name_member(entry, &layer->member);
		more = refuse_members(layer->owner, layer->form, text_get(&layer->member), err);
		layer->failure = *err;
	}
	return more;
}

/* Set *BYTES to the next bytes of a layer.  Return their number, 0 at the end, or negative with a
 * reason. */
static ssize_t
layer_read(struct layer *layer, const void **bytes, struct err *err)
{
	size_t length;
	int64_t offset;
	while (!layer->pending_length && !layer->gap) {
		if (layer->failure.code)
			return err_set(err, layer->failure.code, "%s", layer->failure.what);
		if (layer->ended)
			return 0;
		int result =
		    archive_read_data_block(layer->archive, &layer->pending, &length, &offset);
		if (result == ARCHIVE_EOF)
			return end_member(layer, err);
		if (result < ARCHIVE_WARN)
			return layer_fail(layer, err);
		if (offset < 0 || (uint64_t)offset < layer->at)
			return layer_break(layer, "its pieces overlap", err);
		if (layer->form->filter == ARCHIVE_FILTER_GZIP)
			layer->crc = gzip_crc(layer->owner, layer->crc, layer->pending, length);
		layer->gap = (uint64_t)offset - layer->at;
		layer->pending_length = length;
	}
	*bytes = layer->gap ? zeros : layer->pending;
	length = !layer->gap ? layer->pending_length : layer->gap < CHUNK ? layer->gap : CHUNK;
	if (layer->gap)
		layer->gap -= length;
	else
		layer->pending_length = 0;
	layer->at += length;
	return (ssize_t)length;
}

/* Put back the bytes of the last layer_read. */
static void
layer_return(struct layer *layer, const void *bytes, size_t length)
{
	layer->at -= length;
	if (bytes == zeros) {
		layer->gap += length;
	} else {
		layer->pending = bytes;
		layer->pending_length = length;
	}
}

/* --- input of libarchive -------------------------------------------------- */

static la_ssize_t
read_below(struct archive *archive, void *context, const void **bytes)
{
	struct layer *layer = context;
	struct unpack *unpack = layer->owner;
	struct err err = {0};
	ssize_t length;
	if (!unpack->opened &&
	    (layer > unpack->layers ? layer[-1].at : unpack->taken) > OPEN_BYTES) {
		length = err_set(&err, ERR_DATA, "no file begins in its first bytes");
	} else if (layer > unpack->layers) {
		length = layer_read(layer - 1, bytes, &err);
	} else {
		const struct unpack_source *source = &unpack->source;
		*bytes = unpack->chunk;
		length = source->read(source->context, unpack->taken, unpack->chunk, CHUNK);
		unpack->taken += length > 0 ? (uint64_t)length : 0;
		unpack->unreadable = length < 0;
		if (length > 0)
			count_gzip_heads(unpack, (size_t)length);
	}
	if (length < 0)
		archive_set_error(archive, EIO, "%s", err.what);
	return length;
}

static la_int64_t
skip_below(struct archive *archive, void *context, la_int64_t length)
{
	struct layer *layer = context;
	struct unpack *unpack = layer->owner;
	uint64_t left = unpack->source.size - unpack->taken;
	(void)archive;
	if (layer > unpack->layers || unpack->source.size == UINT64_MAX || length <= 0)
		return 0;
	unpack->taken += (uint64_t)length < left ? (uint64_t)length : left;
	return (uint64_t)length < left ? length : (la_int64_t)left;
}

/* Add a layer of this form on top of the others and move to its member. */
static int
layer_open(struct unpack *unpack, const struct unpack_form *form, struct err *err)
{
	struct layer *layer = &unpack->layers[unpack->layer_count];
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	if (!archive)
		mem_end();
	*layer = (struct layer){.owner = unpack, .archive = archive, .form = form};
	form->support(archive);
	if (form->filter) {
		archive_read_support_format_raw(archive);
		archive_read_support_format_empty(archive);
	}
	unpack->layer_count++;
	if (archive_read_open2(archive, layer, NULL, read_below, skip_below, NULL) < ARCHIVE_WARN)
		return layer_fail(layer, err);
	if (form->filter && archive_filter_code(archive, 0) != form->filter)
		return err_set(err, ERR_DATA, "it ends in its header, or that is damaged");
	int any = next_member(layer, &entry, err);
	if (any > 0)
		name_member(entry, &layer->member);
	layer->ended = any == 0;
	if (!any && !form->filter)
		return err_set(err, ERR_DATA, "no file is in it");
	return any < 0 ? any : 0;
}

static const struct unpack_form *
find_form(const void *head, size_t length)
{
	const struct foreign *foreign = foreign_find(head, length);
	for (size_t i = 0; foreign && foreign->pack && i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(forms[i].pack, foreign->pack))
			return &forms[i];
	return NULL;
}

static void
close_layers(struct unpack *unpack)
{
	while (unpack->layer_count) {
		struct layer *layer = &unpack->layers[--unpack->layer_count];
		archive_read_free(layer->archive);
		text_free(&layer->member);
	}
	text_clear(&unpack->name);
	unpack->taken = 0;
	unpack->gzip_heads = 0;
}

/* Open all layers, but at most MOST. */
static int
open_layers(struct unpack *unpack, const struct unpack_form *form, size_t most, struct err *err)
{
	while (form) {
		struct layer *top = &unpack->layers[unpack->layer_count];
		const void *head;
		text_addf(&unpack->name, "%s%s", unpack->layer_count ? ", " : "", form->pack);
		ssize_t length = layer_open(unpack, form, err);
		if (length == 0)
			length = layer_read(top, &head, err);
		if (length < 0)
			return err->code;
		if (!length)
			return 0;
		layer_return(top, head, (size_t)length);
		form = unpack->layer_count < most ? find_form(head, (size_t)length) : NULL;
	}
	return 0;
}

/* --- listing ------------------------------------------------------------- */

/* Read the source for a listing.  Fail once that takes too many bytes. */
static ssize_t
read_some(void *context, uint64_t offset, void *buffer, size_t length)
{
	struct unpack *unpack = context;
	unpack->taken += length;
	return unpack->taken > LIST_BYTES
		   ? -1
		   : unpack->source.read(unpack->source.context, offset, buffer, length);
}

/* Refuse an archive with several members, if a short listing shows them. */
static int
check_members(struct unpack *unpack, const struct unpack_form *form, struct err *err)
{
	struct unpack *list = mem_new(sizeof *list);
	struct text members = {0};
	struct err unused;
	struct archive_entry *entry;
	size_t count = 0;
	list->source = unpack->source;
	list->source.read = read_some;
	list->source.context = unpack;
	layer_open(list, form, &unused);
	struct layer *layer = list->layers;
	if (layer->member.length) {
		text_add(&members, layer->member.data);
		count++;
	}
	for (int i = 0; count && count <= LISTED && i < ENTRIES_MAX; i++) {
		int result = archive_read_next_header(layer->archive, &entry);
		if (result == ARCHIVE_EOF || result < ARCHIVE_WARN)
			break;
		if (!is_member(entry))
			continue;
		text_add(&members, ", ");
		if (++count <= LISTED)
			name_member(entry, &members);
		else
			text_add(&members, "...");
	}
	if (count > 1)
		refuse_members(unpack, form, text_get(&members), err);
	text_free(&members);
	unpack_close(list);
	unpack->taken = 0;
	return count > 1 ? err->code : 0;
}

/* --- the interface ------------------------------------------------------- */

static int
open_source(struct unpack *unpack, struct err *err)
{
	const struct unpack_source *source = &unpack->source;
	ssize_t length = source->read(source->context, 0, unpack->chunk, HEAD);
	const struct unpack_form *form =
	    length > 0 ? find_form(unpack->chunk, (size_t)length) : NULL;
	bool again = source->size != UINT64_MAX;
	if (!form)
		return err_set(err, ERR_UNSUPPORTED, "%s is not compressed", source->name);
	if (!form->filter && again && check_members(unpack, form, err))
		return err->code;
	/* unpacked bytes may look packed without being so: retry with fewer layers */
	for (size_t most = LAYERS; open_layers(unpack, form, most, err);
	     most = unpack->layer_count - 1, close_layers(unpack))
		if (err->code != ERR_DATA || unpack->layer_count == 1 || !again)
			return err->code;
	return 0;
}

struct unpack *
unpack_open(const struct unpack_source *source, struct err *err)
{
	struct err failed;
	struct unpack *unpack = mem_new(sizeof *unpack);
	unpack->source = *source;
	fill_crc_table(unpack->crc_table);
	unpack->opened = !open_source(unpack, &failed);
	if (unpack->opened)
		return unpack;
	err_set(err, failed.code, "%s", failed.what);
	unpack_close(unpack);
	return NULL;
}

void
unpack_close(struct unpack *unpack)
{
	if (!unpack)
		return;
	close_layers(unpack);
	text_free(&unpack->name);
	free(unpack);
}

const char *
unpack_name(const struct unpack *unpack)
{
	return text_get(&unpack->name);
}

bool
unpack_is_archive(const struct unpack *unpack)
{
	for (size_t i = 0; i < unpack->layer_count; i++)
		if (!unpack->layers[i].form->filter)
			return true;
	return false;
}

ssize_t
unpack_read(struct unpack *unpack, const void **bytes, struct err *err)
{
	return layer_read(&unpack->layers[unpack->layer_count - 1], bytes, err);
}

const char *
unpack_version(void)
{
	return archive_version_details();
}
