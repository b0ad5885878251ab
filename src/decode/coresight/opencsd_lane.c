/*
 * Decode one source of a capture: see opencsd_lane.h.
 *
 * Restarting.  A decoder that starts in the middle synchronises at a synchronisation packet.  Its
 * state is then complete, or will be within the next few packets.  From the next synchronisation
 * packet on, it gives the same elements as a decoder that started at the first byte.  This was
 * tried on all protocols.
 *
 * The lane finds these packets itself, by a pattern of bytes that occurs nowhere else.  The frame
 * with the first byte of the pattern must also name the source.  So the lane keeps the offset from
 * which the source is known.
 */
#include "config.h"

#include "decode/coresight/opencsd_lane.h"

#include <string.h>

static void on_element(void *, const struct opencsd_element *);
static void on_packet(void *, uint64_t, const uint8_t *, size_t, const void *);

void
opencsd_lane_init(struct opencsd_lane *lane, const struct opencsd_source *source,
		  enum coresight_format format, const struct opencsd_lane_sink *sink)
{
	memset(lane, 0, sizeof *lane);
	lane->source = source;
	lane->format = format;
	lane->sink = *sink;
	opencsd_lane_start(lane, OPENCSD_SINCE_START);
}

void
opencsd_lane_free(struct opencsd_lane *lane)
{
	opencsd_tree_free(lane->tree);
	stp_open_free(&lane->open);
	memset(lane, 0, sizeof *lane);
}

void
opencsd_lane_start(struct opencsd_lane *lane, enum opencsd_since since)
{
	const struct opencsd_tree_sink sink = {lane, on_element, on_packet};
	stp_open_clear(&lane->open);
	lane->sync_count = lane->run_count = 0;
	lane->pattern = 0;
	lane->index = UINT64_MAX;
	lane->first = lane->first_anchor = lane->last_anchor = UINT64_MAX;
	lane->since = since;
	memset(lane->packets, 0, sizeof lane->packets);
	if (!lane->tree)
		lane->tree = opencsd_tree_new(lane->source, &sink, NULL);
	if (lane->tree)
		opencsd_tree_reset(lane->tree, since == OPENCSD_SINCE_START);
}

/* --- synchronisation --------------------------------------------------- */

static void
add_sync(struct opencsd_lane *lane, uint64_t start, uint64_t here)
{
	struct opencsd_sync *last =
	    &lane->syncs[(lane->sync_count + OPENCSD_SYNCS - 1) % OPENCSD_SYNCS];
	struct opencsd_sync sync = {.start = start, .exact = UINT64_MAX};
	if (lane->sync_count) {
		if (last->start / OPENCSD_SYNC_SPACING == start / OPENCSD_SYNC_SPACING)
			return;
		if (last->exact == UINT64_MAX)
			last->exact = here;
	} else if (lane->since != OPENCSD_SINCE_ANYWHERE) {
		sync.exact = here; /* no earlier one could be missed */
	}
	lane->syncs[lane->sync_count++ % OPENCSD_SYNCS] = sync;
}

/* Find at least LEAST zero bytes and 0x80: ETMv4 and ETE 11, ETMv3 and PTM 5 [OpenCSD 1.3.3,
 * second hand: its decoders over its own snapshots], ITM 5 [ARMv7-M, D4]. */
static void
scan_zeros(struct opencsd_lane *lane, uint8_t byte, uint64_t offset, uint64_t anchor,
	   unsigned least)
{
	if (!byte) {
		if (!lane->pattern++)
			lane->pattern_start = anchor;
		return;
	}
	if (byte == 0x80 && lane->pattern >= least)
		add_sync(lane, lane->pattern_start, offset);
	lane->pattern = 0;
}

/* Find at least 21 nibbles F and a 0, low nibble of each byte first: STM [STP 2, ASYNC, second
 * hand: OpenCSD]. */
static void
scan_nibbles(struct opencsd_lane *lane, uint8_t byte, uint64_t offset, uint64_t anchor)
{
	for (unsigned i = 0; i < 2; i++, byte >>= 4) {
		if ((byte & 15) == 15) {
			if (!lane->pattern++)
				lane->pattern_start = anchor;
			continue;
		}
		if (!(byte & 15) && lane->pattern >= 21)
			add_sync(lane, lane->pattern_start, offset);
		lane->pattern = 0;
	}
}

static void
opencsd_lane_scan(struct opencsd_lane *lane, uint8_t byte, uint64_t offset, uint64_t anchor)
{
	static const uint8_t zeros[OPENCSD_PROTOCOLS] = {
	    [OPENCSD_ETMV3] = 5, [OPENCSD_PTM] = 5, [OPENCSD_ETMV4I] = 11,
	    [OPENCSD_ETE] = 11,	 [OPENCSD_ITM] = 5,
	};
	unsigned least = zeros[lane->source->options->protocol];
	if (least)
		scan_zeros(lane, byte, offset, anchor, least);
	else
		scan_nibbles(lane, byte, offset, anchor);
}

/* Return the restart for AT if no synchronisation came before it: the start of the bytes that may
 * become one. */
