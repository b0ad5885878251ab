/*
 * Logs of lines of text: the presets, in the terms of a profile.
 *
 * A pattern is that of the head of a message; colour codes may stand between its parts.
 * Of presets that fit as many lines the first one is taken.
 */
#include "config.h"

#include "decode/text/textlog.h"

#define COLOUR "(?:\\x1b\\[[0-9;]*m)*"
#define PRIORITY "(?:<(?<level>\\d{1,3})>)?"
/* The same of dmesg: as it is, or by --decode. */
#define DECODED                                                                                    \
	"(?J)^" COLOUR                                                                             \
	"(?:<(?<level>\\d{1,3})>|(?<facility>[a-z]+[0-7]?) *:(?<level>[a-z]+) *: )?" COLOUR
#define PID "(?:\\[(?<pid>\\d+)\\])?"

/* "[%5lu.%06lu]", then "[%6s]" of T and a thread or C and a processor [Linux 6.1, printk.c,
 * print_time and print_caller].  The subsystem is a habit: what stands before `: `. */
#define SUBSYSTEM                                                                                  \
	COLOUR "(?:(?<origin>[A-Za-z][\\w./@-]*(?: [\\w.:/@-]+)?(?: \\([\\w.-]+\\))?): " COLOUR ")?"
#define CALLER COLOUR "(?: ?\\[ *(?<caller>[TC]\\d+)\\])?" COLOUR " ?"

/* [Zephyr, log_output.c, timestamp_print and ids_print] */
#define ZEPHYR_IDS                                                                                 \
	COLOUR "(?:\\[(?<thread>[^\\]]*)\\] )?"                                                    \
	       "(?:(?<origin>\\w[\\w/@-]*)(?:\\.(?<function>\\w+))?: )?"
#define ZEPHYR_LEVEL COLOUR "<(?<level>err|wrn|inf|dbg)> "

/* [logcat, "Control log output format"; liblog, logprint.cpp] */
#define LOGCAT_PRIORITY "(?<level>[VDIWEFAS])"
#define LOGCAT_DAY "\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3,9}"
#define LOGCAT_THREAD                                                                              \
	" +(?:(?<uid>\\w+) +)?"                                                                    \
	"?(?<pid>\\d+) +(?<tid>\\d+) " LOGCAT_PRIORITY " (?<origin>.*?) *: "
#define LOGCAT_PROCESS LOGCAT_PRIORITY "/(?<origin>.*?) *\\( *(?<pid>\\d+)\\): "

#define LEVEL_WORDS                                                                                \
	"(?i:emerg(?:ency)?|panic|alert|crit(?:ical)?|fatal|severe|err(?:or)?|warn(?:ing)?|wrn|"   \
	"notice|info?|inf|information(?:al)?|debug|dbg|trace|trc|verbose)"
#define ISO_TIME                                                                                   \
	"\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d{1,9})?"                            \
	"(?:Z| ?[+-]\\d\\d(?::?\\d\\d)?(?!\\d))?"

