/*
 * Open a CoreSight trace buffer with the sources and memory images of its options.
 *
 * The buffer opens even if a source cannot be decoded or an image is missing.  Bytes of such a
 * source are shown undecoded, and addresses in such an image as not accessible.  The error of
 * load() lists everything missing.
 *
 * Images are mapped like captures, since memory dumps can be as large.  If a file shrinks, the
 * missing part reads as zeros.  That is sound because the library gets a copy of each instruction
 * (on_memory).  The stamps reveal a changed image.
 */
#include "config.h"

#include "decode/coresight/opencsd_decoder.h"
#include "decode/coresight/opencsd_kept.h"

#include "base/file.h"
#include "capture/capture.h"
#include "decode/coresight/opencsd_library.h"
#include "program/elf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- sources ----------------------------------------------------------- */

/* Return the trace ID of a source: from the options, or from its registers. */
static int64_t
id_of(const struct opencsd_source_options *o)
{
	const struct opencsd_registers *r = &o->regs;
	const struct {
		int64_t value;
		unsigned shift;
	} from[OPENCSD_PROTOCOLS] = {
	    [OPENCSD_ETMV3] = {r->ETMTRACEIDR, 0},  [OPENCSD_PTM] = {r->ETMTRACEIDR, 0},
	    [OPENCSD_ETMV4I] = {r->TRCTRACEIDR, 0}, [OPENCSD_ETE] = {r->TRCTRACEIDR, 0},
	    [OPENCSD_STM] = {r->STMTCSR, 16},	    [OPENCSD_ITM] = {r->ITMTCR, 16},
	};
	if (o->id >= 0)
		return o->id;
	int64_t value = from[o->protocol].value;
	return value < 0 ? -1 : value >> from[o->protocol].shift & 0x7f;
}

static void
no_element(void *context, const struct opencsd_element *e)
{
	(void)context;
	(void)e;
}

static void
no_packet(void *context, uint64_t index, const uint8_t *bytes, size_t length, const void *packet)
{
	(void)context;
	(void)index;
	(void)bytes;
	(void)length;
	(void)packet;
}

/* Try to open source N, and set its `problem` if that fails. */
static void
try_source(struct opencsd_decoder *d, size_t n)
{
	static const struct opencsd_tree_sink sink = {NULL, no_element, no_packet};
	struct opencsd_source *source = &d->sources[n];
	struct err err = {0};
	if (id_of(source->options) < 0 && d->format != CORESIGHT_SOURCE) {
		snprintf(source->problem, sizeof source->problem, "its trace ID is not given");
		return;
	}
	if (d->lane_of[source->id] != OPENCSD_NO_LANE) {
		snprintf(source->problem, sizeof source->problem, "trace ID 0x%x is that of %s",
			 source->id, opencsd_source_name(d, d->lane_of[source->id]));
		return;
	}
	d->lane_of[source->id] = (uint8_t)n;
	struct opencsd_tree *tree = opencsd_tree_new(source, &sink, &err);
	if (!tree)
		snprintf(source->problem, sizeof source->problem, "%.150s", err.what);
	opencsd_tree_free(tree);
}

static int
by_id(const void *a, const void *b)
{
	const struct opencsd_source *left = a, *right = b;
	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	return left->options < right->options ? -1 : 1;
}

/* List the sources by ID, as this orders messages.  A buffer without frames has only the first. */
static void
list_sources(struct opencsd_decoder *d, const struct option_list *list)
{
	d->source_count = list->count < OPENCSD_NO_LANE ? list->count : OPENCSD_NO_LANE;
	if (d->format == CORESIGHT_SOURCE)
		d->source_count = 1;
	d->sources = mem_new(d->source_count * sizeof *d->sources);
	for (size_t i = 0; i < d->source_count; i++) {
		struct opencsd_source *source = &d->sources[i];
		source->options = (const struct opencsd_source_options *)list->at + i;
		int64_t id = id_of(source->options);
		source->id = id < 0 ? 0 : (uint8_t)id;
	}
	qsort(d->sources, d->source_count, sizeof *d->sources, by_id);
}

