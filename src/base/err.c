/* Errors: see err.h. */
#include "config.h"

#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
err_set(struct err *err, enum err_code code, const char *format, ...)
{
	if (err) {
		va_list args;
		va_start(args, format);
		vsnprintf(err->what, sizeof err->what, format, args);
		va_end(args);
		err->code = code;
	}
	return code;
}

int
err_cause(struct err *err, const char *format, ...)
{
	if (!err)
		return ERR_DATA;
	char cause[sizeof err->what];
	va_list args;
	va_start(args, format);
	vsnprintf(cause, sizeof cause, format, args);
	va_end(args);

	char whole[2 * sizeof err->what + 3];
	snprintf(whole, sizeof whole, "%s: %s", cause, err->what);
	memcpy(err->what, whole, sizeof err->what - 1);
	err->what[sizeof err->what - 1] = '\0';
	return err->code;
}
