/*
 * Program flow on the screen: the stack and the code of the message under the cursor, and
 * jumps along calls, with a program of seven instructions (seven.h).
 */
#include "config.h"

#include "test.h"

#include "program_path.h"
#include "scene.h"
#include "put_in.h"
#include "seven.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COLS = 100, WIDE = 160 };

struct opened {
	struct folder folder;
	struct text profile, capture;
};

static bool
reads_symbols(void)
{
	struct err err = {0};
	struct symbols *symbols = symbols_open_path("/proc/self/exe", &err);
	symbols_close(symbols);
	return symbols;
}

static void
show_seven(struct scene *s, struct opened *o, int cols)
{
	scene_open(s, 30, cols, "xterm-256color", text_get(&o->capture), text_get(&o->profile),
		   NULL);
	scene_wait(s, "seven.encap");
	scene_until(s, "idx", false);
}

static void
open_seven(struct scene *s, struct opened *o, const char *packets, size_t length)
{
	folder_make(&o->folder);
	seven_put(&o->folder, packets, length);
	o->profile = o->capture = (struct text){0};
	text_addf(&o->profile, "--profile=%s", folder_path(&o->folder, "seven.yaml"));
	text_add(&o->capture, folder_path(&o->folder, "seven.encap"));
	show_seven(s, o, COLS);
	if (!reads_symbols()) /* said at any time, over what a key says */
		scene_wait(s, "symbols cannot be read");
}

static void
open_named(struct scene *s, struct opened *o, const char *packets, size_t length)
{
	open_seven(s, o, packets, length);
	scene_quit(s);
	folder_put(&o->folder, "seven.elf", seven_named_elf, sizeof seven_named_elf - 1);
	show_seven(s, o, COLS);
}

static void
close_seven(struct scene *s, struct opened *o)
{
	scene_quit(s);
	folder_remove(&o->folder);
	text_free(&o->profile);
	text_free(&o->capture);
}

/* Shows a listing of trc_pkt_lister. */
static void
open_listing(struct scene *s, struct folder *folder, const char *listing)
{
	folder_make(folder);
	folder_put_text(folder, "runs.ppl", listing);
	scene_open(s, 24, 80, "xterm-256color", folder_path(folder, "runs.ppl"), NULL);
	scene_until(s, "idx", false);
}

/* Whether the function in the row of a frame is bold: that was not there before. */
static bool
is_new(struct scene *s, const char *start)
{
	for (int row = 0; row < s->rows; row++)
		if (!strncmp(emulator_row(s->emulator, row), start, strlen(start)))
			return emulator_cell(s->emulator, row, 3).bold;
	fail_msg("no row %s", start);
	return false;
}

static void
test_stack(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL SEVEN_TRAP;
	struct scene *s = *state;
	struct opened o;
	open_seven(s, &o, packets, sizeof packets - 1);
	scene_keys(s, "2G");
	scene_wait(s, " 2 of ");
	scene_keys(s, "K\033");
	scene_wait(s, "stack  ");
	scene_wait(s, " at 2 ");
	scene_wait(s, "d function");
	scene_wait_row(s, " 1 80000010", " 80000004 ");
	scene_wait_row(s, " 0 [..80000000..]", " 4");
	char missing[80]; /* the first row of it */
	snprintf(missing, sizeof missing, "no names: %.40s", symbols_missing);
	scene_wait(s, missing);
	scene_keys(s, "3G");
	scene_wait_row(s, " 2 80000014", " interrupt machine timer ");
	scene_wait_row(s, " 1 80000010", " 80000004 ");
	assert_true(is_new(s, " 2 80000014"));
	assert_false(is_new(s, " 1 80000010"));
	/* the call that led here, which Enter on its frame goes to */
	scene_keys(s, "[[");
	scene_wait(s, " 2 of 3");
	scene_keys(s, "[[");
	scene_wait_notice(s, NOTICE_FLOW_NO_CALLER);
	scene_keys(s, "3G");
	scene_wait(s, " at 3 ");
	scene_wait_row(s, " 2 80000014", " interrupt machine timer ");
	scene_keys(s, "\t");
	scene_keys(s, "j\r");
	scene_wait(s, " 2 of 3");
	close_seven(s, &o);
}

