/* Changed program files: see programs.h. Several decoders may read a file at different times;
 * the worst of their stamps counts. */
#include "config.h"

#include "session/programs.h"
#include "base/vec.h"
#include "session/session.h"
#include "trace/naming.h"

#include <stdlib.h>
#include <string.h>

struct program_state {
	char *path;
	enum file_change now, reported;
};

struct programs {
	VEC(struct program_state) files;
};

void
programs_free(struct programs *programs)
{
	if (!programs)
		return;
	for (size_t i = 0; i < programs->files.count; i++)
		free(programs->files.at[i].path);
	vec_free(&programs->files);
	free(programs);
}

static struct program_state *
find_state(struct programs *programs, const char *path)
{
	for (size_t i = 0; i < programs->files.count; i++)
		if (!strcmp(programs->files.at[i].path, path))
			return &programs->files.at[i];
	struct program_state *state = vec_add(&programs->files);
	state->path = mem_text(path);
	return state;
}

static void
take_stamp(void *context, const struct file_stamp *stamp)
{
	struct program_state *state = find_state(context, stamp->path);
	enum file_change change = file_compare(stamp);
	if (change > state->now)
		state->now = change;
}

/* Compares all stamps. */
static struct programs *
compare_stamps(struct session *session)
{
	struct programs *programs = session->programs;
	if (!programs)
		programs = session->programs = mem_new(sizeof *programs);
	for (size_t i = 0; i < programs->files.count; i++)
		programs->files.at[i].now = FILE_SAME;
	naming_list_stamps(session->host.naming, take_stamp, programs);
	for (size_t i = 0; i < session->traces.count; i++) {
		const struct decoder *decoder = trace_decoder(session->traces.at[i]);
		for (size_t k = 0; k < decoder->stamp_count; k++)
			take_stamp(programs, &decoder->stamps[k]);
	}
	return programs;
}

void
programs_look(struct session *session,
	      void (*take)(void *context, const char *path, enum file_change), void *context)
{
	struct programs *programs = compare_stamps(session);
	for (size_t i = 0; i < programs->files.count; i++) {
		struct program_state *state = &programs->files.at[i];
		if (state->now != FILE_SAME && state->now != state->reported)
			take(context, state->path, state->now);
		state->reported = state->now;
	}
}

bool
programs_have_changed(struct session *session)
{
	const struct programs *programs = compare_stamps(session);
	for (size_t i = 0; i < programs->files.count; i++)
		if (programs->files.at[i].now == FILE_CHANGED)
			return true;
	return false;
}
