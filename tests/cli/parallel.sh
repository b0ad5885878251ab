#!/bin/sh
# Output by several threads is that of one, byte for byte.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

# The outputs of so many threads for a capture, where they differ from that of
# one, for each format to print in $targets.
differ()
{
	for target in $targets; do
		"$TRAWL" -q --threads=1 -t "$target" "$@" >one 2>one.err
		echo $? >>one
		for threads in $numbers; do
			"$TRAWL" -q --threads="$threads" -t "$target" "$@" >many 2>many.err
			echo $? >>many
			cmp -s one many || echo "$target with $threads"
		done
	done
}

# The numbers of parts of which the outputs, put together, are not that of the whole.
apart()
{
	"$TRAWL" -q -t jsonl "$@" >one 2>one.err
	for parts in 2 5 16; do
		: >many
		for part in $(seq $parts); do
			"$TRAWL" -q -t jsonl --split="$part/$parts" "$@" >>many 2>many.err
		done
		cmp -s one many || echo "$parts parts"
	done
}

targets="text csv jsonl csv-systprint ppl none"
numbers=3
# Of the other captures there test_export compares the same.
for capture in "$testdata"/demo.stp "$testdata"/*-opencsd; do
	is "${capture##*/}" "" "$(differ "$capture")"
	is "${capture##*/}, in parts" "" "$(apart "$capture")"
done
is "a log and its words" "" "$(differ "$testdata/all-gem.bin" "$testdata/all-gem.uia.bin")"

# Larger ones, of many pieces; what some messages say depends on earlier ones.
for format in syst/raw syst/hex syst/stp encap gem uia csel; do
	with=
	test "${format#syst}" = "$format" || with=--collateral=mix.xml
	for damage in "" cut,flip,drop,garbage; do
		"$MKCAPTURE" -f $format -m all -n 300K --senders=8 $with \
			${damage:+--damage=$damage} -o made.bin 2>err
		is "$format${damage:+, damaged}: made" 0 "$?"
		targets=jsonl numbers=$(printf "%s\n" 2 3 5 8 | cases "$format" "$damage")
		is "$format${damage:+, damaged}: threads" "" "$(differ -f $format $with made.bin)"
		targets="text csv-systprint" numbers=4
		is "$format${damage:+, damaged}: formats" "" "$(differ -f $format $with made.bin)"
	done
done

# A part begins at the checkpoint of an index that is kept: what lies before is not read.
export XDG_CACHE_HOME="$scratch/.cache"
for format in syst/raw syst/stp gem; do
	"$MKCAPTURE" -f $format -m all -n 5M --damage=drop --rate=0.001 -o kept.bin
	"$TRAWL" -q -t text --no-cache -f $format kept.bin >whole
	"$TRAWL" --index -f $format kept.bin 2>err
	for part in 1 2 3; do
		"$TRAWL" -q -t text --split=$part/3 -f $format kept.bin
	done >parts
	ok "$format, an index kept: parts" cmp whole parts
	"$TRAWL" -t hex --split=3/3 -f $format kept.bin >one 2>one.err
	cp -p kept.bin other.bin
	dd if=/dev/zero of=kept.bin bs=4096 seek=64 count=64 conv=notrunc 2>err
	touch -r other.bin kept.bin
	"$TRAWL" -t hex --split=3/3 -f $format kept.bin >many 2>many.err
	ok "$format, an index kept: the last part" cmp one many
	ok "... and on standard error" cmp one.err many.err
done
unset XDG_CACHE_HOME
"$TRAWL" -q -t none --split=3/3 --cache-dir=cache -f gem kept.bin
ok "a part keeps the index that it builds" test "$(ls cache)"

# Hosts that share a file system have different device numbers for it: an overlay has its own.
on_two_hosts()
{
	unshare -m sh -c '
		mount -t tmpfs none shared &&
			mkdir shared/here shared/empty shared/there &&
			cp -p kept.bin shared/here &&
			mount -t overlay none -o lowerdir=shared/here:shared/empty shared/there ||
			exit
		for host in here there; do
			"$TRAWL" -q -t stats --cache-dir=shared/cache -f gem shared/$host/kept.bin >$host
		done
		ls shared/cache | wc -l' 2>err
}
mkdir shared
if indexes=$(on_two_hosts); then
	is "an index kept by another host: used" 1 "$indexes"
	ok "... with the same result" cmp here there
else
	skip "an index kept by another host" "no overlay can be mounted"
fi

# What a source was told before is found in time, though there is nothing.
"$MKCAPTURE" -f encap -m all -n 3M --damage=flip,drop,cut --rate=0.3 -o made.bin
timeout 120 "$TRAWL" -t jsonl -f encap made.bin >out
is "much damage: an end" 1 "$?"
timeout 120 "$TRAWL" --threads=1 -t jsonl -f encap made.bin >one
ok "much damage: the same" cmp one out

targets=jsonl numbers="2 7"
"$MKCAPTURE" -m all -n 2M --damage=flip,drop -o made.bin
is "messages chosen by their text" "" "$(differ -s warning -r 'e.*1' -f syst/raw made.bin)"

# What holds at a message, said by words of another trace and of its own, is the same
# for who prints a part.
mkdir lab
"$MKCAPTURE" -c 40000 -m contexts --rate=0.01 --jitter=5000 --sync=200 session lab
for trace in soc.stp dsp.gem; do
	targets=jsonl numbers="2 7"
	is "$trace: contexts" "" "$(differ --source=$trace lab/session.yaml)"
	"$TRAWL" -q -t jsonl --source=$trace lab/session.yaml >one
	ok "$trace: contexts are said" grep -q '"context":{"task":{"value"' one
	for part in 1 2 3 4 5; do
		"$TRAWL" -q -t jsonl --split=$part/5 --source=$trace lab/session.yaml
	done >parts
	ok "$trace: contexts of parts" cmp one parts
done

run "$TRAWL" --threads=many -t none "$testdata/demo.stp"
is "--threads: a number" 2 "$status"

# A pipe is read by one thread, whatever is asked for.
"$TRAWL" --threads=1 -t csv -f syst/raw made.bin >one
"$TRAWL" --threads=4 -t csv -f syst/raw - <made.bin >two
cat made.bin | "$TRAWL" --threads=4 -t csv -f syst/raw - >three
sed 1d one | cut -d , -f 1,3- >want
for got in two three; do
	sed 1d $got | cut -d , -f 1,3- >got
	ok "standard input: $got" cmp want got
done

# A small disk: what is there ends with a whole message.
if test -w /dev/full && command -v prlimit >/dev/null; then
	prlimit --fsize=100000 sh -c "trap '' XFSZ; '$TRAWL' -t csv -f syst/raw made.bin >short" 2>err
	is "no room: status" 2 "$?"
	ok "no room: most of it is there" test "$(wc -c <short)" -gt 90000
	head -c "$(wc -c <short)" one >want
	ok "no room: whole messages" cmp want short
	is "no room: ... to the end" 1 "$(tail -c 1 short | lines /dev/stdin)"
else
	skip "no room" "no prlimit(1)"
fi

finish
