/*
 * The decoder contract: how bytes of a capture become messages.
 *
 * A decoder is one transport and one protocol together: SyS-T over STP, SyS-T
 * in hex lines, E-Trace in its encapsulation.  The same code serves the
 * screen, the index builders, batch output, tests and fuzzers.  Two calls
 * carry it:
 *
 *   step    finds message boundaries.  Cheap: fills many small fixed structs
 *	     per call, allocates nothing per message, makes no text, never
 *	     needs collateral, and always makes progress.
 *   expand  makes fields and text of one message that is shown or written.
 *
 * Damage is never an error of these calls: bytes that do not follow the
 * format become messages flagged as such, so that nothing is hidden.  Every
 * bit of a capture is in a message or is silent: of a kind that the format's
 * table names, and that the state counts.
 *
 * Threads: a struct decoder is immutable once opened and may be shared; a
 * struct decode_state and a struct expansion belong to one thread.
 * Ownership: everything a call returns lives in what the caller passed.
 */
#ifndef TRAWL_DECODE_DECODER_H
#define TRAWL_DECODE_DECODER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/option.h"
#include "base/text.h"
#include "base/vec.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The SyS-T scale [SyS-T 1.0, "Severity"], for every format.
 * MAX means unassigned: such messages bypass a threshold. */
enum severity {
	SEVERITY_MAX,
	SEVERITY_FATAL,
	SEVERITY_ERROR,
	SEVERITY_WARNING,
	SEVERITY_INFO,
	SEVERITY_USER1,
	SEVERITY_USER2,
	SEVERITY_DEBUG,
	SEVERITY_COUNT
};

enum message_flag {
	/* shown to users, in this order, under these names in lower case */
	MESSAGE_DAMAGED = 1 << 0,   /* bytes that are not what they should be */
	MESSAGE_LOST = 1 << 1,	    /* something is missing before or in it */
	MESSAGE_TRUNCATED = 1 << 2, /* its end is missing */
	MESSAGE_SUSPECT = 1 << 3,   /* probably not what was sent */
	MESSAGE_ESTIMATED = 1 << 4, /* its time or extent is a guess */
	MESSAGE_SYNC = 1 << 5,	    /* a sync point: ties two clocks */
	/* for the program itself */
	MESSAGE_RESYNC = 1 << 8,       /* a resync point: decoding can start here */
	MESSAGE_TIMED = 1 << 9,	       /* `ticks` is valid */
	MESSAGE_SCATTERED = 1 << 10,   /* stands where its last byte does */
	MESSAGE_FILLER = 1 << 11,      /* a run of bytes that say nothing */
	MESSAGE_CHECKED = 1 << 12,     /* expand looks at a checksum or format: may be damaged */
	MESSAGE_SENDER_TIMED = 1 << 13 /* `sender_ticks` is valid */
};
/* Any of them: bytes or messages are missing, which `~` shows. */
#define MESSAGE_LOSS (MESSAGE_DAMAGED | MESSAGE_LOST | MESSAGE_TRUNCATED)
#define MESSAGE_FLAGS_SHOWN 6
#define MESSAGE_FLAGS_DOUBT 4 /* of them, those of what may not be right */

/*
 * One message.  The offset of its ID, which never decreases along a trace, is that
 * of its first byte, or of its last one where MESSAGE_SCATTERED says that
 * bytes of other messages lie between; messages at the same offset keep their
 * order.
 */
struct message {
	uint64_t offset; /* first byte, from the start of the capture */
	uint64_t ticks;	 /* the transport's time, else its own; if TIMED, else the
			    decoder's own */
	uint64_t origin; /* raw key of the sender; equal keys, same sender, and
			    same text of it unless decoder.origin_varies */
	uint64_t aux;	 /* the decoder's own, for expand */
	/* the sender's own timestamp, on its own clock, where a transport's stands beside
	 * it; if SENDER_TIMED, else not set */
	uint64_t sender_ticks;
	uint32_t length; /* bytes from the first to the last touched, >= 1
			    (0 for a note about the end of the capture) */
	uint16_t flags;	 /* enum message_flag */
	uint8_t kind;	 /* row of the decoder's kind table, < 64 */
	uint8_t severity;
};

