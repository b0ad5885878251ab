#!/bin/sh
# trawl-farm on a Slurm cluster of two nodes on this machine, which the test starts.

# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
farm=$(cd "$(dirname "$testdata")" && pwd)/tools/trawl-farm
PATH=$PATH:/usr/sbin:/sbin

run "$farm"
is "no arguments: status" 2 "$status"
run "$farm" 4 out.csv -t csv capture.bin
is "no --: status" 2 "$status"
run "$farm" none out.csv -- -t csv capture.bin
is "no number of parts: status" 2 "$status"
echo mine >taken.csv
run "$farm" 4 taken.csv -- -t csv capture.bin
is "an output that exists: status" 2 "$status"
is "... and it is unchanged" mine "$(cat taken.csv)"
run "$farm" --help
is "--help: status" 0 "$status"

for program in munged slurmctld slurmd sbatch; do
	if ! command -v $program >/dev/null; then
		skip "a farm" "$program is missing"
		finish
		exit
	fi
done
if test "$(id -u)" -ne 0; then
	skip "a farm" "its daemons need root"
	finish
	exit
fi

# --- the cluster ---

# soon COMMAND...: wait until the command succeeds.  Return false after two minutes.
soon()
{
	tries=1200
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		test $tries -gt 0 || return 1
		sleep 0.1
	done
}

processes=
stop_cluster()
{
	scancel --quiet --user=root
	soon sh -c 'test -z "$(squeue -h)"'
	for process in $processes; do
		kill "$process" && wait "$process"
	done 2>/dev/null
	cd / && rm -rf "$scratch"
}

start_node()
{
	slurmd -D -f "$SLURM_CONF" -N "$1" 2>/dev/null &
	echo $! >"$1.pid"
	processes="$processes $!"
}

host=$(uname -n)
port=$((20000 + $$ % 4000 * 3))
export SLURM_CONF="$scratch/slurm.conf"
cat >slurm.conf <<END_CONF
ClusterName=farm
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.socket,cred_expire=5
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool.%n
SlurmctldPidFile=$scratch/slurmctld.pidfile
SlurmdPidFile=$scratch/slurmd.%n.pidfile
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
SlurmdTimeout=4
ReturnToService=2
KillWait=1
MinJobAge=60
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=8
NodeName=two NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=8
PartitionName=all Nodes=one,two Default=YES MaxTime=INFINITE State=UP
END_CONF
mkdir state
head -c 1024 /dev/urandom >key
chmod 400 key
chmod 755 .
munged --foreground --force --key-file="$scratch/key" --socket="$scratch/munge.socket" \
	--pid-file="$scratch/munge.pidfile" --log-file="$scratch/munge.log" \
	--seed-file="$scratch/munge.seed" --origin=127.0.0.1 2>/dev/null &
processes=$!
trap stop_cluster EXIT
trap 'exit 1' HUP INT TERM
soon test -e munge.socket
slurmctld -D -f "$SLURM_CONF" 2>/dev/null &
processes="$! $processes"
start_node one
start_node two
if ! soon sh -c 'test "$(sinfo -h -N -t idle -o %N | wc -l)" = 2'; then
	tail -n 5 slurmctld.log slurmd.*.log munge.log | sed 's/^/# /'
	skip "a farm" "the cluster does not start here"
	finish
	exit
fi

# The jobs find this trawl.  It runs the real one unless a file of the current folder says
# otherwise.  `hold-K` stops the first run of part K for ever and contains its processes then.
mkdir bin
cat >bin/trawl <<'END_TRAWL'
#!/bin/sh
part=$(echo "$*" | sed 's|.*--split=\([0-9]*\)/.*|\1|')
if test -e "hold-$part" && test ! -s "hold-$part"; then
	echo "$$ $PPID $(cut -d ' ' -f 4 /proc/$PPID/stat) $SLURM_JOB_ID $SLURMD_NODENAME" >"hold-$part"
	exec sleep 1000