static int
open_sources(struct opencsd_decoder *d, struct err *err)
{
	const struct option_list *list = &d->options->sources;
	size_t good = 0;
	memset(d->lane_of, OPENCSD_NO_LANE, sizeof d->lane_of);
	if (!list->count)
		return err_set(err, ERR_CONFIG,
			       "the buffer does not say what is in it; open the folder of a "
			       "snapshot that does, or list the sources in a profile");
	list_sources(d, list);
	for (size_t i = 0; i < d->source_count; i++) {
		try_source(d, i);
		good += !*d->sources[i].problem;
		if (*d->sources[i].problem)
			text_addf(&d->notes, "%s is not decoded: %s\n", opencsd_source_name(d, i),
				  d->sources[i].problem);
	}
	if (good)
		return 0;
	return err_set(err, ERR_CONFIG, "%.*s", (int)strcspn(text_get(&d->notes), "\n"),
		       text_get(&d->notes));
}

/* --- limits of the library --------------------------------------------- */

/* Append the names of the sources from N on with the limits OWN, and clear their limits. */
static void
add_names(const struct opencsd_decoder *d, struct text *limits, size_t n, const char *own,
	  struct text *out)
{
	for (size_t i = n; i < d->source_count; i++) {
		if (strcmp(text_get(&limits[i]), own) != 0)
			continue;
		text_addf(out, "%s%s", i > n ? ", " : "", opencsd_source_name(d, i));
		text_clear(&limits[i]);
	}
}

/* Append notes on features that the library decodes wrongly, one for all sources with the same
 * limits. */
static void
note_limits(struct opencsd_decoder *d)
{
	struct text *limits = mem_new(d->source_count * sizeof *limits);
	struct text line = {0};
	for (size_t i = 0; i < d->source_count; i++)
		if (!*d->sources[i].problem)
			opencsd_library_limits(d->sources[i].options, &limits[i]);
	for (size_t i = 0; i < d->source_count; i++) {
		if (!limits[i].length)
			continue;
		char *own = mem_text(text_get(&limits[i]));
		text_clear(&line);
		text_addf(&line, "OpenCSD %s may decode ", opencsd_library_version());
		add_names(d, limits, i, own, &line);
		text_addf(&line, " wrongly: it does not know %s\n", own);
		text_add(&d->notes, text_get(&line));
		text_add(&d->about, text_get(&line));
		d->syst.base.mark = "old OpenCSD";
		free(own);
	}
	for (size_t i = 0; i < d->source_count; i++)
		text_free(&limits[i]);
	text_free(&line);
	free(limits);
}

/* Fill in the notes on how the capture is decoded. */
static void
describe_decoding(struct opencsd_decoder *d)
{
	if (opencsd_library_version())
		text_addf(&d->about, "decoded with OpenCSD %s\n", opencsd_library_version());
	note_limits(d);
	d->syst.base.about = text_get(&d->about);
}

/* --- memory ------------------------------------------------------------ */

/* Return the mapped file of an image, or NULL after adding a note. */
static struct capture *
image_file(struct opencsd_decoder *d, const char *path)
{
	struct stat st;
	struct err err = {0};
	const struct file_stamp stamp = file_stamp(path);
	for (size_t i = 0; i < d->files.count; i++)
		if (!strcmp(capture_path(d->files.at[i]), path))
			return d->files.at[i];
	/* only regular files: opening a FIFO would wait for its writer */
	struct capture *file =
	    stat(path, &st) || S_ISREG(st.st_mode) ? capture_open(path, NULL, &err) : NULL;
	if (file) {
		*vec_add(&d->stamps) = stamp;
		return *vec_add(&d->files) = file;
	}
	const char *what = err.code ? err.what : path;
	if (!strstr(text_get(&d->notes), what))
		text_addf(&d->notes, "a memory image is missing: %s\n", what);
	return NULL;
}

/* Return the region of an unavailable image, so that no other memory is used there. */
static struct opencsd_region
absent_region(const struct opencsd_image_options *image)
{
	uint64_t most = UINT64_MAX - image->address;
	return (struct opencsd_region){.address = image->address,
				       .length = image->length < most ? image->length : most,
				       .context = image->context};
}

/* Return the region of an image, with length 0 if it has no bytes. */
static struct opencsd_region
region_of(struct opencsd_decoder *d, const struct opencsd_image_options *image)
{
	struct capture *file = image_file(d, image->file);
	uint64_t size = file ? capture_size(file) : 0;
	if (image->offset >= size) {
		if (file)
			text_addf(&d->notes, "a memory image is not used: %s has no byte %llu\n",
				  image->file, (unsigned long long)image->offset);
		return (struct opencsd_region){0};
	}
	uint64_t length = size - image->offset;
	if (image->length > length)
		text_addf(&d->notes, "a memory image ends early: %s has %llu of %llu bytes\n",
			  image->file, (unsigned long long)length,
			  (unsigned long long)image->length);
	else if (image->length)
		length = image->length;
	if (length > UINT64_MAX - image->address)
		length = UINT64_MAX - image->address;
	return (struct opencsd_region){.address = image->address,
				       .length = length,
				       .context = image->context,
				       .bytes = capture_bytes(file) + image->offset};
}

