/* Replace opencsd_library.c in a build without the OpenCSD library: no source that needs it
 * opens. */
#include "config.h"

#include "decode/coresight/opencsd_library.h"

const char *
opencsd_library_version(void)
{
	return NULL;
}

void
opencsd_library_limits(const struct opencsd_source_options *source, struct text *out)
{
	(void)source;
	(void)out;
}

struct opencsd_library *
opencsd_library_new(const struct opencsd_source *source, const struct opencsd_tree_sink *sink,
		    struct err *err)
{
	(void)source;
	(void)sink;
	err_set(err, ERR_UNSUPPORTED, "this program is built without the OpenCSD library");
	return NULL;
}

void
opencsd_library_free(struct opencsd_library *l)
{
	(void)l;
}

void
opencsd_library_reset(struct opencsd_library *l)
{
	(void)l;
}

size_t
opencsd_library_feed(struct opencsd_library *l, uint64_t index, const uint8_t *bytes, size_t length,
		     int *fatal)
{
	(void)l;
	(void)index;
	(void)bytes;
	*fatal = 0;
	return length;
}

void
opencsd_library_end(struct opencsd_library *l)
{
	(void)l;
}

const char *
opencsd_library_fatal(int fatal)
{
	(void)fatal;
	return "unknown";
}

size_t
opencsd_library_packet_size(enum opencsd_protocol protocol)
{
	(void)protocol;
	return 0;
}

void
opencsd_library_packet_text(enum opencsd_protocol protocol, const void *packet, struct text *out)
{
	(void)protocol;
	(void)packet;
	(void)out;
}
