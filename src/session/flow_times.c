/* Send times for code that follows the flow: see flow_times.h. */
#include "config.h"

#include "session/flow_times.h"
#include "session/clock/clocks.h"
#include "session/clock/cycles.h"

void
flow_times_begin(struct flow_times *times, struct trace *trace, struct cycles_walk *cycles)
{
	*times = (struct flow_times){.trace = trace, .cycles = cycles};
}

void
flow_times_end(struct flow_times *times)
{
	cycles_walk_free(times->cycles);
	times->cycles = NULL;
}

struct flow_time
flow_times_find(struct flow_times *times, struct message m)
{
	struct message_time time;
	bool known = cycles_time(times->trace, times->cycles, &m, &time) && time.known;
	if (known && !times->has_part)
		times->part = time.part;
	times->has_part |= known;
	return (struct flow_time){.known = known && time.part == times->part,
				  .estimated = m.flags & MESSAGE_ESTIMATED || time.estimated,
				  .nanoseconds = time.nanoseconds};
}
