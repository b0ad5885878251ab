/*
 * Recognition: chooses the format of a capture, and states how certain it is.
 *
 * The user's choice precedes the profile, and the profile precedes the content. By
 * content, every decoder lists the ways it could read the bytes, each with a score
 * and evidence. The best is used if its score is PROBE_DECODE or more; below
 * PROBE_CERTAIN it is a guess. Below PROBE_DECODE nothing is decoded.
 */
#ifndef TRAWL_TRACE_RECOGNISE_H
#define TRAWL_TRACE_RECOGNISE_H

#include "capture/capture.h"
#include "decode/decoder.h"

struct foreign;
struct trace_options;

/* A way to read a capture. */
struct candidate {
	const struct decoder_ops *ops;
	struct probe probe;
};

struct recognition {
	const struct decoder_ops *ops;	  /* undecoded_ops: no format explains the bytes */
	int score;			  /* PROBE_CERTAIN or more: not a guess */
	bool plain;			  /* text, shown line by line */
	struct text reason;		  /* why this format, or why none */
	struct text settings;		  /* as in struct probe, to apply before opening */
	VEC(struct candidate) candidates; /* found by content, best first */
	const struct foreign *foreign;	  /* the known file type that is no trace, or NULL */
	char *folder;			  /* of the snapshot that contains the file, or NULL */
};

/* Fill in the zeroed struct for a capture that starts with HEAD. FORMAT is the user's choice,
 * or NULL. Return 0, or negative with a reason if the format does not exist. */
int recognise_capture(const struct capture *, const char *format, const struct trace_options *,
		      const struct window *head, struct recognition *, struct err *);
void recognition_free(struct recognition *);

/* Find the candidates of FORMAT (NULL: of all formats), best first. */
void recognition_find(struct recognition *, const struct window *head, const char *format);

/* Set the options of OPS in SETTINGS, `NAME: VALUE, ...`: only those that still have their
 * default, unless ALL. */
void recognition_apply(const char *settings, const struct decoder_ops *ops, struct trace_options *,
		       bool all);

#endif