const struct textlog_preset textlog_presets[] = {
    {"zephyr", "Zephyr, time since boot",
     "^" COLOUR "\\[(?<time>\\d{2,}:\\d\\d:\\d\\d\\.\\d{3},\\d{3})\\] (?:" ZEPHYR_LEVEL
     ")?" ZEPHYR_IDS,
     "uptime", "--- "},
    {"zephyr-seconds", "Zephyr, seconds since boot",
     "^" COLOUR "\\[ *(?<time>\\d{1,10}\\.\\d{6})\\] " ZEPHYR_LEVEL ZEPHYR_IDS, "seconds", "--- "},
    {"zephyr-ticks", "Zephyr, cycles since boot",
     "^" COLOUR "\\[(?<time>\\d{8}|\\d{16})\\] " ZEPHYR_LEVEL ZEPHYR_IDS, "ticks", "--- "},
    {"dmesg", "Linux kernel, seconds since boot",
     DECODED "\\[ *(?<time>\\d{1,10}\\.\\d{3,9})(?: < *[\\d.]+>)?\\]" CALLER SUBSYSTEM, "seconds"},
    {"dmesg-wall", "Linux kernel, by dmesg --ctime",
     DECODED
     "\\[(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d \\d{4})\\]" CALLER
	 SUBSYSTEM,
     "ctime"},
    /* "<PRI>VERSION SP TIMESTAMP SP HOSTNAME SP APP-NAME SP PROCID SP MSGID", STRUCTURED-DATA,
     * MSG, which may begin with a byte order mark [RFC 5424, 6] */
    {"rfc5424", "syslog, RFC 5424",
     "^<(?<level>\\d{1,3})>1 (?:-|(?<time>[^ ]+)) (?:-|(?<host>[^ ]+)) (?:-|(?<origin>[^ ]+)) "
     "(?:-|(?<pid>[^ ]+)) (?:-|(?<msgid>[^ ]+)) "
     "(?:-|(?<data>(?:\\[(?:[^\\]\"]|\"(?:[^\"\\\\]|\\\\.)*\")*\\])+))(?: (?:\\xef\\xbb\\xbf)?|$)",
     "iso8601"},
    /* "Mmm dd hh:mm:ss", HOSTNAME, TAG [RFC 3164, 4.1] */
    {"syslog", "syslog, RFC 3164",
     "^" PRIORITY "(?<time>[A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?) "
     "(?<host>[^ ]+) (?:(?<origin>[^\\s:\\[]+)" PID ": ?)?",
     "syslog"},
    {"logcat", "Android, threadtime", "^(?<time>" LOGCAT_DAY ")" LOGCAT_THREAD, "monthday",
     "--------- "},
    {"logcat-time", "Android, time", "^(?<time>" LOGCAT_DAY ") " LOGCAT_PROCESS, "monthday",
     "--------- "},
    {"logcat-year", "Android, threadtime with year",
     "^(?<time>\\d{4}-" LOGCAT_DAY "(?: [+-]\\d{4})?)" LOGCAT_THREAD, "iso8601", "--------- "},
    {"logcat-epoch", "Android, threadtime since 1970",
     "^ *(?<time>\\d{9,10}\\.\\d{3,9})" LOGCAT_THREAD, "unix", "--------- "},
    {"logcat-monotonic", "Android, threadtime since boot",
     "^ *(?<time>\\d{1,8}\\.\\d{3,9})" LOGCAT_THREAD, "seconds", "--------- "},
    {"logcat-brief", "Android, brief", "^" LOGCAT_PROCESS, NULL, "--------- "},
    /* date and time with `T` or a blank, a fraction, Z or an offset [ISO 8601; RFC 3339, 5.6];
     * what follows is as journalctl, or as loggers of programs write it */
    {"iso8601", "lines that begin with an ISO 8601 time",
     "(?J)^" COLOUR "\\[?(?<time>" ISO_TIME ")\\]?" COLOUR "(?: (?!" LEVEL_WORDS
     "\\b)(?<host>[\\w.-]+) (?<origin>kernel(?=: )|[^\\s:\\[]+(?=\\[\\d+\\]: ))" PID
     ": |(?:[\\s:|-]+\\[?(?<level>" LEVEL_WORDS ")\\]?(?=[\\s:|-]))?[\\s:|-]*"
     "(?:(?<origin>[A-Za-z_][\\w./-]*(?:::\\w+)*)" PID ": )?)",
     "iso8601"},
};
const size_t textlog_preset_count = sizeof textlog_presets / sizeof *textlog_presets;

/* In the order of the table, which a test compares. */
const char *const textlog_preset_names[] = {
    "auto",	   "none",	  "zephyr",	  "zephyr-seconds",   "zephyr-ticks",
    "dmesg",	   "dmesg-wall",  "rfc5424",	  "syslog",	      "logcat",
    "logcat-time", "logcat-year", "logcat-epoch", "logcat-monotonic", "logcat-brief",
    "iso8601",	   NULL,
};
