/*
 * Options that relate traces: see sync_options.h.
 */
#include "config.h"

#include "session/link/sync_options.h"

#include <stddef.h>

#define MATCHES_ANY .min = -1, .max = INT64_MAX

#define SYNC_SECONDS_MAX 9000000000 /* more nanoseconds do not fit in 64 bits */

static const char *const sync_kinds[] = {
    [SYNC_TIE] = "tie", [SYNC_OFFSET] = "offset", [SYNC_SERIAL] = "serial", NULL};

#define END(...) OPTION_ROW(struct sync_end, __VA_ARGS__)
static const struct option_row end_rows[] = {
    END(trace, TEXT, "name of the trace", .trace = true, .required = true),
    END(ticks, UINT, "what its clock shows", .required = true),
    END(core, INT, "source of the packets, where several cores log", "-1", MATCHES_ANY),
};
static const struct option_table end_table = OPTION_TABLE("tie", struct sync_end, end_rows);

#define SYNC(...) OPTION_ROW(struct sync_options, __VA_ARGS__)
static const struct option_row sync_rows[] = {
    SYNC(kind, CHOICE, "what relates the traces", .choices = sync_kinds, .required = true),
    SYNC(gem, TEXT, "serial: name of the trace of OVERLAY words", .trace = true),
    SYNC(uia, TEXT, "serial: name of the trace of software events", .trace = true),
    SYNC(logger, INT, "serial: instance of the logger that counts the context changes", "-1",
	 MATCHES_ANY),
    SYNC(core, INT, "serial: source of the packets, where several cores log", "-1", MATCHES_ANY),
    SYNC(a, STRUCT, "tie: a time in one trace", .table = &end_table),
    SYNC(b, STRUCT, "tie: the same time in another", .table = &end_table),
    SYNC(trace, TEXT, "offset: name of the trace", .trace = true),
    SYNC(seconds, NUMBER, "offset: number added to its time", .min = -SYNC_SECONDS_MAX,
	 .max = SYNC_SECONDS_MAX),
};
const struct option_table sync_options_table = OPTION_TABLE("sync", struct sync_options, sync_rows);
