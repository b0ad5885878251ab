#!/bin/sh
# What no formatter checks: lines of at most 100 columns, no blanks at their
# ends, a comment at the head of every source file, names in the field's words, and
# waits and files that cannot block for ever.

cd "${srcdir:-.}" || exit 1

sources()
{
	find src tests man -name '*.[ch]' -exec "$@" {} +
}

# shellcheck disable=SC2016  # awk's own $
too_long='{
	line = ""
	for (n = split($0, part, "\t"); i++ < n;) {
		line = line part[i]
		if (i < n)
			line = line substr("        ", length(line) % 8 + 1)
	}
	if (length(line) > 100)
		print FILENAME ":" FNR ": " length(line) " columns"
	i = 0
}'
headless='FNR == 1 && !/^\/\*/ { print FILENAME }'

# Words that are no names in src/; ARCHITECTURE.md has those that are (Words).
not_names="app_trouble baton census course crowded export_joiner feet find_feet \
	glance ground has_own hit hits joiner lacks lead_in lens mend_row \
	message_place moment nobody offer owed pay density_sender reader_block reader_place \
	say_severities session_tell silence silences somebody spot spots stir stretch \
	stretches taste told told_b unwanted walked wanted"
# shellcheck disable=SC2016  # awk's own $
ill_named='
BEGIN {
	for (n = split(words, word); n; n--)
		bad[word[n]] = 1
}
FNR == 1 { comment = 0 }
{
	line = $0
	gsub(/"([^"\\]|\\.)*"/, " ", line)
	for (code = ""; line != "" && (at = index(line, comment ? "*/" : "/*")); comment = !comment) {
		code = code " " (comment ? "" : substr(line, 1, at - 1))
		line = substr(line, at + 2)
	}
	if (!comment)
		code = code " " line
	for (n = split(code, word, /[^A-Za-z0-9_]+/); n; n--)
		if (word[n] in bad)
			print FILENAME ":" FNR ": " word[n]
}'

# A tag of a struct stands for one thing; a static function bears the name of its
# module, or at least more than one word, and no public one's.
# shellcheck disable=SC2016  # awk's own $
twice_named='
/^[ \t]*(static |const )*struct [a-z_0-9]+ \{/ {
	tag = $0
	sub(/.*struct /, "", tag)
	sub(/ .*/, "", tag)
	if (tags[tag]++)
		print FILENAME ":" FNR ": another struct " tag
}
/^[a-z][a-z_0-9]*\(/ {
	name = $0
	sub(/\(.*/, "", name)
	if (name !~ /_/ && name != "main")
		print FILENAME ":" FNR ": " name "() is one word"
	if (before !~ /^static /)
		public[name]
	else
		static[name] = FILENAME ":" FNR
}
{ before = $0 }
END {
	for (name in static)
		if (name in public)
			print static[name] ": a public function is named " name "() too"
}'

# A notice is named by its id, and each id has a use.
unnamed_notices()
{
	find src -name '*.c' -exec cat {} + | tr '\n\t' '  ' |
		grep -oE '(screen_(say|error|notice|log)|trace_add_notice)\([^,;]*, *"[^"]*"'
}
unused_notices()
{
	sed -n 's/^NOTICE\(_PART\)*(\([A-Z_]*\),.*/\2/p' src/base/notice.def |
		while read -r id; do
			grep -rqw "NOTICE_$id" src || echo "NOTICE_$id"
		done
}

# Condition variables on the system's clock, and what reads that clock.
on_wall_clock()
{
	grep -rnE 'pthread_cond_init|PTHREAD_COND_INITIALIZER|CLOCK_REALTIME|gettimeofday' src |
		grep -v '^src/base/thread\.c:.*pthread_cond_init(cond, &attributes)'
}

# Streams on a file that the user names: base/file.h refuses devices and FIFOs.
unchecked_files()
{
	grep -rnE 'fopen\([^"]' src
}

# Who opens a path for writing: base/writer.c, and base/file.c for files without a name.
unsafe_writers()
{
	grep -rnE 'O_(WRONLY|RDWR|CREAT|TMPFILE|TRUNC)|mkdtemp|mko?stemp|[^a-z_]rename(at)?\(|fopen\([^)]*"[wa]' src |
		grep -vE '^src/base/(writer|file)\.c:'
}

# What a terminal gets is drawn on a canvas, or goes through the writer of standard output
# (export_flush) or of standard error (batch/report.c): these make it safe.  The end of memory
# has a sentence of its own (base/vec.c).
other_writers()
{
	{
		grep -rnE '\<(v|f|vf|d|vd)?printf\(|\<f?put(s|c|char)\(|\<fwrite\(|\<perror\(' src
		grep -rnE '\<(stdout|stderr)\>|\<write\([12],' src
		grep -rnE '\<STD(OUT|ERR)_FILENO\>' src | grep -vE '(isatty\(|[!=]= )STD'
	} | grep -vE '^src/(base/(vec|writer)|ui/screen/term|batch/report)\.c:'
	grep -rnw 'struct cell' src | grep -vE '^src/ui/screen/(canvas\.[ch]|(paint|still)\.c):'
}

count=0
report()
{
	count=$((count + 1))
	if test -z "$2"; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		echo "$2" | sed 's/^/# /'
	fi
}

report "lines have at most 100 columns" "$(sources awk "$too_long")"
report "lines end without blanks" "$(sources grep -nH '[[:blank:]]$')"
report "files start with a comment" "$(sources awk "$headless")"
report "names are not words that others replace" "$(find src -name '*.[ch]' \
	-exec awk -v words="$not_names" "$ill_named" {} +)"
report "a name stands for one thing" "$(find src -name '*.[ch]' -exec awk "$twice_named" {} +)"
report "a notice is named by its id" "$(unnamed_notices)"
report "each notice has a use" "$(unused_notices)"
report "waits and durations are on the clock that is not set" "$(on_wall_clock)"
report "files are opened by base/file.h" "$(unchecked_files)"
report "files are written by base/writer.h" "$(unsafe_writers)"
report "a terminal gets safe text alone" "$(other_writers)"
echo "1..$count"
