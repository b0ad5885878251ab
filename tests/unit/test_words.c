/*
 * Memory in lines of text: what each tool prints of the same bytes, as it printed it, is
 * those bytes; what is missing is told; other text is none.
 */
#include "config.h"

#include "test.h"

#include "base/text.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "capture/words.h"
#include "toy.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the tools were given. */
static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz012345678";
enum { SIZE = sizeof alphabet - 1 };

/* xxd 2022-01-14, util-linux 2.38, coreutils 9.1, objcopy of binutils 2.40; OpenOCD and GDB by
 * their manuals. */
static const struct sample {
	const char *name, *text;
} samples[] = {
    {"xxd", "00000000: 6162 6364 6566 6768 696a 6b6c 6d6e 6f70  abcdefghijklmnop\n"
	    "00000010: 7172 7374 7576 7778 797a 3031 3233 3435  qrstuvwxyz012345\n"
	    "00000020: 3637 38                                  678\n"},
    {"xxd", "00000000: 616263 646566 6768  abcdefgh\r\n"
	    "00000008: 696A6B 6C6D6E 6F70  ijklmnop\r\n"
	    "00000010: 717273 747576 7778  qrstuvwx\r\n"
	    "00000018: 797A30 313233 3435  yz012345\r\n"
	    "00000020: 363738              678\r\n"},
    {"xxd -e", "00000000: 64636261 68676665 6c6b6a69 706f6e6d  abcdefghijklmnop\n"
	       "00000010: 74737271 78777675 31307a79 35343332  qrstuvwxyz012345\n"
	       "00000020:   383736                             678\n"},
    {"xxd -p", "6162636465666768696a6b6c6d6e6f707172737475767778797a30313233\n3435363738\n"},
    {"hexdump -C",
     "00000000  61 62 63 64 65 66 67 68  69 6a 6b 6c 6d 6e 6f 70  |abcdefghijklmnop|\n"
     "00000010  71 72 73 74 75 76 77 78  79 7a 30 31 32 33 34 35  |qrstuvwxyz012345|\n"
     "00000020  36 37 38                                          |678|\n"
     "00000023\n"},
    {"od", "0000000 6261 6463 6665 6867 6a69 6c6b 6e6d 706f\n" /* hexdump */
	   "0000010 7271 7473 7675 7877 7a79 3130 3332 3534\n"
	   "0000020 3736 0038                              \n"
	   "0000023\n"},
    {"od", "000000 64636261 68676665 6c6b6a69 706f6e6d\n"
	   "000010 74737271 78777675 31307a79 35343332\n"
	   "000020 00383736\n"
	   "000023\n"},
    {"od", "0000000 64636261 68676665 6c6b6a69 706f6e6d\n"
	   "0000020 74737271 78777675 31307a79 35343332\n"
	   "0000040 00383736\n"
	   "0000043\n"},
    {"od", "0000000 61 62 63 64 65 66 67 68 69 6a 6b 6c 6d 6e 6f 70  >abcdefghijklmnop<\n"
	   "0000020 71 72 73 74 75 76 77 78 79 7a 30 31 32 33 34 35  >qrstuvwxyz012345<\n"
	   "0000040 36 37 38                                         >678<\n"
	   "0000043\n"},
    {"od", "0000000 061141 062143 063145 064147 065151 066153 067155 070157\n"
	   "0000020 071161 072163 073165 074167 075171 030460 031462 032464\n"
	   "0000040 033466 000070\n"
	   "0000043\n"},
    {"od", "0000000 141 142 143 144 145 146 147 150 151 152 153 154 155 156 157 160\n"
	   "0000020 161 162 163 164 165 166 167 170 171 172 060 061 062 063 064 065\n"
	   "0000040 066 067 070\n"
	   "0000043\n"},
    {"od", "000000 14430661141 15031663145 15432665151 16033667155\n" /* od -A x -t o4 */
	   "000010 16434671161 17035673165 06114075171 06515031462\n"
	   "000020 00016033466\n"
	   "000023\n"},
    {"od", "0000000 141 142 143 144 145 146 147 150 151 152 153 154 155 156 157 160\n"
	   "0000010 161 162 163 164 165 166 167 170 171 172 060 061 062 063 064 065\n"
	   "0000020 066 067 070                                                    \n"
	   "0000023\n"}, /* hexdump -b */
    {"xxd -b", "00000000: 01100001 01100010 01100011 01100100 01100101 01100110  abcdef\n"
	       "00000006: 01100111 01101000 01101001 01101010 01101011 01101100  ghijkl\n"
	       "0000000c: 01101101 01101110 01101111 01110000 01110001 01110010  mnopqr\n"
	       "00000012: 01110011 01110100 01110101 01110110 01110111 01111000  stuvwx\n"
	       "00000018: 01111001 01111010 00110000 00110001 00110010 00110011  yz0123\n"
	       "0000001e: 00110100 00110101 00110110 00110111 00111000           45678\n"},
    {"xxd -i", "unsigned char foo[] = {\n"
	       "  0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c,\n"
	       "  0x6d, 0x6e, 0x6f, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78,\n"
	       "  0x79, 0x7a, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38\n"
	       "};\n"
	       "unsigned int foo_len = 35;\n"},
    {"xxd -i", "  0X61, 0X62, 0X63, 0X64, 0X65, 0X66, 0X67, 0X68, 0X69, 0X6A, 0X6B, 0X6C,\n"
	       "  0X6D, 0X6E, 0X6F, 0X70, 0X71, 0X72, 0X73, 0X74, 0X75, 0X76, 0X77, 0X78,\n"
	       "  0X79, 0X7A, 0X30, 0X31, 0X32, 0X33, 0X34, 0X35, 0X36, 0X37, 0X38\n"},
    {"mem", "J-Link>mem 0x20000000,23\n"
	    "20000000 = 61 62 63 64 65 66 67 68  69 6A 6B 6C 6D 6E 6F 70  abcdefghijklmnop\n"
	    "20000010 = 71 72 73 74 75 76 77 78  79 7A 30 31 32 33 34 35  qrstuvwxyz012345\n"
	    "20000020 = 36 37 38                                          678\n"
	    "J-Link>"},
    {"mem8", "20000000 = 61 62 63 64 65 66 67 68 69 6A 6B 6C 6D 6E 6F 70 \n"
	     "20000010 = 71 72 73 74 75 76 77 78 79 7A 30 31 32 33 34 35 \n"
	     "20000020 = 36 37 38 \n"},
    {"mdb", "> mdb 0x20000000 35\n"
	    "0x20000000: 61 62 63 64 65 66 67 68 69 6a 6b 6c 6d 6e 6f 70 71 72 73 74 75 76 77 78 "
	    "79 7a 30 31 32 33 34 35 \n"
	    "0x20000020: 36 37 38 \n"
	    "> "},
    {"Intel HEX", ":0200000480007A\r\n"
		  ":101000006162636465666768696A6B6C6D6E6F7058\r\n"
		  ":101010007172737475767778797A3031323334350A\r\n"
		  ":0310200036373828\r\n"
		  ":040000058000100067\r\n"
		  ":00000001FF\r\n"},
    {"S-records", "S00A0000616C2E737265634D\r\n"
		  "S315800010006162636465666768696A6B6C6D6E6F70D2\r\n"
		  "S315800010107172737475767778797A30313233343584\r\n"
		  "S30880001020363738A2\r\n"
		  "S705800010006A\r\n"},
    {"S-records", "S00B0000616C322E737265631A\r\n"
		  "S10B00006162636465666768D0\r\n"
		  "S10B0008696A6B6C6D6E6F7088\r\n"
		  "S10B0010717273747576777840\r\n"
		  "S10B0018797A303132333435BA\r\n"
		  "S106002036373834\r\n"
		  "S9030000FC\r\n"},
    {"Data.dump",
     "________address|_0__1__2__3__4__5__6__7__8__9__A__B__C__D__E__F_0123456789ABCDEF\n"
     "   NSD:0000::00001000|>61 62 63 64 65 66 67 68 69 6A 6B 6C 6D 6E 6F 70 abcdefghijklmnop\n"
     "   NSD:0000::00001010| 71 72 73 74 75 76 77 78 79 7A 30 31 32 33 34 35 qrstuvwxyz012345\n"
     "   NSD:0000::00001020| 36 37 38 678\n"},
    {"CCS data", "1651 9 80000000 0 23 c\n"
		 "61\n"
		 "62\n"
		 "63\n"
		 "64\n"
		 "65\n"
		 "66\n"
		 "67\n"
		 "68\n"
		 "69\n"
		 "6a\n"
		 "6b\n"
		 "6c\n"
		 "6d\n"
		 "6e\n"
		 "6f\n"
		 "70\n"
		 "71\n"
		 "72\n"
		 "73\n"
		 "74\n"
		 "75\n"
		 "76\n"
		 "77\n"
		 "78\n"
		 "79\n"
		 "7a\n"
		 "30\n"
		 "31\n"
		 "32\n"
		 "33\n"
		 "34\n"
		 "35\n"
		 "36\n"
		 "37\n"
		 "38\n"},
    {"mrd", "80000000:   61\n"
	    "80000001:   62\n"
	    "80000002:   63\n"
	    "80000003:   64\n"
	    "80000004:   65\n"
	    "80000005:   66\n"
	    "80000006:   67\n"
	    "80000007:   68\n"
	    "80000008:   69\n"
	    "80000009:   6A\n"
	    "8000000A:   6B\n"
	    "8000000B:   6C\n"
	    "8000000C:   6D\n"
	    "8000000D:   6E\n"
	    "8000000E:   6F\n"
	    "8000000F:   70\n"
	    "80000010:   71\n"
	    "80000011:   72\n"
	    "80000012:   73\n"
	    "80000013:   74\n"
	    "80000014:   75\n"
	    "80000015:   76\n"
	    "80000016:   77\n"
	    "80000017:   78\n"
	    "80000018:   79\n"
	    "80000019:   7A\n"
	    "8000001A:   30\n"
	    "8000001B:   31\n"
	    "8000001C:   32\n"
	    "8000001D:   33\n"
	    "8000001E:   34\n"
	    "8000001F:   35\n"
	    "80000020:   36\n"
	    "80000021:   37\n"
	    "80000022:   38\n"},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

struct memory {
	const char *text;
	size_t size, piece;
};

static ssize_t
read_memory(void *context, uint64_t offset, void *buffer, size_t length)
{
	struct memory *memory = context;
	size_t left = offset < memory->size ? memory->size - (size_t)offset : 0;
	length = length < left ? length : left;
	length = memory->piece && memory->piece < length ? memory->piece : length;
	memcpy(buffer, memory->text + offset, length);
	return (ssize_t)length;
}

/* What a text is. */
struct result {
	struct text bytes; /* with `?` for what is missing */
	struct text name;
	size_t missing, gaps;
	uint64_t base;
};

static bool
read_words(const char *text, size_t size, size_t piece, struct result *result)
{
	struct memory memory = {text, size, piece};
	struct unpack_source source = {
	    .read = read_memory, .context = &memory, .size = size, .name = "x"};
	struct words *words = words_open(&source);
	const void *bytes;
	ssize_t n;
	*result = (struct result){0};
	if (!words)
		return false;
	text_add(&result->name, words_name(words));
	result->base = words_base(words);
	while ((n = words_read(words, &bytes)) > 0) {
		if (bytes)
			text_add_bytes(&result->bytes, bytes, (size_t)n);
		for (ssize_t i = 0; !bytes && i < n; i++)
			text_add_char(&result->bytes, '?');
		result->missing += bytes ? 0 : (size_t)n;
		result->gaps += !bytes;
	}
	assert_int_equal(n, 0);
	words_close(words);
	return true;
}

static void
result_free(struct result *result)
{
	text_free(&result->bytes);
	text_free(&result->name);
}

static void
assert_words(const char *text, const char *name, const char *bytes)
{
	struct result result;
	if (!read_words(text, strlen(text), 0, &result))
		fail_msg("not read: %.60s", text);
	assert_string_equal(text_get(&result.name), name);
	assert_string_equal(text_get(&result.bytes), bytes);
	result_free(&result);
}

static void
test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLES; i++)
		assert_words(samples[i].text, samples[i].name, alphabet);
	assert_words("0x20000000: 64636261 68676665 6c6b6a69 706f6e6d \n"
		     "0x20000010: 74737271 78777675 \n",
		     "mdw", "abcdefghijklmnopqrstuvwx");
	assert_words("0x20000000: 6261 6463 6665 6867 \n", "mdh", "abcdefgh");
	assert_words("0x20000000: 6867666564636261 \n", "mdd", "abcdefgh");
	assert_words("J-Link>mem16 0x20000000, 4\n20000000 = 6261 6463 6665 6867 \n", "mem16",
		     "abcdefgh");
	assert_words("J-Link>mem32 0x20000000, 4\n"
		     "20000000 = 64636261 68676665 6C6B6A69 706F6E6D \n"
		     "J-Link>mem32 0x20000010, 2\n20000010 = 74737271 78777675 \n",
		     "mem32", "abcdefghijklmnopqrstuvwx");
	assert_words("20000000 = 6867666564636261 \n", "mem64", "abcdefgh");
	assert_words("0000000 0641473146254430661141 1777777777777777777777\n0000020\n", "od",
		     "abcdefgh\377\377\377\377\377\377\377\377");
	assert_words("0x20000000 <etb>:\t0x64636261\t0x68676665\n"
		     "0x20000008 <etb+8>:\t0x6c6b6a69\t0x706f6e6d\n",
		     "gdb x", "abcdefghijklmnop");
	/* words of TRACE32, of which the second was asked for */
	assert_words("________address|________0________4________8________C_0123456789ABCDEF\n"
		     "     D:8AF15A90| 64636261>68676665 01010101 706F6E6D abcdefgh....mnop\n"
		     "     D:8AF15AA0| 74737271 78777675 31307A79 35343332 qrstuvwxyz012345\n",
		     "Data.dump", "abcdefgh\1\1\1\1mnopqrstuvwxyz012345");
	assert_words("1651 1 800 1 3\n0x6261\n0x6463\n0x6665\n", "CCS data", "abcdef");
	assert_words("20001000:   64636261\n20001004:   68676665\n", "mrd", "abcdefgh");
