/*
 * CoreSight trace: options, what a snapshot says in their terms, and the two
 * formats, `opencsd` (trace buffers) and `ppl` (listings of trc_pkt_lister).
 */
#ifndef TRAWL_DECODE_OPENCSD_H
#define TRAWL_DECODE_OPENCSD_H

#include "capture/perf_layout.h"
#include "capture/snapshot.h"
#include "decode/decoder.h"

enum opencsd_protocol {
	OPENCSD_ETMV3,
	OPENCSD_PTM,
	OPENCSD_ETMV4I,
	OPENCSD_ETE,
	OPENCSD_STM,
	OPENCSD_ITM,
	OPENCSD_PROTOCOLS
};

/* Registers that say how a source's trace is to be read, under their names in
 * the architecture; -1 where one is not known. */
#define OPENCSD_REGISTERS(R)                                                                       \
	R(TRCCONFIGR)                                                                              \
	R(TRCTRACEIDR)                                                                             \
	R(TRCAUTHSTATUS)                                                                           \
	R(TRCDEVARCH)                                                                              \
	R(TRCIDR0)                                                                                 \
	R(TRCIDR1)                                                                                 \
	R(TRCIDR2)                                                                                 \
	R(TRCIDR8)                                                                                 \
	R(TRCIDR9) R(TRCIDR10) R(TRCIDR11) R(TRCIDR12) R(TRCIDR13) R(ETMCR) R(ETMIDR) R(ETMCCER)   \
	    R(ETMTRACEIDR) R(STMTCSR) R(ITMTCR)

struct opencsd_registers {
#define OPENCSD_REGISTER_MEMBER(name) int64_t name;
	OPENCSD_REGISTERS(OPENCSD_REGISTER_MEMBER)
#undef OPENCSD_REGISTER_MEMBER
};

/* An entry of `sources:`. */
struct opencsd_source_options {
	int64_t id;    /* trace ID; -1: as a register says */
	int protocol;  /* enum opencsd_protocol */
	char *core;    /* its type: Cortex-A53, ARMv8.3-A; NULL: not known */
	char *name;    /* whom to show as the origin; NULL: the ID */
	bool optional; /* it may have sent nothing: then its end is no message */
	struct opencsd_registers regs;
};

/* An entry of `images:`. */
struct opencsd_image_options {
	char *file;
	uint64_t address; /* where it lies in the target's memory; ELF: from where it is linked */
	uint64_t offset;  /* in the file */
	uint64_t length;  /* 0: to the end of the file */
	char *of;	  /* name of the source whose memory this is; others look there last */
	uint64_t context; /* context ID or VMID whose memory this is; 0: of all */
	bool absent;	  /* the file is not at hand: it is named where it is missing */
	char *build_id;	  /* of the file, in hexadecimal digits, or NULL */
};

/* An entry of `runs:`: where all decoders start anew, and what is wrong there. */
struct opencsd_run_options {
	uint64_t offset; /* in the capture; in frames, of a whole one */
	uint64_t skip;	 /* bytes from there on that are not decoded */
	uint64_t lost;	 /* bytes known to be missing before it */
	char *reason;	 /* what else is wrong with this run, or NULL */
};

/* `opencsd:` of a profile. */
struct opencsd_options {
	int format;		       /* enum coresight_format */
	struct option_list sources;    /* struct opencsd_source_options */
	struct option_list images;     /* struct opencsd_image_options */
	struct option_list runs;       /* struct opencsd_run_options */
	struct option_list collateral; /* char *: for SyS-T over STM */
	char *lines;		       /* as in struct swo_options */
	char *guid;		       /* sender of short SyS-T messages, or NULL */
	bool outside;		       /* what a snapshot names elsewhere is read too */
};
extern const struct option_table opencsd_options;

/* Fills OPTIONS, which have the defaults, for one buffer of a snapshot.  What
 * cannot be used is added to NOTES, a line each. */
void opencsd_use_snapshot(struct opencsd_options *, const struct snapshot *,
			  const struct snapshot_buffer *, struct text *notes);

/* Adds an entry with its defaults; it stays where it is until the next one comes. */
struct opencsd_source_options *opencsd_add_source(struct opencsd_options *);
struct opencsd_image_options *opencsd_add_image(struct opencsd_options *);
struct opencsd_run_options *opencsd_add_run(struct opencsd_options *);

/*
 * perf.data: whether there is trace in it that is decoded; if not, WHY is a sentence.
 * Which parts of it are a trace each: fills the I-th, false if there are not so many.
 * And as for a snapshot, for one of these; IMAGES are the files of its maps, NULL where
 * there is none.
 */
bool opencsd_takes_perf(const struct perf_data *, struct text *why);
bool opencsd_perf_part(const struct perf_data *, size_t i, struct perf_part *);
void opencsd_use_perf(struct opencsd_options *, const struct perf_data *, const struct perf_part *,
		      const struct perf_layout *, char *const *images, struct text *notes);

extern const struct decoder_ops opencsd_ops, ppl_ops;

#endif
