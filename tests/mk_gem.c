/*
 * The schedule is a sequence of steps: sync points, snapshots, context
 * changes.  For each, mk_gem() writes a word or a pair of words, and mk_uia()
 * the events of the loggers; a step may have only one of both.
 *
 * Damage to words is the loss or change of whole words, for they lie on a
 * grid: cut loses the second word of a pair, drop its first or the word.
 */
#include "config.h"

#include "mk_gem.h"

#include <inttypes.h>
#include <string.h>

#define ITEMS(array) (sizeof(array) / sizeof *(array))

enum { CPU_HZ = 1250000000, GLOBAL_RATIO = 6, EVENT_MAX = 64, PACKET_MAX = 1400, CORE = 3 };

/* --- the schedule ------------------------------------------------------ */

enum step_kind { SYNC, SNAPSHOT, CONTEXT, CONTEXT_PAIR, USER_PAIR, TIME_PAIR, PLAIN, ODD_WORD };

struct schedule {
	uint64_t seed, time; /* in cycles */
	uint32_t serial, snapshot, sequence, context;
	uint32_t last[2]; /* contexts, not by users and by users */
	bool everything, contexts;
	/* the step */
	enum step_kind kind;
	bool unlogged;		 /* the logger drops its event */
	uint32_t before, random; /* the context before it; for what does not matter */
};

static struct schedule
schedule_open(const struct mk_gem_plan *plan)
{
	struct schedule s = {
	    .seed = plan->seed, .everything = plan->everything, .contexts = plan->contexts};
	/* numbers that overflow soon */
	s.serial = s.snapshot = plan->everything ? 0xffffc0 : 0;
	s.sequence = plan->everything ? 0xffff00 : 0;
	return s;
}

static void
schedule_next(struct schedule *s)
{
	static const uint8_t usual[] = {SYNC, SNAPSHOT, CONTEXT, CONTEXT, CONTEXT_PAIR, USER_PAIR};
	static const uint8_t all[] = {SYNC,	 SNAPSHOT, CONTEXT, CONTEXT_PAIR, USER_PAIR,
				      TIME_PAIR, PLAIN,	   PLAIN,   ODD_WORD};
	s->random = (uint32_t)random_next(&s->seed);
	s->kind = s->everything ? all[s->random % ITEMS(all)] : usual[s->random % ITEMS(usual)];
	s->time += 1000 + (s->random >> 16);
	s->before = s->context;
	s->unlogged = false;
	switch (s->kind) {
	case SYNC:
		s->serial++;
		break;
	case SNAPSHOT:
		s->snapshot++;
		break;
	case CONTEXT:
	case CONTEXT_PAIR:
	case USER_PAIR:
		s->sequence++;
		s->context = 0x80000000u | (uint32_t)random_next(&s->seed) >> 4;
		if (s->contexts && (s->random >> 16) % 4 == 0)
			s->context = s->last[s->kind == USER_PAIR];
		s->last[s->kind == USER_PAIR] = s->context;
		s->unlogged = s->contexts && (s->random >> 8) % 24 == 0;
		break;
	case TIME_PAIR:
	case PLAIN:
	case ODD_WORD:
		break;
	}
}

/* --- words ------------------------------------------------------------- */

/* What the words so far say of a context: one by events and pairs of a context
 * change, the other by pairs of a user's. */
enum { TASK, USER, CONTEXTS };

struct said {
	bool any, unknown, doubtful, recovered;
	bool logged; /* an event of its kind was there */
	uint32_t value;
	uint64_t since;
};

struct words {
	const struct mk_gem_plan *plan;
	struct mk_sink *sink;
	struct schedule schedule;
	uint32_t lost[2]; /* sync points and snapshots since the last one written */
	bool doubtful[2]; /* somebody else may have been counted as one */
	unsigned damage;  /* to this step */
	bool lone_first;  /* the word before is a first one without its second */
	struct said said[CONTEXTS];
	struct mk_record record;
};

/* --- what the words say ------------------------------------------------ */

