/* The demo session: see mk_lab.c. */
#ifndef MK_LAB_H
#define MK_LAB_H

#include <stdbool.h>

/* Writes lab.yaml, lab-soc.stp, lab-dsp.gem, lab-dsp.uia, lab-cam.csel,
 * lab-hub.enc and lab.truth.tsv: lines of trace, place, nanoseconds since 1970.  GOOD: the
 * overlay is there in time, and no frame is lost. */
void mk_lab(const char *folder, bool good);

#endif
