/*
 * Examine the head of an SWO capture: recognise it, find its first frame and the source that is
 * the ITM.  See swo.h.
 *
 * A source is the ITM if nearly all its packets are allowed.  Each of sixteen possible frame
 * starts is tried with each ID.  Random bytes contain a forbidden packet in every five to ten, so
 * some dozens of good packets decide.
 *
 * Cost: 16 KiB are read sixteen times.  The whole head is read only if these contain an ITM.
 */
#include "config.h"

#include "decode/coresight/swo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TRIAL = 1024,
	TRIALS = 16,
	BAD_SHARE = 50,	 /* at most one bad packet in 50 */
	GOOD_LEAST = 16, /* fewer may be luck */
	GOOD_MUCH = 64,
	GOOD_SURE = 256
};

/* --- sources ------------------------------------------------------------- */

/* True if no source can have the ID [IHI0029, trace formatter, special trace source IDs]. */
static bool
is_impossible(unsigned id)
{
	return id >= CORESIGHT_ID_FIRST_SPECIAL && id != CORESIGHT_ID_FLUSH &&
	       id != CORESIGHT_ID_TRIGGER;
}

static unsigned
sort_pair(const struct swo_decoder *d, const struct swo_head *found, unsigned byte)
{
	enum { SYNC = 0xff };
	unsigned id = byte >> 1;
	bool source = id && id < CORESIGHT_ID_FIRST_SPECIAL;
	if (!(byte & 1))
		return SWO_PAIR_STAYS;
	if (is_impossible(id))
		return SWO_PAIR_IMPOSSIBLE | SWO_PAIR_ODD | (byte == SYNC ? SWO_PAIR_STAYS : 0);
	if (id == d->id)
		return SWO_PAIR_ITM;
	return !source || !found || swo_head_has(found, id) ? 0 : SWO_PAIR_ODD;
}

void
swo_sort_pairs(struct swo_decoder *d, const struct swo_head *found)
{
	for (unsigned byte = 0; byte <= UINT8_MAX; byte++)
		d->sorts[byte] = (uint8_t)sort_pair(d, found, byte);
}

struct head_source {
	struct swo_fit fit;
	uint32_t zeros;
	bool etmv3, etmv4;
};

static const char ITM[] = "ITM";

struct head_trial {
	struct swo_decoder d;
	struct head_source sources[SWO_IDS];
	uint64_t syncs, frames, impossible;
};

static bool
is_source(unsigned id)
{
	return id && id < CORESIGHT_ID_FIRST_SPECIAL;
}

/* Find A-syncs of an ETM: at least 5 zeros and 0x80 before ETMv4, at least 11 zeros since [OpenCSD
 * 1.3.3, second hand: its decoders over its own snapshots]. */
static void
look_for_etm(struct head_source *source, uint8_t byte)
{
	if (byte == 0x80 && source->zeros >= 11)
		source->etmv4 = true;
	else if (byte == 0x80 && source->zeros >= 5)
		source->etmv3 = true;
	source->zeros = byte ? 0 : source->zeros + 1;
}

static void
trial_start(struct head_trial *trial)
{
	memset(trial->sources, 0, sizeof trial->sources);
	trial->syncs = trial->frames = trial->impossible = 0;
}

/* True if too many frames name an impossible source, even if the LEFT bytes are all good. */
static bool
is_hopeless(const struct head_trial *trial, uint64_t left)
{
	return trial->impossible * BAD_SHARE > trial->frames + left / CORESIGHT_FRAME + (left > 0);
}

/* Decode frames from OFFSET to END, with every source as if it were an ITM.  Unless ALL, stop once
 * the place is hopeless. */
static void
trial_read(struct head_trial *trial, const struct window *head, uint64_t offset, uint64_t end,
	   bool all)
{
	struct swo_packet packet;
	struct swo_unit unit;
	uint8_t id = CORESIGHT_NOBODY;
	for (; offset < end && swo_unit_read(&trial->d, head, offset, id, &unit);
	     offset += unit.length) {
		id = unit.next;
		trial->syncs += unit.sync == 4;
		trial->frames += unit.count > 0;
		trial->impossible += unit.impossible;
		if (!all && unit.impossible && is_hopeless(trial, end - offset))
			break;
		for (unsigned i = 0; i < unit.count; i++) {
			if (!is_source(unit.ids[i]))
				continue;
			swo_fit_add(&trial->sources[unit.ids[i]].fit, unit.bytes[i], &packet);
			look_for_etm(&trial->sources[unit.ids[i]], unit.bytes[i]);
		}
	}
}

