/*
 * Every bit of a capture is accounted for: it is in a message, or counted by its
 * decoder as of a kind that the format names as silent.
 *
 * Captures of every format come from encoders that share no code with the
 * decoders, whole and with regions cut out, written over and the end missing.
 * Which bits are silent is found here from the bytes: in lines, line ends; in
 * STP, nibbles by a walk of its own over packet lengths; elsewhere none, or what
 * stands beside a packet in its slot.  What decides the exit status of batch
 * output is compared with the flags of all messages.
 *
 * What no decoder can know is no damage: messages that are missing whole, in a
 * format that does not number them, or bytes that make another message as good.
 * What it must know is tested: a capture that ends inside a message is not good,
 * in formats that tell where a message ends.
 *
 * TRAWL_RUNS=1000 makes so many captures of each kind instead of a few.
 */
#include "config.h"

#include "test.h"

#include "config/profile.h"
#include "decode/stp/stp_step.h"
#include "export/export.h"
#include "session/session.h"
#include "folder.h"
#include "random.h"
#include "stp_walk.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 3, MANGLED = 12, SLOT = 32 };

/* How the messages of a format lie in its captures. */
enum layout {
	PLAIN,	/* one after the other */
	SIGNED, /* the same, but nothing behind a signature of 8 bytes that is wrong */
	LINES,	/* each with a line end */
	SLOTS,	/* each in a slot, with padding */
	BITS,	/* one after the other, between the edges of a bit stream */
	NIBBLES /* STP */
};

static void make_slots(struct text *, uint64_t *seed);
static void make_bits(struct text *, uint64_t *seed);
static void make_listing(struct text *, uint64_t *seed);
static void make_joined(struct text *, uint64_t *seed);
static void make_log(struct text *, uint64_t *seed);

#define ENCAP                                                                                      \
	"traces:\n"                                                                                \
	"  - match: capture\n"                                                                     \
	"    encap: {srcid_width: 8, timestamp_bytes: 0, type_width: 1, "                          \
	"types: [{type: 0, payload: opaque}, {type: 1, payload: opaque}], "

