#!/bin/sh
# Programs that share addresses: `when` of `symbols:` names each address by the program that was
# loaded.  mkoverlay makes the programs, the traces, and the names that are right.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

if ! has_feature symbols; then
	skip "names of overlays" "built without libdw"
	finish
	exit
fi

# programs CONTEXT DAY NIGHT: the list of programs.
programs()
{
	cat <<EOT
symbols:
  - {file: base.elf}
  - {file: day.elf, when: {context: $1, value: $2}}
  - {file: night.elf, when: {context: $1, value: $3}}
EOT
}

overlays='contexts:
  - name: overlay
    from: {format: gem, type: second, ctx_name: User}
    field: data
    values: [{value: 0x80020001, name: day}, {value: 0x80020002, name: night}]'
{
	echo 'traces: [{match: "*", format: gem}]'
	programs overlay 0x80020001 night
	echo "$overlays"
} >gem.bin.profile.yaml
{
	echo 'traces: [{match: "*", format: ppl}]'
	programs context_id 0x80020001 0x80020002
	echo '  - {file: guest.elf, when: {context: vmid, value: 7}}'
} >elements.ppl.profile.yaml
{
	echo 'traces:'
	echo '  - {match: "*", format: encap, encap: {srcid_width: 8},'
	echo '     etrace: {nocontext: false, context_width: 8}}'
	programs context 1 2
} >packets.enc.profile.yaml

# names FILE [OPTION...]: the functions of its messages.
names()
{
	"$TRAWL" -q --no-cache -t csv --fields=function "$@" 2>err | sed 's/"//g; /^function$/d'
}

# numbers NAME: the messages with that function, in $trace.truth.
numbers()
{
	awk -v want="$1" '$0 == want { print NR - 1 }' "$trace.truth"
}

steps=${TRAWL_FEWER:+9000}
for seed in 1 2; do
	"$MKOVERLAY" $seed "${steps:-30000}" >made
	while read -r trace _ switches _ doubts; do
		file=$(echo "$trace".[bpe][pin][nlc])
		echo "# $seed $trace: $switches switches, $doubts doubtful"
		names "$file" >got
		ok "$seed $trace: the names of all messages" cmp "$trace.truth" got
		names --threads=3 "$file" >got
		ok "... by three threads" cmp "$trace.truth" got
		for part in 1 2 3 4 5; do
			names --split=$part/5 "$file"
		done >got
		ok "... in five parts" cmp "$trace.truth" got
		names - <"$file" --profile="$file".profile.yaml >got
		ok "... through a pipe" cmp "$trace.truth" got
		"$TRAWL" -q -t jsonl "$file" | sed 's/.*"function":"\([^"]*\)".*/\1/; t; s/.*//' >got
		ok "... in JSON" cmp "$trace.truth" got
		"$TRAWL" -q -t csv --fields=text "$file" | sed '1d; s/"//g' |
			sed 's/.* \[\([a-z_0-9?]*\)[^]]*\]$/\1/; t; s/.*//' >got
		ok "... in the text" cmp "$trace.truth" got

		sort "$trace.truth" | uniq -c | awk 'NF == 2 { print $2 "," $1 }' | LC_ALL=C sort >want
		for threads in 1 3; do
			"$TRAWL" -q --threads=$threads -t table-csv --by=function --columns=count "$file" |
				sed '1d; s/"//g; /^,/d' | LC_ALL=C sort >got
			ok "... in a table, $threads threads" cmp want got
		done
		for function in day_3 night_2 loader '?'; do
			numbers "$function" >want
			for filter in "function = \"$function\"" "text ~ /\\[\\Q$function\\E[ +\\]]/"; do
				"$TRAWL" -q --no-cache -t csv --fields=trace_number -e "$filter" \
					"$file" 2>err | sed 1d >got
				ok "... with $filter" cmp want got
			done
		done
	done <made
done

# PTM [Arm IHI 0035]: A-sync, then I-sync at 0x80030040 with context IDs 1, 2, 1, and atoms.
if has_feature "CoreSight trace"; then
	{
		echo 'traces:'
		echo '  - match: "*"'
		echo '    format: opencsd'
		echo '    opencsd:'
		echo '      format: source_data'
		echo '      sources: [{id: 0x10, protocol: PTM, core: Cortex-A15,'
		echo '                 regs: {ETMCR: 0xc000, ETMIDR: 0x411cf310, ETMCCER: 0}}]'
		programs context_id 1 2
	} >ptm.bin.profile.yaml
	{
		printf '\0\0\0\0\0\200'
		for id in 1 2 1; do
			printf "\\010\\100\\0\\003\\200\\041\\00$id\\0\\0\\0\\204"
		done
	} >ptm.bin
	"$TRAWL" -q -t jsonl -e 'type = ADDR_NACC' ptm.bin >got 2>err
	is "context IDs of packets: addresses" 3 "$(grep -c '"st_addr":"0x80030040"' got)"
	sed -n 's/.*"function":"\([a-z]*\)_0".*/\1/p' got >names
	is "... are named by context" "day night day" "$(xargs <names)"
