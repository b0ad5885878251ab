/*
 * CoreSight trace: options, their values from a snapshot or perf.data, and two formats: `opencsd`
 * (trace buffers) and `ppl` (listings of trc_pkt_lister).
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

/* Registers needed to decode a source's trace, under their architectural names; -1 if unknown. */
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
	int64_t id;    /* trace ID; -1: taken from a register */
	int protocol;  /* enum opencsd_protocol */
	char *core;    /* type of the core: Cortex-A53, ARMv8.3-A; NULL: unknown */
	char *name;    /* name of the origin; NULL: the ID */
	bool optional; /* the source may send nothing; then its end is no message */
	struct opencsd_registers regs;
};

/* An entry of `images:`. */
struct opencsd_image_options {
	char *file;
	uint64_t address; /* address in target memory; ELF: offset from the link address */
	uint64_t offset;  /* in the file */
	uint64_t length;  /* 0: to the end of the file */
	char *of;	  /* name of the source with this memory; the others search it last */
	uint64_t context; /* context ID or VMID that this memory belongs to; 0: any */
	bool absent;	  /* the file is not available, but is named where it is missing */
	char *build_id;	  /* of the file, in hexadecimal digits, or NULL */
};

/* An entry of `runs:`: a point where all decoders restart, and the damage there. */
struct opencsd_run_options {
	uint64_t offset; /* in the capture; with frames, the start of one */
	uint64_t skip;	 /* bytes from OFFSET on that are not decoded */
	uint64_t lost;	 /* bytes known to be missing before OFFSET */
	char *reason;	 /* other damage of this run, or NULL */
};

/* `opencsd:` of a profile. */
struct opencsd_options {
	int format;		       /* enum coresight_format */
	struct option_list sources;    /* struct opencsd_source_options */
	struct option_list images;     /* struct opencsd_image_options */
	struct option_list runs;       /* struct opencsd_run_options */
	struct option_list collateral; /* char *: SyS-T XML for messages over STM */
	char *lines;		       /* see struct swo_options */
	char *guid;		       /* sender of short SyS-T messages, or NULL */
	bool outside;		       /* also read files outside the snapshot's folder */
};
extern const struct option_table opencsd_options;

/* Fill in OPTIONS, which hold the defaults, for one buffer of a snapshot.  Append a line to NOTES
 * for everything unusable. */
void opencsd_use_snapshot(struct opencsd_options *, const struct snapshot *,
			  const struct snapshot_buffer *, struct text *notes);

/* Add an entry with default values.  The pointer is valid until the next entry is added. */
struct opencsd_source_options *opencsd_add_source(struct opencsd_options *);
struct opencsd_image_options *opencsd_add_image(struct opencsd_options *);
struct opencsd_run_options *opencsd_add_run(struct opencsd_options *);

/*
 * Support for perf.data.
 *
 * Use opencsd_takes_perf() to test if trawl can decode trace in it.  If not, it returns false and
 * stores a sentence in WHY.
 *
 * Use opencsd_perf_part() to fill in the I-th part, a separate trace.  It returns false after the
 * last part.
 *
 * Use opencsd_use_perf() like opencsd_use_snapshot(), for one part.  IMAGES are the files of its
 * maps, or NULL for a missing one.
 */
bool opencsd_takes_perf(const struct perf_data *, struct text *why);
bool opencsd_perf_part(const struct perf_data *, size_t i, struct perf_part *);
void opencsd_use_perf(struct opencsd_options *, const struct perf_data *, const struct perf_part *,
		      const struct perf_layout *, char *const *images, struct text *notes);

extern const struct decoder_ops opencsd_ops, ppl_ops;

#endif
