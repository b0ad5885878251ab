/*
 * The order of messages on the screen: of two senders in one capture one keeps its
 * messages back and sends them at the end.
 */
#include "config.h"

#include "test.h"

#include "folder.h"
#include "mk_stp.h"
#include "mk_syst.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

enum { PAIRS = 60, STEP_US = 10000 };

struct writer {
	struct mk_stp stp;
	struct mk_message message;
	uint64_t seed;
	uint64_t now; /* us, of the transport */
};

/* Sends the message at hand, which SENDER made at MADE by its own clock. */
static void
send(struct writer *w, unsigned sender, uint64_t made)
{
	static uint8_t bytes[MK_MESSAGE_MAX];
	w->message.module = (uint8_t)(16 + sender);
	w->message.has_time = true;
	w->message.time = made + 5000000 * sender;
	struct mk_feed feed = {.bytes = bytes,
			       .length = mk_encode(&w->message, bytes),
			       .master = (uint16_t)(1 + sender),
			       .time = w->now};
	while (!feed.sent)
		mk_stp_feed(&w->stp, &feed, &w->seed);
	w->now += 10;
}

static void
send_text(struct writer *w, unsigned sender, unsigned number, uint64_t made)
{
	char text[32];
	int length = snprintf(text, sizeof text, "%s %02u.", sender ? "kept" : "sent", number);
	mk_begin(&w->message, MK_STRING, MK_GENERIC, number % 10 ? MK_INFO : MK_ERROR);
	mk_string(&w->message, text, (size_t)length, false);
	send(w, sender, made);
}

static void
send_clocks(struct writer *w, unsigned senders)
{
	for (unsigned sender = 0; sender < senders; sender++) {
		mk_begin(&w->message, MK_CLOCK, 1, MK_DEBUG);
		mk_clock(&w->message, w->now + 5000000 * sender, 1000000);
		send(w, sender, w->now);
	}
}

static struct writer *
open_capture(const char *path)
{
	struct writer *w = mem_new(sizeof *w);
	w->stp = (struct mk_stp){.out = mk_out_open(path),
				 .nibbles = MK_LE22,
				 .stamps = MK_NAT,
				 .master = -1,
				 .channel = -1};
	mk_stp_async(&w->stp);
	mk_stp_freq(&w->stp, 1000000);
	w->now = 1000;
	return w;
}

static void
close_capture(struct writer *w)
{
	mk_stp_finish(&w->stp);
	mk_out_close(w->stp.out);
	free(w);
}

static void
write_capture(const char *path)
{
	struct writer *w = open_capture(path);
	send_clocks(w, 2);
	for (unsigned i = 0; i < PAIRS; i++) {
		w->now = 2000 + i * STEP_US;
		send_text(w, 0, i, w->now);
	}
	w->now = 2000 + PAIRS * STEP_US;
	for (unsigned i = 0; i < PAIRS; i++)
		send_text(w, 1, i, 2000 + i * STEP_US + STEP_US / 2);
	send_clocks(w, 2);
	close_capture(w);
}

/* More senders than have a place in the order: each keeps back its second message. */
static void
write_many(const char *path, unsigned senders)
{
	struct writer *w = open_capture(path);
	send_clocks(w, senders);
	uint64_t begin = w->now;
	for (unsigned i = 0; i < senders; i++)
		send_text(w, i, i, w->now);
	w->now += STEP_US;
	for (unsigned i = senders; i-- > 0;)
		send_text(w, i, i, begin + 5 + i * 10);
	send_clocks(w, senders);
	close_capture(w);
}

static void
test_set(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	folder_make(&folder);
	write_capture(folder_path(&folder, "a.stp"));
	scene_open(s, 24, 80, "xterm-256color", folder_path(&folder, "a.stp"), NULL);
	scene_wait(s, "by transport");
	scene_keys(s, "21G");
	scene_wait_row(s, ">", "sent 16.");
	scene_wait(s, " 21 of 126");
	scene_keys(s, ":set order=time\r");
	scene_wait_notice(s, NOTICE_ORDER, "time");
	scene_wait(s, "  by time");
	scene_wait_row(s, ">", "sent 16."); /* the cursor stays */
	scene_keys(s, "j");
	scene_wait_row(s, ">", "kept 16.");
	scene_wait(s, " 38 of 126");
	scene_keys(s, "3j");
	scene_wait_row(s, ">", "sent 18.");
	scene_keys(s, "2k");
	scene_wait_row(s, ">", "sent 17.");
	scene_keys(s, "101G");
	scene_wait_row(s, ">", "sent 48.");
	scene_keys(s, "102G");
	scene_wait_row(s, ">", "kept 48.");
	/* only errors: every tenth pair */
	scene_keys(s, "g&severity = error\r");
	scene_wait(s, ", row 1 of 12");
	scene_wait_row(s, ">", "sent 00.");
	scene_keys(s, "j");
	scene_wait_row(s, ">", "kept 00.");
	scene_wait(s, ", row 2 of 12");
	scene_keys(s, "3j");
	scene_wait_row(s, ">", "sent 20.");
	scene_wait(s, ", row 5 of 12");
	scene_keys(s, "G");
	scene_wait_row(s, ">", "kept 50.");
	scene_wait(s, ", row 12 of 12");
	scene_keys(s, ":set order=transport\r");
	scene_wait(s, "by transport");
	scene_wait_row(s, ">", "kept 50.");
	scene_keys(s, "k");
	scene_wait_row(s, ">", "kept 40.");
	scene_keys(s, ":set order=name\r");
	scene_wait(s, "order is time or transport, not name");
	scene_quit(s);
	folder_remove(&folder);
}

/* From the start by an option: keys that are typed at once end as later ones do. */
static void
test_option(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	folder_make(&folder);
	write_capture(folder_path(&folder, "a.stp"));
	scene_open(s, 24, 80, "xterm-256color", folder_path(&folder, "a.stp"), "--order=time",
		   "+38G", NULL);
	scene_wait(s, "  by time");
	scene_wait_row(s, ">", "kept 16.");
	scene_keys(s, "v5j");
	scene_wait(s, "range: 6 messages");
	scene_keys(s, ":write ");
	scene_keys(s, folder_path(&folder, "out.txt"));
	scene_keys(s, " text\r");
	scene_wait_id(s, NOTICE_WRITTEN, "6");
	scene_quit(s);
	FILE *file = fopen(folder_path(&folder, "out.txt"), "r");
	char line[200];
	assert_non_null(file);
	for (unsigned i = 0; i < 6; i++) {
		char want[32];
		snprintf(want, sizeof want, "%s %02u.", i % 2 ? "sent" : "kept", 16 + (i + 1) / 2);
		assert_non_null(fgets(line, sizeof line, file));
		assert_non_null(strstr(line, want));
	}
	fclose(file);
	folder_remove(&folder);
}

static void
test_many(void **state)
{
	struct scene *s = *state;
	struct folder folder;
	folder_make(&folder);
	write_many(folder_path(&folder, "a.stp"), 67);
	scene_open(s, 24, 120, "xterm-256color", folder_path(&folder, "a.stp"), "--order=time",
		   NULL);
	scene_wait(s, "only 64 senders' clocks are put in order of time; messages of 3 more stay");
	scene_keys(s, "G");
	scene_wait(s, " 270 of 270");
	scene_quit(s);
	folder_remove(&folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    scene_test(test_set),
	    scene_test(test_option),
	    scene_test(test_many),
	};
	return scene_run_group("screen_order", tests);
}