/* Something is missing before the next word. */
static void
say_loss(struct words *w)
{
	for (int i = 0; i < CONTEXTS; i++)
		w->said[i].doubtful |= w->said[i].any;
}

/* The next word tells a context. */
static void
say(struct words *w, int context, bool unknown, bool recovered)
{
	struct said *said = &w->said[context];
	const uint32_t value = w->schedule.context;
	said->logged |= !w->schedule.unlogged;
	if (said->any && !said->unknown && !unknown && !said->doubtful && said->value == value)
		return; /* as before */
	said->any = true;
	said->unknown = unknown;
	said->doubtful = false;
	said->recovered = recovered;
	said->value = value;
	said->since = w->sink->out->offset;
}

static void
tell_said(struct words *w)
{
	static const char *const names[CONTEXTS] = {"task", "user"};
	for (int i = 0; w->plan->contexts && i < CONTEXTS; i++) {
		const struct said *said = &w->said[i];
		char value[16] = "?";
		if (!said->unknown)
			snprintf(value, sizeof value, "0x%08" PRIx32, said->value);
		if (!said->any)
			mk_record_field(&w->record, "%s=-", names[i]);
		else
			mk_record_field(&w->record, "%s=%s@%" PRIu64 "%s%s", names[i], value,
					said->since, said->doubtful ? " doubtful" : "",
					said->recovered ? " recovered" : "");
	}
}

static struct mk_record *
begin_word(struct words *w, uint32_t value, const char *type, enum mk_severity severity)
{
	struct mk_record *r = &w->record;
	const struct schedule *s = &w->schedule;
	uint32_t word = value | 3; /* as the hardware fixes the lowest bits */
	mk_record_begin(r, w->sink, type, severity);
	if (w->damage == MK_FLIP)
		word ^= 4u << random_below(&w->sink->seed, 30);
	mk_record_le(r, word, 4);
	mk_record_le(r, s->time, w->plan->timestamp_bytes);
	r->timed = w->plan->timestamp_bytes > 0;
	r->ticks = s->time;
	mk_record_field(r, "word=0x%08" PRIx32 "\tlsb=3", word);
	return r;
}

static void
send_word(struct words *w, bool doubtful)
{
	const char *state = w->damage == MK_FLIP ? "flip" : doubtful ? "damaged" : "ok";
	tell_said(w);
	mk_record_send_whole(&w->record, w->sink, state);
}

static void
send_single(struct words *w, unsigned type, const char *name, uint32_t value)
{
	const int counter = type == 1 ? 0 : type == 3 ? 1 : -1;
	uint32_t missing = counter < 0 ? 0 : w->lost[counter];
	if (w->damage & (MK_CUT | MK_DROP)) {
		if (counter >= 0)
			w->lost[counter]++;
		return;
	}
	struct mk_record *r = begin_word(w, type << 26 | (value & 0xffffff) << 2, name,
					 strcmp(name, "reserved") == 0 ? MK_WARNING
					 : missing		       ? MK_ERROR
								       : MK_INFO);
	mk_record_field(r, "type_id=%u\tvalue=%" PRIu32, type, value & 0xffffff);
	if (missing)
		mk_record_field(r, "missing=%" PRIu32, missing);
	if (missing)
		say_loss(w);
	if (type == 2)
		say(w, TASK, w->schedule.unlogged, false);
	w->lone_first = false;
	send_word(w, counter >= 0 && w->doubtful[counter]);
	if (counter >= 0 && !w->damage) {
		w->lost[counter] = 0;
		w->doubtful[counter] = false;
	}
}

