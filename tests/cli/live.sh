#!/bin/sh
# Live sources: what a TCP peer or a serial port sends is printed as it comes; a source that
# breaks off is opened again, and the messages are those of the pieces, with a loss between.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

whole=$testdata/len32.bin

# A shell's background jobs ignore SIGINT, if nobody helps.
default="env --default-signal=INT"
$default true 2>/dev/null || default=

# Waits for what comes soon, half a minute at most.
soon()
{
	deadline=$(($(date +%s) + 30))
	until "$@"; do
		test "$(date +%s)" -lt $deadline || return
		sleep 0.02
	done
}

has_lines()
{
	test -e "$1" && test "$(lines "$1")" -ge "$2"
}

# peer KIND RANGE...: sends these ranges; sets $name.
peer()
{
	kind=$1
	shift
	rm -f name
	"$LIVE_PEER" "$kind" name "$whole" "$@" 2>peer.err &
	peer=$!
	soon test -e name || { kill -0 $peer 2>/dev/null && return; return 1; }
	read -r name <name
}

follow()
{
	rm -f out err
	$default "$TRAWL" -t csv -f syst/raw "$@" >out 2>err &
	pid=$!
}

end()
{
	kill -s "$1" $pid
	wait $pid 2>/dev/null
	status=$?
}

end_peer()
{
	kill $peer
	wait $peer 2>/dev/null
}

# What the first SIZE bytes say, without numbers, names and offsets; all but the last LESS
# messages, which are not settled while more may come.
piece()
{
	head -c "$1" "$whole" >cut.bin
	"$TRAWL" -q -t csv -f syst/raw cut.bin | tail -n +2 >piece.all
	head -n $(($(lines piece.all) - ${2:-0})) piece.all | cut -d, -f4-
}

loss='0,,,ERROR,"","loss","the source broke off for _ s: what was sent meanwhile is missing",lost'
plain()
{
	tail -n +2 out | cut -d, -f4- | sed 's/off for [0-9.]* s/off for _ s/'
}

# The first piece ends in the middle of a message, the second one does not.
{
	piece 4100
	echo "$loss"
	piece 16388
	echo "$loss"
	piece 9000 1
} >want

peer tcp 0-4100 0-16388 0-9000
follow "$name"
soon has_lines out $(($(lines want) + 1))
plain >got
is "connections one after the other" "$(cksum <want)" "$(cksum <got)"
if test -n "$default"; then
	end INT
	is "SIGINT ends it" 130 $status
else
	end TERM
	skip "SIGINT ends it" "it is ignored here"
fi
end_peer
is "numbers and offsets go on" "0 4100 20488" "$(
	sed -n '2p; /broke off/p' out | cut -d, -f3 | tr '\n' ' ' | sed 's/ $//')"

port=${name##*:}
follow "$name"
soon grep -q 'Connection refused; waiting' err
ok "a source that is not there is waited for" grep -q "^trawl: $name: Connection refused; " err
peer "$port" 0-9000
piece 9000 1 >want
soon has_lines out $(($(lines want) + 1))
plain >got
is "until it is there" "$(cksum <want)" "$(cksum <got)"
end_peer
soon grep -q 'closed the connection' err
ok "that it broke off is said" grep -qF \
	"$(notice LINK_WAITING "the other side closed the connection")" err
peer "$port" 0-9000
{
	piece 9000
	echo "$loss"
	piece 9000 1
} >want
soon has_lines out $(($(lines want) + 1))
plain >got
is "a sender that is started again" "$(cksum <want)" "$(cksum <got)"
ok "that it goes on is said" grep -qF "$name$(notice LINK_CONNECTED)" err
end TERM
end_peer

if peer tcp6 0-9000; then
	follow "$name"
	piece 9000 1 >want
	soon has_lines out $(($(lines want) + 1))
	plain >got
	is "IPv6" "$(cksum <want)" "$(cksum <got)"
	end TERM
	end_peer
else
	skip "IPv6" "$(cat peer.err)"
fi

if peer pty 0-3000 3000-9000; then
	port=${name#serial:}
	port=${port%@*}
	before=$(stty -g <"$port")
	follow "$name"
	piece 9000 1 >want
	soon has_lines out $(($(lines want) + 1))
	plain >got
	is "a serial port" "$(cksum <want)" "$(cksum <got)"
	ok "... is set" test "$before" != "$(stty -g <"$port")"
	end TERM
	is "... and set back" "$before" "$(stty -g <"$port")"
	end_peer
else
	skip "a serial port" "$(cat peer.err)"
fi

peer tcp 0-9000
echo "traces: [{file: \"$name\", name: probe, format: syst/raw}]" >live.yaml
rm -f out err
"$TRAWL" -t csv live.yaml >out 2>err &
pid=$!
piece 9000 1 >want
soon has_lines out $(($(lines want) + 1))
plain >got
is "by a profile" "$(cksum <want)" "$(cksum <got)"
is "it has a name there" '"probe"' "$(sed -n 2p out | cut -d, -f2)"
end TERM
end_peer

peer tcp 0-9000
run timeout 30 "$TRAWL" -t csv -f syst/raw --stop-when 'text = "84f6ee"' "$name"
is "--stop-when ends it" 0 $status
is "behind that message" "$(piece 16388 | sed '/84f6ee/q' | cksum)" "$(plain | cksum)"
end_peer
peer tcp 0-9000
run timeout 30 "$TRAWL" -f syst/raw --check='severity = fatal' "$name"
is "--check has no end: status" 2 $status
ok "--check has no end" grep -q 'and a live source has none; --stop-when' err
end_peer
peer tcp 0-9000
run timeout 30 "$TRAWL" -q -t csv -f syst/raw -e 'severity = fatal' --stop-when 'offset >= 300' "$name"
is "printed or not" 0 $status
end_peer
run "$TRAWL" -t csv --stop-when 'n = 1' "$whole"
is "--stop-when needs --follow: status" 2 $status
ok "--stop-when needs --follow" grep -q -e '--stop-when needs --follow' err
run "$TRAWL" -t csv -F --stop-when 'text = (' "$whole"
ok "--stop-when is an expression" grep -q '^trawl: --stop-when: ' err

wrong()
{
	run "$TRAWL" -t csv "$2"
	is "$1: status" 2 $status
	ok "$1: $3" grep -q "$3" err
}
wrong "no port" tcp:localhost "expected tcp:HOST:PORT"
wrong "no number" tcp:localhost:echo "expected tcp:HOST:PORT"
wrong "two colons" tcp:::1:80 "expected tcp:HOST:PORT"
wrong "no host" tcp::80 "expected tcp:HOST:PORT"
wrong "no device" serial:@9600 "serial:DEVICE@BAUD"
wrong "no baud rate" serial:/dev/null@fast "no such baud rate: fast; there are 1200,"
wrong "a strange baud rate" serial:/dev/null@9601 "no such baud rate: 9601"
wrong "no such device" serial:/dev/nosuch "there is no /dev/nosuch"
wrong "no port at all" serial:/dev/null "it is not a serial port"
finish
