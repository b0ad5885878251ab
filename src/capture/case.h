/*
 * Cases: one file with captures and everything that belongs to them (ui/pack.h writes it).
 *
 * A case is a plain tar archive [POSIX.1-2017, pax, "ustar Interchange Format"].  Its first member
 * lists the others, a line with size and name for each, then an empty line and remarks for people.
 * They are a session file and all files that it names, by relative paths: `tar xf CASE; trawl
 * session.yaml` opens it, too.
 *
 * A case may come from anywhere.  It is opened only if each header is, byte for byte, the one that
 * the list yields, so links, devices, unlisted files and wrong sizes need no rules of their own.
 * It is unpacked into a private folder.  A fence (base/file.h) keeps names in profiles, captures
 * and programs from leading out of it.
 */
#ifndef TRAWL_CAPTURE_CASE_H
#define TRAWL_CAPTURE_CASE_H

#include "base/writer.h"

#include <stdint.h>

#define CASE_LIST "trawl-case.txt"
#define CASE_MARK "trawl case 1\n" /* first line of the list */
#define CASE_SESSION "session.yaml"
#define CASE_NOTES CASE_SESSION ".session.yaml" /* where a session finds its notes */

enum { CASE_BLOCK = 512 /* size of a header; contents are padded to it */, CASE_NAME_MAX = 100 };

/* Fill in the header of a member.  Return false if its name is not fit for a case: a relative path
 * of at most CASE_NAME_MAX bytes, UTF-8, without `..` and control characters. */
bool case_fill_head(uint8_t block[static CASE_BLOCK], const char *name, uint64_t bytes);

/* Return the number of bytes between the end of a member and the next header. */
static inline uint64_t
case_padding(uint64_t bytes)
{
	return -bytes % CASE_BLOCK;
}

/* Append BYTES bytes at AT of FILE, which is called NAME in errors. */
int case_copy(struct writer *, int file, const char *name, uint64_t at, uint64_t bytes,
	      struct err *);

/* Unpack PATH into a new folder in PARENT.  Return 1, 0 if it is no case, or negative with a
 * reason.  FOLDER is zeroed; the caller removes it at the end, whatever this returns. */
int case_open(const char *path, const char *parent, struct writer_folder *, struct err *);

#endif
