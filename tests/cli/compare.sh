#!/bin/sh
# Two runs compared: a million messages of each with ten differences planted, the demo
# with and without its fault, captures of bytes with ten differences planted, filters, formats,
# exit statuses and wrong options.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

# logs COUNT: writes good.log, bad.log and the kinds of what is planted, in their order.
logs()
{
	awk -v count="$1" '
	function line(time, who, what) {
		return sprintf("[%12.6f] %s: %s seq %d at 0x%x", time, who, what,
			rand() * 100000, rand() * 1073741824)
	}
	BEGIN {
		srand(7)
		n = split("sensor mailbox isp dma host power i2c0 uart1", who)
		m = split("queued sent acked done started stopped read wrote", what)
		split("missing extra changed moved slower", kinds)
		for (i = 1; i <= count; i++) {
			time += 0.00002 * rand()
			sender = who[1 + int(rand() * n)]
			does = what[1 + int(rand() * m)]
			print line(time, sender, does) >"good.log"
			if (i % int(count / 11) == 0 && planted < 10) {
				kind = kinds[1 + planted++ % 5]
				print kind >"planted"
				if (kind == "missing")
					continue
				if (kind == "extra")
					print line(time + late, sender, "bark") >"bad.log"
				if (kind == "changed")
					does = "nothing"
				if (kind == "slower")
					late += 0.030
				if (kind == "moved") {
					# two of its sender, in the other order
					print line(time, sender, "begin") >"good.log"
					print line(time, sender, "end") >"good.log"
					print line(time + late, sender, does) >"bad.log"
					print line(time + late, sender, "end") >"bad.log"
					print line(time + late, sender, "begin") >"bad.log"
					continue
				}
			}
			print line(time + late, sender, does) >"bad.log"
		}
	}'
}

logs 1000000
run "$TRAWL" --no-cache --compare good.log bad.log
is "a million messages: the runs differ" 1 "$status"
is "... nothing on standard error" "" "$(cat err)"
sed '/:$/d; $d; s/ .*//' out >found
ok "... all that was planted is found, and nothing else" cmp planted found
is "... the first line heads the first difference" "first difference:" "$(head -n 1 out)"
is "... the last line counts it" \
	"10 differences (2 missing, 2 extra, 2 changed, 2 moved, 2 slower) between 1000004 and 1000004 messages" \
	"$(tail -n 1 out)"
place='(good|bad) [0-9]+ \(0x[0-9a-f]+\)'
is "... both places stand apart from what follows" 10 "$(sed '/:$/d; $d' out |
	grep -cE "^[a-z]+ +$place, ((before|after) (good|bad) [0-9]+|$place) +[0-9.]+ ")"
is "... a delay is reported once, with how long it was" 2 \
	"$(grep -c '^slower .*\[after 30\.[0-9]* ms, was .*; 7 other origins too\]$' out)"
run "$TRAWL" --no-cache --compare good.log good.log
is "a run is equal to itself" 0 "$status"
is "... and that is said" "no difference between 1000004 and 1000004 messages, apart from numbers and severities" "$(cat out)"

run "$TRAWL" --compare -t jsonl good.log bad.log
is "jsonl: a line each, and a summary" 11 "$(lines out)"
is "... which has the counts" \
	'{"kind":"summary","differences":10,"missing":2,"extra":2,"changed":2,"moved":2,"slower":2,"damaged":0,"lost":0,"unaligned":0,"good_messages":1000004,"bad_messages":1000004}' \
	"$(tail -n 1 out)"
is "... messages are as elsewhere in jsonl" \
	"$("$TRAWL" -t jsonl -e 'text ~ /^nothing/' bad.log)" \
	"$(sed -n 's/^{"kind":"changed".*,"bad":\(.*\),"bad_count":1}$/\1/p' out)"
if command -v python3 >/dev/null; then
	ok "... it is JSON" python3 -c '
import json, sys
for line in open("out"):
    json.loads(line)'
else
	skip "... it is JSON" "no python3"
fi
run "$TRAWL" --compare --slower=2,40ms good.log bad.log
is "--slower: a longer delay is asked for" 0 "$(grep -c ^slower out)"
run "$TRAWL" --compare -e 'origin == "isp" and text ~ /^no/' good.log bad.log
ok "a filter is of both runs" grep -q "between 0 and" out
run "$TRAWL" --compare -o differences good.log bad.log
is "-o: into a file" "13 1" "$(lines differences) $status"
rm -f good.log bad.log

# Numbers that agree decide between texts that differ only in numbers.  frames: prints a log of
# frames 10 to 60 without those given.
frames()
{
	awk -v without=" $* " 'BEGIN {
		for (i = 10; i <= 60; i++)
			if (!index(without, " " i " "))
				printf "[%12.6f] app: frame %d done\n", i, i
	}'
}
frames >frames.log
{ frames 24 25 60; echo '[   61.000000] app: panic'; } >cut.log
run "$TRAWL" --no-cache --compare -t jsonl frames.log cut.log
is "cut frames are named, and no others" "24 25 60" \
	"$(grep -o '"good":{[^}]*' out | grep -o 'frame [0-9]*' | cut -c7- | xargs)"
