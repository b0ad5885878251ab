#!/bin/sh
# --snapshot: the screen as text or SVG, without a terminal: of any size, after commands, the
# same each time, of damaged captures, streams and live sources too.

# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
unset TERM
lab=$testdata/lab.yaml demo=$testdata/demo.stp

# picture SIZE ARGUMENT...
picture()
{
	size=$1
	shift
	run "$TRAWL" --no-cache --snapshot="$size" "$@"
}

# Sizes: a line for each row, none longer than the columns.
for size in 1x1 1x50 50x1 80x24 200x50 1000x1000; do
	for capture in "$demo" "$lab"; do
		picture "$size" "$capture" -c timeline -c context -c detail
		is "$size of ${capture##*/}: status" 0 "$status"
		is "$size of ${capture##*/}: rows" "${size#*x}" "$(lines out)"
		ok "$size of ${capture##*/}: columns" test "$(wc -L <out)" -le "${size%x*}"
		is "$size of ${capture##*/}: says nothing else" "" "$(cat err)"
	done
done
ok "blanks at the end of rows are left out" test -z "$(grep -n ' $' out)"

# What is on it: counts are exact, commands have run one after the other.
picture 80x24 "$demo"
is "the first screen" "1 of 309  0x0                                              F 1  E 15  W 12  ~4" \
	"$(tail -n 1 out | sed 's/^ //')"
picture 80x24 "$demo" -c next-error
cp out first
is "a command" "E" "$(sed -n 's/^>[ab]* *[0-9.]* \([A-Z]\) .*/\1/p' out)"
picture 80x24 "$demo" +e
is "a key does the same" "$(cat first)" "$(cat out)"
if has_feature "CoreSight trace"; then
	# a part of a snapshot leads to its folder, where the next command goes on
	picture 100x24 "$testdata/all-opencsd" -c end
	cp out whole
	picture 100x24 "$testdata/all-opencsd/etb.bin" -c open -c end
	is "the snapshot of a part: status" 0 "$status"
	ok "... one picture, as of its folder" cmp whole out
	picture 100x24 -o picture "$testdata/all-opencsd/etb.bin" -c open -c end
	ok "... in a file" cmp whole picture
else
	skip "the snapshot of a part" "built without OpenCSD"
fi
picture 80x24 "$demo" +G -c 'filter severity >= error' +2k -c timeline
selected=$("$TRAWL" -q -t csv -e 'severity >= error' "$demo" | tail -n +2 | wc -l | tr -d ' ')
ok "several commands: the filter" grep -q " row $((selected - 2)) of $selected " out
ok "several commands: the pane" grep -q '^═ time ' out
printf 'next-error\n# no command\nnext-error\n' >script
picture 80x24 "$demo" -x script
cp out first
picture 80x24 "$demo" +2e
is "a file of commands" "$(grep '^>' out)" "$(grep '^>' first)"
# Columns of a view take the names of --fields.
cat >names.yaml <<'END'
columns:
  - {name: trace_number, align: right}
  - {name: kind}
  - {name: arg.1}
  - {name: arg.1, raw: true}
  - {name: master}
  - {name: flags}
  - {name: text}
END
picture 110x24 --view=names.yaml "$demo" -c 'goto #23'
is "a view with names of --fields" ">22 string 1 1 1 block 1/10 crc 0x4ec7dc23" \
	"$(grep '^>' out | tr -s ' ' | sed 's/> 22/>22/')"
printf 'columns:\n  - {name: interval.mailbox}\n  - {name: text}\n' >names.yaml
picture 80x24 --view=names.yaml "$lab" -c 'filter text ~ /^ack seq 1 /'
is "... of an interval" "$("$TRAWL" -q -t csv --fields=interval.mailbox,text \
	-e 'text ~ /^ack seq 1 /' "$lab" | sed -n 's/^"*\([0-9]*\)\([0-9]\{3\}\)[0-9]\{3\}"*,"\(.*\)"/\1.\2 ms \3/p')" \
	"$(sed -n 's/^>[ ?]*soc *\(.*\)/\1/p' out | tr -s ' ')"
for name in span.overlay sevrity nonsense.field; do
	printf 'columns:\n  - {name: %s}\n' "$name" >names.yaml
	picture 80x24 --view=names.yaml "$demo"
	is "a view refuses $name" "2 1" "$status $(grep -c "columns\[0\].name is \"$name\"" err)"
