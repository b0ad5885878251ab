#!/bin/sh
# Do files of a folder, or folders, need each other in circles?  Reads the symbols of
# the object files (rings.awk).  Rings that may be are listed here by name; a ring
# that grows beyond its line, or a new one, is a failure.

if ! command -v nm >/dev/null; then
	echo "1..0 # SKIP nm, which reads object files, is missing"
	exit 0
fi

# A grammar that calls itself.
allowed()
{
	cat <<-'LIST'
		files query/filter: filter_context filter_eval filter_flow filter_name filter_parse filter_time filter_type
	LIST
}

# Objects that have a source: others are of files that moved.
objects()
{
	find src -name '*.o' | while read -r object; do
		file=${object%.o}.c
		if test -e "${srcdir:-.}/$file" || test -e "$file"; then
			echo "$object"
		fi
	done
}

objects | xargs nm -g -P -A |
	awk -v apart=decode/registry -f "${srcdir:-.}/tests/rings.awk" >rings.found

# Prints what a ring has that no line allows.
allowed | awk '
	FNR == NR {
		title = /^folders/ ? $1 : $1 " " $2
		for (i = title == $1 ? 2 : 3; i <= NF; i++)
			may[title, $i] = 1
		next
	}
	{
		title = /^folders/ ? $1 : $1 " " $2
		for (i = title == $1 ? 2 : 3; i <= NF; i++) {
			name = $i
			if (title != "folders:")
				sub(/.*\//, "", name)
			if (!((title, name) in may))
				print title " " name
		}
	}' - rings.found >rings.more

echo "1..1"
if test -s rings.more; then
	echo "not ok 1 - files and folders need each other in no circles but those listed"
	sed 's/^/# in a ring: /' rings.more
else
	echo "ok 1 - files and folders need each other in no circles but those listed"
fi
rm -f rings.found rings.more