static inline uint64_t
message_id_offset(const struct message *m)
{
	return m->flags & MESSAGE_SCATTERED ? m->offset + m->length - 1 : m->offset;
}

/* Whether both are copies of the same message of a trace. */
static inline bool
message_is_same(const struct message *a, const struct message *b)
{
	return a->offset == b->offset && a->length == b->length && a->kind == b->kind &&
	       a->aux == b->aux && a->ticks == b->ticks && a->origin == b->origin;
}

/*
 * Bytes of a capture in memory.  `until` bounds a step: it stops before the
 * first message whose ID offset is at or past it (UINT64_MAX: no bound), which is
 * how a cell of the index gets exactly its own messages.  `last` says that no
 * byte will ever follow the window: what is incomplete then is truncated.
 */
struct payloads;
struct window {
	const uint8_t *bytes;
	uint64_t offset; /* of bytes[0] in the capture */
	size_t length;
	uint64_t until;
	bool last;
	struct decode_check *check; /* of step alone; or NULL */
	/* or NULL: step may keep payloads of messages there, for expand and sift */
	struct payloads *payloads;
};

/* Lets step look at what EXPAND_FLAGS would find, where that costs little on the way.  A
 * message of which it is sure loses MESSAGE_CHECKED; all others are left to expand. */
struct decode_check {
	uint8_t severities; /* messages of these are looked at, a bit each */
	bool unnamed;	    /* set where one is, as in struct expansion */
};

enum { DECODE_SILENT_MAX = 8 };

/*
 * Where decoding stands.  Decoders put this first in a larger struct of plain
 * data, which may own memory but never points into a window.  Made by
 * decode_state_new(); positioned by start, restore or resync.
 *
 * `silent` counts the bits that step consumed for no message, by row of the
 * decoder's table.  The sums hold for a walk from start to the end in one go:
 * checkpoints do not keep them, and what restore, resync and shift leave there
 * means nothing.  What step adds from a checkpoint on is what it adds in such a
 * walk, save where the decoder says `silent_repeats`.  A bit that a message covers
 * too is counted only where it belongs to none: NULL packets between the packets
 * of a message over STP.
 */
struct decode_state {
	uint64_t offset; /* everything before is decoded; step reads from here */
	uint64_t passed; /* breaks of the capture before here are; see index/step.h */
	uint64_t silent[DECODE_SILENT_MAX];
};

/* --- fields ------------------------------------------------------------ */

enum field_type {
	FIELD_UINT,    /* u; JSON number */
	FIELD_INT,     /* i; JSON number */
	FIELD_HEX,     /* u, at most FIELD_HEX_MAX and no address, shown 0x...; JSON number */
	FIELD_HEXTEXT, /* u, any, shown 0x...; JSON text of the same form */
	FIELD_BOOL,    /* u; JSON true or false */
	FIELD_NUMBER,  /* d; JSON number */
	FIELD_TEXT,    /* s: text as captured, not yet safe for a terminal */
	FIELD_BYTES,   /* s: shown and written as lower-case hex */
	FIELD_LIST,    /* the following deeper fields are its elements */
	FIELD_OBJECT,  /* the following deeper fields are its members */
	FIELD_GROUP    /* a heading of the detail pane; its deeper fields belong
			  to the level of the heading in JSON */
};

/* Many readers of JSON round larger numbers.  Those that people read in decimal
 * (counts, times, arguments) are written in full all the same. */
#define FIELD_HEX_MAX ((uint64_t)1 << 53)

/* Whether a field's value, an integer or text 0x..., is an address in the program
 * that was traced: of its code and data, or of a text it holds. */
enum field_address { FIELD_NO_ADDRESS, FIELD_ADDRESS, FIELD_TEXT_ADDRESS };