static void
test_code(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL SEVEN_TRAP;
	struct scene *s = *state;
	struct opened o;
	open_seven(s, &o, packets, sizeof packets - 1);
	scene_keys(s, "2G");
	scene_wait(s, " 2 of ");
	scene_keys(s, "C\033");
	scene_wait(s, " at 2  rv32 ");
	scene_wait_row(s, "      80000000 ", "message 1");
	scene_wait_row(s, "      80000004 ", "message 2");
	scene_wait_row(s, " > 1x 80000004 ", "> 80000010");
	scene_wait_row(s, " > 1x 80000010 ", "> 80000018");
	scene_wait_row(s, " > 1x 80000018 ", "> ?");
	scene_wait(s, "   interrupt machine timer");
	scene_keys(s, "\t");
	scene_keys(s, "o");
	scene_wait_row(s, " > 1x 80000004 ", "00c000ef");
	close_seven(s, &o);
}

/* The mode of the processor there, as far as it is known: of RISC-V U before a trap and M in its
 * handler; of Arm what the last context says. */
static void
test_modes(void **state)
{
	/* SEVEN_START with privilege 0 */
	static const char packets[] = "\005\023\0\0\0\340" SEVEN_CALL SEVEN_TRAP;
	static const char listing[] =
	    "Idx:1; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) "
	    "last_sz(4) (ISA=A64) E BR  )\n"
	    "Idx:2; ID:10; OCSD_GEN_TRC_ELEM_PE_CONTEXT((ISA=A64) EL1N; 64-bit; )\n"
	    "Idx:3; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x2000:[0x2004] num_i(1) "
	    "last_sz(4) (ISA=A64) E BR  )\n"
	    "Idx:4; ID:10; OCSD_GEN_TRC_ELEM_PE_CONTEXT((ISA=T32) S; 32-bit; )\n"
	    "Idx:5; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x3000:[0x3004] num_i(1) "
	    "last_sz(4) (ISA=T32) E BR  )\n"
	    "Idx:6; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [overflow])\n"
	    "Idx:7; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x4000:[0x4004] num_i(1) "
	    "last_sz(4) (ISA=T32) E BR  )\n";
	struct scene *s = *state;
	struct opened o;
	open_seven(s, &o, packets, sizeof packets - 1);
	scene_keys(s, "2G");
	scene_wait(s, " 2 of ");
	scene_keys(s, "C\033");
	scene_wait(s, " at 2  rv32 U --");
	scene_keys(s, "3G");
	scene_wait(s, " at 3  rv32 M --");
	close_seven(s, &o);
	open_listing(s, &o.folder, listing);
	scene_keys(s, "gC\033");
	scene_wait(s, "code  ID 0x10 at 1  A64 --");
	scene_keys(s, "3G");
	scene_wait(s, " at 3  A64 EL1 non-secure --");
	scene_keys(s, "5G");
	scene_wait(s, " at 5  T32 secure --");
	scene_keys(s, "7G");
	scene_wait(s, " at 7  T32 --");
	scene_quit(s);
	folder_remove(&o.folder);
}

/* Where another image of the same place has other bytes, that is marked. */
static void
test_patched(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL;
	char built[sizeof seven_elf];
	struct scene *s = *state;
	struct opened o;
	open_seven(s, &o, packets, sizeof packets - 1);
	scene_quit(s);
	memcpy(built, seven_elf, sizeof built);
	memcpy(built + 100, "\23\0\0", 4); /* a nop at 80000010 */
	folder_put(&o.folder, "built.elf", built, sizeof built - 1);
	struct text profile = {0};
	text_addf(&profile, "%.*s", (int)(strstr(seven_yaml, "symbols:") - seven_yaml), seven_yaml);
	text_add(&profile, "symbols: [{file: seven.elf}, {file: built.elf}]\n");
	folder_put_text(&o.folder, "seven.yaml", text_get(&profile));
	text_free(&profile);
	show_seven(s, &o, COLS);
	scene_keys(s, "2G");
	scene_wait(s, " 2 of ");
	scene_keys(s, "C\033");
	scene_wait_row(s, " > 1x 80000010* ", "> 80000018");
	scene_wait_row(s, " > 1x 80000004 ", "> 80000010");
	scene_wait(s, "* patched: another image of the same place has other bytes; a dump goes");
	close_seven(s, &o);
}

