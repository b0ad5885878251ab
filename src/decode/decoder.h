/*
 * The decoder contract: how bytes of a capture become messages.
 *
 * A decoder is one transport and one protocol together: SyS-T over STP, SyS-T
 * in hex lines, E-Trace in its encapsulation.  The same code serves the screen,
 * the index workers, batch output, tests and fuzzers.  Two calls do most of the
 * work:
 *
 *   step    finds message boundaries.  It fills many small fixed structs per call and
 *           always makes progress.  It allocates nothing per message, builds no text,
 *           and needs no collateral.
 *   expand  builds fields and text of one message that is shown or written.
 *
 * Damage is never an error of these calls.  Bytes that break the format become
 * flagged messages, so nothing is hidden.  Every bit of a capture is in a
 * message or is silent: the state counts it in a row of the format's table.
 *
 * Threads: a struct decoder never changes after open and may be shared.  A
 * struct decode_state and a struct expansion belong to one thread.  Ownership:
 * all results live in the structs that the caller passes.
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

/* The SyS-T scale [SyS-T 1.0, "Severity"], for every format.  MAX is a value in a message's
 * header: such messages pass every threshold.  NONE is for messages that contain no severity at
 * all: thresholds hide them. */
enum severity {
	SEVERITY_MAX,
	SEVERITY_FATAL,
	SEVERITY_ERROR,
	SEVERITY_WARNING,
	SEVERITY_INFO,
	SEVERITY_USER1,
	SEVERITY_USER2,
	SEVERITY_DEBUG,
	SEVERITY_NONE,
	SEVERITY_COUNT
};

enum { SEVERITY_ALL = (1 << SEVERITY_COUNT) - 1 }; /* the set of all, a bit each */

enum message_flag {
	/* shown to users in this order, under these names in lower case */
	MESSAGE_DAMAGED = 1 << 0,   /* bytes that break the format */
	MESSAGE_LOST = 1 << 1,	    /* something is missing before or in it */
	MESSAGE_TRUNCATED = 1 << 2, /* its end is missing */
	MESSAGE_SUSPECT = 1 << 3,   /* probably differs from the message that was sent */
	MESSAGE_ESTIMATED = 1 << 4, /* time or extent is estimated */
	MESSAGE_SYNC = 1 << 5,	    /* sync point: ties two clocks */
	/* for internal use */
	MESSAGE_RESYNC = 1 << 8,     /* resync point: decoding can start here */
	MESSAGE_TIMED = 1 << 9,	     /* `ticks` is valid */
	MESSAGE_SCATTERED = 1 << 10, /* other bytes lie between its own; ordered by its last byte */
	MESSAGE_FILLER = 1 << 11,    /* run of bytes without content */
	MESSAGE_CHECKED = 1 << 12,   /* expand checks a checksum or format and may flag damage */
	MESSAGE_SENDER_TIMED = 1 << 13 /* `sender_ticks` is valid */
};
/* If one is set, bytes or messages are missing, and the screen shows `~`. */
#define MESSAGE_LOSS (MESSAGE_DAMAGED | MESSAGE_LOST | MESSAGE_TRUNCATED)
#define MESSAGE_FLAGS_SHOWN 6
#define MESSAGE_FLAGS_DOUBT 4 /* these four mark messages that may be wrong */

/*
 * One message.  Its ID offset is the first byte, or the last byte if
 * MESSAGE_SCATTERED is set.  ID offsets never decrease along a trace.  Messages
 * at the same offset keep their order.
 */
struct message {
	uint64_t offset; /* first byte, from the start of the capture */
	/* transport time, else sender time; for the decoder's use unless MESSAGE_TIMED */
	uint64_t ticks;
	/* raw key of the sender; equal keys mean the same sender, with the same text unless
	 * decoder.origin_varies */
	uint64_t origin;
	uint64_t aux; /* for the decoder's use in expand */
	/* sender time on the sender's clock, if `ticks` is a transport time; unset without
	 * MESSAGE_SENDER_TIMED */
	uint64_t sender_ticks;
	/* bytes from the first to the last one, >= 1 (0 for a note about the end of the capture) */
	uint32_t length;
	uint16_t flags; /* enum message_flag */
	uint8_t kind;	/* row of the decoder's kind table, < 64 */
	uint8_t severity;
};

static inline uint64_t
message_id_offset(const struct message *m)
{
	return m->flags & MESSAGE_SCATTERED ? m->offset + m->length - 1 : m->offset;
}

