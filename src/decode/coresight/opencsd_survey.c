/*
 * Describe the first bytes of a CoreSight trace buffer: bytes by trace ID, and memory pages
 * missing for the sources.  A decoder without an image of the executed code gives an element at
 * each branch.  Each such row has its explanation, but only this summary shows the remedy.
 *
 * Cost: the head is decoded once.
 */
#include "config.h"

#include "decode/coresight/opencsd_decoder.h"

#include "decode/coresight/swo_packet.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, RANGES_SHOWN = 3, OTHERS_SHOWN = 8 };

/* Consecutive pages without an image, and the number of rows that report them. */
struct survey_gap {
	uint64_t first, last, rows;
};

typedef VEC(struct survey_gap) gap_list;

struct opencsd_findings {
	const struct opencsd_decoder *decoder;
	uint64_t bytes[CORESIGHT_IDS];
	uint64_t zeros[CORESIGHT_IDS]; /* consecutive zero bytes of an ITM */
	bool synced[CORESIGHT_IDS];    /* an ITM sent a synchronisation */
	gap_list gaps;
	uint64_t rows;
};

static bool
is_itm(const struct opencsd_decoder *d, unsigned id)
{
	uint8_t lane = d->lane_of[id];
	return lane != OPENCSD_NO_LANE && d->sources[lane].options->protocol == OPENCSD_ITM;
}

static void
count_bytes(struct opencsd_findings *s, unsigned id, const uint8_t *bytes, size_t count)
{
	s->bytes[id] += count;
	for (size_t i = 0; is_itm(s->decoder, id) && i < count; i++) {
		s->synced[id] |= s->zeros[id] >= SWO_SYNC_ZEROS && bytes[i] == SWO_SYNC_LAST;
		s->zeros[id] = bytes[i] ? 0 : s->zeros[id] + 1;
	}
}

static void
count_run(void *context, const struct coresight_run *run)
{
	count_bytes(context, run->id, run->bytes, run->count);
}

static void
count_ids(const struct opencsd_decoder *d, const struct window *head, struct opencsd_findings *s)
{
	struct coresight frames;
	s->decoder = d;
	if (d->format == CORESIGHT_SOURCE) {
		count_bytes(s, d->sources[0].id, head->bytes, head->length);
		return;
	}
	opencsd_start_frames(d, &frames, 0);
	coresight_feed(&frames, head->bytes, head->length, 0, count_run, s);
	if (d->format != CORESIGHT_ALIGNED)
		coresight_finish(&frames, count_run, s);
}

static int
by_address(const void *a, const void *b)
{
	const struct survey_gap *left = a, *right = b;
	return (left->first > right->first) - (left->first < right->first);
}

static int
by_rows(const void *a, const void *b)
{
	const struct survey_gap *left = a, *right = b;
	if (left->rows != right->rows)
		return left->rows > right->rows ? -1 : 1;
	return by_address(a, b);
}

/* Join consecutive pages, and sort by the number of rows, most first. */
static void
join_gaps(gap_list *gaps)
{
	size_t kept = 0;
	if (!gaps->count)
		return;
	qsort(gaps->at, gaps->count, sizeof *gaps->at, by_address);
	for (size_t i = 1; i < gaps->count; i++) {
		struct survey_gap *last = &gaps->at[kept];
		if (gaps->at[i].first - last->last > 1)
			gaps->at[++kept] = gaps->at[i];
		else
			last->last = gaps->at[i].last;
		if (last == &gaps->at[kept])
			last->rows += gaps->at[i].rows;
	}
	gaps->count = kept + 1;
	qsort(gaps->at, gaps->count, sizeof *gaps->at, by_rows);
}

static void
find_gaps(const struct decoder *decoder, const struct window *head, struct opencsd_findings *s)
{
	struct decode_state *state = decode_state_new(decoder);
	struct message messages[64];
	size_t count;
	decoder->ops->start(decoder, state);
	while ((count = decoder->ops->step(decoder, state, head, messages, 64))) {
		for (size_t i = 0; i < count; i++) {
			if (messages[i].kind != OPENCSD_ADDR_NACC)
				continue;
			uint64_t page = messages[i].ticks / PAGE;
			*vec_add(&s->gaps) = (struct survey_gap){page, page, 1};
		}
	}
	s->rows = s->gaps.count;
	join_gaps(&s->gaps);
	decode_state_free(decoder, state);
}