/* How deep in calls each message is, and where it went, from when on that is followed; the ret
 * of the second message led to where the next start says. */
static void
test_columns(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL SEVEN_START SEVEN_BACK;
	struct scene *s = *state;
	struct opened o;
	if (!reads_symbols())
		skip(); /* built without libdw */
	open_named(s, &o, packets, sizeof packets - 1);
	scene_quit(s);
	show_seven(s, &o, WIDE);
	scene_wait(s, " function ");
	assert_null(strstr(scene_screen(s), " target "));
	scene_keys(s, "K\033");
	scene_wait(s, " d function ");
	scene_keys(s, "K\033"); /* which leaves the list more room */
	scene_wait(s, " target ");
	scene_wait(s, " 0 main ");
	scene_wait(s, " 1 work                 > main ");
	scene_wait(s, " 1 main ");
	close_seven(s, &o);
}

/* Beside each instruction stands how often it was executed in the whole trace. */
static void
test_counts(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL SEVEN_START SEVEN_CALL SEVEN_START;
	struct scene *s = *state;
	struct opened o;
	open_seven(s, &o, packets, sizeof packets - 1);
	scene_keys(s, "2G");
	scene_wait(s, " 2 of ");
	scene_keys(s, "C\033");
	scene_wait(s, "   3x 80000000 "); /* and a text, where a disassembler is installed */
	scene_wait_row(s, " > 2x 80000004 ", "> 80000010");
	scene_wait_row(s, " > 2x 80000018 ", "> 80000000");
	close_seven(s, &o);
}

static void
test_jumps(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL SEVEN_START SEVEN_BACK SEVEN_TRAP;
	struct scene *s = *state;
	struct opened o;
	open_seven(s, &o, packets, sizeof packets - 1);
	scene_keys(s, "g]k");
	scene_wait(s, " 2 of 5");
	scene_keys(s, "]k");
	scene_wait(s, " 4 of 5");
	scene_keys(s, "]x");
	scene_wait(s, " 5 of 5");
	scene_keys(s, "]x");
	scene_wait_notice(s, NOTICE_FLOW_NO_TRAP_AFTER);
	scene_keys(s, "2[k");
	scene_wait(s, " 2 of 5");
	scene_keys(s, "(");
	scene_wait(s, " 1 of 5");
	close_seven(s, &o);
}

/* The table of functions; P in stack and code; Enter shows only messages of one. */
static void
test_functions(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL;
	struct scene *s = *state;
	struct opened o;
	open_seven(s, &o, packets, sizeof packets - 1);
	scene_keys(s, ":functions\r");
	scene_wait(s, "functions  2 by self  4 instructions");
	/* the first two of main, and the branch and the return of work: what waits for a proof
	 * at the end is counted too */
	scene_wait_row(s, " [unknown]", "  .     2    50%      4     4");
	scene_wait_row(s, " 0x80000010", "  1     2    50%      2     2");
	scene_wait(s, "4 instructions without names; ");
	scene_keys(s, "\r");
	scene_wait_notice(s, NOTICE_FUNCTION_NO_MESSAGE);
	scene_keys(s, "P");
	scene_until(s, "by self", false);
	scene_keys(s, "K\033\t");
	scene_wait(s, "= stack  ");
	scene_keys(s, "P");
	scene_wait(s, "functions  2 by self");
	close_seven(s, &o);
	if (!reads_symbols())
		return; /* built without libdw */
	open_named(s, &o, packets, sizeof packets - 1);
	scene_keys(s, ":functions\r");
	scene_wait(s, "functions  2 by self"); /* all, with times: not 2+ */
	scene_wait_row(s, " main ", "  .     2    50%      4     4");
	scene_wait_row(s, " work ", "  1     2    50%      2     2");
	scene_keys(s, "SSSS");
	scene_wait(s, "by function");
	scene_keys(s, "j\r");
	scene_wait(s, "only function = \"work\"");
	scene_wait_row(s, "> D 1 work ", "branch.address");
	scene_until(s, "sync.start", false);
	close_seven(s, &o);
}

/* The bytes of the instruction under the cursor of the code pane, while that has the focus: as
 * [RISC-V I] has them, the first 28 of the file's segment. */
