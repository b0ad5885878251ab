/*
 * Hostile text on a terminal: names of files, folders, traces, functions, sources, devices and
 * archive members, texts of messages, collateral and notes that hold escape sequences.  Whatever
 * is opened, in every pane and every format, the terminal gets no control character but those of
 * the program's own sequences.
 */
#include "config.h"

#include "test.h"

#include "base/vec.h"
#include "elf_write.h"
#include "folder.h"
#include "hostile.h"
#include "perf_write.h"
#include "scene.h"

#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The same as HOSTILE without the bytes that are not UTF-8: a name in YAML, and as it stands
 * there between quotes; what a line of an INI file can hold, and what XML 1.0 lets in. */
#define NAME "\033]0;owned\a\033[31337;1H\302\2332J\342\200\256\342\201\246\330\234\177"
#define QUOTED "\"\\e]0;owned\\a\\e[31337;1H\\x9b2J\\u202e\\u2066\\u061c\\x7f"
#define INI "owned\033c\a\302\2332J\233\342\200\256\177\342\202"
#define XML "owned &#x9b;2J&#x202e;&#x2066;&#x61c;&#x7f;"
/* How a terminal shows their first bytes. */
#define SHOWN "\\x1b]0;owned\\x07"

/* --- the program's own sequences --------------------------------------- */

/* ESC [ with parameters; those of HOSTILE are out of all bounds. */
static size_t
control_length(const char *bytes, size_t length)
{
	size_t digits = 0;
	for (size_t i = 2; i < length; i++) {
		digits = bytes[i] >= '0' && bytes[i] <= '9' ? digits + 1 : 0;
		if (bytes[i] >= 0x40 && bytes[i] < 0x7f)
			return i + 1;
		if (bytes[i] < 0x20 || bytes[i] > 0x3f || digits > 4)
			return 0;
	}
	return 0;
}

/* The clipboard in base64. */
static size_t
copy_length(const char *bytes, size_t length)
{
	static const char start[] = "\033]52;c;";
	size_t i = sizeof start - 1;
	if (length < i || memcmp(bytes, start, i) != 0)
		return 0;
	while (i < length && bytes[i] != '\a' && bytes[i] > ' ')
		i++;
	return i < length && bytes[i] == '\a' ? i + 1 : 0;
}

/* The length of a sequence that the program sends by itself, which begins with ESC; or 0. */
static size_t
own_length(const char *bytes, size_t length)
{
	static const char *const others[] = {"\033M", "\033=", "\033>", "\033(B",
					     "\033]11;?\033\\"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strlen(others[i]) <= length && !memcmp(bytes, others[i], strlen(others[i])))
			return strlen(others[i]);
	return length > 2 && bytes[1] == '[' ? control_length(bytes, length)
					     : copy_length(bytes, length);
}

/* Fails if anything hostile was sent.  CONTROLS may stand alone; STYLED: so may sequences. */
static void
check_sent(const struct text *sent, const char *controls, bool styled, const char *what)
{
	const char *bytes = text_get(sent);
	for (size_t i = 0, taken; i < sent->length; i += taken) {
		taken = styled && bytes[i] == '\033' ? own_length(bytes + i, sent->length - i) : 0;
		uint32_t code;
		if (!taken && (taken = hostile_decode(bytes + i, sent->length - i, &code)) &&
		    hostile_find(bytes + i, taken, controls))
			taken = 0;
		if (!taken)
			fail_msg("%s: byte 0x%02x is raw: %.40s", what, (unsigned char)bytes[i],
				 bytes + i + 1);
	}
}

/* --- what is opened ---------------------------------------------------- */

enum { FILES_MAX = 4 };

/* A folder with captures, and what is given to the program. */
struct bait {
	struct folder folder;
	const char *arguments[FILES_MAX];
	size_t count;
};

