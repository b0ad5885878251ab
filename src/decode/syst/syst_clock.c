/*
 * Clocks of SyS-T.  A CLOCK message states its sender's time and rate at its transport time [SyS-T
 * 1.0, "Clock Synchronization"].  STP's FREQ packets state the rate of the transport [STP 2, FREQ,
 * second hand: OpenCSD, Zephyr, ADI, stm_core, TI].
 */
#include "config.h"

#include "decode/syst/syst.h"

#include "decode/stp/stp_expand.h"

static void
syst_read_clock(const struct decoder *decoder, const struct message *m, const struct window *w,
		const struct expansion *e, struct clock_reading *reading)
{
	(void)decoder;
	if (m->kind == SYST_STP_FREQ) {
		reading->kind = CLOCK_READING_RATE_A;
		reading->hz_a = (double)stp_frequency(m, w);
		return;
	}
	if (!(m->flags & MESSAGE_TIMED) || m->flags & (MESSAGE_ESTIMATED | MESSAGE_DAMAGED) ||
	    e->flags & MESSAGE_DAMAGED)
		return;
	const struct field *clock = expansion_find(e, syst_fields[SYST_F_CLOCK].name);
	const struct field *freq = expansion_find(e, syst_fields[SYST_F_FREQ].name);
	if (!clock || !freq)
		return;
	reading->kind = CLOCK_READING_POINT;
	reading->a = m->ticks;
	reading->b = clock->u;
	reading->key_b = m->origin;
	reading->hz_b = (double)freq->u;
}

static struct clock_owner
syst_stp_owner(const struct message *m)
{
	struct stp_state stp = stp_aux_state(m->aux);
	uint32_t port = (uint32_t)stp.master << 16 | stp.channel;
	return (struct clock_owner){.port = port, .origin = m->origin ^ stp_sender_key(port)};
}

const struct clock_source syst_clocks = {
    .kinds = 1ull << SYST_CLOCK,
    .link = "SyS-T clock",
    .a = CLOCK_TRACE,
    .b = CLOCK_CLIENT,
    .read = syst_read_clock,
    .expand = true,
    .by_sender = true,
};

const struct clock_source syst_stp_clocks = {
    .kinds = 1ull << SYST_CLOCK | 1ull << SYST_STP_FREQ,
    .link = "SyS-T clock",
    .a = CLOCK_TRACE,
    .b = CLOCK_CLIENT,
    .read = syst_read_clock,
    .expand = true,
    .owner = syst_stp_owner,
};
