/* The files of a CoreSight snapshot, read, and with every fault that files
 * have: each is told with the file's name, and what is left is there. */
#include "config.h"

#include "test.h"

#include "capture/snapshot.h"
#include "decode/coresight/opencsd.h"
#include "folder.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAIN                                                                                       \
	"[snapshot]\nversion=1.0\ndescription=a board\n"                                           \
	"[device_list]\nd0=core.ini\nd1=stm.ini\n"                                                 \
	"[trace]\nmetadata=trace.ini\n"
#define CORE                                                                                       \
	"[device]\nname=core_0\nclass=core\ntype=Cortex-A53\n"                                     \
	"[regs]\nPC(size:64)=not a number\n"                                                       \
	"[dump]\nfile=mem.bin\naddress=0x80000000\nlength=8\noffset=4\nspace=EL1N\n"
#define STM                                                                                        \
	"[device]\nname=STM_0\nclass=trace_source\ntype=STM.500\n"                                 \
	"[regs]\nSTMTCSR(0x3A0)=0x00100007\nSTMTSFREQR=25\n"
#define TRACE                                                                                      \
	"[trace_buffers]\nbuffers=b0, b1,\n"                                                       \
	"[b1]\nname=ETR\nfile=etr.bin\nformat=source_data\n"                                       \
	"[b0]\nname=ETB\nfile=etb.bin\n"                                                           \
	"[source_buffers]\nSTM_0=ETB,ETR\n"                                                        \
	"[core_trace_sources]\ncore_0=STM_0\n"

static void
put_all(struct folder *f)
{
	folder_make(f);
	folder_put_text(f, "snapshot.ini", MAIN);
	folder_put_text(f, "core.ini", CORE);
	folder_put_text(f, "stm.ini", STM);
	folder_put_text(f, "trace.ini", TRACE);
	folder_put_text(f, "etb.bin", "0123456789abcdef");
	folder_put_text(f, "etr.bin", "");
	folder_put_text(f, "mem.bin", "memory and more");
}

static bool
ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), ending = strlen(end);
	return length >= ending && !strcmp(text + length - ending, end);
}

/* --- whole ones -------------------------------------------------------- */

static void
assert_whole(const struct snapshot *s)
{
	assert_string_equal(text_get(&s->notes), "");
	assert_string_equal(s->description, "a board");
	assert_int_equal(s->devices.count, 2);
	const struct snapshot_device *core = snapshot_device(s, "core_0");
	assert_non_null(core);
	assert_false(core->is_source);
	assert_string_equal(core->type, "Cortex-A53");
	assert_int_equal(core->dumps.count, 1);
	assert_true(ends_with(core->dumps.at[0].path, "/mem.bin"));
	assert_string_equal(core->dumps.at[0].space, "EL1N");
	assert_int_equal(core->dumps.at[0].address, 0x80000000);
	assert_int_equal(core->dumps.at[0].offset, 4);
	assert_int_equal(core->dumps.at[0].length, 8);
	const struct snapshot_device *stm = snapshot_device(s, "STM_0");
	assert_non_null(stm);
	assert_true(stm->is_source);
	assert_int_equal(stm->registers.count, 2);
	assert_string_equal(stm->registers.at[0].name, "STMTCSR");
	assert_int_equal(stm->registers.at[0].value, 0x00100007);
	assert_int_equal(stm->registers.at[1].value, 25);
	assert_int_equal(s->buffers.count, 2);
	assert_string_equal(s->buffers.at[0].name, "ETB");
	assert_string_equal(s->buffers.at[0].format, "coresight");
	assert_true(ends_with(s->buffers.at[0].path, "/etb.bin"));
	assert_string_equal(s->buffers.at[1].format, "source_data");
	assert_int_equal(s->source_buffers.count, 2);
	assert_string_equal(s->source_buffers.at[1].right, "ETR");
	assert_ptr_equal(snapshot_core_of(s, "STM_0"), core);
	assert_null(snapshot_core_of(s, "STM_1"));
	assert_null(snapshot_device(s, "nobody"));
}

