/*
 * The bytes of the selected message and around it. While the code pane has the cursor, the bytes
 * of the program at the instruction under its cursor.
 *
 * Rows are aligned to their width. Each nibble has its own role, as fields of some transports
 * start within a byte. Roles separate the message, the field under the detail pane's cursor,
 * and other messages; scattered messages interleave.
 */
#include "config.h"

#include "ui/list/list.h"
#include "ui/list/search.h"
#include "ui/list/selection.h"
#include "ui/panes/pane.h"
#include "ui/panes/pane_code.h"
#include "ui/panes/pane_detail.h"
#include "ui/screen/screen.h"

#include <string.h>

enum {
	NARROWEST = 8,
	NARROW = 16,
	WIDE = 32,
	NARROW_COLUMNS = 12 + NARROW * 3, /* least width for NARROW bytes in a row */
	WIDE_COLUMNS = 12 + WIDE * 4 + 4, /* least width for WIDE bytes in a row */
	ADDRESS_DIGITS = 8,
	MATCH_BEFORE = 256 /* bytes above the first row where a match may begin */
};

struct hex_state {
	struct message_id of; /* the message for `top` */
	uint64_t top;	      /* offset of the first row */
	uint64_t per_row;     /* bytes */
	int rows;
	const struct field_row *field; /* the field last scrolled into view */
	VEC(uint8_t) roles;	       /* of the visible nibbles, low one of each byte first */
};

static struct hex_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_HEX];
}

static void
hex_close(void *context)
{
	struct hex_state *state = context;
	vec_free(&state->roles);
}

/* --- roles of nibbles -------------------------------------------------- */

/* The visible nibbles [from, from + count) of the capture. */
struct nibbles {
	uint64_t from, count;
	uint8_t *roles;
	enum role role;
};

static void
paint_bits(void *context, uint64_t bit, uint32_t bits)
{
	const struct nibbles *n = context;
	uint64_t begin = bit / 4, end = (bit + bits + 3) / 4;
	begin = begin > n->from ? begin : n->from;
	end = end < n->from + n->count ? end : n->from + n->count;
	for (uint64_t i = begin; i < end; i++)
		n->roles[i - n->from] = (uint8_t)n->role;
}

static void
paint_message(struct nibbles *n, const struct selection *selection)
{
	const struct message *m = &selection->message;
	const struct expansion *e = &selection->expansion;
	n->role = ROLE_BYTES;
	if (!(m->flags & MESSAGE_SCATTERED)) {
		paint_bits(n, m->offset * 8,
			   m->length < UINT32_MAX / 8 ? m->length * 8 : UINT32_MAX);
		return;
	}
	for (size_t i = 0; i < e->fields.count; i++)
		if (e->fields.at[i].place == FIELD_CAPTURE)
			paint_bits(n, e->fields.at[i].bit, e->fields.at[i].bits);
	for (size_t i = 0; i < e->extents.count; i++) {
		const struct extent *x = &e->extents.at[i];
		paint_bits(n, x->capture_bit, x->form == EXTENT_HEX ? 2 * x->bits : x->bits);
	}
}

/* Paint the matches of a byte search, even those that begin above the first row. */
static void
paint_matches(struct screen *screen, struct nibbles *n)
{
	struct search *search = screen->search;
	struct window w = reader_window(screen->list->reader);
	uint64_t first = n->from / 2, until = first + n->count / 2;
	size_t start, end;
	if (!search->highlight || !search->bytes)
		return;
	uint64_t size = w.offset + w.length;
	first = first > w.offset + MATCH_BEFORE ? first - MATCH_BEFORE : w.offset;
	until = until < size ? until : size;
	n->role = ROLE_MATCH;
	for (size_t at = 0; first + at < until;) {
		if (!regex_find(search->regex, (const char *)w.bytes + (first - w.offset),
				(size_t)(until - first), at, &start, &end))
			break;
		paint_bits(n, (first + start) * 8, (uint32_t)(end - start) * 8);
		at = end;
	}
}

static uint8_t *
make_roles(struct screen *screen, const struct selection *selection, uint64_t bytes)
{
	struct hex_state *state = state_of(screen);
	const struct field *field = screen->open[PANE_DETAIL] ? detail_field(screen) : NULL;
	vec_clear(&state->roles);
	vec_reserve(&state->roles, bytes * 2);
	struct nibbles n = {.from = state->top * 2, .count = bytes * 2, .roles = state->roles.at};
	memset(n.roles, selection ? ROLE_BYTES_OTHER : ROLE_BYTES, n.count);
	if (selection)
		paint_message(&n, selection);
	paint_matches(screen, &n);
	n.role = ROLE_BYTES_FIELD;
	if (field && selection)
		expansion_locate(&selection->expansion, field, paint_bits, &n);
	return n.roles;
}

