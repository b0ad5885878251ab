/*
 * Profiles: how captures are to be read and what is in them.
 */
#ifndef TRAWL_CONFIG_PROFILE_H
#define TRAWL_CONFIG_PROFILE_H

#include "base/err.h"
#include "base/text.h"
#include "trace/trace.h"

struct profile;
struct session;

/* Loads a profile; relative paths in it become relative to its folder.
 * Results and PROFILE as with schema_load_file. */
int profile_load(const char *path, struct profile *, struct err *);

/* Whether PATH, given as a capture, is a profile that names captures itself: by
 * its ending. */
bool profile_is_session(const char *path);

/* Appends, a line each, what has no effect in the profile that was read from PATH,
 * now that the captures are open: no entry of `traces:` matches, settings are of
 * another format than the trace's, a name is no trace's.  Nothing for the user's
 * profile.yaml, which is for all captures. */
void profile_complain(const struct session *, const char *path, struct text *);

/* Finds the profile for COUNT captures: beside the first of them that has one,
 * its name with no, one, two ... endings removed and `.profile.yaml` added,
 * then profile.yaml in the user's folder.  False if there is none; then FOUND
 * is empty. */
bool profile_find(const char *const *captures, size_t count, struct text *found);

#endif
