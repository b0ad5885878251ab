/*
 * No keys end the program but those that should, whatever they come after and however fast:
 * bursts of keys and commands at random, some before the first screen is there, over captures of
 * many formats, while files are written and, in some cases, captures and programs are truncated,
 * replaced and removed.  No open capture is changed by what is typed.  TRAWL_SEED repeats a case,
 * TRAWL_RUNS tries more.
 */
#include "config.h"

#include "../random.h"
#include "base/thread.h"
#include "command/command.h"
#include "folder.h"
#include "scene.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 24, BURSTS = 40, TOKENS = 12 };

static const char *const captures[] = {
    "demo.stp",	   "lab.yaml",	      "all-opencsd",	   "damaged-opencsd",	"all-gem.bin",
    "all-raw.bin", "all-encap.bin",   "damaged-encap.bin", "damaged-csel.csel", "all-hex.txt",
    "all-itm.itm", "damaged-uia.bin", "log-dmesg.txt",	   "demo.xml",
};

/* What keys of terminals send that are no characters; and a click, the wheel and a drag. */
static const char *const sequences[] = {
    "\033[A",	      "\033[B",	       "\033[C",	"\033[D",	  "\033[H",
    "\033[F",	      "\033[5~",       "\033[6~",	"\033[Z",	  "\033OP",
    "\033[15~",	      "\033[21~",      "\033[23~",	"\033[1;5C",	  "\033[<0;9;5M",
    "\033[<0;30;12M", "\033[<65;5;8M", "\033[<64;5;8M", "\033[<32;40;9M", "\033[<0;40;9m",
};

static const char *const arguments[] = {
    "",
    "error",
    "severity >= warning",
    "text ~ \"a\"",
    "text ~ \"(\"",
    "time > 1ms and not",
    "17",
    "50%",
    "+10ms",
    "0x100",
    "#3",
    "origin, severity",
    "length",
    "off",
    "a b",
    "depth",
    "absolute",
    "\303\251\342\202\254",
    "start: text ~ \"a\" end: text ~ \"b\"",
};

/* What is appended to the commands that write. */
static const char *const targets[] = {
    " out.txt",
    "! out.txt",
    " out.jsonl jsonl",
    "! out.csv marks csv",
    "! demo.stp",
    "! demo.stp raw",
    "! fifo",
    "! /dev/null",
    "! /dev/full",
    " none/out",
    "! .",
    "",
    "! out.raw raw",
    " t.txt table",
};

/* Files that change while they are open. */
static const char *const changing[] = {
    "demo.stp",	     "lab-soc.stp",  "lab-hub.elf",	      "lab-hub.enc",
    "lab-dsp.gem",   "lab-cam.csel", "all-opencsd/etb.bin",   "damaged-encap.bin",
    "all-gem.bin",   "all-raw.bin",  "all-opencsd/trace.ini", "damaged-uia.bin",
    "log-dmesg.txt", "demo.xml",     "all-hex.txt",	      "all-itm.itm",
};

static char scratch[32]; /* a copy of the test data, in which the program works */

#define PICK(seed, table) (table)[random_below(seed, sizeof(table) / sizeof *(table))]

static const enum command_id writing[] = {COMMAND_WRITE, COMMAND_RECORD, COMMAND_SAVE};

/* A command that does not end the program. */
static const char *
pick_command(uint64_t *seed)
{
	static const enum command_id others[] = {COMMAND_QUIT, COMMAND_SUSPEND};
	for (;;) {
		enum command_id id = random_below(seed, COMMAND_COUNT);
		bool other = false;
		for (size_t i = 0; i < sizeof others / sizeof *others; i++)
			other |= id == others[i];
		if (!other)
			return commands[id].name;
	}
}

/* A character; none of those that end or stop the program, or its terminal before it starts. */
static char
pick_character(uint64_t *seed)
{
	char c = (char)(1 + random_below(seed, 126));
	return strchr("\003\023\032\034qQZ", c) ? 'j' : c;
}