static void
read_testdata(const char *name, byte_list *out)
{
	struct text path = {0}, bytes = {0};
	testdata_path(name, &path);
	FILE *file = fopen(path.data, "r");
	file_read_all(file, &bytes);
	fclose(file);
	elf_put_bytes(out, text_get(&bytes), bytes.length);
	text_free(&path);
	text_free(&bytes);
}

/* Copies a file of testdata/ to the folder of a bait. */
static void
put_copy(struct bait *b, const char *from, const char *name)
{
	byte_list bytes = {0};
	read_testdata(from, &bytes);
	folder_put(&b->folder, name, bytes.at, bytes.count);
	vec_free(&bytes);
}

static void
add_file(struct bait *b, const char *name)
{
	b->arguments[b->count++] = folder_path(&b->folder, name);
}

/* Puts other bytes in the place of FROM, as many, wherever that is. */
static void
patch(byte_list *bytes, const char *from, const char *to)
{
	size_t length = strlen(from), found = 0;
	assert_int_equal(strlen(to), length);
	for (size_t i = 0; i + length <= bytes->count; i++)
		if (!memcmp(bytes->at + i, from, length)) {
			memcpy(bytes->at + i, to, length);
			found++;
		}
	assert_true(found);
}

/* Replaces FROM in a text, wherever that is. */
static void
replace(struct text *text, const char *from, const char *to)
{
	struct text made = {0};
	const char *at = text_get(text), *next;
	assert_non_null(strstr(at, from));
	for (; (next = strstr(at, from)); at = next + strlen(from)) {
		text_add_bytes(&made, at, (size_t)(next - at));
		text_add(&made, to);
	}
	text_add(&made, at);
	text_free(text);
	*text = made;
}

/* The session of a camera, with hostile names of all that a profile names, and of its
 * program's functions, sources and sections. */
static void
make_lab(struct bait *b)
{
	static const char folder[] = NAME "/";
	static const char *const files[] = {"lab-soc.stp", "lab-dsp.gem", "lab-dsp.uia",
					    "lab-cam.csel", "lab-hub.enc"};
	static const char *const names[][2] = {
	    {"{file: lab-hub.elf,", "{file: " QUOTED ".elf\","},
	    {"file: lab-soc.stp, name: soc",
	     "file: " QUOTED "lab-soc.stp\", name: " QUOTED "soc\""},
	    {"name: hart 0", "name: " QUOTED "hart\""},
	    {"name: dsp,", "name: " QUOTED "dsp\","},
	    {"name: log\n", "name: " QUOTED "log\"\n"},
	    {"name: cam,", "name: " QUOTED "cam\","},
	    {"name: hub,", "name: " QUOTED "hub\","},
	    {"applies_to: hub", "applies_to: " QUOTED "hub\""},
	    {"trace: soc", "trace: " QUOTED "soc\""},
	    {"trace: log", "trace: " QUOTED "log\""},
	    {"trace: hub", "trace: " QUOTED "hub\""},
	    {"gem: dsp", "gem: " QUOTED "dsp\""},
	    {"uia: log", "uia: " QUOTED "log\""},
	    {"applies_to: [log]", "applies_to: [" QUOTED "log\"]"},
	    {"applies_to: [dsp]", "applies_to: [" QUOTED "dsp\"]"},
	    {"name: camera", "name: " QUOTED "cam\u00e9ra\""},
	    {"name: dma}", "name: " QUOTED "dma\"}"},
	    {"name: frame, format: \"frame", "name: " QUOTED "frame\", format: " QUOTED "frame"},
	    {"name: overlay\n", "name: " QUOTED "overlay\"\n"},
	    {"name: day", "name: " QUOTED "day\""},
	    {"name: night", "name: " QUOTED "night\""},
	    {"name: task", "name: " QUOTED "task\""},
	    {"name: idle", "name: " QUOTED "idle\""},
	    {"name: filter}", "name: " QUOTED "filter\"}"},
	};
	byte_list elf = {0}, bytes = {0};
	struct text yaml = {0};
	folder_put_folder(&b->folder, NAME);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		text_addf(&yaml, "%s%s%s", folder, i ? "" : NAME, files[i]);
		put_copy(b, files[i], yaml.data);
		text_clear(&yaml);
	}
	read_testdata("lab-hub.elf", &elf);
	patch(&elf, "copy_lines", "\033]0;owne\a\177");
	patch(&elf, "pass_lines", "\302\2332Jpa\233ss\033");
	patch(&elf, "wait_for_lines", "w\033[31337;1Hait");
	patch(&elf, "trap_entry", "\342\200\256\342\201\246trap");
	patch(&elf, "/work/h-me/tests/hub", "/\033]0;owne\a/tests/hub");
	patch(&elf, "hub.c", "h\033]0;");
	patch(&elf, ".bss", "\033]0;");
	folder_put(&b->folder, NAME "/" NAME ".elf", elf.at, elf.count);
	read_testdata("lab.yaml", &bytes);
	text_add_bytes(&yaml, bytes.at, bytes.count);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		replace(&yaml, names[i][0], names[i][1]);
	folder_put_text(&b->folder, NAME "/" NAME ".yaml", yaml.data);
	add_file(b, NAME "/" NAME ".yaml");
	text_free(&yaml);
	vec_free(&elf);
	vec_free(&bytes);
}