/* True if both are copies of the same message of a trace. */
static inline bool
message_is_same(const struct message *a, const struct message *b)
{
	return a->offset == b->offset && a->length == b->length && a->kind == b->kind &&
	       a->aux == b->aux && a->ticks == b->ticks && a->origin == b->origin;
}

/*
 * Bytes of a capture in memory.  A step stops before the first message with an
 * ID offset of `until` or more (UINT64_MAX: no bound), so a cell of the index
 * gets exactly its own messages.  `last` is set if no byte will ever follow the
 * window: incomplete messages are then truncated.
 */
struct window {
	const uint8_t *bytes;
	uint64_t offset; /* of bytes[0] in the capture */
	size_t length;
	uint64_t until;
	bool last;
	struct decode_check *check; /* for step only; or NULL */
};

/* Checks of EXPAND_FLAGS that step makes where they cost little.  If step is sure about a
 * message, it clears MESSAGE_CHECKED.  expand checks the others. */
struct decode_check {
	uint16_t severities; /* severities to check, a bit each */
	bool unnamed;	     /* set if a message is unnamed, as in struct expansion */
};

enum { DECODE_SILENT_MAX = 8 };

/*
 * Decoding position.  A decoder puts this first in a larger struct of plain
 * data.  That struct may own memory but never points into a window.
 * decode_state_new() makes it; start, restore or resync position it.
 *
 * `silent` counts bits that step consumed for no message, by row of the
 * decoder's table.  The sums are right only for one walk from start to end.
 * Checkpoints do not keep them, and restore, resync and shift leave them
 * undefined.  From a checkpoint on, step adds the same counts as in a full
 * walk, unless `silent_repeats` is set.  A bit between the bytes of a message
 * counts if it belongs to no message: NULL packets between the packets of a
 * message over STP.
 */
struct decode_state {
	uint64_t offset; /* step reads from here; everything before is decoded */
	uint64_t passed; /* capture breaks before this offset are passed; see index/step.h */
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
	/* heading of the detail pane; in JSON its deeper fields belong to the heading's level */
	FIELD_GROUP
};

/* Many JSON readers round larger numbers.  Numbers that people read in decimal (counts, times,
 * arguments) are written in full anyway. */
#define FIELD_HEX_MAX ((uint64_t)1 << 53)

/* Address in a value, an integer or text 0x...: none, code or data of the traced program, or a
 * text in it. */
enum field_address { FIELD_NO_ADDRESS, FIELD_ADDRESS, FIELD_TEXT_ADDRESS };

/* Symbol fields of a message's first address that has a name.  Decoders do not fill them. */
enum field_symbol { FIELD_NO_SYMBOL, FIELD_FUNCTION, FIELD_FILE, FIELD_LINE };

/* Meaning if a message of the row's kinds has no such field. */
enum field_absence {
	FIELD_ABSENT,	       /* nothing */
	FIELD_ABSENT_LOST,     /* if the message is flagged lost, the field was in the lost bytes */
	FIELD_ABSENT_UNMATCHED /* session field: set by another trace, if `matched` */
};

/* Part of a message.  The detail pane shows head and transport last, and closed. */
enum field_part { FIELD_BODY, FIELD_HEAD, FIELD_TRANSPORT };

/* One row of a format's field table, the source for columns, filter names, the detail tree,
 * exports and the manual. */
struct field_row {
	const char *name; /* in JSON and filters: lower case, [a-z0-9_] */
	enum field_type type;
	const char *help;	   /* one sentence, no full stop */
	uint8_t digits;		   /* least hex digits shown, 0 = as needed */
	bool folded;		   /* tree starts closed in the detail pane */
	bool detail;		   /* only in the detail pane, not exported */
	enum field_part part;	   /* of a top-level field */
	const char *const *values; /* names of the values from 0, or NULL */
	size_t value_count;
	uint64_t kinds;		    /* kinds of message that can have it, a bit each; 0 = any */
	enum field_absence absence; /* meaning if one of `kinds` has no such field */
	enum field_address address;
	enum field_symbol symbol;
	/* name of the field with the same value in messages that lost this one */
	const char *instead;
	bool argument; /* argument of a text with conversions; see argument.h */
	uint64_t most; /* greatest number that the format can hold; 0: not stated */
};