#define WORDS "0x64636261\n0x68676665\n0x6c6b6a69\n0x706f6e6d\n"
	assert_words(WORDS WORDS WORDS WORDS, "words",
		     "abcdefghijklmnopabcdefghijklmnop"
		     "abcdefghijklmnopabcdefghijklmnop");
	/* U-Boot's md.l */
	assert_words("80000000: 64636261 68676665 6c6b6a69 706f6e6d    abcdefghijklmnop\n",
		     "xxd -e", "abcdefghijklmnop");
	/* characters that look like digits */
	assert_words("00000000: 6162 3031 6366 3020  ab01cf0 \n", "xxd", "ab01cf0 ");
}

/* Pieces of any size give the same. */
static void
test_pieces(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		for (size_t piece = 1; piece < 80; piece++) {
			struct result result;
			const char *text = samples[i].text;
			assert_true(read_words(text, strlen(text), piece, &result));
			assert_string_equal(text_get(&result.bytes), alphabet);
			result_free(&result);
		}
	}
}

/* Cut anywhere, it is a beginning of the bytes, and what is missing; od's last group alone
 * has zeros behind them. */
static void
test_truncated(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		const char *text = samples[i].text;
		size_t read = 0;
		for (size_t size = 0; size < strlen(text); size++) {
			struct result result;
			char *copy = mem_new(size + 1); /* so that sanitizers see its end */
			memcpy(copy, text, size);
			if (read_words(copy, size, 0, &result)) {
				size_t good = result.bytes.length - result.missing;
				const char *bytes = text_get(&result.bytes);
				read++;
				while (good > SIZE && !bytes[good - 1])
					good--;
				assert_in_range(good, 1, SIZE);
				assert_memory_equal(bytes, alphabet, good);
			}
			result_free(&result);
			free(copy);
		}
		assert_true(read > 10);
	}
}

