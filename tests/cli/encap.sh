#!/bin/sh
# Profiles of encapsulated trace: what the packets of a source are, and settings that
# cannot be or do nothing.

# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

# Sources 3 and 4, each with a payload of a byte: 0x12 is an address of E-Trace, and of
# its data trace a store with nothing else in it.
printf '\001\003\022\001\004\022' >two.bin

# Writes a profile with the settings $1 beside two sources without type.
profile()
{
	printf 'traces:\n  - match: two.bin\n    format: encap\n' >two.profile.yaml
	printf '    encap:\n      srcid_width: 8\n      timestamp_bytes: 0\n' >>two.profile.yaml
	printf '%b\n' "$1" >>two.profile.yaml
}

# The classes of the two packets by a profile with the settings $1.
classes()
{
	profile "$1"
	"$TRAWL" -t jsonl two.bin 2>err | sed -n 's/.*"class":"\([a-z]*\)".*/\1/p' | xargs
}

# What is wrong with a profile with the settings $1, from line 7 on, and the status.
wrong()
{
	profile "$1"
	run "$TRAWL" -t none two.bin
	sed 's/.*two.profile.yaml:/'"$status "'/' err
}

width='      type_width: 0\n'
is "without a type all is instruction trace" "instruction instruction" "$(classes "$width")"
is "or what type 0 is: opaque" "opaque opaque" \
	"$(classes "$width      types: [{type: 0, payload: opaque}]")"
is "or data" "data data" "$(classes "$width      types: [{type: 0, payload: data}]")"
is "one source among several" "instruction opaque" \
	"$(classes "$width      sources: [{id: 4, types: [{type: 0, payload: opaque}]}]")"
is "and one that is as no other" "data instruction" \
	"$(classes "$width      types: [{type: 0, payload: data}]
      sources: [{id: 4, types: [{type: 0, payload: instruction}]}]")"
is "types that only some source has are none too many" "opaque opaque" \
	"$(classes "$width      types: [{type: 9, payload: data}]
      sources: [{id: 5, type_width: 4}]")"

is "a type that no packet has" \
	"2 8:48: traces[0].encap.types[1].type: no packet has type 1 with type_width 0; expected a type below 1, or a larger type_width" \
	"$(wrong "$width      types: [{type: 0, payload: data}, {type: 1, payload: data}]")"
is "a type listed twice" \
	"2 9:22: traces[0].encap.types[1].type: type 0 is listed twice; expected it once" \
	"$(wrong "$width      types: [{type: 0, payload: data},\n              {type: 0, payload: opaque}]")"
is "a type that no packet of a source has" \
	"2 9:26: traces[0].encap.sources[0].types[0].type: no packet has type 2 with type_width 1; expected a type below 2, or a larger type_width" \
	"$(wrong "$width      sources: [{id: 4, type_width: 1,\n          types: [{type: 2, payload: data}]}]")"
is "a source that cannot be" \
	"2 8:22: traces[0].encap.sources[0].id: no packet is of source 256 with srcid_width 8; expected an id below 256, or a larger srcid_width" \
	"$(wrong "$width      sources: [{id: 256, name: hart}]")"
is "a source listed twice" \
	"2 8:31: traces[0].encap.sources[1].id: source 4 is listed twice; expected it once" \
	"$(wrong "$width      sources: [{id: 4}, {id: 4, name: hart}]")"
is "blocks and slots" \
	"2 8:19: traces[0].encap.block_size: a container has no blocks but its slots; expected one of the two" \
	"$(wrong "$width      block_size: 64\n      container: {slot: 40}")"
is "reversed what" \
	"2 8:29: traces[0].encap.container.reversed: nothing can be reversed without slot; expected the bytes of a slot" \
	"$(wrong "$width      container: {reversed: true}")"
is "handlers that nothing tells" \
	"2 8:34: traces[0].etrace.implicit_exception: implicit_exception needs to know where traps lead; expected mtvec, stvec or vstvec too" \
	"$(wrong "$width    etrace: {implicit_exception: true}")"
is "an address without bits" \
	"2 8:47: traces[0].etrace.iaddress_lsb: iaddress_lsb must be less than iaddress_width" \
	"$(wrong "$width    etrace: {iaddress_width: 2, iaddress_lsb: 2}")"
# a support packet (format 3, 3) that is on and has option 1, implicit_exception
printf '\002\003\037\002' >two.bin
is "the mode in a capture: loss" \
	"E src 3 sync.support on implicit_exception: no mtvec in the profile, so the pc is unknown after traps ~lost" \
	"$(classes "$width" >xx; "$TRAWL" -t text two.bin | sed 's/  */ /g; s/^ - //')"
run "$TRAWL" --check two.bin
is "which --check finds" "1 check loss: 1 message" \
	"$status $(grep -o 'check loss: 1 message' err)"
finish
