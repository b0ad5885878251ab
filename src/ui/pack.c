/*
 * Packing a case: see pack.h.
 *
 * First all members are collected, because the list of them comes first.  Equal inputs give equal
 * bytes: a case has no dates and no owners.
 */
#include "config.h"

#include "ui/pack.h"
#include "base/file.h"
#include "batch/batch.h"
#include "batch/output.h"
#include "batch/report.h"
#include "capture/case.h"
#include "capture/foreign.h"
#include "capture/live.h"
#include "capture/snapshot.h"
#include "export/export.h"
#include "export/export_raw.h"
#include "session/session.h"
#include "trace/trace_options.h"
#include "ui/notebook.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct packed {
	char *name;	      /* in the case */
	char *path;	      /* of the source, or NULL */
	const uint8_t *bytes; /* NULL: those of the source */
	uint64_t size;
};

struct packing {
	struct session *session;
	const struct cli *cli;
	const struct filter *filter;
	struct notebook *notes;
	struct export_options split;
	bool cuts;
	VEC(struct packed) members;
	struct text traces; /* entries of the session */
	struct text cut;    /* a line for each cut, also in the list */
	struct text left;   /* a line for each thing that is not packed */
	struct err err;
};

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* --- files ------------------------------------------------------------- */

/* Add a member.  Without BYTES it is the whole file PATH.  Takes NAME. */
static void
add_member(struct packing *p, char *name, const char *path, const void *bytes, uint64_t size)
{
	struct stat st;
	if (!bytes && !stat(path, &st))
		size = (uint64_t)st.st_size;
	*vec_add(&p->members) = (struct packed){name, path ? mem_text(path) : NULL, bytes, size};
}

/* Return the name in the case of a file that is packed whole, or NULL. */
static const char *
find_source(const struct packing *p, const char *path)
{
	for (size_t i = 0; i < p->members.count; i++)
		if (!p->members.at[i].bytes && !strcmp(p->members.at[i].path, path))
			return p->members.at[i].name;
	return NULL;
}

/* Set NAME to FOLDER/BASE.  If a member has that name or is in it, try FOLDER-2/BASE and so on. */
static void
make_name(const struct packing *p, const char *folder, const char *base, struct text *name)
{
	text_addf(name, "%s/%s", folder, base);
	for (size_t i = 0, times = 2; i < p->members.count; i++) {
		const char *own = p->members.at[i].name;
		if (strncmp(own, name->data, name->length) != 0 ||
		    (own[name->length] && own[name->length] != '/'))
			continue;
		text_clear(name);
		text_addf(name, "%s-%zu/%s", folder, times++, base);
		i = SIZE_MAX; /* from the first one again */
	}
}

/* Add a folder of collateral, as syst_collateral.c reads it. */
static void
add_folder(struct packing *p, const char *name, const char *path)
{
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		struct text file = {0}, own = {0};
		text_addf(&file, "%s/%s", path, entries[i]->d_name);
		text_addf(&own, "%s/%s", name, entries[i]->d_name);
		if (fnmatch("?*.xml", entries[i]->d_name, 0))
			text_free(&own);
		else
			add_member(p, own.data, file.data, NULL, 0);
		text_free(&file);
		free(entries[i]);
	}
	free(entries);
}

/* Add a file to FOLDER of the case, once.  Return its name there, for the caller to free. */
static char *
add_file(struct packing *p, const char *folder, const char *path)
{
	const char *same = find_source(p, path);
	struct stat st = {0};
	struct text name = {0};
	if (same)
		return mem_text(same);
	make_name(p, folder, base_name(path), &name);
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		add_folder(p, name.data, path);
	else if (S_ISREG(st.st_mode))
		add_member(p, mem_text(name.data), path, NULL, 0);
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
	const size_t home = strlen(snapshot->home);
	for (size_t i = 0; i < snapshot->files.count; i++) {
		const char *file = snapshot->files.at[i], *rest = file + home + 1;
		struct text name = {0};
		if (strncmp(file, snapshot->home, home) != 0 || strstr(file + home, "..")) {
			text_addf(&p->left, "not packed: %s is not in the snapshot's folder\n",
				  file);
		} else if (!find_source(p, file) && !access(file, R_OK)) {
			text_addf(&name, "%s/%s", folder.data, rest + 2 * !strncmp(rest, "./", 2));
			add_member(p, name.data, file, NULL, 0);
		}
	}
	snapshot_free(snapshot);
	return folder.data;
}