fi
test ! -e "fail-$part" || exit 2
test ! -e "change-$part" || touch capture.bin
exec "$TRAWL" "$@"
END_TRAWL
chmod +x bin/trawl
PATH=$scratch/bin:$PATH
export TRAWL

# started NAME FILE... -- FARM-ARGUMENT...: start a farm in folder NAME, with empty files.
started()
{
	name=$1
	shift
	mkdir "$name"
	cp capture.bin "$name"
	while test "$1" != --; do
		: >"$name/$1"
		shift
	done
	shift
	(
		cd "$name" || exit
		"$farm" "$@" >out 2>err
		echo $? >status
	) &
}

# ended NAME STATUS: wait for a farm and compare its exit status.
ended()
{
	soon test -s "$1/status"
	cp "$1/err" err
	is "$1: status" "$2" "$(cat "$1/status")"
}

# held NAME PART: wait until the part is held, and set $trawl, $shell, $daemon, $job and $node.
held()
{
	soon test -s "$1/hold-$2"
	read -r trawl shell daemon job node <"$1/hold-$2"
}

# start_now: wait until Slurm requeued the held task, which may then wait two minutes.
start_now()
{
	soon sh -c "scontrol show job $job | grep -q Restarts=1"
	soon sh -c "scontrol update JobId=$job StartTime=now
		! scontrol show job $job | grep -q Reason=BeginTime"
}

# Damage at the end of a part and in its middle; some messages are in two parts.
"$MKCAPTURE" -f syst/stp -m all -n 6M --damage=cut,drop --rate=0.001 -o capture.bin
"$TRAWL" -q -t csv capture.bin >whole.csv
"$TRAWL" -q -t jsonl -s warning capture.bin >whole.jsonl

started plain -- 5 out.csv --cpus-per-task=2 -- -t csv capture.bin
started killed hold-2 -- 4 out.jsonl -- -q -t jsonl -s warning capture.bin
started failing fail-3 -- 4 out.csv -- -t csv capture.bin
started refused -- 4 out.csv -- -t table capture.bin
started changed change-2 -- 2 out.csv -- -t csv capture.bin

held killed 2
kill -KILL "$trawl"

ended plain 1
ok "plain: the output of one run" cmp plain/out.csv whole.csv
is "plain: nothing else is left" "capture.bin err out out.csv status" "$(cd plain && echo *)"
ok "plain: damage is reported" grep -q "damaged message" plain/err

ended killed 1
ok "killed: the output of one run" cmp killed/out.jsonl whole.jsonl
ok "killed: the part ran again" grep -q "^part 2: trawl-farm: signal 9 ended trawl" killed/err

ended failing 2
ok "failing: the part is named" grep -q "part 3 of 4 failed" failing/err
is "failing: no other" 1 "$(grep -c "part [0-9]* of 4 failed" failing/err)"
ok "failing: no output" test ! -e failing/out.csv
"$TRAWL" -q -t csv --split=4/4 capture.bin >want
ok "failing: finished parts are kept" cmp want failing/out.csv.farm-*/part-4

ended refused 2
ok "refused: the reason" grep -q -e "-t table needs whole captures" refused/err
is "refused: nothing is left" "capture.bin err out status" "$(cd refused && echo *)"

ended changed 2
ok "changed: the reason" grep -q "the capture changed" changed/err
ok "changed: no output" test ! -e changed/out.csv

# A node dies: its daemons and all processes of the task.
started node hold-3 -- 3 out.csv -- -q -t csv capture.bin
held node 3
kill -KILL "$(cat "$node.pid")" "$daemon" "$shell" "$trawl"
start_now
ended node 1
ok "node: the output of one run" cmp node/out.csv whole.csv
is "no job is left" "" "$(squeue -h)"
ok "node: the part was requeued" grep -q "DUE TO NODE FAILURE\|NODE_FAIL\|requeue" slurmctld.log

finish