/* --- scrolling --------------------------------------------------------- */

static void
find_first(void *context, uint64_t bit, uint32_t bits)
{
	uint64_t *first = context;
	(void)bits;
	if (bit / 8 < *first)
		*first = bit / 8;
}

static uint64_t
row_start(const struct hex_state *state, uint64_t offset)
{
	return offset - offset % state->per_row;
}

/* Scroll to the start of a new message, or to a new field outside the pane. */
static void
follow_selection(struct screen *screen, const struct selection *selection)
{
	struct hex_state *state = state_of(screen);
	const struct field *field = screen->open[PANE_DETAIL] ? detail_field(screen) : NULL;
	if (message_id_compare(state->of, selection->id)) {
		state->of = selection->id;
		state->field = NULL;
		state->top = row_start(state, selection->message.offset);
	}
	if (!field || field->row == state->field)
		return;
	state->field = field->row;
	uint64_t first = UINT64_MAX;
	expansion_locate(&selection->expansion, field, find_first, &first);
	uint64_t end = state->top + state->per_row * (uint64_t)state->rows;
	if (first != UINT64_MAX && (first < state->top || first >= end))
		state->top = row_start(state, first);
}

/* --- drawing ----------------------------------------------------------- */

/* Draw the bytes [FROM, COUNT) of a row. */
static void
draw_row(struct canvas *canvas, const struct area *area, int y, uint64_t offset,
	 const uint8_t *bytes, size_t from, size_t count, size_t per_row, const uint8_t *roles)
{
	static const char digits[] = "0123456789abcdef";
	int x = canvas_putf(canvas, area, y, 1, ROLE_NOTE, "%0*llx  ", ADDRESS_DIGITS,
			    (unsigned long long)offset);
	int text = x + (int)(3 * per_row + (per_row - 1) / 8) + 1;
	for (size_t i = from; i < count; i++) {
		char shown = bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '.';
		int hex = x + (int)(3 * i + i / 8);
		canvas_put(canvas, area, y, hex, (enum role)roles[2 * i + 1],
			   &digits[bytes[i] >> 4], 1);
		canvas_put(canvas, area, y, hex + 1, (enum role)roles[2 * i],
			   &digits[bytes[i] & 15], 1);
		if (text + (int)per_row <= area->cols)
			canvas_put(canvas, area, y, text + (int)i, (enum role)roles[2 * i], &shown,
				   1);
	}
}

static uint64_t
bytes_per_row(int cols)
{
	return cols >= WIDE_COLUMNS ? WIDE : cols >= NARROW_COLUMNS ? NARROW : NARROWEST;
}

/* Draw the known bytes of a program in a row. */
static void
draw_code_row(const struct code_place *place, struct canvas *canvas, const struct area *area, int y,
	      uint64_t at, uint64_t per_row)
{
	uint8_t bytes[WIDE], roles[2 * WIDE];
	size_t from = 0, count = 0, left;
	const char *file;
	for (size_t i = 0; i < per_row; i++) {
		const uint8_t *byte =
		    flow_code_bytes(place->code, place->space, at + i, &left, &file);
		bool here = at + i - place->address < place->length;
		if (!byte && count)
			break;
		from += !byte;
		count = byte ? i + 1 : 0;
		bytes[i] = byte ? *byte : 0;
		roles[2 * i] = roles[2 * i + 1] = here ? ROLE_BYTES : ROLE_BYTES_OTHER;
	}
	if (count)
		draw_row(canvas, area, y, at, bytes, from, count, (size_t)per_row, roles);
}

/* Draw the program with the instruction in the middle row. */
static void
draw_code(const struct code_place *place, struct canvas *canvas, const struct area *area)
{
	int more = place->address > UINT32_MAX ? ADDRESS_DIGITS : 0;
	uint64_t per_row = bytes_per_row(area->cols - more);
	uint64_t before = per_row * (uint64_t)(area->rows / 2);
	uint64_t top = place->address - place->address % per_row;
	top = top > before ? top - before : 0;
	for (int y = 0; y < area->rows; y++)
		draw_code_row(place, canvas, area, y, top + per_row * (uint64_t)y, per_row);
}

