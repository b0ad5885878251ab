/*
 * Sessions: open captures by a profile, and relate traces; see session.h.
 */
#include "config.h"

#include "session/session.h"
#include "base/nearest.h"
#include "base/notice.h"
#include "capture/foreign.h"
#include "capture/perf_data.h"
#include "capture/perf_layout.h"
#include "capture/snapshot.h"
#include "decode/registry.h"
#include "program/build_id.h"
#include "program/kernel.h"
#include "session/clock/clock_position.h"
#include "session/clock/clocks.h"
#include "session/clock/cycles.h"
#include "session/context/context.h"
#include "session/context/context_naming.h"
#include "session/flows.h"
#include "session/intervals.h"
#include "session/link/serial.h"
#include "session/link/sync_options.h"
#include "session/programs.h"
#include "trace/naming.h"
#include "trace/recognise.h"
#include "trace/trace_options.h"

#include <fnmatch.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* --- profile ----------------------------------------------------------- */

static const char *const orders[] = {
    [CLOCKS_BY_TRANSPORT] = "transport", [CLOCKS_BY_TIME] = "time", NULL};

#define PROFILE(...) OPTION_ROW(struct profile, __VA_ARGS__)
static struct option_row profile_rows[] = {
    PROFILE(traces, LIST, "how to read captures"),
    PROFILE(origins, LIST, "names of senders"),
    PROFILE(symbols, LIST, "programs that name the addresses in traces",
	    .table = &symbol_options_table),
    PROFILE(contexts, LIST, "states that hold from a message on"),
    PROFILE(intervals, LIST, "pairs of messages, to measure the time between them",
	    .table = &interval_options_table),
    {"sync", OPTION_LIST, offsetof(struct profile, syncs), "what relates traces to each other",
     .table = &sync_options_table},
    PROFILE(order, CHOICE,
	    "order of messages: time, when they were sent, or transport, when they were "
	    "carried",
	    "transport", .choices = orders),
};

static void
link_profile(void)
{
	profile_rows[0].table = trace_options_table();
	profile_rows[1].table = origin_options_table();
	profile_rows[3].table = context_options_table();
}

/* Check the conditions of `symbols:`. */
static bool
check_profile(const void *object, struct option_fault *fault)
{
	const struct profile *profile = object;
	const struct symbol_options *symbols = profile->symbols.at;
	for (size_t i = 0; i < profile->symbols.count; i++) {
		const struct symbol_when *when = &symbols[i].when;
		if (!symbols[i].conditional ||
		    context_check(&profile->contexts, when->context, when->value, fault))
			continue;
		snprintf(fault->room, sizeof fault->room, "symbols[%zu].when.%s", i, fault->member);
		fault->member = fault->room;
		return false;
	}
	return true;
}

const struct option_table *
profile_options_table(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	enum { ROWS = sizeof profile_rows / sizeof *profile_rows };
	static const struct option_table table = {.name = "profile",
						  .size = sizeof(struct profile),
						  .rows = profile_rows,
						  .count = ROWS,
						  .check = check_profile};
	pthread_once(&once, link_profile);
	return &table;
}

/* --- opening ----------------------------------------------------------- */

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

static const struct trace_options *
entry_at(const struct profile *profile, size_t i)
{
	return (void *)((char *)profile->traces.at + i * trace_options_table()->size);
}

/* Return the number of the profile's entry for a capture, or SIZE_MAX. */
static size_t
find_entry(const struct profile *profile, const char *path)
{
	char *plain = mem_text(base_name(path));
	size_t found = SIZE_MAX;
	plain[foreign_plain_length(plain)] = '\0';
	for (size_t i = 0; i < profile->traces.count && found == SIZE_MAX; i++) {
		const struct trace_options *entry = entry_at(profile, i);
		if ((entry->match && (!fnmatch(entry->match, base_name(path), 0) ||
				      !fnmatch(entry->match, plain, 0))) ||
		    (entry->file && !strcmp(entry->file, path)))
			found = i;
	}
	free(plain);
	return found;
}