/* The demo under a hostile name, with the profile, the collateral and the notes that are found
 * next to it. */
static void
make_named(struct bait *b)
{
	byte_list bytes = {0};
	struct text xml = {0}, profile = {0};
	read_testdata("demo.xml", &bytes);
	text_add_bytes(&xml, bytes.at, bytes.count);
	replace(&xml, "Client Name=\"", "Client Name=\"" XML);
	replace(&xml, "}\">", "}\">" XML);
	replace(&xml, "<syst:Protocol ID=\"5\">", "<syst:Protocol ID=\"5\">" XML);
	replace(&xml, "<![CDATA[", XML "<![CDATA[\302\2332J");
	put_copy(b, "demo.stp", HOSTILE);
	folder_put_text(&b->folder, NAME ".xml", xml.data);
	text_add(&profile,
		 "traces:\n"
		 "  - match: '*'\n"
		 "    name: " QUOTED "board\"\n"
		 "    format: syst\n"
		 "    syst: {transport: stp, nibbles: msn, collateral: [" QUOTED ".xml\"]}\n");
	folder_put_text(&b->folder, HOSTILE ".profile.yaml", profile.data);
	folder_put_text(&b->folder, HOSTILE ".session.yaml",
			"marks:\n"
			"  - {trace: " QUOTED "board\", offset: 1000, note: " QUOTED "note\"}\n"
			"filters:\n"
			"  - {filter: \"text != '\\e]0;owned\\a\\u202e'\", off: true}\n");
	add_file(b, HOSTILE);
	text_free(&xml);
	text_free(&profile);
	vec_free(&bytes);
}

/* Lines of a log. */
static void
make_log(struct bait *b)
{
	struct text log = {0};
	for (int i = 0; i < 40; i++)
		text_addf(&log, "[%5d.%06d] %s%d: at %d\t%s<%d>\n", i / 10, i, HOSTILE, i % 3, i,
			  i % 2 ? HOSTILE : "\033[31337mred", i);
	folder_put(&b->folder, HOSTILE ".log", log.data, log.length);
	add_file(b, HOSTILE ".log");
	text_free(&log);
}

