/*
 * A log is a header and runs of start, events and stop.  A fault is injected
 * into a run that is otherwise sound, so what a reader should say of it is
 * known from the fault alone.
 */
#include "config.h"

#include "mk_csel.h"

#include <inttypes.h>
#include <string.h>

enum { START = 1, STOP, END, EVENT };
enum { TIMEOUT_START = 300000, TIMEOUT_EVENT = 450000, EVENT_IDS = 5 };

enum fault {
	NO_FAULT,
	GAP,	    /* sequence numbers are missing */
	REPEAT,	    /* one comes twice */
	BACK,	    /* or steps back */
	TIME_BACK,  /* time does */
	RESERVED,   /* bytes that should be zero are not */
	LATE_EVENT, /* the first event comes late */
	SECOND_START,
	SECOND_STOP,
	STRAY_EVENT, /* after the stop */
	FAULTS
};

struct maker {
	struct mk_sink *sink;
	uint64_t seed, time, made;
	uint32_t sequence, run;
	bool running, doubtful;
	struct mk_record record;
};

static uint32_t
below(struct maker *m, uint32_t n)
{
	return random_below(&m->seed, n);
}

/* Begins an entry; DIAG: what a reader should object to, or NULL. */
static struct mk_record *
begin_entry(struct maker *m, unsigned id, const char *diag, enum mk_severity severity)
{
	static const char *const types[] = {NULL, "start", "stop", "end", "event"};
	struct mk_record *r = &m->record;
	m->made++;
	mk_record_begin(r, m->sink, types[id], severity);
	mk_record_le(r, id, 1);
	mk_record_le(r, m->time, 8);
	r->timed = true;
	r->ticks = m->time;
	mk_record_field(r, "id=%u\tts=%" PRIu64 "\trun=%" PRIu32, id, m->time, m->run);
	if (diag)
		mk_record_field(r, "diag_name=%s", diag);
	return r;
}

/* Nothing tells where an entry ends but what it is, so damage is for good. */
static void
send_entry(struct maker *m, const char *state)
{
	mk_record_field(&m->record, "state=%s", state);
	if (mk_record_send(&m->record, m->sink, m->doubtful ? "damaged" : "ok"))
		m->doubtful = true;
}

static void
send_plain(struct maker *m, unsigned id, const char *diag, enum mk_severity severity,
	   const char *state)
{
	begin_entry(m, id, diag, severity);
	send_entry(m, state);
}

static void
send_event(struct maker *m, const char *diag, enum mk_severity severity, uint32_t missing,
	   uint16_t reserved)
{
	unsigned id = m->sequence % EVENT_IDS;
	struct mk_record *r = begin_entry(m, EVENT, diag, severity);
	mk_record_le(r, m->sequence, 4);
	mk_record_le(r, id, 2);
	mk_record_le(r, reserved, 2);
	mk_record_field(r, "seq=%" PRIu32 "\tevent=%u", m->sequence, id);
	if (missing)
		mk_record_field(r, "missing=%" PRIu32, missing);
	send_entry(m, m->running ? "running" : "stopped");
	m->sequence++;
	m->time += 10000 + below(m, 2000);
}

static void
send_start(struct maker *m, const char *diag)
{
	m->run++;
	m->running = true;
	send_plain(m, START, diag, diag ? MK_ERROR : MK_INFO, "running");
	m->sequence = below(m, 2) ? 0 : UINT32_MAX - below(m, 16);
	m->time += 1000 + below(m, 100000);
}