static void
take_entry(const struct profile *profile, size_t entry, const char *path,
	   struct trace_opening *from)
{
	from->options = mem_new(trace_options_table()->size);
	from->entry = entry;
	from->matched = base_name(path);
	if (from->entry < SIZE_MAX)
		option_copy(trace_options_table(), from->options, entry_at(profile, from->entry));
	else
		option_defaults(trace_options_table(), from->options);
}

static void
take_options(const struct profile *profile, const char *path, struct trace_opening *from)
{
	take_entry(profile, find_entry(profile, path), path, from);
}

/* Number the traces after adding or removing one. */
static void
number_traces(struct session *session)
{
	session->host.several = session->traces.count > 1;
	for (size_t i = 0; i < session->traces.count; i++)
		trace_set_number(session->traces.at[i], i);
}

static struct trace *
add_trace(struct session *session, const struct trace_opening *from, struct err *err)
{
	session->host.origins = &session->profile.origins;
	struct trace *trace = trace_open(&session->host, from, err);
	if (trace)
		*vec_add(&session->traces) = trace;
	number_traces(session);
	return trace;
}

/* Open a trace for each buffer of a snapshot, as far as possible; return the first. */
static struct trace *
open_snapshot(struct session *session, struct trace_opening from, struct err *err)
{
	struct snapshot *snapshot = snapshot_read(from.path, err);
	struct trace *first = NULL;
	if (!snapshot)
		return NULL;
	for (size_t i = 0; i < snapshot->buffers.count; i++) {
		const struct snapshot_buffer *buffer = &snapshot->buffers.at[i];
		struct text name = {0};
		text_addf(&name, "%s.%s", snapshot->folder, buffer->name);
		take_options(&session->profile, text_get(&name), &from);
		const struct decoder_ops *ops = decoder_of_snapshots();
		void *own = trace_format_options(from.options, ops);
		if (!decoder_use_snapshot(own, snapshot, buffer, &snapshot->notes)) {
			trace_options_free(from.options);
			text_free(&name);
			continue;
		}
		if (!from.options->name)
			from.options->name = mem_text(text_get(&name));
		from.path = buffer->path;
		from.choice.format = ops->format;
		from.choice.reason = "opencsd, as the snapshot says";
		from.group = snapshot->folder;
		struct err failed = {0};
		struct trace *trace = add_trace(session, &from, &failed);
		text_free(&name);
		if (!trace)
			text_addf(&snapshot->notes, "%s\n", failed.what);
		if (!first)
			first = trace;
	}
	if (snapshot->notes.length)
		text_cut(&snapshot->notes, snapshot->notes.length - 1); /* the last newline */
	if (!first)
		err_set(err, ERR_DATA, "%s", text_get(&snapshot->notes));
	else if (snapshot->notes.length)
		trace_add_notice(first, NOTICE_SNAPSHOT, text_get(&snapshot->notes));
	snapshot_free(snapshot);
	return first;
}

/* --- perf.data ----------------------------------------------------------- */

/* Name a part: perf.data.cpu3; for a thread perf.data.tid1234, or perf.data.tid1234.cpu3 if it
 * has several traces. */
static void
name_part(const char *path, const struct perf_part *part, struct text *name)
{
	const struct perf_buffer *buffer = part->buffer;
	text_add(name, base_name(path));
	if (buffer->cpu == PERF_NONE)
		text_addf(name, ".tid%u", buffer->tid);
	if (buffer->cpu != PERF_NONE || part->cpu != PERF_NONE)
		text_addf(name, ".cpu%u", buffer->cpu != PERF_NONE ? buffer->cpu : part->cpu);
}

/* State while opening a perf.data. */
struct perf_opening {
	const struct capture *whole;
	struct perf_data *perf;
	char **images; /* file of each map, or NULL */
	struct text notes;
};

static bool
is_same_file(const struct perf_map *a, const struct perf_map *b)
{
	return a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size) && !strcmp(a->name, b->name);
}

/* True if another file occupies the same addresses, in another process or at another time. Names
 * would then be a guess. */
static bool
is_ambiguous(const struct perf_map *maps, size_t count, const struct perf_map *map)
{
	for (size_t i = 0; i < count; i++)
		if (maps[i].address < map->address + map->length &&
		    map->address < maps[i].address + maps[i].length &&
		    (!is_same_file(&maps[i], map) ||
		     maps[i].address - maps[i].offset != map->address - map->offset))
			return true;
	return false;
}

