/* :save: see save.h. */
#include "config.h"

#include "ui/save.h"
#include "base/writer.h"
#include "session/session.h"
#include "base/file.h"
#include "base/notice.h"
#include "ui/app.h"
#include "ui/prompt/path.h"
#include "ui/state.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void
say_saved(struct screen *screen, const struct notebook *notebook, const char *path)
{
	size_t marks = notebook->marks.count, ties = notebook->ties.count;
	const char *plural = marks == 1 ? "" : "s";
	if (ties)
		screen_say(screen, NOTICE_SAVED_WITH_TIES, marks, plural, ties,
			   ties == 1 ? "" : "s", path);
	else
		screen_say(screen, NOTICE_SAVED, marks, plural, path);
}

void
save_session(struct screen *screen, const struct command_call *call)
{
	const struct ui_options *options = app_of(screen)->options;
	struct text given = {0};
	const char *typed = call->text ? call->text : "";
	bool force = *typed == '!';
	typed += force + strspn(typed + force, " ");
	if (*typed)
		path_read(typed, &given);
	const char *path = *typed ? text_get(&given) : options->notebook_path;
	struct notebook notebook;
	struct text out = {0};
	struct err err = {0};
	bool own = path && options->notebook_path && !strcmp(path, options->notebook_path);
	int lock = own ? writer_lock(path, 0) : -1;
	notebook_collect(screen, NOTEBOOK_SAVED, &notebook);
	if (own)
		state_merge_saved(screen, path, &notebook);
	text_add(&out,
		 "# What was marked and noted, and what was shown: for trawl --session=FILE.\n");
	option_write(&notebook_options_table, &notebook, &out);
	const struct writer_options how = {.flags =
					       WRITER_DURABLE | (force || own ? WRITER_FORCE : 0),
					   .mode = 0666,
					   .hint = ":save! FILE overwrites it",
					   .is_taken = session_has_file,
					   .context = screen->session};
	int failed = path ? writer_put(path, &how, out.data, out.length, &err) : 0;
	if (lock >= 0)
		close(lock);
	if (!path) {
		screen_error(screen, NOTICE_SAVE_WHERE);
	} else if (failed) {
		screen_error(screen, NOTICE_SAVE_FAILED, err.what);
	} else {
		if (own)
			state_saved(screen, &notebook);
		say_saved(screen, &notebook, path);
	}
	text_free(&out);
	text_free(&given);
	option_release(&notebook_options_table, &notebook);
}
