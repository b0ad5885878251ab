/*
 * Build text and fields of SWO messages: see swo.h.
 *
 * The content of a packet is in message.aux.  To find its bytes, or those of a line, walk the
 * units of the message again.  They begin at a known byte of the first unit, which belongs to the
 * ITM.
 */
#include "config.h"

#include "decode/coresight/swo.h"

#include <stdio.h>
#include <string.h>

/* --- tables -------------------------------------------------------------- */

/* bits 5:4 of the second byte [ARMv7-M, D4.3] */
static const char *const actions[] = {NULL, "enter", "exit", "return"};
static const char *const action_texts[] = {NULL, "entered", "exited", "returned to"};

/* [ARMv7-M, D4]: TC of a local timestamp */
static const char *const relations[] = {"exact", "delayed", "data_delayed", "both_delayed"};

/* Append the name of an exception.  Covers ARMv7-M [ARMv7-M, B1.5.2] and ARMv8-M [Armv8-M,
 * "Exception numbers and exception priority numbers"]. */
static void
name_exception(unsigned number, struct text *out)
{
	static const char *const names[] = {
	    [0] = "thread",    [1] = "Reset",	      [2] = "NMI",	  [3] = "HardFault",
	    [4] = "MemManage", [5] = "BusFault",      [6] = "UsageFault", [7] = "SecureFault",
	    [11] = "SVCall",   [12] = "DebugMonitor", [14] = "PendSV",	  [15] = "SysTick",
	};
	if (number >= 16)
		text_addf(out, "IRQ %u", number - 16);
	else if (names[number])
		text_add(out, names[number]);
	else
		text_addf(out, "exception %u", number);
}

/* --- bytes --------------------------------------------------------------- */

struct swo_job {
	const struct swo_decoder *d;
	const struct message *m;
	const struct window *w;
	struct expansion *e;
	bool fields;
	struct text name;
};

/* A walk over the ITM bytes of a message. */
struct swo_walk {
	const struct swo_job *job;
	uint64_t offset; /* of the current unit */
	struct swo_unit unit;
	unsigned at; /* next byte in the unit */
};

static bool
walk_unit(struct swo_walk *walk, uint8_t id)
{
	const struct swo_job *j = walk->job;
	walk->at = 0;
	return walk->offset < j->m->offset + j->m->length &&
	       swo_unit_read(j->d, j->w, walk->offset, id, &walk->unit);
}

static struct swo_walk
walk_start(const struct swo_job *j)
{
	struct swo_walk walk = {.job = j, .offset = j->m->offset};
	if (!walk_unit(&walk, j->d->id))
		walk.unit.count = 0;
	walk.at = SWO_AUX_FIRST(j->m->aux);
	return walk;
}

/* Return the next byte and its offset.  Return false at the end. */
static bool
walk_next(struct swo_walk *walk, uint8_t *byte, uint64_t *offset)
{
	for (;;) {
		for (; walk->at < walk->unit.count; walk->at++) {
			if (walk->unit.ids[walk->at] != walk->job->d->id)
				continue;
			*byte = walk->unit.bytes[walk->at];
			*offset = walk->offset + walk->unit.places[walk->at];
			walk->at++;
			return true;
		}
		if (!walk->unit.length)
			return false;
		walk->offset += walk->unit.length;
		if (!walk_unit(walk, walk->unit.next))
			return false;
	}
}

static void
add_byte(struct swo_job *j, uint8_t *payload, uint8_t byte, uint64_t offset)
{
	struct expansion *e = j->e;
	struct extent *last = e->extents.count ? &e->extents.at[e->extents.count - 1] : NULL;
	payload[e->payload_length] = byte;
	if (last && last->capture_bit + last->bits == 8 * offset)
		last->bits += 8;
	else
		*vec_add(&e->extents) = (struct extent){.payload_bit = 8 * e->payload_length,
							.capture_bit = 8 * offset,
							.bits = 8,
							.form = EXTENT_PLAIN};
	e->payload_length++;
}

/* Add the bytes of a packet, a synchronisation or a run of zeros to the payload. */
static void
add_packet(struct swo_job *j)
{
	enum { MOST = 4096 };
	struct swo_walk walk = walk_start(j);
	bool zeros = !SWO_AUX_HEADER(j->m->aux);
	size_t most = zeros ? MOST : SWO_AUX_SIZE(j->m->aux) + 1u;
	if (j->m->kind == SWO_KIND_CUT || most > j->m->length * (uint64_t)CORESIGHT_FRAME)
		most = j->m->length < MOST ? j->m->length : MOST;
	uint8_t *payload = arena_alloc(&j->e->arena, most), byte;
	uint64_t offset;
	j->e->payload = payload;
	while (j->e->payload_length < most && walk_next(&walk, &byte, &offset)) {
		if (zeros && byte && j->m->kind != SWO_KIND_SYNC && j->m->kind != SWO_KIND_CUT)
			break;
		add_byte(j, payload, byte, offset);
		if (zeros && byte && j->m->kind == SWO_KIND_SYNC)
			break;
	}
}