static void
test_repeats(void **state)
{
	struct result result;
	(void)state;
	assert_words("00000000  61 62 63 64  |abcd|\n*\n00000010  65 66  |ef|\n00000012\n",
		     "hexdump -C", "abcdabcdabcdabcdef");
	assert_words("000000 61 62 63 64\n*\n000009\n", "od", "abcdabcda");
	/* xxd -a: only of zeros, so that what is repeated has to be looked at */
	const char *zeros = "00000000: 0000 0000  ....\n*\n00000020: 6162 6364  abcd\n";
	assert_true(read_words(zeros, strlen(zeros), 0, &result));
	assert_int_equal(result.bytes.length, 0x24);
	assert_int_equal(result.bytes.data[0x1f], 0);
	assert_memory_equal(result.bytes.data + 0x20, "abcd", 4);
	assert_int_equal(result.missing, 0);
	result_free(&result);
	/* cut behind a `*`, and one that stands for too much */
	assert_words("000000 61 62 63 64\n000004 61 62 63 64\n*\n", "od", "abcdabcd????");
	assert_words("00000000  61 62 63 64  |abcd|\n*\nfffffffffff0  65  |e|\n", "hexdump -C",
		     "abcd????e");
}

static void
test_missing(void **state)
{
	(void)state;
	/* the third line is missing; a step back; one that is too large */
#define ROWS                                                                                       \
	"0x100: 61 62 63 64\n0x104: 61 62 63 64\n0x108: 61 62 63 64\n"                             \
	"0x10c: 61 62 63 64\n0x110: 61 62 63 64\n0x114: 61 62 63 64\n"                             \
	"0x118: 61 62 63 64\n0x11c: 61 62 63 64\n0x120: 61 62 63 64\n0x124: 61 62 63 64\n"
#define BYTES "abcdabcdabcdabcdabcdabcdabcdabcdabcdabcd"
	assert_words(ROWS "0x12a: 65\n", "mdb", BYTES "??e");
	assert_words(ROWS "0x100: 65\n", "mdb", BYTES "????e");
	assert_words(ROWS "0x9000000000: 65\n", "mdb", BYTES "????e");
	/* other lines; those that begin with an address and are damaged */
	assert_words(ROWS "> halt\n0x128: 65\n> \n", "mdb", BYTES "e");
	assert_words(ROWS "0x128: 6x\n0x129: 66\n", "mdb", BYTES "?f");
	assert_words(ROWS "0x128: 6x\n", "mdb", BYTES "????");
	/* records: a sum that does not fit; the end; a segment of 16 times 0x1000 */
#define RECORDS                                                                                    \
	":020000021000EC\n"                                                                        \
	":040000006162636472\n"                                                                    \
	":04000400616263646E\n"                                                                    \
	":04000800616263646A\n"                                                                    \
	":04000C006162636466\n"                                                                    \
	":040010006162636462\n"                                                                    \
	":04001400616263645E\n"                                                                    \
	":04001800616263645A\n"                                                                    \
	":04001C006162636456\n"                                                                    \
	":040020006162636452\n"                                                                    \
	":04002400616263644E\n"
	assert_words(RECORDS ":00000001FF\n", "Intel HEX", BYTES);
	assert_words(RECORDS ":040028006566676800\n:04002C006566676836\n:00000001FF\n", "Intel HEX",
		     BYTES "????efgh");
	assert_words(RECORDS, "Intel HEX", BYTES "?");
	assert_words("S107000061626364"
		     "6E\nS10700046566676859\n",
		     "S-records", "abcd????");
	/* words that the first line counts; one that is none */
	assert_words("1651 1 800 1 4\n0x6261\n0x6463\n", "CCS data", "abcd????");
	assert_words("1651 1 800 1 3\n0x6261\n0x64\\3\n0x6665\n", "CCS data", "ab??ef");
	/* unreadable memory */
	assert_words("   NSD:FFFFFF803FD3EFFE| 61 62  ab\n   NSD:FFFFFF803FD3F000| ?? ??\n",
		     "Data.dump", "ab??");
	/* of an array: the end; a line; the end of a line */
#define ARRAY "unsigned char a[] = {\n  0x61,\n  0x62,\n"
	assert_words(ARRAY "  0x63\n", "xxd -i", "abc?");
	assert_words(ARRAY "  0x63,\n", "xxd -i", "abc?");
	assert_words(ARRAY "  0x63, 0x6", "xxd -i", "abc?");
	assert_words(ARRAY "  0x63, 0y64,\n  0x65\n};\n", "xxd -i", "ab?e");
	assert_words("  0x61,\n  0x62,\n", "xxd -i", "ab?");
	/* without addresses */
	assert_words("6162636465666768696a6b6c6d6e6f70\n7172", "xxd -p", "abcdefghijklmnopqr");
	struct result result;
	assert_true(read_words(ROWS, strlen(ROWS), 0, &result));
	assert_int_equal(result.base, 0x100);
	result_free(&result);
	assert_true(read_words(RECORDS, strlen(RECORDS), 0, &result));
	assert_int_equal(result.base, 0x10000);
	result_free(&result);
}

