/*
 * Recognition: see recognise.h.
 *
 * Decoders are tried in the order of the registry, and the earlier one wins a tie.
 * The reason then names the others that fit as well.
 */
#include "config.h"

#include "trace/recognise.h"
#include "base/nearest.h"
#include "capture/foreign.h"
#include "capture/snapshot.h"
#include "decode/registry.h"
#include "trace/trace_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- candidates -------------------------------------------------------- */

static void
add_candidates(struct recognition *r, const struct decoder_ops *ops, const struct window *head)
{
	struct probe probes[PROBES_MAX] = {{0}};
	ops->probe(head, probes);
	for (size_t i = 0; i < PROBES_MAX; i++)
		if (probes[i].score || probes[i].plain)
			*vec_add(&r->candidates) =
			    (struct candidate){.ops = ops, .probe = probes[i]};
}

/* Sort the candidates from FIRST on into those before, by falling score. */
static void
sort_in(struct recognition *r, size_t first)
{
	for (size_t k = first; k < r->candidates.count; k++) {
		struct candidate own = r->candidates.at[k];
		size_t i = k;
		for (; i && r->candidates.at[i - 1].probe.score < own.probe.score; i--)
			r->candidates.at[i] = r->candidates.at[i - 1];
		r->candidates.at[i] = own;
	}
}

/* Add the candidates of a decoder, if it decodes FORMAT. */
static void
find_with(struct recognition *r, const struct decoder_ops *ops, const struct window *head,
	  const char *format)
{
	size_t first = r->candidates.count;
	if (!format || !strcmp(format, ops->format) || !strcmp(format, decoder_name(ops)))
		add_candidates(r, ops, head);
	sort_in(r, first);
}

void
recognition_find(struct recognition *r, const struct window *head, const char *format)
{
	vec_clear(&r->candidates);
	for (size_t i = 0; i < decoder_count; i++)
		find_with(r, decoders[i], head, format);
}

/* --- settings ---------------------------------------------------------- */

static bool
is_default(const struct option_row *row, const void *options)
{
	struct text value = {0};
	bool same = !option_get(row, options, &value) || !row->default_text ||
		    !strcmp(text_get(&value), row->default_text);
	text_free(&value);
	return same;
}

void
recognition_apply(const char *settings, const struct decoder_ops *ops,
		  struct trace_options *options, bool all)
{
	void *own = trace_format_options(options, ops);
	char name[48], value[48], unused[256];
	int length;
	for (; own && sscanf(settings, " %47[^:]: %47[^,]%n", name, value, &length) == 2;
	     settings += length + (settings[length] == ',')) {
		const struct option_row *row = option_find(ops->options, name);
		if (row && (all || is_default(row, own)))
			option_set(row, own, value, unused);
	}
}

/* --- by content -------------------------------------------------------- */

static void
take_best(struct recognition *r)
{
	const struct candidate *best = &r->candidates.at[0];
	r->ops = best->ops;
	r->score = best->probe.score;
	r->plain = best->probe.plain;
	text_add(&r->settings, best->probe.settings);
	if (r->plain)
		text_addf(&r->reason, "plain text, shown line by line: %s", best->probe.reason);
	else
		text_addf(&r->reason, "found by content: %s", best->probe.reason);
	if (r->score >= PROBE_CERTAIN)
		text_addf(&r->reason, " (confidence %d %%)", r->score);
	for (size_t i = 1; i < r->candidates.count; i++) {
		const struct candidate *other = &r->candidates.at[i];
		if (other->probe.score == r->score && other->ops != r->ops)
			text_addf(&r->reason, "; %s fits as well (%s)", decoder_name(other->ops),
				  other->probe.reason);
	}
}

/* Return the file type of bytes that are no trace, or NULL. Bytes that start like a packed
 * file but do not unpack may still be a trace. */
static const struct foreign *
find_foreign(const struct capture *capture, const struct window *head, bool certain)
{
	const struct foreign *foreign = foreign_find(head->bytes, head->length);
	bool mistaken = foreign && foreign->pack && capture_unpack_error(capture) && certain;
	return mistaken ? NULL : foreign;
}

