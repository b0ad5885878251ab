#!/bin/sh
# What a line has of clocks: where that is nothing it does not wait for what relates them, and
# whether an index is kept, or threads share the work, never changes what is written.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
export XDG_CACHE_HOME="$scratch/.cache"
kept=$XDG_CACHE_HOME/trawl

# How many captures an index is kept of: it was built, and they are large enough.
indexes()
{
	find "$kept" -name '*.index' 2>/dev/null | grep -vc '\.points\.index$'
}

# written FILE OPTION...: what a run writes, with its status, to FILE and FILE.err.
written()
{
	file=$1
	shift
	"$TRAWL" "$@" >"$file" 2>"$file.err"
	echo $? >>"$file.err"
}

# same NAME OPTION...: the same without an index that is kept, and with the one in the cache; on
# several threads, too.
same()
{
	title=$1
	shift
	written want --no-cache --threads=1 "$@"
	for way in "--no-cache --threads=3" --threads=1 --threads=3; do
		# shellcheck disable=SC2086  # words of it are options
		written out $way "$@"
		ok "$title: $way" cmp out want
		ok "... what is said" cmp out.err want.err
	done
}

# timeless NAME OPTION...: lines without their times are those lines with times, the times cut.
timeless()
{
	title=$1
	shift
	rm -rf "$kept"
	# several threads, and a filter, use an index to divide and skip cells
	written out --threads=1 --template='{number} {severity} {origin}\t{text}' "$@"
	case $title in
	*-r*) ;;
	*) is "$title, no time: no index is built" 0 "$(indexes)" ;;
	esac
	written want --template='{time}\t{number} {severity} {origin}\t{text}' "$@"
	is "... with a time it is" 1 "$(indexes)"
	cut -f 2- want >lines
	ok "... the same lines" cmp out lines
	ok "... what is said" cmp out.err want.err
	is "... and some have a time" 1 "$(cut -f 1 want | grep -c '[0-9]' | sed 's/..*/1/')"
}

number=0
while read -r format more; do
	number=$((number + 1))
	# shellcheck disable=SC2086  # words of it are options
	"$MKCAPTURE" -f "$format" -n 5M --seed=$number $more -o made.bin
	if test $number = 3; then # what tells of clocks is in one place
		"$MKCAPTURE" -f "$format" -m all -n 50K -o some.bin
		mv made.bin all.bin
		cat all.bin some.bin all.bin >made.bin
	fi
	timeless "$format $more" -f "$format" made.bin
	timeless "$format $more, -r" -f "$format" -r '[aeiou][0-9]' made.bin
	rm -rf "$kept"
	"$TRAWL" --index -f "$format" made.bin 2>err
	for to in text csv jsonl hex table; do
		same "$format $more, -t $to" -t $to -f "$format" made.bin
	done
	same "$format $more, -q" -q -t csv -f "$format" made.bin
	same "$format $more, rel" --time-format=rel -f "$format" made.bin
	same "$format $more, no time" --fields=number,offset,text -f "$format" made.bin
	same "$format $more, -S" -S +1ms --template='{text}' -f "$format" made.bin
done <<'END'
syst/stp -m all --damage=drop,cut --rate=0.001
syst/raw -m all --damage=drop --rate=0.001
syst/raw -m strings
END

# Several traces are in one order, and their clocks decide it, whatever a line shows.
written want --no-cache --template='{time}\t{trace} {number}' "$testdata/lab.yaml"
written out --no-cache --template='{trace} {number}' "$testdata/lab.yaml"
cut -f 2- want >lines
ok "several traces: the order" cmp out lines
ok "... is that of time" test "$(cut -d ' ' -f 1 out | uniq | wc -l)" -gt 100
written alone --no-cache --source=soc --template='{text}' "$testdata/lab.yaml"
written want --no-cache --source=soc --template='{time}\t{text}' "$testdata/lab.yaml"
cut -f 2- want >lines
ok "... one of them" cmp alone lines

# A rate that the profile says is not looked for; one that it does not say may change everything.
"$MKCAPTURE" -f syst/stp -m all -n 5M -o made.stp
rm -rf "$kept"
cat >said.yaml <<'END'
traces:
  - {match: "*.stp", format: stp, clock: {hz: 38400000}}
END
written out --threads=1 --profile=said.yaml -t csv made.stp
is "a rate that is said: no index is built" 0 "$(indexes)"
written want -f stp -t csv made.stp
is "... that is not said: one is" 1 "$(indexes)"
ok "... the same times" cmp out want

finish