/* The symbol rows.  They end each field table that has a FIELD_ADDRESS. */
enum { FIELD_SYMBOLS = 3 };
#define FIELD_SYMBOL_ROWS(first)                                                                   \
	[first] = {"function", FIELD_TEXT, "function that its address lies in, by `symbols`",      \
		   .symbol = FIELD_FUNCTION},                                                      \
	[(first) + 1] = {"file", FIELD_TEXT, "source file of its address, by `symbols`",           \
			 .symbol = FIELD_FILE},                                                    \
	[(first) + 2] = {"line", FIELD_UINT, "source line of its address, by `symbols`",           \
			 .symbol = FIELD_LINE}

enum field_place {
	FIELD_NOWHERE, /* computed, without bytes */
	FIELD_PAYLOAD, /* bits of the assembled payload */
	FIELD_CAPTURE  /* bits of the capture, added by the transport */
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
	const char *note;  /* meaning of the value, safe ASCII, or NULL */
	const char *label; /* shown to people instead of the row's name; not safe; or NULL */
	/* name of an argument, or ""; NULL for other fields; see argument.h */
	const char *argument;
};

/* Order of payload bits in the capture. */
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

/* Result of expand.  Zero-initialise, reuse, and call expansion_free at the end.  Its contents
 * live until the next expand with it. */
struct expansion {
	struct arena arena;
	struct text text;	/* text of the message, as captured: not safe yet */
	struct text type;	/* as in the type column: `STRING:GENERIC` */
	struct text origin;	/* sender, for people */
	const uint8_t *payload; /* assembled bytes of the protocol */
	size_t payload_length;
	VEC(struct extent) extents;
	VEC(struct field) fields; /* a tree, in preorder */
	unsigned depth;		  /* of the next field added */
	unsigned flags;		  /* enum message_flag that only expand can find (a bad CRC) */
	bool unnamed;		  /* its number names a text that no loaded file contains */
	bool no_match;		  /* the text is missing: it contains no needle of `needles` */
	/* the message announces `build`, for later messages of the sender with this GUID */
	bool announces;
	uint8_t guid[16];
	uint64_t build;
	/* set by the caller of expand: fields with `detail` rows, and labels, may be missing */
	bool exported;
	/* set by expand: no fields are needed, so expansion_add() returns `spare` */
	bool fieldless;
	struct field spare;
	/* set by the caller of expand: if no field is wanted, leave out a text that certainly
	 * contains no needle; or NULL */
	const struct needles *needles;
};

enum expand_want {
	EXPAND_FLAGS, /* `flags`, `unnamed` and `announces`; the rest may be missing */
	EXPAND_BARE,  /* text; the rest may be missing */
	EXPAND_TYPE,  /* text, type; the origin may be missing */
	EXPAND_TEXT,  /* text, type, origin */
	/* all fields except `detail` rows; for reader_expand only, which passes EXPAND_FIELDS to
	 * decoders and sets `exported` */
	EXPAND_EXPORTED,
	EXPAND_FIELDS /* all fields */
};

/* Lookups about earlier messages, for expand. */
struct decode_history {
	void *context;
	/* Find the value that BEFORE's sender last announced (SyS-T: the last build number with
	 * GUID).  Return false if none. */
	bool (*build)(void *context, const struct message *before, const uint8_t guid[16],
		      uint64_t *value);
	/* Call EACH with messages before BEFORE, latest first, until it returns false.  Include
	 * messages of the same origin with one of KINDS (a bit each).  Include messages of any
	 * origin with one of FLAGS.  Return false if the walk would take too long now, so that
	 * more may exist. */
	bool (*walk_back)(void *context, const struct message *before, uint64_t kinds,
			  uint16_t flags, bool (*each)(void *, const struct message *),
			  void *each_context);
	/* Find the result of decode_last without walking back.  FOUND has length 0 if nothing
	 * exists.  KINDS are the same at every call.  Return false if not known.  May be NULL. */
	bool (*last)(void *context, const struct message *before, uint64_t kinds,
		     struct message *found);
	/* memory_size bytes for the decoder's own use, zeroed at first, kept from one expand to
	 * the next */
	void *memory;
};