/* Add the bytes of a line to the payload, from its first to its last packet.  Return the number of
 * writes. */
static unsigned
add_line(struct swo_job *j)
{
	unsigned count = SWO_AUX_COUNT(j->m->aux), writes = 0, page = 0, held = 0;
	struct swo_walk walk = walk_start(j);
	struct swo_packet packet;
	struct swo_fit fit = {0};
	uint64_t offset, offsets[SWO_PACKET_MAX];
	uint32_t bad = 0, syncs = 0;
	uint8_t *payload = arena_alloc(&j->e->arena, count), byte;
	j->e->payload = payload;
	while (j->e->payload_length < count && walk_next(&walk, &byte, &offset)) {
		if (!fit.have)
			held = 0;
		offsets[held++ % SWO_PACKET_MAX] = offset;
		bool is_packet = swo_fit_add(&fit, byte, &packet);
		/* the same rule as step() */
		if (fit.bad != bad || fit.syncs != syncs)
			page = 0;
		bad = fit.bad;
		syncs = fit.syncs;
		if (!is_packet)
			continue;
		if (packet.what == SWO_EXTENSION && !(packet.header & 0x84) && j->d->paged)
			page = packet.header >> 4 & 7;
		if (packet.what == SWO_PORT && swo_is_first_page(j->d, &packet))
			page = 0;
		if (packet.what != SWO_PORT || page * 32 + packet.source != j->m->origin ||
		    !swo_is_text(packet.value, packet.size))
			continue;
		unsigned from = writes++ ? 0 : SWO_AUX_SKIP(j->m->aux);
		for (unsigned i = from; i < packet.size && j->e->payload_length < count; i++)
			add_byte(j, payload, (uint8_t)(packet.value >> 8 * i), offsets[1 + i]);
	}
	return writes;
}

/* --- fields -------------------------------------------------------------- */

static struct field *
add_field(struct swo_job *j, enum swo_field row, size_t at, size_t size)
{
	bool there = at + size <= j->e->payload_length;
	if (!j->fields)
		return NULL;
	return expansion_add(j->e, &SWO_FIELDS[row], size && there ? FIELD_PAYLOAD : FIELD_NOWHERE,
			     8 * at, (uint32_t)(8 * size));
}

static void
add_value(struct swo_job *j, enum swo_field row, size_t at, size_t size, uint64_t value)
{
	struct field *field = add_field(j, row, at, size);
	if (field)
		field->u = value;
}

static void
add_text(struct swo_job *j, enum swo_field row, const char *text)
{
	struct field *field = add_field(j, row, 0, 0);
	if (!field)
		return;
	field->s.at = arena_text(&j->e->arena, text, strlen(text));
	field->s.length = strlen(text);
}

/* --- kinds --------------------------------------------------------------- */

static void
expand_line(struct swo_job *j)
{
	unsigned writes = add_line(j);
	const struct expansion *e = j->e;
	size_t length = e->payload_length;
	struct field *field;
	while (length && memchr("\0\r\n", e->payload[length - 1], 3))
		length--;
	for (size_t i = 0; i < length; i++)
		if (e->payload[i]) /* padding, not the end of the text */
			text_add_char(&j->e->text, (char)e->payload[i]);
	add_value(j, SWO_F_PORT, 0, 0, j->m->origin);
	if ((field = add_field(j, SWO_F_BYTES, 0, e->payload_length))) {
		field->s.at = (const char *)e->payload;
		field->s.length = e->payload_length;
	}
	add_value(j, SWO_F_WRITES, 0, 0, writes);
}

static void
expand_port(struct swo_job *j)
{
	unsigned size = SWO_AUX_SIZE(j->m->aux);
	uint64_t value = SWO_AUX_VALUE(j->m->aux);
	add_value(j, SWO_F_PORT, 0, 1, j->m->origin);
	add_value(j, SWO_F_SIZE, 0, 1, size);
	add_value(j, SWO_F_VALUE, 1, size, value);
	text_addf(&j->e->text, "0x%0*llx", (int)(2 * size), (unsigned long long)value);
}

/* Decode source 3: one bit for each counter [Armv8-M, "PMU Overflow packet"]. */
static void
expand_pmu(struct swo_job *j)
{
	add_value(j, SWO_F_PMU, 1, 1, SWO_AUX_VALUE(j->m->aux));
	text_add(&j->e->text, "PMU");
	for (unsigned i = 0; i < 8; i++)
		if (SWO_AUX_VALUE(j->m->aux) >> i & 1)
			text_addf(&j->e->text, " %u", i);
	text_add(&j->e->text, " wrapped");
}