static void
hex_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct hex_state *state = state_of(screen);
	const struct selection *selection = selection_get(screen);
	uint64_t per_row = bytes_per_row(area->cols);
	struct code_place place;
	if (code_find_place(screen, &place)) {
		draw_code(&place, canvas, area);
		return;
	}
	if (!selection && trace_is_decoded(screen->list->trace)) {
		canvas_puts(canvas, area, 0, 0, ROLE_ABSENT, "no message");
		return;
	}
	state->rows = area->rows;
	if (per_row != state->per_row) {
		state->per_row = per_row;
		state->top = row_start(state, state->top);
	}
	if (selection)
		follow_selection(screen, selection);
	uint64_t bytes = per_row * (uint64_t)area->rows;
	const uint8_t *roles = make_roles(screen, selection, bytes);
	struct window w = reader_window(screen->list->reader);
	for (int y = 0; y < area->rows; y++) {
		uint64_t at = state->top + per_row * (uint64_t)y;
		if (at < w.offset) /* dropped */
			continue;
		uint64_t left = w.offset + w.length - at;
		if (at >= w.offset + w.length)
			break;
		size_t count = left < per_row ? (size_t)left : (size_t)per_row;
		draw_row(canvas, area, y, at, w.bytes + (at - w.offset), 0, count, (size_t)per_row,
			 roles + 2 * per_row * (uint64_t)y);
	}
}

static void
add_code_title(const struct code_place *place, struct text *out)
{
	const char *file;
	size_t left;
	flow_code_bytes(place->code, place->space, place->address, &left, &file);
	text_addf(out, "bytes of %s 0x%llx %u B", file ? file : "memory dump",
		  (unsigned long long)place->address, place->length);
}

static void
hex_title(struct screen *screen, struct text *out)
{
	const struct selection *selection = selection_get(screen);
	struct code_place place;
	if (code_find_place(screen, &place)) {
		add_code_title(&place, out);
		return;
	}
	text_add(out, "bytes");
	if (!selection) {
		if (!trace_is_decoded(screen->list->trace))
			text_addf(
			    out, " 0x%llx of 0x%llx", (unsigned long long)state_of(screen)->top,
			    (unsigned long long)capture_size(trace_capture(screen->list->trace)));
		return;
	}
	const struct message *m = &selection->message;
	text_addf(out, " 0x%llx %u B", (unsigned long long)m->offset, m->length);
	if (m->flags & MESSAGE_SCATTERED && selection->expansion.extents.count > 1)
		text_addf(out, " in %zu parts", selection->expansion.extents.count);
}

/* --- commands ---------------------------------------------------------- */

/* Scroll by rows within the capture. */
static void
hex_scroll(struct screen *screen, int64_t rows)
{
	struct hex_state *state = state_of(screen);
	uint64_t size = capture_size(trace_capture(screen->list->trace));
	if (!state->per_row || !size)
		return;
	uint64_t last = row_start(state, size - 1) / state->per_row;
	uint64_t row = state->top / state->per_row;
	uint64_t step = (uint64_t)(rows < 0 ? -rows : rows);
	if (rows < 0)
		row = row > step ? row - step : 0;
	else
		row = last - row > step ? row + step : last;
	state->top = row * state->per_row;
}

void
hex_move(struct screen *screen, const struct command_call *call)
{
	hex_scroll(screen, pane_step(call, state_of(screen)->rows));
}

static void
hex_go_to_end(struct screen *screen, const struct command_call *call)
{
	bool end = call->id == COMMAND_END;
	hex_scroll(screen, end ? INT64_MAX : -INT64_MAX);
	if (end) /* a whole screen of bytes */
		hex_scroll(screen, 1 - state_of(screen)->rows);
}

static pane_command *const hex_commands[COMMAND_COUNT] = {
    [COMMAND_DOWN] = hex_move,	      [COMMAND_UP] = hex_move,
    [COMMAND_PAGE_DOWN] = hex_move,   [COMMAND_PAGE_UP] = hex_move,
    [COMMAND_HALF_DOWN] = hex_move,   [COMMAND_HALF_UP] = hex_move,
    [COMMAND_SCROLL_DOWN] = hex_move, [COMMAND_SCROLL_UP] = hex_move,
    [COMMAND_TOP] = hex_go_to_end,    [COMMAND_END] = hex_go_to_end,
};

const struct pane_ops pane_hex = {
    .name = "hex",
    .scope = SCOPE_HEX,
    .state_size = sizeof(struct hex_state),
    .close = hex_close,
    .title = hex_title,
    .keys = {{COMMAND_HEX, .word = "close"}},
    .draw = hex_draw,
    .commands = hex_commands,
};
