/*
 * Packing a case: see pack.h.
 *
 * First all members are collected, with their sizes, because the list is the first member.  Equal
 * inputs give equal bytes: a case has no dates and no owners.
 */
#include "config.h"

#include "config/pack.h"
#include "base/file.h"
#include "batch/batch.h"
#include "batch/output.h"
#include "batch/report.h"
#include "capture/foreign.h"
#include "capture/snapshot.h"
#include "config/case.h"
#include "decode/registry.h"
#include "export/export.h"
#include "export/export_raw.h"
#include "session/session.h"
#include "trace/trace_options.h"
#include "ui/notebook.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct packed {
	char *name;	      /* in the case */
	char *path;	      /* of the source; NULL: TEXT */
	struct text text;     /* made here */
	const uint8_t *bytes; /* of a cut; NULL: the whole file */
	uint64_t size;
	char *note; /* what a cut lacks, or NULL */
};

enum { OWN_SESSION, OWN_NOTES, OWN_VERSIONS, OWN_COUNT }; /* members that are made here, first */

struct packing {
	struct session *session;
	const struct cli *cli;
	const struct filter *filter;
	struct notebook *notes;
	struct profile profile; /* of the case */
	struct export_options split;
	bool cuts;
	VEC(struct packed) members;
	struct text left; /* a line for each thing that is not packed */
	struct err err;
};

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* --- files ------------------------------------------------------------- */

/* True if a member has that name, or is inside of a folder of that name. */
static bool
is_taken_name(const struct packing *p, const char *name)
{
	size_t length = strlen(name);
	for (size_t i = OWN_COUNT; i < p->members.count; i++) {
		const char *own = p->members.at[i].name;
		if (!strncmp(own, name, length) && (!own[length] || own[length] == '/'))
			return true;
	}
	return false;
}

/* Set NAME to FOLDER/BASE.  If that is taken, try FOLDER-2/BASE and so on. */
static void
make_name(const struct packing *p, const char *folder, const char *base, struct text *name)
{
	text_addf(name, "%s/%s", folder, base);
	for (unsigned i = 2; is_taken_name(p, name->data); i++) {
		text_clear(name);
		text_addf(name, "%s-%u/%s", folder, i, base);
	}
}

/* Add a member.  Takes NAME. */
static struct packed *
add_member(struct packing *p, char *name, const char *path)
{
	uint8_t unused[CASE_BLOCK];
	struct stat st;
	struct packed *member = vec_add(&p->members);
	*member = (struct packed){.name = name, .path = mem_text(path)};
	member->size = stat(path, &st) ? 0 : (uint64_t)st.st_size;
	if (!p->err.code && !case_fill_head(unused, name, 0))
		err_set(&p->err, ERR_USAGE,
			"%s cannot be packed as %s; a name of at most 100 bytes, UTF-8 without "
			"control characters, can",
			path, name);
	return member;
}

static const struct packed *
find_member(const struct packing *p, const char *path)
{
	for (size_t i = OWN_COUNT; i < p->members.count; i++)
		if (!strcmp(p->members.at[i].path, path) && !p->members.at[i].bytes)
			return &p->members.at[i];
	return NULL;
}

static int
is_xml(const struct dirent *entry)
{
	const char *ending = strrchr(entry->d_name, '.');
	return ending && !strcmp(ending, ".xml");
}

/* Add a folder of collateral, as syst_collateral.c reads it. */
static void
add_folder(struct packing *p, const char *name, const char *path)
{
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, is_xml, alphasort);
	for (int i = 0; i < count; i++) {
		struct text file = {0}, own = {0};
		text_addf(&file, "%s/%s", path, entries[i]->d_name);
		text_addf(&own, "%s/%s", name, entries[i]->d_name);
		add_member(p, own.data, file.data);
		text_free(&file);
		free(entries[i]);
	}
	free(entries);
}

/* Add a file or folder to FOLDER of the case, once.  Return its name there, for the caller to
 * free. */
static char *
add_file(struct packing *p, const char *folder, const char *path)
{
	const struct packed *same = find_member(p, path);
	struct stat st;
	struct text name = {0};
	if (same)
		return mem_text(same->name);
	make_name(p, folder, base_name(path), &name);
	bool is = !stat(path, &st);
	if (is && S_ISDIR(st.st_mode))
		add_folder(p, name.data, path);
	else if (is && S_ISREG(st.st_mode))
		add_member(p, mem_text(name.data), path);
	else
		text_addf(&p->left, "not packed: %s: there is no such file\n", path);
	return name.data;
}