/* An event that is not as it should be, within a run. */
static void
send_fault(struct maker *m, enum fault fault)
{
	uint32_t missing = 1 + below(m, 1000);
	uint64_t time = m->time;
	switch (fault) {
	case GAP:
		m->sequence += missing;
		send_event(m, "sequence_gap", MK_ERROR, missing, 0);
		break;
	case REPEAT:
		m->sequence--;
		send_event(m, "sequence_repeat", MK_ERROR, 0, 0);
		break;
	case BACK:
		m->sequence -= 2 + below(m, 100);
		send_event(m, "sequence_regression", MK_ERROR, 0, 0);
		break;
	case TIME_BACK:
		m->time -= 30000;
		send_event(m, "timestamp_regression", MK_ERROR, 0, 0);
		m->time = time;
		break;
	case RESERVED:
		send_event(m, "reserved_nonzero", MK_INFO, 0, 0xbeef);
		break;
	case SECOND_START:
		send_start(m, "start_while_running");
		break;
	case NO_FAULT:
	case LATE_EVENT:
	case SECOND_STOP:
	case STRAY_EVENT:
	case FAULTS:
		break;
	}
}

static void
send_run(struct maker *m, enum fault fault)
{
	unsigned events = 4 + below(m, 12), at = 2 + below(m, 2);
	send_start(m, NULL);
	if (fault == LATE_EVENT) {
		m->time += TIMEOUT_EVENT;
		send_event(m, "event_timeout", MK_ERROR, 0, 0);
	}
	for (unsigned i = 0; i < events; i++) {
		if (i == at)
			send_fault(m, fault);
		send_event(m, NULL, MK_INFO, 0, 0);
	}
	m->running = false;
	send_plain(m, STOP, NULL, MK_INFO, "stopped");
	m->time += 50000;
	if (fault == SECOND_STOP)
		send_plain(m, STOP, "stop_not_running", MK_ERROR, "stopped");
	if (fault == STRAY_EVENT)
		send_event(m, "event_after_stop", MK_ERROR, 0, 0);
	m->time += 50000;
}

static void
send_head(struct maker *m)
{
	static const char name[] = "brake pedal position";
	struct mk_record *r = &m->record;
	mk_record_begin(r, m->sink, "header", MK_DEBUG);
	mk_record_be(r, 0x4d464d4e, 4);
	mk_record_be(r, 0x01000000, 4);
	mk_record_field(r, "version=1.0");
	mk_record_send_whole(r, m->sink, "ok");

	char text[40];
	mk_record_begin(r, m->sink, "metadata", MK_DEBUG);
	for (int i = 0; i < 16; i++)
		mk_record_le(r, random_next(&m->seed), 1);
	mk_guid_text(r->bytes, text);
	memset(r->bytes + r->length, 0, 64);
	memcpy(r->bytes + r->length, name, sizeof name);
	r->length += 64;
	mk_record_le(r, m->time, 8);
	mk_record_field(r, "uuid=%.36s\tname=%s\tinit_ts=%" PRIu64, text + 1, name, m->time);
	mk_record_send_whole(r, m->sink, "ok");

	mk_record_begin(r, m->sink, "state_control", MK_DEBUG);
	mk_record_le(r, TIMEOUT_START, 4);
	mk_record_le(r, TIMEOUT_EVENT, 4);
	mk_record_field(r, "timeout_init_to_start=%d\ttimeout_start_to_event=%d", TIMEOUT_START,
			TIMEOUT_EVENT);
	mk_record_send_whole(r, m->sink, "ok");
}

void
mk_csel(struct mk_sink *sink, uint64_t seed, bool faults)
{
	static struct maker maker;
	struct maker *m = &maker;
	*m = (struct maker){.sink = sink, .seed = seed, .time = 1701066141000000};
	send_head(m);
	m->time += 100000;
	while (!mk_enough(sink, m->made))
		send_run(m, faults && below(m, 3) ? (enum fault)below(m, FAULTS) : NO_FAULT);
	send_plain(m, END, NULL, MK_INFO, "ended");
	mk_record_begin(&m->record, sink, "eof", MK_DEBUG);
	mk_record_field(&m->record, "state=ended\truns=%" PRIu32, m->run);
	mk_record_send_whole(&m->record, sink, m->doubtful ? "damaged" : "ok");
}