static void
send_pair(struct words *w, unsigned type, const char *name, uint32_t data)
{
	const uint32_t sequence = w->schedule.sequence & 0xfffff;
	const bool no_first = w->damage == MK_DROP && !(w->plan->contexts && w->lone_first);
	const bool no_second = w->damage == MK_CUT;
	const int context = type == 2 ? TASK : USER;
	struct mk_record *r;
	if (no_first || no_second)
		say_loss(w);
	if (!no_first) {
		r = begin_word(w, 2u << 30 | type << 26 | data >> 8 << 2, "first",
			       no_second ? MK_ERROR : MK_INFO);
		mk_record_field(r, "ctx_type=%u\tctx_name=%s\tdata24=%" PRIu32 "\tpair=%s", type,
				name, data >> 8, no_second ? "second_lost" : "complete");
		send_word(w, false);
	}
	w->lone_first = no_second;
	if (no_second)
		return;
	if (type == 14)
		; /* a time */
	else if (!no_first)
		say(w, context, false, false);
	else if (w->said[context].logged && !w->schedule.unlogged)
		say(w, context, false, true);
	r = begin_word(w, 3u << 30 | sequence << 10 | (data & 0xff) << 2, "second",
		       no_first ? MK_ERROR : MK_INFO);
	mk_record_field(r, "seq20=%" PRIu32 "\tdata8=%" PRIu32 "\tpair=%s", sequence, data & 0xff,
			no_first ? "first_lost" : "complete");
	if (!no_first)
		mk_record_field(r, "ctx_type=%u\tctx_name=%s\tdata=0x%08" PRIx32, type, name, data);
	send_word(w, false);
}

/* A word of anybody's. */
static void
send_garbage(struct words *w)
{
	struct mk_record *r = &w->record;
	mk_record_begin(r, w->sink, "reserved", MK_WARNING);
	mk_record_le(r, random_next(&w->sink->seed) | 3, 4);
	mk_record_le(r, w->schedule.time, w->plan->timestamp_bytes);
	mk_record_send_whole(r, w->sink, "damaged");
}

static void
send_step(struct words *w)
{
	const struct schedule *s = &w->schedule;
	switch (s->kind) {
	case SYNC:
		send_single(w, 1, "syncpoint", s->serial);
		break;
	case SNAPSHOT:
		send_single(w, 3, "snapshot", s->snapshot);
		break;
	case CONTEXT:
		send_single(w, 2, "ctxchg", s->sequence);
		break;
	case CONTEXT_PAIR:
		send_pair(w, 2, "ContextChange", s->context);
		break;
	case USER_PAIR:
		send_pair(w, 15, "User", s->context);
		break;
	case TIME_PAIR:
		send_pair(w, 14, "Global32bTimestamp", (uint32_t)(s->time / GLOBAL_RATIO));
		break;
	case ODD_WORD:
		send_single(w, 4 + s->random % 28, "reserved", s->random >> 8);
		break;
	case PLAIN:
		break;
	}
}

void
mk_gem(const struct mk_gem_plan *plan, struct mk_sink *sink)
{
	static struct words words;
	struct words *w = &words;
	*w = (struct words){.plan = plan, .sink = sink, .schedule = schedule_open(plan)};
	for (uint64_t made = 0; !mk_enough(sink, made); made++) {
		schedule_next(&w->schedule);
		w->damage = mk_damage_choose(sink);
		if (w->damage & (MK_FLIP | MK_GARBAGE))
			w->doubtful[0] = w->doubtful[1] = true;
		if (w->damage == MK_GARBAGE) {
			send_garbage(w);
			w->damage = 0;
		}
		send_step(w);
	}
}

/* --- events ------------------------------------------------------------ */

enum { LOGGER_SYNC, LOGGER_CONTEXT, LOGGERS };
enum event_id { EV_SYNC = 1, EV_TIMER, EV_CONTEXT, EV_USER, EV_SNAPSHOT, EV_PLAIN };

struct logger {
	bool big;
	uint16_t sequence;
	bool started;  /* a reader has seen an event of it */
	bool doubtful; /* or has missed some */
	unsigned lost; /* dropped by the logger since the last one written */
	size_t events;
	struct mk_record packet; /* bytes of the events so far */
	struct mk_record event[EVENT_MAX];
};

struct log {
	const struct mk_gem_plan *plan;
	struct mk_sink *sink;
	struct schedule schedule;
	uint64_t seed; /* of what the schedule does not say */
	uint16_t sequence;
	bool doubtful; /* the packet before may claim bytes of the next */
	struct logger loggers[LOGGERS];
	struct mk_record record;
};