static struct opencsd_restart
restart_unsynced(const struct opencsd_lane *lane, uint64_t at)
{
	struct opencsd_restart r = {lane->last_anchor, OPENCSD_SINCE_UNSYNCED};
	if (lane->first >= at)
		return (struct opencsd_restart){lane->first_anchor, lane->since};
	if (lane->sync_count && lane->syncs[0].start < r.offset)
		r.offset = lane->syncs[0].start;
	if (lane->pattern && lane->pattern_start < r.offset)
		r.offset = lane->pattern_start;
	return r;
}

struct opencsd_restart
opencsd_lane_restart(const struct opencsd_lane *lane, uint64_t at)
{
	uint64_t kept = lane->sync_count < OPENCSD_SYNCS ? lane->sync_count : OPENCSD_SYNCS;
	for (uint64_t i = 1; i <= kept; i++) {
		const struct opencsd_sync *sync =
		    &lane->syncs[(lane->sync_count - i) % OPENCSD_SYNCS];
		if (sync->exact <= at)
			return (struct opencsd_restart){sync->start, OPENCSD_SINCE_SYNC};
	}
	if (lane->sync_count < OPENCSD_SYNCS && lane->since <= OPENCSD_SINCE_UNSYNCED)
		return restart_unsynced(lane, at);
	return (struct opencsd_restart){0, OPENCSD_SINCE_START};
}

/* --- extents ----------------------------------------------------------- */

static void
add_run(struct opencsd_lane *lane, uint64_t index, size_t count)
{
	size_t at = lane->run_count++ % OPENCSD_RUNS;
	lane->runs[at].index = index;
	lane->runs[at].count = (uint32_t)count;
}

/* Return the index of the last of LENGTH source bytes from INDEX on.  Everything before the
 * recorded runs counts as one byte. */
static uint64_t
last_index(const struct opencsd_lane *lane, uint64_t index, size_t length)
{
	uint64_t kept = lane->run_count < OPENCSD_RUNS ? lane->run_count : OPENCSD_RUNS;
	uint64_t n = lane->run_count - 1;
	while (n > lane->run_count - kept && lane->runs[n % OPENCSD_RUNS].index > index)
		n--;
	uint64_t first = index;
	for (; n < lane->run_count; n++) {
		uint64_t start = lane->runs[n % OPENCSD_RUNS].index;
		uint64_t end = start + lane->runs[n % OPENCSD_RUNS].count;
		uint64_t from = first > start ? first : start;
		if (from + length <= end)
			return from + length - 1;
		if (from < end)
			length -= end - from;
		first = end;
	}
	return first - 1;
}

/* Return 1 if an STM packet begins in the high half of a byte.  It then has the index of the next
 * byte, and its first low half is cleared.  Other packets, except NULL, never have that half
 * clear. */
static unsigned
bytes_back(const struct opencsd_lane *lane, const uint8_t *bytes, size_t length)
{
	return lane->source->options->protocol == OPENCSD_STM && length > 1 && !(bytes[0] & 15);
}

static void
on_packet(void *context, uint64_t index, const uint8_t *bytes, size_t length, const void *packet)
{
	struct opencsd_lane *lane = context;
	unsigned back = bytes_back(lane, bytes, length);
	bool known = length > back && lane->run_count;
	uint64_t last = known ? last_index(lane, index, length - back) : index;
	uint64_t span = coresight_offset(lane->format, last > index ? last : index) -
			coresight_offset(lane->format, index);
	size_t at = index % OPENCSD_PACKETS;
	lane->packets[at].index = index;
	lane->packets[at].length = span < UINT32_MAX ? (uint32_t)span + 1 : 1;
	if (lane->sink.packet)
		lane->sink.packet(lane->sink.context, lane, index, back, length, packet);
}

uint32_t
opencsd_lane_length(const struct opencsd_lane *lane, uint64_t index)
{
	size_t at = index % OPENCSD_PACKETS;
	bool known = lane->packets[at].index == index && lane->packets[at].length;
	return known ? lane->packets[at].length : 1;
}

/* --- messages over STM ------------------------------------------------- */

/* Follow the message of a master and channel.  A packet with a time starts it, a marked one or a
 * flag ends it [SyS-T 1.0, "MIPI STPv2 Protocol Encoding"].  Return the message that E ends.  It
 * is off the list but still valid. */
static const struct stp_message *
follow_message(struct opencsd_lane *lane, const struct opencsd_element *e)
{
	if (!opencsd_element_has_sender(e))
		return NULL;
	uint64_t offset = coresight_offset(lane->format, e->index);
	const struct stp_point start = {.nibble = 2 * offset,
					.stp = {.master = e->master, .channel = e->channel}};
	struct stp_message *open = stp_open_find(&lane->open, stp_sender(&start.stp));
	if (e->bits && e->flags & OPENCSD_HAS_TIMESTAMP) {
		if (open)
			stp_open_remove(&lane->open, open);
		open = stp_open_add(&lane->open, start.nibble, &start.stp);
		open->ticks = e->timestamp;
	}
	if (!open)
		return NULL;
	if (e->bits)
		stp_message_add(open, e->value, e->bits / 4);
	if (!(e->flags & OPENCSD_MARKER))
		return NULL;
	stp_open_remove(&lane->open, open);
	return offset - open->start.nibble / 2 <= OPENCSD_MESSAGE_SPAN ? open : NULL;
}

