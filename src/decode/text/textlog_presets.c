/*
 * Logs of lines of text: the presets, in the terms of a profile.
 *
 * A pattern matches the head of a message, in a line as a terminal shows it.  If
 * several presets fit equally many lines, the first one is used.
 */
#include "config.h"

#include "decode/text/textlog.h"

#define PRIORITY "(?:<(?<level>\\d{1,3})>)?"
/* PRIORITY for dmesg: raw, or with --decode. */
#define DECODED                                                                                    \
	"(?J)^"                                                                                    \
	"(?:<(?<level>\\d{1,3})>|(?<facility>[a-z]+[0-7]?) *:(?<level>[a-z]+) *: )?"
#define PID "(?:\\[(?<pid>\\d+)\\])?"

/* "[%5lu.%06lu]", then "[%6s]" with T and a thread or C and a processor [Linux 6.1, printk.c,
 * print_time and print_caller].  The subsystem is a convention: the words before `: `. */
#define SUBSYSTEM "(?:(?<origin>[A-Za-z][\\w./@-]*(?: [\\w.:/@-]+)?(?: \\([\\w.-]+\\))?): )?"
#define CALLER "(?: ?\\[ *(?<caller>[TC]\\d+)\\])? ?"

/* [Zephyr, log_output.c, timestamp_print and ids_print].  Other lines come from the logger
 * itself, from booting, and from a shell.  Messages erase one prompt of the shell. */
#define ZEPHYR_APART "^(?:--- |\\*\\*\\* (?:Booting|Using) |\\w+:~\\$ )"
#define ZEPHYR_DATE "\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d"
#define ZEPHYR_IDS                                                                                 \
	"(?:\\[(?<thread>[^\\]]*)\\] )?"                                                           \
	"(?:(?<origin>\\w[\\w/@-]*)(?:\\.(?<function>\\w+))?: )?"