/* What symbols tell of a message's first address that has a name, and no decoder does. */
enum field_symbol { FIELD_NO_SYMBOL, FIELD_FUNCTION, FIELD_FILE, FIELD_LINE };

/* What it means that a message of its kinds has no such field. */
enum field_absence {
	FIELD_ABSENT,	       /* there is nothing to say */
	FIELD_ABSENT_LOST,     /* if the message is flagged lost: it was in what is lost */
	FIELD_ABSENT_UNMATCHED /* session field: another trace has it, if `matched` */
};

/* What of a message a field is of: detail shows the head and the transport last, closed. */
enum field_part { FIELD_BODY, FIELD_HEAD, FIELD_TRANSPORT };

/* One row of a format's field table: the source of columns, filter names,
 * the detail tree, exports and the manual. */
struct field_row {
	const char *name; /* in JSON and filters: lower case, [a-z0-9_] */
	enum field_type type;
	const char *help;	   /* one sentence, no full stop */
	uint8_t digits;		   /* least hex digits shown, 0 = as needed */
	bool folded;		   /* its tree starts closed in detail */
	bool detail;		   /* shown in detail only, not exported */
	enum field_part part;	   /* of a field that is in no other */
	const char *const *values; /* names of the values 0.. or NULL */
	size_t value_count;
	uint64_t kinds;		    /* of message that can have it, a bit each; 0 = any */
	enum field_absence absence; /* in those */
	enum field_address address;
	enum field_symbol symbol;
	const char *instead; /* the field that has the same where this was lost */
	bool argument;	     /* of a text with conversions; see argument.h */
};

/* The rows of symbols, which a table of fields that has FIELD_ADDRESS ends with. */
enum { FIELD_SYMBOLS = 3 };
#define FIELD_SYMBOL_ROWS(first)                                                                   \
	[first] = {"function", FIELD_TEXT, "function that its address lies in, by `symbols`",      \
		   .symbol = FIELD_FUNCTION},                                                      \
	[(first) + 1] = {"file", FIELD_TEXT, "source file of its address, by `symbols`",           \
			 .symbol = FIELD_FILE},                                                    \
	[(first) + 2] = {"line", FIELD_UINT, "source line of its address, by `symbols`",           \
			 .symbol = FIELD_LINE}

enum field_place {
	FIELD_NOWHERE, /* computed, no bytes of its own */
	FIELD_PAYLOAD, /* bits of the assembled payload */
	FIELD_CAPTURE  /* bits of the capture (what the transport added) */
};

struct field {
	const struct field_row *row;
	uint8_t depth; /* 0 = top */
	uint8_t place; /* enum field_place */
	uint32_t bits;
	uint64_t bit; /* first bit, LSB of each byte first */
	union {
		uint64_t u;
		int64_t i;
		double d;
		struct {
			const char *at;
			size_t length;
		} s;
	};
	const char *note;     /* what the value means, safe ASCII, or NULL */
	const char *label;    /* for people, instead of the row's name; not safe; or NULL */
	const char *argument; /* of an argument its name, or ""; else NULL; see argument.h */
};

/* How payload bits lie in the capture, in payload order. */
enum extent_form {
	EXTENT_PLAIN,	 /* bit for bit */
	EXTENT_REVERSED, /* nibbles in reverse order (STP, most significant first) */
	EXTENT_HEX	 /* two ASCII digits per byte, high digit first */
};

struct extent {
	uint64_t payload_bit;
	uint64_t capture_bit; /* 8 * offset + bit, LSB of each byte first */
	uint32_t bits;	      /* of payload */
	enum extent_form form;
};

/* What expand makes.  Zero-initialise, reuse, expansion_free at the end;
 * everything in it lives until the next expand with it. */
