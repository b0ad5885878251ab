/* The table of decoders: see registry.h. */
#include "config.h"

#include "decode/registry.h"
#include "decode/coresight/opencsd.h"
#include "decode/coresight/opencsd_library.h"
#include "decode/syst/syst_collateral.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* clang-format off: a line for each decoder */

/* NAME of each NAME_ops.  With equal scores the first one wins. */
#define DECODERS(D)                                                                                \
	D(syst_raw)                                                                                \
	D(syst_hex)                                                                                \
	D(syst_stp)                                                                                \
	D(csel)                                                                                    \
	D(gem)                                                                                     \
	D(uia)                                                                                     \
	D(encap)                                                                                   \
	D(opencsd)                                                                                 \
	D(ppl)                                                                                     \
	D(text)                                                                                    \
	D(stp)                                                                                     \
	D(itm)                                                                                     \
	D(tpiu)

/* clang-format on */

#define DECLARE(name) extern const struct decoder_ops name##_ops;
#define ENTRY(name) &name##_ops,

DECODERS(DECLARE)

const struct decoder_ops *const decoders[] = {DECODERS(ENTRY)};
const size_t decoder_count = sizeof decoders / sizeof *decoders;

const char *
decoder_name(const struct decoder_ops *ops)
{
	static char names[sizeof decoders / sizeof *decoders][32];
	for (size_t i = 0; i < decoder_count; i++) {
		if (decoders[i] != ops)
			continue;
		if (!ops->transport)
			return ops->format;
		if (!*names[i])
			snprintf(names[i], sizeof names[i], "%s/%s", ops->format, ops->transport);
		return names[i];
	}
	return ops->format;
}

const struct decoder_ops *
decoder_find(const char *name)
{
	for (size_t i = 0; i < decoder_count; i++)
		if (!strcmp(name, decoder_name(decoders[i])) || !strcmp(name, decoders[i]->format))
			return decoders[i];
	return NULL;
}

static const char *
name_at(size_t i)
{
	if (i >= 2 * decoder_count)
		return NULL;
	return i < decoder_count ? decoders[i]->format : decoder_name(decoders[i - decoder_count]);
}

const char *
decoder_next_name(void *unused, size_t at)
{
	(void)unused;
	return name_at(at);
}

const char *
decoder_check(const char *text, char buffer[static 256])
{
	return option_check_name("a format, see trawl --list-formats", name_at, text, buffer);
}

const char *
decoder_field_name(size_t i)
{
	for (size_t d = 0; d < decoder_count; i -= decoders[d++]->field_count)
		if (i < decoders[d]->field_count)
			return decoders[d]->fields[i].name ? decoders[d]->fields[i].name : "";
	return NULL;
}

/* Filters of all formats, each once, joined by `or`. */
static struct {
	char triggers[1024], unnamed[1024];
} joined;

static void
join_filter(char *all, size_t size, const char *one)
{
	size_t length = strlen(all);
	if (!one || strstr(all, one))
		return;
	length +=
	    (size_t)snprintf(all + length, size - length, "%s(%s)", length ? " or " : "", one);
	assert(length < size);
}

static void
join_filters(void)
{
	for (size_t i = 0; i < decoder_count; i++) {
		join_filter(joined.triggers, sizeof joined.triggers, decoders[i]->trigger);
		join_filter(joined.unnamed, sizeof joined.unnamed, decoders[i]->unnamed);
	}
}

static pthread_once_t joined_once = PTHREAD_ONCE_INIT;

const char *
decoder_triggers(void)
{
	pthread_once(&joined_once, join_filters);
	return joined.triggers;
}

const char *
decoder_unnamed(void)
{
	pthread_once(&joined_once, join_filters);
	return joined.unnamed;
}

const struct decoder_ops *
decoder_of_snapshots(void)
{
	return &opencsd_ops;
}

bool
decoder_use_snapshot(void *options, const struct snapshot *snapshot,
		     const struct snapshot_buffer *buffer, struct text *notes)
{
	struct opencsd_options *own = options;
	if (buffer->outside && !own->outside)
		return false;
	opencsd_use_snapshot(own, snapshot, buffer, notes);
	return true;
}

bool
decoder_takes_perf(const struct perf_data *perf, struct text *why)
{
	return opencsd_takes_perf(perf, why);
}

bool
decoder_perf_part(const struct perf_data *perf, size_t i, struct perf_part *part)
{
	return opencsd_perf_part(perf, i, part);
}

void
decoder_use_perf(void *options, const struct perf_data *perf, const struct perf_part *part,
		 const struct perf_layout *layout, char *const *images, struct text *notes)
{
	opencsd_use_perf(options, perf, part, layout, images, notes);
}

const char *
decoder_opencsd_version(void)
{
	return opencsd_library_version();
}

const char *
decoder_expat_version(void)
{
	return syst_collateral_version();
}
