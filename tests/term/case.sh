#!/bin/sh
# A case on the screen: it is read only, and leaves nothing when it ends.

# shellcheck source=tests/term/lib.sh
. "${srcdir:-.}/tests/term/lib.sh"

# Whether the folder of the case is gone, within 10 seconds.
is_gone()
{
	for try in $(seq 100); do
		test -n "$(ls unpacked)" || return 0
		sleep 0.1
	done
	echo "# it is there, $try times"
	return 1
}

mkdir unpacked
"$TRAWL" -q --pack lab.trawl "$testdata/lab.yaml"
before=$(cksum <lab.trawl)
scene 80 24
keys -l "TMPDIR=\$PWD/unpacked '$TRAWL' lab.trawl"
keys Enter
shows "the title names the case" "lab.trawl (read only)  5 traces"
ok "it is unpacked" test -f unpacked/trawl-*/captures/lab-soc.stp
keys -l 100G
shows "it is read" "100 of 531"
keys -l "AFrame lost"
keys Enter
keys -l Q
shows "notes are not kept" "a case is read only"
keys -l ":save"
keys Enter
shows ":save wants a name" "$(notice SAVE_WHERE)"
keys -l ":save mine.yaml"
keys Enter
shows ":save FILE saves" "mine.yaml"
keys -l Q
shows "then Q quits" "ready>"
ok "no state is kept" test -z "$(find "$XDG_STATE_HOME" -name '*.yaml')"
ok "nothing is left" is_gone
is "the case is unchanged" "$before" "$(cksum <lab.trawl)"

keys -l "clear; TMPDIR=\$PWD/unpacked '$TRAWL' --session=mine.yaml -c marks lab.trawl"
keys Enter
shows "--session shows the notes" "Frame lost"
keys -l Q
keys -l "clear; cp '$testdata'/lab* .; '$TRAWL' lab.yaml"
keys Enter
shows "the session itself" "1 of 531"
keys -l "100GAFrom the state"
keys Enter
shows "a note is made" "100 of 531"
keys -l Q
hides "it is kept" "100 of 531"
"$TRAWL" -q --pack state.trawl lab.yaml
ok "a case has what is kept" sh -c "tar xOf state.trawl session.yaml.session.yaml | grep -q 'From the state'"
keys -l "clear; TMPDIR=\$PWD/unpacked '$TRAWL' state.trawl"
keys Enter
shows "... and the place" "100 of 531"
in_tmux kill-server
ok "... nor after SIGHUP" is_gone
finish