else
	skip "context IDs of packets" "built without OpenCSD"
fi

# A context whose values are texts: all elements are of the non-secure world.
for world in N S; do
	{
		programs world $world $world
		echo 'contexts: [{name: world, from: {format: ppl}, field: security_level}]'
	} >world.yaml
	"$TRAWL" -q --profile=world.yaml -t csv --fields=function elements.ppl 2>err | grep -c day
done >got
is "a text as value: one world has names" "yes 0" "$(sed '1s/[0-9]..*/yes/' got | xargs)"

# Messages that do not have the context: the programs with `when` are not theirs.
{
	echo 'traces:'
	echo '  - {file: gem.bin, format: gem}'
	echo '  - {file: packets.enc, name: hart, format: encap, encap: {srcid_width: 8}}'
	programs overlay day night
	echo "$overlays"
} >two.yaml
"$TRAWL" -q -t jsonl --source=hart two.yaml >got 2>err
is "another trace has the program without a condition" \
	"$(grep -c '"pc":"0x80030' got)" "$(grep -c '"function":"loader"' got)"
is "... and no other" "" "$("$TRAWL" -q -t csv --source=hart --fields=function two.yaml |
	grep -E 'day|night|\?')"

# An overlay of one trace, by its words, holds for the events of another.
cp "$testdata"/lab* . && chmod u+w lab*
cp base.elf light.elf
LC_ALL=C sed 's/base_/dark_/g' base.elf >dark.elf
sed -i 's/^symbols:/&\
  - {file: light.elf, applies_to: log, when: {context: overlay, value: day}}\
  - {file: dark.elf, applies_to: log, when: {context: overlay, value: night}}/' lab.yaml
"$TRAWL" -q -t csv --source=log --fields=context.overlay,text -e 'text ~ /^thread/' lab.yaml |
	sed '1d; s/"//g; s/,.*\[\([a-z]*\).*/ \1/' | sort | uniq -c | awk '{ print $2, $3 }' >got
is "an overlay for another trace" "day base night dark" "$(xargs <got)"
"$TRAWL" -q -t none --check='text ~ /\[dark/' lab.yaml >out 2>err
is "--check sees the name" 1 $?
"$TRAWL" -q -t none --check='text ~ /\[base_30/' lab.yaml >out 2>err
is "... and no other" 0 $?

is "thousands of switches" yes "$(awk '$3 < 1000 { print $1 }' made | grep . || echo yes)"

# bad TEXT ERROR: the profile with this condition is refused with that error.
bad()
{
	{
		echo "symbols:"
		echo "  - {file: day.elf, when: $1}"
		echo "$overlays"
	} >p.yaml
	run "$TRAWL" --profile=p.yaml gem.bin
	is "$1" 2 "$status"
	ok "... with place and expected value" grep -qF "p.yaml:2:$2" err
}
bad '{context: ovl, value: 1}' '37: symbols[0].when.context: is "ovl"; expected the name of a context'
bad '{context: overlai, value: 1}' '37: symbols[0].when.context: is "overlai"; expected the name of a context; did you mean overlay?'
bad '{context: overlay, value: nigth}' '53: symbols[0].when.value: is "nigth"; expected a number up to 0xffffffff or one of day, night'
bad '{context: overlay, value: 0x180020001}' '53: symbols[0].when.value: is "0x180020001"; expected a number up to 0xffffffff or one of day, night'
bad '{value: 1}' '27: symbols[0].when has no context; expected context: name of a context'
bad '{context: overlay}' '27: symbols[0].when has no value; expected value: '
bad 'night' '27: symbols[0].when is a single value; expected a mapping'
overlays=
bad '{context: contxt_id, value: 1}' '37: symbols[0].when.context: is "contxt_id"; expected the name of a context; did you mean context_id?'
bad '{context: privilege, value: X}' '55: symbols[0].when.value: is "X"; expected a number up to 0xffffffffffffffff or one of U, S, M'
finish
