# shellcheck shell=sh disable=SC2034  # what is set here is used there
# What the command line tests share: to be sourced.  Each runs in a folder of
# its own with $testdata beside it.
#
#	run COMMAND...		sets $status; leaves files out and err
#	is NAME WANT GOT	a test: equal texts
#	ok NAME COMMAND...	a test: the command succeeds
#	skip NAME WHY
#	notice ID [ARG...]	prints a notice of the program; tests never repeat its words
#	cases ARGUMENT...	of the cases at its input, those to try

case ${srcdir:-.} in
/*) testdata=$srcdir/testdata ;;
*) testdata=$PWD/${srcdir:-.}/testdata ;;
esac
notices=$PWD/base/notice.def # reworded: tests/reword
test -e "$notices" || notices=$testdata/../src/base/notice.def
scratch=$(mktemp -d) || exit 1
trap 'cd / && rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
# what one test left open is not where the next one begins
export XDG_STATE_HOME="$scratch/.state"
count=0

run()
{
	"$@" >out 2>err </dev/null
	status=$?
}

# Whether the program was built with what -V calls $1.
has_feature()
{
	"$TRAWL" -V | grep "^$1 " | grep -qv "not in this build"
}

is()
{
	count=$((count + 1))
	if test "$2" = "$3"; then
		echo "ok $count - $1"
		return
	fi
	echo "not ok $count - $1"
	for side in "want:$2" "got:$3"; do
		echo "$side" | cut -c 1-200 | sed 's/^/# /' | head -n 5
	done
	test ! -s err || sed 's/^/# err: /' err | head -n 20
}

ok()
{
	name=$1
	shift
	if "$@"; then
		is "$name" yes yes
	else
		is "$name" yes no
	fi
}

skip()
{
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

finish()
{
	echo "1..$count"
}

notice()
{
	format=$(awk -v id="$1" '
		$0 ~ "^NOTICE(_PART)?[(]" id "," { on = 1 }
		on {
			line = $0
			while (match(line, /"([^"\\]|\\.)*"/)) {
				text = text substr(line, RSTART + 1, RLENGTH - 2)
				line = substr(line, RSTART + RLENGTH)
			}
		}
		on && /[)]$/ { gsub(/%(zu|l*[dux])/, "%s", text); print text; exit }' "$notices")
	shift
	# shellcheck disable=SC2059  # the format of the notice
	printf -- "$format" "$@"
}

lines()
{
	wc -l <"$1" | tr -d ' '
}

# Of a test's cases, a line each, those to try: a third, or with TRAWL_FEWER a ninth, one at
# least; which ones follows from the arguments.
cases()
{
	step=${TRAWL_FEWER:+9}
	cat >some
	set -- "$(echo "$*" | cksum)" "$(lines some)"
	awk -v which="${1%% *}" -v count="$2" -v step="${step:-3}" '
		BEGIN { if (step > count) step = count }
		NR % step == which % step' some
}

# unrated [FILE]: JSON lines in which SyS-T messages without a severity have null, not MAX.
unrated()
{
	sed '/"type":"\(SHORT[0-9]*\|CLOCK:[^"]*\|BUILD:COMPACT[0-9]*\)"/ s/"severity":"MAX"/"severity":null/' "$@"
}

# bytes NAME HEX...: makes a file of these bytes.
bytes()
{
	file=$1
	shift
	for byte; do
		# shellcheck disable=SC2059  # that is the point
		printf "\\$(printf %o "0x$byte")"
	done >"$file"
}

# A SHORT32, and a STRING GENERIC of module 1, unit 2 with a bad and a good CRC.
small_capture()
{
	bytes small.bin 81 67 45 23 \
		32 26 01 01 0c 00 48 65 6c 6c 6f 20 77 6f 72 6c 64 21 d3 06 b8 ea
}
