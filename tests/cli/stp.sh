#!/bin/sh
# STP streams with SyS-T, without it, and with both: which is which is found by content,
# by sender, and said.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

# nibbles FILE DIGITS: the low half of each byte first
nibbles()
{
	# shellcheck disable=SC2059  # it is a format
	printf "$(echo "${2}" | tr -d ' \n' | awk '
		function digit(at) { return index("0123456789abcdef", tolower(substr($0, at, 1))) - 1 }
		{
			if (length($0) % 2)
				$0 = $0 "0"
			for (i = 1; i < length($0); i += 2)
				printf "\\%03o", digit(i) + 16 * digit(i + 1)
		}')" >"$1"
}
texts()
{
	sed 's/.*"type":"\([^"]*\)","text":"\([^"]*\)".*/\1 \2/' out
}
start='FFFFFFFFFFFFFFFFFFFFF 0 F00 3'

# A header with a mark, data, FLAG_TS: as OST sends it.
nibbles ost.stp "$start 1 40 3 80 FA 01021010 6 00000015 E 3 123 FA 01021010 6 00000016 E 1 4"
run "$TRAWL" -t jsonl ost.stp
is "marked headers: status" 0 "$status"
is "... begin messages" "STP:ASYNC STP 2.1, natural times
STP:DATA 01021010 00000015
STP:DATA 01021010 00000016" "$(texts)"
cp out first
run "$TRAWL" --info ost.stp
ok "... as --info says" grep -q 'begin: marked' out
cp out ost.yaml
run "$TRAWL" -t jsonl --profile=ost.yaml ost.stp
ok "... in a profile that gives the same" cmp first out
run "$TRAWL" -t jsonl -f syst/stp ost.stp
ok "... and SyS-T where one insists" grep -q '"trace":"ost.stp"' out

# A channel of numbers, among them zeroes, which look like compact builds; and SyS-T.
numbers='3 02 A 00000000 1 1 A 00000005 1 2 A 0000000a 1 3 A 00000004 1 4 A 0000000f 1 5'
nibbles mixed.stp "$start $numbers 3 01 F6 01000042 1 7 5 6948 FE"
run "$TRAWL" -t jsonl mixed.stp
is "two channels: SyS-T of the one alone" "STP:ASYNC STP 2.1, natural times
STP:DATA 00000000
STP:DATA 05000000
STP:DATA 0a000000
STP:DATA 04000000
STP:DATA 0f000000
STRING:GENERIC Hi" "$(texts)"
cp out first
run "$TRAWL" --info mixed.stp
ok "... as --info says" grep -q 'plain: \["0:2"\]' out
cp out mixed.yaml
run "$TRAWL" -t jsonl --profile=mixed.yaml mixed.stp
ok "... in a profile that gives the same" cmp first out
sed 's/"0:2"/none/' mixed.yaml >none.yaml
run "$TRAWL" -t jsonl --profile=none.yaml mixed.stp
is "... unless a profile says there is none" 1 "$(texts | grep -c BUILD:COMPACT32)"
sed 's/"0:2"/"0:1"/' mixed.yaml >other.yaml
run "$TRAWL" -t jsonl --profile=other.yaml mixed.stp
is "... or another" 0 "$(texts | grep -c STRING)"
sed 's/"0:2"/"02"/' mixed.yaml >wrong.yaml
run "$TRAWL" -t jsonl --profile=wrong.yaml mixed.stp
is "... or what is not a sender" 2 "$status"
ok "... which is said" grep -q 'plain: 02 is not a sender; write MASTER:CHANNEL' err

# Words of one channel that are all compact builds: nobody repeats those.
nibbles zeroes.stp "$start $(for i in 1 2 3 4 5 6 7; do echo "A 00000000 1 $i"; done)"
run "$TRAWL" -t jsonl zeroes.stp
is "zeroes: data" 7 "$(texts | grep -c '^STP:DATA 00000000$')"

# Read the other way round, the word would be a SHORT32; VERSION 3 says it is not.
nibbles once.stp "$start A 10000000 1 5"
run "$TRAWL" -t jsonl once.stp
is "one look-alike: VERSION decides" "STP:DATA 10000000" "$(texts | sed 1d)"
run "$TRAWL" -t jsonl -f syst/stp once.stp
is "... in SyS-T, too" "STP:DATA 00000010" "$(texts | sed 1d)"

run "$TRAWL" -t jsonl -f stp "$testdata/all-msn.stp"
is "data as such of SyS-T: none is SyS-T" 0 "$(texts | grep -vc '^STP:')"
run "$TRAWL" --info "$testdata/all-msn.stp"
ok "... which is found where it is" grep -q 'format: syst/stp' out

finish