/* Let a file name the addresses where it was mapped. */
static void
add_symbols(struct session *session, const struct perf_map *map, const char *file)
{
	struct option_list *list = &session->profile.symbols;
	const struct symbol_options *others = list->at;
	for (size_t i = 0; i < list->count; i++)
		if (others[i].address == map->address && !strcmp(others[i].file, file))
			return;
	list->at = mem_resize(list->at, (list->count + 1) * sizeof *others);
	struct symbol_options *o = (struct symbol_options *)list->at + list->count++;
	option_defaults(&symbol_options_table, o);
	o->file = mem_text(file);
	o->address = map->address;
	o->length = map->length;
	o->offset = map->offset;
	o->optional = true;
}

static void
name_images(struct session *session, const struct perf_opening *o)
{
	const size_t count =
	    o->perf->maps.count < PERF_MAPS_MOST ? o->perf->maps.count : PERF_MAPS_MOST;
	for (size_t i = 0; i < count; i++) {
		const struct perf_map *map = &o->perf->maps.at[i];
		if (o->images[i] && !is_ambiguous(o->perf->maps.at, count, map))
			add_symbols(session, map, o->images[i]);
	}
}

/* Take ownership of PATH and return it if it contains the memory of a kernel map; then set the
 * map's offset and length in that file. Otherwise free PATH. */
static char *
take_kernel(struct perf_map *map, char *path, uint64_t begin)
{
	uint64_t offset, length;
	if (!path || !kernel_find_memory(path, begin, map->address, &offset, &length)) {
		free(path);
		return NULL;
	}
	map->offset = offset;
	map->length = length < map->length ? length : map->length;
	return path;
}

/* Find the file of a map of the kernel or a kernel module. A kcore contains both as they ran. */
static char *
find_kernel(struct perf_map *map, const struct build_id *id, const char *folder,
	    struct text *refused)
{
	struct text kcore = {0};
	char *found = NULL;
	if (folder) {
		text_addf(&kcore, "%s/kcore", folder);
		found = take_kernel(map, kcore.data, 0);
	}
	if (!found && !strcmp(map->name, PERF_KERNEL))
		found =
		    take_kernel(map, build_id_find(id, "/vmlinux", folder, refused), map->offset);
	return found;
}

/* Find the files of the maps, each file once. */
static void
find_images(struct perf_opening *o, const char *folder)
{
	struct perf_map *maps = o->perf->maps.at;
	const size_t count = o->perf->maps.count;
	o->images = mem_new((count + 1) * sizeof *o->images);
	for (size_t i = 0; i < count && i < PERF_MAPS_MOST; i++) {
		struct build_id id = {.size = maps[i].build_id_size};
		struct text refused = {0};
		size_t k = 0;
		while (k < i && !is_same_file(&maps[k], &maps[i]))
			k++;
		if (k < i && maps[i].pid != PERF_NONE) {
			o->images[i] = o->images[k] ? mem_text(o->images[k]) : NULL;
			continue;
		}
		memcpy(id.bytes, maps[i].build_id, id.size);
		if (maps[i].pid == PERF_NONE)
			o->images[i] = find_kernel(&maps[i], &id, folder, &refused);
		else if (*maps[i].name == '/')
			o->images[i] = build_id_find(&id, maps[i].name, folder, &refused);
		if (refused.length) {
			text_addf(&o->notes, "%s, and is not used: perf.data says ", refused.data);
			build_id_add(&id, &o->notes);
			text_add_char(&o->notes, '\n');
		}
		text_free(&refused);
	}
}

