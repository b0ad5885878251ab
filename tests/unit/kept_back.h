/*
 * SyS-T captures over STP, for tests of the order of time: senders have clocks of their own, and
 * keep messages back.
 */
#ifndef TRAWL_TESTS_UNIT_KEPT_BACK_H
#define TRAWL_TESTS_UNIT_KEPT_BACK_H

/* Of two senders the first one sends at once: "sent 00.", "sent 01." and so on.  The second one
 * makes a message between two of these, and sends all at the end: "kept 00.".  Every tenth one
 * is an error, the others are infos. */
void kept_back_write(const char *path, unsigned pairs);

/* Each of these senders keeps back its second message. */
void kept_back_write_many(const char *path, unsigned senders);

#endif
