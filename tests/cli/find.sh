#!/bin/sh
# What a regular expression selects does not depend on what its text requires, nor on cells of
# an index that are passed: (?i:) before it hides from the program what it requires, which then
# looks at every text.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

cat >made.yaml <<'END'
traces:
  - match: "*"
    syst:
      ts_hz: 1000000
END

# The patterns that select, print or count otherwise than all texts say; $also is an option with
# which they are asked a second time.
differ()
{
	cases "$damage" "$@" >patterns <<-'END'
		rail .* mV
		fifo|block|handle
		bad CRC
		0x1
		args
		STRING
		DATA
		at 0x
		pump
		mp [0-9]
		valve
		insufficient
		clock
		sender
		71756
		zq
		[fh][ai][fn]
		^100% of
		recover panic
	END
	while read -r pattern; do
		for since in "" $also; do
			# shellcheck disable=SC2086  # nothing, or a word
			"$TRAWL" -p made.yaml $since -r "(?i:)$pattern" "$@" --split=1/1 \
				--no-cache >one 2>one.err
			echo $? >>one
			# shellcheck disable=SC2086
			"$TRAWL" -p made.yaml $since -r "$pattern" "$@" >two 2>two.err
			echo $? >>two
			cmp -s one two && cmp -s one.err two.err || echo "$pattern $since"
		done
	done <patterns
}

also=-S+0s # for its times an index is read, or built
for mix in all strings printf catalog bytes; do
	for format in syst/raw syst/stp; do
		for damage in "" cut,flip,drop,garbage; do
			many=1000
			[ "$mix $format" = "strings syst/raw" ] && many=12000 # some cells
			"$MKCAPTURE" -f $format -m $mix -c $many --collateral=made.xml \
				${damage:+--damage=$damage} -o made.bin
			what="$mix, $format${damage:+, damaged}"
			is "$what" "" "$(differ -t text -f $format -C made.xml made.bin)"
			is "$what, no collateral" "" "$(also='' && differ -t none -v -f $format made.bin)"
		done
	done
done

# Rows for some of the words, whoever sends them; others keep their numbers.
words='<syst:Short32><syst:Format ID="1" Mask="3">pump %x</syst:Format></syst:Short32>'
words=$words'<syst:Short64><syst:Format ID="1" Mask="1">valve open</syst:Format></syst:Short64>'
"$MKCAPTURE" -f syst/stp -m all -c 1000 --collateral=made.xml -o made.bin
sed -e "s,</syst:Client>,$words&," -e 's/ffff-ff00-ffff/0000-0000-ffff/' made.xml >words.xml
"$TRAWL" -t text -C words.xml made.bin >all 2>err
is "words of both sizes have a text" 2 "$(grep -o -e "pump [0-9a-f]" -e "valve open" all |
	cut -d ' ' -f 1 | sort -u | wc -l)"
is "words that the collateral knows" "" "$(differ -t text -f syst/stp -C words.xml made.bin)"

# The first of two hits is written when it is found, long before the last message is read: one
# read of a pipe has it alone.
awk 'BEGIN { for (i = 0; i <= 3000000; i++) print i % 3000000 ? "row " i : "hit " i }' >many.log
mkfifo hits
"$TRAWL" -f text --no-cache -t text -r '(?i:)^hit' many.log >hits &
{
	first=$(dd bs=1000 count=1 2>/dev/null)
	rest=$(cat)
} <hits
wait $!
is "the first hit is written at once" "hit 0, hit 3000000" "${first##*  }, ${rest##*  }"

finish
