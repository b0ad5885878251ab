#!/bin/sh
# What a regular expression selects does not depend on what its text requires: (?i:) before
# it hides that from the program, which then looks at every text.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

# The patterns that select, print or count otherwise than all texts say.
differ()
{
	for pattern in "rail .* mV" "fifo|block|handle" "bad CRC" "0x1" "args" "STRING" "DATA" \
		"at 0x" "insufficient" "clock" "sender" "71756" "zq" "^100% of"; do
		"$TRAWL" -r "$pattern" "$@" >one 2>one.err
		echo $? >>one
		"$TRAWL" -r "(?i:)$pattern" "$@" >two 2>two.err
		echo $? >>two
		cmp -s one two && cmp -s one.err two.err || echo "$pattern"
	done
}

for mix in all strings printf catalog bytes; do
	for format in syst/raw syst/stp; do
		for damage in "" cut,flip,drop,garbage; do
			"$MKCAPTURE" -f $format -m $mix -c 1000 --collateral=made.xml \
				${damage:+--damage=$damage} -o made.bin
			what="$mix, $format${damage:+, damaged}"
			is "$what" "" "$(differ -t text -f $format -C made.xml made.bin)"
			is "$what, no collateral" "" "$(differ -t none -v -f $format made.bin)"
		done
	done
done

finish
