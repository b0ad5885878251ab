/*
 * Driving a decoder over bytes in memory, for tests and fuzzers: every way in
 * which the program steps must give the same messages, and what the contract
 * in decode/decoder.h promises is checked on the way.  A broken promise is
 * written to standard error and ends the process by abort().
 */
#ifndef TRAWL_TESTS_DRIVE_H
#define TRAWL_TESTS_DRIVE_H

#include "decode/registry.h"

struct drive {
	const struct decoder_ops *ops;
	void *options; /* the defaults of ops->options, to be changed before drive_start; or NULL */
	struct decoder *decoder;
	const uint8_t *bytes; /* the caller's */
	size_t length;
};

typedef VEC(struct message) message_list;

struct drive_messages {
	message_list list;
	uint64_t silent[DECODE_SILENT_MAX]; /* bits that the walks to them passed over */
};

/* Opens the decoder that the environment names, TRAWL_FORMAT=syst/raw, or else the one that
 * NUMBER chooses by its place in the registry: what fuzz targets begin with. */
void drive_choose(struct drive *, uint8_t number, const uint8_t *bytes, size_t length);
/* NAME as in decoder_find(). */
void drive_open(struct drive *, const char *name, const uint8_t *bytes, size_t length);
/* Sets an option, `name`, `struct.name` or `list.0.name`, before drive_start;
 * elements of a list begin in order.  False if there is no such option or value. */
bool drive_set(struct drive *, const char *name, const char *value);
void drive_start(struct drive *);
/* The same; false if the decoder refuses. */
bool drive_try(struct drive *, struct err *);
void drive_close(struct drive *);

/* The window over all. */
struct window drive_window(const struct drive *);

/* All messages; free with vec_free(&m->list). */
void drive_all(const struct drive *, struct drive_messages *);

/* Whether all that is set in one is so in the other. */
bool drive_same_message(const struct message *, const struct message *);

/* The same messages are found when the window grows by so many bytes; in windows that
 * begin where the decoder stands, of so many bytes or what it then needs; in cells of
 * so many bytes, and after so many messages, with a new state from a checkpoint. */
void drive_growing(const struct drive *, const struct drive_messages *, size_t by);
void drive_windows(const struct drive *, const struct drive_messages *, size_t bytes);
void drive_blocks(const struct drive *, const struct drive_messages *, size_t block);
void drive_checkpoints(const struct drive *, const struct drive_messages *, size_t every);

/* What is counted without filling messages, in cells of so many bytes, each in two windows,
 * is what the messages add up to; and leaves the same state. */
void drive_summaries(const struct drive *, const struct drive_messages *, size_t block);

/* A decoder that remembers what it expanded before finds the same payloads, of every so many
 * messages in their order and back. */
void drive_remembering(const struct drive *, const struct drive_messages *, size_t every);

/* A resync in [FROM, end) and all that follows hold to the contract. */
void drive_resync(const struct drive *, size_t from);

/* A number that people read in hexadecimal is text in JSON if it may be an address, or
 * larger than what every reader of JSON keeps. */
void drive_check_numbers(const struct expansion *);

/* Every message can be expanded, and its fields written and located. */
void drive_expand(const struct drive *, const struct drive_messages *);

/* All of these: the rows of one table.  Quickly, for fuzzers: in a few parts, whatever the
 * length.  Thoroughly: with more sizes, down to single bytes.  A share: decoding and expanding
 * as always, and of the quick ways a third, which follows from the bytes. */
void drive_share(const struct drive *);
void drive_quickly(const struct drive *);
void drive_everything(const struct drive *);
void drive_thoroughly(const struct drive *);

#endif
