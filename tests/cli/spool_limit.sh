#!/bin/sh
# --spool-limit of output: what a stream has sent is written and then let go of, so the disk
# has no more than the limit; what needs all of it gets the newest bytes, and says so.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

LIMIT=128000000
ROWS=1100000 # of 206 bytes: 227 MB

# A line of a kernel's log each.
rows()
{
	awk -v rows=$ROWS -v text="$(printf '%0190d' 0 | tr 0 r)" \
		'BEGIN { for (i = 0; i < rows; i++) printf "[%5d.%06d] %s\n", i / 1000, i % 1000, text }'
}

limited()
{
	rows | "$TRAWL" -f text --no-cache --spool="$scratch" --spool-limit=128M "$@" - >out 2>err
	status=$?
}

# Bytes of disk of what process $1 keeps in this folder.
disk()
{
	for file in /proc/"$1"/fd/*; do
		case $(readlink "$file") in
		"$scratch"/*deleted*) stat -L -c %b "$file" ;;
		esac
	done | awk '{ sum += 512 * $1 } END { print 0 + sum }'
}

if ! rows | head -n 1 | "$TRAWL" -f text -t none --spool="$scratch" --spool-limit=128M - 2>err
then
	skip "a limit" "$(head -n 1 err)" # a file system that cannot give parts back
	finish
	exit
fi

# Nothing is lost of what is written as it comes.
limited -t text
is "a stream: status" 0 "$status"
is "a stream: nothing to say" "" "$(cat err)"
rows | "$TRAWL" -f text --no-cache -t text - >whole
ok "a stream: every message" cmp -s out whole
rm -f whole

# The disk has the limit at most, while the stream goes on.
if test -d /proc/self/fd; then
	mkfifo pipe
	"$TRAWL" -f text --no-cache --spool="$scratch" --spool-limit=128M -t none -v pipe \
		>out 2>err &
	pid=$!
	exec 9>pipe
	rows >&9
	most=$(disk $pid)
	ok "a stream that goes on: the disk has a limit" \
		test "$most" -gt $((LIMIT / 2)) -a "$most" -le $LIMIT
	exec 9>&-
	wait $pid
	is "a stream that goes on: status" 0 $?
	is "a stream that goes on: messages" "trawl: $ROWS messages" "$(cat err)"
else
	skip "disk" "no /proc"
fi

# A filter as well.
limited -t none -v -e 'text ~ rrr'
is "a stream, a filter" "trawl: $ROWS messages" "$(tail -n 1 err)"

# And a compressed capture.
if has_feature "compressed captures"; then
	rows | gzip -1 >rows.gz
	run "$TRAWL" -f text --no-cache --spool="$scratch" --spool-limit=128M -t none -v rows.gz
	is "a compressed capture: status" 0 "$status"
	is "a compressed capture: every message" "trawl: $ROWS messages" "$(cat err)"
	rm rows.gz
else
	skip "a compressed capture" "built without libarchive"
fi

# What needs all before it writes has the newest, behind a message of what is lost.
limited -t stats
is "the newest: status" 1 "$status"
is "the newest: said" "trawl: 1 lost message; -t text marks them" "$(cat err)"
kept=$(awk '$2 == "(all)" { print $3 - 1 }' out)
ok "the newest: as many as fit ($kept)" test "$kept" -gt $((ROWS / 3)) -a "$kept" -lt $ROWS
limited -t csv -e 'gap >= 0s or type = loss'
is "the newest, as csv: status" 1 "$status"
ok "the newest, as csv: said" grep -q ' dropped: --spool-limit keeps the newest 128.0 MB' out
is "the newest, as csv: numbers" "$((ROWS - kept)) $ROWS" \
	"$(sed -n 2p out | cut -d, -f 1) $(tail -n 1 out | cut -d, -f 1)"

# What looks at whole captures is refused.
run "$TRAWL" --spool-limit=1G --info "$testdata/demo.stp"
is "--info: status" 2 "$status"
ok "--info: said" grep -q 'look at whole captures; leave out --spool-limit' err
run "$TRAWL" --spool-limit=1G -t raw "$testdata/demo.stp"
is "-t raw: status" 2 "$status"
ok "-t raw: said" grep -q 'needs whole captures; leave out --spool-limit' err
finish