static void
add_token(struct text *keys, uint64_t *seed)
{
	unsigned kind = random_below(seed, 20);
	if (kind < 9)
		text_add_char(keys, pick_character(seed));
	else if (kind < 11)
		text_addf(keys, "%c%c", "[]gzam"[random_below(seed, 6)], pick_character(seed));
	else if (kind < 13)
		text_add(keys, PICK(seed, sequences));
	else if (kind == 13)
		text_addf(keys, ":%s%s\r", commands[PICK(seed, writing)].name, PICK(seed, targets));
	else if (kind < 17)
		text_addf(keys, ":%s %s\r", pick_command(seed), PICK(seed, arguments));
	else if (kind < 19)
		text_addf(keys, "%c%s%c", "/?&"[random_below(seed, 3)], PICK(seed, arguments),
			  "\r\033"[random_below(seed, 2)]);
	else
		text_add(keys, "\033");
}

/* Types as fast as keys are taken; what the program writes meanwhile is read, so that neither waits
 * for the other. */
static void
type(struct scene *s, const char *keys)
{
	fcntl(s->master, F_SETFL, O_NONBLOCK);
	while (*keys && !scene_has_ended(s)) {
		struct pollfd file = {.fd = s->master, .events = POLLIN | POLLOUT};
		assert_true(poll(&file, 1, SCENE_DEADLINE_MS) > 0);
		if (file.revents & POLLIN && !scene_read(s, 0))
			return;
		if (!(file.revents & POLLOUT))
			continue;
		ssize_t length = write(s->master, keys, strlen(keys));
		keys += length > 0 ? length : 0;
	}
}

/* Out of what waits for a letter or a text, and then out; false: it does not end. */
static bool
leave(struct scene *s)
{
	static const struct {
		const char *keys;
		int ms;
	} ways[] = {{"\033", 60}, {"\033", 60}, {":q!\r", 2000}};
	for (int i = 0; i < 30 && !scene_has_ended(s); i++) {
		type(s, ways[i % 3].keys);
		for (int64_t end = thread_now_ms() + ways[i % 3].ms;
		     thread_now_ms() < end && !scene_has_ended(s);)
			scene_read(s, 20);
	}
	return scene_has_ended(s);
}

/* Leaves the program and checks that it ends well. */
static void
check_end(struct scene *s, const char *capture, const char *keys)
{
	if (!leave(s))
		scene_fail(s, "%s does not end: %s", capture, keys);
	scene_end(s);
	/* 2: a file was still being written */
	if (!WIFEXITED(s->status) || (WEXITSTATUS(s->status) != 0 && WEXITSTATUS(s->status) != 2))
		scene_fail(s, "%s ended with status %d: %s", capture, s->status, keys);
	scene_close(s);
}

static void
run_shell(const char *command)
{
	assert_int_equal(system(command), 0);
}

/* Make a new copy of the test data. */
static void
renew_scratch(void)
{
	struct text command = {0};
	text_addf(&command,
		  "cd '%s' && rm -rf data && cp -r '%s/testdata' data && chmod -R u+w data && "
		  "mkfifo data/fifo",
		  scratch, getenv("srcdir"));
	run_shell(command.data);
	text_clear(&command);
	text_addf(&command, "%s/data", scratch);
	assert_int_equal(chdir(command.data), 0);
	text_free(&command);
}

/* Change a file as other programs do: truncate it, write it anew, replace it, remove it. */
static void
disturb(uint64_t *seed)
{
	const char *name = PICK(seed, changing), *other = PICK(seed, changing);
	struct text command = {0};
	text_addf(&command, "cd '%s/data' && ", scratch);
	switch (random_below(seed, 4)) {
	case 0:
		text_addf(&command, "truncate -s %u %s", random_below(seed, 20000), name);
		break;
	case 1:
		text_addf(&command, "cat '%s/testdata/%s' >%s", getenv("srcdir"), other, name);
		break;
	case 2:
		text_addf(&command, "cp '%s/testdata/%s' new && mv new %s", getenv("srcdir"), other,
			  name);
		break;
	default:
		text_addf(&command, "rm -f %s", name);
	}
	run_shell(command.data);
	text_free(&command);
}