/* Cycle counts of a processor in a message.  They measure the time between its timestamps. */
struct decode_cycles {
	uint64_t source; /* processor */
	uint64_t count;	 /* cycles since the last count, or 0 */
	bool before;	 /* message was sent before these cycles passed */
	/* the count is part of another message; in traces with such messages the counts of
	 * timestamps add up, else the next count includes them */
	bool carried;
	bool ends;   /* cycles cannot be counted across this message */
	bool marks;  /* the next timestamp of this processor belongs to this message */
	bool renews; /* the cycle rate changed here */
};

/* --- decoders ---------------------------------------------------------- */

struct kind_row {
	const char *name; /* as in filters; lower case */
	const char *help;
};

/* Reason why bits belong to no message. */
struct silent_row {
	const char *name; /* in `-t stats`; lower case, [a-z0-9_] */
	const char *help; /* the bits; no full stop */
	bool undecoded;	  /* they may well contain messages, so the capture is in doubt */
};

/* A context of a format's messages, like an entry of `contexts:` of a profile. */
struct context_row {
	const char *name;
	const char *field;	 /* with the value */
	const char *type;	 /* of the messages; NULL: any */
	const char *key, *value; /* field and its required value; NULL: any */
	bool per_trace;		 /* holds for all origins of the trace */
};

/* Sender of a message, as `origins:` of a profile names it. */
struct origin_identity {
	bool numbered;
	uint64_t number;  /* `id`: number in the trace */
	const char *guid; /* `guid` in 8-4-4-4-12 form, like the field `guid`; or NULL */
};

/* Thresholds of scores.  Below DECODE the trace is decoded only if the user gives the format.
 * From DECODE to CERTAIN it is decoded and labelled as guessed.  CERTAIN needs a signature,
 * checksum or grammar that no other format has. */
enum { PROBE_DECODE = 50, PROBE_CERTAIN = 90 };

enum { PROBES_MAX = 4 };

/* A way to read a capture, with its evidence. */
struct probe {
	int score;	   /* 0 impossible .. 100 certain */
	char reason[160];  /* evidence, for people */
	char settings[96]; /* options that differ from the current ones, `NAME: VALUE, ...` */
	bool plain;	   /* plain text without any sign of the format, shown line by line */
};

struct decoder_part;

struct decoder {
	const struct decoder_ops *ops;
	double hz;	 /* ticks per second of message.ticks, 0 = unknown; set by open */
	bool unix_epoch; /* ticks count from 1970-01-01 00:00 UTC */
	bool zoneless;	 /* with `unix_epoch`: the capture names no zone, and UTC is assumed */
	bool untimed;	 /* no message has ticks; set by open */
	/* ticks per second of sender_ticks, from 1970 on; 0 = none, or unknown; set by open */
	double timestamp_hz;
	int guessed;		    /* score of the settings that open found, 0 = found none */
	_Atomic bool needs_history; /* text depends on earlier messages; set by load */
	/* kinds of messages, a bit each: their sender depends on earlier messages, or on more
	 * than the origin key; set by open and load */
	_Atomic uint64_t origin_varies;
	/* Senders that share the capture but not its order: their times rise only along each of
	 * them, as those of cores that share a trace buffer. STRAND_OF has STRAND_IDS elements:
	 * by the sender's number (identify_origin) its strand from 1 to STRANDS, or 0. Set by
	 * open; NULL: there are none. */
	const uint8_t *strand_of;
	unsigned strands, strand_ids;
	/* doubt for the title that no message shows, a word or two, or NULL; set by open */
	const char *mark;
	/* how the capture is decoded, for people, a sentence per line, or NULL; set by open */
	const char *about;
	/* other files that step and expand read; set by open */
	const struct file_stamp *stamps;
	size_t stamp_count;
	/* traces in a capture with several, if the options choose none; set by open */
	const struct decoder_part *parts;
	size_t part_count;
};

enum {
	CHECKPOINT_MAX = 128,
	DECODE_KINDS_MAX = 63,
	/* missing bytes of a capture, which no decoder reports; see index/step.h */
	DECODE_KIND_LOSS = DECODE_KINDS_MAX
};

/* Names for addresses of the traced program.  NAME appends the name of an address, or returns
 * false. */
struct decoder_names {
	bool (*name)(void *context, uint64_t address, struct text *);
	void *context;
};

/* Help for setting up a format.  Each member may be NULL. */
struct decoder_guide {
	/* Append proposed settings for an entry of `traces:` (YAML with comments, indented by
	 * 4), made from HEAD.  Return false and append nothing if HEAD shows too little.  NULL:
	 * captures of this format need no settings. */
	bool (*propose)(const struct window *head, struct text *profile);

