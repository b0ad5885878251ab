#!/bin/sh
# Several captures at once: named by a profile, merged by their common time.
. "${srcdir:-.}/tests/cli/lib.sh"

"$MKCAPTURE" session -c 20000 --jitter=0 --rate=0.05 .


run "$TRAWL" -t csv session.yaml
is "a session with losses: status" 1 "$status"
cp out all.csv
for trace in soc.stp aux.stp dsp.gem dsp.uia cam.csel; do
	run "$TRAWL" -t csv --source="$trace" session.yaml
	is "$trace: all its messages, in its order" "$(cut -d , -f 2- out | cksum)" \
		"$( (head -n 1 all.csv && grep "^[0-9]*,\"$trace\"" all.csv) | cut -d , -f 2- | cksum)"
done

# The times do not decrease, and are those of the truth to within 10 us.  (STP is
# left out: the truth has the place of a message's last byte.)
sed 1d all.csv | cut -d , -f 6 | grep . >times
ok "times do not decrease" sort -n -c times
sed 1d all.csv | awk -F , '$6 != "" && !/stp/ {
	gsub("\"", "", $2)
	print $2 " " $3 " " $6
}' >found
awk 'NR == FNR { truth[$1 " " $2] = $3; next }
	($1 " " $2) in truth {
		n++
		off = ($3 - truth[$1 " " $2]) / 1000
		if (off > 10 || off < -10)
			far++
	}
	END { exit !(n > 5000 && !far) }' session.truth.tsv found
is "times are true" 0 $?

# The same captures on the command line, with the session's profile.
run "$TRAWL" -t csv -p session.yaml soc.stp aux.stp dsp.gem dsp.uia cam.csel
is "named one by one" 1 "$status"
sed 's/file:/match:/' session.yaml >match.yaml
run "$TRAWL" -t csv -p match.yaml soc.stp aux.stp dsp.gem dsp.uia cam.csel
is "the same output" "$(cksum <all.csv)" "$(cksum <out)"

# Without a tie the processor is apart: behind all others.
sed '/^sync:/,$d' session.yaml >apart.yaml
run "$TRAWL" -t csv apart.yaml
first=$(grep -n '"dsp\.' out | head -n 1 | cut -d : -f 1)
last=$(grep -n '"soc.stp\|"aux.stp\|"cam.csel' out | tail -n 1 | cut -d : -f 1)
ok "what is not related stays apart" test "$first" -gt "$last"

# The ties that :save stored count if the file is named, else there is a notice.
cp out apart.csv
is "no session file: no notice of ties" 0 "$(grep -c session.yaml err)"
sed -n '/^sync:/,$p' session.yaml >apart.yaml.session.yaml
run "$TRAWL" -t csv --session=apart.yaml.session.yaml apart.yaml
is "--session: its ties are those of the profile" "$(cksum <all.csv)" "$(cksum <out)"
is "... no notice of them" 0 "$(grep -c session.yaml err)"
ties=$(grep -c 'kind: tie' session.yaml)
run "$TRAWL" -t csv apart.yaml
is "without it: the saved ties do not change the output" "$(cksum <apart.csv)" "$(cksum <out)"
ok "... with a notice" grep -qxF \
	"trawl: $(notice TIES_NOT_APPLIED "$ties" s apart.yaml.session.yaml)" err
run "$TRAWL" -q -t csv apart.yaml
is "... not with -q" "" "$(cat err)"
run "$TRAWL" -t csv --session=none.yaml apart.yaml
is "--session without such a file: status" 2 "$status"
rm apart.yaml.session.yaml

# In order of time: the same messages, and what has no such order.
run "$TRAWL" -t csv --order=time session.yaml
is "order of time: the same messages" "$(sort all.csv | cksum)" "$(sort out | cksum)"
is "... of few clocks nothing is said" "" "$(grep "senders' clocks" err)"
cp out time.csv
(echo "order: time"; cat session.yaml) >time.yaml
run "$TRAWL" -t csv time.yaml
is "a profile says so too" "$(cksum <time.csv)" "$(cksum <out)"
run "$TRAWL" -t csv --order=transport time.yaml
is "the option goes before the profile" "$(cksum <all.csv)" "$(cksum <out)"
run "$TRAWL" -t csv --source=cam.csel session.yaml
cp out cam.csv
run "$TRAWL" -t csv --order=time --source=cam.csel session.yaml
is "a trace without senders' clocks" "$(cksum <cam.csv)" "$(cksum <out)"
run "$TRAWL" -t csv-systprint --source=soc.stp session.yaml
cp out soc.csv
run "$TRAWL" -t csv-systprint --order=time --source=soc.stp session.yaml
is "csv-systprint is in the transport's order" "$(cksum <soc.csv)" "$(cksum <out)"
run "$TRAWL" -t csv --order=time --split=1/2 --source=soc.stp session.yaml
is "a part has the transport's order: status" 2 "$status"
ok "... why" grep -q "order=transport" err
run "$TRAWL" -t csv --order=name session.yaml
is "no such order: status" 2 "$status"

