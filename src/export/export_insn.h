/*
 * `-t insn`: a line for each instruction that was executed, and for each trap.
 */
#ifndef TRAWL_EXPORT_EXPORT_INSN_H
#define TRAWL_EXPORT_EXPORT_INSN_H

#include "export/export.h"

/* Follows TRACE to its end.  FLUSH writes what OUT has, now and then, and returns 0 or
 * ERR_IO.  0, or negative with a reason: the program is not known, or FLUSH failed. */
int export_insn(struct trace *trace, const struct export_options *, struct text *out,
		int (*flush)(void *context, struct err *), void *context, struct export_result *,
		struct err *err);

#endif
