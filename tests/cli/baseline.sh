#!/bin/sh
# A bad run compared with many good ones: ten planted differences among noise, in two formats and
# with many seeds; places, counts and times of small runs; arguments and errors.

# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

# --- planted differences ---

# Count the planted differences that are found, and the rows that name another place.  A row is of
# a plant if it is within two messages of the plant's origin; only delays are of slow steps.
cat >judge.awk <<'AWK'
FILENAME == "runs/planted" { kind[++n] = $1; origin[n] = $2; at[n] = $3; next }
FILENAME != "out" { where[FILENAME, FNR] = $0; next }
/^[a-z]+ +(good|bad|before|after) / {
	run = /bad [0-9]+ \(/ ? "bad" : nearest
	match($0, (/bad [0-9]+ \(/ ? "bad" : "good") " [0-9]+ ")
	split(substr($0, RSTART, RLENGTH), word, " ")
	split(where["runs/" run ".ids", word[2]], place, " ")
	hit = 0
	for (i = 1; i <= n; i++)
		if (origin[i] == place[1] && (place[2] - at[i]) ^ 2 <= 4 &&
		    (kind[i] == "slower") == ($1 == "slower"))
			hit = found[i] = 1
	wrong += !hit
}
END {
	for (i = 1; i <= n; i++)
		right += found[i]
	print right + 0, wrong + 0
}
AWK

cat >syst.yaml <<'YAML'
traces:
  - match: "*"
    syst: {ts_hz: 1000000000, ts_epoch: none}
YAML

# planted FORMAT [OPTION...]: print what is found and what is wrong, for each seed.
planted()
{
	format=$1
	shift
	for seed in $(seq 1 $seeds); do
		rm -rf runs
		mkdir runs
		"$MKRUNS" "$format" "$seed" 20 3000 runs
		run "$TRAWL" -q --no-cache --compare "$@" runs/good? runs/good?? -- runs/bad
		nearest=$(sed -n '$s|.*good runs: runs/\(good[0-9]*\).*|\1|p' out)
		awk -v nearest="$nearest" -f judge.awk runs/planted "runs/$nearest.ids" \
			runs/bad.ids out
	done >found
	sort found | uniq -c | sed 's/^/# seeds, found of ten, wrong: /'
}
seeds=${TRAWL_FEWER:+8}
seeds=${seeds:-24}
for format in text syst; do
	case $format in
	text) planted text ;;
	syst) planted syst -f syst/raw -p syst.yaml ;;
	esac
	ok "$format: nine of ten are found and at most two are wrong, for nine seeds of ten" \
		awk '$1 >= 9 && $2 <= 2 { n++ } END { exit !(n >= 0.9 * NR && NR) }' found
	ok "$format: ... on average 9.6, and less than one" \
		awk '{ a += $1; b += $2 } END { exit !(a >= 9.6 * NR && b < NR) }' found
	is "$format: ... the status is that of a difference" 1 "$status"
done
run "$TRAWL" -q --no-cache --compare -f syst/raw -p syst.yaml runs/good? runs/good1? -- runs/good20
ok "a good run has few differences from the others" \
	test "$(grep -cE '^[a-z]+ +(good|bad|before|after) ' out)" -le 3
rm -rf runs

# --- small runs ---

# log NAME OPTIONAL MILLISECONDS: a run of four messages.  The third may be missing (-), and the
# last one comes MILLISECONDS after it.
log()
{
	{
		echo "[    1.000000] app: start $$"
		echo "[    1.100000] app: load 7"
		test "$2" = - || echo "[    1.200000] app: $2"
		awk -v ms="$3" 'BEGIN { printf "[%12.6f] app: ready\n", 1.2 + ms / 1000 }'
		echo "[    3.000000] app: end"
	} >"$1"
}
log a "cached 4" 100
log b - 104
log c "cached 9" 108
log d "cached 2" 102
compare()
{
	run "$TRAWL" --no-cache --compare "$@"
}
rows()
{
	sed '/:$/d; $d; s/ .*//' out | xargs
}
compare a b c -- d
is "what some good runs have is no difference" "0 " "$status $(rows)"
ok "... the runs are counted and the nearest one named" \
	grep -q '^no difference between 5 and 5 messages, .*; nearest of 3 good runs: a$' out
compare a c d -- b
is "what all good runs have is missing" "1 missing" "$status $(rows)"
ok "... in all of them" grep -q '^missing .* cached 4  \[in 3 of 3 good runs\]$' out
compare a b -- c
is "one of two is not all" "0 " "$status $(rows)"
log e "lost 4" 101
compare a b c -- e
ok "another text, and how many good runs have the old one" grep -q \
	'^changed .* lost 4  \[was: cached [49]\]  \[in 2 of 3 good runs\]$' out
