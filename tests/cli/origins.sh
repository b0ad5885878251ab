#!/bin/sh
# `origins:` of a profile: what a sender's number is in each format.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

# named CAPTURE ORIGIN: how many messages have the name, with the profile that
# is the capture's with this entry.
named()
{
	name=$(basename "$1")
	sed "s|\[mix|[$testdata/mix|" "$testdata/${name%.*}.profile.yaml" >profile.yaml 2>err
	printf 'origins: [{%s, name: THE ONE}]\n' "$2" >>profile.yaml
	"$TRAWL" -t jsonl --profile=profile.yaml "$1" 2>err | grep -c '"origin":"THE ONE"'
}

# told CAPTURE REGEX: how many rows of the truth have it.
told()
{
	grep -cE "$2" "$testdata/$1.truth.tsv"
}

tab=$(printf '\t')
end="($tab|\$)"
is "encap: id is the source" "$(told all-encap "${tab}srcid=111$end")" \
	"$(named "$testdata/all-encap.bin" 'id: 111')"
is "encap: no packets, no source" 0 "$(named "$testdata/all-encap.bin" 'id: 65536')"
is "uia: id is the logger" "$(told all-gem.uia "${tab}(logger|instance)=1$end")" \
	"$(named "$testdata/all-gem.uia.bin" 'id: 1')"
ok "uia: there are some" test "$(told all-gem.uia "${tab}(logger|instance)=1$end")" -gt 10
is "csel: an entry's number is no sender" 0 "$(named "$testdata/all-csel.csel" 'id: 4')"

uuid=$(sed -n 's/.*uuid=\([-0-9a-f]*\).*/\1/p' "$testdata/all-csel.truth.tsv")
all=$("$TRAWL" -t jsonl "$testdata/all-csel.csel" 2>err | wc -l | tr -d ' ')
is "csel: guid is the stream" "$all" "$(named "$testdata/all-csel.csel" "guid: $uuid")"
is "csel: with braces, in upper case" "$all" \
	"$(named "$testdata/all-csel.csel" "guid: \"{$(echo "$uuid" | tr a-f A-F)}\"")"
last=${uuid#"${uuid%?}"}
is "csel: another stream" 0 \
	"$(named "$testdata/all-csel.csel" "guid: ${uuid%?}$(echo "$last" | tr 0-9a-f 1-9a-f0)")"

module=$(sed -n "s/.*${tab}module=\([0-9]*\).*/\1/p" "$testdata/all-msn.truth.tsv" | head -n 1)
is "syst: module" "$(told all-msn "${tab}module=$module$end")" \
	"$(named "$testdata/all-msn.stp" "module: $module")"
is "syst: a catalog's number is no sender" 0 "$(named "$testdata/all-msn.stp" 'id: 1')"
guid=$(sed -n "s/.*${tab}guid={\([-0-9a-fA-F]*\)}.*/\1/p" "$testdata/all-msn.truth.tsv" |
	head -n 1)
is "syst: guid" "$(told all-msn "guid=\{$guid\}")" \
	"$(named "$testdata/all-msn.stp" "guid: \"{$guid}\"")"
is "syst: guid without braces" "$(told all-msn "guid=\{$guid\}")" \
	"$(named "$testdata/all-msn.stp" "guid: $guid")"

# Two trace IDs in a listing; text has none.
cat >list.ppl <<END
Trace Packet Lister : reading
Idx:0; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [init-decoder])
Idx:0; ID:21; OCSD_GEN_TRC_ELEM_NO_SYNC( [init-decoder])
Idx:4; ID:10;${tab}ASYNC:Alignment synchronisation packet
Idx:9; ID:10; OCSD_GEN_TRC_ELEM_SWTRACE( (Ma:0x40; Ch:0x480) 0x01021010; +Mrk )
END
is "ppl: id is the trace ID" 3 "$(named list.ppl 'id: 0x10')"
is "ppl: and master" 1 "$(named list.ppl 'id: 16, master: 64')"

# ITM: synchronisation and a byte from port 1.
bytes itm.bin 00 00 00 00 00 80 09 41
cat >itm.yaml <<END
traces:
  - {match: "*.bin", format: opencsd, opencsd: {format: source_data, sources: [{id: 0x21, protocol: ITM}]}}
END
cp itm.yaml other.yaml
echo 'origins: [{id: 0x21, name: THE ONE}]' >>itm.yaml
echo 'origins: [{id: 0x20, name: THE ONE}]' >>other.yaml
run "$TRAWL" -t jsonl --profile=itm.yaml itm.bin
is "opencsd: id is the trace ID" 3 "$(grep -c '"origin":"THE ONE"' out)"
run "$TRAWL" -t jsonl --profile=other.yaml itm.bin
is "opencsd: another ID" 0 "$(grep -c '"origin":"THE ONE"' out)"

finish