/* Implement option_take_path: add a file that the session names.  Captures have names already. */
static void
take_path(void *packing, const struct option_row *row, char **path)
{
	if (row->is_no_path)
		return;
	bool texts = !strcmp(row->name, "collateral");
	char *name = add_file(packing, texts ? "collateral" : "programs", *path);
	free(*path);
	*path = name;
}

/* --- captures ---------------------------------------------------------- */

/* Move the marks of a trace with its bytes.  Those outside of the cut get another trace, so they
 * are reported as elsewhere. */
static void
shift_marks(struct notebook *notes, const struct trace *trace, const struct export_cut *cut)
{
	struct notebook_mark *mark = notes->marks.at, *end = mark + notes->marks.count;
	struct notebook_place *place = &notes->place;
	for (; mark < end; mark++) {
		bool own = !strcmp(mark->trace, trace_name(trace));
		struct text other = {0};
		if (own && mark->offset >= cut->begin && mark->offset < cut->end) {
			mark->offset -= cut->begin;
		} else if (own) {
			text_addf(&other, "%s, outside of the cut", mark->trace);
			free(mark->trace);
			mark->trace = other.data;
		}
	}
	if (notes->has_place && !strcmp(place->trace, trace_name(trace))) {
		notes->has_place = place->offset >= cut->begin && place->offset < cut->end;
		place->offset -= cut->begin;
	}
}

/* Add the cut of a trace.  Return its name, or NULL if there is none. */
static char *
add_cut(struct packing *p, struct trace *trace, struct trace_options *options)
{
	static const char *const dump[] = {"words", "swap", "wrapped"};
	const struct capture *capture = trace_capture(trace);
	const char *path = trace_path(trace);
	const uint64_t size = capture_size(capture), parts = p->split.parts, k = p->split.part;
	struct message_id first = {0}, last = {.offset = UINT64_MAX, .ordinal = UINT32_MAX};
	struct export_cut cut;
	struct text name = {0};
	struct err why = {0};
	if (parts) /* without the product of both sizes, which may be too large */
		first.offset = size / parts * (k - 1) + size % parts * (k - 1) / parts;
	if (k < parts) {
		last.offset = size / parts * k + size % parts * k / parts;
		last.offset -= last.offset > 0;
	}
	if (!export_cut_select(trace, p->filter, &first, &last)) {
		text_addf(&p->left, "not packed: %s: no message of it is in the range\n", path);
		return NULL;
	}
	if (export_cut_find(trace, first, last, NULL, NULL, &cut, &why) < 0) {
		text_addf(&p->cut, "%s is not cut: %s\n", base_name(path), why.what);
		return add_file(p, "captures", path);
	}
	for (size_t i = 0; i < sizeof dump / sizeof *dump; i++) /* a cut is plain memory */
		option_set(option_find(trace_options_table(), dump[i]), options, "no",
			   (char[256]){0});
	options->write_pointer = -1;
	char *base = mem_text(base_name(path));
	base[capture_is_spooled(capture) ? foreign_plain_length(base) : strlen(base)] = '\0';
	make_name(p, "captures", base, &name);
	free(base);
	add_member(p, mem_text(name.data), path, capture_bytes(capture) + cut.begin,
		   cut.end - cut.begin);
	text_addf(
	    &p->cut, "%s is cut for %llu message%s: bytes %llu to %llu of %llu%s%s\n", name.data,
	    (unsigned long long)cut.messages, cut.messages == 1 ? "" : "s",
	    (unsigned long long)cut.begin, (unsigned long long)cut.end, (unsigned long long)size,
	    cut.begin ? "; clocks, contexts, calls and intervals that began before are lost" : "",
	    cut.ticks_differ ? "; times are earlier, as turns of the counter are lost" : "");
	shift_marks(p->notes, trace, &cut);
	return name.data;
}

