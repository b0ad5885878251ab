#!/bin/sh
# A person opens a capture, looks round, and finds the shell as it was.

# shellcheck source=tests/term/lib.sh
. "${srcdir:-.}/tests/term/lib.sh"

scene 80 24
keys -l "TERM=screen-256color '$TRAWL' '$testdata/demo.stp'"
keys Enter
shows "the capture opens" "board"
shows "the first run says which keys" "$(notice WELCOME F1 q)"
keys G
shows "G goes to the end" "back in service after 112 ms"
keys -l "?"
keys -l "bite: task"
keys Enter
shows "a search goes back" 'bite: task "audio" stuck'
keys p x
shows "the detail pane opens" "─ message "
shows "the hex pane opens and has the cursor" "═ bytes "
keys F1
shows "the card has the keys" "keys of the list"
keys q
hides "and closes" "keys of the list"
in_tmux resize-window -x 200 -y 30
shows "a wider screen shows numbers" "message"
keys C-c
shows "Ctrl-C does not quit" "$(notice KEY_QUITS q)"
keys q q q q
hides "q does, after the panes, once more" "board"
shows "the shell's screen is back" "ready> TERM="
keys -l "echo still \$((40 + 2))"
keys Enter
shows "and its terminal works" "still 42"
finish
