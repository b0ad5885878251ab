/*
 * STP for mkcapture: a writer of STPv2 packets, nibble by nibble, and the
 * cutting of SyS-T messages into packets of a master and a channel.
 */
#ifndef MK_STP_H
#define MK_STP_H

#include "mk_out.h"

#include <stdbool.h>
#include <stdint.h>

enum mk_nibbles {
	MK_MSN, /* most significant nibble first: VERSION 3 or 4 */
	MK_LSN, /* least significant first, announced as VERSION 3 all the same */
	MK_LE22 /* least significant first, as an extended VERSION 2.2 says */
};

enum mk_stamps { MK_NAT, MK_GRAY, MK_DELTA };

struct mk_stp {
	struct mk_out *out;
	enum mk_nibbles nibbles;
	enum mk_stamps stamps;
	bool long_stamps;    /* always 16 nibbles */
	uint64_t position;   /* in nibbles */
	uint64_t time;	     /* as a reader has it */
	int master, channel; /* -1: the reader must be told */
	bool stamp_whole;    /* the next time stamp, whatever long_stamps says */
	uint64_t spoil_at;   /* where a nibble is spoilt, for damage */
	uint8_t spoil;
	uint8_t low; /* a nibble waiting for its byte */
};

/* Packets. */
void mk_stp_null(struct mk_stp *);
void mk_stp_async(struct mk_stp *); /* with its VERSION */
void mk_stp_freq(struct mk_stp *, uint32_t hz);
void mk_stp_select(struct mk_stp *, uint16_t master, uint16_t channel);
void mk_stp_data(struct mk_stp *, unsigned bytes, uint64_t value, bool marked,
		 const uint64_t *time);
void mk_stp_flag(struct mk_stp *);

/* Packets with a value of two nibbles, or of length and value (USER). */
enum mk_stp_event { MK_STP_TRIG, MK_STP_XSYNC, MK_STP_MERR, MK_STP_GERR, MK_STP_USER };
void mk_stp_event(struct mk_stp *, enum mk_stp_event, uint8_t value, const uint64_t *time);
const char *mk_stp_event_name(enum mk_stp_event);

/* A bare nibble, for damage. */
void mk_stp_nibble(struct mk_stp *, unsigned);

/* Fills up the last byte. */
void mk_stp_finish(struct mk_stp *);

/* A message being sent. */
struct mk_feed {
	const uint8_t *bytes;
	size_t length, done;
	uint16_t master, channel;
	uint64_t time;
	uint64_t start; /* nibble of its first packet, once sent */
	bool is_short;	/* one marked packet with time stamp */
	bool sent;
	bool mixed; /* packets of any size, ended by a flag or by a mark */
};

/* Sends the next packet. */
void mk_stp_feed(struct mk_stp *, struct mk_feed *, uint64_t *seed);

#endif
