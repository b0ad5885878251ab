#!/bin/sh
# --follow: messages are printed as they come, until a signal ends it; and what
# is done to the file meanwhile is said.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

whole=$testdata/len32.bin

# cut FROM TO: these bytes of the capture, from 0.
cut_out()
{
	tail -c +$(($1 + 1)) "$whole" | head -c $(($2 - $1))
}

# What a whole file of the first SIZE bytes says, less what is not settled: the
# last message may be longer than what is there of it.
settled()
{
	cut_out 0 "$1" >cut.bin
	"$TRAWL" -t csv -f syst/raw cut.bin | sed 's/"cut.bin"/"log"/' >want
	head -n $(($(lines want) - ${2:-0})) want
}

# follow OPTION...: prints `log` to out.
follow()
{
	rm -f out err
	$default "$TRAWL" -t csv -f syst/raw --follow "$@" log >out 2>err &
	pid=$!
}

# A shell's background jobs ignore SIGINT, if nobody helps.
default="env --default-signal=INT"
$default true 2>/dev/null || default=

# Waits until FILE has that many lines, ten seconds at most.
has_lines()
{
	deadline=$(($(date +%s) + 30))
	until test -e "$1" && test "$(lines "$1")" -ge "$2"; do
		test "$(date +%s)" -lt $deadline || return
		sleep 0.02
	done
}

says()
{
	deadline=$(($(date +%s) + 30))
	until grep -qF -e "$1" err; do
		test "$(date +%s)" -lt $deadline || return
		sleep 0.02
	done
}

end()
{
	kill -s "$1" $pid
	wait $pid
	status=$?
}

# 4096 and 9000 are in the middle of messages, 16388 is the end.
cut_out 0 4096 >log
follow
settled 4096 1 >first
has_lines out "$(lines first)"
is "what is there comes at once" "$(cksum <first)" "$(cksum <out)"
cut_out 4096 9000 >>log
settled 9000 1 >second
has_lines out "$(lines second)"
is "what comes is printed" "$(cksum <second)" "$(cksum <out)"
cut_out 9000 16388 >>log
settled 16388 1 >third # a raw message is settled by the next one
has_lines out "$(lines third)"
settled 16388 >third # or by the end
if test -n "$default"; then
	end INT
	is "SIGINT ends it" 130 $status
else
	end TERM
	skip "SIGINT ends it" "env cannot set signals"
fi
is "with whole lines" "$(cksum <third)" "$(cksum <out)"
is "and nothing on standard error but that ids have no names" "" \
	"$(grep -vF "$(notice NO_COLLATERAL log)" err)"

cut_out 0 4096 >log
follow
has_lines out "$(lines first)"
: >log
says "became shorter"
cut_out 0 9000 >>log
has_lines out $(($(lines first) + $(lines second) - 1))
end TERM
is "SIGTERM ends it too" 143 $status
tail -n +$(($(lines first) + 1)) out >rest
is "a file that was cut is read again from its start" \
	"$(tail -n +2 second | cksum)" "$(cksum <rest)"

cut_out 0 4096 >log
follow
has_lines out "$(lines first)"
mv log log.1
says "was removed"
cut_out 0 9000 >log
says "was replaced"
has_lines out $(($(lines first) + 1 + $(lines second) - 1))
end TERM
settled 4096 >old
is "all of the old file comes first" "$(cksum <old)" "$(head -n "$(lines old)" out | cksum)"
tail -n +$(($(lines old) + 1)) out >rest
is "then the new file of that name" "$(tail -n +2 second | cksum)" "$(cksum <rest)"

cut_out 0 4096 >log
follow "--follow=descriptor"
has_lines out "$(lines first)"
mv log log.1
cut_out 0 1000 >log
says "another file has this name"
cut_out 4096 9000 >>log.1
has_lines out "$(lines second)"
end TERM
is "--follow=descriptor stays with the old file" "$(cksum <second)" "$(cksum <out)"

mkfifo fifo
"$TRAWL" -t csv -f syst/raw -F fifo >out 2>err &
pid=$!
exec 9>fifo
cut_out 0 4096 >&9
has_lines out "$(lines first)"
is "a stream is printed as it comes" "$(tail -n +2 first | cut -d , -f 3- | cksum)" \
	"$(tail -n +2 out | cut -d , -f 3- | cksum)"
exec 9>&-
wait $pid
is "and ends with its writer, on a cut message" 1 $?

# Follows console.log, which has one whole line, as text with OPTION...
console()
{
	printf '[    0.100000] boot\n' >console.log
	rm -f out err
	$default "$TRAWL" -q -F -t text --template='{text}' "$@" console.log >out 2>err &
	pid=$!
	has_lines out 1
}

console
printf '[    0.200000] Oops:\n  at f\n[    0.3' >>console.log
printf '00000] half a line' >>console.log
has_lines out 3
printf '%s\n' boot 'Oops:\n  at f' 'half a line' >want
is "a silent end is printed: whole lines and a part of one" "$(cksum <want)" "$(cksum <out)"
end TERM
console "--stop-when=text ~ /login:/"
printf 'login: ' >>console.log
wait $pid
is "--stop-when sees a prompt" "0 2" "$? $(lines out)"
console "--stop-when=text ~ /panic/"
printf '[    2.300000] Kernel panic\n' >>console.log
wait $pid
is "and the last line" "0 2" "$? $(lines out)"
for signal in ${default:+INT} TERM; do
	console
	printf '[    0.200000] last words' >>console.log
	end $signal
	is "$signal flushes" "last words" "$(tail -n 1 out)"
done

run "$TRAWL" -t csv --follow=tail log
is "no such way to follow" 2 $status
cp log log.2
run "$TRAWL" -t csv -f syst/raw --follow log log.2
is "one trace at a time" 2 $status
ok "and says so" grep -q -e --source err

finish
