#!/bin/sh
# View, theme and keys: what is printed is what is read.

# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

# Prints the looks again from the file that `one` is.
again()
{
	"$TRAWL" --dump-config --config=one >two && cmp one two
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
finish
