/* Signals through a file descriptor: see signals.h. */
#include "config.h"

#include "ui/signals.h"
#include "ui/screen/term.h"

#include <sys/signalfd.h>
#include <unistd.h>

static const int caught[] = {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT};

int
signals_open(sigset_t *before)
{
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
		sigaddset(&set, caught[i]);
	sigprocmask(SIG_BLOCK, &set, before);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int
signals_next(int file)
{
	struct signalfd_siginfo info;
	return read(file, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

void
signals_raise(int number)
{
	sigset_t one;
	sigemptyset(&one);
	sigaddset(&one, number);
	signal(number, SIG_DFL);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	sigprocmask(SIG_BLOCK, &one, NULL);
}

void
signals_suspend(struct term *term)
{
	term_suspend(term);
	signals_raise(SIGTSTP);
	term_resume(term);
}
