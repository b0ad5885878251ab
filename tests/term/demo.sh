#!/bin/sh
# The demo of an installed trawl, as text and on a terminal.  `make check` installs nothing,
# so this runs by itself: TRAWL=/usr/bin/trawl tests/term/demo.sh

# shellcheck source=tests/term/lib.sh
. "${srcdir:-.}/tests/term/lib.sh"

run "$TRAWL" -q -t text --demo
is "--demo as text: status of a session with losses" 1 "$status"
is "... and the messages" 1 "$(grep -c 'seq 70 given up' out)"
# [RISC-V Unprivileged ISA, "RV32I Base Integer Instruction Set": AUIPC]
run "$TRAWL" -q -t insn --fields opcode,text --demo
ok "a disassembler is installed" grep -qx '0x00000297,"auipc t0, [0x]*0"' out

scene 80 24
keys -l "TERM=xterm '$TRAWL' --demo"
keys Enter
shows "--demo opens on a terminal" "5 traces"
keys Q
shows "Q leads back to the shell" "ready>"
hides "... and leaves nothing" "5 traces"
finish
