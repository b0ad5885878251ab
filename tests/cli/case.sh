#!/bin/sh
# Cases: what --pack writes opens anywhere, as the session did; hostile ones are refused.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
bend=${testdata%/testdata}/tests/cli/bend_case
mkdir work tmp away
cp -r "$testdata"/* work
chmod -R u+w work
cd work || exit 1
export TMPDIR="$scratch/tmp"

# left: what is in the folder for unpacked cases, once its keeper had time to clean up.
left()
{
	for try in $(seq 100); do
		test -n "$(ls "$TMPDIR")" || return 0
		sleep 0.1
	done
	echo "$try times: $(ls "$TMPDIR")"
}

# messages FILE ARG...: -t jsonl and -t text, away from the originals.
messages()
{
	file=$1
	shift
	for format in jsonl text; do
		"$TRAWL" -q --no-cache -t $format "$@" 2>/dev/null </dev/null
	done >"$file"
}

# check_pack NAME ARG...: a case of these arguments has the same messages.
check_pack()
{
	name=$1
	shift
	rm -f ../away/c.trawl
	run "$TRAWL" --pack ../away/c.trawl "$@"
	is "$name: status" 0 "$status"
	messages ../want "$@"
	(cd ../away && messages ../got c.trawl && tar tf c.trawl >list)
	ok "$name: messages" test -s ../want
	is "$name: equal" "$(cksum <../want)" "$(cksum <../got)"
	is "$name: nothing is left" "" "$(left)"
}

# --- round trips ---------------------------------------------------------

check_pack collateral demo.stp
cp demo.stp plain.stp
check_pack "-C" -C demo.xml plain.stp
mkdir texts
cp demo.xml texts/one.xml
echo secret >texts/notes.txt
check_pack "-C folder" -C texts plain.stp
is "... only XML files" "collateral/texts/one.xml" "$(tar tf ../away/c.trawl | grep ^collateral)"
if has_feature "CoreSight trace"; then
	check_pack snapshot all-opencsd
	check_pack "snapshot -C" -C demo.xml all-opencsd
	ok "... its texts" grep -q collateral/demo.xml ../away/list
else
	skip "snapshots" "no OpenCSD"
fi
real=$testdata/../../shared/captures/real/perf/perf_etm.data
if test -r "$real" && has_feature "CoreSight trace"; then
	check_pack perf.data "$real"
else
	skip perf.data "no captures of others beside this checkout, or no OpenCSD"
fi
check_pack "-f" -f syst/stp plain.stp gray.stp
echo "goto #20" >commands
check_pack "-x" -x commands -f syst/stp plain.stp delta.stp
check_pack "FORMAT:FILE" syst/stp:plain.stp csel:all-csel.csel
check_pack "--time-offset" --time-offset cam=1.5 --order time lab.yaml
mkdir -p a b
cp demo.stp a/x.stp
cp gray.stp b/x.stp
check_pack "equal names" -f syst/stp a/x.stp b/x.stp
is "... both fit" "captures-2/x.stp captures/x.stp" \
	"$(tar tf ../away/c.trawl | grep x.stp | sort | tr '\n' ' ' | sed 's/ $//')"
if zstd -qk demo.stp 2>/dev/null && "$TRAWL" --info demo.stp.zst 2>/dev/null | grep -q '(zstd)'; then
	check_pack zst demo.stp.zst
else
	skip zst "no zstd"
fi
ls ./*.profile.yaml >list
for profile in $(cases profiles <list); do
	for capture in "${profile%.profile.yaml}" "${profile%.profile.yaml}".*; do
		case $capture in
		*.yaml | *.tsv | *.xml | *.zst) continue ;;
		esac
		test ! -e "$capture" || check_pack "$capture" "$capture"
	done
done
check_pack lab lab.yaml
cp ../away/c.trawl ../lab.trawl

# --- the list ------------------------------------------------------------

run "$TRAWL" --pack ../away/list.trawl lab.yaml
is "the list names all members" "$(tar tf ../away/list.trawl | sed 1d | sort)" \
	"$(awk '{ print $2 }' out | sort)"
is "... with their sizes" "$(tar tvf ../away/list.trawl | sed 1d | awk '{ print $3, $6 }' | sort)" \
	"$(awk '{ print $1, $2 }' out | sort)"
is "... and sources" lab-soc.stp "$(awk '$2 == "captures/lab-soc.stp" { print $3 }' out)"
ok "equal inputs, equal bytes" cmp ../lab.trawl ../away/list.trawl
touch lab-soc.stp
chmod 600 lab-soc.stp
(cd ../away && "$TRAWL" -q --pack again.trawl "$OLDPWD/lab.yaml")
ok "... from another folder, too" cmp ../lab.trawl ../away/again.trawl
ok "no path of this machine" test -z "$(grep -a "$scratch" ../lab.trawl)"
mkdir ../away/open
tar xf ../lab.trawl -C ../away/open
messages ../want lab.yaml
messages ../got ../away/open/session.yaml
is "tar opens it, too" "$(cksum <../want)" "$(cksum <../got)"

# --- the screen ----------------------------------------------------------

"$TRAWL" --snapshot 120x40 -c detail -c timeline lab.yaml | sed 1d >../want
(cd ../away && "$TRAWL" --snapshot 120x40 -c detail -c timeline ../lab.trawl) >../got
ok "the title names the case" grep -q '^ lab.trawl (read only)  5 traces' ../got
sed 1d ../got | cmp ../want -
is "equal screens" 0 $?
"$TRAWL" -q --snapshot 80x24 -c 'goto #100' -c 'mark a' -c 'note the lost frame' \
	-c "save ../marks.yaml" demo.stp >/dev/null
"$TRAWL" -q --pack ../marks.trawl --session ../marks.yaml demo.stp
run "$TRAWL" --snapshot 80x24 -c marks ../marks.trawl
ok "notes are shown" grep -q "the lost frame" out
"$TRAWL" -q --pack ../commands.trawl -c 'goto #100' -c 'mark a' -c 'note by command' demo.stp
run "$TRAWL" --snapshot 80x24 -c marks ../commands.trawl
ok "... those of commands, too" grep -q "by command" out
run "$TRAWL" --info ../lab.trawl
ok "--info" grep -q "^# soc: syst/stp" out
run "$TRAWL" -q --compare -t text ../lab.trawl ../lab.trawl
is "two cases are compared" 0 "$status"
run "$TRAWL" -t text ../lab.trawl demo.stp
is "a case and a capture are not mixed" 2 "$status"

# --- an empty root -------------------------------------------------------

jail=$scratch/jail
mkdir -p "$jail/tmp"
cp "$TRAWL" "$jail/trawl"
for library in $(ldd "$TRAWL" | grep -o '/[^ )]*'); do
	mkdir -p "$jail${library%/*}"
	cp -L "$library" "$jail$library"
done
cp ../lab.trawl "$jail"
enter=chroot
test "$(id -u)" = 0 || enter="unshare -r chroot"
if ! grep -q __asan "$TRAWL" && TMPDIR='' $enter "$jail" /trawl -V >/dev/null 2>&1; then
	for how in "-t text" "-t jsonl" "--snapshot 120x40"; do
		# shellcheck disable=SC2086  # the words
		"$TRAWL" -q $how lab.yaml >../want 2>/dev/null
		# shellcheck disable=SC2086
		TMPDIR='' $enter "$jail" /trawl -q $how /lab.trawl >../got 2>../err
		case $how in
		*snapshot*) sed -i 1d ../want ../got ;;
		esac
		is "empty root: $how" "$(cksum <../want)" "$(cksum <../got)"
	done
	is "... nothing is left" "" "$(ls "$jail/tmp")"
else
	skip "an empty root" "no chroot"
fi

# --- files that the user adds ----------------------------------------------

mkdir ../other
cp demo.stp ../other/bare.stp
cp demo.xml ../other/added.xml
"$TRAWL" -q --pack ../bare.trawl ../other/bare.stp
"$TRAWL" -q -t text -C ../other/added.xml ../other/bare.stp >../want 2>/dev/null
"$TRAWL" -q -t text -C ../other/added.xml ../bare.trawl >../got 2>/dev/null
ok "-C adds texts to a case" cmp ../want ../got
"$TRAWL" -q -t text ../bare.trawl >../got 2>/dev/null
ok "... which it had not" test -n "$(diff ../want ../got)"

# --- cuts ----------------------------------------------------------------

fields=severity,origin,type,text
# check_cut NAME CAPTURE RANGE...: the case has the messages of the range, in sequence.
check_cut()
{
	name=$1 capture=$2
	shift 2
	rm -f ../cut.trawl
	run "$TRAWL" --pack ../cut.trawl "$@" "$capture"
	is "cut $name: status" 0 "$status"
	"$TRAWL" -q -t csv --fields=$fields "$@" "$capture" 2>/dev/null | sed 1d >../want
	"$TRAWL" -q -t csv --fields=$fields ../cut.trawl 2>/dev/null | sed 1d >../got
	# shellcheck disable=SC2016  # awk's own $
	ok "... its messages" awk 'NR == FNR { want[NR] = $0; count = NR; next }
		{ got[FNR] = $0 }
		END {
			for (i = 0; i + count <= FNR; i++) {
				for (k = 1; k <= count && got[i + k] == want[k]; k++)
					;
				if (count && k > count) exit 0
			}
			exit 1
		}' ../want ../got
	ok "... the list says so" grep -q " is cut for " out
}
check_cut numbers demo.stp -e 'trace_number >= 100 and trace_number <= 150'
ok "... what it lacks" grep -q 'clocks, contexts, calls and intervals that began before' out
check_cut times delta.stp -S +1us -U +8us
run "$TRAWL" --pack around.trawl -s error --context=2 "$testdata/demo.stp"
is "messages around others are not cut out: status" 2 "$status"
check_cut --split all-csel.csel --split 2/3
if test -e demo.stp.zst && has_feature 'compressed captures'; then
	check_cut zst demo.stp.zst -e 'trace_number >= 100 and trace_number <= 150'
fi
run "$TRAWL" --pack ../none.trawl -e 'text ~ /no such text/' demo.stp
is "no message in the range: status" 2 "$status"
ok "... no case" test ! -e ../none.trawl
run "$TRAWL" --pack ../snap.trawl --split 1/2 all-opencsd
ok "a snapshot is not cut" grep -q "captures/all-opencsd is not cut" out
# message 100 is in the cut: its mark moves with it
run "$TRAWL" --force --pack ../cut.trawl --session ../marks.yaml \
	-e 'trace_number >= 90 and trace_number <= 150' demo.stp
was=$(sed -n 's/.*offset: \([0-9]*\).*/\1/p' ../marks.yaml)
begin=$(sed -n 's/.* bytes \([0-9]*\) to .*/\1/p' out)
is "a mark moves with its message" $((was - begin)) \
	"$(tar xOf ../cut.trawl session.yaml.session.yaml | sed -n 's/.*offset: \([0-9]*\).*/\1/p' | head -n 1)"

