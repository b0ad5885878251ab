/*
 * Dumps of memory: see dump.h.
 *
 * Packed data can be read only once, from its beginning.  The bytes that were read to
 * find the form are therefore kept, and returned first.
 */
#include "config.h"

#include "capture/dump.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/vec.h"
#include "capture/loss.h"
#include "capture/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 128 * 1024, WORD_MOST = 8 };

struct dump {
	struct unpack_source source;
	struct unpack *below;
	struct words *words;
	struct text name, order;
	struct err failure; /* of BELOW */

	/* packed data */
	const uint8_t *piece; /* unpacked bytes not used yet */
	size_t piece_length;
	VEC(uint8_t) head; /* bytes read while RECORDING */
	size_t head_given;
	bool recording;
	uint64_t taken; /* bytes read from SOURCE in order */

	/* another order */
	bool ordered;
	unsigned swap;
	int file; /* contains all bytes; -1: SOURCE does */
	struct losses losses;
	uint64_t size;	 /* of the memory */
	uint64_t start;	 /* offset of the oldest byte */
	uint64_t length; /* number of bytes written to the memory */
	uint64_t given;
	uint8_t chunk[CHUNK + 2 * WORD_MOST];
};

/* --- original order -------------------------------------------------------- */

/* Read the next unpacked bytes. */
static ssize_t
read_below(void *context, uint64_t offset, void *buffer, size_t length)
{
	struct dump *dump = context;
	(void)offset;
	if (!dump->piece_length) {
		const void *bytes;
		ssize_t n = unpack_read(dump->below, &bytes, &dump->failure);
		if (n <= 0)
			return n;
		dump->piece = bytes;
		dump->piece_length = (size_t)n;
	}
	length = length < dump->piece_length ? length : dump->piece_length;
	memcpy(buffer, dump->piece, length);
	dump->piece += length;
	dump->piece_length -= length;
	if (dump->recording) {
		vec_reserve(&dump->head, length);
		memcpy(dump->head.at + dump->head.count, buffer, length);
		dump->head.count += length;
	}
	return (ssize_t)length;
}

static ssize_t
read_plain(struct dump *dump, const void **bytes, struct err *err)
{
	ssize_t n;
	if (dump->words) {
		n = words_read(dump->words, bytes);
	} else if (dump->head_given < dump->head.count) {
		*bytes = dump->head.at;
		n = (ssize_t)dump->head.count;
		dump->head_given = dump->head.count;
	} else if (dump->below) {
		*bytes = dump->chunk;
		n = read_below(dump, 0, dump->chunk, CHUNK);
	} else {
		*bytes = dump->chunk;
		n = dump->source.read(dump->source.context, dump->taken, dump->chunk, CHUNK);
		dump->taken += n > 0 ? (uint64_t)n : 0;
	}
	if (n < 0 && dump->failure.code)
		return err_set(err, dump->failure.code, "%s", dump->failure.what);
	return n < 0 ? err_set(err, ERR_DATA, "it cannot be read") : n;
}

/* --- another order --------------------------------------------------------- */

/* Copy all bytes to an unnamed file. */
static int
keep_all(struct dump *dump, const char *folder, struct err *err)
{
	const void *bytes;
	ssize_t n;
	dump->file = file_unnamed(folder);
	if (dump->file < 0)
		return err_set(err, ERR_IO,
			       "cannot keep the dump in %s: %s; --spool=DIR names "
			       "another folder",
			       folder, strerror(errno));
	for (; (n = read_plain(dump, &bytes, err)) > 0; dump->size += (uint64_t)n) {
		uint64_t end = dump->size + (uint64_t)n;
		struct loss loss = {.offset = dump->size, .end = end, .error = LOSS_NO_LINE};
		if (!bytes)
			losses_add(&dump->losses, loss);
		else if (pwrite(dump->file, bytes, (size_t)n, (off_t)dump->size) != n)
			return err_set(err, ERR_IO,
				       "cannot keep the dump in %s: %s; --spool=DIR "
				       "names another folder",
				       folder, strerror(errno));
	}
	return n < 0 ? err->code : 0;
}

/* Read bytes of the memory.  Bytes after its end are zero. */
static bool
read_memory(struct dump *dump, uint64_t offset, uint8_t *buffer, size_t length)
{
	memset(buffer, 0, length);
	for (size_t done = 0; done < length;) {
		ssize_t n = dump->file >= 0 ? pread(dump->file, buffer + done, length - done,
						    (off_t)(offset + done))
					    : dump->source.read(dump->source.context, offset + done,
								buffer + done, length - done);
		if (n < 0 && errno == EINTR && dump->file >= 0)
			continue;
		if (n <= 0)
			return !n;
		done += (size_t)n;
	}
	return true;
}