/* Append an entry for a trace, and add its files.  The traces of a snapshot or a perf.data have one
 * capture. */
static void
add_trace(struct packing *p, struct trace *trace)
{
	const struct option_table *table = trace_options_table();
	const char *path = trace_path(trace);
	const bool grouped = trace_group(trace);
	struct trace_options *options = mem_new(table->size);
	char *name = NULL, *folder = grouped ? snapshot_folder_of(path) : NULL;
	option_copy(table, options, trace_options(trace));
	if (!grouped || !find_source(p, path))
		name = folder		     ? add_snapshot(p, folder)
		       : p->cuts && !grouped ? add_cut(p, trace, options)
					     : add_file(p, "captures", path);
	if (grouped && name) {
		text_add(&p->traces, "  - file: ");
		option_quote(name, &p->traces);
		text_add_char(&p->traces, '\n');
		if (p->cuts)
			text_addf(&p->cut, "%s is not cut: it has several parts\n", name);
		free(name);
		name = NULL;
	}
	free(options->file);
	options->file = name;
	if (grouped || name) {
		option_each_path(table, options, take_path, p);
		trace_propose(trace, options, false, &p->traces);
	}
	trace_options_free(options);
	free(folder);
}

/* Collect all files, and write the session that names them. */
static int
collect_members(struct packing *p, struct text *session)
{
	const struct option_table *table = profile_options_table();
	struct profile *profile = mem_new(table->size);
	struct doubts doubts = {0};
	const size_t traces = p->session->traces.count;
	if (p->cuts && batch_load(p->session, p->cli, p->filter, &doubts) != STATUS_GOOD)
		err_set(&p->err, ERR_DATA, "nothing is packed");
	for (size_t i = 0; p->cuts && i < traces && !p->err.code; i++)
		trace_build_whole(p->session->traces.at[i]);
	for (size_t i = 0; i < traces && !p->err.code; i++)
		add_trace(p, p->session->traces.at[i]);
	if (!p->err.code && !p->traces.length)
		err_set(&p->err, ERR_USAGE, "no message is in the range; nothing is packed");
	option_copy(table, profile, &p->session->profile);
	option_release_list(option_find(table, "traces"), &profile->traces);
	option_each_path(table, profile, take_path, p);
	text_addf(session, "traces:\n%s", text_get(&p->traces));
	option_write_changed(table, NULL, profile, 0, session);
	option_release(table, profile);
	free(profile);
	return p->err.code;
}

/* --- writing ----------------------------------------------------------- */

static int
write_member(struct writer *w, const struct packed *m, struct err *err)
{
	static const uint8_t zeros[CASE_BLOCK];
	uint8_t block[CASE_BLOCK];
	const char *why;
	int file = m->bytes ? -1 : file_open(m->path, &why), failed;
	if (!m->bytes && file < 0)
		return err_set(err, ERR_IO, "%s: %s", m->path, why);
	failed = !case_fill_head(block, m->name, m->size)
		     ? err_set(err, ERR_USAGE,
			       "%s cannot be packed as %s; use a name of at most %d bytes, UTF-8 "
			       "without control characters",
			       m->path, m->name, CASE_NAME_MAX)
		     : writer_add(w, block, sizeof block, err);
	if (!failed)
		failed = m->bytes ? writer_add(w, m->bytes, m->size, err)
				  : case_copy(w, file, m->path, 0, m->size, err);
	if (file >= 0)
		close(file);
	return failed ? failed : writer_add(w, zeros, case_padding(m->size), err);
}