/* A snapshot whose devices, buffers and types have hostile names. */
static void
make_snapshot(struct bait *b)
{
	static const char *const files[] = {"etb.bin", "itm.ini", "snapshot.ini", "stm.ini",
					    "trace.ini"};
	folder_put_folder(&b->folder, HOSTILE);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct text from = {0}, name = {0}, bytes = {0};
		byte_list copy = {0};
		text_addf(&from, "all-opencsd/%s", files[i]);
		text_addf(&name, "%s/%s", HOSTILE, files[i]);
		read_testdata(from.data, &copy);
		text_add_bytes(&bytes, copy.at, copy.count);
		if (i && i != 2) {
			const char *device = i == 1 ? "ITM_0" : "STM_0";
			replace(&bytes, device, i == 1 ? "ITM" INI : "STM" INI);
		}
		if (i == 2)
			replace(&bytes, "made by", INI);
		if (i == 4) {
			replace(&bytes, "ITM_0", "ITM" INI);
			replace(&bytes, "ETB", "ETB" INI);
		}
		folder_put(&b->folder, name.data, bytes.data, bytes.length);
		text_free(&from);
		text_free(&name);
		text_free(&bytes);
		vec_free(&copy);
	}
	add_file(b, HOSTILE);
}

/* A perf.data whose program and mapped file have hostile names. */
static void
make_perf(struct bait *b)
{
	static const uint64_t info[] = {0,	    1ULL << 32 | 1,
					0,	    0x3030303030303030,
					0,	    9,
					0x10,	    0x10,
					0x28000ea1, 0x4100f403,
					0x488,	    0xcc,
					1,	    0};
	struct perf_writer w = {.arch = HOSTILE};
	uint8_t bytes[64];
	memset(bytes, 0x5a, sizeof bytes);
	perf_begin(&w);
	perf_record_info(&w, PERF_CS_ETM, info, sizeof info / sizeof *info);
	perf_record_comm(&w, 9, HOSTILE);
	perf_record_mmap2(&w, 9, 0x400000, 0x2000, 0x1000, NULL, "/" HOSTILE);
	perf_record_aux(&w, 0, 9, 0, 64, 0);
	perf_record_auxtrace(&w, 0, 0, 9, 0, bytes, sizeof bytes);
	perf_end(&w);
	folder_put(&b->folder, HOSTILE ".data", w.out.at, w.out.count);
	add_file(b, HOSTILE ".data");
	vec_free(&w.out);
}

/* Appends a member of an archive [POSIX.1-1988, ustar]. */
static void
add_member(byte_list *out, const char *name, const byte_list *bytes)
{
	char head[512] = {0};
	unsigned sum = 0;
	snprintf(head, 100, "%s", name);
	memcpy(head + 100, "0000644\0000000000\0000000000", 23);
	snprintf(head + 124, 12, "%011zo", bytes->count);
	memcpy(head + 136, "00000000000\0        0", 21);
	memcpy(head + 257, "ustar\00000", 8);
	for (size_t i = 0; i < sizeof head; i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 8, "%06o", sum);
	elf_put_bytes(out, head, sizeof head);
	elf_put_bytes(out, bytes->at, bytes->count);
	while (out->count % sizeof head)
		*vec_add(out) = 0;
}

static void
put_archive(struct bait *b, const char *name, int members)
{
	byte_list tar = {0}, demo = {0};
	read_testdata("demo.stp", &demo);
	for (int i = 0; i < members; i++)
		add_member(&tar, i ? HOSTILE "2.stp" : HOSTILE ".stp", &demo);
	for (int i = 0; i < 1024; i++)
		*vec_add(&tar) = 0;
	folder_put(&b->folder, name, tar.at, tar.count);
	add_file(b, name);
	vec_free(&tar);
	vec_free(&demo);
}

static void
make_archive(struct bait *b)
{
	put_archive(b, HOSTILE ".tar", 1);
}

/* Several members: an error that names them. */
static void
make_archives(struct bait *b)
{
	put_archive(b, HOSTILE "s.tar", 2);
}

/* What no format explains, and something else. */
static void
make_unknown(struct bait *b)
{
	static const char bytes[] = "\001\200\377" HOSTILE "\0\0\376\002" HOSTILE "\003\277";
	folder_put(&b->folder, HOSTILE ".bin", bytes, sizeof bytes);
	add_file(b, HOSTILE ".bin");
	put_copy(b, "lab-cam.csel", NAME ".csel");
	add_file(b, NAME ".csel");
}

