#!/bin/sh
# Where output goes: files, pipes that close early, full disks, terminals.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
demo=$testdata/demo.stp

run "$TRAWL" -t csv "$demo"
mv out want
run "$TRAWL" -t csv -o new.csv "$demo"
ok "-o: the same as on standard output" cmp want new.csv
is "-o: nothing on standard output" 0 "$(lines out)"

echo mine >kept
run "$TRAWL" -t csv -o kept "$demo"
is "-o: never over a file" 2 "$status"
is "-o: ... which is as it was" mine "$(cat kept)"
run "$TRAWL" -t csv -o kept --force "$demo"
ok "--force" cmp want kept
run "$TRAWL" -t csv -o no/where "$demo"
is "-o: no such folder" 2 "$status"

# Much output into a pipe that closes at once: quiet.
"$MKCAPTURE" -m len32 -n 4M -o big.bin
{
	"$TRAWL" -t text -f syst/raw big.bin 2>err
	echo $? >status
} | head -n 1 >out
is "a closed pipe: quiet" "" "$(cat err)"
ok "a closed pipe: what was read of it" test "$(lines out)" -eq 1
ok "a closed pipe: an end" test -s status

if test -w /dev/full; then
	"$TRAWL" -t text -f syst/raw big.bin >/dev/full 2>err
	is "a full disk: status" 2 "$?"
	ok "a full disk: a reason" grep -q '^trawl: ' err
else
	skip "a full disk: status" "no /dev/full"
	skip "a full disk: a reason" "no /dev/full"
fi

# The demo has a text with escape sequences.  A file gets what was captured in
# a form its format allows; a terminal never gets a control character.
escape=$(printf '\033')
run "$TRAWL" -t jsonl "$demo"
is "jsonl: escape sequences are escaped" 0 "$(grep -c "$escape" out)"
ok "jsonl: ... and there" grep -qF '\u001b[2J' out
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then
	script -qec "'$TRAWL' -t text '$demo'" /dev/null </dev/null >out 2>err
	ok "a terminal: all of it" grep -q 'back in service' out
	is "a terminal: no escape sequence of the capture" 0 "$(grep -cF "${escape}[2J" out)"
	# Before lines with times a capture is read to its end; that takes more than a second here.
	for option in "" -q --fields=number,text; do
		script -qec "{ head -c 4000 '$testdata/demo.stp'; sleep 1.5
			tail -c +4001 '$testdata/demo.stp'; } |
			'$TRAWL' -t csv $option -f syst/stp -" /dev/null </dev/null >out 2>err
		is "a terminal: why nothing comes${option:+, $option}" \
			"$(test "$option" || echo 1)" "$(grep -c 'read to its end first' out | sed s/^0//)"
	done
else
	skip "a terminal: all of it" "no script(1)"
	skip "a terminal: no escape sequence of the capture" "no script(1)"
	skip "a terminal: why nothing comes" "no script(1)"
fi

# Contexts that a profile defines end each line, from the message on that tells.
cat >contexts.yaml <<'YAML'
contexts:
  - {name: user, from: {format: gem, type: second, ctx_name: User}, field: data}
YAML
told=$(awk -F '\t' '$6 == "second" && /ctx_name=User/ {
	sub(/.*\tdata=/, ""); sub(/\t.*/, ""); print; exit }' "$testdata/all-gem.truth.tsv")
run "$TRAWL" -t jsonl --profile=contexts.yaml gem:"$testdata/all-gem.bin"
is "jsonl: nothing is said yet" 1 "$(head -n 1 out | grep -cF '},"context":{"user":null}}')"
is "jsonl: a context" 1 \
	"$(sed -n 2p out | grep -cF "},\"context\":{\"user\":{\"value\":\"$told\",\"since\":4}}}")"
is "jsonl: on every line" "$(wc -l <out)" "$(grep -c '"context":{"user":' out)"
run "$TRAWL" -t jsonl gem:"$testdata/all-gem.bin"
is "jsonl: none without a definition" 0 "$(grep -c '"context":' out)"

# The same bytes, the same output, whatever the user's settings.
(
	export LC_ALL=C TZ=Asia/Kolkata
	"$TRAWL" -t csv "$demo" >other 2>/dev/null
)
ok "locale and time zone change nothing" cmp want other

finish
