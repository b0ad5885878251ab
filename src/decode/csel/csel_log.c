/*
 * Checks of a CSEL log: the allowed order of entries, and the name of each
 * fault.  Stepping and expanding share these tables; see csel_log.h.
 */
#include "config.h"

#include "decode/csel/csel_log.h"

/* [CSEL 1.0, "Header Section"] */
const uint8_t csel_signature[4] = {'M', 'F', 'M', 'N'};

/* "Entries are allowed to be in any order ... allowing tools to process such files to detect
 * and report on any invalid event sequence" [CSEL 1.0, "Log Entries Section"].  The faults we
 * report, and their severities, are our choice. */
const struct csel_diag_row csel_diags[CSEL_DIAG_COUNT] = {
    [CSEL_DIAG_NONE] = {"none", SEVERITY_DEBUG, 0},
    [CSEL_DIAG_BAD_SIGNATURE] = {"bad_signature", SEVERITY_FATAL, MESSAGE_DAMAGED},
    [CSEL_DIAG_UNKNOWN_ENTRY] = {"unknown_entry", SEVERITY_FATAL, MESSAGE_DAMAGED},
    [CSEL_DIAG_TRUNCATED] = {"truncated", SEVERITY_ERROR, MESSAGE_TRUNCATED},
    [CSEL_DIAG_BAD_VERSION] = {"bad_version", SEVERITY_WARNING, 0},
    [CSEL_DIAG_NAME_NOT_TERMINATED] = {"name_not_terminated", SEVERITY_WARNING, 0},
    [CSEL_DIAG_RESERVED_NONZERO] = {"reserved_nonzero", SEVERITY_INFO, 0},
    [CSEL_DIAG_ZERO_EVENT_TIMEOUT] = {"zero_event_timeout", SEVERITY_ERROR, 0},
    [CSEL_DIAG_EVENT_BEFORE_START] = {"event_before_start", SEVERITY_ERROR, 0},
    [CSEL_DIAG_EVENT_AFTER_STOP] = {"event_after_stop", SEVERITY_ERROR, 0},
    [CSEL_DIAG_EVENT_AFTER_END] = {"event_after_end", SEVERITY_ERROR, 0},
    [CSEL_DIAG_START_WHILE_RUNNING] = {"start_while_running", SEVERITY_ERROR, 0},
    [CSEL_DIAG_STOP_NOT_RUNNING] = {"stop_not_running", SEVERITY_ERROR, 0},
    [CSEL_DIAG_START_AFTER_END] = {"start_after_end", SEVERITY_ERROR, 0},
    [CSEL_DIAG_STOP_AFTER_END] = {"stop_after_end", SEVERITY_ERROR, 0},
    [CSEL_DIAG_END_REPEATED] = {"end_repeated", SEVERITY_ERROR, 0},
    [CSEL_DIAG_END_WHILE_RUNNING] = {"end_while_running", SEVERITY_WARNING, 0},
    [CSEL_DIAG_START_TIMEOUT] = {"start_timeout", SEVERITY_ERROR, 0},
    [CSEL_DIAG_EVENT_TIMEOUT] = {"event_timeout", SEVERITY_ERROR, 0},
    [CSEL_DIAG_TIMESTAMP_REGRESSION] = {"timestamp_regression", SEVERITY_ERROR, 0},
    [CSEL_DIAG_SEQUENCE_GAP] = {"sequence_gap", SEVERITY_ERROR, MESSAGE_LOST},
    [CSEL_DIAG_SEQUENCE_REPEAT] = {"sequence_repeat", SEVERITY_ERROR, 0},
    [CSEL_DIAG_SEQUENCE_REGRESSION] = {"sequence_regression", SEVERITY_ERROR, 0},
    [CSEL_DIAG_MISSING_START] = {"missing_start", SEVERITY_WARNING, 0},
    [CSEL_DIAG_MISSING_STOP] = {"missing_stop", SEVERITY_WARNING, 0},
    [CSEL_DIAG_MISSING_END] = {"missing_end", SEVERITY_INFO, 0},
};

const uint8_t csel_order_diags[CSEL_EVENT + 1][4] = {
    [CSEL_START] = {[CSEL_STATE_RUNNING] = CSEL_DIAG_START_WHILE_RUNNING,
		    [CSEL_STATE_ENDED] = CSEL_DIAG_START_AFTER_END},
    [CSEL_STOP] = {[CSEL_STATE_INIT] = CSEL_DIAG_STOP_NOT_RUNNING,
		   [CSEL_STATE_STOPPED] = CSEL_DIAG_STOP_NOT_RUNNING,
		   [CSEL_STATE_ENDED] = CSEL_DIAG_STOP_AFTER_END},
    [CSEL_END] = {[CSEL_STATE_RUNNING] = CSEL_DIAG_END_WHILE_RUNNING,
		  [CSEL_STATE_ENDED] = CSEL_DIAG_END_REPEATED},
    [CSEL_EVENT] = {[CSEL_STATE_INIT] = CSEL_DIAG_EVENT_BEFORE_START,
		    [CSEL_STATE_STOPPED] = CSEL_DIAG_EVENT_AFTER_STOP,
		    [CSEL_STATE_ENDED] = CSEL_DIAG_EVENT_AFTER_END},
};

const uint8_t csel_sequence_diags[4] = {CSEL_DIAG_NONE, CSEL_DIAG_SEQUENCE_GAP,
					CSEL_DIAG_SEQUENCE_REPEAT, CSEL_DIAG_SEQUENCE_REGRESSION};

/* Several runs in one log are normal: [CSEL 1.0, second hand: CAM demonstration, "Application
 * running times"]. */
const uint8_t csel_next_states[CSEL_EVENT + 1][4] = {
    [CSEL_START] = {CSEL_STATE_RUNNING, CSEL_STATE_RUNNING, CSEL_STATE_RUNNING, CSEL_STATE_RUNNING},
    [CSEL_STOP] = {CSEL_STATE_INIT, CSEL_STATE_STOPPED, CSEL_STATE_STOPPED, CSEL_STATE_ENDED},
    [CSEL_END] = {CSEL_STATE_ENDED, CSEL_STATE_ENDED, CSEL_STATE_ENDED, CSEL_STATE_ENDED},
    [CSEL_EVENT] = {CSEL_STATE_INIT, CSEL_STATE_RUNNING, CSEL_STATE_STOPPED, CSEL_STATE_ENDED},
};

void
csel_missing_at_end(enum csel_state_name state, uint64_t runs, enum csel_diag missing[static 2])
{
	missing[0] = !runs			   ? CSEL_DIAG_MISSING_START
		     : state == CSEL_STATE_RUNNING ? CSEL_DIAG_MISSING_STOP
						   : CSEL_DIAG_NONE;
	missing[1] = state != CSEL_STATE_ENDED ? CSEL_DIAG_MISSING_END : CSEL_DIAG_NONE;
}
