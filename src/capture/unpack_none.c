/* Replaces unpack.c in builds without libarchive. */
#include "config.h"

#include "capture/unpack.h"

struct unpack *
unpack_open(const struct unpack_source *source, struct err *err)
{
	err_set(err, ERR_UNSUPPORTED,
		"%s: it cannot be unpacked: trawl was built without libarchive", source->name);
	return NULL;
}

void
unpack_close(struct unpack *unpack)
{
	(void)unpack;
}

const char *
unpack_name(const struct unpack *unpack)
{
	(void)unpack;
	return "";
}

bool
unpack_is_archive(const struct unpack *unpack)
{
	(void)unpack;
	return false;
}

ssize_t
unpack_read(struct unpack *unpack, const void **bytes, struct err *err)
{
	(void)unpack;
	*bytes = NULL;
	return err_set(err, ERR_UNSUPPORTED, "built without libarchive");
}

const char *
unpack_version(void)
{
	return NULL;
}