/* A line of xxd -p of any length. */
static void
test_long_line(void **state)
{
	enum { COUNT = 300 * 1000 };
	struct result result;
	char *text = mem_new(2 * COUNT + 1);
	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		memcpy(text + 2 * i, i % 3 ? "61" : "62", 2);
	text[2 * COUNT] = '\n';
	assert_true(read_words(text, 2 * COUNT + 1, 0, &result));
	assert_int_equal(result.bytes.length, COUNT);
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(result.bytes.data[i], i % 3 ? 'a' : 'b');
	result_free(&result);
	free(text);
}

static void
test_other_text(void **state)
{
	static const char *const texts[] = {
	    "",
	    "\n",
	    "tcpmux\t\t1/tcp\t\t# TCP port service multiplexer\necho\t\t7/tcp\n",
	    "[    0.000000] Linux version 6.1\n[    0.000000] Command line: quiet\n",
	    "SYS-T RAW DATA: 0000000000\nSYS-T RAW DATA: 1111111111\n",
	    "Idx:0; ID:10; [0x00 0x00 ];\tI_ASYNC : Alignment Synchronisation.\n",
	    "cafe 1234\n",			  /* of one line, it may be anything */
	    "0000\n0000\n0000\n",		  /* addresses alone */
	    "00000000: hello\n00000010: world\n", /* no digits */
	    "00000000: 6162  ab\n00000007: 6162  ab\n00000001: 6162  ab\n", /* no order */
	    "00000000: 6162 6364  abcx\n",		      /* not those characters */
	    "0000000 061141 092143\n0000004 061141 062143\n", /* octal words with a 9, */
	    "0000000 461 141\n0000002 141 141\n",	      /* and one of nine bits */
	    "cafe = 61 62 63 64\nbabe = 61 62 63 64\n",	      /* settings */
	    "{\n  \"a\": 1\n}\n",
	    "int a[] = {\n  0x61, 0x62\n",
	    "  0x1, 0x2,\n  0x3, 0x4\n",
	    "deadbeef\n", /* too little */
	    "6162636465666768696a6b6c6d6e6f707\n6\n",
	    ":040000006162636473\n:04000400656667685F\n", /* sums that do not fit */
	    "0x64636261\n0x68676665\n",			  /* too few words for that alone */
	    "1651 2 800 1 2\n100\n200\n",		  /* decimal numbers */
	    "0x1: 61\na log\nwith\none dump\nin it\n",
	    "00000000: 6162 6364  abcd\n\x01",
	};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct result result;
		if (read_words(texts[i], strlen(texts[i]), 0, &result))
			fail_msg("read as %s: %s", text_get(&result.name), texts[i]);
	}
}