static int64_t
fit_score(const struct swo_fit *fit)
{
	if (fit->good < GOOD_LEAST || (uint64_t)fit->bad * BAD_SHARE > fit->good)
		return 0;
	return (int64_t)fit->bytes - BAD_SHARE * (int64_t)fit->bad;
}

/* Return the source that fits best, or ONLY if it fits.  Return 0 if none fits.  Set *SCORE. */
static uint8_t
best_source(const struct head_trial *trial, uint8_t only, int64_t *score)
{
	uint8_t best = 0;
	*score = 0;
	for (unsigned id = 1; id < CORESIGHT_ID_FIRST_SPECIAL; id++) {
		int64_t own = fit_score(&trial->sources[id].fit);
		if ((only && id != only) || own <= *score)
			continue;
		*score = own;
		best = (uint8_t)id;
	}
	return best;
}

/* Find the ITM, or the source *ID, in frames that start in the first bytes from OFFSET on.  Set
 * *ID.  Return false if none is found. */
static bool
find_in(const struct window *head, struct head_trial *trial, uint64_t offset, uint8_t *id)
{
	int64_t best = 0;
	uint8_t only = *id;
	uint64_t end = offset + TRIAL;
	if (end > head->offset + head->length)
		end = head->offset + head->length;
	for (uint64_t i = 0; i < CORESIGHT_FRAME && offset + i < end; i++) {
		int64_t score;
		trial_start(trial);
		trial_read(trial, head, offset + i, end, false);
		if (is_hopeless(trial, 0))
			continue;
		uint8_t found = best_source(trial, only, &score);
		if (score <= best)
			continue;
		best = score;
		*id = found;
	}
	return best > 0;
}

/* Like find_in(), but also try later places in the first 16 KiB, as the head may begin with
 * damage. */
static bool
find_frames(const struct window *head, struct head_trial *trial, uint8_t *id)
{
	for (uint64_t i = 0; i < TRIALS && i * TRIAL < head->length; i++)
		if (find_in(head, trial, head->offset + i * TRIAL, id))
			return true;
	return false;
}

/* --- packets ------------------------------------------------------------- */

static void
count_pc(struct swo_head *found, uint32_t pc)
{
	enum { TRIES = 8 };
	uint32_t at = (uint32_t)(pc * UINT32_C(2654435761) >> 22);
	for (unsigned i = 0; i < TRIES; i++, at++) {
		uint32_t slot = at % SWO_HEAD_PCS;
		if (found->pcs[slot].count && found->pcs[slot].pc != pc)
			continue;
		found->pcs[slot].pc = pc;
		found->pcs[slot].count++;
		return;
	}
}

/* Count a byte of a port.  A UTF-8 character of N bytes begins with N one bits; its other bytes
 * begin with 10 [RFC 3629]. */
static void
count_byte(struct swo_head_port *port, uint8_t byte)
{
	bool follows = byte >> 6 == 2 && port->pending;
	if (!byte) /* padding of a word */
		return;
	port->bytes++;
	if (byte < 0x80)
		port->text += swo_is_text(byte, 1);
	else if (follows && !--port->pending)
		port->text += port->length;
	port->shown += byte > ' ';
	port->ascii += byte < 0x80;
	if (follows)
		return;
	port->pending = byte >= 0xc2 ? 1 + (byte >= 0xe0) + (byte >= 0xf0) : 0;
	port->length = 1 + port->pending;
}

static void
count_write(struct swo_head_port *port, const struct swo_packet *packet)
{
	port->writes++;
	for (unsigned i = 0; i < packet->size; i++)
		count_byte(port, (uint8_t)(packet->value >> 8 * i));
}

static void
count_packet(struct swo_head *found, const struct swo_packet *packet)
{
	found->kinds[packet->what]++;
	found->headers[packet->header] += packet->what != SWO_BAD;
	found->varied +=
	    swo_is_subject(packet->what) && found->last[packet->header] != packet->value;
	found->last[packet->header] = packet->value;
	if (!found->fit.bad && found->first_count < SWO_HEAD_FIRST)
		found->first[found->first_count++] = packet->header;
	if (packet->what == SWO_PC && packet->size == 4)
		count_pc(found, (uint32_t)packet->value);
	if (packet->what == SWO_PORT && packet->source < SWO_PORTS)
		count_write(&found->ports[packet->source], packet);
}

