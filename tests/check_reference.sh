#!/bin/sh
# The captures and expected decodes that lie beside the checkout, where they do:
# each one is a test.  They come from reference programs, not from here.

run=${srcdir:-.}/../shared/check/run
if ! test -x "$run"; then
	echo "1..0 # SKIP no reference captures beside this checkout"
	exit 0
fi
if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP python3, which compares them, is missing"
	exit 0
fi
formats=$("${TRAWL:-./trawl}" --list-formats | sed 's/[/ ].*//' | sort -u |
	grep -x -e encap -e gem -e csel -e syst -e opencsd)

# CoreSight needs the library, but for ITM.
if "${TRAWL:-./trawl}" -t none "${srcdir:-.}/testdata/all-opencsd" 2>&1 |
	grep -q 'built without the OpenCSD library'; then
	formats=$(echo "$formats" | grep -vx opencsd)
	echo "# built without the OpenCSD library: CoreSight is not compared"
fi

# shellcheck disable=SC2086  # one word for each format
"$run" "${TRAWL:-./trawl}" $formats 2>&1 | awk '
	/^ok /   { print "ok " ++n " - " $2; next }
	/^FAIL / { print "not ok " ++n " - " $2; print "# " $0; next }
	/^skip / { print "ok " ++n " - " $2 " # SKIP " $0; next }
	         { print "# " $0 }
	END      { print "1.." n + 0 }'
