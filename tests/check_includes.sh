#!/bin/sh
# Do the rooms of src/ include only downwards, and is each library behind the
# one file that may know it?  Reads the #include lines; knows no macros.

cd "${srcdir:-.}/src" || exit 1
rooms="base capture program decode index trace flow session query export command batch ui config"

# Prints "FILE:LINE: what is wrong" for each include that goes upwards.
upward()
{
	find "$1" -name '*.[ch]' -exec awk -v rooms="$rooms" -v room="$1" '
	BEGIN {
		for (n = split(rooms, name); n; n--)
			rank[name[n]] = n
	}
	/^[ \t]*#[ \t]*include[ \t]*"[^"]*\// {
		split($0, quoted, "\"")
		split(quoted[2], path, "/")
		if (!(path[1] in rank))
			print FILENAME ":" FNR ": " path[1] " is no room of src"
		else if (rank[path[1]] > rank[room])
			print FILENAME ":" FNR ": " room " may not include " quoted[2]
	}' {} +
}

# Prints the files other than $1 that include a header matching $2.
strangers()
{
	grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*<$2" -r . |
		grep -v "^\./$1:"
}

# Prints what includes the header of a format outside src/decode.  The serial numbers
# of OVERLAY words and UIA events belong to both formats and to neither; the fuzz target
# of collateral is for one format only.
leaks()
{
	grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"decode/[a-z]+/' -r . ../tests/fuzz |
		grep -v '^\./decode/' |
		grep -vE '^\./(trace|session)/([a-z]+/)?serial\.c:' |
		grep -v '^\.\./tests/fuzz/fuzz_collateral\.c:'
}

# Prints the .c files whose first include is not config.h.
unconfigured()
{
	find . -name '*.c' | while read -r file; do
		first=$(grep -m 1 '^#include' "$file")
		test "$first" = '#include "config.h"' ||
			echo "$file: the first include must be \"config.h\""
	done
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

for room in $rooms; do
	report "$room includes only downwards" "$(upward "$room")"
done
report "curses only in ui/screen/term.c" "$(strangers ui/screen/term.c '(n?curses[a-z]*|term|termcap)\.h')"
report "PCRE2 only in base/regex.c" "$(strangers base/regex.c pcre2)"
report "libcyaml only in config/schema.c" "$(strangers config/schema.c cyaml)"
report "libyaml only in config/survey.c" "$(strangers config/survey.c yaml)"
report "expat only in decode/syst/syst_collateral.c" \
	"$(strangers decode/syst/syst_collateral.c expat)"
report "OpenCSD only in decode/coresight/opencsd_library.c" \
	"$(strangers decode/coresight/opencsd_library.c opencsd)"
report "elfutils only in program/symbols.c" \
	"$(strangers program/symbols.c '(elfutils/|libelf|gelf|dwarf|elf\.h)')"
report "libarchive only in capture/unpack.c" \
	"$(strangers capture/unpack.c 'archive(_entry)?\.h')"
report "what a format alone knows stays in its folder" "$(leaks)"
report "every .c file starts with config.h" "$(unconfigured)"
echo "1..$count"