	/* Describe a capture that begins with HEAD.  Append its contents to ABOUT, a line each.
	 * Append to MISSING, in one line, the missing settings or files and the remedy.  NAMES,
	 * which may be NULL, gives addresses their names. */
	void (*survey)(const struct decoder *, const struct window *head,
		       const struct decoder_names *names, struct text *about, struct text *missing);
};

/* Contents of a capture below its messages, listed from its beginning. */
struct decoder_listing {
	const char *name; /* name of the output */
	/* Call TAKE with each line, including its end, until it returns false.  The window is
	 * the whole capture. */
	void (*list)(const struct decoder *, const struct window *,
		     bool (*take)(void *context, const struct text *line), void *context);
};

/* One of several traces in a capture.  Each opens as a separate trace. */
struct decoder_part {
	const char *format;
	char settings[32]; /* as in struct probe */
	char name[16];	   /* suffix for the capture's name */
};

struct clock_source;

/* An address space: that of the processor `origin` in a context; 0: in any context. */
struct decode_memory {
	uint64_t origin;
	uint32_t context_id, vmid;
};

struct flow_modes;
struct flow_packet;
struct needles;
struct summary;

struct decoder_ops {
	const char *format;    /* syst, encap, gem, ... */
	const char *transport; /* raw, hex, stp; NULL if the format has only one */
	const char *title;     /* for people */
	const char *help;

	const struct field_row *fields;
	size_t field_count;
	const struct kind_row *kinds; /* at most DECODE_KINDS_MAX */
	size_t kind_count;
	uint64_t kinds_checked; /* kinds that can have MESSAGE_CHECKED, a bit each */
	uint64_t kinds_history; /* kinds that can announce a build, a bit each; see expansion */
	/* origin key of messages without a sender; a loss with it may concern any sender */
	uint64_t origin_none;
	const struct silent_row *silent; /* at most DECODE_SILENT_MAX */
	size_t silent_count;		 /* 0: every byte is in a message */
	bool silent_repeats; /* step after restore counts bits before the checkpoint again */
	bool start_is_free;  /* the state after start contains no offset but its own */
	/* no checkpoint contains an offset but its own.  Skips holes of sparse files once two
	 * equal blocks have given equal messages. */
	bool is_free;
	bool none_is_max; /* in JSON, no severity is MAX, as in SyS-T headers; else null */
	/* once a growing capture pauses, an unfinished message at its end counts as a message;
	 * the state can continue inside it */
	bool settles;
	const struct option_table *options;

	/* Defaults without a profile.  If a format has no use for one, its table gives the
	 * reason in a comment (`no MEMBER: reason`).  tests/check_formats.sh looks for it. */
	const struct context_row *contexts;
	size_t context_count;
	const char *trigger; /* filter: messages that a hardware trigger caused */
	const char *unnamed; /* filter: messages with a number that no loaded file names */
	const char *alike;   /* field that, with the type, makes messages alike */
	const struct clock_source *clocks; /* clock_source.h */

	const struct decoder_guide *guide;     /* or NULL */
	const struct decoder_listing *listing; /* or NULL */

	/* Number of bytes from the state's offset that let step produce at least one message or
	 * consume bytes. */
	size_t reach;
	/* Distance before the wanted offset at which resync should start. */
	size_t run_up;
	size_t state_size;
	size_t checkpoint_size; /* <= CHECKPOINT_MAX */
	size_t memory_size;	/* of decode_history.memory */

	/* Score how well HEAD, the first 64 KiB or so of a capture, fits.  PROBES is zeroed.  A
	 * format that leaves several ways to read it fills in more than one, best first. */
	void (*probe)(const struct window *head, struct probe probes[PROBES_MAX]);

	/* Open for a capture that starts with HEAD, which lives only for the call and may be
	 * empty.  OPTIONS is a struct as `options` describes, and must outlive the decoder.
	 * Return NULL on error. */
	struct decoder *(*open)(const void *options, const struct window *head, struct err *);
	void (*close)(struct decoder *);

	/* Load files needed for text only (SyS-T collateral).  May be slow.  Runs in one thread
	 * at a time while others expand.  Return the number of files loaded.  The first error
	 * goes to ERR; the rest still load.  NULL: nothing to load. */
	int (*load)(struct decoder *, struct err *);

