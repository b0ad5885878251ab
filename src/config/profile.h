/*
 * Profiles: how to read captures, and names for their contents.
 */
#ifndef TRAWL_CONFIG_PROFILE_H
#define TRAWL_CONFIG_PROFILE_H

#include "base/err.h"
#include "base/text.h"
#include "trace/trace.h"

struct profile;
struct session;

/* Load a profile.  Its relative paths become relative to its folder.  Return and set PROFILE as
 * schema_load_file does. */
int profile_load(const char *path, struct profile *, struct err *);

/* True if PATH, given as a capture, is a profile that names captures.  Depends on its ending. */
bool profile_is_session(const char *path);

/* Append one line for each part of the profile at PATH that has no effect on the open captures.
 * No entry of `traces:` matches, settings are for another format, or a name is no trace's.
 * Appends nothing for the user's profile.yaml, which is for all captures. */
void profile_complain(const struct session *, const char *path, struct text *);

/* Find the profile for COUNT captures.  First look next to each capture: its name without 0, 1,
 * 2 ...  endings plus `.profile.yaml`.  Then try profile.yaml in the user's folder.  Return
 * false with an empty FOUND if none exists. */
bool profile_find(const char *const *captures, size_t count, struct text *found);

#endif