/* Decode source 0 [ARMv7-M, D4.3]. */
static void
expand_events(struct swo_job *j)
{
	static const char *const names[] = {"CPI", "EXC", "SLEEP", "LSU", "FOLD", "CYC"};
	if (SWO_AUX_HEADER(j->m->aux) >> 3 == SWO_SOURCE_PMU) {
		expand_pmu(j);
		return;
	}
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (SWO_AUX_VALUE(j->m->aux) >> i & 1)
			text_addf(&j->name, "%s%s", j->name.length ? " " : "", names[i]);
	add_text(j, SWO_F_COUNTERS, text_get(&j->name));
	text_addf(&j->e->text, "%s wrapped", text_get(&j->name));
}

/* Decode source 1 [ARMv7-M, D4.3].  After an exit, the next message names the running exception. */
static void
expand_exception(struct swo_job *j)
{
	uint64_t value = SWO_AUX_VALUE(j->m->aux);
	unsigned number = value & 0x1ff, action = value >> 12 & 3;
	name_exception(number, &j->name);
	add_value(j, SWO_F_EXCEPTION, 1, 2, number);
	add_text(j, SWO_F_NAME, text_get(&j->name));
	add_text(j, SWO_F_ACTION, actions[action]);
	if (action != 2)
		add_text(j, SWO_F_RUNNING, text_get(&j->name));
	if (action == 3)
		text_addf(&j->e->text, "%s %s", action_texts[action], text_get(&j->name));
	else
		text_addf(&j->e->text, "%s %s", text_get(&j->name), action_texts[action]);
}

/* Decode source 2 [ARMv7-M, D4.3]. */
static void
expand_pc(struct swo_job *j)
{
	uint64_t value = SWO_AUX_VALUE(j->m->aux);
	if (SWO_AUX_SIZE(j->m->aux) == 4) {
		add_value(j, SWO_F_PC, 1, 4, value);
		text_addf(&j->e->text, "0x%08llx", (unsigned long long)value);
		return;
	}
	const char *state = value ? "unreadable" : "asleep";
	add_text(j, SWO_F_STATE, state);
	text_add(&j->e->text, state);
}

/* Decode `01cc0` PC, `01cc1` address and `10ccw` value [ARMv7-M, D4.3]. */
static void
expand_data(struct swo_job *j)
{
	unsigned source = SWO_AUX_HEADER(j->m->aux) >> 3, size = SWO_AUX_SIZE(j->m->aux);
	unsigned comparator = source >> 1 & 3;
	uint64_t value = SWO_AUX_VALUE(j->m->aux);
	const char *what = source >= 16 ? source & 1 ? "write" : "read"
			   : source & 1 ? "address"
			   : size > 1	? "pc"
					: "match";
	add_value(j, SWO_F_COMPARATOR, 0, 1, comparator);
	add_text(j, SWO_F_WHAT, what);
	add_value(j, SWO_F_SIZE, 0, 1, size);
	add_value(j,
		  source >= 16 ? SWO_F_VALUE
		  : source & 1 ? SWO_F_ADDRESS
			       : SWO_F_PC,
		  1, size, value);
	text_addf(&j->e->text, "comparator %u %s 0x%0*llx", comparator, what, (int)(2 * size),
		  (unsigned long long)value);
}

/* Show a source missing in the tables; its size is valid anyway. */
static void
expand_reserved(struct swo_job *j)
{
	unsigned size = SWO_AUX_SIZE(j->m->aux);
	add_value(j, SWO_F_SIZE, 0, 1, size);
	add_value(j, SWO_F_VALUE, 1, size, SWO_AUX_VALUE(j->m->aux));
	text_addf(&j->e->text, "source %u 0x%0*llx", SWO_AUX_HEADER(j->m->aux) >> 3,
		  (int)(2 * size), (unsigned long long)SWO_AUX_VALUE(j->m->aux));
}

/* Show a local timestamp [ARMv7-M, D4]. */
static void
expand_local(struct swo_job *j)
{
	uint8_t header = SWO_AUX_HEADER(j->m->aux);
	uint64_t value = SWO_AUX_VALUE(j->m->aux);
	unsigned relation = header & 0x80 ? header >> 4 & 3 : 0;
	bool alone = !(header & 0x80);
	add_value(j, SWO_F_TICKS, !alone, alone ? 1 : SWO_AUX_SIZE(j->m->aux), value);
	add_text(j, SWO_F_RELATION, relations[relation]);
	text_addf(&j->e->text, "+%llu%s%s", (unsigned long long)value, relation ? ", " : "",
		  relation ? relations[relation] : "");
}

