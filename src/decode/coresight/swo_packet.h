/*
 * Packets of an ITM and its DWT, one at a time.  [ARMv7-M, D4] is the appendix on ITM and
 * DWT packets of the ARMv7-M Architecture Reference Manual, [Armv8-M, "SECTION"] a section
 * of the Armv8-M manual, DDI 0553.
 */
#ifndef TRAWL_DECODE_SWO_PACKET_H
#define TRAWL_DECODE_SWO_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SWO_PACKET_MAX = 7, SWO_SYNC_ZEROS = 5, SWO_SYNC_LAST = 0x80, SWO_SOURCE_PMU = 3 };

enum swo_what {
	SWO_BAD,      /* what the tables forbid */
	SWO_RESERVED, /* of a hardware source that no table has */
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

/* True for the events a trace is recorded for, false for times and protocol. */
static inline bool
swo_is_subject(enum swo_what what)
{
	return what >= SWO_PORT && what <= SWO_DATA;
}

/* How many bytes a header begins. */
struct swo_form {
	enum swo_what what; /* by the header alone; SWO_BAD: nothing begins so */
	uint8_t most;	    /* bytes, the header included */
	bool continued;	    /* up to the one behind the header whose bit 7 is clear */
	bool reserved;	    /* the tables forbid the header */
};

/* The form of a header, which may be reserved: what a decoder takes that goes by the form
 * alone. */
struct swo_form swo_form_of(uint8_t header);

/* The same; a reserved header with a size is SWO_RESERVED, any other is bad, of a byte. */
struct swo_form swo_form_allowed(uint8_t header);

/* Whether HAVE bytes are all of a packet of that form. */
static inline bool
swo_form_is_whole(struct swo_form form, const uint8_t *bytes, size_t have)
{
	return have == form.most || (form.continued && have > 1 && !(bytes[have - 1] & 0x80));
}

/* The length of the packet of that form that BYTES begin with, SWO_PACKET_MAX or more. */
size_t swo_form_length(struct swo_form form, const uint8_t *bytes);

/* Seven bits of each byte behind the header. */
uint64_t swo_continued_value(const uint8_t *bytes, size_t length);

struct swo_packet {
	enum swo_what what;
	uint8_t header;
	uint8_t source; /* port without its page, or hardware source */
	uint8_t size;	/* bytes behind the header */
	uint64_t value; /* of these; of times their seven bits each */
};

/* The packet of LENGTH bytes whose header is of FORM, an allowed one and not 0. */
struct swo_packet swo_packet_read(struct swo_form form, const uint8_t *bytes, size_t length);

/*
 * How well bytes fit packets: what alignment and recognition are found by.  Zeroed first.
 */
struct swo_fit {
	uint32_t good, bad, reserved; /* packets */
	uint32_t bytes;		      /* of the good ones */
	uint32_t syncs, subjects;     /* the latter as in swo_is_subject */
	struct swo_form form;	      /* of the packet at hand */
	uint8_t packet[SWO_PACKET_MAX];
	uint8_t have;
	uint16_t zeros;
};

/* Adds a byte; true where it ends a packet, in PACKET.  A synchronisation is none, but
 * counts as good, and other zeros as bad. */
bool swo_fit_add(struct swo_fit *, uint8_t byte, struct swo_packet *packet);

/* Whether SIZE bytes, low one first, could be of a text: no control characters but those of
 * terminals, and NUL, which fills words up. */
bool swo_is_text(uint64_t value, unsigned size);

#endif
