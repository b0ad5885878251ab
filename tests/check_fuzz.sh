#!/bin/sh
# Do the fuzz targets survive the inputs that were worth keeping?  What a target
# finds ends it, so each is run with all of its corpus at once.

count=0
for source in "${srcdir:-.}"/tests/fuzz/fuzz_*.c; do
	count=$((count + 1))
	target=$(basename "$source" .c)
	corpus="${srcdir:-.}/tests/fuzz/corpus/${target#fuzz_}"
	files=$(find "$corpus" -type f | wc -l)
	if test "$files" -gt 0 &&
		find "$corpus" -type f -exec "tests/fuzz/$target" {} + >&2; then
		echo "ok $count - $target: $files files"
	else
		echo "not ok $count - $target: $files files"
	fi
done
echo "1..$count"