static void
describe_source(const struct opencsd_decoder *d, uint8_t lane, unsigned id,
		unsigned long long bytes, struct text *about)
{
	const struct opencsd_source_options *source = d->sources[lane].options;
	text_addf(about, "trace ID 0x%02x: %llu bytes, %s, %s", id, bytes,
		  opencsd_source_name(d, lane), opencsd_protocol_name(source->protocol));
	if (source->core)
		text_addf(about, " of %s", source->core);
	text_add_char(about, '\n');
}

static void
describe_other(unsigned id, unsigned long long bytes, struct text *about)
{
	text_addf(about, "trace ID 0x%02x: %llu bytes, %s\n", id, bytes,
		  id >= CORESIGHT_ID_FIRST_SPECIAL
		      ? "of the trace bus itself"
		      : "not decoded: list it in sources: of a profile");
}

/* Describe undecoded IDs one by one, or only their sum if they are too many to make sense. */
static void
describe_others(const struct opencsd_decoder *d, const struct opencsd_findings *s,
		struct text *about)
{
	struct text each = {0};
	unsigned long long bytes = 0;
	unsigned count = 0;
	for (unsigned id = 1; id < CORESIGHT_NOBODY; id++) {
		if (d->lane_of[id] != OPENCSD_NO_LANE || !s->bytes[id])
			continue;
		describe_other(id, s->bytes[id], &each);
		bytes += s->bytes[id];
		count++;
	}
	if (count <= OTHERS_SHOWN)
		text_add(about, text_get(&each));
	else
		text_addf(about,
			  "%u other trace IDs: %llu bytes, not decoded; so many mean that some "
			  "bytes are no frames, or that frames begin elsewhere\n",
			  count, bytes);
	text_free(&each);
}

/* True if an optional source sent nothing. */
static bool
is_silent(const struct opencsd_decoder *d, const struct opencsd_findings *s, unsigned id)
{
	return !s->bytes[id] && d->sources[d->lane_of[id]].options->optional;
}

static void
describe_ids(const struct opencsd_decoder *d, const struct opencsd_findings *s, struct text *about)
{
	for (unsigned id = 1; id < CORESIGHT_NOBODY; id++)
		if (d->lane_of[id] != OPENCSD_NO_LANE && !is_silent(d, s, id))
			describe_source(d, d->lane_of[id], id, s->bytes[id], about);
	describe_others(d, s, about);
	if (s->bytes[CORESIGHT_NOBODY])
		text_addf(about, "no trace ID: %llu bytes\n",
			  (unsigned long long)s->bytes[CORESIGHT_NOBODY]);
}

/* Report ITMs without synchronisation.  Decoding starts at the first one, which an SWO pin need
 * not send. */
static void
describe_unsynced(const struct opencsd_decoder *d, const struct opencsd_findings *s,
		  const struct window *head, struct text *missing)
{
	for (unsigned id = 0; id < CORESIGHT_NOBODY; id++)
		if (is_itm(d, id) && s->bytes[id] && !s->synced[id])
			text_addf(missing,
				  "%sthe ITM of trace ID 0x%02x sends no synchronisation%s, and "
				  "nothing before one is decoded; -f %s reads it from its first "
				  "byte",
				  missing->length ? "\n" : "", id,
				  head->last ? "" : " near the start",
				  d->format == CORESIGHT_SOURCE ? "itm" : "tpiu");
}

static bool
is_same_image(const struct opencsd_image_options *a, const struct opencsd_image_options *b)
{
	return a->address == b->address && a->offset == b->offset && !strcmp(a->file, b->file);
}

/* Get how many bytes of an image were found, for sources that execute code.  Return false if no
 * source does. */
static bool
image_length(const struct opencsd_decoder *d, const struct opencsd_image_options *image,
	     uint64_t *length)
{
	bool any = false;
	*length = 0;
	for (size_t i = 0; i < d->source_count; i++) {
		int protocol = d->sources[i].options->protocol;
		if (protocol == OPENCSD_STM || protocol == OPENCSD_ITM)
			continue;
		any = true;
		for (size_t k = 0; k < d->sources[i].memory.count; k++)
			if (d->sources[i].memory.at[k].address == image->address &&
			    d->sources[i].memory.at[k].bytes)
				*length = d->sources[i].memory.at[k].length;
	}
	return any;
}