struct expansion {
	struct arena arena;
	struct text text;	/* the message's text, as captured: not safe yet */
	struct text type;	/* as in the type column: `STRING:GENERIC` */
	struct text origin;	/* who sent it, for people */
	const uint8_t *payload; /* the protocol's bytes, assembled */
	size_t payload_length;
	VEC(struct extent) extents;
	VEC(struct field) fields; /* a tree, in preorder */
	unsigned depth;		  /* of the next field added */
	unsigned flags;		  /* enum message_flag found only now (a bad CRC) */
	bool unnamed;		  /* its number stands for a text that no loaded file has */
	/* set by the caller of expand: fields whose rows are `detail`, and labels, may be
	 * missing */
	bool exported;
};

enum expand_want {
	EXPAND_FLAGS, /* `flags` and `unnamed`; the rest may be missing */
	EXPAND_BARE,  /* text; the rest may be missing */
	EXPAND_TYPE,  /* text, type; the origin may be missing */
	EXPAND_TEXT,  /* text, type, origin */
	/* fields too, but for those that are detail; of reader_expand alone: decoders are
	 * asked for EXPAND_FIELDS, and the expansion is `exported` */
	EXPAND_EXPORTED,
	EXPAND_FIELDS /* all fields */
};

/* What expand may look up about the messages before one. */
struct decode_history {
	void *context;
	/* The value that BEFORE's sender last announced (SyS-T: the build
	 * number that came last with GUID).  False if there is none. */
	bool (*build)(void *context, const struct message *before, const uint8_t guid[16],
		      uint64_t *value);
	/* Calls EACH with messages before BEFORE, latest first, until it
	 * returns false: those of the same origin with one of KINDS (a bit
	 * each), and those of any origin with one of FLAGS.  False: to go on
	 * would take too long now, so there may be more. */
	bool (*walk_back)(void *context, const struct message *before, uint64_t kinds,
			  uint16_t flags, bool (*each)(void *, const struct message *),
			  void *each_context);
	/* Knows what decode_last would find without walking back: FOUND, of
	 * length 0 if there is nothing.  KINDS are the same at every call.
	 * False: it is not known.  May be NULL. */
	bool (*last)(void *context, const struct message *before, uint64_t kinds,
		     struct message *found);
	/* memory_size bytes for the decoder to remember what it found; zeroed
	 * at first, kept from one expand to the next. */
	void *memory;
};

/* What a message says of the cycles that a processor counts: what lies between
 * two times of it can be measured by them. */
struct decode_cycles {
	uint64_t source; /* which processor */
	uint64_t count;	 /* cycles since the last count, or 0 */
	bool before;	 /* the message was sent before those went by */
	bool carried;	 /* by a message that is more than a count; where such ones are,
			    counts of times are to be added up, else the next has them too */
	bool ends;	 /* what comes next cannot be counted from what came before */
	bool marks;	 /* the next time of this processor is that of this message */
	bool renews;	 /* the rate of cycles changed here */
};

/* --- decoders ---------------------------------------------------------- */

struct kind_row {
	const char *name; /* as in filters; lower case */
	const char *help;
};

/* Bits that belong to no message, and why not. */
struct silent_row {
	const char *name; /* in `-t stats`; lower case, [a-z0-9_] */
	const char *help; /* what they are; no full stop */
	bool undecoded;	  /* they may well hold messages: a capture with such is not good */
};

/* A context that messages of a format carry, as an entry of `contexts:` of a profile
 * would say it. */
struct context_row {
	const char *name;
	const char *field;	 /* its value */
	const char *type;	 /* of the messages; NULL: any */
	const char *key, *value; /* a field and what it must be; NULL: any */
	bool per_trace;		 /* it holds for all origins of the trace */
};

/* Who sent a message, as `origins:` of a profile names it. */
struct origin_identity {
	bool numbered;
	uint64_t number;  /* `id`: its number in the trace */
	const char *guid; /* `guid` in 8-4-4-4-12 form, or NULL: as the field of that name */
};

/* What scores mean.  Below DECODE nothing is decoded unless the format is given;
 * from there to CERTAIN it is decoded and called a guess.  CERTAIN is a signature, a
 * checksum or grammar that nothing else has. */
enum { PROBE_DECODE = 50, PROBE_CERTAIN = 90 };