static void
test_whole(void **state)
{
	(void)state;
	struct folder f;
	struct err err = {0};
	put_all(&f);
	const char *paths[] = {f.path, folder_path(&f, "snapshot.ini")};
	for (size_t i = 0; i < 2; i++) {
		assert_true(snapshot_is(paths[i]));
		struct snapshot *s = snapshot_read(paths[i], &err);
		assert_non_null(s);
		assert_whole(s);
		assert_string_equal(s->folder, strrchr(f.path, '/') + 1);
		snapshot_free(s);
	}
	assert_false(snapshot_is(folder_path(&f, "trace.ini")));
	assert_false(snapshot_is("/"));
	assert_null(snapshot_read(folder_path(&f, "core.ini"), &err));
	assert_non_null(strstr(err.what, "core.ini: no snapshot.ini there"));
	folder_remove(&f);
	snapshot_free(NULL);
}

/* The same with the other ways to write lines. */
static void
test_forms(void **state)
{
	(void)state;
	struct folder f;
	struct err err = {0};
	put_all(&f);
	folder_put_text(&f, "snapshot.ini",
			"; a comment\r\n# another\r\n\r\n[snapshot] ; behind\r\n version = 1\r\n"
			"description='a board' # quoted\r\n[ device_list ]\r\n"
			"\tsame = core.ini\r\n\tsame = \"stm.ini\"\r\n"
			"[other]\r\nkey=value\r\n[trace]\r\nmetadata=trace.ini");
	folder_put_text(&f, "stm.ini",
			"[regs]\nSTMTCSR = 1048583 ; decimal\nSTMTSFREQR(0x1,2) = 0x19\n"
			"[device]\nname=STM_0\nclass=trace_source\ntype=STM\n");
	struct snapshot *s = snapshot_read(f.path, &err);
	assert_non_null(s);
	assert_whole(s);
	snapshot_free(s);
	/* a mark of a comment within quotes is none; backslashes part folders */
	folder_put_text(&f, "snapshot.ini",
			"[snapshot]\ndescription=\"#1; it's\"\n"
			"[device_list]\nd=core.ini\nd=.\\stm.ini\n[trace]\nmetadata=./trace.ini\n");
	s = snapshot_read(f.path, &err);
	assert_non_null(s);
	assert_string_equal(text_get(&s->notes), "");
	assert_string_equal(s->description, "#1; it's");
	snapshot_free(s);
	folder_remove(&f);
}

/* --- faults ------------------------------------------------------------ */

