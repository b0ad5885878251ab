/*
 * Decode single ITM packets: see swo_packet.h.
 *
 * The first byte determines the kind of a packet [ARMv7-M, D4]; its size follows from that byte or
 * from continuation bits.  A forbidden packet is reported as early as possible, since it reveals a
 * wrong alignment.
 */
#include "config.h"

#include "decode/coresight/swo_packet.h"

#include "base/bytes.h"

/* Headers [ARMv7-M, D4]; a continued extension and one of hardware: [OpenCSD 1.7, second hand: its
 * ITM decoder]. */
enum {
	OVERFLOW = 0x70,
	GLOBAL_LOW = 0x94,
	GLOBAL_HIGH = 0xb4,
	TIME_MAX = 5,	     /* bytes of a local time or the low part of a global one */
	GLOBAL_HIGH_MAX = 7, /* bits 63:26 */
	GLOBAL_HIGH_LEAST = 5
};

/* Return the form of a header without size bits. */
static struct swo_form
protocol_form(uint8_t header)
{
	const bool more = header & 0x80;
	const uint8_t most = more ? TIME_MAX : 1;
	if (header & 8)
		return (struct swo_form){SWO_EXTENSION, most, more, false};
	/* 10rr0000 is reserved */
	if (!(header & 4) && header != OVERFLOW)
		return (struct swo_form){SWO_LOCAL, most, more, (header & 0xc0) == 0x80};
	if (header == OVERFLOW)
		return (struct swo_form){SWO_OVERFLOW, 1, false, false};
	if (header == GLOBAL_LOW)
		return (struct swo_form){SWO_GLOBAL_LOW, TIME_MAX, true, false};
	if (header == GLOBAL_HIGH)
		return (struct swo_form){SWO_GLOBAL_HIGH, GLOBAL_HIGH_MAX, true, false};
	return (struct swo_form){SWO_BAD, 1, false, false};
}

struct swo_form
swo_form_of(uint8_t header)
{
	/* Sizes allowed for each DWT source, one bit for each of 1, 2 and 4 bytes [ARMv7-M, D4.3].
	 * In ARMv8-M the PC and address of an access have any size, one byte of PC is a match
	 * without a value [Armv8-M, "Data Trace Match packet"], and source 3 is the PMU's
	 * [Armv8-M, "PMU Overflow packet"]. */
	enum { NO, ONE = 1 << 1, TWO = 1 << 2, FOUR = 1 << 4, PC = ONE | FOUR, ANY = PC | TWO };
	static const uint8_t sizes[] = {0, 1, 2, 4};
	static const uint8_t allowed[32] = {ONE, TWO, PC,  ONE, NO,  NO,  NO,  NO,  ANY, ANY, ANY,
					    ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY,
					    ANY, ANY, NO,  NO,	NO,  NO,  NO,  NO,  NO,	 NO};
	static const uint8_t first[] = {SWO_EVENTS, SWO_EXCEPTION, SWO_PC, SWO_EVENTS};
	const unsigned size = sizes[header & 3], source = header >> 3;
	struct swo_form form = {SWO_PORT, (uint8_t)(1 + size), false, false};
	if (!size)
		return protocol_form(header);
	if (header & 4) {
		form.what = source < sizeof first ? (enum swo_what)first[source] : SWO_DATA;
		form.reserved = !(allowed[source] >> size & 1);
	}
	return form;
}

struct swo_form
swo_form_allowed(uint8_t header)
{
	struct swo_form form = swo_form_of(header);
	if (!form.reserved)
		return form;
	if (header & 3) /* its size is valid anyway */
		return (struct swo_form){SWO_RESERVED, form.most, false, true};
	return (struct swo_form){SWO_BAD, 1, false, true};
}

size_t
swo_form_length(struct swo_form form, const uint8_t *bytes)
{
	size_t length = form.continued ? 1 : form.most;
	while (!swo_form_is_whole(form, bytes, length))
		length++;
	return length;
}

uint64_t
swo_continued_value(const uint8_t *bytes, size_t length)
{
	uint64_t value = 0;
	for (size_t i = 1; i < length; i++)
		value |= (uint64_t)(bytes[i] & 0x7f) << 7 * (i - 1);
	return value;
}

/* True if [ARMv7-M, D4.3] allows the value after the header. */
static bool
is_value_known(const struct swo_packet *p)
{
	if (p->what == SWO_EVENTS)
		return p->value && (p->value < 0x40 || p->source == SWO_SOURCE_PMU);
	/* bits 5:4 of the second byte hold the action, 0 is reserved */
	if (p->what == SWO_EXCEPTION)
		return p->value >> 12 & 3 && !(p->value & 0xce00);
	/* one byte: asleep or, in ARMv8-M, not readable [Armv8-M, "Periodic PC Sample packet"] */
	return p->what != SWO_PC || p->size == 4 || !p->value || p->value == 0xff;
}

struct swo_packet
swo_packet_read(struct swo_form form, const uint8_t *bytes, size_t length)
{
	struct swo_packet p = {.what = form.what,
			       .header = bytes[0],
			       .source = bytes[0] >> 3,
			       .size = (uint8_t)(length - 1)};
	if (form.continued) {
		p.value = swo_continued_value(bytes, length);
		/* continuation bit set in the last byte */
		if (bytes[length - 1] & 0x80 ||
		    (p.what == SWO_GLOBAL_HIGH && length < GLOBAL_HIGH_LEAST))
			p.what = SWO_BAD;
		return p;
	}
	p.value = p.what == SWO_LOCAL ? bytes[0] >> 4u : bytes_le(bytes + 1, length - 1);
	if (!is_value_known(&p))
		p.what = SWO_BAD;
	return p;
}

static void
fit_count(struct swo_fit *fit, const struct swo_packet *packet)
{
	/* extensions other than the page of ports are rare in good data, frequent in misaligned
	 * data */
	bool odd =
	    packet->what == SWO_BAD || (packet->what == SWO_EXTENSION && packet->header & 0x84);
	fit->reserved += packet->what == SWO_RESERVED;
	fit->bad += odd;
	if (odd || packet->what == SWO_RESERVED)
		return;
	fit->good++;
	fit->bytes += packet->size + 1u;
	fit->subjects += swo_is_subject(packet->what);
}

/* True if a byte begins a packet, false if it is part of a synchronisation. */
static bool
fit_begin(struct swo_fit *fit, uint8_t byte)
{
	bool sync = fit->zeros >= SWO_SYNC_ZEROS && byte == SWO_SYNC_LAST;
	if (!byte) {
		fit->zeros += fit->zeros < UINT16_MAX;
		return false;
	}
	fit->syncs += sync;
	fit->good += sync;
	fit->bytes += sync ? SWO_SYNC_ZEROS + 1 : 0;
	fit->bad += fit->zeros && !sync;
	fit->zeros = 0;
	fit->form = swo_form_allowed(byte);
	return !sync;
}

bool
swo_fit_add(struct swo_fit *fit, uint8_t byte, struct swo_packet *packet)
{
	if (!fit->have && !fit_begin(fit, byte))
		return false;
	fit->packet[fit->have++] = byte;
	if (!swo_form_is_whole(fit->form, fit->packet, fit->have))
		return false;
	*packet = swo_packet_read(fit->form, fit->packet, fit->have);
	fit->have = 0;
	fit_count(fit, packet);
	return true;
}

bool
swo_is_text(uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++, value >>= 8) {
		uint8_t c = (uint8_t)value;
		if ((c && c < ' ' && !(c >= '\a' && c <= '\r') && c != 0x1b) || c == 0x7f)
			return false;
	}
	return true;
}