static void
test_bytes(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL;
	struct scene *s = *state;
	struct opened o;
	open_seven(s, &o, packets, sizeof packets - 1);
	scene_keys(s, "2G");
	scene_wait(s, " 2 of ");
	scene_keys(s, "Cx\033");
	scene_wait(s, "bytes 0x6 3 B");
	scene_keys(s, "\t\t"); /* past the bytes */
	scene_wait(s, "= code  ");
	scene_wait(s, "bytes of seven.elf 0x80000004 4 B");
	scene_wait(s, " 80000000  13 00 00 00 ef 00 c0 00  13 00 00 00 6f 00 00 00 ");
	scene_wait(s, " 80000010  63 04 00 00 13 00 00 00  67 80 00 00 ");
	scene_keys(s, "j"); /* where code begins: its first instruction */
	scene_wait(s, "bytes of seven.elf 0x80000010 4 B");
	scene_keys(s, "jjj");
	scene_wait(s, "bytes of seven.elf 0x80000018 4 B");
	scene_keys(s, "\t");
	scene_wait(s, "bytes 0x6 3 B");
	close_seven(s, &o);
}

/* How long functions took, where messages have times: the second one 9 us behind the first, in
 * which an instruction of main and two of the function at 80000010 were executed. */
static void
test_times(void **state)
{
	/* with the flag `extend` and a timestamp [formats as of SEVEN_START] */
	static const char packets[] = "\205\0\163\0\0\0\340\202\011\005\014";
	static const char yaml[] = "traces:\n"
				   "  - {match: seven.encap, format: encap, clock: {hz: 1000000},\n"
				   "     encap: {srcid_width: 0, timestamp_bytes: 1}}\n"
				   "symbols: [{file: seven.elf}]\n";
	struct scene *s = *state;
	struct opened o;
	open_seven(s, &o, packets, sizeof packets - 1);
	scene_quit(s);
	folder_put_text(&o.folder, "seven.yaml", yaml);
	show_seven(s, &o, 120);
	scene_keys(s, ":functions\r");
	scene_wait(s, "  total time  most time");
	scene_wait_row(s, " [unknown]", "4  3.000 us    9.000 us");
	scene_wait_row(s, " 0x80000010", "2  6.000 us    6.000 us   6.000 us");
	scene_keys(s, "SSSSSS");
	scene_wait(s, "by total time");
	scene_quit(s);
	show_seven(s, &o, 80); /* room for one of them */
	scene_keys(s, ":functions\r");
	scene_wait_row(s, " [unknown]", "4  3.000 us");
	assert_null(strstr(scene_screen(s), "total time"));
	scene_keys(s, "SSSSSS");
	scene_wait_row(s, " [unknown]", "4    9.000 us");
	close_seven(s, &o);
}

/* Calls on the timeline, a lane for each depth: by offsets, as there is no time. */
static void
test_lanes(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL SEVEN_TRAP;
	struct scene *s = *state;
	struct opened o;
	open_seven(s, &o, packets, sizeof packets - 1);
	scene_keys(s, "i\033\t");
	scene_wait(s, "= offsets ");
	scene_keys(s, "f");
	/* the call comes with the second message, at byte 6, the trap with the third, at 9 */
	scene_wait_row(s, " 0 ", " [80000000]");
	scene_wait_row(s, " 1 ", "       [  ]");
	scene_wait_row(s, " 2 ", "          |");
	scene_keys(s, "f");
	scene_until(s, "[80000000]", false);
	close_seven(s, &o);
	scene_open(s, 24, 80, "xterm-256color", "all-encap.bin", NULL);
	scene_until(s, "idx", false);
	scene_keys(s, "i\033\tf");
	scene_wait_row(s, "functions", "its program is not known");
	scene_quit(s);
}