frames 12 13 30 55 | sed 's/^.*\] //' >cut.log
frames | sed 's/^.*\] //' >frames.log
run "$TRAWL" --no-cache --compare -f text -t jsonl frames.log cut.log
is "... without times, too" "12 13 30 55" \
	"$(grep -o '"good":{[^}]*' out | grep -o 'frame [0-9]*' | cut -c7- | xargs)"
rm -f frames.log cut.log

# The story of the demo without its fault: the overlay is there in time.
mkdir good
ok "a session without the fault" "$MKCAPTURE" lab-good good
run "$TRAWL" --compare --source=soc good/lab.yaml "$testdata/lab.yaml"
is "the demo: it differs" 1 "$status"
is "... the watchdog is extra, in red and white" 2 "$(grep -c '^extra .* watchdog  b' out)"
is "... the frames are not shown" 2 "$(grep -c '^missing .* display  frame' out)"
ok "... the mailbox waits in vain" \
	grep -q '^changed .* E mailbox  timeout: seq 70 given up after 27800 us' out
run "$TRAWL" --compare --source=soc -e 'origin != ""' good/lab.yaml "$testdata/lab.yaml"
is "... the first difference is the frame that was exposed while the overlay was loading" \
	"camera  frame 7: exposure, 3 lx" "$(sed -n '2s/.* D //p' out)"
run "$TRAWL" --compare --source=dsp good/lab.yaml "$testdata/lab.yaml"
ok "... the overlay is late" grep -q '^slower .*first word  \[after 28.253 ms, was 8.404 ms\]' out
ok "... a word is lost" grep -q '^lost .*first word lost' out
run "$TRAWL" --compare good/lab.yaml "$testdata/lab.yaml"
for run in good "$testdata"; do
	test $run = good && name=good || name=bad
	place=$(sed -n "s/^changed .*$name soc:\([0-9]*\) (\(0x[0-9a-f]*\)).*timeout: seq 70 .*/\1 \2/p" out)
	is "numbers are those of the session: $run" "${place#* }" "$(printf '0x%x' "$(
		"$TRAWL" -q -t csv --fields=number,offset,trace $run/lab.yaml |
			sed -n "s/^${place% *},\([0-9]*\),\"soc\"$/\1/p")")"
done
run "$TRAWL" --compare good/lab.yaml good/lab.yaml
is "a session is equal to itself" "0 no difference" "$status $(sed 's/ between.*//' out)"

# Bytes cut out: the messages that are gone, and those that the decoder makes of the rest, in the
# order of the good run.  What begins in the hole comes before what follows it.
cp "$testdata/demo.stp" whole.stp
{
	head -c 9000 whole.stp
	tail -c +9201 whole.stp
} >cut.stp
run "$TRAWL" --compare whole.stp cut.stp
sed '/:$/d; $d' out >list
is "bytes cut out: all rows name a place in the good run" "$(lines list)" \
	"$(grep -c 'good [0-9]' list)"
ok "... in its order" sh -c 'sed "s/^.*good \([0-9]*\).*/\1/" list | sort -nc'
is "... the first difference is the message that the hole cuts off" \
	"$("$TRAWL" -q -t csv --fields=number,offset,length whole.stp |
		awk -F, '$2 < 9000 && $2 + $3 > 9000 { print $1 }')" \
	"$(sed -n '1s/^.*good \([0-9]*\).*/\1/p' list)"
# Numbers count as equal, but say which of two messages is missing.
{
	head -c 4096 whole.stp
	tail -c +4353 whole.stp
} >cut.stp
run "$TRAWL" --compare whole.stp cut.stp
is "bytes cut out: exactly the messages there are missing" \
	"$("$TRAWL" -q -t csv --fields=number,offset,length whole.stp |
		awk -F, '$2 < 4352 && $2 + $3 > 4096 { print $1 }')" \
	"$(sed -n 's/^missing *good \([0-9]*\).*/\1/p' out)"
rm -f whole.stp cut.stp list

