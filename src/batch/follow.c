/* Batch output that follows a capture: see follow.h. */
#include "config.h"

#include "batch/follow.h"
#include "base/thread.h"
#include "batch/report.h"
#include "session/session.h"
#include "trace/trace.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Print what happens to a capture during --follow. */
static void
print_notices(void *context)
{
	struct session *session = context;
	for (size_t i = 0; i < session->traces.count; i++) {
		char *notice = trace_take_notice(session->traces.at[i]);
		if (notice)
			report_text(notice);
		free(notice);
	}
}

struct ending {
	struct session *session;
	sigset_t signals;
	int number; /* signal received, or 0 */
};

/* Wait for a signal.  It ends the output after a whole line; the next one ends the program. */
static void *
await_ending(void *context)
{
	struct ending *ending = context;
	sigwait(&ending->signals, &ending->number);
	pthread_sigmask(SIG_UNBLOCK, &ending->signals, NULL);
	session_interrupt(ending->session);
	pause();
	return NULL;
}

/* Add a signal, unless the parent ignored it, as shells do for background jobs. */
static void
add_unless_ignored(sigset_t *set, int number)
{
	struct sigaction now;
	if (!sigaction(number, NULL, &now) && now.sa_handler != SIG_IGN)
		sigaddset(set, number);
}

int
follow_export(const struct cli *cli, struct session *session, const struct export_options *options,
	      struct export_result *result, struct err *err)
{
	struct ending ending = {.session = session};
	pthread_t thread;
	sigemptyset(&ending.signals);
	add_unless_ignored(&ending.signals, SIGINT);
	add_unless_ignored(&ending.signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ending.signals, NULL);
	if (!cli->value[CLI_QUIET])
		session_notify(session, print_notices, session);
	bool waits = thread_start(&thread, await_ending, &ending);
	if (!waits) /* a signal then ends the program at once */
		pthread_sigmask(SIG_UNBLOCK, &ending.signals, NULL);
	int failed = export_run(session, options, result, err);
	if (waits) {
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	session_notify(session, NULL, NULL);
	session->ended_by = ending.number;
	pthread_sigmask(SIG_UNBLOCK, &ending.signals, NULL);
	return failed;
}