/* Add the files of a snapshot, each at its place.  Return the name of its folder. */
static char *
add_snapshot(struct packing *p, const char *path)
{
	struct snapshot *snapshot = snapshot_read(path, &p->err);
	struct text folder = {0};
	if (!snapshot)
		return NULL;
	make_name(p, "captures", snapshot->folder, &folder);
	size_t home = strlen(snapshot->home);
	for (size_t i = 0; i < snapshot->files.count; i++) {
		const char *file = snapshot->files.at[i], *rest = file + home + 1;
		struct text name = {0};
		if (find_member(p, file) || access(file, R_OK))
			continue;
		if (strncmp(file, snapshot->home, home) != 0 || file[home] != '/' ||
		    strstr(rest, "..")) {
			text_addf(&p->left, "not packed: %s: it is not in the snapshot's folder\n",
				  file);
			continue;
		}
		text_addf(&name, "%s/%s", folder.data, rest + 2 * !strncmp(rest, "./", 2));
		add_member(p, name.data, file);
	}
	snapshot_free(snapshot);
	return folder.data;
}

/* Implement option_take_path: pack a file that the session names. */
static void
take_path(void *packing, const struct option_row *row, char **path)
{
	if (row->is_no_path) /* captures have their names already */
		return;
	bool texts = !strcmp(row->name, "collateral");
	char *name = add_file(packing, texts ? "collateral" : "programs", *path);
	free(*path);
	*path = name;
}

/* Same for a program that a capture names. */
static void
take_program(void *packing, const struct option_row *row, char **path)
{
	(void)row;
	free(add_file(packing, "programs", *path));
}

/* --- captures ---------------------------------------------------------- */

/* Move the marks of a trace with its bytes.  Those outside of the cut get another trace, so that
 * they are reported as elsewhere. */
static void
shift_marks(struct notebook *notes, const struct trace *trace, const struct export_cut *cut)
{
	struct notebook_mark *marks = notes->marks.at;
	struct notebook_place *place = notes->has_place ? &notes->place : NULL;
	for (size_t i = 0; i < notes->marks.count; i++) {
		struct notebook_mark *mark = &marks[i];
		struct text other = {0};
		if (strcmp(mark->trace, trace_name(trace)) != 0)
			continue;
		if (mark->offset >= cut->begin && mark->offset < cut->end) {
			mark->offset -= cut->begin;
			continue;
		}
		text_addf(&other, "%s, outside of the cut", mark->trace);
		free(mark->trace);
		mark->trace = other.data;
	}
	if (place && !strcmp(place->trace, trace_name(trace))) {
		notes->has_place = place->offset >= cut->begin && place->offset < cut->end;
		place->offset -= cut->begin;
	}
}

/* Let an entry read TRACE as it was read.  The beginning of a cut may look like another format,
 * and its bytes are memory in its order. */
static void
settle_entry(const struct trace *trace, struct trace_options *entry, bool is_cut)
{
	const struct option_table *table = trace_options_table();
	const struct decoder_ops *ops = trace_decoder(trace)->ops;
	const struct option_row *row = option_find(table, ops->format);
	option_copy(table, entry, trace_options(trace));
	if (row && row->given)
		*((bool *)entry + row->given) = true;
	free(entry->format);
	entry->format = trace_is_decoded(trace) ? mem_text(decoder_name(ops)) : NULL;
	if (!entry->name)
		entry->name = mem_text(trace_name(trace));
	for (size_t i = 0; is_cut && i < table->count; i++) {
		char unused[256];
		if (table->rows[i].type == OPTION_CHOICE)
			option_set(&table->rows[i], entry, "no", unused); /* words, swap, wrapped */
	}
	entry->write_pointer = is_cut ? -1 : entry->write_pointer;
}

/* Add the cut of a trace.  Return its name, or NULL without one. */
static char *
add_cut(struct packing *p, struct trace *trace)
{
	const struct capture *capture = trace_capture(trace);
	const uint64_t size = capture_size(capture);
	struct message_id first = {0}, last = {.offset = UINT64_MAX, .ordinal = UINT32_MAX};
	struct export_cut cut;
	struct text name = {0}, note = {0};
	const double share = p->split.parts ? (double)size / (double)p->split.parts : 0;
	if (p->split.parts) {
		first.offset = (uint64_t)(share * (double)(p->split.part - 1));
		last.offset = (uint64_t)(share * (double)p->split.part) - 1;
	}
	if (!export_cut_select(trace, p->filter, &first, &last)) {
		text_addf(&p->left, "not packed: %s: no message of it is in the range\n",
			  trace_path(trace));
		return NULL;
	}
	if (export_cut_find(trace, first, last, NULL, NULL, &cut, &p->err) < 0)
		return NULL;
	char *base = mem_text(base_name(trace_path(trace)));
	base[capture_is_spooled(capture) ? foreign_plain_length(base) : strlen(base)] = '\0';
	make_name(p, "captures", base, &name);
	free(base);
	struct packed *member = add_member(p, mem_text(name.data), trace_path(trace));
	member->bytes = capture_bytes(capture) + cut.begin;
	member->size = cut.end - cut.begin;
	text_addf(&note, "cut: %llu messages, bytes %llu to %llu of %llu",
		  (unsigned long long)cut.messages, (unsigned long long)cut.begin,
		  (unsigned long long)cut.end, (unsigned long long)size);
	if (cut.begin)
		text_add(&note, "; without clocks, contexts, calls and intervals from before it");
	if (cut.ticks_differ)
		text_add(&note, "; its times begin again, as earlier turns of the counter are cut "
				"off");
	member->note = note.data;
	shift_marks(p->notes, trace, &cut);
	return name.data;
}