/* A way to read a capture, and what speaks for it. */
struct probe {
	int score;	   /* 0 cannot be .. 100 certain */
	char reason[160];  /* the evidence, for people */
	char settings[96]; /* options that differ from what is set, `NAME: VALUE, ...` */
	bool plain;	   /* text without anything of the format, which shows it line by line */
};

struct decoder {
	const struct decoder_ops *ops;
	double hz;	 /* ticks per second of message.ticks, 0 = unknown; set by open */
	bool unix_epoch; /* ticks count from 1970-01-01 00:00 UTC */
	bool untimed;	 /* no message has ticks; set by open */
	/* ticks per second, from 1970 on, of the senders' own timestamps beside the
	 * transport's; 0 = none, or unknown; set by open */
	double timestamp_hz;
	int guessed; /* score of the settings that open found by itself, 0 = found none */
	_Atomic bool needs_history; /* text depends on earlier messages; set by load */
	/* kinds of messages, a bit each, whose sender does too, or is not told by the key of
	 * the origin alone; set by open and load */
	_Atomic uint64_t origin_varies;
	const char *mark;  /* for the title: a doubt about messages that none of them shows, in
			      a word or two, or NULL; set by open */
	const char *about; /* for people: how the capture is decoded, a sentence a line, or
			      NULL; set by open */
	/* files that step and expand read, beside the capture; set by open */
	const struct file_stamp *stamps;
	size_t stamp_count;
};

enum {
	CHECKPOINT_MAX = 128,
	DECODE_KINDS_MAX = 63,
	/* of no decoder: what is missing of a capture, see index/step.h */
	DECODE_KIND_LOSS = DECODE_KINDS_MAX
};

/* Who names addresses of the program that was traced: NAME appends the name of one, or
 * returns false. */
struct decoder_names {
	bool (*name)(void *context, uint64_t address, struct text *);
	void *context;
};

/* What helps people to set a format up; each may be NULL. */
struct decoder_guide {
	/* Appends the format's settings in an entry of `traces:` to start from (YAML
	 * with comments, indented by 4), made from what the head shows; false, and
	 * nothing appended, if it shows too little.  NULL: captures of this format
	 * need none. */
	bool (*propose)(const struct window *head, struct text *profile);

	/* Says what is in a capture that begins with HEAD: appends to ABOUT, a line
	 * each, what it holds, and to MISSING, in one line, what is missing to read it
	 * well, and what to do.  Addresses have the names that NAMES, which may be NULL,
	 * knows. */
	void (*survey)(const struct decoder *, const struct window *head,
		       const struct decoder_names *names, struct text *about, struct text *missing);
};

/* What a capture consists of below its messages, listed from its beginning. */
struct decoder_listing {
	const char *name; /* as an output */
	/* Calls TAKE with each line, its end included, until it returns false.  The window
	 * is the whole capture. */
	void (*list)(const struct decoder *, const struct window *,
		     bool (*take)(void *context, const struct text *line), void *context);
};

/* One of several traces in a capture, each of which is opened by itself. */
struct decoder_part {
	const char *format;
	char settings[32]; /* as in struct probe */
	char name[16];	   /* it is added to the capture's */
};

struct clock_source;

/* Whose memory is meant: that of the processor ORIGIN in a context; 0: in any. */
struct decode_memory {
	uint64_t origin;
	uint32_t context_id, vmid;
};

struct flow_modes;
struct flow_packet;
struct sought;
struct sought_answer;
struct summary;

struct decoder_ops {
	const char *format;    /* syst, encap, gem, ... */
	const char *transport; /* raw, hex, stp; NULL where a format has one */
	const char *title;     /* for people */
	const char *help;

