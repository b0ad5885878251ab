#!/bin/sh
# Mistyped names: each gets an error or a line on standard error, with the nearest name.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
lab=$testdata/lab.yaml

# said WHAT STATUS SENTENCE ARGUMENT...: the run ends so and says so
said() {
	said_what=$1 said_status=$2 said_line=$3
	shift 3
	run "$TRAWL" "$@" "$lab"
	is "$said_what: status" "$said_status" "$status"
	ok "$said_what: why" grep -qF -e "$said_line" err
}

# Columns of lines and tables.
said "--fields: an interval" 2 'no interval is named mailbx; did you mean mailbox?' \
	--fields=interval.mailbx
said "--fields: a context" 2 'no context is named tsk; did you mean task?' --fields=context.tsk
said "--template: a context" 2 'did you mean task?' --template='{context.tsk}'
said "--by: a span" 2 'no context is named tsk; did you mean task?' --by=span.tsk
said "--by: no name" 2 \
	'interval needs a name, as in interval.NAME; there are interval.mailbox' --by=interval
said "--fields: no name" 2 'interval needs a name' --fields=interval
said "--fields: an argument that no message has" 1 \
	'no message here has tme; did you mean time?' -t csv --fields=tme,text
said "--fields: a column that is no value" 1 \
	'no message here has nmber; did you mean number?' -t csv --fields=nmber
said "--template: an argument that no message has" 1 'did you mean time?' --template='{tme}'
said "--by: an argument that no message has" 1 'no message here has arg.sqe' --by=arg.sqe
said "--of: an argument that no message has" 1 'no message here has foo' --by=origin --of=foo
run "$TRAWL" --fields=seq "$lab"
ok "a field of some messages" test -z "$(grep 'no message' err)"
run "$TRAWL" --by=arg.seq "$lab"
ok "an argument of some messages" test -z "$(grep 'no message' err)"
run "$TRAWL" -q -t csv --fields=tme "$lab"
is "-q: no warnings" "" "$(cat err)"

# What an argument error must not leave behind.
for wrong in --fields=interval --by=orgin --template='{' -ewrong --columns=tme -tcvs; do
	run "$TRAWL" -o left "$wrong" "$lab"
	is "$wrong: status" 2 "$status"
	ok "$wrong: no file" test ! -e left
done

# Losses are named in every format.
for format in text csv jsonl table none; do
	run "$TRAWL" -t "$format" -o "loss.$format" "$lab"
	is "-t $format: what was lost" 'trawl: 2 lost messages; -t text marks them' "$(cat err)"
	is "-t $format: status" 1 "$status"
done

finish