static struct trace *
open_perf_part(struct session *session, struct trace_opening from, struct perf_opening *o,
	       const struct perf_part *part, struct err *err)
{
	struct text name = {0};
	struct perf_layout layout = {0};
	const struct decoder_ops *ops = decoder_of_snapshots();
	name_part(from.path, part, &name);
	perf_layout_fill(part, &layout);
	take_options(&session->profile, text_get(&name), &from);
	decoder_use_perf(trace_format_options(from.options, ops), o->perf, part, &layout, o->images,
			 &o->notes);
	const struct trace_part pieces = {o->whole, layout.pieces.at, layout.pieces.count};
	if (!from.options->name)
		from.options->name = mem_text(text_get(&name));
	from.part = &pieces;
	from.choice.format = ops->format;
	from.choice.reason = "opencsd, as perf.data says";
	from.group = base_name(from.path);
	struct trace *trace = add_trace(session, &from, err);
	text_free(&name);
	perf_layout_free(&layout);
	return trace;
}

/* Open a trace for each buffer of a perf.data; return the first. If no decoder takes it, open it
 * as a file of no format. For a stream, return BEFORE, the trace that it already has. */
static struct trace *
open_perf(struct session *session, struct trace_opening from, const struct capture *whole,
	  struct trace *before, struct err *err)
{
	struct perf_data *perf = perf_data_read(capture_bytes(whole), capture_size(whole), err);
	struct text about = {0}, why = {0};
	struct perf_opening o = {.whole = whole, .perf = perf};
	struct trace *first = NULL;
	struct perf_part part;
	if (perf) {
		perf_data_describe(perf, &about);
		from.container = text_get(&about);
	}
	bool taken = perf && decoder_takes_perf(perf, &why);
	if (perf && !taken && before) {
		trace_add_notice(before, NOTICE_PERF_NOT_TAKEN, text_get(&why));
		first = before;
	} else if (perf && !taken) {
		take_options(&session->profile, from.path, &from);
		from.choice.reason = text_get(&why);
		first = add_trace(session, &from, err);
	}
	if (taken)
		find_images(&o, session->host.images_dir);
	if (o.images)
		name_images(session, &o);
	for (size_t i = 0; taken && decoder_perf_part(perf, i, &part); i++) {
		struct err failed = {0};
		struct trace *trace = open_perf_part(session, from, &o, &part, &failed);
		if (!trace)
			text_addf(&o.notes, "%s\n", failed.what);
		if (!first)
			first = trace;
		from.container = first ? NULL : from.container;
	}
	if (o.notes.length)
		text_cut(&o.notes, o.notes.length - 1); /* the last newline */
	if (!first && o.notes.length)
		err_set(err, ERR_DATA, "%s", text_get(&o.notes));
	else if (o.notes.length)
		trace_add_notice(first, NOTICE_PERF, text_get(&o.notes));
	for (size_t i = 0; o.images && i < perf->maps.count; i++)
		free(o.images[i]);
	free(o.images);
	text_free(&o.notes);
	perf_data_free(perf);
	text_free(&about);
	text_free(&why);
	return first;
}

static struct trace *
open_perf_file(struct session *session, struct trace_opening from, struct err *err)
{
	struct capture *whole = capture_open(from.path, NULL, err);
	if (!whole)
		return NULL;
	struct trace *first = open_perf(session, from, whole, NULL, err);
	capture_close(whole);
	return first;
}

/* True if a stream or a compressed file contains perf.data. A live source has no end, and a
 * limited capture may have lost its beginning, so neither counts. */
static bool
holds_perf(const struct trace *trace)
{
	const struct capture *capture = trace_capture(trace);
	return capture_is_spooled(capture) && capture_link(capture, NULL) == LINK_NONE &&
	       !capture_limit(capture) &&
	       perf_data_is(capture_bytes(capture), capture_size(capture));
}

static void
remove_trace(struct session *session, struct trace *trace)
{
	size_t number = trace_number(trace);
	trace_close(trace);
	session->traces.count--;
	memmove(&session->traces.at[number], &session->traces.at[number + 1],
		(session->traces.count - number) * sizeof *session->traces.at);
	number_traces(session);
}

/* Open a spooled perf.data, in place of TRACE, once it is complete. */
static struct trace *
open_perf_spooled(struct session *session, struct trace_opening from, struct trace *trace,
		  struct err *err)
{
	enum { PATIENCE_MS = 1000 };
	struct capture *whole = trace_capture(trace);
	capture_wait(whole, UINT64_MAX - 1, PATIENCE_MS);
	if (!capture_ended(whole) && session->host.report_waiting)
		session->host.report_waiting(
		    "perf.data is decoded once all of it is there; Ctrl-C ends");
	while (!capture_ended(whole))
		capture_wait(whole, UINT64_MAX - 1, -1);
	from.path = strcmp(from.path, "-") != 0 ? from.path : "stdin";
	struct trace *first = open_perf(session, from, whole, trace, err);
	if (first && first != trace)
		remove_trace(session, trace);
	return first;
}