/* Without its library the one is an error and the other not recognised. */
#ifdef HAVE_OPENCSD
enum { HAS_OPENCSD = true };
#else
enum { HAS_OPENCSD = false };
#endif
#ifdef HAVE_LIBARCHIVE
enum { HAS_LIBARCHIVE = true };
#else
enum { HAS_LIBARCHIVE = false };
#endif

static const struct {
	const char *name;
	void (*make)(struct bait *);
	bool on_screen;
} baits[] = {
    {"lab", make_lab, true},
    {"named", make_named, true},
    {"log", make_log, true},
    {"snapshot", make_snapshot, true},
    {"perf", make_perf, HAS_OPENCSD},
    {"archive", make_archive, HAS_LIBARCHIVE},
    {"archives", make_archives, false},
    {"unknown", make_unknown, true},
};

enum { BAITS = sizeof baits / sizeof *baits };

static void
bait_make(struct bait *b, size_t i)
{
	*b = (struct bait){0};
	folder_make(&b->folder);
	baits[i].make(b);
}

/* Starts the program with options, as many as there are before a NULL, on what the bait has. */
static void
start(struct scene *s, const struct bait *b, int rows, int cols, const char *const *options)
{
	char *arguments[20] = {getenv("TRAWL"), (char[]){"--no-state"}, (char[]){"--no-cache"}};
	size_t count = 3;
	for (; *options; options++)
		arguments[count++] = (char *)(uintptr_t)*options;
	for (size_t i = 0; i < b->count; i++)
		arguments[count++] = (char *)(uintptr_t)b->arguments[i];
	scene_start(s, rows, cols, "xterm-256color", arguments);
}

/* --- the screen -------------------------------------------------------- */

/* That the last row is no prompt with TEXT. */
static bool
prompt_is_gone(struct scene *s, const struct sought *sought)
{
	const char *row = emulator_row(s->emulator, s->rows - 1);
	return strncmp(row, sought->text, strlen(sought->text)) != 0;
}

/* Runs a command by its name, and waits until that is painted. */
static void
run_command(struct scene *s, const char *name)
{
	struct text typed = {0};
	text_addf(&typed, ":%s", name);
	scene_keys(s, typed.data);
	scene_wait_at(s, s->rows - 1, typed.data);
	scene_keys(s, "\r");
	if (!scene_awaits(s, prompt_is_gone, &(struct sought){.text = typed.data}))
		scene_fail(s, "%s is not run", name);
	text_free(&typed);
}

/* Opens each pane, moves in it, and closes it. */
static void
visit_panes(struct scene *s)
{
	static const char *const names[] = {
	    "detail",  "hex",	     "marks",	      "syncs",	     "gaps",	 "intervals",
	    "code",    "stack",	     "functions",     "context",     "timeline", "filter-list",
	    "origins", "table type", "matches owned", "table origin"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		run_command(s, names[i]);
		if (!strcmp(names[i], "code"))
			run_command(s, "code-sources");
		if (!strcmp(names[i], "timeline"))
			run_command(s, "timeline-lanes");
		scene_keys(s, "j");
		run_command(s, "facts");
		run_command(s, "close");
	}
	run_command(s, "copy");
	run_command(s, "copy-place");
}

/* Pages over the whole screen. */
static void
visit_covers(struct scene *s)
{
	static const char *const names[] = {"clocks", "messages", "help"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		run_command(s, names[i]);
		scene_check_idle(s);
		scene_keys(s, "\033");
	}
}

