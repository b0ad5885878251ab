/*
 * RISC-V trace encapsulation: kinds of messages, silent bytes and fields.
 */
#include "config.h"

#include "decode/encap/encap_frame.h"

/* --- tables ------------------------------------------------------------ */

const struct kind_row encap_kinds[ENCAP_KIND_COUNT] = {
    [ENCAP_NULL_RUN] = {"null_run", "null packets in a row"},
    [ENCAP_TRUNCATED] = {"truncated", "a packet whose end is missing"},
    [ENCAP_MALFORMED] = {"malformed", "a packet without room for a payload"},
    [ENCAP_OPAQUE] = {"opaque", "a payload of another protocol"},
    [ETRACE_START] = {"sync.start", "where the program is, to start from"},
    [ETRACE_TRAP] = {"sync.trap", "an exception or an interrupt"},
    [ETRACE_CONTEXT] = {"sync.context", "a new privilege or context"},
    [ETRACE_SUPPORT] = {"sync.support", "how the encoder is set, and whether it ended or lost"},
    [ETRACE_ADDRESS] = {"address", "an address that was reached"},
    [ETRACE_BRANCH] = {"branch.address", "branches, and an address that was reached"},
    [ETRACE_BRANCH_MAP] = {"branch.noaddr", "31 branches"},
    [ETRACE_BRANCH_COUNT] = {"ext.branch_count", "how many branches went as predicted"},
    [ETRACE_JUMP_TARGET] = {"ext.jump_target", "an entry of the jump target cache"},
    [ETRACE_RESERVED] = {"ext.reserved", "an instruction payload of no known form"},
    [DTRACE_LOAD] = {"load", "data read from memory"},
    [DTRACE_STORE] = {"store", "data written to memory"},
    [DTRACE_CSR] = {"csr", "access to a control and status register"},
    [DTRACE_ATOMIC] = {"atomic", "an atomic operation on memory"},
    [DTRACE_SPLIT] = {"split", "data of an earlier load or atomic operation"},
};

const struct silent_row encap_silent[ENCAP_SILENT_COUNT] = {
    [ENCAP_SILENT_EDGE] = {.name = "edge",
			   .help = "bits of a bit stream's first and last byte that make none"},
    [ENCAP_SILENT_PADDING] = {.name = "padding", .help = "unused bytes of a slot"},
};

/* Privilege levels.  With privilege_width 2: U, S and M of the privileged architecture.  The
 * names above them, with 3 bits, are [E-Trace 2.0, second hand: riscv-etrace]. */
static const char *const privileges[] = {"U", "S", NULL, "M", "D", "VU", "VS"};
/* [E-Trace 2.0, "Format 0 packets"], branch_fmt; 01 cannot occur */
static const char *const branch_formats[] = {"no address", NULL, "address",
					     "address, mispredicted"};

#define VALUES(names) .values = (names), .value_count = sizeof(names) / sizeof *(names)

/* Kinds that contain privilege and context. */
#define WHERE (1ull << ETRACE_START | 1ull << ETRACE_TRAP | 1ull << ETRACE_CONTEXT)