static const struct kind {
	const char *format;
	const char *arguments;			 /* of mkcapture, or */
	void (*make)(struct text *, uint64_t *); /* what makes it here */
	const char *profile;
	enum layout layout;
	bool tells_end; /* of a message, so that a cut in it cannot be missed */
} kinds[] = {
    {"syst/raw", "-f syst/raw -m len32 -n 40K", .layout = PLAIN, .tells_end = true},
    {"syst/raw", "-f syst/raw -m all -n 40K", .layout = PLAIN},
    {"syst/raw", "-f syst/raw -m short -n 20K", .layout = PLAIN},
    {"syst/hex", "-f syst/hex -m all -n 60K", .layout = LINES},
    {"syst/hex", .make = make_joined, .layout = LINES},
    {"syst/stp", "-f syst/stp -m all -n 60K", .layout = NIBBLES, .tells_end = true},
    {"syst/stp", "-f syst/stp -m len32 --stamps=delta --senders=9 -n 80K", .layout = NIBBLES,
     .tells_end = true},
    {"syst/stp", "-f syst/stp -m all --nibbles=le22 --async=64K -n 200K", .layout = NIBBLES,
     .tells_end = true},
    {"stp", "-f syst/stp -m all -n 60K", .layout = NIBBLES},
    {"encap", "-f encap -n 40K", .layout = PLAIN, .tells_end = true},
    {"encap", "-f encap -m all -n 40K", .layout = PLAIN},
    {"encap", NULL, make_slots, ENCAP "container: {slot: 32}}\n", SLOTS, true},
    {"encap", NULL, make_slots, ENCAP "container: {slot: 32, reversed: true}}\n", SLOTS, true},
    {"encap", NULL, make_bits, ENCAP "bit_stream: true}\n", BITS, false},
    {"gem", "-f gem -m all -n 20K", .layout = PLAIN, .tells_end = true},
    {"uia", "-f uia -n 40K", .layout = PLAIN, .tells_end = true},
    {"uia", "-f uia -m all -n 40K", .layout = PLAIN},
    {"csel", "-f csel -n 20K", .layout = SIGNED, .tells_end = true},
    {"csel", "-f csel -m all -n 20K", .layout = SIGNED},
    {"ppl", NULL, make_listing, .layout = LINES},
    /* lines reach over what stands between their bytes */
    {"itm", "-f itm -n 20K", .profile = "traces: [{match: capture, itm: {lines: none}}]\n"},
    {"itm", "-f itm -m all -n 20K", .profile = "traces: [{match: capture, itm: {lines: none}}]\n"},
    {"text", NULL, make_log, "traces: [{match: capture, text: {preset: dmesg, join: false}}]\n",
     LINES, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* --- captures that mkcapture does not make ------------------------------ */

static void
add_random(struct text *out, size_t count, uint64_t *seed)
{
	while (count--)
		text_add_char(out, (char)random_next(seed));
}

/* One packet of a byte of source and up to 27 of payload, or a null packet. */
static size_t
add_packet(struct text *out, uint64_t *seed)
{
	size_t length = random_below(seed, 28);
	text_add_char(out, (char)length);
	add_random(out, length ? length + 1 : 0, seed);
	return length ? length + 2 : 1;
}

static void
make_slots(struct text *out, uint64_t *seed)
{
	for (int i = 0; i < 800; i++) {
		size_t used = add_packet(out, seed);
		add_random(out, SLOT - used, seed);
	}
}

static void
make_bits(struct text *out, uint64_t *seed)
{
	struct text aligned = {0};
	unsigned phase = 1 + (unsigned)random_below(seed, 7), before = (unsigned)random_next(seed);
	for (int i = 0; i < 1000; i++) {
		add_packet(&aligned, seed);
		if (i % 50 == 0) /* a sync sequence: null packets, the last for alignment */
			for (int n = 0; n < 40; n++)
				text_add_char(&aligned, n < 39 ? 0 : (char)0x80);
	}
	before &= (1u << phase) - 1;
	for (size_t i = 0; i < aligned.length; i++) {
		unsigned byte = (uint8_t)aligned.data[i];
		text_add_char(out, (char)(before | byte << phase));
		before = byte >> (8 - phase);
	}
	text_add_char(out, (char)(before | random_next(seed) << phase));
	text_free(&aligned);
}

static void
make_log(struct text *out, uint64_t *seed)
{
	static const char *const ends[] = {"\n", "\n", "\r\n", "\n\n", "\r\n\r\n"};
	for (int i = 0; i < 800; i++) {
		if (random_below(seed, 5))
			text_addf(out, "<%u>[%5u.%06u] usb: ", random_below(seed, 8), i,
				  random_below(seed, 1000000));
		text_addf(out, "message %u", random_below(seed, 1000));
		text_add(out, ends[random_below(seed, 5)]);
	}
}

static void
make_listing(struct text *out, uint64_t *seed)
{
	static const char *const ends[] = {"\n", "\n", "\r\n", "\n\n", "\r\n\r\n"};
	for (int i = 0; i < 800; i++) {
		unsigned index = (unsigned)random_next(seed),
			 id = (unsigned)random_below(seed, 128);
		switch (random_below(seed, 4)) {
		case 0:
			text_addf(out, "Idx:%u; ID:%x; OCSD_GEN_TRC_ELEM_TRACE_ON( [filter])",
				  index, id);
			break;
		case 1:
			text_addf(out, "Idx:%u; ID:%x; [0x9d 0x30 ];\tI_ATOM_F1 : Atom format 1.",
				  index, id);
			break;
		case 2:
			text_add(out, "Trace Packet Lister: reading snapshot");
			break;
		}
		text_add(out, ends[random_below(seed, 5)]);
	}
}

/* Messages in hexadecimal, some of which lost the end of their line. */
static void
make_joined(struct text *out, uint64_t *seed)
{
	static const char *const ends[] = {"\n", "\r\n", "", " "};
	for (int i = 0; i < 400; i++)
		text_addf(out, "SYS-T RAW DATA: 81%02x4523%s", (unsigned)random_below(seed, 256),
			  ends[random_below(seed, 4)]);
}

/* --- damage ------------------------------------------------------------- */

/* Cuts out, writes over, or cuts off some of BYTES; returns the new length. */
static size_t
mangle(uint8_t *bytes, size_t length, uint64_t *seed)
{
	static const int fills[] = {0, 0xff, '\n', -1};
	for (size_t times = 1 + random_below(seed, 3); times--;) {
		/* heads of files are often the most telling */
		size_t from =
		    random_below(seed, random_below(seed, 4) || length < 32 ? length + 1 : 32);
		size_t count = random_below(seed, random_below(seed, 2) ? 16 : length / 4 + 1);
		if (count > length - from)
			count = length - from;
		int fill = fills[random_below(seed, 4)];
		switch (random_below(seed, 4)) {
		case 0:
			length = from;
			break;
		case 1:
			memmove(bytes + from, bytes + from + count, length - from - count);
			length -= count;
			break;
		default:
			for (size_t i = 0; i < count; i++)
				bytes[from + i] =
				    (uint8_t)(fill < 0 ? (int)random_next(seed) : fill);
		}
	}
	return length;
}

/* --- what a capture is decoded to --------------------------------------- */

struct decoded {
	const struct kind *kind;
	const uint8_t *bytes;
	size_t length;
	struct session session;
	VEC(struct message) messages;
	uint64_t silent[DECODE_SILENT_MAX];
	char name[64]; /* for complaints */
};

static struct trace *
trace_of(struct decoded *d)
{
	return d->session.traces.at[0];
}

/* Walks in windows that end anywhere: the sums do not depend on that. */
static void
walk(struct decoded *d, uint64_t *seed)
{
	const struct decoder *decoder = trace_decoder(trace_of(d));
	struct decode_state *state = decode_state_new(decoder);
	struct message batch[64];
	struct window w = {.bytes = d->bytes, .until = UINT64_MAX};
	for (bool over = false; !over;) {
		size_t left = d->length - w.length, max = 1 + random_below(seed, 64), count;
		size_t more = decoder->ops->reach + random_below(seed, 8192);
		w.length += more < left ? more : left;
		w.last = w.length == d->length;
		do {
			count = decoder->ops->step(decoder, state, &w, batch, max);
			for (size_t i = 0; i < count; i++)
				*vec_add(&d->messages) = batch[i];
		} while (count == max);
		over = w.last;
	}
	if (state->offset != d->length)
		fail_msg("%s: %zu bytes are left", d->name, d->length - (size_t)state->offset);
	memcpy(d->silent, state->silent, sizeof d->silent);
	decode_state_free(decoder, state);
}

static void
decoded_open(struct decoded *d, const struct kind *kind, struct folder *folder, const char *name,
	     const uint8_t *bytes, size_t length)
{
	struct err err = {0};
	*d = (struct decoded){.kind = kind, .bytes = bytes, .length = length};
	snprintf(d->name, sizeof d->name, "%s", name);
	folder_put(folder, "capture", bytes, length);
	if (kind->profile) {
		folder_put_text(folder, "profile.yaml", kind->profile);
		if (profile_load(folder_path(folder, "profile.yaml"), &d->session.profile, &err))
			fail_msg("%s", err.what);
	} else {
		option_defaults(profile_options_table(), &d->session.profile);
	}
	if (!session_open(&d->session, folder_path(folder, "capture"), kind->format, NULL, 0, &err))
		fail_msg("%s: %s", name, err.what);
	session_link(&d->session);
}

static void
decoded_close(struct decoded *d)
{
	session_close(&d->session);
	vec_free(&d->messages);
}

static uint64_t
silent_bits(const struct decoded *d, size_t count)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < count; i++)
		bits += d->silent[i];
	return bits;
}

