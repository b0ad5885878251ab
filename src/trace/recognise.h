/*
 * Which format a capture is read as, and how sure that is.
 *
 * What the user says goes before what the profile says, and that before what the bytes
 * look like.  There, every decoder names the ways it could read them, each with a score
 * and its evidence.  The best is taken if its score is PROBE_DECODE or more, and is a
 * guess below PROBE_CERTAIN; below PROBE_DECODE nothing is decoded.
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
	int score;			  /* PROBE_CERTAIN and more: no guess */
	bool plain;			  /* text, shown line by line */
	struct text reason;		  /* why it is read so; of what is not, why not */
	struct text settings;		  /* as in struct probe, to be set before it is opened */
	VEC(struct candidate) candidates; /* of the content, best first */
	const struct foreign *foreign;	  /* what it is instead, or NULL */
	char *folder;			  /* of the snapshot that the file belongs to, or NULL */
};

/* Fills the zeroed struct for a capture that starts with HEAD.  FORMAT is what the user
 * says, or NULL.  0, or negative with a reason: no such format. */
int recognise_capture(const struct capture *, const char *format, const struct trace_options *,
		      const struct window *head, struct recognition *, struct err *);
void recognition_free(struct recognition *);

/* Finds the candidates of FORMAT, NULL of all formats: best first. */
void recognition_find(struct recognition *, const struct window *head, const char *format);

/* Sets the options of OPS that SETTINGS gives, `NAME: VALUE, ...`: those that still have
 * their default, or ALL. */
void recognition_apply(const char *settings, const struct decoder_ops *ops, struct trace_options *,
		       bool all);

#endif
