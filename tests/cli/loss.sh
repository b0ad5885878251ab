#!/bin/sh
# What is missing is said: streams that break off, files that are cut while they are
# read, and limits of the system, under which all works or says what is missing.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
"$MKCAPTURE" -f syst/raw -c 100000 -o big.bin

# limited RESOURCE VALUE COMMAND...: as run, with less of it.
limited()
{
	resource=$1
	value=$2
	shift 2
	# shellcheck disable=SC3045  # -v and -n are not in POSIX, but in our shells
	(ulimit "$resource" "$value" && exec "$@") >out 2>err </dev/null
	status=$?
}

# What of a stream cannot be kept; the output has no limit.
broken_stream()
{
	cat big.bin | {
		ulimit -f 600
		"$TRAWL" "$@" -f syst/raw - 2>err
		echo $? >status
	} | cat >out
	status=$(cat status)
}

# Its end says so, in every format.
for format in text csv csv-systprint hex stats none jsonl; do
	broken_stream -t $format
	is "a stream that cannot be kept, -t $format: status" 1 "$status"
	is "... is said once" 1 "$(grep -c 'stdin: the stream broke off after .* bytes' err)"
	ok "... with what to do" grep -q -- '--spool=DIR or TMPDIR' err
done
is "the last row is lost, and stands behind all bytes that came" 1 \
	"$(tail -n 1 out | grep -c '"length":0,.*"type":"loss",.*"flags":\["lost"\]')"
broken_stream --check=loss -q
is "--check=loss: status" 1 "$status"

# A file needs no room elsewhere.
run env TMPDIR=/nonexistent "$TRAWL" -t csv -f syst/raw big.bin
is "a file, and no folder for a spool: status" 0 "$status"

# A file that is cut while it is read.
cut_while_read()
{
	cp big.bin cut.bin
	rm -f pipe
	mkfifo pipe
	"$TRAWL" -t "$1" -f syst/raw cut.bin >pipe 2>err &
	{
		head -c 1000 >/dev/null
		truncate -s 1000000 cut.bin
		cat
	} <pipe >out
	wait $!
	status=$?
}
for format in text csv jsonl hex csv-systprint; do
	cut_while_read $format
	is "cut while it is read, -t $format: status" 1 "$status"
	ok "... is said" grep -q 'cut.bin: the file became shorter while it was read' err
done
cut_while_read jsonl
is "... the last row is lost" 1 "$(tail -n 1 out | grep -c '"type":"loss".*"lost"')"
is "... zeros that are no zeros are damaged" "" \
	"$(grep 'zero bytes' out | awk -F '"offset":' '$2 + 0 >= 1048576' | grep -v damaged)"

# Address space: all of it, or a sentence.
if (ulimit -v 20000000) 2>/dev/null && ! grep -q __asan "$TRAWL"; then
	run "$TRAWL" -t text "$testdata/lab.yaml"
	want=$(cksum <out)
	most=${TRAWL_STEPS:-8}
	step=1
	while test $step -le "$most"; do
		limited -v $((500000 + (20000000 - 500000) * (step - 1) / (most - 1))) \
			"$TRAWL" -t text "$testdata/lab.yaml"
		is "address space, step $step" "$want" "$(cksum <out)"
		step=$((step + 1))
	done
	limited -v 70000 "$TRAWL" -t none -f syst/raw big.bin # of which libraries take 60000
	is "too little address space: status" 2 "$status"
	ok "... what is missing" grep -q 'not enough address space: .* are needed' err
else
	skip "address space" "it cannot be limited here"
fi

# Many captures, few descriptors.
printf 'traces:\n' >many.yaml
for i in $(seq 300); do
	head -c 3200 big.bin >"many-$i.bin"
	printf '  - file: many-%d.bin\n    format: syst/raw\n' "$i" >>many.yaml
done
run "$TRAWL" -t csv many.yaml
want=$(cksum <out)
is "300 captures" 300 "$(cut -d , -f 2 out | sort -u | grep -c many)"
limited -n 256 "$TRAWL" -t csv many.yaml
is "300 captures, 256 descriptors" "$want" "$(cksum <out)"
limited -n 64 "$TRAWL" -t csv many.yaml
is "300 captures, 64 descriptors" "$want" "$(cksum <out)"
# Little memory for so many: all of it, or one sentence and status 2.
if (ulimit -v 20000000) 2>/dev/null && ! grep -q __asan "$TRAWL"; then
	for format in stats jsonl; do
		limited -v 300000 "$TRAWL" --no-cache -t $format many.yaml
		test "$status" -lt 2 ||
			is "little memory, -t $format: what is said" 1 \
				"$(grep -c 'out of memory; \|address space' err)"
		ok "little memory, -t $format: no crash" test "$status" -le 2
	done
else
	skip "memory" "it cannot be limited here"
fi

# A full disk: status 2, and what cannot be written.
for option in --help --version --list-formats --list-fields --dump-config \
	"--info big.bin" "-t text big.bin" "-t stats big.bin"; do
	# shellcheck disable=SC2086  # options and a file
	"$TRAWL" $option >/dev/full 2>err
	is "$option to a full disk: status" 2 "$?"
	ok "... what cannot be written" grep -q 'trawl: cannot write standard output: No space' err
done
limited -f 400 "$TRAWL" -t jsonl -f syst/raw -o part.jsonl big.bin
is "a file that has no room: status" 2 "$status"
ok "... its name" grep -q 'trawl: cannot write part.jsonl: File too large; no file' err
ok "... and it is not there" test ! -e part.jsonl
limited -f 400 "$TRAWL" -t jsonl -f syst/raw big.bin
ok "standard output ends with a whole message" test "$(tail -c 2 out)" = "}"

run "$TRAWL" -p /dev/null -t none "$testdata/len32.bin"
is "an empty profile: /dev/null" 0 "$status"

finish
