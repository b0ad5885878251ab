/*
 * SyS-T messages for mkcapture: an encoder of its own, from the message format
 * of MIPI SyS-T 1.0, that shares nothing with the decoder it tests.  Beside
 * the bytes a message keeps what a reader should make of them.
 */
#ifndef MK_SYST_H
#define MK_SYST_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum mk_type {
	MK_BUILD = 0,
	MK_SHORT32 = 1,
	MK_STRING = 2,
	MK_CATALOG = 3,
	MK_RAW = 6,
	MK_SHORT64 = 7,
	MK_CLOCK = 8,
	MK_SBD = 9
};

enum mk_severity {
	MK_UNASSIGNED,
	MK_FATAL,
	MK_ERROR,
	MK_WARNING,
	MK_INFO,
	MK_USER1,
	MK_USER2,
	MK_DEBUG,
	MK_NO_SEVERITY /* for truth files; no header has it */
};

enum { MK_BUILD_COMPACT32 = 0, MK_BUILD_COMPACT64 = 1, MK_BUILD_LONG = 2 };
enum {
	MK_GENERIC = 1,
	MK_ENTER = 2,
	MK_EXIT = 3,
	MK_INVPARAM = 5,
	MK_ASSERT = 7,
	MK_PRINTF32 = 11,
	MK_PRINTF64 = 12
};

enum { MK_PAYLOAD_MAX = 65535, MK_MESSAGE_MAX = 39 + MK_PAYLOAD_MAX + 4 };

/* A printf text under construction: format, packed arguments and result. */
struct mk_format {
	bool wide; /* 64-bit packing */
	size_t format_length, args_length, text_length;
	char format[2048];
	uint8_t args[4096];
	char text[4096];
};

void mk_format_clear(struct mk_format *, bool wide);

/* Adds a piece of format with its arguments.  No %n, %ls, %Lf. */
void mk_format_add(struct mk_format *, const char *piece, ...)
    __attribute__((format(printf, 2, 3)));
void mk_format_vadd(struct mk_format *, const char *piece, va_list)
    __attribute__((format(printf, 2, 0), nonnull));

struct mk_message {
	uint8_t type, subtype, severity;
	bool has_guid, has_location, has_length, has_crc, has_time;
	bool bad_crc;
	uint8_t guid[16];
	uint16_t unit;
	uint8_t module;	       /* where there is no GUID */
	uint8_t location_form; /* 0 and 1: file << 32 | line; 2 and 3: address */
	uint64_t location;
	uint64_t time;
	uint64_t value;	       /* of SHORT and compact BUILD */
	const char *file_name; /* as the collateral names the file of the location */
	const char *protocol;  /* and a RAW subtype */

	size_t length; /* of the payload */
	bool told;     /* fill text and extra */
	size_t extra_length;
	uint8_t payload[MK_PAYLOAD_MAX];
	char text[2 * MK_PAYLOAD_MAX + 64]; /* "*": not for the truth to say */
	char extra[8192];		    /* "\tname=value" of the payload's fields */
};

/* Clears all but `told` and sets these. */
void mk_begin(struct mk_message *, enum mk_type, unsigned subtype, enum mk_severity);

/* The payloads. */
void mk_build(struct mk_message *, uint64_t number, const char *text);
void mk_short(struct mk_message *, uint64_t value);
void mk_string(struct mk_message *, const char *text, size_t length, bool terminated);
void mk_printf(struct mk_message *, const struct mk_format *);
void mk_catalog(struct mk_message *, uint64_t id, const struct mk_format *);
void mk_raw(struct mk_message *, const uint8_t *, size_t length);
void mk_clock(struct mk_message *, uint64_t clock, uint64_t hz);
/* SUBTYPE says which of them are there. */
void mk_sbd(struct mk_message *, uint64_t id, uint64_t address, const char *name, const uint8_t *,
	    size_t length);

void mk_guid_text(const uint8_t guid[16], char text[40]);

/* The subtype of a catalog message. */
unsigned mk_catalog_subtype(bool wide_id, bool wide_args);

/* Whether it is one word without header fields: SHORT, compact BUILD. */
bool mk_is_short(const struct mk_message *);

/* Whether a reader finds the end of the message without LEN or frame. */
bool mk_self_delimiting(const struct mk_message *);

/* Writes at most MK_MESSAGE_MAX bytes and returns how many. */
size_t mk_encode(const struct mk_message *, uint8_t *);

/* --- the truth ---------------------------------------------------------
 * Lines of: offset, length, ticks or -, `ok` or what was done to it,
 * severity, type, text, then name=value for each field; all parted by tabs. */

struct mk_transport {
	bool timed, addressed;
	uint64_t ticks;
	uint16_t master, channel;
};

void mk_truth_head(FILE *);
void mk_truth_message(FILE *, uint64_t offset, uint64_t length, const char *state,
		      const struct mk_transport *, const struct mk_message *);
/* Something that is no SyS-T message. */
void mk_truth_other(FILE *, uint64_t offset, uint64_t length, const char *state,
		    const struct mk_transport *, enum mk_severity, const char *type,
		    const char *text, const char *extra);

#endif