static ssize_t
read_ordered(struct dump *dump, const void **bytes, struct err *err)
{
	struct loss loss;
	uint64_t at = (dump->start + dump->given) % (dump->size ? dump->size : 1);
	uint64_t length = dump->length - dump->given, unit = dump->swap ? dump->swap : 1;
	length = length < dump->size - at ? length : dump->size - at;
	length = length < CHUNK ? length : CHUNK;
	*bytes = NULL;
	if (length && losses_after(&dump->losses, at, &loss) && loss.offset < at + length) {
		bool lost = loss.offset <= at;
		uint64_t end = lost ? loss.end : loss.offset;
		length = end - at < length ? end - at : length;
		dump->given += lost ? length : 0;
		if (lost)
			return (ssize_t)length;
	}
	uint64_t from = at / unit * unit, to = (at + length + unit - 1) / unit * unit;
	to = to < dump->size ? to : dump->size;
	if (!read_memory(dump, from, dump->chunk, (size_t)(to - from)))
		return err_set(err, ERR_DATA, "it cannot be read");
	bytes_turn_words(dump->chunk, (size_t)(to - from), dump->swap);
	*bytes = dump->chunk + (at - from);
	dump->given += length;
	return (ssize_t)length;
}

/* True if the memory repeats one word from OFFSET on, so nothing was written there. */
static bool
is_blank(struct dump *dump, uint64_t offset)
{
	enum { WORD = 4, PIECE = CHUNK, LEAST = 4 * WORD };
	uint8_t first[WORD];
	if (dump->size - offset < LEAST)
		return false;
	for (uint64_t at = offset; at < dump->size; at += PIECE) {
		uint64_t left = dump->size - at;
		size_t length = left < PIECE ? (size_t)left : PIECE;
		if (!read_memory(dump, at, dump->chunk, length))
			return false;
		if (at == offset)
			memcpy(first, dump->chunk, WORD);
		for (size_t i = 0; i < length; i++)
			if (dump->chunk[i] != first[i % WORD])
				return false;
	}
	return true;
}

/* Find the oldest byte and the number of written bytes. */
static int
find_start(struct dump *dump, const struct capture_dump *how, struct err *err)
{
	uint64_t pointer = how->write_pointer;
	uint64_t base = dump->words ? words_base(dump->words) : 0;
	dump->length = dump->size;
	if (!how->has_write_pointer)
		return 0;
	if (pointer > dump->size && pointer >= base) /* an address */
		pointer -= base;
	if (pointer > dump->size)
		return err_set(err, ERR_USAGE,
			       "%s: the write pointer is 0x%llx, and the dump ends at 0x%llx; give "
			       "it as an offset into the dump",
			       dump->source.name, (unsigned long long)how->write_pointer,
			       (unsigned long long)(base + dump->size));
	bool wrapped = how->wrapped == CAPTURE_WRAPPED || (how->wrapped == CAPTURE_WRAPPED_AUTO &&
							   (!pointer || !is_blank(dump, pointer)));
	if (!wrapped) {
		dump->length = pointer;
		text_addf(&dump->order, "up to 0x%llx", (unsigned long long)pointer);
	} else if (pointer % dump->size) {
		dump->start = pointer;
		text_addf(&dump->order, "rotated at 0x%llx", (unsigned long long)pointer);
	}
	return 0;
}

static int
open_ordered(struct dump *dump, const struct capture_dump *how, const char *folder, struct err *err)
{
	dump->ordered = true;
	dump->swap = how->swap;
	if (dump->swap)
		text_addf(&dump->name, "%sbytes of %u-byte words swapped",
			  dump->name.length ? ", " : "", dump->swap);
	if (dump->words || dump->below || dump->source.size == UINT64_MAX) {
		if (keep_all(dump, folder, err) < 0)
			return err->code;
	} else {
		dump->size = dump->source.size;
	}
	return dump->size ? find_start(dump, how, err) : 0;
}

/* --- the interface ------------------------------------------------------- */

struct dump *
dump_open(const struct unpack_source *source, struct unpack *below, const struct capture_dump *how,
	  const char *folder, struct err *err)
{
	struct dump *dump = mem_new(sizeof *dump);
	struct unpack_source text = *source;
	bool order = how->swap || how->has_write_pointer;
	dump->source = *source;
	dump->below = below;
	dump->file = -1;
	dump->recording = true;
	if (below) {
		text.read = read_below;
		text.context = dump;
		text.head = 0;
	}
	dump->words = how->words ? words_open(&text) : NULL;
	dump->recording = false;
	if (dump->words)
		text_add(&dump->name, words_name(dump->words));
	if (order && open_ordered(dump, how, folder, err) < 0) {
		dump_close(dump);
		return NULL;
	}
	if (dump->words || order || below)
		return dump;
	dump_close(dump);
	return NULL;
}

void
dump_close(struct dump *dump)
{
	if (!dump)
		return;
	words_close(dump->words);
	losses_free(&dump->losses);
	if (dump->file >= 0)
		close(dump->file);
	vec_free(&dump->head);
	text_free(&dump->name);
	text_free(&dump->order);
	free(dump);
}

const char *
dump_name(const struct dump *dump)
{
	return text_get(&dump->name);
}

const char *
dump_order(const struct dump *dump)
{
	return dump->order.length ? text_get(&dump->order) : NULL;
}

ssize_t
dump_read(struct dump *dump, const void **bytes, struct err *err)
{
	return dump->ordered ? read_ordered(dump, bytes, err) : read_plain(dump, bytes, err);
}