static void
test_panes(void **state)
{
	struct scene *s = *state;
	static const char *const options[][2] = {{NULL}, {"--ascii", NULL}};
	for (size_t i = 0; i <= BAITS; i++) { /* the first once more, in ASCII */
		const size_t of = i % BAITS;
		struct bait b;
		if (!baits[of].on_screen)
			continue;
		bait_make(&b, of);
		start(s, &b, 60, 160, options[i / BAITS]);
		scene_check_idle(s);
		if (scene_has_ended(s))
			scene_fail(s, "%s is not opened", baits[of].name);
		scene_keys(s, "5j");
		visit_panes(s);
		for (int list = 0; !of && list < 5; list++) /* the last one is followed */
			run_command(s, "next-trace");
		if (!of)
			visit_panes(s);
		visit_covers(s);
		scene_keys(s, "Q");
		scene_end(s);
		check_sent(&s->sent, "\r\n\b", true, baits[of].name);
		assert_non_null(strstr(s->sent.data, "owned"));
		for (size_t k = 0; i == BAITS && k < s->sent.length; k++)
			assert_true((unsigned char)s->sent.data[k] < 0x7f);
		scene_close(s);
		folder_remove(&b.folder);
	}
}

/* That a row below the title has the text. */
static bool
is_below_title(struct scene *s, const struct sought *sought)
{
	bool any = false;
	for (int row = 1; row < s->rows - 1; row++)
		any |= strstr(emulator_row(s->emulator, row), sought->text) != NULL;
	return any;
}

/* The panes that follow program flow say why they are empty, with the name of the capture. */
static void
test_errors_of_flow(void **state)
{
	struct scene *s = *state;
	static const char *const options[] = {NULL}, *const keys[] = {"K", "C", ":functions\r"};
	struct bait b;
	bait_make(&b, 1);
	start(s, &b, 24, 200, options);
	scene_wait(s, "1 of 309");
	for (size_t i = 0; i < 3; i++) {
		scene_keys(s, keys[i]);
		if (!scene_awaits(s, is_below_title, &(struct sought){.text = SHOWN}))
			scene_fail(s, "%s: no name", keys[i]);
		scene_keys(s, "q");
	}
	scene_keys(s, "Q");
	scene_end(s);
	check_sent(&s->sent, "\r\n\b", true, "flow");
	scene_close(s);
	folder_remove(&b.folder);
}

/* --- batch output ------------------------------------------------------ */

enum { OPTIONS_MAX = 5 };

/* What is printed on a terminal with these options; WHAT: of which bait. */
static void
print(struct scene *s, const struct bait *b, const char *const *options, const char *controls,
      const char *what)
{
	struct text name = {0};
	text_add(&name, what);
	for (const char *const *o = options; *o; o++)
		text_addf(&name, " %s", *o);
	setenv("NO_COLOR", "1", 1);
	start(s, b, 24, 80, options);
	unsetenv("NO_COLOR");
	scene_end(s);
	check_sent(&s->sent, controls, false, text_get(&name));
	text_free(&name);
}

