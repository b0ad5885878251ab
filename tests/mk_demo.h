/* The demo capture: see mk_demo.c. */
#ifndef MK_DEMO_H
#define MK_DEMO_H

/* Writes demo.stp, demo.profile.yaml, demo.xml and demo.truth.tsv. */
void mk_demo(const char *folder);

#endif