/* Add the capture of a trace, once, with an entry that reads it. */
static void
add_capture(struct packing *p, struct trace *trace)
{
	const struct option_table *table = trace_options_table();
	const char *path = trace_path(trace), *forced = p->cli->value[CLI_FROM];
	const struct option_list *from = &p->session->profile.traces;
	struct option_list *to = &p->profile.traces;
	bool grouped = trace_group(trace);
	char *folder = grouped ? snapshot_folder_of(path) : NULL;
	if (grouped && find_member(p, path)) {
		free(folder);
		return;
	}
	to->at = mem_resize(to->at, (to->count + 1) * table->size);
	struct trace_options *entry = (void *)((char *)to->at + to->count++ * table->size);
	const size_t own = trace_profile_entry(trace);
	if (!grouped)
		settle_entry(trace, entry, p->cuts);
	else if (folder || own == SIZE_MAX)
		option_defaults(table, entry);
	else
		option_copy(table, entry, (char *)from->at + own * table->size);
	if (grouped && !folder && forced) {
		free(entry->format);
		entry->format = mem_text(forced);
	}
	free(entry->match);
	free(entry->file);
	entry->match = NULL;
	entry->file = folder			? add_snapshot(p, folder)
		      : p->cuts && !grouped ? add_cut(p, trace)
					    : add_file(p, "captures", path);
	if (grouped && !folder) /* a perf.data names programs */
		option_each_path(table, (void *)trace_options(trace), take_program, p);
	if (p->cuts && grouped)
		text_addf(&p->left, "not cut: %s has several parts\n", folder ? folder : path);
	free(folder);
}

static int
collect_members(struct packing *p, const struct text *versions)
{
	static const char *const names[OWN_COUNT] = {CASE_SESSION, CASE_NOTES, "versions.txt"};
	const struct option_table *table = profile_options_table();
	for (size_t i = 0; i < OWN_COUNT; i++)
		vec_add(&p->members)->name = mem_text(names[i]);
	option_copy(table, &p->profile, &p->session->profile);
	for (size_t i = 0; i < p->profile.traces.count; i++) { /* they stay for what they match */
		struct trace_options *entry =
		    (void *)((char *)p->profile.traces.at + i * trace_options_table()->size);
		free(entry->file);
		entry->file = NULL;
	}
	for (size_t i = 0; i < p->session->traces.count && !p->err.code; i++)
		add_capture(p, p->session->traces.at[i]);
	option_each_path(table, &p->profile, take_path, p);
	struct packed *own = p->members.at;
	option_write_changed(table, NULL, &p->profile, 0, &own[OWN_SESSION].text);
	option_write_changed(&notebook_options_table, NULL, p->notes, 0, &own[OWN_NOTES].text);
	text_add(&own[OWN_VERSIONS].text, text_get(versions));
	for (size_t i = 0; i < OWN_COUNT; i++)
		own[i].size = own[i].text.length;
	return p->err.code;
}

/* Load everything that cuts need. */
static int
load_range(struct packing *p)
{
	struct doubts doubts = {0};
	if (!p->cuts)
		return 0;
	if (batch_load(p->session, p->cli, p->filter, &doubts) != STATUS_GOOD)
		return err_set(&p->err, ERR_DATA, "nothing is packed");
	for (size_t i = 0; i < p->session->traces.count; i++)
		trace_build_whole(p->session->traces.at[i]);
	return 0;
}

/* --- writing ----------------------------------------------------------- */

static bool
is_source(void *packing, const struct stat *st)
{
	const struct packing *p = packing;
	bool is = session_has_file(p->session, st);
	for (size_t i = OWN_COUNT; i < p->members.count && !is; i++) {
		struct stat own;
		is = !stat(p->members.at[i].path, &own) && own.st_dev == st->st_dev &&
		     own.st_ino == st->st_ino;
	}
	return is;
}

