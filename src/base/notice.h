/*
 * The notices of the screen, by id: NOTICE_MARK_SET is a printf format.
 *
 * Only notice.def contains the wording.  Callers and tests name a notice by its id.  Its wording
 * may thus change freely as long as it takes the same arguments.  A NOTICE_PART is a part of the
 * notice above it.
 */
#ifndef TRAWL_BASE_NOTICE_H
#define TRAWL_BASE_NOTICE_H

/* Arrays, not an enum: the compiler then checks the arguments against the format. */
#define NOTICE(id, format) static const char NOTICE_##id[] = format;
#define NOTICE_PART NOTICE
#include "base/notice.def"
#undef NOTICE_PART
#undef NOTICE

#endif