/* Messages that only run on are hidden, and shown again. */
static void
test_fold(void **state)
{
	static const char listing[] =
	    "Idx:1; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x1000:[0x1008] num_i(2) "
	    "last_sz(4) (ISA=A64) E --- )\n"
	    "Idx:2; ID:10; OCSD_GEN_TRC_ELEM_CYCLE_COUNT( [CC=4]; )\n"
	    "Idx:3; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x1008:[0x100c] num_i(1) "
	    "last_sz(4) (ISA=A64) E BR   [CC=5]; )\n"
	    "Idx:4; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x2000:[0x2004] num_i(1) "
	    "last_sz(4) (ISA=A64) E ---  [CC=1]; )\n";
	struct scene *s = *state;
	struct folder folder;
	open_listing(s, &folder, listing);
	scene_wait(s, "CYCLE_COUNT");
	scene_keys(s, ":fold-runs\r");
	scene_until(s, "CYCLE_COUNT", false);
	/* what it is from its first instruction to its last */
	scene_wait(s, "0x1000-0x100c A64 3 instr, jump, 9 cycles");
	scene_until(s, "0x1008-0x100c", false);
	scene_wait(s, "0x2000-0x2004");
	/* the row has the sums of its run, which V unfolds and folds again */
	scene_wait_row(s, "  S origin   cycles n ", " text");
	scene_wait_row(s, "> D ID 0x10       9 3 ", "0x1000-0x100c");
	scene_keys(s, "gV");
	scene_wait_notice(s, NOTICE_RUNS_UNFOLDED, "3 messages, 3 instructions, 9 cycles; V");
	scene_wait(s, "CYCLE_COUNT");
	scene_wait_row(s, ">", "0x1000-0x1008 A64 2 instr");
	scene_keys(s, "jj");
	scene_wait_row(s, ">", "0x1008-0x100c");
	scene_keys(s, "V");
	scene_wait_row(s, ">", "0x1000-0x100c");
	scene_until(s, "0x1008-0x100c", false);
	scene_keys(s, "jV");
	scene_wait_notice(s, NOTICE_RUN_NOT_FOLDED);
	scene_keys(s, "B");
	scene_wait_row(s, " [x] 1 out runs_on ", " 2 ");
	scene_keys(s, "B&\r");
	scene_wait(s, "0x1008-0x100c");
	/* the code is that of the run, as far as it is known without a program */
	scene_keys(s, "3G");
	scene_wait(s, " 3 of ");
	scene_keys(s, "C\033");
	scene_wait_row(s, "      00001000 ", "messages 1-3, 9 cycles");
	scene_wait(s, "1 instruction whose bytes are not known");
	scene_wait_row(s, "   1x 00001004 ", "other");
	scene_wait_row(s, " > 1x 00001008 ", "> 00002000");
	scene_wait_row(s, "      00002000 ", "message 4, 1 cycle");
	scene_wait(s, "program not known: `symbols: [{file: PROGRAM.elf}]` of a profile names it");
	scene_keys(s, "C\033");
	/* of its cycles the table and the stack tell */
	scene_keys(s, ":functions\r");
	scene_wait_row(s, " function", " most  cycles");
	scene_wait_row(s, " [unknown]", "  4      10");
	scene_keys(s, "P:0\rK\033");
	scene_keys(s, "G");
	scene_wait(s, "instr  cycles");
	scene_quit(s);
	folder_remove(&folder);
}

/* What a folded row is: code that no image has by its pages, else the functions that it leads
 * through, where these are two. */
static void
test_fold_text(void **state)
{
	static const char listing[] =
	    "Idx:1; ID:10; OCSD_GEN_TRC_ELEM_ADDR_NACC( 0x5004 )\n"
	    "Idx:2; ID:10; OCSD_GEN_TRC_ELEM_ADDR_NACC( 0x6000 )\n"
	    "Idx:3; ID:10; OCSD_GEN_TRC_ELEM_ADDR_NACC( 0x5ff8 )\n"
	    "Idx:4; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x80000008:[0x80000010] "
	    "num_i(2) last_sz(4) (ISA=A64) E --- )\n"
	    "Idx:5; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x80000010:[0x80000014] "
	    "num_i(1) last_sz(4) (ISA=A64) N BR   <cond>)\n";
	static const char yaml[] = "traces: [{match: runs.ppl, format: ppl}]\n"
				   "symbols: [{file: seven.elf}]\n";
	struct scene *s = *state;
	struct folder folder;
	struct text profile = {0};
	folder_make(&folder);
	folder_put_text(&folder, "runs.ppl", listing);
	folder_put_text(&folder, "runs.yaml", yaml);
	folder_put(&folder, "seven.elf", seven_named_elf, sizeof seven_named_elf - 1);
	text_addf(&profile, "--profile=%s", folder_path(&folder, "runs.yaml"));
	scene_open(s, 24, 130, "xterm-256color", folder_path(&folder, "runs.ppl"),
		   text_get(&profile), NULL);
	scene_until(s, "idx", false);
	scene_keys(s, "V");
	scene_wait(s, "3 addresses in 2 pages have no image");
	scene_wait(s, reads_symbols() ? "0x80000008-0x80000014 [main+0x8 to work] A64 3 instr, b"
				      : "0x80000008-0x80000014 A64 3 instr, branch not");
	scene_quit(s);
	folder_remove(&folder);
	text_free(&profile);
}

