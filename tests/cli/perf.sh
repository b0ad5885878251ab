#!/bin/sh
# The CoreSight trace of a perf.data file, compared with what trc_pkt_lister says of it.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

real=$testdata/../../shared/captures/real/perf
if ! test -r "$real/perf_etm.data"; then
	echo "1..0 # SKIP no captures of others beside this checkout"
	exit 0
fi
if ! has_feature "CoreSight trace"; then
	echo "1..0 # SKIP built without OpenCSD"
	exit 0
fi

cp "$real/perf_etm.data" . && chmod u+w perf_etm.data
run "$TRAWL" --no-cache -t ppl perf_etm.data
is "elements: status" 0 "$status"
is "elements are those of the listing" "" "$(diff "$real/perf_etm.no-image.ppl" out)"

run "$TRAWL" --no-cache --info perf_etm.data
is "--info: what is in the file" "perf.data of aarch64, CoreSight ETM" \
	"$(sed -n 's/^# \(perf.data of.*\)/\1/p' out)"
ok "--info: records" grep -q "^# records: .*4 AUX.* 1 AUXTRACE\$" out
ok "--info: the source" grep -q "^# trace ID 0x1e: 129 bytes, cpu7" out
is "--info: no others" 1 "$(grep -c '^# trace ID' out)"

# The profile that --info gives says the same.
cp out perf_etm.data.profile.yaml
run "$TRAWL" --no-cache -t ppl perf_etm.data
is "with the profile of --info" "" "$(diff "$real/perf_etm.no-image.ppl" out)"
is "... and the status" 0 "$status"
rm perf_etm.data.profile.yaml

# From a pipe, and compressed: the same.
run sh -c "cat perf_etm.data | '$TRAWL' --no-cache -t ppl -"
is "from a pipe" "" "$(diff "$real/perf_etm.no-image.ppl" out)"
is "... and the status" 0 "$status"
run sh -c "{ head -c 3000 perf_etm.data; sleep 0.5; tail -c +3001 perf_etm.data; } | '$TRAWL' --info -"
ok "from a slow pipe: its name" grep -q '^# stdin.cpu7: opencsd, 384 bytes' out
gzip -c perf_etm.data >packed.data.gz 2>/dev/null
if "$TRAWL" --info packed.data.gz 2>/dev/null | grep -q '^# perf.data of'; then
	run "$TRAWL" --no-cache -t ppl packed.data.gz
	is "compressed" "" "$(diff "$real/perf_etm.no-image.ppl" out)"
else
	skip "compressed" "built without libarchive"
fi
run sh -c "head -c 1000 perf_etm.data | '$TRAWL' --no-cache -t text -"
ok "a pipe that ends early: it says so" grep -q 'perf.data' err

# A file that ends early: what is there, and a loss.
size=$(wc -c <perf_etm.data)
found=$(grep -abo 'PERFILE2' perf_etm.data | head -n 1)
is "the file begins with its name" "0:PERFILE2" "$found"
head -c $((size / 2)) perf_etm.data >half.data
run "$TRAWL" --no-cache -t text half.data
ok "half a file: it says so" grep -q "ends early" out err
finish
