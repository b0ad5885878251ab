/*
 * Read data payloads of E-Trace.
 *
 * They describe loads, stores, atomic operations and CSR accesses, with address, data
 * or both.  Their presence depends on the last support packet of the source [E-Trace
 * 2.0, "Data Trace Encoder Output Packets"].  Values are shown as sent.  Differences
 * are not resolved, because their reference depends on the size of the access.
 *
 * Split transfers (data that arrives later) are named but not read, because the width
 * of their request number is unknown.  Orders and widths of fields follow the text and
 * its reference models.  No other decoder was available for comparison.
 */
#include "config.h"

#include "decode/encap/encap.h"

#include <string.h>

/* max(1, clog2(clog2(data_width_p / 8 + 1))): [E-Trace 2.0, "Load and Store"]. */
static unsigned
size_width(const struct etrace_options *o)
{
	return o->data_width < 32 ? 1 : o->data_width < 128 ? 2 : 3;
}

const char *const dtrace_names[DTRACE_KINDS][DTRACE_NAMES_MAX] = {
    [DTRACE_LOAD - DTRACE_LOAD] = {"load.aligned", "load.unaligned"},
    [DTRACE_STORE - DTRACE_LOAD] = {"store.aligned", "store.unaligned"},
    [DTRACE_CSR - DTRACE_LOAD] = {"csr.rw", "csr.rs", "csr.rc", "csr.reserved"},
    [DTRACE_ATOMIC - DTRACE_LOAD] = {"atomic.swap", "atomic.add", "atomic.and", "atomic.or",
				     "atomic.xor", "atomic.max", "atomic.min",
				     "atomic.store_failed"},
    [DTRACE_SPLIT - DTRACE_LOAD] = {"split.load", "split.atomic"},
};

/* Set the kind, and the name by its number among those of the kind. */
static void
set_kind(struct etrace_bits *b, struct etrace_packet *t, unsigned kind, uint64_t name)
{
	t->kind = (uint8_t)kind;
	t->name = dtrace_names[kind - DTRACE_LOAD][name];
	etrace_note(b, ENCAP_F_NAME, t->name, 0, 0);
}

/* Read the transfer's size.  Mark an error and return false if it is wider than data_width. */
static bool
read_size(const struct etrace_options *o, struct etrace_bits *b, struct etrace_packet *t,
	  unsigned *size)
{
	*size = (unsigned)etrace_take(b, size_width(o), ENCAP_F_SIZE);
	t->bytes = 1u << *size;
	if (8 * t->bytes <= o->data_width)
		return true;
	t->bytes = 0;
	etrace_fail(b, t, ETRACE_ERROR_WIDE);
	return false;
}

/* Read COUNT bits, at most 128, into DATA and add them as hexadecimal text. */
static void
read_value(struct etrace_bits *b, unsigned count, unsigned row, uint64_t data[static 2])
{
	unsigned from = b->at;
	data[0] = etrace_peek(b, from, count < 64 ? count : 64);
	data[1] = count > 64 ? etrace_peek(b, from + 64, count - 64) : 0;
	b->at += count;
	if (!b->fields)
		return;
	struct arena *arena = &b->fields->arena;
	const char *text = data[1]
			       ? arena_format(arena, "0x%llx%016llx", (unsigned long long)data[1],
					      (unsigned long long)data[0])
			       : arena_format(arena, "0x%llx", (unsigned long long)data[0]);
	etrace_note(b, row, text, from, count);
}

/* Read a length, less 1, in WIDTH bits and then that number of bytes: data_len [E-Trace 2.0,
 * "Load and Store"], op_len [E-Trace 2.0, "Atomic"]. */
static void
read_bytes(struct etrace_bits *b, unsigned width, unsigned length_row, unsigned row,
	   uint64_t data[static 2])
{
	unsigned count = (unsigned)etrace_peek(b, b->at, width) + 1;
	if (width)
		etrace_take(b, width, length_row);
	else if (b->fields) /* one byte needs no length */
		etrace_add(b, length_row, 0, 0, 0);
	read_value(b, 8 * count, row, data);
}

static void
read_data(struct etrace_bits *b, unsigned width, struct etrace_packet *t)
{
	read_bytes(b, width, ENCAP_F_DATA_LEN, ENCAP_F_DATA, t->data);
	t->has_data = true;
}

/* Read an address without its SHIFT low bits, or a difference: "shift left by size to recover
 * byte address" [E-Trace 2.0, "Load and Store"]. */
