/*
 * The registry of decoders: all that there are, by number and by name.
 *
 * A new format is a folder beside this file and a line of `decoders` in registry.c;
 * names, options, fields, filters, the manual and the fuzz targets follow from it.
 */
#ifndef TRAWL_DECODE_REGISTRY_H
#define TRAWL_DECODE_REGISTRY_H

#include "decode/decoder.h"

extern const struct decoder_ops *const decoders[];
extern const size_t decoder_count;

/* What makes no messages; not in the registry (undecoded.c). */
extern const struct decoder_ops undecoded_ops;

/* By name: `syst`, `syst/stp`.  A format alone yields its first entry; NULL
 * if unknown. */
const struct decoder_ops *decoder_find(const char *name);
/* For option tables: what was expected instead of the format TEXT, or NULL. */
const char *decoder_check(const char *text, char buffer[static 256]);

/* The names of the fields of all formats, one after the other; NULL past the end. */
const char *decoder_field_name(size_t i);

/* Filters for the messages that a hardware trigger caused, and for those whose number no
 * loaded file names, in any format. */
const char *decoder_triggers(void);
const char *decoder_unnamed(void);

/* The decoder of the buffers of a snapshot.  Fills its OPTIONS, which have the
 * defaults, for one of them; what cannot be used is added to NOTES, a line each.  False:
 * the buffer lies outside the snapshot's folder, and the options do not allow that. */
struct snapshot;
struct snapshot_buffer;
const struct decoder_ops *decoder_of_snapshots(void);
bool decoder_use_snapshot(void *options, const struct snapshot *, const struct snapshot_buffer *,
			  struct text *notes);

/* The same of perf.data, whose traces have that decoder too: see opencsd.h. */
struct perf_data;
struct perf_part;
struct perf_layout;
bool decoder_takes_perf(const struct perf_data *, struct text *why);
bool decoder_perf_part(const struct perf_data *, size_t i, struct perf_part *);
void decoder_use_perf(void *options, const struct perf_data *, const struct perf_part *,
		      const struct perf_layout *, char *const *images, struct text *notes);

/* The versions of the libraries that decoders use, as they are linked; NULL: built without. */
const char *decoder_opencsd_version(void);
const char *decoder_expat_version(void);

/* `syst/stp`, in a static string of the registry. */
const char *decoder_name(const struct decoder_ops *);

#endif