done
picture 80x24 "$demo" -c nonsense
ok "a command that does not exist" grep -q nonsense out
picture 80x6 "$demo" -c 'write all.csv'
is "what a command writes is written" "$("$TRAWL" -t csv "$demo" | cksum)" "$(cksum <all.csv)"
picture 80x6 "$demo" -c pause
ok "a pause ends too" grep -qF "$(notice INDEX_PAUSED)" out
picture 80x6 "$demo" -c quit
is "so does quitting" "0 6" "$status $(lines out)"
picture 80x6 "$demo" -c 'format gem' +G
ok "a format that is tried" grep -q 'trying gem' out

# The same each time.
for arguments in "" "+50% -c timeline -c context" "-c clocks" "-c table" "-c /timeout -c detail"; do
	rm -f seen
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		# shellcheck disable=SC2086  # several
		picture 120x40 "$lab" $arguments
		cksum <out >>seen
	done
	is "$arguments: 20 runs, the last being $i" 1 "$(sort -u seen | wc -l | tr -d ' ')"
done

# SVG.
parses()
{
	if command -v xmllint >/dev/null; then
		xmllint --noout "$1"
	else
		python3 -c 'import sys, xml.parsers.expat as e
e.ParserCreate().ParseFile(open(sys.argv[1], "rb"))' "$1"
	fi
}

printf 'a<b>&"\001\302\205\357\277\276\357\277\277\352\257\215 ]]>\n' >text.log
for capture in "$lab" text.log; do
	picture 100x30 --color=always "$capture" -c timeline +G
	is "SVG of ${capture##*/}: status" 0 "$status"
	if command -v xmllint >/dev/null || python3 -c 'import xml.parsers.expat' 2>/dev/null; then
		ok "SVG of ${capture##*/}: well-formed" parses out
	else
		skip "SVG of ${capture##*/}: well-formed" "no xmllint, no python3"
	fi
	is "SVG of ${capture##*/}: nothing but shapes and texts" "g rect svg text" \
		"$(grep -o '<[a-z][a-z]*' out | cut -c 2- | sort -u | tr '\n' ' ' | sed 's/ $//')"
done
for case in "dark-256 121212" "light ffffff" "mono 121212"; do
	picture 80x24 --color=always --theme="${case% *}" "$lab"
	is "SVG, ${case% *}: background" "<rect width=\"720\" height=\"432\" fill=\"#${case#* }\"/>" \
		"$(sed -n 2p out)"
done
NO_COLOR=1 "$TRAWL" --snapshot=80x24 --color=always "$lab" +e >colours
picture 80x24 --color=always "$lab" +e
is "SVG: --color goes before NO_COLOR" "$(cksum <colours)" "$(cksum <out)"
LC_ALL=C "$TRAWL" --snapshot=80x24 --color=always "$lab" +e >colours
is "SVG: UTF-8 in any locale" "$(cksum <colours)" "$(cksum <out)"

# Text is of the locale, and of no terminal.
picture 120x30 "$lab" -c timeline
ok "blocks in UTF-8" grep -q '█' out
cp out first
for term in '' dumb no-such-terminal xterm-256color; do
	is "TERM=$term" "$(cksum <first)" \
		"$(TERM=$term "$TRAWL" --no-cache --snapshot=120x30 "$lab" -c timeline | cksum)"
done
for locale in "LC_ALL=C" "LC_ALL=C.UTF-8 OPTION=--ascii"; do
	# shellcheck disable=SC2086,SC2016  # several; expanded by the inner shell
	env $locale sh -c '"$TRAWL" $OPTION --snapshot=120x30 "$0" -c timeline' "$lab" >out
	is "$locale: ASCII alone" 0 "$(LC_ALL=C tr -d '\000-\177' <out | wc -c | tr -d ' ')"
done
"$TRAWL" --no-cache --snapshot=120x30 "$lab" -c timeline <&- >closed 2>err
is "standard input is closed" "$(cksum <first)" "$(cksum <closed)"

# The last run does not matter, and nothing is kept for the next one.
export XDG_STATE_HOME="$scratch/own-state"
picture 80x24 "$demo" +G +ma
ok "no state is kept" test ! -e "$XDG_STATE_HOME"
picture 80x24 "$demo"
ok "nor restored" grep -q '^ 1 of 309 ' out

# -o names the file.
picture 80x24 "$demo"
cp out first
picture 80x24 -o picture.txt "$demo"
is "-o FILE" "0 0 $(cksum <first)" "$status $(lines out) $(cksum <picture.txt)"
picture 80x24 -o picture.txt "$demo"
is "-o FILE overwrites nothing" "2 $(cksum <first)" "$status $(cksum <picture.txt)"
picture 10x3 -o picture.txt --force "$demo"
is "unless --force is given" "0 3" "$status $(lines picture.txt)"
if test -c /dev/full; then
	"$TRAWL" --snapshot=80x24 "$demo" >/dev/full 2>err
	is "a full disk" 2 $?
