/*
 * The registry of decoders, by number and by name.
 *
 * A new format is a folder next to this file and a line of `decoders` in
 * registry.c.  Names, options, fields, filters, the manual and the fuzz targets
 * follow from it.
 */
#ifndef TRAWL_DECODE_REGISTRY_H
#define TRAWL_DECODE_REGISTRY_H

#include "decode/decoder.h"

extern const struct decoder_ops *const decoders[];
extern const size_t decoder_count;

/* Decoder without messages; not in the registry (undecoded.c). */
extern const struct decoder_ops undecoded_ops;

/* Find a decoder by name: `syst`, `syst/stp`.  A format alone yields its first entry.  Return
 * NULL if unknown. */
const struct decoder_ops *decoder_find(const char *name);
/* For option tables: describe the expected values if TEXT is not a format.  Return NULL if it is
 * one. */
const char *decoder_check(const char *text, char buffer[static 256]);
/* For nearest_hint(): return name number AT for decoder_find(), or NULL. */
const char *decoder_next_name(void *unused, size_t at);

/* Return the I-th field name of all formats, NULL past the end. */
const char *decoder_field_name(size_t i);

/* Return filters for all formats: messages that a hardware trigger caused; messages with a
 * number that no loaded file names. */
const char *decoder_triggers(void);
const char *decoder_unnamed(void);

/* Return the decoder of snapshot buffers, and fill in its OPTIONS for one buffer.  OPTIONS
 * contain the defaults before.  Append unusable parts to NOTES, a line each.  Return false if
 * the buffer lies outside the snapshot's folder and the options do not allow that. */
struct snapshot;
struct snapshot_buffer;
const struct decoder_ops *decoder_of_snapshots(void);
bool decoder_use_snapshot(void *options, const struct snapshot *, const struct snapshot_buffer *,
			  struct text *notes);

/* As above for perf.data, which has the same decoder: see opencsd.h. */
struct perf_data;
struct perf_part;
struct perf_layout;
bool decoder_takes_perf(const struct perf_data *, struct text *why);
bool decoder_perf_part(const struct perf_data *, size_t i, struct perf_part *);
void decoder_use_perf(void *options, const struct perf_data *, const struct perf_part *,
		      const struct perf_layout *, char *const *images, struct text *notes);

/* Return versions of linked libraries that decoders use.  NULL: built without the library. */
const char *decoder_opencsd_version(void);
const char *decoder_expat_version(void);

/* Return the full name, such as `syst/stp`, in a static string of the registry. */
const char *decoder_name(const struct decoder_ops *);

#endif
