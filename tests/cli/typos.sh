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

# Values in filters that no message has: known once all is read, and no error.
said "-e: an origin" 1 'no origin is named mailbx; did you mean mailbox?' -e 'origin = mailbx'
said "-e: two origins" 1 'no origin is named camra; did you mean camera?' \
	-e 'origin in {mailbox, camra}'
said "-e: an origin in part" 1 'did you mean mailbox?' -e 'severity = error and not origin = mailbx'
said "--exclude: an origin" 1 'did you mean mailbox?' --exclude='origin = mailbx'
said "--origin: an origin" 1 'did you mean mailbox?' --origin=mailbx
said "--origin: one of two" 1 'did you mean mailbox?' --origin=camera,mailbx
said "--origin: a trace" 1 'no origin is named soc; soc is a trace: trace = soc' --origin=soc
said "--origin: as in the list" 1 \
	'no origin is named soc mailbox; soc is a trace: trace = soc and origin = mailbox' \
	--origin='soc mailbox'
said "-e: a trace" 1 'no trace is named sco; did you mean soc?' -e 'trace = sco'
said "-e: a type" 1 'no message has the type evnt; did you mean event?' -e 'type = evnt'
run "$TRAWL" -e 'trace = soc and origin = mailbox' "$lab"
ok "what is proposed: there are some" test "$(wc -l <out)" -gt 20
ok "what is proposed: no warning" test -z "$(grep named err)"
run "$TRAWL" -q -e 'origin = mailbx' "$lab"
is "-e: -q" "" "$(cat err)"

cp "$testdata/lab-soc.stp" soc.stp

# A number that the format of the trace cannot hold has no effect.
cat >number.yaml <<END
traces: [{file: soc.stp, format: syst/stp, name: soc}]
origins: [{trace: soc, module: 900, name: x}, {module: 127, name: y}]
END
run "$TRAWL" -t none number.yaml
is "profile: a module above 7 bits" \
	'trawl: number.yaml:2:32: origins[0].module is 900; expected a number up to 127' "$(cat err)"

# The title has the names alone.
run "$TRAWL" --snapshot=80x24 --no-state --origin=mailbox "$lab"
ok "the title: an origin" grep -q ' only mailbox ' out
run "$TRAWL" --snapshot=80x24 --no-state -e 'origin = mailbox' "$lab"
ok "the title: an expression" grep -q ' only origin = mailbox ' out

# What an argument error must not leave behind.
for wrong in --fields=interval --by=orgin --template='{' -ewrong --columns=tme -tcvs; do
	run "$TRAWL" -o left "$wrong" "$lab"
	is "$wrong: status" 2 "$status"
	ok "$wrong: no file" test ! -e left
done

# Profiles: all mistakes with their places.
cat >profile.yaml <<END
format: syst/stp
tarces: []
traces:
  - {file: soc.stp, format: syst/stp, transport: stp, syst: {guid: 12-34}}
origins:
  - {trace: soc, module: 70000, name: x}
  - {trace: soc, guid: "{01020304-0506-0708-090a-0b0c0d0e0f1}", name: y}
  - {trace: soc, guid: "{01020304-0506-0708-090a-0b0c0d0e0f10}", name: y}
  - {trace: soc, guid: 01020304-0506-0708-090A-0b0c0d0e0f10, name: y}
  - {trace: soc, modul: 10, name: y}
END
run "$TRAWL" -t none profile.yaml
is "profile: status" 2 "$status"
guid='expected a GUID, as 01234567-89ab-cdef-0123-456789abcdef, with or without braces'
is "profile: every mistake" "trawl: profile.yaml:1:1: unknown key format in the file; \
it belongs under traces: - format:
trawl: profile.yaml:2:1: unknown key tarces in the file; did you mean traces?
trawl: profile.yaml:4:39: unknown key transport in traces[0]; it belongs under traces: - syst: transport:
trawl: profile.yaml:4:68: traces[0].syst.guid is \"12-34\"; $guid
trawl: profile.yaml:6:26: origins[0].module is \"70000\"; expected a whole number from -1 to 65535
trawl: profile.yaml:7:24: origins[1].guid is \"{01020304-0506-0708-090a-0b0c0d0e0f1}\"; $guid
trawl: profile.yaml:10:18: unknown key modul in origins[4]; did you mean module?" \
	"$(cat err)"

# Losses are named in every format.
for format in text csv jsonl table none; do
	run "$TRAWL" -t "$format" -o "loss.$format" "$lab"
	is "-t $format: what was lost" 'trawl: 2 lost messages; -t text marks them' "$(cat err)"
	is "-t $format: status" 1 "$status"
done

# The screen asks for names once the collateral is loaded, which gives origins theirs.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$TRAWL" --no-state --snapshot=80x10 -e 'origin = dma' "$testdata/demo.stp"
done >shown 2>err
is "names that collateral gives are known" "12 0" \
	"$(grep -c ' of 309, row 1 of ' shown) $(grep -c 'is named' shown)"

finish
