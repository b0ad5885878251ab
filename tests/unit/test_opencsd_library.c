/*
 * Versions of the OpenCSD library: one that is not the one built for is refused,
 * and what the one at hand does not know is told of those sources that may need
 * it.  The program answers for the library which version is installed.
 */
#include "config.h"

#include "test.h"

#include "decode/coresight/opencsd_library.h"
#include "drive.h"

#include <stdio.h>
#include <string.h>

static unsigned installed;

uint32_t ocsd_get_version(void);
uint32_t
ocsd_get_version(void)
{
	return installed;
}

/* The version that the program is built with, as the library numbers them. */
static unsigned
built_with(void)
{
	unsigned major, minor, patch;
	assert_int_equal(sscanf(opencsd_library_version(), "%u.%u.%u", &major, &minor, &patch), 3);
	return major << 16 | minor << 8 | patch;
}

/* --- sources ----------------------------------------------------------- */

static struct opencsd_source_options
source_of(enum opencsd_protocol protocol, const char *core, int64_t depth)
{
	struct opencsd_source_options o = {
	    .id = 0x10, .protocol = (int)protocol, .core = (char *)(uintptr_t)core};
#define UNKNOWN(name) o.regs.name = -1;
	OPENCSD_REGISTERS(UNKNOWN)
#undef UNKNOWN
	o.regs.TRCCONFIGR = 0xc1;
	o.regs.TRCIDR0 = 0x28000ea1;
	o.regs.TRCIDR2 = 0x488;
	o.regs.TRCIDR8 = depth;
	return o;
}

/* --- tests ------------------------------------------------------------- */

static void
no_element(void *context, const struct opencsd_element *e)
{
	(void)context;
	(void)e;
}

static void
no_packet(void *context, uint64_t index, const uint8_t *bytes, size_t length, const void *packet)
{
	(void)context;
	(void)index;
	(void)bytes;
	(void)length;
	(void)packet;
}

static void
test_other_version(void **state)
{
	const struct opencsd_source_options o = source_of(OPENCSD_ETMV4I, "Cortex-A53", 0);
	const struct opencsd_source source = {.options = &o, .id = 0x10};
	const struct opencsd_tree_sink sink = {NULL, no_element, no_packet};
	struct err err = {0};
	(void)state;
	installed = built_with();
	struct opencsd_library *library = opencsd_library_new(&source, &sink, &err);
	assert_non_null(library);
	opencsd_library_free(library);
	/* a patch, a minor and a major number that are others */
	static const unsigned others[] = {1, 0x100, 0x10000};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		installed = built_with() + others[i];
		err = (struct err){0};
		assert_null(opencsd_library_new(&source, &sink, &err));
		assert_int_equal(err.code, ERR_UNSUPPORTED);
		assert_non_null(strstr(err.what, "this program is built for OpenCSD "));
		assert_non_null(strstr(err.what, " is installed; build it again"));
	}
	installed = built_with();
}

/* What is not known of a source is told in versions before the one that knows it,
 * and not from that on. */
static void
check_limit(enum opencsd_protocol protocol, const char *core, int64_t depth, const char *what,
	    unsigned since)
{
	const struct opencsd_source_options o = source_of(protocol, core, depth);
	struct text limits = {0}, want = {0};
	opencsd_library_limits(&o, &limits);
	text_addf(&want, "%s (needs %u.%u.%u)", what, since >> 16, since >> 8 & 255, since & 255);
	bool told = strstr(text_get(&limits), text_get(&want)) != NULL;
	if (told != (built_with() < since))
		fail_msg("%s: %s", text_get(&want), text_get(&limits));
	text_free(&limits);
	text_free(&want);
}

static void
test_limits(void **state)
{
	(void)state;
	check_limit(OPENCSD_ETMV4I, "Cortex-M33", 0, "tail-chained exceptions", 0x010402);
	check_limit(OPENCSD_ETMV4I, "Cortex-A53", 7, "all of speculative trace", 0x010601);
	check_limit(OPENCSD_ETMV4I, "Cortex-M55", 0, "loops of Armv8.1-M", 0x010800);
	check_limit(OPENCSD_ETMV4I, "ARMv8.1-M", 0, "loops of Armv8.1-M", 0x010800);
	check_limit(OPENCSD_ETMV4I, "Cortex-M33", 0, "exception returns of Armv8-M", 0x010803);
}

/* Cores that cannot have what later versions learned, or whose trace shows that they do. */
static void
test_no_limits(void **state)
{
	static const struct {
		enum opencsd_protocol protocol;
		const char *core;
	} sources[] = {
	    {OPENCSD_ETMV4I, "Cortex-A53"},
	    {OPENCSD_ETMV4I, "Cortex-A77"},
	    {OPENCSD_ETMV4I, "ARMv8.3-A"},
	    {OPENCSD_ETMV4I, NULL},
	    {OPENCSD_ETMV4I, "ARMv9-A"},
	    {OPENCSD_ETE, NULL},
	    {OPENCSD_ETE, "Neoverse-V3"},
	    {OPENCSD_ETMV3, "Cortex-M3"},
	    {OPENCSD_PTM, "Cortex-A9"},
	    {OPENCSD_STM, NULL},
	    {OPENCSD_ITM, "Cortex-M55"},
	};
	struct text limits = {0};
	(void)state;
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		const struct opencsd_source_options o =
		    source_of(sources[i].protocol, sources[i].core, 0);
		opencsd_library_limits(&o, &limits);
		assert_string_equal(text_get(&limits), "");
	}
	text_free(&limits);
}

/* The decoder says so of the sources it is true of, once, and marks the capture. */
static void
test_decoder(void **state)
{
	(void)state;
	for (int newer = 0; newer < 2; newer++) {
		struct drive drive;
		struct err err = {0};
		drive_open(&drive, "opencsd", (const uint8_t *)"", 0);
		struct opencsd_options *options = drive.options;
		options->sources.count = 3;
		struct opencsd_source_options *list = options->sources.at =
		    mem_new(3 * sizeof *list);
		for (int i = 0; i < 3; i++) {
			char name[] = {'c', 'p', 'u', (char)('0' + i), '\0'};
			const char *core = newer && i != 1 ? "Cortex-M55" : "Cortex-A53";
			list[i] = source_of(OPENCSD_ETMV4I, mem_text(core), 0);
			list[i].id = 0x10 + i;
			list[i].name = mem_text(name);
		}
		assert_true(drive_try(&drive, &err));
		const char *about = drive.decoder->about;
		assert_memory_equal(about, "decoded with OpenCSD ", 21);
		bool limited = newer && built_with() < 0x010803;
		assert_int_equal(drive.decoder->mark != NULL, limited);
		assert_int_equal(strstr(about, " may decode cpu0, cpu2 wrongly: ") != NULL,
				 limited);
		drive.decoder->ops->load(drive.decoder, &err);
		assert_int_equal(strstr(err.what, " may decode cpu0, cpu2 wrongly: ") != NULL,
				 limited);
		drive_close(&drive);
	}
}

int
main(void)
{
	const struct CMUnitTest all[] = {
	    cmocka_unit_test(test_other_version),
	    cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_no_limits),
	    cmocka_unit_test(test_decoder),
	};
	if (!opencsd_library_version()) {
		puts("1..0 # SKIP built without the OpenCSD library");
		return 0;
	}
	installed = built_with();
	return cmocka_run_group_tests(all, NULL, NULL);
}
