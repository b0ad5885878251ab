#!/bin/sh
# Dates and times of day in the local zone, in UTC, and as written.
. "${srcdir:-.}/tests/cli/lib.sh"

berlin=CET-1CEST,M3.5.0,M10.5.0/3
export TZ=$berlin

# The clocks go forward at 01:00 UTC on 31 March 2024, and back on 27 October.
cat >zoned.log <<'END'
2024-03-31T00:30:00.123Z host app[1]: first
2024-03-31T00:59:59.500Z host app[1]: before
2024-03-31T01:00:00.000Z host app[1]: after
2024-10-27T00:30:00.000Z host app[1]: summer
2024-10-27T01:30:00.000Z host app[1]: winter
END
sed 's/Z / /' zoned.log >unzoned.log

# Prints the times in the first columns of a text.
time_columns()
{
	awk '{ print $1 "T" $2 }' | tr '\n' ' '
}

is "text: local times" "2024-03-31T01:30:00.123000000 2024-03-31T01:59:59.500000000 \
2024-03-31T03:00:00.000000000 2024-10-27T02:30:00.000000000 2024-10-27T02:30:00.000000000 " \
	"$("$TRAWL" -t text zoned.log | time_columns)"
utc="2024-03-31T00:30:00.123000000 2024-03-31T00:59:59.500000000 \
2024-03-31T01:00:00.000000000 2024-10-27T00:30:00.000000000 2024-10-27T01:30:00.000000000 "
is "text: --utc" "$utc" "$("$TRAWL" --utc -t text zoned.log | time_columns)"
is "text: TZ=UTC" "$utc" "$(TZ=UTC "$TRAWL" -t text zoned.log | time_columns)"
is "text: a log without a zone is shown as written" "$utc" \
	"$("$TRAWL" -t text unzoned.log | time_columns)"
is "text: several threads" "$("$TRAWL" --threads=1 -t text zoned.log)" \
	"$("$TRAWL" --threads=4 -t text zoned.log)"

"$TRAWL" --time-format=iso -t text zoned.log | sed 's/ .*//' >got
cat >want <<'END'
2024-03-31T01:30:00.123000000+01:00
2024-03-31T01:59:59.500000000+01:00
2024-03-31T03:00:00.000000000+02:00
2024-10-27T02:30:00.000000000+02:00
2024-10-27T02:30:00.000000000+01:00
END
ok "iso: the offset" cmp want got
is "iso: --utc" 2024-03-31T00:30:00.123000000Z \
	"$("$TRAWL" --utc --time-format=iso -t text zoned.log | sed 's/ .*//;q')"
is "iso: a log without a zone has no offset" 2024-03-31T00:30:00.123000000 \
	"$("$TRAWL" --time-format=iso -t text unzoned.log | sed 's/ .*//;q')"
is "template: the same time" "2024-03-31 01:30:00.123000000" \
	"$("$TRAWL" --template='{time}' zoned.log | sed q)"

# Formats for programs do not depend on the zone.
for format in jsonl csv; do
	"$TRAWL" -t $format zoned.log >local
	"$TRAWL" -t $format --utc zoned.log >utc
	ok "$format: no zone" cmp local utc
done
is "csv: the time" 1711845000123000000 "$("$TRAWL" -t csv zoned.log | sed -n 2p | cut -d , -f 6)"

# Tables for people show dates, those for programs do not.
is "table: first and last" "app 5 2024-03-31 01:30:00.123000000 2024-10-27 02:30:00.000000000" \
	"$("$TRAWL" -t table --columns=count,first,last zoned.log | sed -n '2s/  */ /gp')"
is "table: by time" "2024-03-31 01:30:00.123000000 1" \
	"$("$TRAWL" -t table --by=time --columns=count zoned.log | sed -n '2s/  */ /gp')"
is "table-csv: first" '"app",1711845000123000000' \
	"$("$TRAWL" -t table-csv --columns=first zoned.log | sed -n 2p)"

# A profile that names the zone: 00:30 there is 22:30 of the day before in UTC.
printf 'traces:\n  - {match: "*", format: text, text: {zone: "+02:00"}}\n' >zone.yaml
is "a zone of the profile" "2024-03-30T23:30:00.123000000 " \
	"$("$TRAWL" -p zone.yaml -t text unzoned.log | sed q | time_columns)"

# Limits and filters: in the shown zone, unless they name another.
while read -r time first; do
	is "-S $time" "$first" "$("$TRAWL" -t text -S "$time" zoned.log | sed 's/.* //;q')"
	is "time >= $time" "$first" \
		"$("$TRAWL" -t text -e "time >= $time" zoned.log | sed 's/.* //;q')"
done <<'END'
2024-03-31T01:30:00.2 before
2024-03-31T02:30 summer
2024-03-31T03:00 after
2024-10-27T02:30 summer
2024-10-27T02:30+01:00 winter
2024-10-27T02:30:00+02:00 summer
2024-10-27T01:30Z winter
2024-03-31 first
2024-04-01 summer
01:45 before
00:45Z before
END
is "-S --utc" after "$("$TRAWL" --utc -t text -S 2024-03-31T01:00 zoned.log | sed 's/.* //;q')"
is "-S of a log without a zone" after \
	"$("$TRAWL" -t text -S 2024-03-31T01:00 unzoned.log | sed 's/.* //;q')"
is "-U" "first before" "$("$TRAWL" -t text -U 01:59:59.9 zoned.log | sed 's/.* //' | tr '\n' ' ' | sed 's/ $//')"
is "time in" after \
	"$("$TRAWL" -t text -e 'time in 2024-03-31T03:00..2024-03-31T04:00' zoned.log | sed 's/.* //')"
is "-S: an end in another zone" "before" \
	"$("$TRAWL" -t text -e 'time in 2024-03-31T00:45Z..2024-03-31T01:59:59.5+01:00' zoned.log |
		sed 's/.* //')"

# The title names the zone; a log without one has none.
is "title" "2024-03-31 CET" "$("$TRAWL" --snapshot 80x5 zoned.log | grep -o '2024-03-31 C*[A-Z]*T')"
is "title: --utc" "2024-03-31 UTC" \
	"$("$TRAWL" --utc --snapshot 80x5 zoned.log | grep -o '2024-03-31 U*[A-Z]*C')"
is "title: no zone" 1 "$("$TRAWL" --snapshot 80x5 unzoned.log | grep -c 'text  2024-03-31  ')"
is "rows" "01:30:00.123000" "$("$TRAWL" --snapshot 80x5 zoned.log | sed -n 's/^> *\([^ ]*\) .*/\1/p')"

# Times without an epoch are the same anywhere.
printf '[    1.500000] usb: one\n[    2.500000] usb: two\n' >relative.log
is "no epoch: text" "$(TZ=UTC "$TRAWL" -t text relative.log)" "$("$TRAWL" -t text relative.log)"
is "no epoch: seconds" 1.500000000 "$("$TRAWL" -t text relative.log | awk '{ print $1; exit }')"

finish