/* A file with other text (NULL: not there), and what is told. */
static const struct fault {
	const char *file, *text, *note;
	unsigned buffers; /* that are left; 0: an error */
} faults[] = {
    {"snapshot.ini", "", "snapshot.ini: [device_list] names no files", 0},
    {"snapshot.ini", "[device_list]\nd0=stm.ini\n", "snapshot.ini: [trace] has no metadata=FILE",
     0},
    {"snapshot.ini", "[trace]\nmetadata=trace.ini\n", "snapshot.ini: [device_list] names no files",
     2},
    {"snapshot.ini", MAIN "[snapshot]\nversion=2.0\n",
     "snapshot.ini:10: version 2.0 is not known; it is read as 1.0", 2},
    {"snapshot.ini", MAIN "metadata=other.ini\n",
     "snapshot.ini:9: a second metadata in [trace]; the first counts", 2},
    {"snapshot.ini", "key=value\n" MAIN, "snapshot.ini:1: a key before the first [SECTION]", 2},
    {"snapshot.ini", MAIN "[open\n", "snapshot.ini:9: a section is [NAME]", 2},
    {"snapshot.ini", MAIN "[a] b\n", "snapshot.ini:9: a section is [NAME]", 2},
    {"snapshot.ini", MAIN "what is this\n", "snapshot.ini:9: neither [SECTION] nor KEY=VALUE", 2},
    {"snapshot.ini", MAIN "=value\n", "snapshot.ini:9: neither [SECTION] nor KEY=VALUE", 2},
    {"snapshot.ini", "[device_list]\na=/no/core.ini\n[trace]\nmetadata=trace.ini\n",
     "/no/core.ini lies outside of the snapshot's folder", 2},
    {"snapshot.ini", "[device_list]\na=x/..\\..\\core.ini\n[trace]\nmetadata=trace.ini\n",
     "lies outside of the snapshot's folder", 2},
    {"snapshot.ini", "[device_list]\na=..ini\n[trace]\nmetadata=trace.ini\n", "..ini: No such file",
     2},
    {"core.ini", NULL, "core.ini: No such file", 2},
    {"core.ini", "", "core.ini: [device] has no name", 2},
    {"core.ini", "[device]\nname=STM_0\n", "stm.ini: another device is named STM_0 too", 2},
    {"core.ini", CORE "file=x\n", "core.ini:13: a second file in [dump]; the first counts", 2},
    {"core.ini", CORE "address=0\n", "core.ini:13: a second address in [dump]", 2},
    {"core.ini", CORE "space=N\n", "core.ini:13: a second space in [dump]", 2},
    {"core.ini", CORE "[dump1]\nfile=a\n", "core.ini: a dump has no address", 2},
    {"core.ini", CORE "[dump.text]\naddress=0\n", "core.ini: a dump has no file", 2},
    {"core.ini", CORE "[dump2]\nfile=a\naddress=0x12g\n",
     "core.ini:15: address is a number, decimal or 0x hexadecimal, not `0x12g`", 2},
    {"core.ini", CORE "[dump2]\nfile=a\naddress=-1\n", "not `-1`", 2},
    {"core.ini", CORE "[dump2]\nfile=a\naddress=0x10000000000000000\n", "not `0x10000000000000000`",
     2},
    {"core.ini", CORE "[dump2]\nfile=a\naddress=0\nlength=\n", "length is a number", 2},
    {"core.ini", CORE "[dump2]\nfile=../a\naddress=0\n",
     "core.ini:14: ../a lies outside of the snapshot's folder", 2},
    {"stm.ini", NULL, "[source_buffers] has STM_0, which is not a device", 2},
    {"stm.ini", STM "STMTCSR=1\n", "stm.ini:8: a second STMTCSR; the first counts", 2},
    {"stm.ini", STM "REG=0y\n", "stm.ini:8: REG is a number", 2},
    {"stm.ini", STM "[device]\nname=a\n", "stm.ini:9: a second name in [device]", 2},
    {"trace.ini", NULL, "trace.ini: No such file", 0},
    {"trace.ini", "", "trace buffer in the snapshot", 0},
    {"trace.ini", "[trace_buffers]\nbuffers=b0\n", "buffer b0 is listed but has no section", 0},
    {"trace.ini", "[trace_buffers]\nbuffers=b0,b1,b0\n[b0]\nfile=etb.bin\n[b1]\nname=x\n",
     "trace.ini: [b1] has no file", 1},
    {"trace.ini", "[trace_buffers]\nbuffers=b0,b0\n[b0]\nfile=etb.bin\n",
     "trace.ini: buffer b0 is listed twice", 1},
    {"trace.ini", TRACE "[b0]\nfile=no.bin\n", "", 2},
    {"trace.ini", "[b0]\nfile=etb.bin\nfile=etr.bin\nname=x\nname=y\n",
     "trace.ini:3: a second file in [b0]; the first counts", 1},
    {"trace.ini", "[b0]\nfile=no.bin\n[b1]\nfile=.\n[b2]\nfile=etb.bin\n", "no.bin: no such file",
     1},
    {"trace.ini", "[b0]\nfile=etb.bin\n[source_buffers]\nSTM_0=other\n",
     "trace.ini: [source_buffers] has other, which is not a buffer", 1},
    {"trace.ini", TRACE "core_1=STM_1\n",
     "trace.ini: [core_trace_sources] has core_1, which is not a device", 2},
    {"trace.ini", "[b0]\nfile=/etc/../etc/passwd\n",
     "trace.ini:2: /etc/../etc/passwd lies outside of the snapshot's folder; it is read only if "
     "a profile says opencsd: {outside: true}",
     1},
    {"etb.bin", NULL, "etb.bin: no such file", 1},
};

