/* Records and their times; see export_record.h.  A record is the bytes of the struct and of its
 * body, without padding between records.  Reading therefore copies the struct. */
#include "config.h"

#include "export/export_record.h"
#include "session/clock/clocks.h"
#include "session/session.h"

#include <stdlib.h>

size_t
export_record_begin(struct export_message *message, struct text *out)
{
	message->timed =
	    message->timed && message->part == clocks_part(reader_trace(message->reader));
	if (!message->timed)
		message->expansion->flags |= MESSAGE_ESTIMATED;
	struct export_record record = {.trace = reader_trace(message->reader),
				       .timed = message->timed,
				       .wall = message->wall,
				       .time = message->time};
	size_t start = out->length;
	text_add_bytes(out, &record, sizeof record);
	return start;
}

void
export_record_end(struct text *out, size_t start)
{
	size_t size = out->length - start;
	memcpy(out->data + start + offsetof(struct export_record, size), &size, sizeof size);
}

bool
export_record_next(const struct text *records, size_t *at, struct export_record *record,
		   const char **body)
{
	if (*at >= records->length)
		return false;
	memcpy(record, records->data + *at, sizeof *record);
	*body = records->data + *at + sizeof *record;
	*at += record->size;
	return true;
}

static size_t
part_of(struct export_times *times, size_t clock)
{
	size_t i = 0;
	while (i < times->parts.count && times->parts.at[i].clock != clock)
		i++;
	if (i == times->parts.count)
		vec_add(&times->parts)->clock = clock;
	return i;
}

void
export_times_open(struct export_times *times, struct session *session)
{
	*times = (struct export_times){.session = session};
	times->part_of = mem_new(session->traces.count * sizeof *times->part_of);
	for (size_t i = 0; i < session->traces.count; i++)
		times->part_of[i] = part_of(times, clocks_part(session->traces.at[i]));
}

void
export_times_close(struct export_times *times)
{
	free(times->part_of);
	vec_free(&times->parts);
}

size_t
export_times_take(struct export_times *times, struct export_record *record)
{
	size_t trace = trace_number(record->trace);
	struct export_part *part = &times->parts.at[times->part_of[trace]];
	if (!record->timed) {
		record->time = part->latest;
		return trace;
	}
	if (!part->begun)
		*part = (struct export_part){.clock = part->clock,
					     .begun = true,
					     .wall = record->wall,
					     .first = record->time,
					     .latest = record->time};
	if (record->time > part->latest)
		part->latest = record->time;
	return trace;
}