/* Read bare packets.  Unless ALL, stop once too many are bad. */
static void
read_bare(const struct window *head, bool all, struct swo_head *found)
{
	const struct swo_fit *fit = &found->fit;
	struct swo_packet packet;
	for (size_t i = 0; i < head->length; i++) {
		if (swo_fit_add(&found->fit, head->bytes[i], &packet))
			count_packet(found, &packet);
		/* a byte ends at most one good packet */
		if (!all && (uint64_t)fit->bad * BAD_SHARE > fit->good + (head->length - i))
			break;
	}
}

/* Find where frames start from OFFSET on, as the decoder does.  Return true if they do not start
 * at OFFSET. */
static bool
follow_frames(const struct window *head, const struct swo_decoder *d, struct swo_head *found,
	      bool start, uint8_t *id, uint64_t *offset)
{
	uint32_t skipped;
	if (!swo_align(d, head, *offset, start, id, &skipped))
		return false;
	if (!found->frames)
		found->start = *offset + skipped;
	found->lost += skipped;
	*offset += skipped;
	return skipped;
}

/* Read frames, and realign where they do not fit. */
static void
read_frames(const struct window *head, const struct swo_decoder *d, struct swo_head *found)
{
	enum { LOOKS = 64, BAD_NEAR = 64 };
	uint64_t offset = head->offset;
	unsigned looks = 0, since_bad = BAD_NEAR;
	struct swo_packet packet;
	struct swo_unit unit;
	uint8_t id = CORESIGHT_NOBODY;
	bool look = true;
	for (; swo_unit_read(d, head, offset, id, &unit); offset += unit.length) {
		if ((look || unit.impossible) && looks++ < LOOKS &&
		    follow_frames(head, d, found, !found->frames, &id, &offset)) {
			unit.length = 0;
			look = false;
			continue;
		}
		look = false;
		id = unit.next;
		found->frames += unit.count > 0;
		for (unsigned i = 0; i < unit.count; i++) {
			uint32_t bad = found->fit.bad;
			found->bytes[unit.ids[i]]++;
			if (unit.ids[i] != d->id)
				continue;
			if (swo_fit_add(&found->fit, unit.bytes[i], &packet))
				count_packet(found, &packet);
			since_bad++;
			if (found->fit.bad == bad)
				continue;
			look |= since_bad < BAD_NEAR;
			since_bad = 0;
		}
	}
}

/* Guess the protocols of sources other than the ITM. */
static void
name_sources(const struct head_trial *trial, struct swo_head *found)
{
	for (unsigned id = 1; id < CORESIGHT_ID_FIRST_SPECIAL; id++) {
		const struct head_source *source = &trial->sources[id];
		if (id == found->id)
			continue;
		bool is_itm = fit_score(&source->fit) > 0 && source->fit.subjects;
		found->carries[id] = is_itm	     ? ITM
				     : source->etmv4 ? "ETMv4?"
				     : source->etmv3 ? "ETMv3 or PTM?"
						     : NULL;
	}
}