/* --- the account -------------------------------------------------------- */

static bool
is_line_end(const uint8_t *p, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (p[i] != '\n' && p[i] != '\r')
			return false;
	return true;
}

/* Whether the bytes in front of a message, or behind the last, may be silent. */
static bool
may_be_silent(const struct decoded *d, uint64_t from, uint64_t to)
{
	if (d->kind->layout == SIGNED && memcmp(d->bytes, "MFMN", 4) != 0)
		return from == to || (from == 8 && to == d->length);
	if (d->kind->layout == LINES)
		return is_line_end(d->bytes + from, (size_t)(to - from));
	return d->kind->layout == SLOTS ? to - from < 2 * SLOT : from == to;
}

/* Messages follow each other; what is between them is silent, and counted. */
static void
check_bytes(struct decoded *d)
{
	const struct decoder_ops *ops = trace_decoder(trace_of(d))->ops;
	uint64_t end = 0, bits = 0;
	for (size_t i = 0; i <= d->messages.count; i++) {
		struct message last = {.offset = d->length};
		const struct message *m = i < d->messages.count ? &d->messages.at[i] : &last;
		if (i == d->messages.count && d->kind->layout == BITS && d->silent[0])
			last.offset--; /* bytes of the stream lie in two of the capture */
		if (m->offset < end || !may_be_silent(d, end, m->offset))
			fail_msg("%s: bytes %llu to %llu are in no message", d->name,
				 (unsigned long long)end, (unsigned long long)m->offset);
		end = m->offset + m->length;
		bits += 8 * (uint64_t)m->length;
	}
	bits += silent_bits(d, ops->silent_count);
	if (bits != 8 * (uint64_t)d->length)
		fail_msg("%s: %llu bits of %llu are accounted for", d->name,
			 (unsigned long long)bits, 8 * (unsigned long long)d->length);
}