# --- writing -------------------------------------------------------------

echo old >../old.trawl
run "$TRAWL" --pack ../old.trawl lab.yaml
is "an old file: status" 2 "$status"
is "... stays" old "$(cat ../old.trawl)"
run "$TRAWL" --pack ../old.trawl --force lab.yaml
ok "--force replaces it" cmp ../old.trawl ../lab.trawl
cksum <lab-soc.stp >../sum
run "$TRAWL" --pack lab-soc.stp --force lab.yaml
is "a capture is no output: status" 2 "$status"
is "... stays" "$(cat ../sum)" "$(cksum <lab-soc.stp)"
run "$TRAWL" --pack ../x.trawl -t text lab.yaml
is "one output alone" 2 "$status"
run "$TRAWL" --pack ../x.trawl - <demo.stp
is "no stream" 2 "$status"
run timeout 20 "$TRAWL" --pack ../x.trawl tcp:127.0.0.1:9
is "no live source" 2 "$status"
cp demo.stp "$(printf 'a\nb.stp')"
run "$TRAWL" --pack ../x.trawl -f syst/stp "$(printf 'a\nb.stp')"
is "no control characters in names" 2 "$status"
ok "... no file" test ! -e ../x.trawl
mkdir ../full
(ulimit -f 8 && exec "$TRAWL" --pack ../full/c.trawl lab.yaml) >out 2>err
is "no space to write: status" 2 $?
is "... nothing is written" "" "$(ls ../full)"
(ulimit -f 2 && exec "$TRAWL" -t text ../lab.trawl) >out 2>err
is "no space to unpack: status" 2 $?
ok "... the case is named" grep -q lab.trawl err
is "... nothing is left" "" "$(left)"
run "$TRAWL" --spool "$scratch/none" -t text ../lab.trawl
is "no folder to unpack: status" 2 "$status"