static void
put_word(const struct logger *l, struct mk_record *r, uint64_t word)
{
	if (l->big)
		mk_record_be(r, word, 4);
	else
		mk_record_le(r, word, 4);
}

/* Writes the header and the events of a packet, and their truth. */
static void
send_packet(struct log *g, struct logger *l)
{
	struct mk_record *head = &g->record;
	const unsigned instance = (unsigned)(l - g->loggers) + 1, module = 0x8101;
	const size_t length = 16 + l->packet.length;
	if (!l->events)
		return;
	mk_record_begin(head, g->sink, "packet", MK_DEBUG);
	mk_record_be(head, 10u << 28 | (unsigned)l->big << 27 | (unsigned)length, 4);
	mk_record_be(head, (uint64_t)g->sequence << 16, 4);
	mk_record_be(head, (uint64_t)instance << 16 | module, 4);
	mk_record_be(head, 0xffffu << 16 | CORE, 4);
	mk_record_field(head,
			"hdr_type=10\tevent_length=%zu\tseq=%u\tinstance=%u\tmodule=%u\tdest=65535"
			"\tsrc=%u",
			length, g->sequence++, instance, module, CORE);
	memcpy(head->bytes + 16, l->packet.bytes, l->packet.length);

	unsigned kind = mk_damage_choose(g->sink);
	size_t left = length;
	if (kind == MK_GARBAGE)
		mk_out_took(g->sink->out, mk_garbage(g->sink, mk_out_room(g->sink->out)));
	else if (kind)
		left = mk_damage_bytes(g->sink, kind, head->bytes, length);
	bool damaged = kind && kind != MK_GARBAGE;
	const char *state = damaged ? mk_damage_name(kind) : g->doubtful ? "damaged" : "ok";
	uint64_t offset = g->sink->out->offset;
	mk_record_truth(head, g->sink, offset, 16, state);
	offset += 16;
	for (size_t i = 0; i < l->events; i++) {
		const char *own = l->doubtful && !damaged ? "damaged" : state;
		mk_record_truth(&l->event[i], g->sink, offset, l->event[i].length, own);
		offset += l->event[i].length;
		l->doubtful = false;
	}
	l->doubtful = damaged || g->doubtful;
	g->doubtful = damaged && left < length;
	mk_out_put(g->sink->out, head->bytes, left);
	l->events = 0;
	l->packet.length = 0;
}

/* What may lie between packets. */
static void
send_between(struct log *g)
{
	unsigned dice = random_below(&g->seed, 8);
	if (dice == 0) {
		mk_record_begin(&g->record, g->sink, "footer", MK_DEBUG);
		mk_record_be(&g->record, 0x00107777, 4);
	} else if (dice == 1) {
		mk_record_begin(&g->record, g->sink, "padding", MK_DEBUG);
		for (unsigned words = 1 + random_below(&g->seed, 8); words; words--)
			mk_record_be(&g->record, 0, 4);
	} else {
		return;
	}
	mk_record_send_whole(&g->record, g->sink, g->doubtful ? "damaged" : "ok");
}