/* Marks the nibbles that a message spans, and counts those of its payload. */
static void
mark(struct reader *reader, const struct message *m, struct expansion *e, uint8_t *spanned,
     uint8_t *owned)
{
	for (uint64_t at = stp_first_nibble(m); at < stp_end_nibble(m); at++)
		spanned[at] |= m->flags & MESSAGE_SCATTERED ? 1 : 2;
	if (!(m->flags & MESSAGE_SCATTERED))
		return;
	reader_expand(reader, m, EXPAND_FIELDS, e);
	for (size_t i = 0; i < e->extents.count; i++) {
		const struct extent *x = &e->extents.at[i];
		assert_int_equal(x->capture_bit % 4 + x->bits % 4, 0);
		for (uint64_t at = 0; at < x->bits / 4; at++)
			owned[x->capture_bit / 4 + at]++;
	}
}

/* Each nibble has one owner: a message's packets lie in it, its payload is taken
 * once, and the others are counted by their kind. */
static void
check_nibbles(struct decoded *d)
{
	static const struct {
		const char *name;
		enum stp_class class;
	} silent[] = {
	    {"null", STP_CLASS_NULL}, {"null_ts", STP_CLASS_TIME}, {"sender", STP_CLASS_SENDER}};
	const struct decoder_ops *ops = trace_decoder(trace_of(d))->ops;
	uint8_t *classes = stp_classes(d->bytes, d->length);
	uint8_t *spanned = mem_new(2 * d->length + 1), *owned = mem_new(2 * d->length + 1);
	struct reader *reader = reader_new(trace_of(d));
	struct expansion e = {0};
	uint64_t sums[STP_CLASSES] = {0};
	for (size_t i = 0; i < d->messages.count; i++)
		mark(reader, &d->messages.at[i], &e, spanned, owned);
	for (size_t at = 0; at < 2 * d->length; at++) {
		bool payload = classes[at] == STP_CLASS_PAYLOAD;
		bool damage = classes[at] == STP_CLASS_DAMAGE;
		sums[classes[at]]++;
		if ((classes[at] >= STP_CLASS_PACKET && !spanned[at]) || owned[at] != payload ||
		    (damage && spanned[at] < 2))
			fail_msg("%s: nibble %zu of class %u: spanned %u, taken %u times", d->name,
				 at, classes[at], spanned[at], owned[at]);
	}
	for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
		assert_string_equal(ops->silent[i].name, silent[i].name);
		if (d->silent[i] != 4 * sums[silent[i].class])
			fail_msg("%s: %llu bits of %s, not %llu", d->name,
				 (unsigned long long)d->silent[i], silent[i].name,
				 4 * (unsigned long long)sums[silent[i].class]);
	}
	assert_int_equal(ops->silent_count, sizeof silent / sizeof *silent);
	expansion_free(&e);
	reader_free(reader);
	free(classes);
	free(spanned);
	free(owned);
}

/* What decides the exit status is what all messages tell, and what -t stats counts
 * is what the walk passed over. */
static void
check_status(struct decoded *d)
{
	struct trace *trace = trace_of(d);
	struct doubts all = {0};
	struct expansion e = {0};
	struct reader *reader = reader_new(trace);
	for (size_t i = 0; i < d->messages.count; i++) {
		reader_expand(reader, &d->messages.at[i], EXPAND_BARE, &e);
		doubts_add_flags(&all, d->messages.at[i].flags | e.flags);
	}
	const struct decoder_ops *ops = trace_decoder(trace)->ops;
	for (size_t i = 0; i < ops->silent_count; i++)
		if (ops->silent[i].undecoded)
			all.count[DOUBT_UNDECODED] += d->silent[i] / 8;
	struct writer writer = {.file = STDOUT_FILENO, .is_direct = true};
	struct export_options options = {
	    .format = export_find("none"), .filter = filter_all(), .output = &writer};
	struct export_result result;
	struct err err = {0};
	assert_int_equal(export_run(&d->session, &options, &result, &err), 0);
	assert_int_equal(result.messages, d->messages.count);
	assert_memory_equal(&result.doubts, &all, sizeof all);
	struct message message;
	while (reader_walk(reader, &message, 1))
		continue;
	assert_memory_equal(reader_silent(reader), d->silent, sizeof d->silent);
	uint64_t silent[DECODE_SILENT_MAX];
	trace_build(trace);
	doubts_read_silent(trace, silent);
	assert_memory_equal(silent, d->silent, sizeof d->silent);
	expansion_free(&e);
	reader_free(reader);
}

