#!/bin/sh
# Where captures come from: files, standard input, pipes, FIFOs; and how their
# format is found.
# shellcheck disable=SC2002  # cat makes pipes here

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
small_capture

# Output but for the name of the trace.
csv()
{
	"$TRAWL" -t csv "$@" 2>err | sed 's/^\([0-9]*\),"[^"]*",/\1,/'
}

# A copy far from its profile, which would give names to what comes from it.
cp "$testdata/all-raw.bin" raw.bin
want=$(csv -f syst/raw raw.bin)
ok "a file" test -n "$want"
is "standard input that is a file" "$want" "$(csv -f syst/raw - <raw.bin)"
is "standard input that is a pipe" "$want" \
	"$(cat raw.bin | csv -f syst/raw -)"
is "a pipe in pieces" "$want" \
	"$({ head -c 1001; sleep 0.1; cat; } <raw.bin | csv -f syst/raw -)"
# The first 40 bytes of demo.stp are STP without SyS-T; the file has 309 messages.
slow()
{
	head -c 40 "$testdata/demo.stp"
	sleep "$1"
	tail -c +41 "$testdata/demo.stp"
}
slow 0.5 | "$TRAWL" -q -t text - >out 2>err
is "a short pause in the first bytes" 309 "$(lines out)"
slow 1.8 | "$TRAWL" -t none - 2>err
ok "what only few bytes showed is a guess" grep -q '^trawl: stdin: guessed 89 %: stp, .*bytes before a pause' err
(sed -n 2,4p "$testdata/log-zephyr.txt"; sleep 1.5; sed 1,4d "$testdata/log-zephyr.txt") |
	"$TRAWL" -t none - 2>err
is "but not of lines of a log" "" "$(grep guessed err)"
mkfifo fifo
cat raw.bin >fifo &
is "a FIFO" "$want" "$(csv -f syst/raw fifo)"
wait
is "FORMAT:FILE" "$want" "$(csv syst/raw:raw.bin)"
is "an empty pipe" "" "$(: | "$TRAWL" -t jsonl -f syst/raw - 2>err)"

cp raw.bin ./-odd-name.bin
is "a name that starts with -" "$want" "$(csv -f syst/raw -- -odd-name.bin)"
cp raw.bin 'a:b c.bin'
is "a name with a colon and a blank" "$want" "$(csv -f syst/raw 'a:b c.bin')"

# By content, without a profile.
for capture in all-raw.bin all-hex.txt all-msn.stp all-lsn.stp demo.stp len32.bin; do
	cp "$testdata/$capture" "plain-$capture"
	case $capture in
	*.bin) format=syst/raw ;;
	*.txt) format=syst/hex ;;
	*) format=syst/stp ;;
	esac
	run "$TRAWL" --info "plain-$capture"
	ok "by content: $capture" grep -q "$format" out
	is "by content: $capture decodes the same" "$(csv -f "$format" "plain-$capture")" \
		"$(csv "plain-$capture")"
done

# The profile beside a capture, and one that is named.
cp "$testdata/demo.stp" "$testdata/demo.xml" .
run "$TRAWL" -t csv demo.stp
ok "without a profile: no names" test "$(grep -c pmic out)" -eq 0
run "$TRAWL" -t csv -p "$testdata/demo.profile.yaml" demo.stp
ok "--profile" grep -q '"pmic"' out
cp "$testdata/demo.profile.yaml" .
run "$TRAWL" -t csv demo.stp
ok "the profile beside the capture" grep -q '"board"' out
cp demo.stp other.stp
run "$TRAWL" -t csv -C "$testdata/demo.xml" other.stp
ok "--collateral" grep -q '"pmic"' out

# What is no trace can be read all the same, and looked at.
cat >notes.txt <<END
Notes on the board,
with a table:
                                                   of many blanks
END
run "$TRAWL" --info notes.txt
ok "text: it is said to be text" grep -q 'plain text, shown line by line: none of its first 3 lines' out
run "$TRAWL" -t csv notes.txt
is "text: its lines" '"Notes on the board,"' "$(sed -n 2p out | cut -d , -f 10-11)"
is "text: all of them" 3 "$(sed 1d out | wc -l | tr -d ' ')"
bytes elf.bin 7f 45 4c 46 02 01 01 00 00 00 00 00 00 00 00 00 03 00 3e 00 01 00 00 00
run "$TRAWL" --info elf.bin
ok "a foreign file: what it is" grep -q 'ELF program or library: a program, not a trace' out
run "$TRAWL" -t jsonl elf.bin
is "a foreign file: status" 2 "$status"
is "a foreign file: nothing is decoded" 0 "$(lines out)"
ok "a foreign file: said" grep -q '^trawl: elf.bin: ELF program or library: a program' err
run "$TRAWL" -t jsonl -f syst/raw elf.bin
is "-f decodes all the same: status" 1 "$status"
is "-f decodes all the same: all bytes are there" 24 \
	"$(sed 's/.*"length":\([0-9]*\),.*/\1/' out | awk '{ n += $1 } END { print n }')"

