/* The table of decoders: see registry.h. */
#include "config.h"

#include "decode/registry.h"
#include "decode/coresight/opencsd.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* clang-format off: a line for each decoder */

/* NAME of each NAME_ops.  Of equal scores the first one wins. */
#define DECODERS(D) \
	D(syst_raw) \
	D(syst_hex) \
	D(syst_stp) \
	D(csel) \
	D(gem) \
	D(uia) \
	D(encap) \
	D(opencsd) \
	D(ppl)

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

/* The names that decoder_find knows: FORMAT of each decoder, then FORMAT/TRANSPORT. */
static const char *
name_at(size_t i)
{
	if (i >= 2 * decoder_count)
		return NULL;
	return i < decoder_count ? decoders[i]->format : decoder_name(decoders[i - decoder_count]);
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

static char triggers[1024];

static void
join_triggers(void)
{
	size_t length = 0;
	for (size_t i = 0; i < decoder_count; i++) {
		const char *one = decoders[i]->trigger;
		if (one)
			length += (size_t)snprintf(triggers + length, sizeof triggers - length,
						   "%s(%s)", length ? " or " : "", one);
		assert(length < sizeof triggers);
	}
}

const char *
decoder_triggers(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, join_triggers);
	return triggers;
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