compare a b b -- e
is "... that is extra, if most have none" "1 extra" "$status $(rows)"
compare a c d -- e
ok "... in all good runs" \
	grep -q '^changed .* lost 4  \[was: cached [249]\]  \[in 3 of 3 good runs\]$' out
compare a c e -- d
is "a text of one of the good runs" "0 " "$status $(rows)"

# 100, 108 and 102 ms: the spread is 8 ms, and twice the second largest excess is nothing, as
# other steps do not vary.
for case in 115: 117:slower; do
	log f "cached 1" "${case%:*}"
	compare a c d -- f
	is "${case%:*} ms against 100 to 108 ms" "${case#*:}" "$(rows)"
done
ok "... with the longest time of the good runs" \
	grep -q '  \[after 117 ms, was up to 108 ms in 3 good runs\]$' out
compare --slower=2,20ms a c d -- f
is "--slower: a length" "" "$(rows)"
compare -t jsonl a c d -- f
ok "jsonl: times and numbers of runs" grep -q \
	'"good_runs":3,"good_took":108000000,"bad_took":117000000' out
ok "... and the summary" grep -q '"usual":0,"good_runs":3,"nearest":"a","good_messages":5' out

# An optional message in place of the missing one: alignments put it before or after.
sed '/cached/i [    1.150000] app: opened' a >opened
sed '/cached/d' opened >only
compare a opened -- only
is "missing next to an optional message" "1 missing" "$status $(rows)"
# A step that one good run of three has says little.
sed 's/ 1.200000/ 1.290000/' a >later
compare a b b -- later
is "a step of few good runs is not judged" "0 " "$status $(rows)"

# A loop: ten rounds in all good runs, nine in the bad one.
rounds()
{
	awk -v n="$1" -v seed="$2" 'BEGIN { srand(seed)
		for (i = 0; i < n * 3; i++) {
			t += 0.001 * (0.9 + 0.2 * rand())
			printf "[%12.6f] app: %s %d\n", t, substr("poll", 1 + i % 3), 99 * rand()
		} }'
}
for i in 1 2 3 4; do
	rounds 10 $i >"ten$i"
done
rounds 9 5 >nine
compare ten1 ten2 ten3 ten4 -- nine
is "a loop with a round less" "missing missing missing" "$(rows)"
head -n 8 ten1 >early
compare ten2 ten3 ten4 -- early
is "a run that ends early is one row" "missing" "$(rows)"
ok "... with the number" grep -q 'and 21 more of this origin' out

printf '' >empty
compare -f text empty ten1 ten2 -- nine
is "an empty good run is not the nearest" "0 ten1" "$status $(sed -n '$s/.*good runs: \([a-z0-9]*\).*/\1/p' out)"

# --- sessions, pipes ---

for i in 1 2 3; do
	mkdir "s$i"
	"$MKCAPTURE" lab-good "s$i"
done
compare --source=soc s1/lab.yaml s2/lab.yaml s3/lab.yaml -- "$testdata/lab.yaml"
# 17 as in one of them, and two steps that are less than twice as long
ok "profiles as runs" grep -q "^19 differences .* nearest of 3 good runs: s1/lab.yaml$" out
cat a | "$TRAWL" --no-cache --compare - c d -- b >out
is "a pipe" "missing" "$(rows)"

# --- arguments ---

compare a b
cp out two
compare a -- b
ok "GOOD -- BAD is GOOD BAD" cmp out two
compare -- a b
ok "... and -- GOOD BAD" cmp out two
bad="trawl: --compare takes GOOD BAD or GOOD... -- BAD, not"
while read -r arguments; do
	read -r said
	# shellcheck disable=SC2086
	compare $arguments
	is "$arguments" "2 $bad $said" "$status $(cat err)"
done <<'CASES'
-- a
0 good and 1 bad runs
a b c --
3 good and 0 bad runs
a b c
3 good and 0 bad runs
a b -- c d
2 good and 2 bad runs
CASES
compare a none c -- b
is "a good run that cannot be opened" 2 "$status"
ok "... is named" grep -q '^trawl: none: ' err
"$MKCAPTURE" -f gem -c 20 -o words 2>/dev/null
compare a gem:words -- b
is "another format" "2 trawl: gem:words has another format than b" "$status $(cat err)"
finish
