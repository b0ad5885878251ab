#!/bin/sh
# View, theme and keys: what is printed is what is read.

# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

# Prints the looks again from the file that `one` is; comments say where they are from.
again()
{
	"$TRAWL" --dump-config --config=one >two &&
		sed 's/  # .*//' one >one.plain && sed 's/  # .*//' two | cmp one.plain -
}

for keys in default emacs less lnav; do
	"$TRAWL" --dump-config --keys=$keys >one
	ok "keys $keys: what is printed loads as it was" again
done
"$TRAWL" --dump-config "$testdata/all-gem.bin" >one
ok "the view is that of the capture's format" grep -q "name: word" one
ok "and loads as it was" again
NO_COLOR=1 "$TRAWL" --dump-config >one
ok "NO_COLOR: no colours" sh -c '! grep -q "fg:" one'
"$TRAWL" --dump-config --keys=less --config=one >two
ok "an option goes before the file" grep -q 'down: "j e Down' two

printf 'view:\n  columns:\n    - {name: text, width: wide}\n' >bad.yaml
run "$TRAWL" --config=bad.yaml --dump-config
is "a mistake ends it" 2 "$status"
ok "with its place and what was expected" grep -q \
	'bad.yaml:3:27: view.columns\[0\].width is "wide"; expected a number' err
printf 'down: j\nup: j\n' >bad.yaml
run "$TRAWL" --keys=./bad.yaml --dump-config
is "a key given twice ends it" 2 "$status"
ok "with the name of the other command" grep -q 'bad.yaml:2:5: up: j is a key of down' err

# What a file does not mention stays.
printf 'rules: [{filter: boot, role: error}]\n' >rules.yaml
"$TRAWL" --dump-config --view=./rules.yaml "$testdata/all-gem.bin" >one
ok "a view with rules only has the columns of the format" grep -q "name: word" one
printf 'error: {fg: blue}\n' >colour.yaml
"$TRAWL" --dump-config --theme=./colour.yaml >one
ok "a theme with one role has it" grep -q 'error: {fg: blue}' one
ok "and the other roles" grep -q 'fatal: {fg: red, bold: true}' one
printf 'theme: {note: {fg: green}}\nkeys: {down: x}\n' >both.yaml
"$TRAWL" --dump-config --config=both.yaml >one
ok "a config with one role has the others" grep -q 'fatal: {fg: red' one
ok "and the columns" grep -q 'name: severity' one

# Where each setting is from: a file and its line, an option, or what is compiled in.
printf '# mine\ntheme:\n  note: {fg: green}\nkeys: {down: x}\n' >both.yaml
printf 'header: false\nbar: true\n' >own.yaml
run "$TRAWL" --dump-config --config=both.yaml --view=./own.yaml --layout=side --mouse
from()
{
	is "$1 is from $2" "$2" "$(sed -n "s/^  $1: .*  # //p" out | head -n 1)"
}
from note both.yaml:3
from bar ./own.yaml:2
from header ./own.yaml:1
from layout --layout
from mouse --mouse
ok "which turns it on" grep -q '^  mouse: true ' out
from time 'built-in views/default'
from error 'built-in themes/default'
is "down is from both.yaml:4" both.yaml:4 "$(sed -n 's/^  down: .*  # //p' out)"
is "every setting says it" 0 "$(grep -c '^  [a-z].*: [^#]*$' out)"
run "$TRAWL" --dump-config "$testdata/all-gem.bin"
is "the columns of the format" "  columns:  # built-in views/gem" "$(grep "^  columns:" out)"

# Every name is checked: bad FILE TEXT WHAT is expected of OPTION=./FILE.
bad()
{
	printf "$2" >"$1"
	run "$TRAWL" "$4=./$1" --dump-config "$testdata/demo.stp"
	is "$3: it is refused" 2 "$status"
	ok "$3: where, and what was expected" grep -qF "$3" err
}
bad v.yaml 'columns:\n  - {name: orgin}\n' 'v.yaml:2:12: columns[0].name is "orgin"' --view
ok "with the nearest" grep -qF 'did you mean origin?' err
bad k.yaml 'down: j\nup: Ctrl-Foo\n' 'k.yaml:2:5: up is "Ctrl-Foo"; expected keys like' --keys
bad k.yaml 'up: Hmoe\n' 'did you mean Home?' --keys
bad t.yaml '\nerror: {fg: rde}\n' 't.yaml:2:13: error.fg is "rde"; expected' --theme
bad p.yaml 'traces:\n  - match: "*"\n    format: gme\n' \
	'p.yaml:3:13: traces[0].format is "gme"; expected a format' --profile
ok "with the nearest" grep -qF 'did you mean gem?' err
bad p.yaml 'traces:\n\t- match: "*"\n' 'p.yaml:2:1: not YAML: a tab indents' --profile
bad p.yaml 'traces: [{match: a, clock: {hz: -1}}]\n' \
	'p.yaml:1:33: traces[0].clock.hz is "-1"; expected a number above 0' --profile
bad p.yaml 'traces: [{match: a, clock: {hz: 0}}]\n' 'p.yaml:1:33: ' --profile
bad p.yaml 'traces: [{match: a, csel: {tick_us: 0}}]\n' 'p.yaml:1:37: ' --profile
bad p.yaml 'sync: [{kind: offset, trace: a, seconds: 1e12}]\n' 'p.yaml:1:42: ' --profile
# All mistakes of a file are told in one run, in its order: a wrong key, type and value.
cat >three.yaml <<'EOF'
traces:
  - match: [a, b]
    formt: stp
    clock: {hz: 48 MHz}
EOF
run "$TRAWL" -t none -p three.yaml "$testdata/demo.stp"
is "three mistakes: no output" 2 "$status"
is "three mistakes: each with its place and what to write" \
'trawl: three.yaml:2:12: traces[0].match is a list; expected a single value, for example "match: WORD"
trawl: three.yaml:3:5: unknown key formt in traces[0]; did you mean format?
trawl: three.yaml:4:17: traces[0].clock.hz is "48 MHz"; expected a number above 0, up to 1000000000000, for example "hz: 48000000"' \
	"$(cat err)"

finish