# --- the end -------------------------------------------------------------

cksum <../lab.trawl >../sum
for signal in TERM KILL; do
	rm -f out
	"$TRAWL" -q -t text --follow ../marks.trawl >out 2>err &
	pid=$!
	until test -s out || ! kill -0 $pid; do
		sleep 0.1
	done
	ok "it is unpacked in private" test "$(stat -c %a "$TMPDIR"/trawl-*)" = 700
	kill -$signal $pid
	wait $pid 2>/dev/null
	is "SIG$signal leaves nothing" "" "$(left)"
done
"$TRAWL" -t text ../lab.trawl 2>/dev/null | head -n 1 >out
is "a closed pipe leaves nothing" "" "$(left)"
is "the case is unchanged" "$(cat ../sum)" "$(cksum <../lab.trawl)"

# --- hostile cases -------------------------------------------------------

if ! command -v python3 >/dev/null; then
	skip "hostile cases" "no python3"
	finish
	exit
fi
# refused KIND WORD: one sentence with WORD, at once, and nothing is left.
refused()
{
	"$bend" "$1" ../lab.trawl ../bad.trawl
	(cd ../away && run timeout 20 "$TRAWL" -t text ../bad.trawl && cp out err .. && exit "$status")
	is "hostile: $1: status" 2 $?
	is "... one sentence" 1 "$(lines ../err)"
	ok "... with $2" grep -qF -e "$2" ../err
	is "... no output" 0 "$(lines ../out)"
	is "... nothing is left" "" "$(left)"
}
"$bend" same ../lab.trawl ../bad.trawl
messages ../want lab.yaml
messages ../got ../bad.trawl
is "the generator makes good cases, too" "$(cksum <../want)" "$(cksum <../got)"
while read -r kind word; do
	refused "$kind" "$word"