	const struct field_row *fields;
	size_t field_count;
	const struct kind_row *kinds; /* at most DECODE_KINDS_MAX */
	size_t kind_count;
	uint64_t kinds_sync;	/* kinds that can carry MESSAGE_SYNC, a bit each */
	uint64_t kinds_resync;	/* and MESSAGE_RESYNC */
	uint64_t kinds_checked; /* and MESSAGE_CHECKED */
	uint64_t origin_none;	/* of messages without a sender: what they lack may be of any */
	const struct silent_row *silent; /* at most DECODE_SILENT_MAX */
	size_t silent_count;		 /* 0: every byte is in a message */
	bool silent_repeats; /* after restore, bits before the checkpoint are counted again */
	bool start_is_free;  /* a started state holds no offset but its own */
	/* what the end of a capture that grows has of a message is one, once nothing comes: its
	 * state goes on within a message */
	bool settles;
	const struct option_table *options;

	/* What there is without a profile.  A format that lacks one of these says why
	 * in a comment of its table, which tests/check_formats.sh looks for. */
	const struct context_row *contexts;
	size_t context_count;
	const char *trigger;		   /* filter: messages that a hardware trigger caused */
	const char *unnamed;		   /* filter: messages whose number no loaded file names */
	const char *alike;		   /* field that says what happened, beside the type */
	const struct clock_source *clocks; /* clock_source.h */

	const struct decoder_guide *guide;     /* or NULL */
	const struct decoder_listing *listing; /* or NULL */

	/* A window with this many bytes from the state's offset on lets step
	 * produce at least one message or consume bytes. */
	size_t reach;
	/* Where resync should start before the offset that matters. */
	size_t run_up;
	size_t state_size;
	size_t checkpoint_size; /* <= CHECKPOINT_MAX */
	size_t memory_size;	/* of decode_history.memory */

	/* How well the head of a capture (its first 64 KiB or so) fits. */
	void (*probe)(const struct window *head, struct probe *);

	/* The ways to read it where the format leaves several open, best first; fills
	 * at most MAX and returns how many.  NULL: only the one that probe finds. */
	size_t (*candidates)(const struct window *head, struct probe *, size_t max);

	/* Opens for a capture that starts with HEAD (which only lives for the
	 * call; it may be empty).  OPTIONS is a struct as `options` describes,
	 * and must outlive the decoder.  NULL on error. */
	struct decoder *(*open)(const void *options, const struct window *head, struct err *);
	void (*close)(struct decoder *);

	/* Fills the I-th of the traces that the capture has, where these are several and the
	 * options do not say which one is meant; false if there are not so many.  NULL: there
	 * is always one. */
	bool (*part)(const struct decoder *, size_t i, struct decoder_part *);

	/* Loads what is needed for text only (SyS-T collateral).  May be slow;
	 * one thread at a time, while others expand.  Returns the number of
	 * files loaded; the first error goes to ERR, the rest still load.
	 * NULL: nothing to load. */
	int (*load)(struct decoder *, struct err *);

	/* Positions a state at the start of the capture. */
	void (*start)(const struct decoder *, struct decode_state *);
	/* Frees what a state owns besides itself; NULL: nothing. */
	void (*release)(struct decode_state *);
	/* Exactly checkpoint_size bytes that restore turns into an equal state
	 * for all that comes after. */
	void (*save)(const struct decoder *, const struct decode_state *, uint8_t *);
	void (*restore)(const struct decoder *, struct decode_state *, const uint8_t *);
	/* Moves a state BYTES on as if that much of the same had been decoded:
	 * how holes of sparse files are skipped once two equal blocks of them
	 * have given equal messages.  NULL: not possible. */
	void (*shift)(struct decode_state *, uint64_t bytes);

	/* Decodes from the state's offset, which lies in the window or at its
	 * end; fills at most MAX messages and returns how many.  Fewer than
	 * MAX: the window, `until` or the capture ends here (decode_at_end
	 * tells).  Bits that belong to no message are consumed, and counted in
	 * `silent` of the state. */
	size_t (*step)(const struct decoder *, struct decode_state *, const struct window *,
		       struct message *out, size_t max);

