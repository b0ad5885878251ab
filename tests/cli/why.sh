#!/bin/sh
# Why pairs are slow: the demo, whose overlay loads too late; logs whose cause a generator
# planted, or none; what there is too little of, and what is wrong.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
lab=$testdata/lab.yaml
MKWHY=${MKWHY:-$PWD/tests/mkwhy}

# The one pair above the p90 waits for the overlay of the night: while it is open, the task
# is `loader`, as no other pair has it, and the overlay of the day holds when it begins.
run "$TRAWL" -q -t csv --fields=interval.mailbox,text -e 'text ~ /^(late )?ack/' "$lab"
is "demo: the slow pair" '"28366731","late ack for seq 70: nobody waits"' \
	"$(sed 1d out | sort -t'"' -k2n | tail -n 1)"
run "$TRAWL" -q -t csv --fields=context.task,text -e 'text ~ /loading/ or text ~ /filter, buffer/' "$lab"
is "demo: its task, and that of the others" '1 loader
11 filter' "$(sed 1d out | cut -d'"' -f2 | sort | uniq -c | sort -n | sed 's/^ *//')"
run "$TRAWL" -q -t why --of=interval.mailbox "$lab"
is "demo: status" 0 "$status"
ok "demo: one of twelve" grep -q '^slow: 1 of 12 pairs, above 8\.[0-9]* ms (p90)' out
ok "demo: unproven" grep -q '^unproven: ' out
is "demo: only it has the loader, and the day is before" 'only? 1 of 1 slow 0 of 11 others context task loader
1.8x? 1 of 1 slow 6 of 11 others context overlay day' "$(sed -n 's/,.*//; s/  */ /g; / context /p' out)"
ok "demo: before messages" awk '/ message / { any = 1 } / context / { exit any }' out
mv out named
run "$TRAWL" -q -t why "$lab"
ok "the only interval needs no name" cmp -s named out

run "$TRAWL" -q -t why --of=interval.mailbx "$lab"
is "unknown: status" 2 "$status"
ok "unknown: hint" grep -q 'no interval is named mailbx; did you mean mailbox?' err
run "$TRAWL" -q -t why --of=mailbox -e 'text ~ /ack/' "$lab"
is "filters are refused" 2 "$status"
run "$TRAWL" -q -t text --of=mailbox "$lab"
is "--of is for tables" 2 "$status"

# Nine pairs are too few for a p90; of ten equal ones none is slow.
awk 'BEGIN { for (i = 0; i < 10; i++) { printf "[%5d.000000] a: b n %d\n", 2 * i, i
		printf "[%5d.500000] a: e n %d\n", 2 * i, i } }' >ten.log
head -n 18 ten.log >nine.log
for log in nine ten; do
	cat >$log.yaml <<-END
		traces: [{file: $log.log, format: text, text: {preset: dmesg}}]
		intervals: [{name: own, begin: 'text ~ /b n/', end: 'text ~ /e n/'}]
	END
	run "$TRAWL" -q -t why --of=own $log.yaml
	cp out $log.out
done
ok "too few" grep -q '^needs at least 10 pairs, not 9$' nine.out
ok "none is slow" grep -q '^no pair is above the p90$' ten.out

# A thousand pairs are open at once, and the slow ones begin among them.  The early message is
# inside 600 pairs, 100 of them slow; the late one is inside the slow ones only, and too late.
# One message proves nothing.
awk 'BEGIN { for (i = 0; i < 1000; i++) { print i, "b", i
		print i + (i >= 500 && i < 600 ? 5000 : 1500), "e", i }
	print 599.5, "x early"; print 4000, "x late" }' | sort -n |
	awk '{ printf "[%12.6f] a: %s %s\n", $1 / 1000, $2, $3 }' >open.log
cat >open.yaml <<'END'
traces: [{file: open.log, format: text, text: {pattern: '^\[ *(?<time>[0-9.]+)\] (?<origin>\w+): (?=(?:[be] (?<pid>\d+))?)', time: seconds}}]
intervals: [{name: own, begin: 'text ~ /^b/', end: 'text ~ /^e/', key: pid}]
END
run "$TRAWL" -q -t why --of=own open.yaml
is "a thousand at once" 'slow: 100 of 1000 pairs, above 1.5 s (p90); their first 1.5 s count
1.8x? 100 of 100 slow 500 of 900 others message a: x early' "$(sed 's/  */ /g; s/^ //' out)"

# The cause comes first; where there is none, no cause is named.
run "$MKWHY"
is "generator" 2 "$status"
# The counts of the cause, by a look at all pairs: the cause holds from `from` until `to`.
cat >count.awk <<'AWK'
	{ t = substr($0, 2, 12) * 1e6; t = int(t + (t < 0 ? -0.5 : 0.5)); $0 = substr($0, 16) }
	/^mbox: send/ { since[$NF] = t }
	/^mbox: ack/ { end[$NF] = t; n++ }
	plant == "message" && /^link: aa happens/ { from[++m] = t; to[m] = t + 0.001 }
	plant == "context" && $1 == "ctl:" && $2 == c { if (on) to[m] = t; on = $4 == "turbo"
		if (on) { from[++m] = t; to[m] = 1e18 } }
	plant == "interval" && $1 == c ":" && $2 == "start" { from[++m] = t; at[$NF] = m }
	plant == "interval" && $1 == c ":" && $2 == "stop" { to[at[$NF]] = t }
	BEGIN { split(want, word, " "); c = plant == "interval" ? word[2] : word[1] }
	END {
		for (p in end) length_[++k] = end[p] - since[p]
		command = "sort -n >sorted"
		for (i = 1; i <= k; i++) print length_[i] | command
		close(command)
		rank = int((k * 90 + 99) / 100)
		for (i = 1; (getline line <"sorted") > 0; i++) if (i == rank) p90 = line + 0
		for (p in end) if (end[p] - since[p] > p90) slow++; else { others++; sum += end[p] - since[p] }
		window = sum / others
		for (p in end) {
			is_slow = end[p] - since[p] > p90
			for (i = 1; i <= m; i++) {
				if (from[i] >= end[p] && from[i] > since[p])
					break
				if (to[i] <= since[p])
					continue
				if (from[i] <= since[p] || !is_slow || from[i] - since[p] <= window)
					has[is_slow]++
				break
			}
		}
		print has[1] + 0, "of", slow, "slow", has[0] + 0, "of", others, "others"
	}
AWK
pairs=${PAIRS:-4000} sessions=12
test -z "$TRAWL_FEWER" || sessions=4
printf '%s\n' context message interval none context message interval none context message \
	interval none | sed '=' | paste - - | head -n "$sessions" >tried
while read -r seed plant; do
	mkdir -p made
	want=$("$MKWHY" "$seed" "$pairs" "$plant" made)
	run "$TRAWL" -q -t why --of=work made/why.yaml
	first=$(awk '/ of .* slow .* others / { print; exit }' out)
	if test "$plant" = none; then
		ok "random $seed: nothing" grep -q '^nothing distinguishes' out
		continue
	fi
	ok "random $seed: $want" sh -c 'case "$1" in *"$2"*) ;; *) exit 1 ;; esac' sh "$first" "$want"
	awk -v plant="$plant" -v want="$want" -f count.awk made/log.txt >counted
	is "random $seed: counts" "$(cat counted)" \
		"$(echo "$first" | sed 's/^ *[^ ]* *//; s/ *others.*/ others/; s/  */ /g')"
done <tried

finish