fi

# Sizes that are none.
for size in 0x24 80x0 1001x24 80x1001 80 80x x24 80x24x 80x24,1 -80x24 +80x24 0x50x24 80X24 \
	18446744073709551617x1 '' ' 80x24'; do
	picture "$size" "$demo"
	is "'$size' is no size" \
		"2 trawl: --snapshot is COLUMNSxROWS, as 80x24, from 1x1 to 1000x1000, not $size" \
		"$status $(cat err)"
	ok "'$size': no picture" test ! -s out
done
for option in -ttext --check --by=origin --fields=time --template=x --split=1/2; do
	picture 80x24 $option "$demo"
	is "$option prints messages" "2 0" "$status $(lines out)"
	ok "$option: the reason" grep -q -e '--snapshot prints the screen, not messages; leave out --' err
done
picture 80x24 no-such-file
is "a capture that is not there" "2 0" "$status $(lines out)"

# Captures that are damaged, empty, or no trace.
head -c 9001 "$demo" >cut.stp
for capture in "$testdata"/damaged-*.csel "$testdata"/damaged-gem.bin cut.stp; do
	picture 80x24 "$capture" -c next-loss
	is "${capture##*/}: status" 0 "$status"
	ok "${capture##*/}: the loss is shown" grep -q '^>.*~' out
done
: >empty.bin
picture 80x24 empty.bin
is "an empty capture" "0 24" "$status $(lines out)"
ok "... is named as empty" grep -q '^  the capture is empty; R reads it again$' out
head -c 5000 /dev/urandom >noise.bin
picture 80x24 noise.bin
is "a file that is no trace" "0 24" "$status $(lines out)"

# A pipe is read to its end, however slowly it comes.
{
	head -c 5000 "$demo"
	sleep 0.3
	tail -c +5001 "$demo"
} | "$TRAWL" --snapshot=80x24 +G - >out
is "a pipe" "309 of 309" "$(tail -n 1 out | cut -c 2-11)"
cat <"$demo" | "$TRAWL" --snapshot=80x24 +G >out
is "standard input without a name" "309 of 309" "$(tail -n 1 out | cut -c 2-11)"
if has_feature "compressed captures"; then
	gzip -c "$demo" | "$TRAWL" --snapshot=80x24 +G - >out
	is "a compressed pipe" "309 of 309" "$(tail -n 1 out | cut -c 2-11)"
fi

# A file that is followed shows what is there.
picture 80x24 -F "$demo"
is "a capture that may grow" "309 of 309" "$(tail -n 1 out | grep -o '309 of 309')"

# A live source shows what it has sent.
"$LIVE_PEER" tcp name "$testdata/len32.bin" 0-9000 2>peer.err &
peer=$!
deadline=$(($(date +%s) + 30))
until test -s name || test "$(date +%s)" -ge $deadline || ! kill -0 $peer 2>/dev/null; do
	sleep 0.02
done
if test -s name; then
	read -r name <name
	picture 80x24 -f syst/raw "$name"
	is "a live source" "0 24" "$status $(lines out)"
	ok "that is connected" grep -q 'follow  connected' out
	kill $peer
else
	skip "a live source" "no port"
fi
wait $peer 2>/dev/null

# The pictures of the project are what the program shows now.
if has_feature symbols; then
	source=$(dirname "$testdata")
	mkdir -p pictures/doc
	cat "$source/README.md" >pictures/README.md
	run sh "$source/tests/term/readme" pictures
	is "pictures of the project are made" "0 " "$status $(cat err)"
	for file in README.md doc/screenshot.svg; do
		ok "pictures of $file are up to date (make readme-screens)" \
			cmp "$source/$file" "pictures/$file"
	done
else
	skip "pictures of the project" "built without libdw"
fi

# Signals end it as they end other output.
mkfifo wait.pipe
(exec sleep 30 >wait.pipe) &
writer=$!
default="env --default-signal=INT"
$default true 2>/dev/null || default=
for case in TERM:143 ${default:+INT:130}; do
	$default "$TRAWL" --snapshot=80x24 wait.pipe >out 2>err &
	pid=$!
	sleep 0.2
	kill -s "${case%:*}" $pid
	wait $pid 2>/dev/null
	is "SIG${case%:*}" "${case#*:}" "$?"
done
kill $writer
wait $writer 2>/dev/null

finish
