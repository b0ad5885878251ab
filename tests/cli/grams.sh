#!/bin/sh
# N-grams that --index keeps: what is found with them is what is found without, whatever
# became of the capture, of its collateral or of the file that has them meanwhile.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
export XDG_CACHE_HOME="$scratch/.cache"
kept=$XDG_CACHE_HOME/trawl

grams()
{
	find "$kept" -name '*.grams' 2>/dev/null
}

# same NAME COMMAND...: the same with what is kept and without, and something at all.
same()
{
	name=$1
	shift
	"$TRAWL" "$@" --no-cache >want 2>want.err
	echo $? >>want
	run "$TRAWL" "$@"
	echo $status >>out
	ok "$name" cmp out want
	is "... and on standard error" "$(cat want.err)" "$(cat err)"
}

"$MKCAPTURE" -f syst/raw -m catalog -n 6M --collateral=catalog.xml -o catalog.bin
"$MKCAPTURE" -f syst/raw -m strings -n 5M --seed=3 -o strings.bin

run "$TRAWL" --index strings.bin
is "--index: status" 0 $status
is "... says nothing" "" "$(cat out err)"
is "... keeps n-grams" 1 "$(grams | wc -l)"
ok "... of at most 2 % of the capture" test \
	$(($(wc -c <"$(grams)") * 50)) -le "$(wc -c <strings.bin)"
is "... for the user alone" -rw------- "$(ls -l "$(grams)" | cut -c 1-10)"
run "$TRAWL" --info strings.bin
is "--info says it" 1 "$(grep -c '^# n-grams of its texts are kept: ' out)"
run "$TRAWL" --info --no-cache strings.bin
is "... but not of what is not looked for" 0 "$(grep -c 'n-grams' out)"

# Patterns with what must be there, and without.
for pattern in quench timeout 'PANIC|gated' 'panic$' '^zone' '[qz]u[a-f]' xyzzy 4:0 STRING; do
	same "-r $pattern" -t text -r "$pattern" strings.bin
	same "text ~ /$pattern/i" -t csv -e "text ~ /$pattern/i" strings.bin
	same "not type ~ /$pattern/" -t none -v -e "not type ~ /$pattern/" strings.bin
done

# Collateral changes texts: what is kept of others is not used, and made anew by --index.
rare=$("$TRAWL" -q -t text -C catalog.xml catalog.bin | awk 'NR == 70000 { print $NF }')
run "$TRAWL" --index -C catalog.xml catalog.bin
is "n-grams of another capture" 2 "$(grams | wc -l)"
same "texts of a catalog" -C catalog.xml -t text -r 'fifo level' catalog.bin
same "... one of them" -C catalog.xml -t text -e "text ~ /$rare/" catalog.bin
same "... none" -C catalog.xml -t text -r 'xyzzy' catalog.bin
sleep 1 # the time of a file counts in seconds
sed 's/fifo level/xyzzy level/' catalog.xml >other.xml
cat other.xml >catalog.xml
same "collateral that changed" -C catalog.xml -t text -r 'xyzzy' catalog.bin
ok "... has such texts now" test "$(wc -l <out)" -gt 100
same "no collateral" -t text -r 'xyzzy' catalog.bin
same "names that are lacking are said" -t text -r 'fifo level' catalog.bin
run "$TRAWL" --index catalog.bin
same "... by n-grams too" -t text -r 'fifo level' catalog.bin
is "... which is a line" 1 "$(grep -cF "$(notice NO_COLLATERAL catalog.bin)" err)"

# So do names of a profile.
printf 'origins:\n  - {module: 4, unit: 0, name: xyzzy}\n' >names.yaml
same "names of origins" -p names.yaml -t text -r xyzzy strings.bin
ok "... are found" test "$(wc -l <out)" -gt 100
run "$TRAWL" --index -p names.yaml strings.bin
same "names of origins, kept" -p names.yaml -t text -r xyzzy strings.bin
same "... and without them" -t text -r xyzzy strings.bin
run "$TRAWL" --info strings.bin
is "--info says that they are stale" 1 "$(grep -c 'n-grams are kept, of other bytes or texts' out)"

# A capture that grew: what was known of it is used, the rest is looked at.
"$MKCAPTURE" -f syst/raw -m strings -n 2M --seed=9 -o more.bin
run "$TRAWL" --index strings.bin
cat more.bin >>strings.bin
same "a capture that grew" -t text -r quench strings.bin
same "... with a text that is everywhere" -t none -v -r timeout strings.bin
run "$TRAWL" --info strings.bin
is "--info says of how much" 1 "$(grep -c 'n-grams .* of [0-9]* of [0-9]* cells$' out)"
# one that was written anew
head -c 5M more.bin >strings.bin
cat more.bin more.bin more.bin >>strings.bin
same "a capture that was written anew" -t text -r quench strings.bin

# Damage is said, once, and nothing is missed.
run "$TRAWL" --index strings.bin
for file in $(grams); do
	size=$(wc -c <"$file")
	head -c $((size / 4)) "$file" >cut
	head -c $((size - size / 4)) /dev/zero | tr '\0' '\252' >>cut
	cat cut >"$file"
done
"$TRAWL" --no-cache -t text -r quench strings.bin >want
run "$TRAWL" -f syst/raw -t text -r quench strings.bin
ok "damaged n-grams: nothing is missed" cmp out want
is "... which is said" \
	"trawl: $(notice GRAMS_DAMAGED strings.bin)" \
	"$(cat err)"
for file in $(grams); do
	head -c 5000 cut >"$file"
done
run "$TRAWL" -f syst/raw -t text -r quench strings.bin
ok "n-grams that were cut: nothing is missed" cmp out want
is "... which is said too" 1 "$(grep -cF "$(notice GRAMS_DAMAGED strings.bin)" err)"
run "$TRAWL" --index strings.bin
same "n-grams made anew" -t text -r quench strings.bin

# What has none says why; what is small needs none.
rm -r "$kept"
"$MKCAPTURE" -f encap -n 5M -o encap.bin
run "$TRAWL" --index -f encap encap.bin
is "texts that depend on others: status" 0 $status
is "... is said" "trawl: encap.bin: no n-grams are kept: its texts depend on the messages before" \
	"$(cat err)"
run "$TRAWL" --index --no-cache strings.bin
is "--no-cache keeps none" "0 0" "$status $(grams | wc -l)"
ok "... but the index beside it" test -s strings.bin.trawl-index
cp "$testdata/demo.stp" .
run "$TRAWL" --index demo.stp
is "a small capture has none" 0 "$(grams | wc -l)"

finish