const struct field_row encap_fields[ENCAP_F_COUNT] = {
    [ENCAP_F_HEADER_LENGTH] = {"header_length", FIELD_UINT,
			       "length in the header, without header and timestamp",
			       .part = FIELD_HEAD},
    [ENCAP_F_FLOW] = {"flow", FIELD_UINT, "where it is routed to", .part = FIELD_HEAD},
    [ENCAP_F_EXTEND] = {"extend", FIELD_UINT,
			"1 if there is a timestamp; in a null packet, alignment",
			.part = FIELD_HEAD},
    [ENCAP_F_SRCID] = {"srcid", FIELD_UINT, "number of the source", .part = FIELD_HEAD},
    [ENCAP_F_TIMESTAMP] = {"timestamp", FIELD_UINT, "timestamp as sent", .part = FIELD_HEAD},
    [ENCAP_F_TYPE] = {"type", FIELD_UINT, "type of the payload"},
    [ENCAP_F_PAYLOAD_BITS] = {"payload_bits", FIELD_UINT, "bits of payload, padding included",
			      .part = FIELD_HEAD},
    [ENCAP_F_PAYLOAD] = {"payload", FIELD_BYTES, "the payload's bits", .part = FIELD_HEAD},
    [ENCAP_F_CLASS] = {"class", FIELD_TEXT, "type of payload: instruction, data or opaque",
		       .part = FIELD_HEAD},
    [ENCAP_F_DECLARED_LENGTH] = {"declared_length", FIELD_UINT,
				 "bytes that a truncated packet should have"},
    [ENCAP_F_BIT_OFFSET] = {"bit_offset", FIELD_UINT, "first bit in the file, of a bit stream"},
    [ENCAP_F_COUNT_NULLS] = {"count", FIELD_UINT, "null packets in a row"},
    [ENCAP_F_IDLE] = {"idle", FIELD_UINT, "null.idle among them"},
    [ENCAP_F_ALIGNMENT] = {"alignment", FIELD_UINT, "null.alignment among them"},
    [ENCAP_F_LAST] = {"last", FIELD_TEXT, "type of the last one: idle or alignment"},
    [ENCAP_F_FLOWS] = {"flows", FIELD_LIST, "flows that occur in them"},
    [ENCAP_F_SYNC] = {"sync", FIELD_BOOL, "whether they are a sync sequence"},
    [ENCAP_F_NOTES] = {"notes", FIELD_LIST, "unusual values"},
    [ENCAP_F_NOTE] = {"note", FIELD_TEXT, "something odd"},

    [ENCAP_F_ETRACE] = {"etrace", FIELD_OBJECT, "instruction payload"},
    [ENCAP_F_FORMAT] = {"format", FIELD_UINT, "format of the payload"},
    [ENCAP_F_SUBFORMAT] = {"subformat", FIELD_UINT, "subformat of formats 0 and 3"},
    [ENCAP_F_NAME] = {"name", FIELD_TEXT, "content of the payload"},
    [ENCAP_F_BRANCH] = {"branch", FIELD_UINT, "0 if the address is that of a taken branch"},
    [ENCAP_F_PRIVILEGE] = {"privilege", FIELD_UINT, "privilege level", VALUES(privileges),
			   .kinds = WHERE},
    [ENCAP_F_TIME] = {"time", FIELD_UINT, "time by the encoder"},
    [ENCAP_F_CONTEXT] = {"context", FIELD_UINT, "context, as the program sets it", .kinds = WHERE},
    [ENCAP_F_ECAUSE] = {"ecause", FIELD_UINT, "cause of the trap"},
    [ENCAP_F_INTERRUPT] = {"interrupt", FIELD_UINT, "1 for an interrupt, 0 for an exception"},
    [ENCAP_F_THADDR] = {"thaddr", FIELD_UINT, "1 if the address is the handler's"},
    [ENCAP_F_TVAL] = {"tval", FIELD_HEXTEXT, "value of the trap"},
    [ENCAP_F_EXCEPTION_NAME] = {"exception_name", FIELD_TEXT, "name of the trap"},
    [ENCAP_F_IENABLE] = {"ienable", FIELD_UINT, "1 if instruction trace is on"},
    [ENCAP_F_ENCODER_MODE] = {"encoder_mode", FIELD_UINT, "0 for branch trace"},
    [ENCAP_F_QUAL_STATUS] = {"qual_status", FIELD_TEXT,
			     "whether tracing ended or packets were lost"},
    [ENCAP_F_IOPTIONS] = {"ioptions", FIELD_LIST, "options of instruction trace that are on"},
    [ENCAP_F_IOPTION] = {"ioption", FIELD_TEXT, "an option that is on"},
    [ENCAP_F_DENABLE] = {"denable", FIELD_UINT, "1 if data trace is on"},
    [ENCAP_F_DLOSS] = {"dloss", FIELD_UINT, "1 if data packets were lost"},
    [ENCAP_F_DOPTIONS] = {"doptions", FIELD_UINT, "options of data trace"},
    [ENCAP_F_INDEX] = {"index", FIELD_UINT, "entry of the jump target cache"},
    [ENCAP_F_BRANCHES] = {"branches", FIELD_UINT, "branches in the map"},
    [ENCAP_F_BRANCH_MAP] = {"branch_map", FIELD_UINT, "a bit per branch, oldest first: 0 taken"},
    [ENCAP_F_BRANCH_MAP_BITS] = {"branch_map_bits", FIELD_UINT, "bits that the map takes"},
    [ENCAP_F_BRANCH_COUNT] = {"branch_count", FIELD_UINT, "branches predicted, less 31"},
    [ENCAP_F_BRANCH_FMT] = {"branch_fmt", FIELD_UINT, "type of the next part after the count",
			    VALUES(branch_formats)},
    [ENCAP_F_ADDRESS] = {"address", FIELD_HEXTEXT, "full address", .address = FIELD_ADDRESS},
    [ENCAP_F_ADDRESS_DELTA] = {"address_delta", FIELD_INT, "bytes from the last address reported"},
    [ENCAP_F_NOTIFY] = {"notify", FIELD_BOOL, "true if a trigger caused the packet"},
    [ENCAP_F_UPDISCON] = {"updiscon", FIELD_BOOL,
			  "whether a discontinuity follows that cannot be inferred"},
    [ENCAP_F_IRREPORT] = {"irreport", FIELD_BOOL, "whether a return was not as predicted"},
    [ENCAP_F_IRDEPTH] = {"irdepth", FIELD_UINT, "depth of the return stack or of calls"},
    [ENCAP_F_PC] = {"pc", FIELD_HEXTEXT, "where the program is", .address = FIELD_ADDRESS},
    [ENCAP_F_ERROR] = {"error", FIELD_TEXT, "fault of the payload"},

    [ENCAP_F_DTRACE] = {"dtrace", FIELD_OBJECT, "data payload"},
    [ENCAP_F_DFORMAT] = {"dformat", FIELD_UINT, "format of a data payload"},
    [ENCAP_F_SUBTYPE] = {"subtype", FIELD_UINT, "which operation"},
    [ENCAP_F_SIZE] = {"size", FIELD_UINT, "log2 of the bytes transferred"},
    [ENCAP_F_DIFF] = {"diff", FIELD_UINT,
		      "difference encoding: 0 none, 1 address and XOR of data, 2 "
		      "address, 3 address and data"},
    [ENCAP_F_DATA_LEN] = {"data_len", FIELD_UINT, "bytes of data sent, less 1"},
    [ENCAP_F_DATA] = {"data", FIELD_TEXT, "data as sent"},
    [ENCAP_F_OP_LEN] = {"op_len", FIELD_UINT, "bytes of operand sent, less 1"},
    [ENCAP_F_OPERAND] = {"operand", FIELD_TEXT, "operand of an operation, as sent"},
    [ENCAP_F_CSR] = {"csr", FIELD_HEX, "number of the register", .digits = 3},
    FIELD_SYMBOL_ROWS(ENCAP_F_FUNCTION),
};
