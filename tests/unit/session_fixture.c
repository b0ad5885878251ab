/* Sessions for tests: see session_fixture.h. */
#include "config.h"

#include "test.h"

#include "session_fixture.h"

#include "config/profile.h"
#include "session/clock/clocks.h"
#include "session/link/serial.h"
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run(const char *form, ...) __attribute__((format(printf, 1, 2)));

static void
run(const char *form, ...)
{
	char command[512];
	va_list arguments;
	va_start(arguments, form);
	vsnprintf(command, sizeof command, form, arguments);
	va_end(arguments);
	assert_int_equal(system(command), 0);
}

static void
say_instead(struct profile *profile, const struct sync_options *sync)
{
	struct sync_options *syncs = profile->syncs.at;
	for (size_t i = 0; i < profile->syncs.count; i++)
		option_release(&sync_options_table, &syncs[i]);
	syncs[0] = *sync;
	syncs[0].trace = sync->trace ? mem_text(sync->trace) : NULL;
	profile->syncs.count = 1;
}

void
session_fixture_open(struct session_fixture *f, const char *options,
		     const struct sync_options *instead)
{
	struct err err = {0};
	char path[128];
	const char *maker = getenv("MKCAPTURE");
	if (!maker)
		skip();
	memset(f, 0, sizeof *f); /* traces point to their session: it stays where it is */
	strcpy(f->folder, "/tmp/trawl-session-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	run("'%s' %s session %s", maker, options, f->folder);
	snprintf(path, sizeof path, "%s/session.yaml", f->folder);
	assert_int_equal(profile_load(path, &f->session.profile, &err), 0);
	assert_int_equal(session_open_named(&f->session, NULL, 0, &err), 5);
	if (instead)
		say_instead(&f->session.profile, instead);
	session_link(&f->session);
}

void
session_fixture_load(struct session_fixture *f)
{
	for (size_t i = 0; i < f->session.traces.count; i++) {
		struct trace *trace = f->session.traces.at[i];
		if (serial_of(trace))
			serial_load(serial_of(trace));
		trace_build(trace);
	}
	clocks_load(f->session.clocks, true);
}

void
session_fixture_close(struct session_fixture *f)
{
	session_close(&f->session);
	run("rm -r %s", f->folder);
}