static void
test_formats(void **state)
{
	struct scene *s = *state;
#define FIELDS "trace,origin,type,text,severity,kind"
	static const char *const runs[][OPTIONS_MAX] = {
	    {"-t", "text"},
	    {"-t", "text", "--ascii"},
	    {"-t", "csv"},
	    {"-t", "jsonl"},
	    {"-t", "hex"},
	    {"-t", "csv-systprint"},
	    {"-t", "ppl"},
	    {"-t", "ppl-packets"},
	    {"-t", "raw"},
	    {"-t", "insn"},
	    {"-t", "insn", "--fields=function,file,address,text"},
	    {"-t", "folded"},
	    {"-t", "functions"},
	    {"-t", "functions", "--fields=function,calls,time"},
	    {"-t", "lcov"},
	    {"-t", "stats"},
	    {"-t", "table", "--by=trace,origin,type"},
	    {"-t", "table", "--by=text", "--of=length"},
	    {"-t", "table-csv", "--by=trace,origin,type"},
	    {"-t", "table-jsonl", "--by=trace,origin,type,text"},
	    {"-t", "perfetto"},
	    {"-t", "none", "--verbose"},
	    {"-t", "text", "--fields=" FIELDS},
	    {"-t", "text", "--template={trace} {origin:>30.20} {text} {{{type}}}"},
	    {"-t", "csv", "--fields=" FIELDS},
	    {"-t", "csv", "--columns=gap"},
	    {"-t", "text", "-e", "text ~ owned"},
	    {"-t", "text", "--origin=nobody"},
	    {"-t", "text", "--source=nothing"},
	    {"--info"},
	    {"--dump-config"},
	    {"--check=loss,damaged,error"},
	    {"--check=catalog"},
	};
#undef FIELDS
	for (size_t i = 0; i < BAITS; i++) {
		struct bait b;
		size_t shown = 0;
		bait_make(&b, i);
		for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
			print(s, &b, runs[r], "\r\n\t", baits[i].name);
			shown += strstr(text_get(&s->sent), "owned") != NULL;
			scene_close(s);
		}
		assert_true(shown > 0);
		folder_remove(&b.folder);
	}
}

/* Two runs, and how they differ. */
static void
test_comparison(void **state)
{
	struct scene *s = *state;
	static const char *const runs[][OPTIONS_MAX] = {{"--compare", "-t", "text"},
							{"--compare", "-t", "jsonl"}};
	struct bait b;
	bait_make(&b, 2); /* a log */
	put_copy(&b, "log-zephyr.txt", NAME ".txt");
	add_file(&b, NAME ".txt");
	for (size_t i = 0; i < 2; i++) {
		print(s, &b, runs[i], "\r\n", "compare");
		assert_non_null(strstr(s->sent.data, "9b2J"));
		scene_close(s);
	}
	static const char *const screen[] = {"--compare", NULL};
	start(s, &b, 30, 120, screen);
	scene_wait(s, " differences from ");
	run_command(s, "differences");
	run_command(s, "next-difference");
	scene_keys(s, "Q");
	scene_end(s);
	check_sent(&s->sent, "\r\n\b", true, "compare");
	scene_close(s);
	folder_remove(&b.folder);
}

/* Colours of lines are the program's own, the texts between them are not. */
static void
test_coloured_lines(void **state)
{
	struct scene *s = *state;
	static const char *const options[] = {"-t", "text", "--color=always", NULL};
	struct bait b;
	bait_make(&b, 0);
	start(s, &b, 24, 80, options);
	scene_end(s);
	check_sent(&s->sent, "\r\n", true, "colours");
	assert_non_null(strstr(s->sent.data, "\033[33m"));
	assert_non_null(strstr(s->sent.data, "owned"));
	scene_close(s);
	folder_remove(&b.folder);
}

/* A serial port of a hostile name, on the screen and printed, until it is gone. */
static void
test_live(void **state)
{
	static const char *const options[][3] = {{NULL}, {"-t", "text", NULL}};
	static const char log[] = "[    0.000001] a: " HOSTILE "\n[    0.000002] b: c\n";
	struct scene *s = *state;
	for (size_t i = 0; i < 2; i++) {
		struct bait b = {0};
		struct text name = {0};
		char device[64];
		int master, slave;
		struct termios modes;
		folder_make(&b.folder);
		assert_int_equal(openpty(&master, &slave, device, NULL, NULL), 0);
		tcgetattr(slave, &modes);
		cfmakeraw(&modes);
		tcsetattr(slave, TCSANOW, &modes);
		fcntl(master, F_SETFD, FD_CLOEXEC);
		fcntl(slave, F_SETFD, FD_CLOEXEC);
		assert_int_equal(symlink(device, folder_path(&b.folder, HOSTILE)), 0);
		text_addf(&name, "text:serial:%s/%s@115200", b.folder.path, HOSTILE);
		b.arguments[b.count++] = name.data;
		assert_int_equal(write(master, log, sizeof log - 1), sizeof log - 1);
		start(s, &b, 30, 120, options[i]);
		scene_wait(s, "0.000002");
		if (!i)
			visit_panes(s);
		/* the slave stays open: else another test gets a terminal of the same name, and
		 * the program, which tries to open the port again, takes its keys and modes */
		close(master);
		scene_check_idle(s);
		if (!i)
			run_command(s, "messages");
		scene_keys(s, i ? "\003" : "Q");
		scene_end(s);
		check_sent(&s->sent, i ? "\r\n\t" : "\r\n\b", true, "live");
		assert_non_null(strstr(s->sent.data, "owned"));
		scene_close(s);
		close(slave);
		folder_remove(&b.folder);
		text_free(&name);
	}
}

