/*
 * The writer of files: what was there before is there after any fault, or the new file is whole.
 *
 * The system calls that can fail are wrapped: the N-th call of a run fails with a given errno.
 */
#include "config.h"

#include "test.h"

#include "base/writer.h"
#include "random.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- faults ------------------------------------------------------------ */

static struct {
	int left;   /* calls until one fails; negative: none does */
	int reason; /* its errno */
	bool short_write;
} fault = {.left = -1};

static bool
fails(void)
{
	if (fault.left < 0 || fault.left-- > 0)
		return false;
	errno = fault.reason;
	return true;
}

ssize_t __wrap_write(int file, const void *bytes, size_t length);
ssize_t __real_write(int file, const void *bytes, size_t length);
int __wrap_fsync(int file);
int __real_fsync(int file);
int __wrap_rename(const char *from, const char *to);
int __real_rename(const char *from, const char *to);
int __wrap_linkat(int a, const char *from, int b, const char *to, int flags);
int __real_linkat(int a, const char *from, int b, const char *to, int flags);

ssize_t
__wrap_write(int file, const void *bytes, size_t length)
{
	if (!fails())
		return __real_write(file, bytes, length);
	if (!fault.short_write || length < 2)
		return -1;
	fault.short_write = false; /* the rest does not fit */
	fault.left = 0;
	return __real_write(file, bytes, length / 2);
}

int
__wrap_fsync(int file)
{
	return fails() ? -1 : __real_fsync(file);
}

int
__wrap_rename(const char *from, const char *to)
{
	return fails() ? -1 : __real_rename(from, to);
}

int
__wrap_linkat(int a, const char *from, int b, const char *to, int flags)
{
	return fails() ? -1 : __real_linkat(a, from, b, to, flags);
}

/* --- a folder ---------------------------------------------------------- */

struct place {
	char folder[64], path[96];
};