/* Describe image I and its owners, unless an earlier entry described it. */
static void
describe_image(const struct opencsd_decoder *d, size_t i, struct text *about)
{
	const struct opencsd_image_options *images = d->images.at, *image = &images[i];
	uint64_t length;
	for (size_t k = 0; k < i; k++)
		if (is_same_image(&images[k], image))
			return;
	if (!image_length(d, image, &length))
		return;
	text_addf(about, "memory image 0x%llx", (unsigned long long)image->address);
	if (length)
		text_addf(about, "-0x%llx", (unsigned long long)(image->address + length - 1));
	text_addf(about, ": %s%s", image->file, length ? "" : " is missing");
	const char *before = ", of ";
	for (size_t k = i; k < d->images.count; k++) {
		if (!is_same_image(image, &images[k]) || !images[k].of)
			continue;
		text_addf(about, "%s%s", before, images[k].of);
		before = " ";
	}
	text_add_char(about, '\n');
}

/* Return the unavailable image that belongs to pages without one, or NULL. */
static const struct opencsd_image_options *
absent_image(const struct opencsd_decoder *d, const struct survey_gap *gap)
{
	const struct opencsd_image_options *images = d->images.at;
	for (size_t i = 0; i < d->images.count; i++)
		if (images[i].absent && images[i].address / PAGE <= gap->last &&
		    images[i].address + images[i].length > gap->first * PAGE)
			return &images[i];
	return NULL;
}

static void
describe_gaps(const struct opencsd_decoder *d, const struct opencsd_findings *s,
	      const struct window *head, struct text *missing)
{
	bool named = false;
	if (!s->rows)
		return;
	text_addf(missing, "%s%llu row%s%s with addresses in no known program: ",
		  missing->length ? "\n" : "", (unsigned long long)s->rows, s->rows == 1 ? "" : "s",
		  head->last ? "" : " near the start");
	for (size_t i = 0; i < s->gaps.count && i < RANGES_SHOWN; i++) {
		const struct survey_gap *gap = &s->gaps.at[i];
		text_addf(missing, "%s0x%llx-0x%llx (%llu)", i ? ", " : "",
			  (unsigned long long)gap->first * PAGE,
			  (unsigned long long)gap->last * PAGE + PAGE - 1,
			  (unsigned long long)gap->rows);
		const struct opencsd_image_options *image = absent_image(d, gap);
		if (image)
			text_addf(missing, " of %s", image->file);
		if (image && image->build_id)
			text_addf(missing, ", build ID %s", image->build_id);
		named |= image != NULL;
	}
	if (s->gaps.count > RANGES_SHOWN)
		text_addf(missing, " and %zu more", s->gaps.count - RANGES_SHOWN);
	text_add(missing, named ? "; --images=DIR names a folder with the files"
				: "; list the programs in a profile (opencsd: images:)");
}

/* Describe frames with an ITM, from the ITM's reading of the head. */
static void
describe_mixed(const struct opencsd_decoder *d, struct swo_head *found, struct opencsd_findings *s,
	       const struct decoder_names *names, struct text *about)
{
	s->decoder = d;
	memcpy(s->bytes, found->bytes, sizeof s->bytes);
	s->bytes[CORESIGHT_ID_NULL] = 0;
	describe_ids(d, s, about);
	swo_survey_itm((const struct swo_decoder *)d->swo, found, names, about);
}

void
opencsd_survey(const struct decoder *decoder, const struct window *head,
	       const struct decoder_names *names, struct text *about, struct text *missing)
{
	const struct opencsd_decoder *d = (const struct opencsd_decoder *)decoder;
	struct opencsd_findings s = {0};
	struct swo_head *found = d->swo ? mem_new(sizeof *found) : NULL;
	find_gaps(decoder, head, &s);
	if (!head->last)
		text_addf(about, "of the first %zu bytes:\n", head->length);
	if (found) {
		swo_head_read(head, true, (uint8_t)d->swo_options.id, found);
		describe_mixed(d, found, &s, names, about);
	} else {
		count_ids(d, head, &s);
		describe_ids(d, &s, about);
	}
	for (size_t i = 0; i < d->images.count; i++)
		describe_image(d, i, about);
	if (!found)
		describe_unsynced(d, &s, head, missing);
	describe_gaps(d, &s, head, missing);
	vec_free(&s.gaps);
	free(found);
}
