/*
 * The program on a terminal of its own: keys in, screens out, as a person sees
 * them.  Nothing here waits for a time to pass: a scene is read until the screen
 * shows what it should and the program waits for the next event, or a deadline is
 * over, which fails the test.
 *
 * A test that uses scenes is listed with scene_test(), and its *state is an array
 * of SCENES_MAX closed scenes.  However the test ends, its programs end with it.
 */
#ifndef TRAWL_TESTS_UNIT_SCENE_H
#define TRAWL_TESTS_UNIT_SCENE_H

#include "test.h"

#include "base/notice.h"
#include "base/text.h"
#include "emulator.h"

#include <stdio.h>
#include <sys/types.h>
#include <termios.h>

/* The deadline is for a program that sleeps.  Of the time in which it runs a tenth counts. */
enum { SCENES_MAX = 2, SCENE_DEADLINE_MS = 30000 };

struct scene {
	struct emulator *emulator; /* NULL: the scene is closed */
	pid_t child;		   /* 0: it has ended */
	int master, slave;	   /* the slave stays open to look at its modes */
	int rows, cols;
	struct text sent; /* all that came */
	struct text screen;
	struct termios modes; /* before */
	int status;	      /* of the child, once it ended */
	int64_t waited_us;    /* for the program; see SCENE_DEADLINE_MS */
	int64_t looked_us;    /* when that was counted last */
};

int scene_setup(void **state);
int scene_teardown(void **state);
#define scene_test(f) cmocka_unit_test_setup_teardown(f, scene_setup, scene_teardown)

/* A main(): runs the tests of the array, or the one that TRAWL_TEST names. */
#define scene_run_group(name, tests)                                                               \
	(scene_prepare_group(), cmocka_run_group_tests_name(name, tests, NULL, NULL))
void scene_prepare_group(void);

/* --- begin and end ----------------------------------------------------- */

/* Starts a program; without one the test is skipped. */
void scene_start(struct scene *, int rows, int cols, const char *term, char *const *arguments);
/* Starts trawl with further arguments (NULL at the end) on testdata/NAME, or on a
 * whole path.  Nothing is kept from scene to scene. */
void scene_open(struct scene *, int rows, int cols, const char *term, const char *name, ...);
void scene_open_demo(struct scene *, int rows, int cols);
/* Opens a capture of mkcapture, and waits for END in the last row: its catalog
 * messages have no collateral, which is said until the next key. */
void scene_open_made(struct scene *, const char *path, const char *end);

/* The option for a view whose lists have numbers at any width. */
const char *scene_numbered(void);

/* That the program is over; scene_end() learns how. */
bool scene_has_ended(const struct scene *);
/* Waits for the child's end and what it still has to say. */
void scene_end(struct scene *);
/* That the shell would find the terminal as it was. */
void scene_check_restored(struct scene *);
/* Ends what was started; nothing if that was done. */
void scene_close(struct scene *);
/* Types Q, checks a good end, and closes. */
void scene_quit(struct scene *);

/* --- keys, and what the screen shows ----------------------------------- */

void scene_keys(struct scene *, const char *keys);
/* Reads what has come, waiting up to MS for it; false at the end. */
bool scene_read(struct scene *, int ms);
/* Waits until nothing more is sent and nothing wakes any thread. */
void scene_check_idle(struct scene *);

/* All rows; the text is the scene's. */
const char *scene_screen(struct scene *);
/* The row that starts so, or NULL; the text is the emulator's. */
const char *scene_row(struct scene *, const char *start);
bool scene_has_colours(struct scene *);

/* What a screen is looked at for: a text, where those who ask for that need it in a
 * row, from a column on, or behind the first bytes of the row that starts so. */
struct sought {
	const char *text, *start;
	int row, col;
	size_t skip;
};

/* Reads until something HOLDS of the whole screen; false if it did not before the
 * deadline or the program's end. */
bool scene_awaits(struct scene *, bool (*holds)(struct scene *, const struct sought *),
		  const struct sought *);
/* Waits until the whole screen is there and has TEXT (or, not WANTED, no more). */
void scene_until(struct scene *, const char *text, bool wanted);
void scene_wait(struct scene *, const char *text);
/*
 * Notices, in the last row.  A test names a notice by its id of base/notice.h and never by its
 * words.  A notice may be cut where the row is narrow: the part that is shown is compared.
 */

/* Waits until the notice is shown with these arguments. */
void scene_wait_notice(struct scene *, const char *notice, ...)
    __attribute__((format(printf, 2, 3)));
/* Waits until the notice is shown with any arguments.  PART, unless it is NULL, is among them. */
void scene_wait_id(struct scene *, const char *notice, const char *part);
/* Waits until the notice is gone. */
void scene_until_gone(struct scene *, const char *notice);
/* Waits until some row, as one of :messages, begins with the notice. */
void scene_wait_logged(struct scene *, const char *notice, const char *part);

/* Waits until a row has TEXT: the one of that number, or the one that starts so. */
void scene_wait_at(struct scene *, int row, const char *text);
void scene_wait_row(struct scene *, const char *start, const char *text);
/* Waits until the row that starts so has COUNT in it as a word. */
void scene_wait_count(struct scene *, const char *start, size_t count);

/* Fails with the screen as it is. */
_Noreturn void scene_fail(struct scene *, const char *form, ...)
    __attribute__((format(printf, 2, 3)));

/* --- files and batch output -------------------------------------------- */

/* In the title of the demo once its times are of the common clock. */
#define DEMO_TIME "  by transport "

/* The path of testdata/NAME; an absolute one is itself. */
void testdata_path(const char *name, struct text *path);
/* What a file or a pipe has to its end. */
void file_read_all(FILE *, struct text *out);

/* What trawl prints with ARGUMENTS of testdata/NAME. */
void batch_print_of(const char *name, const char *arguments, struct text *out);
/* The same of the demo. */
void batch_print(const char *arguments, struct text *out);

#endif