	/* Steps as far as the window, `until` or the capture goes and adds to a summary
	 * (summary.h) what step's messages would add: the same counts, kinds, flags and
	 * times, in the same order, without filling them.  The rules of progress, damage
	 * and silent bits are step's; afterwards the state is the same.  NULL: nothing is
	 * gained, step's messages are counted. */
	void (*summarise)(const struct decoder *, struct decode_state *, const struct window *,
			  struct summary *);

	/* Positions the state at the first boundary in the window that is
	 * certain, or likely where the format has no sync; the caller steps
	 * from there and uses what comes run_up later.  0, or ERR_SYNC. */
	int (*resync)(const struct decoder *, struct decode_state *, const struct window *);

	/* Expands M; the window covers it.  HISTORY may be NULL. */
	void (*expand)(const struct decoder *, const struct message *, const struct window *,
		       enum expand_want, const struct decode_history *, struct expansion *);

	/* Says what is known of M's text and type without making them, in ANSWER, which
	 * begins as {0}: nothing.  The window covers M, which is none of the session's own
	 * (DECODE_KIND_LOSS); nothing may be sought (NULL).  No `sift`: nothing is ever
	 * known. */
	void (*sift)(const struct decoder *, const struct message *, const struct window *,
		     struct sought *, struct sought_answer *);

	/* Numbers of the types of COUNT messages: those of the decoder that have the same have
	 * the same type.  KEYED becomes false where that is not sure, and where it is, nothing
	 * is asked.  The window and the messages are as for sift.  No `type_keys`: that is
	 * never sure. */
	void (*type_keys)(const struct decoder *, const struct message *, size_t count,
			  const struct window *, uint64_t *keys, bool *keyed);

	/* Where M's text stands in the window as it is, and its LENGTH; NULL: nowhere, or that
	 * is not sure.  The window and M are as for sift.  No `text`: that is never sure. */
	const char *(*text)(const struct decoder *, const struct message *, const struct window *,
			    size_t *length);

	/* As what (enum sought_look, a bit each) a needle that is in the text or the type of a
	 * message of one of KINDS (a bit each), sound and with none but FLAGS, stands in the
	 * message's bytes in the capture as well, so that one starts in no other message; 0: that
	 * is not sure.  NULL: it never is. */
	unsigned (*in_place)(const struct decoder *, struct sought *, uint64_t kinds,
			     unsigned flags);

	/* Who sent M; the struct is zeroed.  NULL: senders of this format have
	 * no numbers. */
	void (*identify_origin)(const struct decoder *, const struct message *m,
				struct origin_identity *);

	/* Whether all messages of M's origin in which no bytes are missing have what M has in
	 * one of the fields, or all nothing.  NULL: that is never sure. */
	bool (*origin_tells)(const struct message *m, const struct field_row *);

	/* What M says of cycles; false: it is no processor's.  NULL: nothing in
	 * this format is. */
	bool (*cycles)(const struct message *m, struct decode_cycles *);

	/* Fills what M, which the window covers, says of the flow of control (flow_packet.h);
	 * its processor is the message's origin.  NULL: this format says nothing of it, or
	 * the program is not followed.  MODES are those of the processor before M; NULL: those
	 * that it begins with. */
	void (*flow)(const struct decoder *, const struct message *m, const struct window *,
		     const struct flow_modes *modes, struct flow_packet *);
	uint8_t flow_form; /* enum flow_form: which packets `flow` fills */

	/* The bytes of program memory at ADDRESS, as a processor saw it in a context, of which
	 * *LENGTH follow each other; NULL if there are none.  They live as long as the decoder.
	 * NULL: this format has no memory of programs; it is in `symbols:`. */
	const uint8_t *(*memory)(const struct decoder *, const struct decode_memory *,
				 uint64_t address, size_t *length);

	/* Kinds of message that announce something for later ones (a bit each),
	 * and what such a message announces: a build number for a sender's
	 * GUID; false if nothing. */
	uint64_t kinds_history;
	bool (*announces)(const struct decoder *, const struct message *, const struct window *,
			  uint8_t guid[16], uint64_t *build);