static void
expand_global(struct swo_job *j)
{
	add_value(j, SWO_F_GLOBAL, 0, 0, j->m->aux);
	text_addf(&j->e->text, "%llu", (unsigned long long)j->m->aux);
}

static void
expand_global_part(struct swo_job *j)
{
	uint64_t value = SWO_AUX_VALUE(j->m->aux);
	bool low = !(SWO_AUX_HEADER(j->m->aux) & 0x20);
	if (low) {
		value &= 0x3ffffff;
		add_value(j, SWO_F_LOW, 1, SWO_AUX_SIZE(j->m->aux), value);
	}
	text_addf(&j->e->text, low ? "low bits %llu" : "high bits %llu", (unsigned long long)value);
}

static void
expand_extension(struct swo_job *j)
{
	unsigned page = SWO_AUX_HEADER(j->m->aux) >> 4 & 7;
	add_value(j, SWO_F_PAGE, 0, 1, page);
	text_addf(&j->e->text, "ports %u to %u", 32 * page, 32 * page + 31);
}

static void
expand_trigger(struct swo_job *j)
{
	text_addf(&j->e->text, "trigger 0x%02x", (unsigned)j->m->aux);
}

static void
expand_damage(struct swo_job *j)
{
	text_addf(&j->e->text, "no packet: %zu byte%s", j->e->payload_length,
		  j->e->payload_length == 1 ? "" : "s");
	for (size_t i = 0; i < j->e->payload_length && i < SWO_PACKET_MAX; i++)
		text_addf(&j->e->text, "%s%02x", i ? " " : ", ", j->e->payload[i]);
}

static void
expand_cut(struct swo_job *j)
{
	text_addf(&j->e->text, "%u bytes of a packet or frame whose end is missing", j->m->length);
}

static void
expand_align(struct swo_job *j)
{
	text_addf(&j->e->text, "%u byte%s lost: frames fit again from byte %llu on", j->m->length,
		  j->m->length == 1 ? "" : "s", (unsigned long long)(j->m->offset + j->m->length));
}

static void
expand_sync(struct swo_job *j)
{
	text_addf(&j->e->text, "%zu bytes", j->e->payload_length);
}

static void
expand_overflow(struct swo_job *j)
{
	text_add(&j->e->text, "packets were lost in the target");
}

static void
add_origin(const struct message *m, struct text *out)
{
	if (m->origin < SWO_ORIGIN_DWT)
		text_addf(out, "port %u", (unsigned)m->origin);
	else
		text_add(out, m->origin == SWO_ORIGIN_DWT   ? "DWT"
			      : m->origin == SWO_ORIGIN_ITM ? "ITM"
							    : "trigger");
}

void
swo_expand(const struct decoder *decoder, const struct message *m, const struct window *w,
	   enum expand_want want, const struct decode_history *history, struct expansion *e)
{
	static void (*const each[SWO_KIND_COUNT])(struct swo_job *) = {
	    [SWO_KIND_LINE] = expand_line,
	    [SWO_KIND_PORT] = expand_port,
	    [SWO_KIND_EVENTS] = expand_events,
	    [SWO_KIND_EXCEPTION] = expand_exception,
	    [SWO_KIND_PC] = expand_pc,
	    [SWO_KIND_DATA] = expand_data,
	    [SWO_KIND_LOCAL] = expand_local,
	    [SWO_KIND_GLOBAL] = expand_global,
	    [SWO_KIND_GLOBAL_PART] = expand_global_part,
	    [SWO_KIND_EXTENSION] = expand_extension,
	    [SWO_KIND_RESERVED] = expand_reserved,
	    [SWO_KIND_SYNC] = expand_sync,
	    [SWO_KIND_OVERFLOW] = expand_overflow,
	    [SWO_KIND_TRIGGER] = expand_trigger,
	    [SWO_KIND_DAMAGE] = expand_damage,
	    [SWO_KIND_CUT] = expand_cut,
	    [SWO_KIND_ALIGN] = expand_align,
	};
	struct swo_job job = {.d = (const struct swo_decoder *)decoder,
			      .m = m,
			      .w = w,
			      .e = e,
			      .fields = want == EXPAND_FIELDS};
	(void)history;
	expansion_clear(e);
	if (want >= EXPAND_TYPE)
		text_add(&e->type, SWO_KINDS[m->kind].name);
	if (want >= EXPAND_TEXT)
		add_origin(m, &e->origin);
	if (m->kind != SWO_KIND_LINE && m->kind < SWO_KIND_TRIGGER && m->kind != SWO_KIND_GLOBAL &&
	    want == EXPAND_FIELDS)
		add_packet(&job);
	else if (m->kind == SWO_KIND_SYNC || m->kind == SWO_KIND_DAMAGE)
		add_packet(&job);
	each[m->kind](&job);
	text_free(&job.name);
}
