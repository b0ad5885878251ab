#!/bin/sh
# Exit status: 0 good, 1 damaged input, 2 usage or input and output.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
small_capture

# What goes wrong before anything is read: status 2, a sentence, no output.
refused()
{
	name=$1
	shift
	run "$@"
	is "$name: status" 2 "$status"
	is "$name: no output" 0 "$(lines out)"
	ok "$name: a reason that starts with the program's name" grep -q '^trawl: ' err
}

# An unknown letter is named, wherever it stands in a group.
for word in -Z -Zv -vZ; do
	run "$TRAWL" $word file
	ok "$word: the letter is named" grep -q -e "option: -Z;" err
done
run "$TRAWL" --quiet -Zv file
ok "... after a long option" grep -q -e "option: -Z;" err
run "$TRAWL" --quiet=3 file
ok "--quiet=3: all of it is named" grep -q -e "option: --quiet=3;" err

run "$TRAWL" -t none "$testdata/all-raw.bin"
is "a good capture" 0 "$status"
for capture in demo.stp damaged-raw.bin damaged-hex.txt damaged-stp.stp; do
	run "$TRAWL" -t none "$testdata/$capture"
	is "damaged input: $capture" 1 "$status"
done
head -c 20 small.bin >cut.bin
run "$TRAWL" -t csv -f syst/raw cut.bin
is "a capture that is cut: status" 1 "$status"
is "a capture that is cut: what is whole, and the rest" 3 "$(lines out)"

: >empty.bin
for format in syst/raw syst/hex syst/stp; do
	run "$TRAWL" -t jsonl -f "$format" empty.bin
	is "an empty file as $format: status" 0 "$status"
	is "an empty file as $format: no message" 0 "$(lines out)"
	is "an empty file as $format: why" "trawl: empty.bin: the capture is empty" "$(cat err)"
done
run "$TRAWL" -t jsonl empty.bin
ok "an empty file that says nothing of its format" test "$status" -le 2

refused "a file that is not there" "$TRAWL" -t text nothing.bin
ok "... names it" grep -q 'nothing.bin' err
refused "a directory" "$TRAWL" -t text .
refused "a device" "$TRAWL" -t text /dev/null
refused "an unknown option" "$TRAWL" --frobnicate small.bin
refused "an unknown format to read" "$TRAWL" -t text -f pigeon small.bin
refused "an unknown format to print" "$TRAWL" -t pigeon -f syst/raw small.bin
refused "a format that has no rows for it" "$TRAWL" -t ppl -f syst/raw small.bin
refused "a format that has no rows for any" "$TRAWL" -t csv-systprint "$testdata/lab-hub.enc"
run "$TRAWL" -t csv-systprint "$testdata/lab.yaml"
ok "traces without rows are named" grep -q 'csv-systprint leaves out dsp, log, cam, hub, as it has no rows' err
for split in 0/2 3/2 1/0 2 a/b /; do
	refused "--split=$split" "$TRAWL" --split=$split -t text -f syst/raw small.bin
done
refused "--split of two traces" "$TRAWL" --split=1/2 -t text -f syst/raw small.bin small.bin
ok "... says what to do" grep -q -- --source err
refused "no capture" "$TRAWL" -t text
printf 'traces:\n  - format: 3\n    nonsense: 1\n' >bad.yaml
refused "a broken profile" "$TRAWL" -t text -p bad.yaml small.bin
ok "... with the line" grep -q 'bad.yaml:[0-9]*' err
refused "a profile that is not there" "$TRAWL" -t text -p none.yaml small.bin

cp small.bin secret.bin
chmod 000 secret.bin
if test -r secret.bin; then
	skip "an unreadable file" "this user can read everything"
else
	refused "an unreadable file" "$TRAWL" -t text -f syst/raw secret.bin
fi

run "$TRAWL" -t csv -f syst/raw small.bin nothing.bin
is "one good and one missing: status" 2 "$status"

for option in --help -h --version -V --list-formats --list-fields; do
	run "$TRAWL" "$option"
	is "$option: status" 0 "$status"
	ok "$option: on standard output" test -s out
	is "$option: nothing on standard error" "" "$(cat err)"
done
run "$TRAWL" --info "$testdata/demo.stp"
is "--info: status" 0 "$status"
ok "--info: the format" grep -q 'syst/stp' out
cp "$testdata/lab-dsp.gem" 'a "b".gem'
run "$TRAWL" --info 'a "b".gem'
ok "--info: the name, quoted" grep -qF '    name: "a \"b\".gem"' out
cp out named.yaml
run "$TRAWL" -p named.yaml -t stats 'a "b".gem'
ok "... and a profile that can be read" grep -q '^a "b".gem  *GEM  *38 ' out

# What keeps a capture from being good is shown where a format can show it, and
# is said once where it cannot.
flagged()
{
	"$TRAWL" -t csv "$testdata/damaged-stp.stp" 2>/dev/null | sed 1d | sed 's/.*,//' | sed 's/ *sync//'
}
flagged | tr ' ' '~' | sed 's/~/  ~/g;s/^\(.\)/  ~\1/' >want
"$TRAWL" -t text "$testdata/damaged-stp.stp" 2>err | awk '{
	for (flags = ""; match($0, /  ~[a-z]+$/); $0 = substr($0, 1, RSTART - 1))
		flags = substr($0, RSTART) flags
	print flags }' >got