	/* Position a state at the start of the capture. */
	void (*start)(const struct decoder *, struct decode_state *);
	/* Free memory that a state owns, but not the state.  NULL: nothing. */
	void (*release)(struct decode_state *);
	/* Write exactly checkpoint_size bytes: first the state's offset, like struct
	 * decode_state, in 8 bytes.  restore makes a state from them that decodes the rest in
	 * the same way. */
	void (*save)(const struct decoder *, const struct decode_state *, uint8_t *);
	void (*restore)(const struct decoder *, struct decode_state *, const uint8_t *);

	/* Decode from the state's offset, which lies in the window or at its end.  Fill at most
	 * MAX messages and return how many.  Fewer than MAX: the window, `until` or the capture
	 * ends here (see decode_at_end).  Consume bits that belong to no message, and count them
	 * in `silent` of the state. */
	size_t (*step)(const struct decoder *, struct decode_state *, const struct window *,
		       struct message *out, size_t max);

	/* Step to the end of the window, `until` or the end of the capture.  Add up the messages
	 * in a summary (summary.h).  The result equals that of step's messages: the same counts,
	 * kinds, flags and times, in the same order.  No message is filled.  Progress, damage,
	 * silent bits and the state afterwards are as with step.  NULL: not faster, so the
	 * caller sums up step's messages. */
	void (*summarise)(const struct decoder *, struct decode_state *, const struct window *,
			  struct summary *);

	/* Position the state at the first certain boundary in the window.  If the format has no
	 * sync, a likely boundary will do.  The caller steps from there and uses messages from
	 * run_up bytes later on.  Return 0, or ERR_SYNC. */
	int (*resync)(const struct decoder *, struct decode_state *, const struct window *);

	/* Expand M.  The window covers it.  HISTORY may be NULL. */
	void (*expand)(const struct decoder *, const struct message *, const struct window *,
		       enum expand_want, const struct decode_history *, struct expansion *);

	/* Fill in type keys of COUNT messages.  Messages of the decoder with equal keys have
	 * equal types.  Set KEYED to false where that is not sure; skip messages where it
	 * already is.  The window covers the messages, and none is a DECODE_KIND_LOSS.
	 * No `type_keys`: never sure. */
	void (*type_keys)(const struct decoder *, const struct message *, size_t count,
			  const struct window *, uint64_t *keys, bool *keyed);

	/* Return M's text and its LENGTH if the text is in the window unchanged, else NULL.
	 * Also NULL if not sure.  The window and M are as for type_keys.  No `text_at`: never
	 * sure. */
	const char *(*text_at)(const struct decoder *, const struct message *,
			       const struct window *, size_t *length);

	/* True if no message has a needle in its text or type.  The window contains no needle.  It
	 * begins and ends between messages, all of them sound, of KINDS (a bit each), and with no
	 * flags outside FLAGS.  A window of NULL stands for any such window.  No `in_place`:
	 * never sure. */
	bool (*in_place)(const struct decoder *, const struct needles *, const struct window *,
			 uint64_t kinds, unsigned flags);

	/* Identify the sender of M in a zeroed struct.  NULL: senders of this format have no
	 * numbers. */
	void (*identify_origin)(const struct decoder *, const struct message *m,
				struct origin_identity *);

	/* True if all messages of M's origin without missing bytes agree in this field: all have
	 * M's value, or all have none.  NULL: never sure. */
	bool (*origin_tells)(const struct message *m, const struct field_row *);

	/* Fill in M's cycle counts.  Return false if M belongs to no processor.  NULL: the
	 * format has no cycle counts. */
	bool (*cycles)(const struct message *m, struct decode_cycles *);

	/* Fill in M's part in the flow of control (flow_packet.h).  The window covers M; its
	 * processor is the message's origin.  MODES are those of the processor before M, or NULL
	 * for its initial modes.  NULL: the format has none, or the program is not followed. */
	void (*flow)(const struct decoder *, const struct message *m, const struct window *,
		     const struct flow_modes *modes, struct flow_packet *);
	uint8_t flow_form; /* enum flow_form of the packets from `flow` */

	/* Return program memory at ADDRESS, as a processor sees it in a context, with *LENGTH
	 * contiguous bytes.  Return NULL if none.  The bytes live as long as the decoder.  NULL:
	 * the format has no program memory; `symbols:` supplies it. */
	const uint8_t *(*memory)(const struct decoder *, const struct decode_memory *,
				 uint64_t address, size_t *length);

