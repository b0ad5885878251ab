/* The demo session: see mk_lab.c. */
#ifndef MK_LAB_H
#define MK_LAB_H

/* Writes lab.yaml, lab-soc.stp, lab-dsp.gem, lab-dsp.uia, lab-cam.csel,
 * lab-hub.enc and lab.truth.tsv: lines of trace, place, nanoseconds since 1970. */
void mk_lab(const char *folder);

#endif