static bool
is_good(struct decoded *d)
{
	struct doubts doubts = {0};
	for (size_t i = 0; i < d->messages.count; i++)
		doubts_add_flags(&doubts, d->messages.at[i].flags);
	return !doubts_are_bad(&doubts);
}

static void
account(const struct kind *kind, struct folder *folder, const char *name, const uint8_t *bytes,
	size_t length, uint64_t *seed)
{
	struct decoded d;
	decoded_open(&d, kind, folder, name, bytes, length);
	walk(&d, seed);
	if (kind->layout == NIBBLES)
		check_nibbles(&d);
	else
		check_bytes(&d);
	check_status(&d);
	decoded_close(&d);
}

/* A capture that is good, and ends amid a message: that is seen. */
static void
check_end(const struct kind *kind, struct folder *folder, const char *name, const uint8_t *bytes,
	  size_t length, uint64_t *seed)
{
	struct decoded d, cut;
	decoded_open(&d, kind, folder, name, bytes, length);
	walk(&d, seed);
	for (int i = 0; i < MANGLED && is_good(&d) && d.messages.count; i++) {
		const struct message *m = &d.messages.at[random_below(seed, d.messages.count)];
		if (m->length < 2 || m->flags & MESSAGE_FILLER)
			continue;
		size_t end = (size_t)m->offset + 1 + random_below(seed, m->length - 1);
		decoded_open(&cut, kind, folder, name, bytes, end);
		walk(&cut, seed);
		if (is_good(&cut))
			fail_msg("%s: good, though it ends at %zu", name, end);
		decoded_close(&cut);
	}
	decoded_close(&d);
}

/* --- the tests ---------------------------------------------------------- */

static void
make_by_program(const struct kind *kind, struct folder *folder, uint64_t seed, struct text *out)
{
	struct text command = {0};
	const char *path = folder_path(folder, "made");
	text_addf(&command, "tests/mkcapture %s --seed=%llu -o %s", kind->arguments,
		  (unsigned long long)seed, path);
	if (system(text_get(&command)) != 0)
		fail_msg("%s", text_get(&command));
	char bytes[65536];
	int file = open(path, O_RDONLY);
	assert_true(file >= 0);
	for (ssize_t got; (got = read(file, bytes, sizeof bytes)) > 0;)
		text_add_bytes(out, bytes, (size_t)got);
	close(file);
	text_free(&command);
}

/* Calls EACH with every kind of capture, made anew from many seeds. */
static void
with_captures(void (*each)(const struct kind *, struct folder *, const char *name, struct text *,
			   uint64_t *seed))
{
	for (unsigned run = 0; run < test_runs(RUNS) * KINDS; run++) {
		const struct kind *kind = &kinds[run % KINDS];
		struct folder folder;
		struct text capture = {0};
		char name[64];
		uint64_t seed = run;
		snprintf(name, sizeof name, "%s, run %u", kind->format, run);
		folder_make(&folder);
		if (kind->make)
			kind->make(&capture, &seed);
		else
			make_by_program(kind, &folder, seed, &capture);
		each(kind, &folder, name, &capture, &seed);
		text_free(&capture);
		folder_remove(&folder);
	}
}

static void
account_all(const struct kind *kind, struct folder *folder, const char *name, struct text *capture,
	    uint64_t *seed)
{
	uint8_t *bytes = mem_new(capture->length + 1);
	account(kind, folder, name, (const uint8_t *)capture->data, capture->length, seed);
	for (int i = 0; i < MANGLED; i++) {
		memcpy(bytes, capture->data, capture->length);
		size_t length = mangle(bytes, capture->length, seed);
		account(kind, folder, name, bytes, length, seed);
	}
	free(bytes);
}

static void
cut_end(const struct kind *kind, struct folder *folder, const char *name, struct text *capture,
	uint64_t *seed)
{
	if (kind->tells_end)
		check_end(kind, folder, name, (const uint8_t *)capture->data, capture->length,
			  seed);
}

static void
test_account(void **state)
{
	(void)state;
	with_captures(account_all);
}

static void
test_end(void **state)
{
	(void)state;
	with_captures(cut_end);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_account),
	    cmocka_unit_test(test_end),
	};
	return cmocka_run_group_tests_name("account", tests, NULL, NULL);
}
