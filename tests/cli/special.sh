#!/bin/sh
# Each option and key of a profile that names a file, given a device without end, a FIFO
# without a writer and a folder: it is refused at once, with the reason.

# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

mkfifo fifo
mkdir folder
printf 'traces: [{match: "*", syst: {collateral: [FILE]}}]\n' >collateral.yaml
printf 'symbols: [{file: FILE}]\n' >symbols.yaml

# An option each, with FILE for the name of the file.
options()
{
	cat <<-'LIST'
		-p FILE
		-p collateral.yaml
		-p symbols.yaml
		-C FILE
		-x FILE
		--config=FILE --dump-config
		--view=FILE --dump-config
		--theme=FILE --dump-config
		--keys=FILE --dump-config
	LIST
}

# refuses NAME REASON: each option refuses the file.
refuses()
{
	for profile in collateral symbols; do
		sed "s,FILE,$1," "$profile.yaml" >"$profile.now.yaml"
	done
	options | sed "s,FILE,$1,; s,\.yaml,.now.yaml," >given
	while read -r option; do
		case "$option $1" in
		*-C*/folder | *collateral*/folder) continue ;; # of collateral files
		esac
		# shellcheck disable=SC2086  # options
		run timeout 20 "$TRAWL" $option -t none "$testdata/len32.bin"
		ok "$option: no waiting" test "$status" -ne 124
		ok "... why: $2" grep -q "$1: it is a $2; name a file" err
	done <given
}

refuses /dev/zero device
refuses ./fifo "pipe (FIFO)"
refuses ./folder folder
finish
