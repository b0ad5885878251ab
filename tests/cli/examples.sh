#!/bin/sh
# Every example of README.md and the manual: its command runs and prints what stands
# below it, its profile reads the capture it is for, its expression is understood.

# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
source=$(dirname "$testdata")
HOME=$scratch
export HOME
unset XDG_CONFIG_HOME
mkdir -p .config/fish/completions
PATH=$(dirname "$TRAWL"):$PATH

# What the examples call the captures of testdata/.
cp -r "$testdata"/* .
chmod -R u+w .
for name in soc.stp dsp.gem dsp.uia cam.csel; do
	cp "lab-$name" $name
done
cp log-dmesg.txt dmesg.txt
cp -r all-opencsd cstrace
cp all-itm.itm swo.bin
cp all-opencsd/etb.bin etb.bin
"$TRAWL" -t ppl cstrace >list.ppl 2>/dev/null
printf 'no trace at all, but 40 bytes of text: \n' >unknown.bin

mkdir parts
(cd "$source" && awk -v dir="$scratch/parts" -f tests/examples.awk \
	README.md man/*.[1-8]) >list
ok "there are examples" test "$(lines list)" -gt 40

# Whether out begins and goes on as file $1 says, where `...` stands for any lines.
prints()
{
	awk '
	NR == FNR { want[++n] = $0; next }
	{ got[++m] = $0 }
	function fits(i, j)
	{
		for (; i <= n; i++) {
			if (want[i] == "...") {
				for (; j <= m + 1; j++)
					if (fits(i + 1, j))
						return 1
				return 0
			}
			if (j > m || want[i] != got[j++])
				return 0
		}
		return j > m
	}
	END { exit !fits(1, 1) }' "$1" out
}

# example NUMBER KIND WHERE ARGUMENT
example()
{
	part=parts/$1
	case $2 in
	run)
		if grep -q cstrace "$part.command" && ! has_feature "CoreSight trace"; then
			skip "$3" "built without OpenCSD"
			return
		fi
		if grep -q gzip "$part.command" && ! has_feature "compressed captures"; then
			skip "$3" "built without libarchive"
			return
		fi
		if grep -q 'snapshot=[0-9x]* lab' "$part.command" && ! has_feature symbols; then
			skip "$3" "built without libdw"
			return
		fi
		rm -rf lab.json lab.ctf part.csv
		run sh "$part.command"
		ok "$3: runs" test "$status" -lt 2
		if test -e "$part.output"; then
			ok "$3: prints what it says" prints "$part.output"
			prints "$part.output" || sed 's/^/# /' out | head -n 20
		else
			grep -v 'lost messages; -t text marks them$' err >complaints
			ok "$3: complains of nothing alone" test ! -s complaints -o -s out
		fi ;;
	needs)
		run sh -c "$(sed 's/ *[#|>].*//' "$part.command") --list-formats"
		is "$3: the options are known" 0 "$status" ;;
	profile)
		run "$TRAWL" -t stats -p "$part.text" "$4"
		ok "$3: the profile reads $4" test "$status" -lt 2
		is "$3: and has effect" "" "$(grep "$part.text" err)" ;;
	session)
		cp "$part.text" "$4"
		run "$TRAWL" -t none "$4"
		ok "$3: the session opens" test "$status" -lt 2
		is "$3: and all of it has effect" "" "$(grep "$4" err)" ;;
	view | theme | keys)
		run "$TRAWL" --dump-config "--$2=./$part.text"
		is "$3: the $2 is right" 0 "$status" ;;
	own)
		mkdir -p .config/trawl
		cp "$part.text" .config/trawl/own.yaml
		run "$TRAWL" --dump-config
		is "$3: it is read by itself" "$(grep -c : "$part.text")" \
			"$(sed -n '/own\.yaml:$/,$p' out | sed 1d | grep -c :)"
		rm .config/trawl/own.yaml ;;
	filters)
		sed 's/^ *//' "$part.text" >expressions
		while read -r line; do
			run "$TRAWL" -t none -e "$line" lab.yaml
			ok "$3: $line" test "$status" -lt 2
		done <expressions ;;
	*)
		is "$3: begins with a command" '$ ...' "$(cat "$part.text")" ;;
	esac
}

while read -r number kind where argument; do
	example "$number" "$kind" "$where" "$argument"
done <list

# Each page begins with examples.
for page in "$source"/man/*.[1-8]; do
	is "${page##*/}: examples come first" EXAMPLES \
		"$(sed -n 's/^\.SH //p' "$page" | grep -vx -e NAME -e SYNOPSIS | head -n 1)"
done

finish