static int
write_members(struct packing *p)
{
	static const uint8_t end[2 * CASE_BLOCK];
	const struct writer_options how = {.flags = WRITER_DURABLE |
						    (p->cli->value[CLI_FORCE] ? WRITER_FORCE : 0),
					   .mode = 0666,
					   .hint = "--force overwrites it",
					   .is_taken = session_has_file,
					   .context = p->session};
	struct writer w = {0};
	int failed = writer_open(&w, p->cli->value[CLI_PACK], &how, &p->err);
	for (size_t i = 0; i < p->members.count && !failed; i++)
		failed = write_member(&w, &p->members.at[i], &p->err);
	if (!failed)
		failed = writer_add(&w, end, sizeof end, &p->err);
	if (!failed)
		failed = writer_commit(&w, &p->err);
	writer_abandon(&w);
	return failed;
}

/* Write the case: the list, the session and its notes, then the files. */
static int
write_case(struct packing *p, const struct text *session, const struct text *versions)
{
	struct text notes = {0}, list = {0}, out = {0};
	text_add(&notes, "# Marks, notes and filters.\n");
	option_write_changed(&notebook_options_table, NULL, p->notes, 0, &notes);
	add_member(p, mem_text(CASE_SESSION), NULL, session->data, session->length);
	add_member(p, mem_text(CASE_NOTES), NULL, notes.data, notes.length);
	text_add(&list, CASE_MARK);
	for (size_t i = 0; i < p->members.count; i++) {
		const struct packed *m = &p->members.at[i];
		text_addf(&out, "%12llu  %-32s  %s\n", (unsigned long long)m->size, m->name,
			  m->path ? m->path : "made by trawl");
		text_addf(&list, "%12llu  %s\n", (unsigned long long)m->size, m->name);
	}
	text_addf(&out, "%s%s", text_get(&p->cut), text_get(&p->left));
	text_addf(&list, "\n%s%s", text_get(&p->cut), text_get(versions));
	vec_reserve(&p->members, 1);
	memmove(p->members.at + 1, p->members.at, p->members.count++ * sizeof *p->members.at);
	*p->members.at = (struct packed){mem_text(CASE_LIST), NULL, (void *)list.data, list.length};
	int failed = write_members(p);
	if (!failed && !p->cli->value[CLI_QUIET])
		failed = report_print(&out);
	text_free(&notes);
	text_free(&list);
	text_free(&out);
	return failed;
}

int
pack_check(const struct session *session, const struct cli *cli, struct err *err)
{
	static const enum cli_id others[] = {CLI_TO,	  CLI_OUTPUT, CLI_SNAPSHOT,
					     CLI_COMPARE, CLI_INFO,   CLI_CHECK,
					     CLI_FOLLOW,  CLI_INDEX,  CLI_CONTEXT};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (cli->value[others[i]])
			return err_set(err, ERR_USAGE, "--pack writes a case; leave out --%s",
				       cli_rows[others[i]].name);
	const char *stream = NULL;
	for (size_t i = 0; i < cli->files.count; i++)
		if (!strcmp(cli->files.at[i], "-") || live_is_named(cli->files.at[i]))
			stream = cli->files.at[i];
	for (size_t i = 0; i < session->traces.count; i++)
		if (capture_is_stream(trace_capture(session->traces.at[i])))
			stream = trace_path(session->traces.at[i]);
	return !stream
		   ? 0
		   : err_set(err, ERR_USAGE,
			     "%s is a stream; save it in a file first, as with :record", stream);
}

int
pack_run(struct session *session, const struct cli *cli, const struct filter *filter,
	 struct notebook *notes, const struct text *versions)
{
	struct packing p = {.session = session, .cli = cli, .filter = filter, .notes = notes};
	p.cuts = !filter_is_all(filter) || cli->value[CLI_SPLIT];
	struct text yaml = {0};
	bool failed = output_parse_split(cli, &p.split, &p.err) || collect_members(&p, &yaml) ||
		      write_case(&p, &yaml, versions);
	for (size_t i = 0; i < p.members.count; i++) {
		free(p.members.at[i].name);
		free(p.members.at[i].path);
	}
	vec_free(&p.members);
	text_free(&p.cut);
	text_free(&p.left);
	text_free(&p.traces);
	text_free(&yaml);
	return p.err.code ? report_error(&p.err) : failed ? STATUS_FAILED : STATUS_GOOD;
}