/* --- several traces in a capture ----------------------------------------- */

/* Take the options for a part of the open capture WHOLE: by the profile's entry for the part's
 * name, else by FROM's entry. */
static void
take_part(const struct profile *profile, const struct trace *whole, const struct decoder_part *part,
	  const char *name, struct trace_opening *from)
{
	const struct decoder_ops *ops = trace_decoder(whole)->ops;
	size_t own = find_entry(profile, name);
	take_entry(profile, own < SIZE_MAX ? own : from->entry, name, from);
	const struct option_row *row = option_find(trace_options_table(), ops->format);
	if (strcmp(ops->format, part->format) != 0) {
		from->choice.format = part->format;
		from->choice.reason = trace_reason(whole);
		if (row && row->given) /* already used: the parts were found by them */
			*((bool *)from->options + row->given) = false;
	}
	recognition_apply(part->settings, decoder_find(part->format), from->options, true);
}

/* Open each trace inside a capture, in place of WHOLE; return the first. */
static struct trace *
open_parts(struct session *session, const struct trace_opening *from, struct trace *whole,
	   struct err *err)
{
	const struct decoder *decoder = trace_decoder(whole);
	struct trace *first = NULL;
	const char *base = base_name(from->path);
	size_t length =
	    capture_is_spooled(trace_capture(whole)) ? foreign_plain_length(base) : strlen(base);
	for (size_t i = 0; i < decoder->part_count; i++) {
		const struct decoder_part *part = &decoder->parts[i];
		struct trace_opening own = *from;
		struct text file = {0}, name = {0};
		text_addf(&file, "%.*s%s", (int)length, base, part->name);
		take_part(&session->profile, whole, part, text_get(&file), &own);
		const char *given = own.entry == from->entry ? own.options->name : NULL;
		if (given)
			text_addf(&name, "%s%s", given, part->name);
		else if (!own.options->name)
			text_add(&name, text_get(&file));
		if (name.length) {
			free(own.options->name);
			own.options->name = name.data;
		}
		own.group = base_name(from->path);
		struct trace *trace = add_trace(session, &own, err);
		text_free(&file);
		if (!first)
			first = trace;
		if (!trace)
			break;
	}
	if (first)
		remove_trace(session, whole);
	return first;
}

/* Open a capture with entry ENTRY of the profile. */
static struct trace *
open_entry(struct session *session, const char *path, size_t entry, const char *format,
	   char *const *collateral, size_t collateral_count, struct err *err)
{
	struct trace_opening from = {.path = path,
				     .choice = {.format = format},
				     .collateral = collateral,
				     .collateral_count = collateral_count};
	if (!format && snapshot_is(path))
		return open_snapshot(session, from, err);
	if (!format && perf_data_is_file(path))
		return open_perf_file(session, from, err);
	take_entry(&session->profile, entry, path, &from);
	struct trace *trace = add_trace(session, &from, err);
	if (trace && trace_decoder(trace)->part_count && !capture_is_stream(trace_capture(trace)))
		return open_parts(session, &from, trace, err);
	return trace && !format && holds_perf(trace) ? open_perf_spooled(session, from, trace, err)
						     : trace;
}

struct trace *
session_open(struct session *session, const char *path, const char *format, char *const *collateral,
	     size_t collateral_count, struct err *err)
{
	return open_entry(session, path, find_entry(&session->profile, path), format, collateral,
			  collateral_count, err);
}

int
session_open_named(struct session *session, char *const *collateral, size_t collateral_count,
		   struct err *err)
{
	int opened = 0;
	for (size_t i = 0; i < session->profile.traces.count; i++) {
		const char *path = entry_at(&session->profile, i)->file;
		if (path && !open_entry(session, path, i, NULL, collateral, collateral_count, err))
			return err->code;
		opened += path != NULL;
	}
	return opened;
}