# What no format explains: the candidates, and no output at all.
cp "$testdata/all-encap.bin" dump.bin
run "$TRAWL" -t jsonl dump.bin
is "unknown bytes: status" 2 "$status"
is "unknown bytes: nothing is decoded" 0 "$(lines out)"
ok "unknown bytes: why" grep -q 'no format explains these bytes' err
ok "unknown bytes: candidates" grep -q '^trawl: encap  *[0-9]* %  srcid' err
ok "unknown bytes: what to do" grep -q 'say the format with -f' err
run "$TRAWL" dump.bin
is "unknown bytes: without -t too" 2 "$status"
run "$TRAWL" --index dump.bin
is "unknown bytes: no index" 2 "$status"
run "$TRAWL" -t none demo.stp dump.bin
is "unknown bytes: beside a trace" 2 "$status"
run "$TRAWL" --info dump.bin
is "unknown bytes: --info answers" 0 "$status"
ok "unknown bytes: --info has the candidates" grep -q '^# encap  *[0-9]* %  srcid' out
run "$TRAWL" --info -f encap dump.bin
ok "-f encap --info has candidates" grep -q '^# encap  *[0-9]* %  srcid' out
ok "-f encap: its widths are a guess" grep -q '\[guessed [0-9]* %\]' out

# A guess is called one, until the profile says it.
cp "$testdata/lab-dsp.gem" words.gem
run "$TRAWL" -t none words.gem
ok "a guess: said" grep -q '^trawl: words.gem: guessed [0-9]* %: gem, ' err
is "a guess: in one line" 1 "$(grep -c guessed err)"
run "$TRAWL" -q -t none words.gem
is "a guess: not with -q" 0 "$(lines err)"
run "$TRAWL" -t none words.gem
sed -n 's/.*write into words.gem.profile.yaml: //p' err >words.gem.profile.yaml
run "$TRAWL" -t none words.gem
is "a guess: the profile that was proposed makes it certain" "" "$(grep guessed err)"
run "$TRAWL" --info words.gem
ok "a guess: ... for --info too" sh -c '! grep -q guessed out && grep -q "format given in the profile" out'

# What is part of a snapshot leads to its folder.
cp -r "$testdata/all-opencsd" snap
for part in etb.bin trace.ini stm.ini; do
	run "$TRAWL" -t none "snap/$part"
	is "$part of a snapshot: status" 2 "$status"
	ok "$part of a snapshot: its folder" grep -q 'open its folder, snap$' err
done

# What the input is like matters to nobody who reads the output.
"$MKCAPTURE" -f syst/stp -m all -c 20000 --senders=9 -o big.stp
is "a pipe larger than a pipe buffer" "$(csv -f syst/stp big.stp | cksum)" \
	"$(cat big.stp | csv -f syst/stp - | cksum)"

# What has no effect in a profile is said, with its place.
cat >p.yaml <<-'END'
	traces:
	  - {match: "x*", csel: {tick_us: 2}}
	  - match: "*.stp"
	    name: board
	    gem: {record_size: 8}
	    syst: {transport: stp}
	origins: [{trace: baord, name: a}]
	contexts: [{name: c, field: data, applies_to: ["board:pmic", hub]}]
	END
run "$TRAWL" -t none -p p.yaml demo.stp
is "settings without effect are no damage" 1 "$status"
is "a section of another format, and names of no trace" "\
trawl: p.yaml:5:10: gem settings are not used: board is syst/stp; expected syst settings
trawl: p.yaml:7:19: origins[0].trace is \"baord\"; expected the name of a trace, did you mean board?
trawl: p.yaml:8:62: contexts[0].applies_to[1] is \"hub\"; expected the name of a trace" \
	"$(grep p.yaml err)"
cp "$testdata/all-gem.bin" other.bin
run "$TRAWL" -t none -p p.yaml other.bin
ok "a profile that matches nothing" grep -q \
	'^trawl: p.yaml:2:3: no entry matches other.bin, so no settings are used; expected match:' err
run "$TRAWL" -q -t none -p p.yaml other.bin
ok "--quiet says none of it" sh -c '! grep -q p.yaml err'

# A name of no origin.
run "$TRAWL" -t none --origin=pmci,boot\ rom demo.stp
is "a name that nobody has" 'trawl: no origin is named pmci; did you mean pmic?' \
	"$(grep origin err)"
run "$TRAWL" -t none --origin=pmic -s fatal demo.stp
is "one that has no such message" '' "$(grep origin err)"
# --info prints a profile that reads the capture as it was read, from any folder: from no
# profile, and with the one that is beside it in force.
reads_same() { # FILE CAPTURE
	"$TRAWL" --info "$2" >said.yaml 2>/dev/null
	"$TRAWL" -t jsonl "$2" >before 2>/dev/null
	set -- "$1" "$2" "-p $PWD/said.yaml"
	case $1 in *.yaml) set -- "$1" "$PWD/said.yaml" ;; esac
	mkdir -p elsewhere
	(cd elsewhere && "$TRAWL" -t jsonl ${3:-} "$2") >after 2>err
	is "--info of $2: its profile loads" "" "$(grep said.yaml err)"
	ok "and reads the same" cmp -s before after
}
for capture in "$testdata"/*; do
	file=${capture##*/}
	case $file in *.profile.yaml | *.tsv | *.xml) continue ;; esac
	reads_same "$file" "$capture"
	test "$file" != "${file%.yaml}" && continue
	rm -rf again && mkdir again && cp -r "$capture" again/
	reads_same "$file" "$PWD/again/$file"
done
"$TRAWL" --info "$testdata/lab.yaml" >out
ok "no guess against the profile in force" sh -c '! grep -q "type_width" out'
is "an entry for each trace" 5 "$(sed '/^symbols/,$d' out | grep -c '^  - file')"
is "and its relations" "contexts:
intervals:
origins:
symbols:
sync:" "$(grep -E '^[a-z]+:$' out | grep -v traces | sort)"
printf 'x' >'a [b]*".bin'
"$TRAWL" --info 'a [b]*".bin' >'a [b]*".profile.yaml'
run "$TRAWL" --info 'a [b]*".bin'
is "a name that is no plain text" "0 " "$status $(cat err)"
finish