#define ZEPHYR_LEVEL "<(?<level>err|wrn|inf|dbg)> "

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
     "^\\[(?<time>\\d{2,}:\\d\\d:\\d\\d\\.\\d{3},\\d{3})\\] (?:" ZEPHYR_LEVEL ")?" ZEPHYR_IDS,
     "uptime", ZEPHYR_APART},
    {"zephyr-seconds", "Zephyr, seconds since boot",
     "^\\[ *(?<time>\\d{1,10}\\.\\d{6})\\] " ZEPHYR_LEVEL ZEPHYR_IDS, "seconds", ZEPHYR_APART},
    {"zephyr-ticks", "Zephyr, cycles since boot",
     "^\\[(?<time>\\d{8}|\\d{16})\\] " ZEPHYR_LEVEL ZEPHYR_IDS, "ticks", ZEPHYR_APART},
    /* "[%s.%03u,%03u] " and "[%s,%06uZ] " */
    {"zephyr-date", "Zephyr, dates",
     "^\\[(?<time>" ZEPHYR_DATE "(?:\\.\\d{3},\\d{3}|,\\d{6}Z))\\] " ZEPHYR_LEVEL ZEPHYR_IDS,
     "iso8601", ZEPHYR_APART},
    {"dmesg", "Linux kernel, seconds since boot",
     DECODED "\\[ *(?<time>\\d{1,10}\\.\\d{3,9})(?: < *[\\d.]+>)?\\]" CALLER SUBSYSTEM, "seconds"},
    {"dmesg-wall", "Linux kernel, by dmesg --ctime",
     DECODED
     "\\[(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d \\d{4})\\]" CALLER
	 SUBSYSTEM,
     "ctime"},
    /* "<PRI>VERSION SP TIMESTAMP SP HOSTNAME SP APP-NAME SP PROCID SP MSGID", STRUCTURED-DATA,
     * MSG, with an optional byte order mark [RFC 5424, 6] */
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
     "^--------- "},
    {"logcat-time", "Android, time", "^(?<time>" LOGCAT_DAY ") " LOGCAT_PROCESS, "monthday",
     "^--------- "},
    {"logcat-year", "Android, threadtime with year",
     "^(?<time>\\d{4}-" LOGCAT_DAY "(?: [+-]\\d{4})?)" LOGCAT_THREAD, "iso8601", "^--------- "},
    {"logcat-epoch", "Android, threadtime since 1970",
     "^ *(?<time>\\d{9,10}\\.\\d{3,9})" LOGCAT_THREAD, "unix", "^--------- "},
    {"logcat-monotonic", "Android, threadtime since boot",
     "^ *(?<time>\\d{1,8}\\.\\d{3,9})" LOGCAT_THREAD, "seconds", "^--------- "},
    {"logcat-brief", "Android, brief", "^" LOGCAT_PROCESS, NULL, "^--------- "},
    /* "%c/", "%s:", the core or "?", the thread or blanks, "%s:%d "; F means flow, M has no
     * level [OP-TEE, trace.c, trace_vprintf] */
    {"optee", "OP-TEE",
     "^(?<level>[UEIDFM])/(?<origin>\\w+):(?:(?:(?<cpu>\\d{1,2})|\\?{1,2}) )?"
     "(?:(?<thread>\\d{1,2}) | +)?(?:(?<function>[A-Za-z_]\\w*):(?<line>\\d+) )?",
     NULL, NULL, "f", SEVERITY_DEBUG},
    /* [TF-A, plat_log_common.c, plat_prefix_str]; the stage is a convention */
    {"tf-a", "Trusted Firmware-A",
     "^(?=[A-Z: ]{9})(?<level>ERROR|NOTICE|WARNING|INFO|VERBOSE): {1,4}(?:(?<origin>BL\\d\\w*): )?",
     NULL},
    /* "X (%u) %s: " in milliseconds, or with the time of day
     * [ESP-IDF, LOG_FORMAT and LOG_SYSTEM_TIME_FORMAT] */
    {"esp-idf", "ESP-IDF, milliseconds since boot",
     "^(?<level>[EWIDV]) \\((?<time>\\d+)\\) (?<origin>[^:]+): ", "milliseconds"},
    {"esp-idf-time", "ESP-IDF, time of day",
     "^(?<level>[EWIDV]) \\((?<time>\\d\\d:\\d\\d:\\d\\d\\.\\d{3})\\) (?<origin>[^:]+): ", "clock"},
    /* "(XEN) " or "(d%d) ", then "[%5lu.%06lu] ", a date, or nothing.  Early lines of a log
     * with dates have seconds [Xen, console.c, printk_start_of_line]. */
    {"xen", "Xen, seconds since boot",
     "^\\((?<origin>XEN|d\\d+)\\) (?!\\[\\d{4}-)(?:\\[ *(?<time>\\d+\\.\\d{6})\\] )?", "seconds"},
    {"xen-date", "Xen, dates",
     "^\\((?<origin>XEN|d\\d+)\\) (?:\\[(?:(?<time>\\d{4}-\\d\\d-\\d\\d "
     "\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{3})?)|"
     " *\\d+\\.\\d{6})\\] )?",
     "iso8601"},
    /* "%16s-%-7d ", the thread group, "[%03d] ", flags, " %5lu.%06lu: " [Linux 6.1,
     * trace_output.c, trace_print_context] */
    {"ftrace", "Linux ftrace",
     "^ *(?<origin>\\S.{0,15}?)-(?<pid>\\d+) +(?:\\( *(?:(?<tgid>\\d+)|-+)\\) "
     ")?\\[(?<cpu>\\d{3,})\\] "
     "(?:(?<flags>\\S{4,6}) )? *(?<time>\\d+\\.\\d{6}): ",
     "seconds", "^(?:#|CPU:)"},
    /* date and time with `T` or a blank, a fraction, Z or an offset [ISO 8601; RFC 3339,
     * 5.6].  The rest follows journalctl or the loggers of programs. */
    {"iso8601", "lines that begin with an ISO 8601 time",
     "(?J)^\\[?(?<time>" ISO_TIME ")\\]?(?: (?!" LEVEL_WORDS
     "\\b)(?<host>[\\w.-]+) (?<origin>kernel(?=: )|[^\\s:\\[]+(?=\\[\\d+\\]: ))" PID
     ": |(?:[\\s:|-]+\\[?(?<level>" LEVEL_WORDS ")\\]?(?=[\\s:|-]))?[\\s:|-]*"
     "(?:(?<origin>[A-Za-z_][\\w./-]*(?:::\\w+)*)" PID ": )?)",
     "iso8601"},
};
const size_t textlog_preset_count = sizeof textlog_presets / sizeof *textlog_presets;

/* Same order as the table; a test compares them. */
const char *const textlog_preset_names[] = {
    "auto",	    "none",	   "zephyr",	  "zephyr-seconds", "zephyr-ticks",
    "zephyr-date",  "dmesg",	   "dmesg-wall",  "rfc5424",	    "syslog",
    "logcat",	    "logcat-time", "logcat-year", "logcat-epoch",   "logcat-monotonic",
    "logcat-brief", "optee",	   "tf-a",	  "esp-idf",	    "esp-idf-time",
    "xen",	    "xen-date",	   "ftrace",	  "iso8601",	    NULL,
};