/* An argument is named in the error that refuses it. */
static void
test_arguments(void **state)
{
	struct scene *s = *state;
	static const char *const runs[][OPTIONS_MAX] = {
	    {"--" HOSTILE},
	    {"-" HOSTILE},
	    {"-t", HOSTILE},
	    {"-f", HOSTILE},
	    {"-s", HOSTILE},
	    {"-e", HOSTILE},
	    {"-e", "text ~ /(" HOSTILE "/"},
	    {"-S", HOSTILE, "-t", "text"},
	    {"--by=" HOSTILE},
	    {"--of=" HOSTILE},
	    {"--sort=" HOSTILE, "-t", "table"},
	    {"-t", "text", "--fields=" HOSTILE},
	    {"-t", "text", "--template={" HOSTILE "}"},
	    {"-t", "text", "--time-format=" HOSTILE},
	    {"-t", "text", "--columns=" HOSTILE},
	    {"-t", "text", "--context=" HOSTILE},
	    {"-t", "text", "--split=" HOSTILE},
	    {"-t", "text", "--follow=" HOSTILE},
	    {"-t", "text", "--origin=" HOSTILE},
	    {"-t", "text", "--source=" HOSTILE},
	    {"-t", "text", "--order=" HOSTILE},
	    {"-t", "text", "--threads=" HOSTILE},
	    {"-t", "text", "--color=" HOSTILE},
	    {"-t", "text", "--profile=" HOSTILE},
	    {"-t", "text", "--write-pointer=" HOSTILE},
	    {"-t", "text", "--spool-limit=" HOSTILE},
	    {"-t", "text", "--collateral=" HOSTILE},
	    {"-t", "text", "-o", "/nonexistent/" HOSTILE},
	    {"-t", "text", "--stop-when=" HOSTILE, "--follow"},
	    {"--check=" HOSTILE},
	    {"--completion=" HOSTILE},
	    {"--view=" HOSTILE, "--dump-config"},
	    {"--theme=" HOSTILE, "--dump-config"},
	    {"--keys=" HOSTILE, "--dump-config"},
	    {"--config=" HOSTILE, "--dump-config"},
	    {"-t", "text", HOSTILE},
	    {"-t", "text", HOSTILE ".yaml"},
	    {"-t", "text", "tcp:" HOSTILE ":1"},
	    {"-t", "text", "tcp:" HOSTILE},
	    {"-t", "text", "serial:/dev/null@" HOSTILE},
	};
	const struct bait nothing = {0};
	struct text demo = {0};
	testdata_path("demo.stp", &demo);
	const struct bait b = {.arguments = {demo.data}, .count = 1};
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		print(s, &b, runs[i], "\r\n\t", "demo");
		scene_close(s);
		print(s, &nothing, runs[i], "\r\n\t", "nothing");
		scene_close(s);
	}
	text_free(&demo);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_panes),	     scene_test(test_errors_of_flow),
	    scene_test(test_formats),	     scene_test(test_comparison),
	    scene_test(test_coloured_lines), scene_test(test_arguments),
	    scene_test(test_live),
	};
	return scene_run_group("screen: hostile text", tests);
}
