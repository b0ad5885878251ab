#!/bin/sh
# What -o does to files, in every fault: the old file stays as it was or is replaced by a whole
# one, the notice names which, and the exit status is 2 when nothing was written.

# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
cp "$testdata/demo.stp" cap.stp
sum=$(cksum <cap.stp)
"$TRAWL" -q -t text cap.stp >want

# fails NAME TEXT ARGUMENT...: status 2, TEXT on standard error, and `old` as it was
fails()
{
	name=$1 text=$2
	shift 2
	run "$TRAWL" -q "$@" cap.stp
	is "$name: status" 2 "$status"
	ok "... $text" grep -q -e "$text" err
	is "... the old file" "old bytes" "$(cat old)"
	is "... the capture" "$sum" "$(cksum <cap.stp)"
	is "... no other file is left" "" "$(ls -A | grep -vE '^(cap.stp|old|want|out|err|\.state|link|hard|fifo|dir|sub)$')"
}

echo "old bytes" >old
fails "without --force" "old exists; --force" -t text -o old
fails "a usage error" "no rows" -t insn -o old --force
fails "another one" "--by" -t text --by=severity -o old --force
for target in cap.stp ./cap.stp; do
	fails "the open capture" "is an open capture" -t raw -o $target --force
done
ln -s cap.stp link
fails "a link to it" "is an open capture" -t raw -o link --force
rm link
ln cap.stp hard
fails "its other name" "is an open capture" -t raw -o hard --force
rm hard
ln old hard
fails "a file with two names" "hard links" -t text -o old --force
rm hard
mkdir dir
fails "a folder" "it is a folder" -t text -o dir --force
fails "a folder that is missing" "No such file" -t text -o none/x --force
(
	ulimit -f 8
	"$TRAWL" -q -t text -o old --force cap.stp 2>err
	echo $? >sub
)
is "no space: status" 2 "$(cat sub)"
ok "... says that the old file stays" grep -q "the old file is unchanged" err
is "... and it does" "old bytes" "$(cat old)"
(
	ulimit -f 8
	"$TRAWL" -q -t csv -o fresh cap.stp 2>err
	echo $? >sub
)
is "no space, a new file: status" 2 "$(cat sub)"
ok "... says that nothing was written" grep -q "no file was written" err
ok "... and nothing is there" test ! -e fresh

if test "$(id -u)" -eq 0 && command -v setpriv >/dev/null; then
	mkdir dir/closed
	cp old dir/closed/old
	chmod 666 dir/closed/old
	chmod 755 . dir dir/closed
	as="setpriv --reuid=65534 --regid=65534 --clear-groups"
	if $as test -x "$TRAWL" -a -r cap.stp; then
		run $as "$TRAWL" --no-cache -q -t text -o dir/closed/old --force cap.stp
		is "a folder that is not ours: status" 2 "$status"
		ok "... says so" grep -q "no new file in its folder" err
		is "... the old file" "old bytes" "$(cat dir/closed/old)"
	else
		skip "a folder that is not ours" "the program is not reachable for others"
	fi
	rm -r dir/closed
	chown 1234:4321 old
	chmod 640 old
	run "$TRAWL" -q -t text -o old --force cap.stp
	is "another owner, mode 0640: status" 1 "$status"
	is "... are kept" "1234:4321 640" "$(stat -c '%u:%g %a' old)"
	ok "... and the output is whole" cmp -s old want
else
	skip "other owners" "needs root"
fi

ln -s old link
run "$TRAWL" -q -t text -o link --force cap.stp
ok "a link to a file stays a link" test -h link
ok "... and the file has the output" cmp -s old want
rm link

for device in /dev/null /dev/stdout; do
	run "$TRAWL" -q -t text -o $device cap.stp
	is "$device needs no --force: status" 1 "$status"
done
ok "... and standard output has it" cmp -s out want
if test -w /dev/full; then
	run "$TRAWL" -q -t text -o /dev/full cap.stp
	is "a full device: status" 2 "$status"
	ok "... is still a device" test -c /dev/full
fi
mkfifo fifo
cat fifo >piped &
run "$TRAWL" -q -t text -o fifo cap.stp
wait
ok "a FIFO gets all" cmp -s piped want
ok "... and is still one" test -p fifo

run "$TRAWL" -q -t ctf -o trace cap.stp
ok "a CTF folder is complete" test -s trace/metadata -a -s trace/stream
before=$(cksum <trace/stream)
run "$TRAWL" -q -t ctf -o trace --force cap.stp
is "a folder with files is never replaced: status" 2 "$status"
is "... and stays" "$before" "$(cksum <trace/stream)"
(
	ulimit -f 8
	"$TRAWL" -q -t ctf -o cut cap.stp 2>err
	echo $? >sub
)
is "a CTF folder without space: status" 2 "$(cat sub)"
ok "... leaves nothing" test -z "$(ls -d cut* 2>/dev/null)"

# A growing output is there at once and takes no file's place.
head -c 8000 cap.stp >grows.stp
"$TRAWL" -q -F -f syst/stp -t text -o live grows.stp 2>err &
pid=$!
n=0
while test ! -s live && test $n -lt 200; do
	n=$((n + 1))
	sleep 0.05
done
ok "lines of -F are visible at once" test -s live
kill -9 $pid
wait $pid 2>/dev/null
is "... whole ones after kill -9" "" "$(tail -c 1 live | tr -d '\n')"
lines=$(lines live)
run timeout 10 "$TRAWL" -q -F -t text -o live --force grows.stp
is "... which another run does not replace: status" 2 "$status"
is "... as they are still there" "$lines" "$(lines live)"

finish