/* True for plain text.  Packets and frames always contain many bytes that text does not. */
static bool
is_plain_text(const struct window *head)
{
	size_t plain = 0;
	for (size_t i = 0; i < head->length; i++) {
		uint8_t c = head->bytes[i];
		plain += (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
	}
	return plain * 16 >= head->length * 15;
}

/* Read all of the head if ALL, otherwise only while it can be an SWO capture. */
static void
read_head(const struct window *head, bool framed, uint8_t id, bool all, struct swo_head *found)
{
	*found = (struct swo_head){.whole = head->last, .text = is_plain_text(head)};
	if (found->text && !all)
		return;
	if (!framed) {
		read_bare(head, all, found);
		return;
	}
	struct head_trial *trial = mem_new(sizeof *trial);
	trial->d.framed = true;
	swo_sort_pairs(&trial->d, NULL);
	found->id = id;
	if (!found->text && find_frames(head, trial, &found->id)) {
		trial_start(trial);
		trial->d.id = found->id;
		swo_sort_pairs(&trial->d, NULL);
		read_frames(head, &trial->d, found);
		trial_read(trial, head, found->start, head->offset + head->length, true);
		name_sources(trial, found);
	}
	free(trial);
}

void
swo_head_read(const struct window *head, bool framed, uint8_t id, struct swo_head *found)
{
	read_head(head, framed, id, true, found);
}

/* --- conclusions --------------------------------------------------------- */

/* True if more than a quarter of the bytes belong to sources of unknown protocol. */
static bool
has_strangers(const struct swo_head *found)
{
	uint64_t all = 0, strange = 0;
	for (unsigned id = 1; id < CORESIGHT_ID_FIRST_SPECIAL; id++) {
		all += found->bytes[id];
		strange += id == found->id || found->carries[id] ? 0 : found->bytes[id];
	}
	return strange * 4 > all;
}

static void
rate_head(const struct swo_head *found, bool framed, struct probe *probe)
{
	const struct swo_fit *fit = &found->fit;
	uint32_t kinds = 0, subjects = 0;
	for (int i = SWO_PORT; i <= SWO_OVERFLOW; i++) {
		kinds += found->kinds[i] > 0;
		subjects += swo_is_subject((enum swo_what)i) ? found->kinds[i] : 0;
	}
	char syncs[48] = "no sync packet", bad[32] = "";
	if (fit->syncs)
		snprintf(syncs, sizeof syncs, "%u of them sync packets", fit->syncs);
	if (fit->bad)
		snprintf(bad, sizeof bad, ", %u invalid", fit->bad);
	snprintf(probe->reason, sizeof probe->reason, "%s%u valid ITM packets, %s%s",
		 framed && found->id ? "16-byte frames; " : "", fit->good, syncs, bad);
	if (fit_score(fit) <= 0 || (framed && !found->id) || found->text)
		return;
	/* if all bytes are equal, all packets are good and of the same kind */
	if (fit->syncs > 1 && fit->good > 2 * fit->syncs)
		probe->score = 93;
	else if ((found->varied * 8 < subjects && !found->kinds[SWO_PC]) || !subjects ||
		 fit->bad > fit->good / GOOD_SURE || has_strangers(found))
		return;
	else if (fit->good >= GOOD_SURE && !fit->bad && kinds > 1)
		probe->score = 91;
	else
		probe->score = fit->good >= GOOD_MUCH ? 80 : 60;
	if (framed)
		snprintf(
		    probe->reason, sizeof probe->reason,
		    "16-byte frames from byte %llu on; ID %u is an ITM: %u packets, %u of them "
		    "forbidden",
		    (unsigned long long)found->start, found->id, fit->good + fit->bad, fit->bad);
}

void
swo_head_rate(const struct window *head, bool framed, struct probe *probe)
{
	struct swo_head *found = mem_new(sizeof *found);
	read_head(head, framed, 0, false, found);
	rate_head(found, framed, probe);
	free(found);
}

bool
swo_head_has(const struct swo_head *found, unsigned id)
{
	/* chance yields a frame or two, and a few more where frames did not fit */
	uint64_t least = 2 * CORESIGHT_FRAME;
	if (found->lost && found->frames / 8 > least)
		least = found->frames / 8;
	return id == found->id || found->bytes[id] > least;
}

bool
swo_head_is_itm(const struct swo_head *found, unsigned id)
{
	return is_source(id) && found->id &&
	       (id == found->id || (found->carries[id] && !strcmp(found->carries[id], ITM) &&
				    swo_head_has(found, id)));
}

/* True if nearly all bytes written to a port are text.  With few bytes, all must be text. */
static bool
is_text_port(const struct swo_head_port *port)
{
	enum { WRITES = 4, BYTES = 12, FEW = 32 };
	const uint64_t other = port->bytes - port->text;
	return port->bytes && (port->writes >= WRITES || port->bytes >= BYTES) &&
	       port->shown * UINT64_C(2) >= port->bytes &&
	       port->ascii * UINT64_C(8) >= port->bytes &&
	       (!other || (port->bytes >= FEW && other * 10 <= port->bytes));
}

uint32_t
swo_head_text_ports(const struct swo_head *found)
{
	uint32_t ports = 0;
	bool any = false;
	for (unsigned i = 0; i < SWO_PORTS; i++) {
		any |= found->ports[i].writes > 0;
		ports |= (uint32_t)is_text_port(&found->ports[i]) << i;
	}
	return any ? ports : 1;
}

/* Weigh packets by how frequent their header is: in bytes that are not packets, all headers are
 * about equally frequent. */
void
swo_head_weigh(const struct swo_head *found, struct swo_decoder *d)
{
	uint32_t all = found->fit.good + found->fit.reserved, frequent = 0, pages = 0;
	const uint32_t least = 4 + all / 512;
	unsigned sum = 0;
	for (unsigned i = 0; i < 256; i++) {
		uint32_t count = found->headers[i];
		d->weights[i] = count < least ? 1 : count * 8 > all ? 4 : 2;
		frequent += count < least ? 0 : count;
	}
	d->regular = (all - frequent) * UINT64_C(32) < all;
	for (unsigned i = 0; i < found->first_count; i++)
		sum += d->weights[found->first[i]];
	d->begins = sum >= SWO_PROOF;
	/* damage yields some packets that set the page */
	d->paged = !found->whole;
	for (unsigned header = 0x08; header < 0x80; header += 0x10) {
		d->paged |= found->headers[header] >= (found->fit.bad ? least : 1);
		pages += found->headers[header];
	}
	d->changes_page = pages >= least;
}

/* --- descriptions -------------------------------------------------------- */

static void
add_ports(const struct swo_head *found, const struct swo_decoder *d, struct text *about)
{
	for (unsigned i = 0; i < SWO_PORTS; i++)
		if (found->ports[i].writes)
			text_addf(about, "port %u: %u writes, %s\n", i, found->ports[i].writes,
				  d->text_ports >> i & 1 ? "text in lines" : "a row each");
}

static void
add_sources(const struct swo_head *found, const struct swo_decoder *d, struct text *about,
	    struct text *missing)
{
	for (unsigned id = 0; id < CORESIGHT_IDS; id++) {
		if (!found->bytes[id] || (is_source(id) && !swo_head_has(found, id)))
			continue;
		const char *what = id == found->id		? ITM
				   : id == CORESIGHT_ID_NULL	? "nothing, frames are filled up"
				   : id == CORESIGHT_NOBODY	? "before a source is named"
				   : id == CORESIGHT_ID_TRIGGER ? "trigger"
				   : !is_source(id)		? "reserved"
				   : found->carries[id]		? found->carries[id]
								: "unknown";
		if (id == CORESIGHT_NOBODY)
			text_addf(about, "no ID: %llu bytes, %s\n",
				  (unsigned long long)found->bytes[id], what);
		else
			text_addf(about, "ID 0x%02x: %llu bytes, %s\n", id,
				  (unsigned long long)found->bytes[id], what);
		if (swo_head_is_itm(found, id) && id != found->id && d->base.part_count)
			text_addf(missing,
				  "%sID 0x%02x is not decoded: ITM; `tpiu: {id: %u}` in a profile "
				  "decodes it instead",
				  missing->length ? "\n" : "", id, id);
		else if (is_source(id) && !swo_head_is_itm(found, id))
			text_addf(missing,
				  "%sID 0x%02x is not decoded: %s; give its registers in a "
				  "profile, format opencsd with format: tpiu",
				  missing->length ? "\n" : "", id, what);
	}
}

/* Append a sampled address and its share of all samples in percent. */
static void
add_sample(uint32_t pc, unsigned share, const struct decoder_names *names, struct text *about)
{
	struct text name = {0};
	text_addf(about, "  pc 0x%08x  ", pc);
	text_addf(about, share ? "%2u %%" : "<%u %%", share ? share : 1);
	if (names && names->name(names->context, pc, &name))
		text_addf(about, "  %s", text_get(&name));
	text_add_char(about, '\n');
	text_free(&name);
}

/* Append the most frequent PC samples. */
static void
add_hottest(struct swo_head *found, const struct decoder_names *names, struct text *about)
{
	enum { SHOWN = 8 };
	uint32_t samples = found->kinds[SWO_PC];
	if (samples)
		text_addf(about, "hottest of %u PC samples%s:\n", samples,
			  found->whole ? "" : " near the start");
	for (unsigned shown = 0; shown < SHOWN; shown++) {
		unsigned best = 0;
		for (unsigned i = 1; i < SWO_HEAD_PCS; i++)
			if (found->pcs[i].count > found->pcs[best].count)
				best = i;
		uint32_t count = found->pcs[best].count;
		if (!count)
			break;
		add_sample(found->pcs[best].pc, (unsigned)(100ull * count / samples), names, about);
		found->pcs[best].count = 0;
	}
}

void
swo_survey_itm(const struct swo_decoder *d, struct swo_head *found,
	       const struct decoder_names *names, struct text *about)
{
	add_ports(found, d, about);
	add_hottest(found, names, about);
	if (d->by_global)
		text_add(about, "no local timestamps: time is that of global timestamps\n");
	else if (!d->stamped)
		text_add(about, "no local timestamps: messages have no time\n");
}

void
swo_survey(const struct decoder *decoder, const struct window *head,
	   const struct decoder_names *names, struct text *about, struct text *missing)
{
	const struct swo_decoder *d = (const struct swo_decoder *)decoder;
	struct swo_head *found = mem_new(sizeof *found);
	swo_head_read(head, d->framed, d->framed ? d->id : 0, found);
	if (d->framed) {
		add_sources(found, d, about, missing);
		if (!found->id || !found->fit.good)
			text_addf(
			    missing,
			    "%sno source has packets of an ITM; other sources need a profile, "
			    "format opencsd with format: tpiu",
			    missing->length ? "\n" : "");
	}
	swo_survey_itm(d, found, names, about);
	free(found);
}

/* Propose `lines:` of a profile. */
static void
propose_lines(const struct swo_head *found, struct text *profile)
{
	uint32_t ports = swo_head_text_ports(found);
	text_add(profile, "      lines: \"");
	for (unsigned i = 0, count = 0; i < SWO_PORTS; i++)
		if (ports >> i & 1)
			text_addf(profile, "%s%u", count++ ? "," : "", i);
	text_addf(profile, "%s\"    # ports of text, as the first 64 KiB show\n",
		  ports ? "" : "none");
	if (found->kinds[SWO_LOCAL])
		text_add(profile, "    # clock: {hz: 72000000}    # of the core, divided by the "
				  "prescaler of the ITM\n");
}

/* Append, as a comment, the sources that need registers. */
static void
propose_sources(const struct swo_head *found, struct text *profile)
{
	for (unsigned id = 1; id < CORESIGHT_ID_FIRST_SPECIAL; id++)
		if (found->carries[id] && swo_head_has(found, id) && !swo_head_is_itm(found, id))
			text_addf(
			    profile,
			    "    # instead, with the registers of ID %u, both in one list:\n"
			    "    # format: opencsd\n"
			    "    # opencsd: {format: tpiu, sources: [{id: %u, protocol: ITM}, "
			    "{id: %u, protocol: %s, regs: {%s}}]}\n",
			    id, found->id, id,
			    *found->carries[id] == 'E' && found->carries[id][4] == '4' ? "ETMV4I"
										       : "ETMV3",
			    found->carries[id][4] == '4'
				? "TRCCONFIGR: 0, TRCIDR0: 0, TRCIDR1: 0, TRCIDR2: 0"
				: "ETMCR: 0, ETMIDR: 0, ETMCCER: 0");
}

bool
swo_itm_propose(const struct window *head, struct text *profile)
{
	struct swo_head *found = mem_new(sizeof *found);
	swo_head_read(head, false, 0, found);
	text_add(profile, "    itm:\n");
	propose_lines(found, profile);
	free(found);
	return true;
}

static unsigned
count_itms(const struct swo_head *found)
{
	unsigned count = 0;
	for (unsigned id = 1; id < CORESIGHT_ID_FIRST_SPECIAL; id++)
		count += swo_head_is_itm(found, id);
	return count;
}

bool
swo_tpiu_propose(const struct window *head, struct text *profile)
{
	struct swo_head *found = mem_new(sizeof *found);
	swo_head_read(head, true, 0, found);
	bool any = found->id;
	if (any) {
		text_add(profile, "    tpiu:\n");
		if (count_itms(found) > 1)
			text_add(profile, "      # id: 1    # of one ITM; else each is a trace\n");
		else
			text_addf(profile, "      id: %u    # trace ID of the ITM\n", found->id);
		propose_lines(found, profile);
		propose_sources(found, profile);
	}
	free(found);
	return any;
}