/* What is named outside of the folder is known to be, whatever it is called. */
static void
test_outside(void **state)
{
	(void)state;
	static const struct {
		const char *file;
		bool outside;
	} names[] = {
	    {"../a", true},
	    {"x/../../a", true},
	    {"/etc/passwd", true},
	    {"link", true},
	    {"through/passwd", true},
	    {"own", false},
	    {"../no/such/file", true},
	    {"no.bin", false},
	    {"sub/../own", false},
	};
	struct folder f;
	struct text core = {0};
	struct err err = {0};
	folder_make(&f);
	folder_put_text(&f, "snapshot.ini", MAIN);
	folder_put_text(&f, "stm.ini", STM);
	folder_put_text(&f, "trace.ini", TRACE);
	folder_put_text(&f, "etb.bin", "0123456789abcdef");
	folder_put_text(&f, "own", "0123456789abcdef");
	assert_int_equal(symlink("/etc/passwd", folder_path(&f, "link")), 0);
	assert_int_equal(symlink("/etc", folder_path(&f, "through")), 0);
	assert_int_equal(mkdir(folder_path(&f, "sub"), 0700), 0);
	text_add(&core, "[device]\nname=core_0\nclass=core\ntype=Cortex-A53\n");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		text_addf(&core, "[dump%zu]\nfile=%s\naddress=%zu\n", i, names[i].file, i);
	folder_put_text(&f, "core.ini", text_get(&core));
	struct snapshot *s = snapshot_read(f.path, &err);
	assert_non_null(s);
	const struct snapshot_device *device = snapshot_device(s, "core_0");
	assert_non_null(device);
	assert_int_equal(device->dumps.count, sizeof names / sizeof *names);
	for (size_t i = 0; i < device->dumps.count; i++)
		assert_int_equal(device->dumps.at[i].outside, names[i].outside);
	snapshot_free(s);
	text_free(&core);
	folder_remove(&f);
}

static void
check_fault(const struct fault *fault)
{
	struct folder f;
	struct err err = {0};
	put_all(&f);
	const char *path = folder_path(&f, fault->file);
	if (fault->text)
		folder_put_text(&f, fault->file, fault->text);
	else
		assert_int_equal(unlink(path), 0);
	struct snapshot *s = snapshot_read(f.path, &err);
	const char *told = s ? text_get(&s->notes) : err.what;
	if (!strstr(told, fault->note))
		fail_msg("want `%s`, got `%s`", fault->note, told);
	assert_int_equal(s ? s->buffers.count : 0, fault->buffers);
	snapshot_free(s);
	folder_remove(&f);
}

static void
test_faults(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		check_fault(&faults[i]);
}

/* Lists without end, and files too long: the rest is not read, notes neither. */
static void
test_large(void **state)
{
	(void)state;
	struct folder f;
	struct err err = {0};
	struct text text = {0};
	put_all(&f);
	text_add(&text, STM);
	for (unsigned i = 0; i < 60000; i++)
		text_addf(&text, "REG%x=1\n", i);
	folder_put_text(&f, "stm.ini", text_get(&text));
	text_clear(&text);
	text_add(&text, CORE);
	for (unsigned i = 0; i < 20000; i++)
		text_addf(&text, "[dump%u]\nfile=mem.bin\naddress=%u\n", i, i);
	folder_put_text(&f, "core.ini", text_get(&text));
	text_clear(&text);
	text_add(&text, TRACE "[source_buffers]\n");
	for (unsigned i = 0; i < 60000; i++)
		text_add(&text, "STM_0=,a,b,\n");
	text_add(&text, "[trace_buffers]\n");
	for (unsigned i = 0; i < 200000; i++)
		text_add(&text, "x\n");
	folder_put_text(&f, "trace.ini", text_get(&text));
	struct snapshot *s = snapshot_read(f.path, &err);
	assert_non_null(s);
	assert_in_range(snapshot_device(s, "STM_0")->registers.count, 100, 10000);
	assert_in_range(snapshot_device(s, "core_0")->dumps.count, 100, 10000);
	assert_in_range(s->source_buffers.count, 100, 10000);
	assert_in_range(s->notes.length, 1, 100000);
	snapshot_free(s);
	folder_remove(&f);

	put_all(&f);
	text_clear(&text);
	text_add(&text, CORE);
	while (text.length < 2 << 20)
		text_add(&text, "; a comment\n");
	folder_put_text(&f, "core.ini", text_get(&text));
	s = snapshot_read(f.path, &err);
	assert_non_null(s);
	assert_non_null(strstr(text_get(&s->notes), "is longer than any such file"));
	snapshot_free(s);
	text_free(&text);
	folder_remove(&f);
}

