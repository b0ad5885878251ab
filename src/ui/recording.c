/*
 * :record[!] FILE starts a recording, :record alone ends it: see recording.h.
 *
 * It records the list's trace, or the only trace of the session that can be recorded.
 */
#include "config.h"

#include "ui/recording.h"
#include "base/notice.h"
#include "base/vec.h"
#include "capture/recorder.h"
#include "session/session.h"
#include "ui/app.h"
#include "ui/list/list.h"
#include "ui/prompt/path.h"

#include <stdlib.h>
#include <string.h>

struct recording {
	struct recorder *recorder;
	char *path;
};

static void
signal_session(void *session)
{
	session_signal(session);
}

static bool
can_record(const struct trace *trace)
{
	return capture_spool(trace_capture(trace));
}

/* Return the trace to record.  If the choice is not clear, return NULL and report why. */
static struct trace *
choose_trace(struct screen *screen)
{
	const struct session *session = screen->session;
	struct trace *found = NULL;
	size_t count = 0;
	if (screen->list->lane_count == 1 && can_record(screen->list->trace))
		return screen->list->trace;
	for (size_t i = 0; i < session->traces.count; i++) {
		if (!can_record(session->traces.at[i]))
			continue;
		found = session->traces.at[i];
		count++;
	}
	if (count == 1)
		return found;
	screen_error(screen, count ? NOTICE_RECORD_WHICH : NOTICE_RECORD_IS_FILE);
	return NULL;
}

static void
drop_recording(struct screen *screen)
{
	free(app_of(screen)->recording->path);
	free(app_of(screen)->recording);
	app_of(screen)->recording = NULL;
}

/* End the recording and report its size. */
static void
end_recording(struct screen *screen, bool at_end)
{
	struct recording *recording = app_of(screen)->recording;
	char digits[32];
	uint64_t size = recorder_size(recording->recorder);
	struct err err = {0};
	if (recorder_stop(recording->recorder, &err) < 0)
		screen_error(screen, NOTICE_RECORD_FAILED, err.what, text_number(digits, size));
	else
		screen_say(screen, at_end ? NOTICE_RECORDED_TO_END : NOTICE_RECORDED,
			   text_number(digits, size), recording->path);
	drop_recording(screen);
}

void
recording_end(struct screen *screen, struct text *why)
{
	struct recording *recording = app_of(screen)->recording;
	char digits[32];
	struct err err = {0};
	if (!recording)
		return;
	uint64_t size = recorder_size(recording->recorder);
	if (recorder_stop(recording->recorder, &err) < 0 && why->length)
		text_add_char(why, '\n');
	if (err.code)
		text_addf(why, NOTICE_RECORD_FAILED, err.what, text_number(digits, size));
	drop_recording(screen);
}

static void
start_recording(struct screen *screen, const char *path)
{
	struct err err = {0};
	struct trace *trace = choose_trace(screen);
	const struct writer_options options = {.flags = WRITER_GROWING,
					       .mode = 0666,
					       .is_taken = session_has_file,
					       .context = screen->session};
	struct recorder *recorder = trace ? recorder_start(trace_capture(trace), path, &options,
							   signal_session, screen->session, &err)
					  : NULL;
	if (trace && !recorder)
		screen_error(screen, NOTICE_RECORD_REFUSED, err.what);
	if (!recorder)
		return;
	struct recording *recording = mem_new(sizeof *recording);
	*recording = (struct recording){recorder, mem_text(path)};
	app_of(screen)->recording = recording;
	screen_say(screen,
		   capture_begin(trace_capture(trace)) ? NOTICE_RECORDING_KEPT : NOTICE_RECORDING,
		   trace_name(trace), path);
}

void
recording_toggle(struct screen *screen, const struct command_call *call)
{
	const char *typed = call->text ? call->text : "";
	struct recording *recording = app_of(screen)->recording;
	struct text path = {0};
	typed += strspn(typed, "! ");
	if (*typed)
		path_read(typed, &path);
	if (!*typed && !recording)
		screen_error(screen, NOTICE_RECORD_WHERE);
	else if (!*typed)
		end_recording(screen, false);
	else if (recording)
		screen_error(screen, NOTICE_RECORD_RUNS, recording->path);
	else
		start_recording(screen, text_get(&path));
	text_free(&path);
}

void
recording_poll(struct screen *screen)
{
	struct recording *recording = app_of(screen)->recording;
	if (recording && recorder_ended(recording->recorder))
		end_recording(screen, true);
}

bool
recording_is_on(const struct screen *screen)
{
	return app_of(screen)->recording;
}