ok "-t text: the flags of each message" cmp want got
is "-t text: ... and how many" "trawl: 11 damaged messages, 7 lost messages, \
15 truncated messages, 8 suspect messages; -t text marks them" "$(cat err)"
wanted=$(for flag in damaged lost truncated suspect; do
	number=$(flagged | grep -c $flag)
	test "$number" -eq 0 || printf ', %s %s messages' "$number" $flag
done)
wanted="trawl: ${wanted#, };"
for format in none csv-systprint; do
	run "$TRAWL" -t $format "$testdata/damaged-stp.stp"
	is "-t $format: what it does not show: status" 1 "$status"
	is "-t $format: ... and how much, once" "$wanted -t text marks them" "$(cat err)"
	run "$TRAWL" -q -t $format "$testdata/damaged-stp.stp"
	is "-t $format: ... unless it is to be quiet" "1 " "$status $(cat err)"
done
bytes foreign.csel 4d 46 4d 58 01 00 00 00 01 02 03 04 05
run "$TRAWL" -t csv -f csel foreign.csel
is "bytes that were not decoded: status" 1 "$status"
is "bytes that were not decoded: how many" \
	"trawl: 1 damaged message; -t text marks them
trawl: 5 undecoded bytes; -t stats counts them by kind" "$(cat err)"
run "$TRAWL" -t stats -f csel foreign.csel
is "-t stats: of which kind" "foreign.csel foreign 5" "$(sed -n '$s/  */ /gp' out)"
run "$TRAWL" --check=loss -f csel foreign.csel
is "--check=loss: bytes that were not decoded" 1 "$status"
is "--check=loss: how many" "trawl: check loss: 5 undecoded bytes; -t stats counts them by kind" \
	"$(cat err)"
run "$TRAWL" --check=time -f csel foreign.csel
is "--check=time: they are no loss of time" 0 "$status"
run "$TRAWL" -t none "$testdata/all-raw.bin"
is "-t none: nothing of a good capture" "0 " "$status $(cat err)"

# --check: 1 if what it names is there, whatever else is.
damaged=$testdata/damaged-raw.bin
run "$TRAWL" --check "$testdata/all-raw.bin"
is "--check: nothing found" 0 "$status"
is "--check: says nothing then" "" "$(cat out err)"
run "$TRAWL" --check "$damaged"
is "--check: damage" 1 "$status"
ok "--check: what, how often and where" \
	grep -q '^trawl: check corrupt: [0-9]* messages, the first is trace_number [0-9]* at' err
run "$TRAWL" --check=loss "$damaged"
is "--check=loss: damage is no loss" 0 "$status"
run "$TRAWL" --check=time,severity:fatal "$testdata/demo.stp"
is "--check=LIST: one of them" 1 "$status"
is "--check=LIST: a line for it" 1 "$(grep -c 'check severity:fatal: 1 message,' err)"
is "--check=LIST: no line for the other" 1 "$(lines err)"
run "$TRAWL" --check='text ~ /retry/ and severity = warning' "$testdata/demo.stp"
is "--check=EXPR" 1 "$status"
run "$TRAWL" --check=severity:fatal --exclude='origin = watchdog' "$testdata/demo.stp"
is "--check: among what is selected" 0 "$status"
run "$TRAWL" --check=catalog "$testdata/demo.stp"
is "--check=catalog: with collateral" 0 "$status"
cp "$testdata/demo.stp" bare.stp
run "$TRAWL" --check=catalog bare.stp
is "--check=catalog: without" 1 "$status"
refused "--check of nothing known" "$TRAWL" --check=pigeons "$testdata/all-raw.bin"

# A pattern that gives up on texts, in a capture that is good.
hard='^(.|..)+(?!.)(?<!.)x?'
run "$TRAWL" -t none "$testdata/gray.stp"
is "the capture is good" 0 "$status"
run "$TRAWL" -t none -r "$hard" "$testdata/gray.stp"
is "a pattern that gave up: status" 1 "$status"
ok "and how often" grep -q \
	'^trawl: [0-9]* texts that may match, but a regular expression gave up on them; make' err
run "$TRAWL" --check=loss -r "$hard" "$testdata/gray.stp"
is "with --check, too" "1 1" "$status $(grep -c 'gave up' err)"
run "$TRAWL" -t none --check="text ~ /$hard/" "$testdata/gray.stp"
is "and in what it looks for" "1 1" "$status $(grep -c 'gave up' err)"
run "$TRAWL" -t none -r "$hard" "$testdata/damaged-stp.stp" "$testdata/gray.stp"
is "with damaged messages: a line for each thing to do" "1 1 1 2" "$status $(
	grep -c 'messages; -t text marks them$' err) $(
	grep -c 'gave up on them; make the expression simpler$' err) $(lines err)"
run "$TRAWL" -q -t none -r "$hard" "$testdata/gray.stp"
is "--quiet keeps the status" "1 0" "$status $(grep -c 'gave up' err)"
# A mistyped name: the nearest one, and the exit status of a wrong command line.
while read -r near wrong; do
	run "$TRAWL" $wrong "$testdata/demo.stp"
	is "$wrong: status" 2 "$status"
	ok "$wrong: did you mean $near" grep -qF "did you mean $near?" err
done <<'LIST'
--from --fromat=text
--quiet --qiet
text -t txt
perfetto -t perfeto
error -s eror
warning -s wraning
syst/stp -f sist/stp
severity -e sevrity=3
severity --by=sevrity
origin --fields=orign
LIST

finish
