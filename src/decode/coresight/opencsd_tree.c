/* Decode one source with the library or itm.c.  See opencsd_tree.h. */
#include "config.h"

#include "decode/coresight/opencsd_tree.h"

#include "decode/coresight/itm.h"
#include "decode/coresight/opencsd_library.h"

#include <stdlib.h>

struct opencsd_tree {
	const struct opencsd_source *source;
	struct opencsd_tree_sink sink;
	bool whole;			 /* the first byte of the trace is next, or came */
	struct opencsd_library *library; /* NULL: use `itm` */
	struct itm itm;
};

/* Correct the reason: a reused decoder reports a reset, but the trace begins. */
static void
take_unsync(struct opencsd_tree *tree, struct opencsd_element *e)
{
	if (tree->whole && e->reason == OPENCSD_UNSYNC_RESET)
		e->reason = OPENCSD_UNSYNC_INIT;
	tree->whole = false;
}

/* Pass an element on.  Most need no change. */
static void
on_element(void *context, const struct opencsd_element *in)
{
	struct opencsd_tree *tree = context;
	const uint8_t id = tree->source->id;
	if (in->type != OPENCSD_NO_SYNC && in->id == id) {
		tree->sink.element(tree->sink.context, in);
		return;
	}
	struct opencsd_element e = *in;
	e.id = id;
	if (e.type == OPENCSD_NO_SYNC)
		take_unsync(tree, &e);
	tree->sink.element(tree->sink.context, &e);
}

static void
on_packet(void *context, uint64_t index, const uint8_t *bytes, size_t length, const void *packet)
{
	struct opencsd_tree *tree = context;
	tree->sink.packet(tree->sink.context, index, bytes, length, packet);
}

static void
on_itm_packet(void *context, uint64_t index, const uint8_t *bytes, size_t length, const char *text)
{
	on_packet(context, index, bytes, length, &text);
}

struct opencsd_tree *
opencsd_tree_new(const struct opencsd_source *source, const struct opencsd_tree_sink *sink,
		 struct err *err)
{
	struct opencsd_tree *tree = mem_new(sizeof *tree);
	const struct opencsd_tree_sink own = {tree, on_element, on_packet};
	tree->source = source;
	tree->sink = *sink;
	tree->whole = true;
	itm_start(&tree->itm, true);
	if (source->options->protocol == OPENCSD_ITM)
		return tree;
	tree->library = opencsd_library_new(source, &own, err);
	if (tree->library)
		return tree;
	free(tree);
	return NULL;
}

void
opencsd_tree_free(struct opencsd_tree *tree)
{
	if (tree)
		opencsd_library_free(tree->library);
	free(tree);
}

void
opencsd_tree_reset(struct opencsd_tree *tree, bool whole)
{
	tree->whole = whole;
	itm_start(&tree->itm, whole);
	if (tree->library)
		opencsd_library_reset(tree->library);
}

size_t
opencsd_tree_feed(struct opencsd_tree *tree, uint64_t index, const uint8_t *bytes, size_t length,
		  int *fatal)
{
	if (tree->library)
		return opencsd_library_feed(tree->library, index, bytes, length, fatal);
	const struct itm_sink sink = {tree, on_element, on_itm_packet};
	itm_feed(&tree->itm, index, bytes, length, &sink);
	*fatal = 0;
	return length;
}

void
opencsd_tree_end(struct opencsd_tree *tree)
{
	const struct itm_sink sink = {tree, on_element, on_itm_packet};
	if (tree->library)
		opencsd_library_end(tree->library);
	else
		itm_end(&tree->itm, &sink);
}

const char *
opencsd_fatal_text(int fatal)
{
	return opencsd_library_fatal(fatal);
}

size_t
opencsd_packet_size(enum opencsd_protocol protocol)
{
	return protocol == OPENCSD_ITM ? sizeof(char *) : opencsd_library_packet_size(protocol);
}

void
opencsd_packet_text(enum opencsd_protocol protocol, const void *packet, struct text *out)
{
	if (protocol == OPENCSD_ITM)
		text_add(out, *(const char *const *)packet);
	else
		opencsd_library_packet_text(protocol, packet, out);
}
