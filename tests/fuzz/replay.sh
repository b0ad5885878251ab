#!/bin/sh
# Runs each fuzz target over its corpus, with or without a fuzzer: all that
# was ever found stays fixed.

count=0
for corpus in "${srcdir:-.}"/tests/fuzz/corpus/*; do
	count=$((count + 1))
	name=$(basename "$corpus")
	files=$(find "$corpus" -type f | wc -l)
	# Files, not the folder: that would start a fuzzer.
	if find "$corpus" -type f -exec "tests/fuzz/fuzz_$name" {} + >replay.log 2>&1; then
		echo "ok $count - $name: $files files"
	else
		echo "not ok $count - $name"
		tail -n 40 replay.log | sed 's/^/# /'
	fi
	rm -f replay.log
done
echo "1..$count"
