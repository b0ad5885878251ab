#!/bin/sh
# A program that changes while its trace is read: the output is that of the program as it was,
# the change is said, and the status is 1.  The trace comes through a pipe, so that the change
# is in the middle of it.  A memory image that changes: the same, but for the output.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

whole=$testdata/lab-hub.enc
cat >hub.yaml <<'EOT'
traces:
  - {match: "*", name: hub, format: encap, clock: {hz: 50000000},
     encap: {srcid_width: 8, timestamp_bytes: 8, sources: [{id: 3, name: hart 0}]},
     etrace: {call_counter_size: 4}}
symbols:
  - {file: hub.elf, optional: true}
EOT
mkfifo pipe

# Waits for what comes soon, half a minute at most.
soon()
{
	deadline=$(($(date +%s) + 30))
	until "$@"; do
		test "$(date +%s)" -lt $deadline || return
		sleep 0.02
	done
}

# meanwhile OPTION... -- COMMAND...: runs the command in the middle of the trace.
meanwhile()
{
	options=
	while test "$1" != --; do
		options="$options $1"
		shift
	done
	shift
	cp "$testdata/lab-hub.elf" hub.elf && chmod u+w hub.elf
	rm -f out err
	# shellcheck disable=SC2086  # words
	"$TRAWL" --profile=hub.yaml $options - <pipe >out 2>err &
	pid=$!
	exec 3>pipe
	head -c 2000 "$whole" >&3
	soon test -s out # then the program is read
	"$@"
	tail -c +2001 "$whole" >&3
	exec 3>&-
	wait $pid
	status=$?
}

# What is said, but for that a trawl without libdw knows no names.
said() { grep -v 'without the name of a function' err; }

truncated() { : >hub.elf; }
half() { head -c 2000 "$testdata/lab-hub.elf" >hub.elf; }
other() { cat "$TRAWL" >hub.elf; }
noise() { head -c 100000 /dev/zero | tr '\0' '\377' >hub.elf; }
replaced() { cp hub.elf new.elf && mv new.elf hub.elf; }
removed() { rm hub.elf; }

# As many columns as fill the first piece of output in the middle of the trace.
columns=pc,function,trace_number,opcode,class,origin,place,file,line,depth,text
changed="trawl: hub.elf changed while it was used: names and code may be wrong"
meanwhile -t insn -- true
is "no change: status" 0 "$status"
is "... and nothing is said" "" "$(said)"
cp out want
ok "... there are steps" test "$(lines want)" -gt 1000
if has_feature symbols; then
	"$TRAWL" --profile=hub.yaml -t insn --fields=$columns "$whole" >names
	ok "... and functions" grep -q '^[^,]*,[a-z_]' names
fi
for change in truncated half other noise replaced; do
	meanwhile -t insn -- $change
	is "$change: status" 1 "$status"
	is "... is said" "$changed" "$(said)"
	ok "... steps are those of the program as it was" cmp want out
	meanwhile -t insn --fields=$columns -- $change
	if has_feature symbols; then
		ok "... and names" cmp names out
	fi
done
meanwhile -q -t insn -- truncated
is "--quiet: status" 1 "$status"
is "... and nothing is said" "" "$(said)"
meanwhile -t insn -- removed
is "removed: status" 0 "$status"
is "... and nothing is said" "" "$(said)"
ok "... steps are the same" cmp want out

if ! has_feature "CoreSight trace"; then
	skip "memory images" "built without OpenCSD"
	finish
	exit
fi
# PTM [Arm IHI 0035]: A-sync, I-sync at 0x80004000, two atoms; I-sync at 0x80005000, an atom.
# The image is branches over an instruction [Arm DDI 0406, "B"].
cat >ptm.yaml <<'EOT'
traces:
  - match: "*"
    format: opencsd
    opencsd:
      format: source_data
      images: [{file: code.bin, address: 0x80004000}]
      sources: [{id: 0x10, protocol: PTM, core: Cortex-A15,
                 regs: {ETMCR: 0, ETMIDR: 0x411cf310, ETMCCER: 0}}]
EOT
{
	printf '\0\0\0\0\0\200\010\000\100\000\200\041\204\204'
	printf '\010\000\120\000\200\041\204'
} >ptm.bin
for change in : 'rm code.bin' ': >code.bin' 'echo >code.bin' 'cp code.bin new; mv new code.bin'; do
	awk 'BEGIN { for (i = 0; i < 2048; i++) printf "%c%c%c\352", 0, 0, 0 }' >code.bin
	"$TRAWL" --profile=ptm.yaml -t csv - <pipe >out 2>err &
	pid=$!
	exec 3>pipe
	head -c 14 ptm.bin >&3
	soon grep -q code.bin /proc/$pid/maps
	eval "$change"
	tail -c +15 ptm.bin >&3
	exec 3>&-
	wait $pid
	status=$?
	case $change in
	: | rm*)
		is "an image, $change: status" 0 "$status"
		is "... and nothing is said" "" "$(cat err)"
		;;
	*)
		is "an image, $change: status" 1 "$status"
		is "... is said" "trawl: code.bin changed while it was used: names and code may be wrong" \
			"$(cat err)"
		;;
	esac
	is "... messages come to the end" 1 "$(grep -c 'end of trace' out)"
done

finish