/* Add a segment of an ELF file as a separate image, at its address plus that of the file. */
static void
add_segment(struct opencsd_decoder *d, const struct opencsd_image_options *image,
	    const struct elf_header *segment)
{
	struct opencsd_image_options *part = vec_add(&d->images);
	*part = *image;
	part->address += segment->address;
	part->offset = segment->offset;
	part->length = segment->length;
}

/* Add an image.  For an ELF file without an offset or length in the options, add its loadable
 * segments. */
static void
add_image(struct opencsd_decoder *d, const struct opencsd_image_options *image)
{
	struct elf elf;
	struct elf_header segment;
	const char *why;
	size_t before = d->images.count;
	int file =
	    image->absent || image->offset || image->length ? -1 : file_open(image->file, &why);
	if (file >= 0 && elf_read(&elf, file))
		for (uint64_t i = 0; elf_read_header(&elf, i, &segment); i++)
			if (segment.type == ELF_TYPE_LOAD && segment.length)
				add_segment(d, image, &segment);
	if (file >= 0)
		close(file);
	if (d->images.count == before)
		*vec_add(&d->images) = *image;
}

/* Fill in the memory of each source, with its own images first. */
static void
open_images(struct opencsd_decoder *d)
{
	const struct opencsd_image_options *all = d->options->images.at;
	for (size_t i = 0; i < d->options->images.count; i++)
		add_image(d, &all[i]);
	const struct opencsd_image_options *images = d->images.at;
	const size_t count = d->images.count;
	struct opencsd_region *regions = mem_new(count * sizeof *regions);
	for (size_t i = 0; i < count; i++)
		regions[i] =
		    images[i].absent ? absent_region(&images[i]) : region_of(d, &images[i]);
	for (size_t i = 0; i < 2 * d->source_count; i++) {
		struct opencsd_source *source = &d->sources[i / 2];
		const char *name = source->options->name;
		for (size_t k = 0; k < count; k++) {
			const char *of = images[k].of;
			bool own = !of || (name && !strcmp(of, name));
			if (own == (i % 2 == 0) && regions[k].length)
				*vec_add(&source->memory) = regions[k];
		}
	}
	vec_release(regions);
	d->syst.base.stamps = d->stamps.at;
	d->syst.base.stamp_count = d->stamps.count;
}

/* True if the registers of a source let it send timestamps [Arm IHI 0014Q, ETMCR bit 28]
 * [Arm IHI 0064, TRCCONFIGR bit 11] [second hand: stm.c of Linux, STMTCSR bit 1].
 * Those of an ITM are only differences. */
static bool
sends_timestamps(const struct opencsd_source_options *o)
{
	const struct opencsd_registers *r = &o->regs;
	const struct {
		int64_t value; /* -1: not given */
		unsigned bit;
	} enables[OPENCSD_PROTOCOLS] = {
	    [OPENCSD_ETMV3] = {r->ETMCR, 28},	    [OPENCSD_PTM] = {r->ETMCR, 28},
	    [OPENCSD_ETMV4I] = {r->TRCCONFIGR, 11}, [OPENCSD_ETE] = {r->TRCCONFIGR, 11},
	    [OPENCSD_STM] = {r->STMTCSR, 1},	    [OPENCSD_ITM] = {-1, 0}};
	return enables[o->protocol].value > 0 &&
	       enables[o->protocol].value >> enables[o->protocol].bit & 1;
}

/* Make each source with timestamps a strand, if there are several sources. */
static void
open_strands(struct opencsd_decoder *d)
{
	struct decoder *base = &d->syst.base;
	for (size_t i = 0; i < d->source_count && d->source_count > 1; i++)
		if (sends_timestamps(d->sources[i].options))
			d->strand_of[d->sources[i].id] = (uint8_t)++base->strands;
	base->strand_of = base->strands ? d->strand_of : NULL;
	base->strand_ids = CORESIGHT_IDS;
}