static void
check_unchanged(const char *capture, const char *what)
{
	struct text command = {0};
	text_addf(&command, "diff -r '%s/testdata/%s' '%s/data/%s'", getenv("srcdir"), capture,
		  scratch, capture);
	if (system(command.data))
		fail_msg("%s was changed: %s", capture, what);
	text_free(&command);
}

static void
run_case(struct scene *s, uint64_t seed)
{
	static const int sizes[][2] = {{24, 80}, {50, 200}, {9, 33},	{1, 20},
				       {1, 1},	 {30, 120}, {100, 300}, {2, 7}};
	static const char *const terminals[] = {"xterm-256color", "linux", "vt100"};
	struct text what = {0}, keys = {0}, path = {0};
	text_addf(&what, "TRAWL_RUNS=1 TRAWL_SEED=%llu", (unsigned long long)seed);
	const int *size = PICK(&seed, sizes);
	const char *capture = PICK(&seed, captures);
	bool changes = random_below(&seed, 4) == 0;
	renew_scratch();
	text_addf(&path, "%s/data/%s", scratch, capture);
	scene_open(s, size[0], size[1], PICK(&seed, terminals), path.data,
		   random_below(&seed, 2) ? "--mouse" : "--no-cache", NULL);
	for (int i = 0; i < BURSTS && !scene_has_ended(s); i++) {
		if (changes && random_below(&seed, 8) == 0)
			disturb(&seed);
		text_clear(&keys);
		for (unsigned k = 1 + random_below(&seed, TOKENS); k > 0; k--)
			add_token(&keys, &seed);
		type(s, text_get(&keys));
		scene_read(s, (int)random_below(&seed, 20));
	}
	check_end(s, capture, text_get(&what));
	if (!changes)
		check_unchanged(capture, text_get(&what));
	text_free(&keys);
	text_free(&path);
	text_free(&what);
}

/* Each pane takes keys before it was drawn for the first time. */
static void
test_ahead(void **state)
{
	static const char *const names[] = {"lab.yaml", "all-opencsd", "demo.xml"};
	struct scene *s = *state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (unsigned id = 0; id < COMMAND_COUNT; id++) {
			struct text keys = {0};
			if (commands[id].group != GROUP_PANES || id == COMMAND_SUSPEND)
				continue;
			const char *key = commands[id].keys;
			if (key[0] && (key[1] == ' ' || !key[1])) /* no prompt is drawn for it */
				text_add_char(&keys, *key);
			else
				text_addf(&keys, ":%s\r", commands[id].name);
			text_add(&keys, "Gj\005\031kf bud+-\r\tGj\005kg");
			scene_open(s, 24, 80, "xterm-256color", names[i], NULL);
			type(s, text_get(&keys));
			check_end(s, names[i], commands[id].name);
			text_free(&keys);
		}
}

/* No thread waits for a file to grow that is followed when the program shall end. */
static void
test_follow(void **state)
{
	struct scene *s = *state;
	for (int i = 0; i < 10; i++) {
		scene_open(s, 24, 80, "xterm-256color", "all-opencsd", "+:follow", NULL);
		scene_quit(s);
	}
}

static void
test_random(void **state)
{
	const char *wanted = getenv("TRAWL_SEED");
	uint64_t seed = wanted ? strtoull(wanted, NULL, 10) : 1;
	for (unsigned i = 0; i < test_runs(RUNS); i++)
		run_case(*state, seed + i);
}

/* Work in the folder of the scratch data.  What is given as a relative path is made absolute. */
static int
enter_scratch(void **state)
{
	const char *source = getenv("srcdir");
	char *absolute = realpath(source ? source : ".", NULL);
	struct folder folder;
	folder_make(&folder);
	snprintf(scratch, sizeof scratch, "%s", folder.path);
	setenv("srcdir", absolute, 1);
	free(absolute);
	(void)state;
	return 0;
}

static int
leave_scratch(void **state)
{
	struct text command = {0};
	(void)state;
	text_addf(&command, "rm -rf '%s'", scratch);
	int failed = system(command.data);
	text_free(&command);
	return failed;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {scene_test(test_ahead), scene_test(test_follow),
					   scene_test(test_random)};
	scene_prepare_group();
	return cmocka_run_group_tests_name("screen: random keys", tests, enter_scratch,
					   leave_scratch);
}