bool
session_is_live(const struct session *session)
{
	for (size_t i = 0; i < session->traces.count; i++)
		if (capture_link(trace_capture(session->traces.at[i]), NULL) != LINK_NONE)
			return true;
	return false;
}

/* --- related traces ------------------------------------------------------ */

/* Return the only trace of FORMAT with name NAME (NULL: any). Return NULL if there is none, or
 * more than one. */
static struct trace *
only_trace(struct session *session, const char *format, const char *name)
{
	struct trace *found = NULL;
	for (size_t i = 0; i < session->traces.count; i++) {
		struct trace *trace = session->traces.at[i];
		if (strcmp(trace_decoder(trace)->ops->format, format) != 0 ||
		    (name && strcmp(trace_name(trace), name) != 0))
			continue;
		if (found)
			return NULL;
		found = trace;
	}
	return found;
}

static void
link_serial(struct session *session, const struct sync_options *sync)
{
	struct trace *gem = only_trace(session, "gem", sync ? sync->gem : NULL);
	struct trace *uia = only_trace(session, "uia", sync ? sync->uia : NULL);
	if (gem && uia && !serial_of(gem))
		serial_new(gem, uia, sync);
}

/* Choose the zone of all times since 1970. Return true if it is another one. */
static bool
choose_zone(struct session *session)
{
	enum zone old = session->host.zone;
	bool named = false, unnamed = false;
	for (size_t i = 0; i < session->traces.count; i++) {
		const struct decoder *decoder = trace_decoder(session->traces.at[i]);
		unnamed |= decoder->unix_epoch && decoder->zoneless;
		named |= decoder->unix_epoch && !decoder->zoneless;
	}
	session->host.zone = session->utc ? ZONE_UTC : ZONE_LOCAL;
	if (unnamed && !named)
		session->host.zone = ZONE_UNNAMED;
	return session->host.zone != old;
}

void
session_set_utc(struct session *session, bool utc)
{
	session->utc = utc;
	for (size_t i = choose_zone(session) ? 0 : session->traces.count; i < session->traces.count;
	     i++)
		trace_bump_generation(session->traces.at[i]);
}

void
session_link(struct session *session)
{
	choose_zone(session);
	const struct sync_options *syncs = session->profile.syncs.at;
	for (size_t i = 0; i < session->profile.syncs.count; i++)
		if (syncs[i].kind == SYNC_SERIAL)
			link_serial(session, &syncs[i]);
	link_serial(session, NULL);
	session->clocks = clocks_new(session);
	if (!session->host.naming)
		session->host.naming = naming_new(&session->profile.symbols);
	contexts_free(session->contexts);
	session->contexts = contexts_new(session);
	session->host.judge = &context_naming;
	if (session->contexts)
		contexts_relate(session->contexts, clock_find_position, NULL);
	session->cycles = cycles_new(session);
	flows_free(session->flows);
	session->flows = flows_new(session);
	const char *complaint = contexts_complaint(session->contexts);
	if (complaint)
		session_add_notice(session, complaint);
}

static bool
has_trace(const struct session *session, const char *name, size_t length)
{
	for (size_t i = 0; i < session->traces.count; i++) {
		const char *own = trace_name(session->traces.at[i]);
		if (strlen(own) == length && !memcmp(own, name, length))
			return true;
	}
	return false;
}

bool
session_is_named(const struct session *session)
{
	for (size_t i = 0; i < session->traces.count; i++)
		if (trace_awaits_names(session->traces.at[i]))
			return false;
	return true;
}

const char *
session_next_trace(void *session, size_t at)
{
	const struct session *of = session;
	return at < of->traces.count ? trace_name(of->traces.at[at]) : NULL;
}

static int
refuse_name(const struct session *session, const char *name, size_t length, struct err *err)
{
	struct text names = {0}, word = {0};
	text_add_bytes(&word, name, length);
	struct nearest_hint hint =
	    nearest_hint(text_get(&word), session_next_trace, (void *)session);
	text_add(&names, session->traces.count == 1 ? "; there is " : "; there are ");
	for (size_t i = 0; i < session->traces.count; i++)
		text_addf(&names, "%s%s", i ? ", " : "", trace_name(session->traces.at[i]));
	err_set(err, ERR_USAGE, "no trace is named %s%s", text_get(&word),
		nearest_hint_or(&hint, text_get(&names)));
	text_free(&names);
	text_free(&word);
	return ERR_USAGE;
}

