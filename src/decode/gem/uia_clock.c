/*
 * The clocks of UIA events.  A sync point contains the core's time, the global time
 * and the rate of the core's time.  A separate event contains the rate of the global
 * time.
 */
#include "config.h"

#include "decode/gem/uia.h"

/* Positions of the arguments: [UIA 1.01, UIASync]. */
enum {
	SYNC_CPU = 1,
	SYNC_GLOBAL = 3,
	SYNC_CYCLES = 5,
	SYNC_HZ = 6,
	SYNC_ARGUMENTS = 8,
	TIMER_CYCLES = 1,
	TIMER_HZ = 2
};

static double
stated_rate(const struct uia_event *event, unsigned cycles_at, unsigned hz_at)
{
	uint32_t cycles = uia_argument(event, cycles_at);
	return (double)uia_argument64(event, hz_at) / (cycles ? cycles : 1);
}

/* Return the core's clock at a sync point.  That is the CPU time read together with the global
 * time.  If the timestamp differs by 1 ms or more, it comes from another clock and is returned
 * instead. */
static uint64_t
core_ticks(const struct uia_event *event, const struct message *m)
{
	uint64_t cpu = uia_argument64(event, SYNC_CPU);
	uint64_t apart = cpu > m->ticks ? cpu - m->ticks : m->ticks - cpu;
	double near = stated_rate(event, SYNC_CYCLES, SYNC_HZ) / 1000;
	return !(m->flags & MESSAGE_TIMED) || (double)apart < near ? cpu : m->ticks;
}

static void
uia_read_clock(const struct decoder *decoder, const struct message *m, const struct window *w,
	       const struct expansion *e, struct clock_reading *reading)
{
	struct uia_event event;
	(void)e;
	if (m->kind != UIA_EVENT || m->offset + m->length > w->offset + w->length ||
	    !uia_event_parse((const struct uia_decoder *)decoder, m,
			     w->bytes + (m->offset - w->offset), m->length, &event))
		return;
	if (event.row->role == UIA_ROLE_TIMER) {
		reading->kind = CLOCK_READING_RATE_B;
		reading->hz_b = stated_rate(&event, TIMER_CYCLES, TIMER_HZ);
	} else if (event.row->role == UIA_ROLE_SYNC && event.args_length >= SYNC_ARGUMENTS * 4) {
		reading->kind = CLOCK_READING_POINT;
		reading->a = core_ticks(&event, m);
		reading->b = uia_argument64(&event, SYNC_GLOBAL);
		reading->key_a = uia_origin_source(m->origin);
		reading->hz_a = stated_rate(&event, SYNC_CYCLES, SYNC_HZ);
	}
}

static uint64_t
uia_clock_key(const struct message *m)
{
	return m->origin == UIA_ORIGIN_NONE ? UINT64_MAX : uia_origin_source(m->origin);
}

const struct clock_source uia_clocks = {
    .kinds = 1u << UIA_EVENT,
    .flags = MESSAGE_SYNC,
    .link = "UIA sync points",
    .a = CLOCK_CORE,
    .b = CLOCK_GLOBAL,
    .read = uia_read_clock,
    .rate_apart = true,
    .key = uia_clock_key,
};
