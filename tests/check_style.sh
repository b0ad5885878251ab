#!/bin/sh
# What no formatter checks: lines of at most 100 columns, no blanks at their
# ends, and a comment at the head of every source file.

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
echo "1..$count"