/* % goes from a call to behind it, and from a return to its call; keys of debuggers do the
 * same as ) and ]]. */
static void
test_pairs(void **state)
{
	enum { AHEAD_RUNS = 30 };
	static const char listing[] =
	    "Idx:1; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x1000:[0x1008] num_i(2) "
	    "last_sz(4) (ISA=A64) E BR  b+link )\n"
	    "Idx:2; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x2000:[0x2004] num_i(1) "
	    "last_sz(4) (ISA=A64) E iBR A64:ret )\n"
	    "Idx:3; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x1008:[0x100c] num_i(1) "
	    "last_sz(4) (ISA=A64) E --- )\n";
	struct scene *s = *state;
	struct folder folder;
	open_listing(s, &folder, listing);
	scene_keys(s, "%");
	scene_wait(s, " 3 of 3");
	scene_keys(s, "K\033");
	scene_wait(s, "stack  ID 0x10 at 3");
	scene_keys(s, "%");
	scene_wait_notice(s, NOTICE_PARTNER_NONE);
	scene_keys(s, "k%");
	scene_wait(s, "stack  ID 0x10 at 1");
	scene_keys(s, "\033[21~"); /* F10 */
	scene_wait(s, "stack  ID 0x10 at 3");
	scene_keys(s, "g\033[23~"); /* F11 */
	scene_wait(s, "stack  ID 0x10 at 2");
	scene_keys(s, "\033[23;2~"); /* Shift-F11 */
	scene_wait(s, "stack  ID 0x10 at 3");
	scene_quit(s);
	for (int i = 0; i < AHEAD_RUNS; i++) { /* the same before there are rows */
		scene_open(s, 24, 80, "xterm-256color", folder_path(&folder, "runs.ppl"), NULL);
		scene_keys(s, "%");
		scene_wait(s, " 3 of 3");
		scene_quit(s);
	}
	folder_remove(&folder);
}

/* Depth and target in filters and tables begin to follow the trace by themselves. */
static void
test_names(void **state)
{
	static const char packets[] = SEVEN_START SEVEN_CALL SEVEN_START SEVEN_BACK;
	struct scene *s = *state;
	struct opened o;
	open_seven(s, &o, packets, sizeof packets - 1);
	scene_keys(s, "&depth = 0\r");
	scene_wait(s, " 1 of 4, row 1 of 1 ");
	scene_keys(s, "u&target = \"80000000\"\r");
	scene_wait(s, " 2 of 4, row 1 of 1 ");
	scene_keys(s, "u:table depth\r");
	scene_wait_row(s, " 1 ", " 3 ");
	scene_wait_row(s, " 0 ", " 1 ");
	close_seven(s, &o);
}