static int
set_up(void **state)
{
	struct place *p = calloc(1, sizeof *p);
	snprintf(p->folder, sizeof p->folder, "/tmp/test_writer.XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	snprintf(p->path, sizeof p->path, "%s/file", p->folder);
	*state = p;
	return 0;
}

static int
tear_down(void **state)
{
	struct place *p = *state;
	char command[128];
	chmod(p->folder, 0700);
	snprintf(command, sizeof command, "rm -rf %s", p->folder);
	assert_int_equal(system(command), 0);
	free(p);
	return 0;
}

static void
put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static const char *
get(const char *path)
{
	static char bytes[4096];
	FILE *file = fopen(path, "r");
	if (!file)
		return NULL;
	bytes[fread(bytes, 1, sizeof bytes - 1, file)] = '\0';
	fclose(file);
	return bytes;
}

static int
count_entries(const char *folder)
{
	int count = -2;
	DIR *dir = opendir(folder);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static int
put_flags(const char *path, unsigned flags, const char *text, struct err *err)
{
	const struct writer_options options = {.flags = flags, .mode = 0666};
	return writer_put(path, &options, text, strlen(text), err);
}

/* --- tests ------------------------------------------------------------- */

static void
test_new_and_old(void **state)
{
	struct place *p = *state;
	struct err err = {0};
	assert_int_equal(put_flags(p->path, 0, "first", &err), 0);
	assert_string_equal(get(p->path), "first");
	assert_int_equal(put_flags(p->path, 0, "second", &err), ERR_USAGE);
	assert_string_equal(get(p->path), "first");
	assert_int_equal(put_flags(p->path, WRITER_FORCE, "third", &err), 0);
	assert_string_equal(get(p->path), "third");
	assert_int_equal(count_entries(p->folder), 1);
}

/* Another program creates the file while ours is written. */
static void
test_race(void **state)
{
	struct place *p = *state;
	struct err err = {0};
	struct writer w = {0};
	assert_int_equal(writer_open(&w, p->path, &(struct writer_options){.mode = 0666}, &err), 0);
	assert_int_equal(writer_add(&w, "ours", 4, &err), 0);
	put(p->path, "theirs");
	assert_int_equal(writer_commit(&w, &err), ERR_IO);
	assert_string_equal(get(p->path), "theirs");
	assert_int_equal(count_entries(p->folder), 1);
}

static void
test_attributes(void **state)
{
	struct place *p = *state;
	struct err err = {0};
	struct stat st;
	char link[96], far[96];
	put(p->path, "old");
	chmod(p->path, 0640);
	if (!getuid())
		assert_int_equal(chown(p->path, 1234, 4321), 0);
	snprintf(link, sizeof link, "%s/link", p->folder);
	assert_int_equal(symlink("file", link), 0);
	assert_int_equal(put_flags(link, WRITER_FORCE, "new", &err), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(p->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_true(getuid() || (st.st_uid == 1234 && st.st_gid == 4321));
	assert_string_equal(get(p->path), "new");
	snprintf(far, sizeof far, "%s/dangling", p->folder);
	assert_int_equal(symlink("absent", far), 0);
	assert_int_equal(put_flags(far, 0, "made", &err), 0);
	snprintf(far, sizeof far, "%s/absent", p->folder);
	assert_string_equal(get(far), "made");
}

static bool
is_same(void *context, const struct stat *st)
{
	const struct stat *taken = context;
	return st->st_ino == taken->st_ino && st->st_dev == taken->st_dev;
}

/* A file that is in use, a second name of a file, a folder. */
static void
test_refused(void **state)
{
	struct place *p = *state;
	struct err err = {0};
	struct stat st;
	char other[96];
	put(p->path, "old");
	assert_int_equal(stat(p->path, &st), 0);
	const struct writer_options taken = {
	    .flags = WRITER_FORCE, .mode = 0666, .is_taken = is_same, .context = &st};
	snprintf(other, sizeof other, "%s/other", p->folder);
	assert_int_equal(symlink("file", other), 0);
	assert_int_equal(writer_put(p->path, &taken, "x", 1, &err), ERR_USAGE);
	assert_int_equal(writer_put(other, &taken, "x", 1, &err), ERR_USAGE);
	unlink(other);
	assert_int_equal(link(p->path, other), 0);
	assert_int_equal(writer_put(other, &taken, "x", 1, &err), ERR_USAGE);
	assert_int_equal(put_flags(other, WRITER_FORCE, "x", &err), ERR_USAGE);
	assert_int_equal(put_flags(p->folder, WRITER_FORCE, "x", &err), ERR_USAGE);
	assert_int_equal(put_flags(p->path, WRITER_GROWING | WRITER_FORCE, "x", &err), ERR_USAGE);
	assert_string_equal(get(p->path), "old");
	assert_int_equal(count_entries(p->folder), 2);
}

static void
test_special(void **state)
{
	struct place *p = *state;
	struct err err = {0};
	struct stat st;
	assert_int_equal(put_flags("/dev/null", 0, "x", &err), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	if (!access("/dev/full", W_OK))
		assert_int_equal(put_flags("/dev/full", WRITER_FORCE, "x", &err), ERR_IO);
	assert_int_equal(mkfifo(p->path, 0600), 0);
	static const char bytes[200000];
	assert_int_equal(put_flags(p->path, 0, "x", &err), ERR_IO); /* no reader */
	int reader = open(p->path, O_RDONLY | O_NONBLOCK);
	char byte;
	assert_int_equal(put_flags(p->path, 0, "x", &err), 0);
	assert_int_equal(read(reader, &byte, 1), 1);
	const struct writer_options options = {.mode = 0666};
	assert_int_equal(writer_put(p->path, &options, bytes, sizeof bytes, &err), ERR_IO);
	assert_true(read(reader, &byte, 1) > 0); /* full */
	close(reader);
	assert_int_equal(stat(p->path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
}

/* A full FIFO: the write ends once the stop descriptor is readable. */
static void
test_stop(void **state)
{
	struct place *p = *state;
	struct err err = {0};
	static const char bytes[200000];
	int stop[2];
	assert_int_equal(pipe(stop), 0);
	assert_int_equal(write(stop[1], "s", 1), 1);
	assert_int_equal(mkfifo(p->path, 0600), 0);
	int reader = open(p->path, O_RDONLY | O_NONBLOCK);
	const struct writer_options options = {.mode = 0666, .stop = stop[0]};
	struct writer w = {0};
	assert_int_equal(writer_open(&w, p->path, &options, &err), 0);
	assert_int_equal(writer_add(&w, bytes, sizeof bytes, &err), ERR_CANCELLED);
	writer_abandon(&w);
	close(reader);
	close(stop[0]);
	close(stop[1]);
}

static void
test_growing(void **state)
{
	struct place *p = *state;
	struct err err = {0};
	struct writer w = {0};
	const struct writer_options options = {.flags = WRITER_GROWING, .mode = 0666};
	assert_int_equal(writer_open(&w, p->path, &options, &err), 0);
	assert_int_equal(writer_add(&w, "line 1\n", 7, &err), 0);
	assert_string_equal(get(p->path), "line 1\n"); /* visible at once */
	fault.left = 0;
	fault.reason = ENOSPC;
	fault.short_write = true;
	assert_int_equal(writer_add(&w, "line 2\n", 7, &err), ERR_IO);
	assert_int_equal(writer_add(&w, "line 3\n", 7, &err), ERR_IO);
	writer_commit(&w, &err);
	assert_string_equal(get(p->path), "line 1\n"); /* whole lines only */
	fault.short_write = false;
}

static void
test_folder(void **state)
{
	struct place *p = *state;
	struct err err = {0};
	struct writer w = {0}, file = {0};
	struct stat st;
	char inner[160];
	const struct writer_options options = {.flags = WRITER_FOLDER, .mode = 0777};
	for (int commit = 0; commit < 2; commit++) {
		assert_int_equal(writer_open(&w, p->path, &options, &err), 0);
		assert_int_equal(writer_open_at(&file, w.file, "inner", &err), 0);
		assert_int_equal(writer_add(&file, "x", 1, &err), 0);
		assert_int_equal(writer_commit(&file, &err), 0);
		assert_int_equal(stat(p->path, &st), -1);
		if (commit)
			assert_int_equal(writer_commit(&w, &err), 0);
		else
			writer_abandon(&w);
		assert_int_equal(count_entries(p->folder), commit);
	}
	snprintf(inner, sizeof inner, "%s/inner", p->path);
	assert_string_equal(get(inner), "x");
	assert_int_equal(writer_open(&w, p->path, &options, &err), ERR_USAGE); /* not empty */
	writer_abandon(&w);
	assert_string_equal(get(inner), "x");
}

/* Random flags, sizes and faults: the old file or the whole new one, and nothing else. */
static void
test_faults(void **state)
{
	static const int reasons[] = {ENOSPC, EIO, EDQUOT, EFBIG, EACCES, EROFS};
	struct place *p = *state;
	uint64_t seed = 1;
	for (int i = 0; i < 4000; i++) {
		struct err err = {0};
		struct writer w = {0};
		bool old = random_below(&seed, 2), failed = false;
		unsigned flags =
		    random_below(&seed, 2) * WRITER_FORCE | random_below(&seed, 2) * WRITER_DURABLE;
		struct text all = {0};
		unlink(p->path);
		if (old)
			put(p->path, "the old file");
		fault.left = -1;
		int opened = writer_open(
		    &w, p->path, &(struct writer_options){.flags = flags, .mode = 0666}, &err);
		fault.left = (int)random_below(&seed, 9);
		fault.reason = reasons[random_below(&seed, 6)];
		fault.short_write = random_below(&seed, 2);
		for (uint64_t pieces = random_below(&seed, 6); !opened && pieces; pieces--) {
			char piece[16];
			int length = snprintf(piece, sizeof piece, "piece %d ", (int)pieces);
			text_add(&all, piece);
			failed |= writer_add(&w, piece, (size_t)length, &err) < 0;
		}
		bool commits = !opened && random_below(&seed, 4);
		if (commits)
			failed |= writer_commit(&w, &err) < 0;
		else
			writer_abandon(&w);
		fault.left = -1;
		const char *now = get(p->path);
		if (commits && !failed)
			assert_string_equal(now, text_get(&all));
		else if (old)
			assert_string_equal(now, "the old file");
		else
			assert_null(now);
		assert_true(!failed || err.what[0]);
		assert_int_equal(count_entries(p->folder), now != NULL);
		text_free(&all);
	}
}

/* kill -9 at random points: the same. */
static void
test_killed(void **state)
{
	struct place *p = *state;
	uint64_t seed = 7;
	char big[64 * 1024];
	memset(big, 'n', sizeof big);
	for (int i = 0; i < 50; i++) {
		struct err err = {0};
		put(p->path, "the old file");
		pid_t child = fork();
		if (!child) {
			struct writer w = {0};
			const struct writer_options options = {
			    .flags = WRITER_FORCE | WRITER_DURABLE, .mode = 0666};
			writer_open(&w, p->path, &options, &err);
			for (int piece = 0; piece < 20; piece++)
				writer_add(&w, big, sizeof big, &err);
			writer_commit(&w, &err);
			_exit(0);
		}
		usleep((useconds_t)random_below(&seed, 3000));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		struct stat st;
		assert_int_equal(stat(p->path, &st), 0);
		assert_true(st.st_size == 12 || st.st_size == 20 * (off_t)sizeof big);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_new_and_old), TEST(test_race),   TEST(test_attributes), TEST(test_refused),
	    TEST(test_special),	    TEST(test_stop),   TEST(test_growing),    TEST(test_folder),
	    TEST(test_faults),	    TEST(test_killed),
	};
	return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
