#!/bin/sh
# Several captures at once: named by a profile, merged by their common time.
. "${srcdir:-.}/tests/cli/lib.sh"

"$MKCAPTURE" session -c 20000 --jitter=0 --rate=0.05 .


run "$TRAWL" -t csv session.yaml
is "a session with losses: status" 1 "$status"
cp out all.csv
for trace in soc.stp aux.stp dsp.gem dsp.uia cam.csel; do
	run "$TRAWL" -t csv --source="$trace" session.yaml
	is "$trace: all its messages, in its order" "$(cksum <out)" \
		"$( (head -n 1 all.csv && grep "^[0-9]*,\"$trace\"" all.csv) | cksum)"
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

run "$TRAWL" -t csv -p session.yaml session.yaml
is "two profiles: status" 2 "$status"
echo "traces: []" >none.yaml
run "$TRAWL" -t csv none.yaml
is "no captures: status" 2 "$status"
ok "no captures: why" grep -q "names no captures" err

finish