done <<-'END'
	symlink captures/lab-soc.stp is a symbolic link
	hardlink captures/lab-soc.stp is a hard link
	chardev captures/lab-soc.stp is a device
	blockdev captures/lab-soc.stp is a device
	folder captures/lab-soc.stp is a folder
	fifo captures/lab-soc.stp is a FIFO
	sparse captures/lab-soc.stp is an extension of tar
	pax captures/lab-soc.stp is an extension of tar
	longname captures/lab-soc.stp is an extension of tar
	global captures/lab-soc.stp is an extension of tar
	absolute /tmp/escaped
	dotdot ../escaped
	inner captures/../../escaped
	dot ./escaped
	slashes captures//escaped
	escape captures/a\x1b]0;x\x07b
	bidi captures/a
	latin1 captures/a
	long cccccccccc
	empty bad.trawl
	end captures/
	twice captures/lab-soc.stp
	under captures
	more unlisted is not on its list
	fewer no file where its list has session.yaml.session.yaml
	other captures/other where its list has captures/lab-soc.stp
	larger captures/lab-soc.stp
	terabyte ends inside of captures/lab-soc.stp
	sum captures/lab-soc.stp
	nolist its list
	hugelist its list
	millions a
	nosession session.yaml
	cut ends inside of session.yaml
	session:captures/lab-soc.stp=>/etc/hostname /etc/hostname
	session:captures/lab-soc.stp=>../../work/lab-soc.stp outside of the case
	session:captures/lab-soc.stp=>tcp:127.0.0.1:9 tcp:127.0.0.1:9
	session:captures/lab-soc.stp=>serial:/dev/ttyS0@9600 serial:/dev/ttyS0
END
if "$bend" space ../lab.trawl ../bad.trawl 2>/dev/null; then
	refused space free
else
	skip "no space" "no sparse files of this size"
fi
rm -f ../bad.trawl
ok "nothing escaped" test ! -e /tmp/escaped -a ! -e ../escaped -a ! -e ../../escaped
gzip -c ../lab.trawl >../bad.trawl
run "$TRAWL" -t text ../bad.trawl
is "a compressed case is no case" 2 "$status"

# no_secret NAME: the case opens, and its output has nothing of a file outside.
no_secret()
{
	"$TRAWL" -t jsonl ../bad.trawl >../out 2>../err </dev/null
	ok "$1: reported" grep -q "outside of the case" ../err
	ok "$1: not read" test -z "$(grep -l secret ../out)"
}
"$bend" "session:programs/lab-hub.elf=>$PWD/lab-hub.elf" ../lab.trawl ../bad.trawl
sed -i 's/optional: true/optional: no/' lab.yaml
"$TRAWL" -q -t jsonl lab.yaml | grep -c '"function"' >../want
"$TRAWL" -t jsonl ../bad.trawl 2>/dev/null | grep -c '"function"' >../got
if has_feature symbols; then
	ok "a program outside: the trace has functions" test "$(cat ../want)" -gt 0
fi
is "... which are not read" 0 "$(cat ../got)"
sed 's/Client/secret/' demo.xml >../secret.xml
"$TRAWL" -q --pack ../good.trawl -C demo.xml plain.stp
"$bend" "session:collateral/demo.xml=>$scratch/secret.xml" ../good.trawl ../bad.trawl
mv ../good.trawl ../lab.trawl
no_secret "collateral outside"
cp all-opencsd/*.ini .
printf '[secret\nsecret=1\n' >../secret.ini
"$TRAWL" -q --pack ../good.trawl all-opencsd
"$bend" "file:captures/all-opencsd/snapshot.ini:stm.ini=>$scratch/secret.ini" ../good.trawl ../bad.trawl
no_secret "a device file outside"
"$bend" "file:captures/all-opencsd/trace.ini:etb.bin=>$scratch/work/all-opencsd/etb.bin" \
	../good.trawl ../bad.trawl
run "$TRAWL" -t text ../bad.trawl
is "a buffer outside: status" 2 "$status"
printf 'cells: [secret]\n' >../secret.yaml
"$bend" "notes:view: $scratch/secret.yaml" ../good.trawl ../bad.trawl
"$TRAWL" --snapshot 80x24 ../bad.trawl >../out 2>&1
ok "a view outside is not read" test -z "$(grep secret ../out)"
finish
