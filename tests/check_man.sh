#!/bin/sh
# Do the manual pages say what the program's tables say?

cd "${srcdir:-.}" || exit 1
echo "1..$(set -- man/*.[1-8]; echo $#)"
count=0
for page in man/*.[1-8]; do
	count=$((count + 1))
	if awk -v gendoc="$GENDOC" -f man/splice.awk "$page" | diff "$page" - >&2; then
		echo "ok $count - $page"
	else
		echo "not ok $count - $page"
		echo "# out of date: run make man"
	fi
done