int
session_check_names(const struct session *session, const char *list, struct err *err)
{
	for (size_t length;; list += length + 1) {
		length = strcspn(list, ",");
		if (!has_trace(session, list, length))
			return refuse_name(session, list, length, err);
		if (!list[length])
			return 0;
	}
}

int
session_add_offset(struct session *session, const char *offset, struct err *err)
{
	const struct option_row *row = option_find(&sync_options_table, "seconds");
	const char *equals = strrchr(offset, '=');
	struct option_list *list = &session->profile.syncs;
	char buffer[256];
	if (!equals)
		return err_set(err, ERR_USAGE, "an offset is TRACE=SECONDS, not %s", offset);
	if (!has_trace(session, offset, (size_t)(equals - offset)))
		return refuse_name(session, offset, (size_t)(equals - offset), err);
	struct sync_options sync;
	option_defaults(&sync_options_table, &sync);
	const char *expected = option_set(row, &sync, equals + 1, buffer);
	if (expected)
		return err_set(err, ERR_USAGE, "%s: the seconds are %s", offset, expected);
	sync.kind = SYNC_OFFSET;
	sync.trace = mem_text(offset);
	sync.trace[equals - offset] = '\0';
	list->at = mem_resize(list->at, (list->count + 1) * sizeof sync);
	((struct sync_options *)list->at)[list->count++] = sync;
	return 0;
}

int
session_set_order(struct session *session, const char *order, struct err *err)
{
	int i = 0;
	while (orders[i] && strcmp(order, orders[i]) != 0)
		i++;
	if (!orders[i])
		return err_set(err, ERR_USAGE, "order is time or transport, not %s", order);
	session->profile.order = i;
	if (session->clocks)
		clocks_set_order(session->clocks, (enum clocks_order)i);
	return 0;
}

const char *
session_order(const struct session *session)
{
	return orders[session->profile.order];
}

static void
describe_order(const struct session *session, struct text *out)
{
	size_t left_out = 0;
	if (session->clocks && session->profile.order == CLOCKS_BY_TIME)
		clocks_sender_strands(session->clocks, &left_out);
	if (left_out)
		text_addf(out,
			  "only %d senders' clocks are put in order of time; messages of %zu more "
			  "stay in the transport's\n",
			  CLOCKS_STRANDS_MAX, left_out);
}

static void
describe_apart(struct trace *trace, struct text *out)
{
	size_t clocks;
	char digits[32];
	uint64_t messages = clocks_apart(trace, &clocks);
	bool one = messages == 1;
	if (!messages)
		return;
	text_addf(out, "%s: %s message%s ", trace_name(trace), text_number(digits, messages),
		  one ? " has" : "s have");
	if (clocks == 1)
		text_add(out, "a clock");
	else
		text_addf(out, "%zu clocks", clocks);
	text_addf(out,
		  " of %s own: %s cannot be compared with the others; :tie, or sync: in a "
		  "profile, relates clocks\n",
		  one ? "its" : "their", one ? "its time" : "their times");
}

void
session_describe_clocks(const struct session *session, struct text *out)
{
	describe_order(session, out);
	bool settled = session->clocks && clocks_are_settled(session->clocks);
	for (size_t i = 0; settled && i < session->traces.count; i++)
		describe_apart(session->traces.at[i], out);
}

/* Drop the results of session_link() and everything else that reads several traces. */
static void
unlink_traces(struct session *session)
{
	if (session->intervals)
		session->intervals->unlink(session->intervals->context);
	contexts_free(session->contexts); /* before the traces that it reads */
	session->contexts = NULL;
	flows_free(session->flows); /* before cycles and clocks, which its threads read */
	session->flows = NULL;
	cycles_free(session->cycles); /* before the clocks, which it reads */
	session->cycles = NULL;
	clocks_free(session->clocks);
	session->clocks = NULL;
	for (size_t i = 0; i < session->traces.count; i++) /* before the traces that it reads */
		serial_free(serial_of(session->traces.at[i]));
}