/* --- captures ------------------------------------------------------------ */

static struct capture *
open_dump(const char *bytes, size_t size, struct capture_dump dump, struct err *err)
{
	char *path = toy_file((const uint8_t *)bytes, size);
	struct capture_options options = {.dump = dump};
	struct capture *c = capture_open(path, &options, err);
	unlink(path);
	free(path);
	if (c)
		capture_wait(c, UINT64_MAX - 1, -1);
	return c;
}

static void
assert_dump(const char *file, struct capture_dump dump, const char *bytes, const char *order)
{
	struct err err = {0};
	struct capture *c = open_dump(file, strlen(file), dump, &err);
	struct capture_packing packing;
	assert_non_null(c);
	assert_int_equal(capture_size(c), strlen(bytes));
	assert_memory_equal(capture_bytes(c), bytes, strlen(bytes));
	assert_true(capture_packing(c, &packing));
	if (order)
		assert_string_equal(packing.order, order);
	else
		assert_null(packing.order);
	assert_true(capture_is_whole(c));
	capture_close(c);
}

static void
test_order(void **state)
{
	(void)state;
#define DUMP(...) ((struct capture_dump){__VA_ARGS__})
#define AT(n) .has_write_pointer = true, .write_pointer = (n)
	assert_dump("badcfe", DUMP(.swap = 2), "abcdef", NULL);
	assert_dump("dcbahgfeij", DUMP(.swap = 4), "abcdefghij", NULL);
	assert_dump("hgfedcbai", DUMP(.swap = 8), "abcdefghi", NULL);
	assert_dump("efghabcd", DUMP(AT(4)), "abcdefgh", "rotated at 0x4");
	assert_dump("efghabcd", DUMP(AT(4), .wrapped = CAPTURE_WRAPPED), "abcdefgh",
		    "rotated at 0x4");
	assert_dump("efghabcd", DUMP(AT(4), .wrapped = CAPTURE_NOT_WRAPPED), "efgh", "up to 0x4");
	assert_dump("efghabcdabcdabcdabcd", DUMP(AT(4)), "efgh", "up to 0x4");
	assert_dump("efghabcdabcdabcdabcx", DUMP(AT(4)), "abcdabcdabcdabcxefgh", "rotated at 0x4");
	assert_dump("abcd", DUMP(AT(4)), "abcd", NULL);
	assert_dump("abcd", DUMP(AT(0)), "abcd", NULL);
	/* words first, then the order, from any byte */
	assert_dump("hgfedcba", DUMP(.swap = 4, AT(4)), "abcdefgh", "rotated at 0x4");
	assert_dump("gfedcbah", DUMP(.swap = 4, AT(3)), "ghabcdef", "rotated at 0x3");
}

