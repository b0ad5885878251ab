/*
 * Packets of an ITM and its DWT, one at a time.  [ARMv7-M, D4] is the appendix on ITM and DWT
 * packets of the ARMv7-M Architecture Reference Manual, [Armv8-M, "SECTION"] a section of the
 * Armv8-M manual, DDI 0553.
 */
#ifndef TRAWL_DECODE_SWO_PACKET_H
#define TRAWL_DECODE_SWO_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SWO_PACKET_MAX = 7, SWO_SYNC_ZEROS = 5, SWO_SYNC_LAST = 0x80, SWO_SOURCE_PMU = 3 };

enum swo_what {
	SWO_BAD,      /* forbidden by the tables */
	SWO_RESERVED, /* from a hardware source missing in the tables */
	SWO_PORT,
	SWO_EVENTS,
	SWO_EXCEPTION,
	SWO_PC,
	SWO_DATA,
	SWO_LOCAL,
	SWO_GLOBAL_LOW,
	SWO_GLOBAL_HIGH,
	SWO_EXTENSION,
	SWO_OVERFLOW
};

/* True for traced events, false for times and protocol packets. */
static inline bool
swo_is_subject(enum swo_what what)
{
	return what >= SWO_PORT && what <= SWO_DATA;
}

/* Kind and size of a packet, by its header. */
struct swo_form {
	enum swo_what what; /* from the header alone; SWO_BAD: no packet begins with it */
	uint8_t most;	    /* maximum size in bytes, with the header */
	bool continued;	    /* ends after the first payload byte with bit 7 clear */
	bool reserved;	    /* forbidden by the tables */
};

/* Return the form of a header, even a reserved one. */
struct swo_form swo_form_of(uint8_t header);

/* Return the form of a header.  A reserved header with a size is SWO_RESERVED; any other reserved
 * header is one bad byte. */
struct swo_form swo_form_allowed(uint8_t header);

/* True if HAVE bytes complete a packet of FORM. */
static inline bool
swo_form_is_whole(struct swo_form form, const uint8_t *bytes, size_t have)
{
	return have == form.most || (form.continued && have > 1 && !(bytes[have - 1] & 0x80));
}

/* Return the length of the packet of FORM at BYTES.  BYTES must hold SWO_PACKET_MAX bytes. */
size_t swo_form_length(struct swo_form form, const uint8_t *bytes);

/* Join the low seven bits of each byte after the header, lowest first. */
uint64_t swo_continued_value(const uint8_t *bytes, size_t length);

struct swo_packet {
	enum swo_what what;
	uint8_t header;
	uint8_t source; /* port without its page, or hardware source */
	uint8_t size;	/* bytes after the header */
	uint64_t value; /* little-endian payload; continued packets have seven bits a byte */
};

/* Decode a packet of LENGTH bytes.  FORM comes from swo_form_allowed(), and the header is not 0. */
struct swo_packet swo_packet_read(struct swo_form form, const uint8_t *bytes, size_t length);

/*
 * Counts that show how well bytes fit packets, for alignment and recognition.  Must be zeroed
 * first.
 */
struct swo_fit {
	uint32_t good, bad, reserved; /* numbers of packets */
	uint32_t bytes;		      /* bytes of good packets */
	uint32_t syncs, subjects;     /* subjects: see swo_is_subject() */
	struct swo_form form;	      /* form of the current packet */
	uint8_t packet[SWO_PACKET_MAX];
	uint8_t have;
	uint16_t zeros;
};

/* Add a byte.  Return true if it ends a packet, and store it in PACKET.  A synchronisation is not
 * returned but counts as good.  Other zeros count as bad. */
bool swo_fit_add(struct swo_fit *, uint8_t byte, struct swo_packet *packet);

/* True if SIZE bytes, lowest first, can be text.  Allowed control characters are those of
 * terminals, and NUL, which pads words. */
bool swo_is_text(uint64_t value, unsigned size);

#endif