	/* Appends the row that the tool which the format is known by would print, without
	 * a line end; false: it prints none.  E is the message's expansion, which may
	 * change.  `printer` is the name of such rows as an output; NULL: no such tool. */
	const char *printer;
	bool (*print)(const struct decoder *, const struct message *, const struct window *,
		      struct expansion *e, struct text *out);
};

/* --- helpers for callers ----------------------------------------------- */

extern const struct kind_row decode_kind_loss;

/* The I-th kind that messages of a decoder may have, DECODE_KIND_LOSS last, and its
 * number; NULL if there are not so many. */
const struct kind_row *decoder_kind(const struct decoder_ops *, size_t i, unsigned *kind);

/* The row of a message's kind, whatever it is. */
const struct kind_row *message_kind(const struct decoder_ops *, const struct message *);

const char *severity_name(enum severity);    /* FATAL */
char severity_letter(enum severity);	     /* - F E W I 1 2 D */
int severity_parse(const char *name);	     /* name or number; negative if neither */
const char *message_flag_name(unsigned bit); /* 0 .. MESSAGE_FLAGS_SHOWN - 1 */

struct decode_state *decode_state_new(const struct decoder *);

/* Whether decoding can begin at any offset as if the capture began there, and that: for a
 * state that was used. */
bool decoder_starts_anywhere(const struct decoder_ops *);
void decode_state_start_at(const struct decoder *, struct decode_state *, uint64_t offset);
void decode_state_free(const struct decoder *, struct decode_state *);

/* Whether a step that filled less than asked has reached the end of all. */
static inline bool
decode_at_end(const struct decode_state *state, const struct window *w)
{
	return w->last && state->offset >= w->offset + w->length;
}

/* --- helpers for decoders ---------------------------------------------- */

/* The last message before BEFORE of its origin with one of KINDS that is not
 * damaged; false if there is none, or to look for it would take too long. */
bool decode_last(const struct decode_history *, const struct message *before, uint64_t kinds,
		 struct message *found);

/* decoder_ops of formats whose state is plain data, zero at the start of a capture and
 * its own checkpoint: the offset, then what lies behind struct decode_state.  Close is
 * for decoders that own nothing but their struct. */
#define DECODE_SAVED_SIZE(type) (sizeof(type) - sizeof(struct decode_state) + sizeof(uint64_t))
void decode_plain_start(const struct decoder *, struct decode_state *);
void decode_plain_save(const struct decoder *, const struct decode_state *, uint8_t *out);
void decode_plain_restore(const struct decoder *, struct decode_state *, const uint8_t *saved);
void decode_plain_shift(struct decode_state *, uint64_t bytes);
void decode_plain_close(struct decoder *);

/* Where a run of like bytes that starts at START is cut: the first multiple
 * of 64 KiB at least 64 bytes on. */
static inline uint64_t
decode_run_cut(uint64_t start)
{
	return (start + 64 + 0xffff) & ~(uint64_t)0xffff;
}

void expansion_clear(struct expansion *);
void expansion_free(struct expansion *);

/* Adds a field at the current depth and returns it to be filled. */
struct field *expansion_add(struct expansion *, const struct field_row *, enum field_place,
			    uint64_t bit, uint32_t bits);
/* Opens and closes a level: fields added between are deeper. */
struct field *expansion_open(struct expansion *, const struct field_row *, enum field_place,
			     uint64_t bit, uint32_t bits);
void expansion_close(struct expansion *);

/* Calls EACH for the capture bits of a field, in pieces of whole nibbles. */
void expansion_locate(const struct expansion *, const struct field *,
		      void (*each)(void *context, uint64_t capture_bit, uint32_t bits),
		      void *context);

/* The first field of that name, or NULL. */
const struct field *expansion_find(const struct expansion *, const char *name);

/* What the value means: its note, or its name in the row's list; or NULL. */
const char *field_meaning(const struct field *);

/* The value as people read it (raw, without its note), appended; texts are
 * not made safe. */
void field_format(const struct field *, struct text *);

#endif