static int
write_file(struct writer *w, const struct packed *member, struct err *err)
{
	enum { PIECE = 256 * 1024 };
	const char *why;
	int failed = 0, file = file_open(member->path, &why);
	char *piece = mem_new(PIECE);
	if (file < 0)
		failed = err_set(err, ERR_IO, "%s: %s", member->path, why);
	for (uint64_t at = 0, some; !failed && at < member->size; at += some) {
		some = member->size - at < PIECE ? member->size - at : PIECE;
		failed = file_read_at(file, piece, some, at)
			     ? writer_add(w, piece, some, err)
			     : err_set(err, ERR_IO, "%s became shorter; pack it again", member->path);
	}
	if (file >= 0)
		close(file);
	free(piece);
	return failed;
}

static int
write_member(struct writer *w, const struct packed *member, struct err *err)
{
	static const uint8_t zeros[CASE_BLOCK];
	uint8_t block[CASE_BLOCK];
	case_fill_head(block, member->name, member->size);
	const void *bytes = member->path ? member->bytes : (void *)text_get(&member->text);
	int failed = writer_add(w, block, sizeof block, err);
	if (!failed)
		failed = bytes ? writer_add(w, bytes, member->size, err) : write_file(w, member, err);
	return failed ? failed : writer_add(w, zeros, case_padding(member->size), err);
}

static int
write_case(struct packing *p)
{
	static const uint8_t end[2 * CASE_BLOCK];
	const struct writer_options how = {.flags = WRITER_DURABLE |
						    (p->cli->value[CLI_FORCE] ? WRITER_FORCE : 0),
					   .mode = 0666,
					   .hint = "--force overwrites it",
					   .is_taken = is_source,
					   .context = p};
	struct packed first = {.name = (char *)CASE_LIST};
	struct case_member *members = mem_new(p->members.count * sizeof *members);
	struct case_list list = {CASE_FORM, (char *)PACKAGE_STRING, {members, p->members.count}};
	struct writer w = {0};
	for (size_t i = 0; i < p->members.count; i++) {
		const struct packed *m = &p->members.at[i];
		members[i] = (struct case_member){m->name, m->size, m->note};
	}
	option_write(&case_list_table, &list, &first.text);
	free(members);
	first.size = first.text.length;
	int failed = writer_open(&w, p->cli->value[CLI_PACK], &how, &p->err);
	if (!failed)
		failed = write_member(&w, &first, &p->err);
	for (size_t i = 0; i < p->members.count && !failed; i++)
		failed = write_member(&w, &p->members.at[i], &p->err);
	if (!failed)
		failed = writer_add(&w, end, sizeof end, &p->err);
	if (!failed)
		failed = writer_commit(&w, &p->err);
	writer_abandon(&w);
	text_free(&first.text);
	return failed;
}

static int
print_list(const struct packing *p)
{
	struct text out = {0};
	for (size_t i = 0; i < p->members.count; i++) {
		const struct packed *m = &p->members.at[i];
		text_addf(&out, "%-32s %12llu  %s%s%s\n", m->name, (unsigned long long)m->size,
			  m->path ? m->path : "made by trawl", m->note ? "; " : "",
			  m->note ? m->note : "");
	}
	text_add(&out, text_get(&p->left));
	int status = report_print(&out);
	text_free(&out);
	return status;
}

int
pack_check(const struct session *session, const struct cli *cli, struct err *err)
{
	static const enum cli_id others[] = {CLI_TO,   CLI_OUTPUT, CLI_SNAPSHOT, CLI_COMPARE,
					     CLI_INFO, CLI_CHECK,  CLI_FOLLOW,	 CLI_INDEX};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (cli->value[others[i]])
			return err_set(err, ERR_USAGE, "--pack writes a case; leave out --%s",
				       cli_rows[others[i]].name);
	for (size_t i = 0; i < session->traces.count; i++)
		if (capture_is_stream(trace_capture(session->traces.at[i])))
			return err_set(err, ERR_USAGE,
				       "%s is a stream; save it in a file first, as with :record",
				       trace_path(session->traces.at[i]));
	return 0;
}

int
pack_run(struct session *session, const struct cli *cli, const struct filter *filter,
	 struct notebook *notes, const struct text *versions)
{
	struct packing p = {.session = session, .cli = cli, .filter = filter, .notes = notes};
	p.cuts = !filter_is_all(filter) || cli->value[CLI_SPLIT];
	int status = STATUS_FAILED;
	if (output_parse_split(cli, &p.split, &p.err) || load_range(&p) ||
	    collect_members(&p, versions) || write_case(&p))
		report_error(&p.err);
	else
		status = cli->value[CLI_QUIET] ? STATUS_GOOD : print_list(&p);
	for (size_t i = 0; i < p.members.count; i++) {
		free(p.members.at[i].name);
		free(p.members.at[i].path);
		free(p.members.at[i].note);
		text_free(&p.members.at[i].text);
	}
	vec_free(&p.members);
	text_free(&p.left);
	option_release(profile_options_table(), &p.profile);
	return status;
}