/* Functions that the compiler put in have rows above the frame that they are in. */
static void
test_put_in(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	struct err err = {0};
	struct text text = {0};
	char program[4096];
	ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	struct symbols *symbols = symbols_open_path("/proc/self/exe", &err);
	uint64_t address = put_in_address();
	struct symbol_place place = {0};
	if (symbols)
		symbols_find(symbols, address, &place);
	bool known = place.path, here = known && !access(place.path, R_OK);
	symbols_close(symbols);
	if (!known || length < 0)
		skip(); /* built without libdw, or without -g */
	program[length] = '\0';
	folder_make(&folder);
	text_addf(&text, "traces: [{match: put.ppl, format: ppl}]\nsymbols: [{file: \"%s\"}]\n",
		  program);
	folder_put_text(&folder, "put.yaml", text_get(&text));
	text_clear(&text);
	text_addf(&text,
		  "Idx:1; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x%llx:[0x%llx] num_i(1) "
		  "last_sz(4) (ISA=A64) E --- )\n",
		  (unsigned long long)address - 3, (unsigned long long)address + 1);
	folder_put_text(&folder, "put.ppl", text_get(&text));
	text_clear(&text);
	text_addf(&text, "--profile=%s", folder_path(&folder, "put.yaml"));
	scene_open(s, 24, 80, "xterm-256color", folder_path(&folder, "put.ppl"), text_get(&text),
		   NULL);
	scene_until(s, "idx", false);
	scene_keys(s, "K\033");
	scene_wait_row(s, "   inner_put_in ", " inlined");
	scene_wait_row(s, "   outer_put_in ", " inlined");
	scene_wait_row(s, " 0 [..put_in_address", "[before this is known]");
	/* what stands in its source, or that it is not there */
	scene_keys(s, "KC\033");
	scene_wait(s, "message 1");
	scene_keys(s, "\ts");
	scene_wait_row(s,
		       "      put_in.h:", here ? "  const void *at = here();" : ": No such file");
	scene_quit(s);
	folder_remove(&folder);
	text_free(&text);
}

/* Without a program what is missing is said. */
static void
test_no_program(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "all-encap.bin", NULL);
	scene_until(s, "idx", false);
	scene_keys(s, "K\033");
	scene_wait(s, "its program is not known");
	scene_wait(s, "name the ELF file in a profile: `symbols: [{file: PROGRAM.elf}]`");
	scene_quit(s);
	scene_open(s, 24, 80, "xterm-256color", "demo.stp", NULL);
	scene_until(s, "idx", false);
	scene_keys(s, "C\033");
	scene_wait(s, "are followed through their program");
	scene_keys(s, "]x");
	scene_wait(s, "are followed through their program");
	scene_keys(s, "V");
	scene_wait_notice(s, NOTICE_RUNS_NONE);
	scene_quit(s);
}

/* At a message of a trace without a program it is the last one before it of a trace that has
 * one: in the demo, what the hub did when a frame was lost. */
static void
test_other_trace(void **state)
{
	struct scene *s = *state;
	scene_open(s, 24, 80, "xterm-256color", "lab.yaml", NULL);
	scene_wait(s, " 10:06:40."); /* the clocks are known */
	/* before them, the table is there and says what was executed in all of that trace */
	scene_keys(s, ":functions\r");
	scene_wait(s, "instructions");
	scene_until(s, "are followed through their program", false);
	scene_keys(s, "P:0\rgK\033");
	scene_wait(s, "nothing is known to have been executed before this message");
	scene_keys(s, "K\033g]x");
	scene_wait_row(s, ">", "sync.trap");
	scene_keys(s, "g");
	scene_keys(s, "3e");
	scene_wait_row(s, ">", "camera   frames 7 and 8: lost");
	scene_keys(s, "K\033");
	scene_wait(s, "stack  hart 0 at 329, the last before");
	bool named = !strstr(symbols_missing, "install libdw"); /* to read them */
	scene_wait_row(s, named ? " 7 trap_entry " : " 7 80000018 ",
		       " exception store access fault ");
	if (named)
		scene_wait_row(s, " 6 copy_lines ", " pass_lines+0x");
	scene_keys(s, "[x"); /* which is behind the message that is shown */
	scene_wait_row(s, ">", "exception=7");
	scene_wait(s, "stack  hart 0 at 329 -");
	scene_keys(s, "ge");
	scene_wait_row(s, ">", "seq 70 given up");
	scene_keys(s, "]x");
	scene_wait_row(s, ">", "interrupt=11");
	scene_quit(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_stack),	 scene_test(test_code),	       scene_test(test_counts),
	    scene_test(test_patched),	 scene_test(test_times),       scene_test(test_bytes),
	    scene_test(test_columns),	 scene_test(test_jumps),       scene_test(test_functions),
	    scene_test(test_put_in),	 scene_test(test_lanes),       scene_test(test_fold),
	    scene_test(test_no_program), scene_test(test_other_trace), scene_test(test_names),
	    scene_test(test_pairs),	 scene_test(test_modes),       scene_test(test_fold_text)};
	return scene_run_group("screen: program flow", tests);
}