	/* Append the row that the format's usual tool would print, without a line end.  Return
	 * false if it prints none.  E is the message's expansion, which may change.  `printer`
	 * is the name of such rows as an output; NULL: no such tool. */
	const char *printer;
	bool (*print)(const struct decoder *, const struct message *, const struct window *,
		      struct expansion *e, struct text *out);
};

/* --- helpers for callers ----------------------------------------------- */

extern const struct kind_row decode_kind_loss;

/* Return the I-th kind of a decoder's messages, DECODE_KIND_LOSS last, and its number.  Return
 * NULL past the last. */
const struct kind_row *decoder_kind(const struct decoder_ops *, size_t i, unsigned *kind);

/* Return the row of a message's kind, DECODE_KIND_LOSS included. */
const struct kind_row *message_kind(const struct decoder_ops *, const struct message *);

const char *severity_name(enum severity);		 /* FATAL */
char severity_letter(enum severity);			 /* - F E W I 1 2 D, blank */
int severity_parse(const char *name);			 /* name or number; negative if neither */
const char *severity_next_name(void *unused, size_t at); /* names to type; NULL past the last */
const char *message_flag_name(unsigned bit);		 /* 0 .. MESSAGE_FLAGS_SHOWN - 1 */

struct decode_state *decode_state_new(const struct decoder *);

/* True if decoding can start at any offset as if the capture began there.
 * decode_state_start_at() then moves a used state to that offset. */
bool decoder_starts_anywhere(const struct decoder_ops *);
void decode_state_start_at(const struct decoder *, struct decode_state *, uint64_t offset);
void decode_state_free(const struct decoder *, struct decode_state *);

/* Move a checkpoint BYTES ahead, as if that many more of the same bytes had been decoded.  The
 * format `is_free`. */
void decode_checkpoint_shift(uint8_t *saved, uint64_t bytes);

/* True if a step that returned fewer than MAX messages has reached the end of the capture. */
static inline bool
decode_at_end(const struct decode_state *state, const struct window *w)
{
	return w->last && state->offset >= w->offset + w->length;
}

/* --- helpers for decoders ---------------------------------------------- */

/* Find the last undamaged message before BEFORE of its origin with one of KINDS.  Return false
 * if none exists or the search would take too long. */
bool decode_last(const struct decode_history *, const struct message *before, uint64_t kinds,
		 struct message *found);

/* decoder_ops for formats with a state of plain data that is zero at the start of a capture.
 * The checkpoint is the offset, then the bytes after struct decode_state.  Close is for decoders
 * that own only their struct. */
#define DECODE_SAVED_SIZE(type) (sizeof(type) - sizeof(struct decode_state) + sizeof(uint64_t))
void decode_plain_start(const struct decoder *, struct decode_state *);
void decode_plain_save(const struct decoder *, const struct decode_state *, uint8_t *out);
void decode_plain_restore(const struct decoder *, struct decode_state *, const uint8_t *saved);
void decode_plain_close(struct decoder *);

/* Return the offset at which to cut a run of like bytes from START: the first multiple of 64 KiB
 * at least 64 bytes on. */
static inline uint64_t
decode_run_cut(uint64_t start)
{
	return (start + 64 + 0xffff) & ~(uint64_t)0xffff;
}

void expansion_clear(struct expansion *);
void expansion_free(struct expansion *);

/* Add a field at the current depth and return it for the caller to fill in. */
struct field *expansion_add(struct expansion *, const struct field_row *, enum field_place,
			    uint64_t bit, uint32_t bits);
/* Open and close a level: fields added between are deeper. */
struct field *expansion_open(struct expansion *, const struct field_row *, enum field_place,
			     uint64_t bit, uint32_t bits);
void expansion_close(struct expansion *);

/* Call EACH for the capture bits of a field, in pieces of whole nibbles. */
void expansion_locate(const struct expansion *, const struct field *,
		      void (*each)(void *context, uint64_t capture_bit, uint32_t bits),
		      void *context);

/* Return the first field with this name, or NULL. */
const struct field *expansion_find(const struct expansion *, const char *name);

/* Return the meaning of the value: its note, or its name in the row's list; or NULL. */
const char *field_meaning(const struct field *);

/* Append the value as people read it, raw and without its note.  Texts are not made safe. */
void field_format(const struct field *, struct text *);

#endif
