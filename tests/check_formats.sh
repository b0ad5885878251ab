#!/bin/sh
# Does each format have what the others have?  Its decoder's table sets a member or
# says in a comment why it has none (`no MEMBER: reason`); and there are a view, a
# section of the manual, and a file in the corpus of the fuzzer.

cd "${srcdir:-.}" || exit 1
members="contexts trigger unnamed alike clocks printer"

# The decoders in the order of the registry: NAME of each NAME_ops.
decoders()
{
	sed -n 's/^\tD(\([a-z_]*\)).*/\1/p' src/decode/registry.c
}

# The table of decoder $1.
table()
{
	awk -v head="const struct decoder_ops $1_ops = {" '
		index($0, head) { inside = 1 }
		inside { print }
		inside && /^};/ { exit }' src/decode/*/*.c
}

# What the table of decoder $1 neither sets nor explains.
unexplained()
{
	for member in $members; do
		table "$1" | grep -qE "^    \.$member = |/\* no $member: [a-zA-Z]" ||
			echo "$1_ops says nothing of $member"
	done
}

# What decoder $1, number $2 of the registry, lacks outside its folder.
missing()
{
	format=$(table "$1" | sed -n 's/^    \.format = "\(.*\)",/\1/p')
	test -e "views/$format.yaml" || echo "views/$format.yaml is missing"
	grep -q "^\.SS $format" man/trawl-formats.7 ||
		echo "man/trawl-formats.7 has no section of $format"
	echo "$first_bytes" | grep -qx "$2" ||
		echo "no file of tests/fuzz/corpus/decode is for $1_ops: first byte $2"
}

first_bytes=$(for file in tests/fuzz/corpus/decode/*; do
	od -An -tu1 -N1 "$file"
done | tr -d ' ' | sort -u)

count=0
for name in $(decoders); do
	found=$(unexplained "$name"; missing "$name" "$count")
	count=$((count + 1))
	if test -z "$found"; then
		echo "ok $count - $name has what other formats have"
	else
		echo "not ok $count - $name has what other formats have"
		echo "$found" | sed 's/^/# /'
	fi
done
test "$count" -gt 0 || echo "not ok 1 - the registry lists decoders"
echo "1..$count"