# Captures of bytes: ten differences planted by cutting, doubling, replacing and swapping whole
# messages.  What is missing here and extra there of one text would be moved; these captures
# have no such.  Formats that number their messages are not among them: there, what is cut out
# is lost as well.
cat >plant.awk <<'AWK'
# Rows are offset|length|origin|type|text.  To `pieces` go FROM and LENGTH of what makes the
# other capture, to `planted` what is done.
function piece(from, to) {
	if (to > from)
		print from + 0, to - from >"pieces"
}
function differ(i, k) {
	return type[i] != type[k] || (word[i] != "" && word[k] != "" && word[i] != word[k])
}
function is_pair(i) {
	return who[i] == who[i + 1] && differ(i, i + 1) && length_of[i] && length_of[i + 1] &&
		offset[i + 1] > offset[i] && offset[i + 2] > offset[i + 1]
}
# The next message of the sender and type of I with another text; 0: there is none near.
function other(i,    k) {
	if (word[i] == "" || offset[i + 1] <= offset[i])
		return 0
	for (k = i + 1; k < i + 500 && k < n; k++)
		if (who[k] == who[i] && type[k] == type[i] && word[k] != "" &&
		    word[k] != word[i] && offset[k + 1] > offset[k])
			return k
	return 0
}
{
	n = NR
	offset[n] = $1
	length_of[n] = $2
	who[n] = $3
	type[n] = $4
	split($5, words, " ") # the first one, where it can be no number
	word[n] = words[1] ~ /^[a-z.]*[g-z][a-z.]*$/ ? words[1] : ""
}
END {
	split("missing extra changed moved", kinds, " ")
	for (k = 1; k <= 10; k++) {
		kind = kinds[1 + (k - 1) % 4]
		for (i = int(k * n / 11); i < n - 2; i++)
			if (offset[i] >= done && (kind == "changed" ? other(i) : is_pair(i)))
				break
		if (i >= n - 2)
			break
		print kind >"planted"
		a = offset[i]
		b = offset[i + 1]
		c = offset[i + 2]
		piece(done, a)
		if (kind == "extra") {
			piece(a, b)
			piece(a, b)
		}
		if (kind == "changed")
			piece(offset[other(i)], offset[other(i) + 1])
		piece(b, c)
		if (kind == "moved")
			piece(a, b)
		done = c
	}
	piece(done, total)
}
AWK
plant()
{
	rm -f pieces planted
	"$TRAWL" -q --template='{offset}|{length}|{origin}|{type}|{text}' -f "$1" good.bin |
		awk -F'|' -v total="$(wc -c <good.bin)" -f plant.awk
	while read -r from length; do
		tail -c +$((from + 1)) good.bin | head -c "$length"
	done <pieces >bad.bin 2>/dev/null
}
for format in syst/raw syst/hex encap itm; do
	one=
	test $format = encap && one=--senders=1
	"$MKCAPTURE" -f $format -m all -c 5000 $one -o good.bin
	plant $format
	run "$TRAWL" --compare -f $format good.bin bad.bin
	sed '/:$/d; $d; s/ .*//' out >found
	ok "$format: what was planted is found, and nothing else" cmp planted found
	ok "$format: ... ten" grep -q '^10 differences (3 missing, 3 extra, 2 changed, 2 moved)' out
	run "$TRAWL" --compare -f $format bad.bin bad.bin
	is "$format: equal to itself" "0 no difference" "$status $(sed 's/ between.*//' out)"
done
for format in syst/stp gem uia tpiu; do
	"$MKCAPTURE" -f $format -m all -c 3000 --seed=3 -o good.bin 2>/dev/null ||
		"$MKCAPTURE" -f $format -c 3000 --seed=3 -o good.bin
	size=$(wc -c <good.bin)
	run "$TRAWL" --compare -f $format good.bin good.bin
	is "$format: equal to itself" "0 no difference" "$status $(sed 's/ between.*//' out)"
	head -c $((size / 2)) good.bin >bad.bin
	run "$TRAWL" -q --compare -f $format good.bin bad.bin
	ok "$format: a half is missing" test "$(grep -c '^missing' out)" -ge 1
done

printf '' >empty
run "$TRAWL" --compare -f text empty empty
is "empty captures are equal" 0 "$status"
run "$TRAWL" --compare good/lab.yaml
is "one capture is not enough" 2 "$status"
is "... and that is said" "trawl: --compare takes GOOD BAD or GOOD... -- BAD, not 1 good and 0 bad runs" "$(cat err)"
run "$TRAWL" --compare good/lab.yaml none.bin
is "no such file" 2 "$status"
run "$TRAWL" --compare -t csv good/lab.yaml good/lab.yaml
is "no such format" "2 trawl: --compare prints text or jsonl, not csv" "$status $(cat err)"
for wrong in 0.5 x 2, 2,x 2,5parsecs; do
	run "$TRAWL" --compare --slower=$wrong good/lab.yaml good/lab.yaml
	is "--slower=$wrong" 2 "$status"
done
run "$TRAWL" --compare --check good/lab.yaml good/lab.yaml
is "no check with it" "2 trawl: --compare cannot be used with --check" "$status $(cat err)"
for other in time-format=rel by=origin of=seq sort=count fields=text; do
	run "$TRAWL" --compare --$other good/lab.yaml good/lab.yaml
	is "no --$other" "2 trawl: --compare cannot be used with --${other%=*}" "$status $(cat err)"
done
finish
