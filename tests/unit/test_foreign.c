/*
 * Files of other programs, known by their first bytes as the documents of their formats
 * give them, and what is said of them; files that are part of a snapshot.
 */
#include "config.h"

#include "test.h"

#include "capture/foreign.h"
#include "capture/snapshot.h"
#include "folder.h"

#include <stdlib.h>
#include <string.h>

/* --- foreign files ----------------------------------------------------- */

static const struct {
	const char *name, *says; /* what it is, and a part of what to do */
	const char *head;
	size_t length;
	size_t from; /* where the head lies in the file */
} foreigners[] = {
#define HEAD(string) (string), sizeof(string) - 1
    /* ELF64, little endian, ET_DYN; the same as ET_CORE, and big endian */
    {"ELF program or library", "a program, not a trace",
     HEAD("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0"), 0},
    {"core dump", "memory", HEAD("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0"), 0},
    {"core dump", "memory", HEAD("\177ELF\1\2\1\0\0\0\0\0\0\0\0\0\0\4"), 0},
    {"perf.data", "perf script", HEAD("PERFILE2h\0\0\0"), 0},
    {"perf.data", "perf script", HEAD("2ELIFREP\0\0\0h"), 0},
    {"gzip-compressed data", "gzip -dk x.gz", HEAD("\x1f\x8b\x08\0"), 0},
    {"xz-compressed data", "xz -dk x.gz",
     HEAD("\xfd"
	  "7zXZ\0\0\4"),
     0},
    {"zstd-compressed data", "zstd -d x.gz", HEAD("\x28\xb5\x2f\xfd\x04"), 0},
    {"bzip2-compressed data", "bzip2 -dk x.gz", HEAD("BZh91AY&SY"), 0},
    {"lz4-compressed data", "lz4 -d x.gz", HEAD("\x04\x22\x4d\x18\x64"), 0},
    {"ZIP archive", "unzip x.gz",
     HEAD("PK\3\4\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0a.txt"), 0},
    {"sigrok session", "sigrok-cli",
     HEAD("PK\3\4\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\7\0\0\0version2"), 0},
    {"tar archive", "tar -xf x.gz", HEAD("ustar\00000"), 257},
    {"pcap network capture", "wireshark", HEAD("\xd4\xc3\xb2\xa1\2\0\4\0"), 0},
    {"pcap network capture", "wireshark", HEAD("\xa1\xb2\x3c\x4d\0\2\0\4"), 0},
    {"pcapng network capture", "wireshark", HEAD("\x0a\x0d\x0d\x0a\x1c\0\0\0"), 0},
    {"CTF packets", "babeltrace2", HEAD("\xc1\x1f\xfc\xc1\0\0"), 0},
    {"CTF metadata", "babeltrace2", HEAD("\x57\x1d\xd1\x75\0\0"), 0},
    {"CTF metadata", "babeltrace2", HEAD("/* CTF 1.8 */\n"), 0},
    {"DLT log", "dlt-viewer", HEAD("DLT\1\x10\x20\x30\x40"), 0},
    {"SEGGER SystemView recording", "SystemView reads it",
     HEAD(";\n; Version     SEGGER SystemViewer V2.42\n; Author      Espressif Inc\n;\n"), 0},
    {"value change dump (VCD)", "gtkwave x.gz",
     HEAD("$date\n  today\n$end\n$timescale 1 ns $end\n$scope module top $end\n"), 0},
    {"Zephyr dictionary log", "log_parser.py", HEAD("*** Booting ***\r\n##ZLOGV1##0018"), 0},
#undef HEAD
};

static void
test_foreign(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof foreigners / sizeof *foreigners; i++) {
		size_t length = foreigners[i].from + foreigners[i].length;
		uint8_t *bytes = mem_new(length); /* so that a read too far is found */
		struct text said = {0};
		memcpy(bytes + foreigners[i].from, foreigners[i].head, foreigners[i].length);
		const struct foreign *found = foreign_find(bytes, length);
		assert_non_null(found);
		assert_string_equal(found->name, foreigners[i].name);
		foreign_explain(found, "x.gz", &said);
		assert_non_null(strstr(said.data, foreigners[i].says));
		assert_null(strstr(said.data, "FILE"));
		assert_null(strchr(said.data, '\n'));
		for (size_t cut = 0; cut < length; cut++) {
			uint8_t *tight = mem_new(cut ? cut : 1);
			memcpy(tight, bytes, cut);
			foreign_find(tight, cut);
			free(tight);
		}
		text_free(&said);
		free(bytes);
	}
	assert_null(foreign_find((const uint8_t *)"", 0));
	assert_null(foreign_find((const uint8_t *)"MFMN\1\0\0\0", 8));
}