/* Choose the best candidate, or none with a reason. */
static void
choose_candidate(struct recognition *r, const struct capture *capture, const struct window *head)
{
	const char *path = capture_path(capture);
	const struct candidate *best = r->candidates.at;
	size_t count = r->candidates.count;
	bool sure = count && best->probe.score >= PROBE_DECODE;
	bool plain = count && best->probe.plain;
	if (!head->length) {
		r->ops = decoders[0];
		text_add(&r->reason, "it is empty");
		return;
	}
	r->foreign = find_foreign(capture, head, sure && best->probe.score >= PROBE_CERTAIN);
	if (!r->foreign)
		r->folder = snapshot_folder_of(path); /* even if its bytes fit a format */
	if (!r->foreign && !r->folder && (sure || plain)) {
		take_best(r);
		return;
	}
	r->ops = &undecoded_ops;
	if (r->foreign && r->foreign->pack && capture_unpack_error(capture))
		text_addf(&r->reason, "%s that cannot be unpacked: %s", r->foreign->name,
			  capture_unpack_error(capture));
	else if (r->foreign)
		foreign_explain(r->foreign, path, &r->reason);
	else if (r->folder)
		text_addf(&r->reason, "part of a CoreSight snapshot: open its folder, %s",
			  r->folder);
	else
		text_add(&r->reason, "no format explains these bytes, so nothing was decoded");
}

/* --- by name ----------------------------------------------------------- */

/* Return the transport in the options of a format, or NULL to find it by content. */
static const char *
named_transport(const struct trace_options *options, const struct decoder_ops *ops)
{
	const struct option_row *row = ops->options ? option_find(ops->options, "transport") : NULL;
	if (!row || row->type != OPTION_CHOICE)
		return NULL;
	int choice = *(int *)((char *)trace_format_options(options, ops) + row->member);
	return choice >= 0 && strcmp(row->choices[choice], "auto") ? row->choices[choice] : NULL;
}

/* Choose the best transport for the given FORMAT, however low its score. */
static void
choose_transport(struct recognition *r, const char *format, const struct window *head)
{
	recognition_find(r, head, format);
	if (r->candidates.count) {
		take_best(r);
	} else {
		r->ops = decoder_find(format);
		r->score = 1;
		text_addf(&r->reason, "%s, as nothing shows which; name it as FORMAT/TRANSPORT",
			  r->ops->transport);
	}
}

int
recognise_capture(const struct capture *capture, const char *format,
		  const struct trace_options *options, const struct window *head,
		  struct recognition *r, struct err *err)
{
	const char *who = format ? "format given with -f" : "format given in the profile";
	const char *name = format ? format : options->format;
	r->score = 100;
	if (!name) {
		recognition_find(r, head, NULL);
		choose_candidate(r, capture, head);
		return 0;
	}
	const struct decoder_ops *ops = decoder_find(name);
	if (!ops)
		return err_set(err, ERR_USAGE, "no such format: %s%s (trawl --list-formats)", name,
			       nearest_hint(name, decoder_next_name, NULL).text);
	const char *transport = strchr(name, '/') ? NULL : named_transport(options, ops);
	r->ops = ops;
	if (transport) {
		char full[64];
		snprintf(full, sizeof full, "%s/%s", ops->format, transport);
		r->ops = decoder_find(full) ? decoder_find(full) : ops;
	} else if (!strchr(name, '/') && ops->transport) {
		text_addf(&r->reason, "%s %s; transport ", who, name);
		choose_transport(r, name, head);
		return 0;
	}
	text_addf(&r->reason, "%s, %s", decoder_name(r->ops), who);
	return 0;
}

void
recognition_free(struct recognition *r)
{
	text_free(&r->reason);
	text_free(&r->settings);
	vec_free(&r->candidates);
	free(r->folder);
	*r = (struct recognition){0};
}