/* Adds an event with its arguments to the packet of a logger. */
static void
log_event(struct log *g, unsigned number, unsigned id, unsigned type, const uint32_t *args,
	  size_t count)
{
	struct logger *l = &g->loggers[number];
	const bool timed = type & 1;
	const unsigned module = 0x8000 | id, length = (timed ? 16 : 8) + 4 * (unsigned)count;
	const uint64_t time = g->schedule.time;
	l->sequence++;
	if (g->schedule.unlogged ||
	    (g->plan->everything && l->started && random_below(&g->seed, 64) == 0)) {
		l->lost++;
		return;
	}
	struct mk_record *r = &l->event[l->events++];
	mk_record_begin(r, g->sink, "event", l->lost ? MK_ERROR : MK_INFO);
	put_word(l, r, (uint64_t)type << 27 | length << 16 | l->sequence);
	if (timed) {
		put_word(l, r, time);
		put_word(l, r, time >> 32);
		mk_record_field(r, "timestamp=%" PRIu64, time);
	}
	put_word(l, r, (uint64_t)id << 16 | module);
	for (size_t i = 0; i < count; i++)
		put_word(l, r, args[i]);
	r->timed = timed;
	r->ticks = time;
	mk_record_field(r, "hdr_type=%u\tseq=%u\tlogger=%u\tevent_id=%u\tmodule_id=%u", type,
			l->sequence, number + 1, id, module);
	if (l->lost)
		mk_record_field(r, "missing=%u", l->lost);
	for (size_t i = 0; i < count && type < 2; i++)
		mk_record_field(r, "arg=%" PRIu32, args[i]);
	if (type >= 2)
		mk_record_field(r,
				"line=%" PRIu32 "\tsnapshot_id=%" PRIu32 "\taddress=%" PRIu32
				"\ttotal_length=%" PRIu32,
				args[1], args[2], args[3], args[4] >> 16);
	l->lost = 0;
	l->started = true;
	memcpy(l->packet.bytes + l->packet.length, r->bytes, r->length);
	l->packet.length += r->length;
	if (l->packet.length >= PACKET_MAX - 128 || l->events == EVENT_MAX) {
		send_packet(g, l);
		if (g->plan->everything)
			send_between(g);
	}
}

#define LOG(g, logger, id, type, ...)                                                              \
	log_event(g, logger, id, type, (const uint32_t[]){__VA_ARGS__},                            \
		  ITEMS(((const uint32_t[]){__VA_ARGS__})))

static void
log_sync(struct log *g)
{
	const struct schedule *s = &g->schedule;
	const uint64_t global = s->time / GLOBAL_RATIO;
	LOG(g, LOGGER_SYNC, EV_SYNC, 1, s->serial, (uint32_t)s->time, (uint32_t)(s->time >> 32),
	    (uint32_t)global, (uint32_t)(global >> 32), 1, CPU_HZ, 0);
	LOG(g, LOGGER_SYNC, EV_TIMER, 1, s->serial, GLOBAL_RATIO, CPU_HZ / GLOBAL_RATIO, 0);
}

static void
log_step(struct log *g)
{
	enum { FILE_PTR = 0x00812340, FORMAT_PTR = 0x00815678, DATA_PTR = 0x0c000100 };
	const struct schedule *s = &g->schedule;
	switch (s->kind) {
	case SYNC:
		log_sync(g);
		break;
	case SNAPSHOT:
		LOG(g, LOGGER_SYNC, EV_SNAPSHOT, 3, FILE_PTR, s->random % 1000, s->snapshot,
		    DATA_PTR, 8 << 16 | 8, FORMAT_PTR, s->random, ~s->random);
		break;
	case CONTEXT:
	case CONTEXT_PAIR:
	case USER_PAIR:
		LOG(g, LOGGER_CONTEXT, s->kind == USER_PAIR ? EV_USER : EV_CONTEXT, 1, FILE_PTR,
		    s->random % 1000, s->before, FORMAT_PTR, s->context, 0, 0, 0);
		break;
	case PLAIN:
		LOG(g, LOGGER_SYNC, EV_PLAIN, 0, FORMAT_PTR, s->random);
		break;
	case TIME_PAIR:
	case ODD_WORD:
		break;
	}
}

void
mk_uia(const struct mk_gem_plan *plan, struct mk_sink *sink)
{
	static struct log log;
	struct log *g = &log;
	memset(g, 0, sizeof *g);
	g->plan = plan;
	g->sink = sink;
	g->schedule = schedule_open(plan);
	g->seed = plan->seed ^ 0x10c5;
	g->loggers[LOGGER_CONTEXT].big = plan->everything;
	/* it counts as the words do, of which a reader sees the low bits */
	g->loggers[LOGGER_CONTEXT].sequence = (uint16_t)g->schedule.sequence;
	for (uint64_t made = 0; !mk_enough(sink, made); made++) {
		schedule_next(&g->schedule);
		log_step(g);
	}
	for (struct logger *l = g->loggers; l < g->loggers + LOGGERS; l++)
		send_packet(g, l);
}