static void
read_address(const struct etrace_options *o, struct etrace_bits *b, bool full, unsigned shift,
	     struct etrace_packet *t)
{
	unsigned width = (unsigned)o->daddress_width;
	uint64_t sent = etrace_take(b, width, full ? ENCAP_F_ADDRESS : ENCAP_F_ADDRESS_DELTA);
	t->has_address = true;
	t->full = full;
	t->address =
	    full ? sent << shift & etrace_mask(width) : etrace_signed(sent, width) << shift;
	if (b->fields)
		etrace_last(b)->u = t->address;
}

/* Read `diff`, one bit wide if packets have only an address: [E-Trace 2.0, "Load and Store"]. */
static uint64_t
read_diff(struct etrace_bits *b, const struct etrace_place *place)
{
	return etrace_take(b, place->no_data ? 1 : 2, ENCAP_F_DIFF);
}

/* Read the data with their length and the address, or only one.  Data without an address have
 * no length. */
static void
read_rest(const struct etrace_options *o, const struct etrace_place *place, struct etrace_bits *b,
	  unsigned size, bool full, unsigned shift, struct etrace_packet *t)
{
	if (place->no_address) {
		read_value(b, (unsigned)o->data_width, ENCAP_F_DATA, t->data);
		t->has_data = true;
		return;
	}
	if (!place->no_data)
		read_data(b, size, t);
	read_address(o, b, full, shift, t);
}

/* Read a load or store.  Bit 1 of the format selects store, bit 0 unaligned [E-Trace 2.0, "Load
 * and Store"]. */
static void
read_transfer(const struct etrace_options *o, const struct etrace_place *place,
	      struct etrace_bits *b, unsigned format, struct etrace_packet *t)
{
	unsigned size;
	set_kind(b, t, format & 2 ? DTRACE_STORE : DTRACE_LOAD, format & 1);
	if (!read_size(o, b, t, &size))
		return;
	uint64_t diff = read_diff(b, place);
	read_rest(o, place, b, size, diff == 0, format & 1 ? 0 : size, t);
}

/* Read an atomic operation [E-Trace 2.0, "Atomic"].  Subtype 7 is a failed conditional store if
 * packets have only an address, else reserved. */
static void
read_atomic(const struct etrace_options *o, const struct etrace_place *place, struct etrace_bits *b,
	    struct etrace_packet *t)
{
	unsigned size;
	uint64_t operand[2];
	set_kind(b, t, DTRACE_ATOMIC, etrace_take(b, 3, ENCAP_F_SUBTYPE));
	if (!read_size(o, b, t, &size))
		return;
	uint64_t diff = read_diff(b, place);
	if (!place->no_data)
		read_bytes(b, size, ENCAP_F_OP_LEN, ENCAP_F_OPERAND, operand);
	read_rest(o, place, b, size, diff == 0, size, t);
}

/* Read a CSR access [E-Trace 2.0, "CSR"], with "the 6 LSBs output last as these are more likely
 * to compress away".  op_len and operand are present unless the register is read-only,
 * addr[11:10] = 3. */
static void
read_csr(const struct etrace_options *o, const struct etrace_place *place, struct etrace_bits *b,
	 struct etrace_packet *t)
{
	unsigned width = o->data_width > 32 ? 3 : 2;
	uint64_t operand[2];
	set_kind(b, t, DTRACE_CSR, etrace_take(b, 2, ENCAP_F_SUBTYPE));
	if (!place->no_data) {
		etrace_take(b, 2, ENCAP_F_DIFF);
		read_data(b, width, t);
	}
	unsigned from = b->at;
	uint64_t high = etrace_peek(b, b->at, 6);
	b->at += 6;
	if (!place->no_data && high >> 4 != 3) /* else read-only */
		read_bytes(b, width, ENCAP_F_OP_LEN, ENCAP_F_OPERAND, operand);
	uint64_t low = etrace_peek(b, b->at, 6);
	b->at += 6;
	t->has_address = t->full = true;
	t->address = high << 6 | low;
	if (b->fields)
		etrace_add(b, ENCAP_F_CSR, from, 6, t->address);
}

void
dtrace_read(const struct etrace_options *o, const struct etrace_place *place, struct etrace_bits *b,
	    struct etrace_packet *t)
{
	*t = (struct etrace_packet){.severity = SEVERITY_DEBUG};
	unsigned format = (unsigned)etrace_take(b, (unsigned)o->dfmt_width, ENCAP_F_DFORMAT);
	switch (format) {
	case 4:
		set_kind(b, t, DTRACE_SPLIT, 0);
		return;
	case 5:
		read_csr(o, place, b, t);
		break;
	case 6:
		read_atomic(o, place, b, t);
		break;
	case 7:
		set_kind(b, t, DTRACE_SPLIT, 1);
		return;
	default:
		read_transfer(o, place, b, format, t);
		break;
	}
	unsigned end = 8 * (unsigned)b->length;
	t->unused = end > b->at && !t->error ? end - b->at : 0;
}