/* Drop messages that are too old to end. */
static void
drop_old(struct opencsd_lane *lane, uint64_t offset)
{
	struct stp_message *oldest;
	while ((oldest = lane->open.oldest) &&
	       offset > oldest->start.nibble / 2 + OPENCSD_MESSAGE_SPAN)
		stp_open_remove(&lane->open, oldest);
}

uint64_t
opencsd_lane_oldest(const struct opencsd_lane *lane)
{
	return lane->open.oldest ? lane->open.oldest->start.nibble / 2 : UINT64_MAX;
}

/* --- feeding ----------------------------------------------------------- */

static void
on_element(void *context, const struct opencsd_element *e)
{
	struct opencsd_lane *lane = context;
	if (e->type == OPENCSD_NO_SYNC) {
		if (e->reason == OPENCSD_UNSYNC_RESET)
			return; /* caused by a reset of the lane */
		stp_open_clear(&lane->open);
	}
	if (e->type == OPENCSD_EO_TRACE && lane->between)
		return;
	lane->ordinal = e->index == lane->index ? lane->ordinal + 1 : 0;
	lane->index = e->index;
	lane->message = NULL;
	if (e->type == OPENCSD_SWTRACE)
		lane->message = follow_message(lane, e);
	lane->sink.element(lane->sink.context, lane, e);
}

static void
opencsd_lane_feed_bytes(struct opencsd_lane *lane, uint64_t index, const uint8_t *bytes,
			size_t length)
{
	while (length && lane->tree) {
		int fatal;
		size_t used = opencsd_tree_feed(lane->tree, index, bytes, length, &fatal);
		if (!fatal && used == length)
			return;
		if (!used)
			used = 1;
		index += used;
		bytes += used;
		length -= used;
		if (!fatal)
			continue;
		lane->sink.fatal(lane->sink.context, lane, index - 1, fatal);
		opencsd_tree_reset(lane->tree, false);
		stp_open_clear(&lane->open);
	}
}

static void
note_bytes(struct opencsd_lane *lane, uint64_t offset, uint64_t anchor)
{
	if (!lane->run_count) {
		lane->first = offset;
		lane->first_anchor = anchor;
	}
	lane->last_anchor = anchor;
}

void
opencsd_lane_feed(struct opencsd_lane *lane, const struct coresight_run *run)
{
	note_bytes(lane, run->offsets[0], run->anchor);
	add_run(lane, run->index, run->count);
	for (unsigned i = 0; i < run->count; i++)
		opencsd_lane_scan(lane, run->bytes[i], run->offsets[i], run->anchor);
	drop_old(lane, run->offsets[0]);
	opencsd_lane_feed_bytes(lane, run->index, run->bytes, run->count);
}

void
opencsd_lane_feed_plain(struct opencsd_lane *lane, const uint8_t *bytes, size_t length,
			uint64_t offset)
{
	/* The pieces lie on a grid, because the point where a decoder gives up may depend on
	 * them. */
	enum { PIECE = 256 };
	while (length) {
		size_t piece = PIECE - offset % PIECE;
		if (piece > length)
			piece = length;
		note_bytes(lane, offset, offset);
		add_run(lane, offset, piece);
		for (size_t i = 0; i < piece; i++)
			opencsd_lane_scan(lane, bytes[i], offset + i, offset + i);
		drop_old(lane, offset);
		opencsd_lane_feed_bytes(lane, offset, bytes, piece);
		bytes += piece;
		length -= piece;
		offset += piece;
	}
}

/* True if no byte of the source came yet. */
static bool
is_unheard(const struct opencsd_lane *lane)
{
	return lane->since == OPENCSD_SINCE_START && !lane->run_count;
}

void
opencsd_lane_end(struct opencsd_lane *lane)
{
	if (lane->tree && !(lane->source->options->optional && is_unheard(lane)))
		opencsd_tree_end(lane->tree);
}

void
opencsd_lane_break(struct opencsd_lane *lane)
{
	opencsd_lane_start(lane, is_unheard(lane) ? OPENCSD_SINCE_START : OPENCSD_SINCE_UNSYNCED);
}

void
opencsd_lane_start_run(struct opencsd_lane *lane, uint64_t offset)
{
	struct opencsd_sync *last =
	    &lane->syncs[(lane->sync_count + OPENCSD_SYNCS - 1) % OPENCSD_SYNCS];
	lane->between = true;
	if (lane->run_count)
		opencsd_lane_end(lane);
	lane->between = false;
	if (lane->sync_count && last->exact == UINT64_MAX)
		last->exact = offset;
	lane->pattern = 0;
	stp_open_clear(&lane->open);
	if (lane->tree)
		opencsd_tree_reset(lane->tree, is_unheard(lane));
}