/* Reads a dump of SIZE bytes; words that are not whole stay as they are, and a pointer at
 * either end turns nothing. */
static void
check_order(const char *file, size_t size, unsigned swap, size_t pointer)
{
	char words[32], wanted[32];
	struct err err = {0};
	for (size_t i = 0; i < size; i++) {
		size_t word = i / swap * swap;
		words[i] = word + swap > size ? file[i] : file[word + (swap - 1 - i % swap)];
	}
	for (size_t i = 0; i < size; i++)
		wanted[i] = words[(i + pointer) % size];
	struct capture_dump dump = {
	    .swap = swap > 1 ? swap : 0, .has_write_pointer = true, .write_pointer = pointer};
	struct capture *c = open_dump(file, size, dump, &err);
	if (pointer > size) {
		assert_null(c);
		assert_non_null(strstr(err.what, "the write pointer is 0x"));
		return;
	}
	assert_non_null(c);
	assert_int_equal(capture_size(c), size);
	assert_memory_equal(capture_bytes(c), wanted, size);
	capture_close(c);
}

/* Cut anywhere, with the pointer anywhere and behind the end. */
static void
test_order_cut(void **state)
{
	static const unsigned swaps[] = {1, 2, 4, 8};
	const char *file = "abcdefghijklmnopqrs";
	(void)state;
	for (size_t size = 1; size <= strlen(file); size++)
		for (size_t i = 0; i < sizeof swaps / sizeof *swaps; i++)
			for (size_t pointer = 0; pointer <= size + 1; pointer++)
				check_order(file, size, swaps[i], pointer);
}

