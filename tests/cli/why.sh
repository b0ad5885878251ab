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
is "demo: only it has the loader, and the day is before" 'only? 1 of 1 0 of 11 context task loader
1.8x? 1 of 1 6 of 11 context overlay day' "$(sed -n 's/  *[0-9.]* [mun]*s  */ /; s/,.*//; s/  */ /g
	s/^ //; / context /p' out)"
ok "demo: before messages" awk '/ message / { any = 1 } / context / { exit any }' out
run "$TRAWL" -q -t why "$lab"
is "without a name: status" 2 "$status"

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

# The cause comes first; where there is none, no cause is named.
run "$MKWHY"
is "generator" 2 "$status"
small=4000
cases <<END >tried
1 context
2 message
3 interval
4 none
5 context
6 message
7 interval
8 none
9 context
END
while read -r seed plant; do
	mkdir -p made
	want=$("$MKWHY" "$seed" $small "$plant" made)
	run "$TRAWL" -q -t why --of=work made/why.yaml
	first=$(awk 'NR > 1 && / of / { print; exit }' out)
	if test "$plant" = none; then
		ok "random $seed: nothing" grep -q '^nothing distinguishes' out
	else
		ok "random $seed: $want" sh -c 'case "$1" in *"$2"*) ;; *) exit 1 ;; esac' \
			sh "$first" "$want"
	fi
done <tried

finish
