/*
 * A session of captures that mkcapture makes, for tests: soc.stp, aux.stp,
 * dsp.gem, dsp.uia, cam.csel and session.truth.tsv in a folder of their own.
 */
#ifndef TRAWL_TESTS_UNIT_SESSION_FIXTURE_H
#define TRAWL_TESTS_UNIT_SESSION_FIXTURE_H

#include "session/link/sync_options.h"
#include "session/session.h"
#include "trace/trace.h"

struct session_fixture {
	char folder[64];
	struct session session;
};

/* Makes the captures and opens them, without looking at them; INSTEAD of what
 * the profile says of sync (NULL: that).  Skips the test without mkcapture. */
void session_fixture_open(struct session_fixture *, const char *options,
			  const struct sync_options *instead);
/* Builds what batch output builds. */
void session_fixture_load(struct session_fixture *);
void session_fixture_close(struct session_fixture *);

#endif