static void
test_order_of_text(void **state)
{
	struct err err = {0};
	(void)state;
	const char *text = "0x20000000: 65666768\n0x20000004: 61626364\n";
	assert_dump(text, DUMP(.words = true), "hgfedcba", NULL);
	assert_dump(text, DUMP(.words = true, .swap = 4), "efghabcd", NULL);
	assert_dump(text, DUMP(.words = true, .swap = 4, AT(4)), "abcdefgh", "rotated at 0x4");
	assert_dump(text, DUMP(.words = true, .swap = 4, AT(0x20000004)), "abcdefgh",
		    "rotated at 0x4");
	assert_null(open_dump(text, strlen(text), DUMP(.words = true, AT(9)), &err));
	assert_non_null(strstr(err.what, "the write pointer is 0x9, and the dump ends at "
					 "0x20000008"));
	/* what is missing stays so where it is now */
	const char *gap = "0x0: 65\n0x1: 66\n0x4: 61\n0x5: 62\n0x6: 63\n0x7: 64\n"
			  "0x8: 65\n0x9: 66\n0xa: 61\n0xb: 62\n";
	err = (struct err){0};
	struct capture *c = open_dump(gap, strlen(gap), DUMP(.words = true, AT(8)), &err);
	struct capture_loss loss = {0};
	struct text sentence = {0};
	assert_non_null(c);
	assert_int_equal(capture_size(c), 12);
	assert_memory_equal(capture_bytes(c), "efabef\0\0abcd", 12);
	assert_true(capture_next_loss(c, &loss));
	assert_int_equal(loss.offset, 6);
	assert_int_equal(loss.end, 8);
	assert_false(capture_is_whole(c));
	capture_describe_loss(c, &sentence);
	assert_string_equal(text_get(&sentence), "2 bytes at offset 0x6 have no line in the dump "
						 "and are shown as zeros; dump them again");
	text_free(&sentence);
	capture_close(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_forms),	  cmocka_unit_test(test_pieces),
	    cmocka_unit_test(test_truncated),	  cmocka_unit_test(test_repeats),
	    cmocka_unit_test(test_missing),	  cmocka_unit_test(test_long_line),
	    cmocka_unit_test(test_other_text),	  cmocka_unit_test(test_order),
	    cmocka_unit_test(test_order_of_text), cmocka_unit_test(test_order_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
