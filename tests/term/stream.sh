#!/bin/sh
# A capture from a pipe: keys come from the terminal; and Ctrl-Z leads to the
# shell and back.

# shellcheck source=tests/term/lib.sh
. "${srcdir:-.}/tests/term/lib.sh"

scene 80 24
keys -l "cat '$testdata/demo.stp' | '$TRAWL' -f syst/stp -"
keys Enter
shows "a stream opens" "stdin"
shows "the first run says which keys" "$(notice WELCOME F1 q)"
keys G
shows "keys come from the terminal" "$(notice NO_COLLATERAL stdin)" # the profile is not for stdin
keys k
shows "and go on" "308 of 309"
keys q
hides "q quits" "308 of 309"

keys -l "clear; '$TRAWL' '$testdata/demo.stp'"
keys Enter
shows "a file opens" "1 of 309"
keys -l 100G
shows "a message is found by number" "100 of 309"
keys C-z
hides "Ctrl-Z leaves the screen" "100 of 309"
keys -l "echo in the \$((1 + 1))nd shell"
keys Enter
shows "the shell has its terminal" "in the 2nd shell"
keys -l fg
keys Enter
shows "fg comes back to the place" "100 of 309"
keys j
shows "and goes on" "101 of 309"
keys q
shows "until q" "in the 2nd shell"

# Without threads all works that needs none, and that is said.  Root has no limit.
as=
test "$(id -u)" -ne 0 || as="setpriv --reuid=65534 --clear-groups"
if $as test -x "$TRAWL" -a -r "$testdata/demo.stp" 2>/dev/null; then
	keys -l "clear; $as prlimit --nproc=1 '$TRAWL' --no-cache '$testdata/demo.stp'"
	keys Enter
	shows "without threads it is said" "$(notice NO_THREADS | cut -c 1-30)"
	keys -l G
	shows "and one gets about all the same" "309 of 309"
	keys -l Q
	hides "and out" "309 of 309"
fi
finish