/* Find where frames start on a trace port without frame synchronisation, from the ITM packets in
 * them. */
static void
find_frames(struct opencsd_decoder *d, const struct window *head)
{
	static const uint8_t sync[] = {0xff, 0xff, 0xff, 0x7f}; /* [IHI0029, trace formatter] */
	if (d->format != CORESIGHT_TPIU || !head->length ||
	    memmem(head->bytes, head->length, sync, sizeof sync))
		return;
	struct swo_head *found = mem_new(sizeof *found);
	swo_head_read(head, true, 0, found);
	d->grid = found->id;
	d->phase = found->start % CORESIGHT_FRAME;
	if (d->grid)
		text_addf(&d->about,
			  "no frame synchronisation: frames start at byte %u, as the "
			  "packets of ID 0x%02x show\n",
			  d->phase, found->id);
	free(found);
	d->syst.base.about = text_get(&d->about);
}

/* --- the contract ------------------------------------------------------ */

/* Never match: a buffer cannot be recognised, and its sources must be given. */
void
opencsd_probe(const struct window *head, struct probe *probe)
{
	(void)head;
	probe->score = 0;
}

bool
opencsd_is_stm(const struct opencsd_decoder *d)
{
	bool any = false;
	for (size_t i = 0; i < d->source_count; i++) {
		int protocol = d->sources[i].options->protocol;
		if (protocol != OPENCSD_STM && protocol != OPENCSD_ITM)
			return false;
		any = any || protocol == OPENCSD_STM;
	}
	return any;
}

/* Return the kinds of message with an origin inside the source: a master and channel, or a port. */
static uint64_t
kinds_of_software(const struct opencsd_decoder *d)
{
	const uint64_t elements =
	    1ull << OPENCSD_SWTRACE | 1ull << OPENCSD_ITMTRACE | 1ull << OPENCSD_SYST;
	const uint64_t packets = UINT64_MAX << OPENCSD_KIND_COUNT;
	bool any = d->swo != NULL;
	for (size_t i = 0; i < d->source_count; i++) {
		int protocol = d->sources[i].options->protocol;
		any = any || protocol == OPENCSD_STM || protocol == OPENCSD_ITM;
	}
	return (any ? elements : 0) | (d->swo ? packets : 0);
}

struct opencsd_decoder *
opencsd_open(const struct opencsd_options *options, const struct window *head, struct err *err)
{
	struct opencsd_decoder *d = mem_new(sizeof *d);
	d->options = options;
	d->format = (enum coresight_format)d->options->format;
	option_defaults(&syst_options, &d->syst_options);
	d->syst_options.guid = d->options->guid;
	d->syst_options.collateral = d->options->collateral;
	if (syst_open(&d->syst, NULL, &d->syst_options, err) < 0 || open_sources(d, err) < 0) {
		opencsd_close(&d->syst.base);
		return NULL;
	}
	if (opencsd_swo_open(d, head, err) < 0) {
		opencsd_close(&d->syst.base);
		return NULL;
	}
	d->syst.base.origin_varies = kinds_of_software(d);
	open_strands(d);
	opencsd_runs_open(d);
	open_images(d);
	describe_decoding(d);
	find_frames(d, head);
	d->pool = opencsd_pool_new(d);
	d->kept = opencsd_kept_new();
	return d;
}

void
opencsd_close(struct decoder *decoder)
{
	struct opencsd_decoder *d = (struct opencsd_decoder *)decoder;
	if (!d)
		return;
	opencsd_pool_free(d->pool);
	opencsd_kept_free(d->kept);
	if (d->swo)
		d->swo->ops->close(d->swo);
	syst_close(&d->syst);
	for (size_t i = 0; i < d->source_count; i++)
		vec_free(&d->sources[i].memory);
	for (size_t i = 0; i < d->files.count; i++)
		capture_close(d->files.at[i]);
	vec_free(&d->files);
	vec_free(&d->stamps);
	vec_free(&d->images);
	vec_free(&d->runs);
	text_free(&d->notes);
	text_free(&d->about);
	free(d->sources);
	free(d);
}

int
opencsd_load(struct decoder *decoder, struct err *err)
{
	struct opencsd_decoder *d = (struct opencsd_decoder *)decoder;
	int files = syst_load(decoder, err);
	if (d->notes.length && !(err && err->code))
		err_set(err, ERR_DATA, "%.*s", (int)d->notes.length - 1, text_get(&d->notes));
	return files;
}