# More clocks than are put in order: as many as the truth has of a sender's port and unit
# or GUID, but 64.
"$MKCAPTURE" -f syst/stp -m all -c 3000 -o many.stp --truth=many.tsv
left=$(awk -F'\t' '
	$6 == "CLOCK:SYNC" {
		sender = ""
		guid = /\tguid=/
		for (i = 8; i <= NF; i++)
			if ($i ~ /^(master|channel|guid)=/ || (!guid && $i ~ /^(module|unit)=/))
				sender = sender " " $i
		seen[sender]
	}
	END {
		for (sender in seen)
			n++
		print n - 64
	}' many.tsv)
run "$TRAWL" -t csv many.stp
sort out >many.csv
run "$TRAWL" -t csv --order=time many.stp
ok "more than 64 clocks" test "$left" -gt 0
is "... whose messages are not in order of time" \
	"64 senders' clocks are put in order of time; messages of $left more stay" \
	"$(sed -n "s/^trawl: only \(.*senders' clocks.* stay\) in .*/\1/p" err)"
is "... and they are all there" "$(cksum <many.csv)" "$(sort out | cksum)"
run "$TRAWL" -t csv -q --order=time many.stp
is "... which -q does not say" "" "$(cat err)"

# Two cores of a UIA log, whose clocks no sync point relates [UIA 1.01, UIAPacket, EventHdr]:
# packets of one event each, core 0 at 1, 2, 3 and 4 us, core 1 at 9001 to 9004 us.
awk 'function word(v) {
		printf "\\%03o\\%03o\\%03o\\%03o", v / 16777216 % 256, v / 65536 % 256, v / 256 % 256, v % 256
	}
	BEGIN {
		for (i = 0; i < 8; i++) {
			core = i % 2
			n = int(i / 2)
			word(2684354560 + 134217728 + 32) # an event packet, big endian
			word(i * 65536)
			word(65536 + 32801)
			word(4294901760 + core)
			word(134217728 + 16 * 65536 + n) # with a time stamp
			word(1000 * (n + 1) + 9000000 * core)
			word(0)
			word(5121 * 65536)
		}
	}' >cores.esc
printf "$(cat cores.esc)" >cores.uia
cat >cores.yaml <<'END'
traces: [{file: cores.uia, format: uia, clock: {hz: 1000000000}}]
intervals: [{name: hop, begin: uia.seq >= 0 and origin ~ "core 0", end: uia.seq >= 0 and origin ~ "core 1", across: true}]
END
said="trawl: cores.uia: 8 messages have a clock of their own: their times cannot be \
compared with the others; :tie, or sync: in a profile, relates clocks"
run "$TRAWL" -t csv --fields=origin,ticks,gap,delta cores.yaml
is "cores that nothing relates: gaps of one alone" "1000 2000 1000,2000 3000 1000,3000 4000 1000," \
	"$(awk -F, '/^"core/ && $3 != "" { printf "%s %s %s,", $2 - $3, $2, $3 }' out)"
is "... a delta, of rows that follow each other, is of none" "" "$(awk -F, '/^"core/ { printf "%s", $4 }' out)"
is "... which is said" "$said" "$(cat err)"
run "$TRAWL" -t table --by=origin --of=interval.hop cores.yaml
is "... a table: gaps of each" "1.000 us 1.000 us" \
	"$(awk '/^core/ { printf "%s%s %s", n++ ? " " : "", $9, $10 }' out)"
is "... no lengths of pairs" "0 0" "$(awk '/^core/ { printf "%s%s", n++ ? " " : "", $12 }' out)"
is "... which is said" "$said" "$(cat err)"
run "$TRAWL" --check='interval.hop > 1us' cores.yaml
is "... a check does not pass in silence" "0 $said" "$status $(cat err)"
run "$TRAWL" -t text --time-format=rel cores.yaml
is "... times since the start" "0.000000000 - 0.000001000 - 0.000002000 - 0.000003000 - " \
	"$(awk '/event 5121/ { printf "%s ", $1 }' out)"
(cat cores.yaml
	echo "sync: [{kind: tie, a: {trace: cores.uia, ticks: 1000, core: 0}, b: {trace: cores.uia, ticks: 9000500, core: 1}}]") >tied.yaml
run "$TRAWL" -t csv --fields=origin,ticks,gap,interval.hop tied.yaml
is "... tied, all have lengths: 500 ns to the other core and back" \
	"500 500 500 500 500 500 500 " \
	"$(awk -F, '/^"core/ && $3 != "" { printf "%s ", $3 }' out)"
is "... and nothing is said" "" "$(cat err)"

run "$TRAWL" -t csv -p session.yaml session.yaml
is "two profiles: status" 2 "$status"
echo "traces: []" >none.yaml
run "$TRAWL" -t csv none.yaml
is "no captures: status" 2 "$status"
ok "no captures: why" grep -q "names no captures" err

finish
