/*
 * Fuzz target: a filter, which is text that people type and files bring.  What
 * is accepted must mean the same when it is read again, and is asked about a
 * message; what is not must name a place in it.
 */
#include "config.h"

#include "query/filter/filter.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Two messages: a SHORT32, and a STRING with a checksum. */
static const uint8_t capture[] = {0x81, 0x67, 0x45, 0x23, 0x32, 0x26, 0x01, 0x01, 0x0c,
				  0x00, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x77, 0x6f,
				  0x72, 0x6c, 0x64, 0x21, 0xd3, 0x06, 0xb8, 0xea};

static void
ask(struct session *session, struct reader *reader, const struct filter *filter)
{
	struct filter copy = filter_clone(filter);
	struct expansion scratch = {0};
	const struct decoded_cell *decoded = reader_decoded_cell(reader, 0);
	filter_judge(filter, session->traces.at[0], 0);
	for (size_t i = 0; i < decoded->count; i++) {
		struct message m = reader_decoded_cell(reader, 0)->messages[i];
		if (filter_match(filter, reader, &m, &scratch) !=
		    filter_match(&copy, reader, &m, &scratch))
			abort();
	}
	expansion_free(&scratch);
	filter_free(&copy);
}

static void
try_text(struct session *session, const char *text)
{
	struct reader *reader = reader_new(session->traces.at[0]);
	struct filter_error error;
	struct text out = {0};
	struct filter filter = filter_all();
	filter.expr = filter_parse(text, session, &error);
	if (filter.expr) {
		ask(session, reader, &filter);
	} else {
		filter_explain(&error, text, &out);
		if (error.at > strlen(text) || !*error.what)
			abort();
	}
	text_free(&out);
	filter_free(&filter);
	reader_free(reader);
}

/* The session that all texts are tried in. */
static struct session *
open_session(void)
{
	static struct session session;
	char path[] = "/tmp/trawl-fuzz.XXXXXX";
	struct err err;
	int file = session.traces.count ? -1 : mkstemp(path);
	if (file < 0)
		return &session;
	option_defaults(profile_options_table(), &session.profile);
	if (write(file, capture, sizeof capture) == sizeof capture &&
	    session_open(&session, path, "syst/raw", NULL, 0, &err)) {
		session_link(&session);
		index_build(trace_index(session.traces.at[0]));
	}
	close(file);
	unlink(path);
	return &session;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session *session = open_session();
	char *text = mem_new(size + 1);
	memcpy(text, data, size);
	if (session->traces.count)
		try_text(session, text);
	free(text);
	return 0;
}