/* No file but a plain one is opened: a FIFO would wait for ever. */
static void
test_special_files(void **state)
{
	(void)state;
	struct folder f;
	struct err err = {0};
	put_all(&f);
	unlink(folder_path(&f, "core.ini"));
	folder_put_folder(&f, "core.ini");
	unlink(folder_path(&f, "stm.ini"));
	assert_int_equal(mkfifo(folder_path(&f, "stm.ini"), 0600), 0);
	unlink(folder_path(&f, "etb.bin"));
	assert_int_equal(mkfifo(folder_path(&f, "etb.bin"), 0600), 0);
	struct snapshot *s = snapshot_read(f.path, &err);
	assert_non_null(s);
	assert_int_equal(s->buffers.count, 1);
	assert_non_null(strstr(text_get(&s->notes), "core.ini: it is a folder"));
	assert_non_null(strstr(text_get(&s->notes), "stm.ini: it is a pipe (FIFO)"));
	assert_non_null(strstr(text_get(&s->notes), "etb.bin: no such file"));
	snapshot_free(s);
	folder_remove(&f);
}

/* Each file cut off anywhere. */
static void
test_cut(void **state)
{
	(void)state;
	static const char *const names[] = {"snapshot.ini", "core.ini", "stm.ini", "trace.ini"};
	static const char *const texts[] = {MAIN, CORE, STM, TRACE};
	for (size_t i = 0; i < 4; i++) {
		struct folder f;
		put_all(&f);
		for (size_t cut = 0; cut < strlen(texts[i]); cut++) {
			struct err err = {0};
			folder_put(&f, names[i], texts[i], cut);
			struct snapshot *s = snapshot_read(f.path, &err);
			assert_true(s || err.code);
			assert_true(!s || s->buffers.count);
			snapshot_free(s);
		}
		folder_remove(&f);
	}
}

/* --- as options -------------------------------------------------------- */

static void
test_options(void **state)
{
	(void)state;
	struct folder f;
	struct err err = {0};
	struct opencsd_options options;
	put_all(&f);
	folder_put_text(&f, "stm.ini", STM "STMTCSRX=1\nTRCIDR0=0x100000000\n");
	struct snapshot *s = snapshot_read(f.path, &err);
	assert_non_null(s);
	option_defaults(&opencsd_options, &options);
	opencsd_use_snapshot(&options, s, &s->buffers.at[0], &s->notes);
	assert_int_equal(options.sources.count, 1);
	const struct opencsd_source_options *source = options.sources.at;
	assert_int_equal(source->protocol, OPENCSD_STM);
	assert_int_equal(source->regs.STMTCSR, 0x00100007);
	assert_int_equal(source->regs.TRCIDR0, -1);
	assert_string_equal(source->core, "Cortex-A53");
	assert_string_equal(source->name, "core_0");
	assert_string_equal(text_get(&s->notes),
			    "STM_0: TRCIDR0 has more than 32 bits and is not used\n");
	assert_int_equal(options.images.count, 1);
	const struct opencsd_image_options *image = options.images.at;
	assert_int_equal(image->address, 0x80000000);
	assert_string_equal(image->of, "core_0");
	option_release(&opencsd_options, &options);
	snapshot_free(s);

	folder_put_text(&f, "stm.ini", "[device]\nname=STM_0\nclass=trace_source\ntype=STMX\n");
	s = snapshot_read(f.path, &err);
	assert_non_null(s);
	option_defaults(&opencsd_options, &options);
	opencsd_use_snapshot(&options, s, &s->buffers.at[0], &s->notes);
	assert_int_equal(options.sources.count, 0);
	assert_string_equal(text_get(&s->notes),
			    "STM_0 is not decoded: `STMX` is no known type of source\n");
	option_release(&opencsd_options, &options);
	snapshot_free(s);
	folder_remove(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_whole),	  cmocka_unit_test(test_forms),
	    cmocka_unit_test(test_faults),	  cmocka_unit_test(test_large),
	    cmocka_unit_test(test_special_files), cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_options),	  cmocka_unit_test(test_outside),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