/* Packets of Espressif's encoder: length, index, payload, after zeros. */
static void
test_espressif(void **state)
{
	(void)state;
	for (unsigned counted = 0; counted < 2; counted++) {
		uint8_t bytes[14 + 20 * 8] = {0};
		for (unsigned i = 0; i < 20; i++) {
			uint8_t *p = bytes + 14 + 8 * (size_t)i;
			p[0] = counted ? 8 : 5;
			p[1] = (uint8_t)(0xfa + i);
			p[2] = (uint8_t)((0x12fa + i) >> 8);
			memset(p + 3, 0x47 + (int)i, 5);
		}
		const struct foreign *found = foreign_find(bytes, sizeof bytes);
		assert_non_null(found);
		assert_string_equal(found->name, "E-Trace of an Espressif chip");
		bytes[14 + 8 * 10 + 1] ^= 1; /* an index that does not follow */
		assert_null(foreign_find(bytes, sizeof bytes));
	}
}

/* Messages of Zephyr's dictionary logs, of either version, with addresses and times of 4 and 8
 * bytes; as struct log_dict_output_normal_msg_hdr_t is laid out. */
static void
test_dictionary(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 6; form++) {
		uint8_t bytes[1024] = {0}, *p = bytes;
		bool old = form % 2;
		for (unsigned i = 0; i < 12; i++) {
			*p++ = 0;
			if (old) { /* level 3, package 12, data 4 */
				*p++ = 3 << 3;
				*p++ = 12 >> 2;
				*p++ = 4;
				*p++ = 0;
			} else {
				*p++ = 3 << 4;
				*p++ = 12;
				*p++ = 0;
				*p++ = 4;
				*p++ = 0;
			}
			memset(p, 0x20 + (int)i, 8 + 4 * (form / 2));
			p += 8 + 4 * (form / 2);
			*p = 3; /* words */
			memset(p + 4, 0x41, 8);
			p += 12 + 4;
			if (i == 5) {
				memcpy(p, "\1\7\0", 3); /* seven were dropped */
				p += 3;
			}
		}
		const struct foreign *found = foreign_find(bytes, (size_t)(p - bytes));
		assert_non_null(found);
		assert_string_equal(found->name, "Zephyr dictionary log");
		bytes[1] = old ? 6 << 3 : 6 << 4; /* a level that there is not */
		assert_null(foreign_find(bytes, (size_t)(p - bytes)));
	}
}

/* N-Trace: messages of a code, fields and an end, by the two bits of each byte that say
 * which of them it is. */
static void
test_ntrace(void **state)
{
	(void)state;
	static const uint8_t message[] = {27 << 2, 0x14, 0x81, 0x03}; /* RESOURCE FULL */
	uint8_t bytes[4 * 40];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = message[i % sizeof message];
	const struct foreign *found = foreign_find(bytes, sizeof bytes);
	assert_non_null(found);
	assert_string_equal(found->name, "RISC-V N-Trace");
	bytes[81] = 0x16; /* reserved: 10 */
	assert_null(foreign_find(bytes, sizeof bytes));
	bytes[81] = 0x14;
	bytes[80] = 20 << 2; /* a code that nobody has */
	assert_null(foreign_find(bytes, sizeof bytes));
	memset(bytes, 0, sizeof bytes); /* no message ever ends */
	assert_null(foreign_find(bytes, sizeof bytes));
	memset(bytes, 0xff, sizeof bytes); /* only idle */
	assert_null(foreign_find(bytes, sizeof bytes));
}

/* A file beside a snapshot.ini that describes it, or holds a buffer of it. */
static void
test_parts(void **state)
{
	(void)state;
	struct folder folder;
	folder_make(&folder);
	folder_put_text(&folder, "snapshot.ini",
			"[snapshot]\nversion=1.0\n[device_list]\n[trace]\nmetadata=trace.ini\n");
	folder_put_text(&folder, "trace.ini",
			"[trace_buffers]\nbuffers=b0\n[b0]\nname=ETB\nfile=etb.bin\n");
	folder_put_text(&folder, "etb.bin", "0123456789abcdef");
	folder_put_text(&folder, "notes.txt", "no part of it");
	static const bool part[] = {true, true, true, false};
	for (size_t i = 0; i < 4; i++) {
		char *found = snapshot_folder_of(folder.files.at[i]);
		assert_int_equal(found != NULL, part[i]);
		if (found)
			assert_string_equal(found, folder.path);
		free(found);
	}
	unlink(folder.files.at[0]); /* of no snapshot then */
	assert_null(snapshot_folder_of(folder.files.at[1]));
	assert_null(snapshot_folder_of(folder.files.at[2]));
	folder_put_text(&folder, "snapshot.ini", "");
	folder_remove(&folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_foreign),   cmocka_unit_test(test_ntrace),
	    cmocka_unit_test(test_espressif), cmocka_unit_test(test_dictionary),
	    cmocka_unit_test(test_parts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
