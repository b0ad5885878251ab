/*
 * Cases: one file with captures and everything that belongs to them.
 *
 * A case is a plain tar archive [POSIX.1-2017, pax, "ustar Interchange Format"].  Its first member
 * lists the others: a session file, its notes, and all files that it names, by relative paths.
 * `tar xf CASE; trawl session.yaml` opens it, too.
 *
 * A case may come from anywhere.  It is opened only if each header is, byte for byte, the one that
 * its list yields.  So links, devices, unlisted members and wrong sizes need no rules of their own.
 * Then it is unpacked into a private folder, and a fence (base/file.h) keeps the names in profiles,
 * captures and programs from leading out of it.
 */
#ifndef TRAWL_CONFIG_CASE_H
#define TRAWL_CONFIG_CASE_H

#include "base/option.h"
#include "base/writer.h"

#define CASE_LIST "trawl-case.yaml"
#define CASE_SESSION "session.yaml"
#define CASE_NOTES CASE_SESSION ".session.yaml" /* where a session finds its notes */

enum { CASE_FORM = 1, CASE_BLOCK = 512 /* size of a header; contents are padded to it */ };

struct case_member {
	char *name;
	uint64_t bytes;
	char *note; /* what a cut lacks, or NULL */
};

struct case_list {
	uint64_t form; /* its row comes first, as the mark of a case */
	char *made_by;
	struct option_list members; /* struct case_member, all but the list, in their order */
};
extern const struct option_table case_list_table;

/* Fill in the header of a member.  Return false if its name is not fit for a case: a relative path
 * of at most 100 bytes, UTF-8, without `..` and control characters. */
bool case_fill_head(uint8_t block[static CASE_BLOCK], const char *name, uint64_t bytes);

/* Return the number of bytes between the end of a member and the next header. */
static inline uint64_t
case_padding(uint64_t bytes)
{
	return -bytes % CASE_BLOCK;
}

/* True if PATH is a case. */
bool case_is(const char *path);

/* Unpack the case PATH into a new folder in PARENT, and put up the fence.  Return 0, or negative
 * with a reason.  FOLDER is zeroed; the caller removes it in any case. */
int case_open(const char *path, const char *parent, struct writer_folder *, struct err *);

#endif
