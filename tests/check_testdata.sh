#!/bin/sh
# Is testdata/ what mkcapture makes, byte for byte, on this machine too?

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$MKCAPTURE" testdata "$folder" || echo "Bail out! mkcapture failed"

count=0
for made in "$folder"/* "$folder"/*/*; do
	test -f "$made" || continue
	count=$((count + 1))
	name=${made#"$folder/"}
	if cmp "$made" "${srcdir:-.}/testdata/$name" >&2; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		echo "# if the change is meant: mkcapture testdata testdata"
	fi
done
echo "1..$count"