void
session_close(struct session *session)
{
	unlink_traces(session);
	for (size_t i = 0; i < session->traces.count; i++)
		trace_close(session->traces.at[i]);
	vec_free(&session->traces);
	naming_free(session->host.naming); /* after the threads that load it */
	session->host.naming = NULL;
	programs_free(session->programs);
	session->programs = NULL;
	option_release(profile_options_table(), &session->profile);
}

void
session_add_rate_hint(const struct session *session, struct text *out)
{
	text_addf(out, "set clock: {hz: ...} of its trace in %s",
		  session->profile_path ? session->profile_path : "a profile");
}

bool
session_has_file(void *context, const struct stat *st)
{
	const struct session *session = context;
	for (size_t i = 0; i < session->traces.count; i++)
		if (capture_is_file(trace_capture(session->traces.at[i]), st))
			return true;
	return false;
}

void
session_add_notice(struct session *session, const char *text)
{
	if (session->traces.count)
		trace_add_notice(session->traces.at[0], NOTICE_PROFILE, text);
}

/* --- threads ----------------------------------------------------------- */

void
session_start(struct session *session)
{
	for (size_t i = 0; i < session->traces.count; i++) {
		struct serial *serial = serial_of(session->traces.at[i]);
		trace_start(session->traces.at[i]);
		if (serial)
			serial_start(serial);
	}
	if (session->contexts)
		contexts_start(session->contexts);
	if (session->traces.count && context_names(session, NULL)) /* filters wait for it */
		context_cursor_free(context_cursor_new(session->contexts, session->traces.at[0]));
	if (session->clocks)
		clocks_start(session->clocks);
	cycles_start(session->cycles);
	if (session->intervals)
		session->intervals->start(session->intervals->context);
}

void
session_load_intervals(struct session *session)
{
	const struct session_intervals *hook = session->intervals;
	if (!hook || !hook->count(hook->context))
		return;
	if (session->clocks)
		clocks_load(session->clocks, true);
	session_build(session);
	if (session->contexts)
		contexts_load(session->contexts);
	hook->load(hook->context);
}

void
session_wake(struct session *session)
{
	for (size_t i = 0; i < session->traces.count; i++) {
		struct serial *serial = serial_of(session->traces.at[i]);
		if (serial)
			serial_wake(serial);
	}
	if (session->clocks)
		clocks_wake(session->clocks);
	if (session->contexts)
		contexts_wake(session->contexts);
	cycles_wake(session->cycles);
	flows_wake(session->flows);
	if (session->intervals)
		session->intervals->wake(session->intervals->context);
}

void
session_interrupt(struct session *session)
{
	for (size_t i = 0; i < session->traces.count; i++)
		capture_interrupt(trace_capture(session->traces.at[i]));
}

void
session_build(struct session *session)
{
	for (size_t i = 0; i < session->traces.count; i++)
		trace_build_whole(session->traces.at[i]);
}

/* --- decoding a trace again ---------------------------------------------- */

int
session_try(struct session *session, struct trace *trace, const char *format, const char *settings,
	    struct err *err)
{
	const struct trace_choice choice = {.format = format, .settings = settings};
	struct trace_opening from;
	if (trace_group(trace))
		return err_set(err, ERR_USAGE, "%s: %s says what it is", trace_name(trace),
			       trace_group(trace));
	unlink_traces(session);
	take_options(&session->profile, trace_path(trace), &from);
	int failed = trace_decode_anew(trace, &choice, from.options, err);
	session_link(session);
	return failed;
}

int
session_read_programs(struct session *session, struct err *err)
{
	struct err own = {0};
	unlink_traces(session);
	for (size_t i = 0; i < session->traces.count; i++) {
		own.code = 0;
		if (trace_decode_again(session->traces.at[i], &own) < 0 && !err->code)
			*err = own;
	}
	naming_free(session->host.naming); /* after the threads that load it */
	session->host.naming = NULL;
	programs_free(session->programs);
	session->programs = NULL;
	session_link(session);
	return err->code;
}
