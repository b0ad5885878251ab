#!/bin/sh
# Logs of lines of text: what they are taken for, and how they stand beside a trace.
. "${srcdir:-.}/tests/cli/lib.sh"

# Each log of testdata/ is recognised by its content.
while read -r name preset; do
	cp "$testdata/$name" log
	run "$TRAWL" --info log
	ok "$name: $preset" grep -q "like those of preset $preset:" out
	ok "$name: no guess" grep -q "^# log: text, .*confidence 92 %" out
done <<END
log-dmesg.txt dmesg
log-dmesg-wall.txt dmesg-wall
log-syslog.txt syslog
log-rfc5424.txt rfc5424
log-zephyr.txt zephyr
log-logcat.txt logcat
log-iso8601.txt iso8601
END

# Text that is of no log: no SyS-T, no time, no severity.
printf 'ssh\t22/tcp\ndomain\t53/udp\n\nint main(void)\n{\n\treturn 0;\n}\n' >plain.txt
run "$TRAWL" --info plain.txt
ok "plain text: what it is" grep -q '^# plain.txt: text, .*plain text, shown line by line: none of its first 6 lines' out
run "$TRAWL" -t jsonl plain.txt
is "plain text: status" 0 "$status"
is "plain text: a message for each line" 6 "$(lines out)"
is "plain text: no severity, no time" 6 \
	"$(grep -c '"ticks":null,"time":null,"severity":null,"origin":""' out)"

# A log with SyS-T in it stays SyS-T, whatever else is in it.
(cat "$testdata/log-zephyr.txt"; echo 'SYS-T RAW DATA: 4212030103006F6B00') >mixed.txt
run "$TRAWL" -t csv mixed.txt
ok "SyS-T in a log" grep -q 'STRING:GENERIC","ok"' out
(cat "$testdata/log-dmesg.txt"; echo 'SYS-T RAW DATA: 4') >mixed.txt
run "$TRAWL" --info mixed.txt
ok "damaged SyS-T in a log" grep -q '^# mixed.txt: syst/hex' out

# Fields are columns, terms of filters and keys of JSON.
run "$TRAWL" -t jsonl -e 'severity <= error and origin = "dma"' "$testdata/log-zephyr.txt"
is "a filter by severity and origin" 1 "$(lines out)"
run "$TRAWL" -t jsonl -e 'text.pid = 812' "$testdata/log-logcat.txt"
is "a filter by a field" 4 "$(lines out)"
ok "fields in JSON" grep -q '"fields":{"stamp":"11-22 10:00:00.412","level":"I","pid":812,"tid":830}' out
run "$TRAWL" -t jsonl -e 'text.other = "channel=4"' "$testdata/log-bench.txt"
is "a group of a profile's pattern" 2 "$(lines out)"
run "$TRAWL" -t jsonl "$testdata/log-dmesg.txt"
is "a loss in the log is damage" 1 "$status"
is "it is flagged" 1 "$(grep -c '"flags":\["lost"\]' out)"

# What a profile says wrongly.
cat >p.yaml <<END
traces:
  - match: "*"
    format: text
    text: {pattern: '(?<time>[', time: seconds}
END
run "$TRAWL" -t csv -p p.yaml plain.txt
is "a pattern that is none: status" 2 "$status"
ok "a pattern that is none: where" grep -q 'p.yaml:4:.*pattern is.*expected a regular expression; at byte' err
sed -i.old "s/\[', time: seconds/.)'/" p.yaml
run "$TRAWL" -t csv -p p.yaml plain.txt
ok "a time that does not say how it reads" grep -q 'time: iso8601' err

# Two logs beside a trace, tied: one list on one clock.
run "$TRAWL" -t csv "$testdata/log.yaml"
sed 1d out | cut -d , -f 2,6,10 >list
is "tied: the same moment" 1 "$(grep 'frame 17' list | cut -d , -f 2 | sort -u | wc -l | tr -d ' ')"
is "tied: in both logs" 2 "$(grep -c 'frame 17' list)"
grep -v "^\"soc" list | cut -d , -f 2 | grep . >times
ok "tied: the times of both do not decrease" sort -n -c times
ok "tied: all three are in it" test \
	"$(sed -n '/00000.,/!p' list | cut -d , -f 1 | sort -u | wc -l)" -eq 3
first=$(grep -n "frame 17" list | head -n 1 | cut -d : -f 1)
ok "tied: the trace goes on around it" test \
	"$(sed -n "1,${first}p" list | grep -c '"soc",[0-9]')" -gt 5 -a \
	"$(sed "1,${first}d" list | grep -c '"soc",[0-9]')" -gt 5

# Clocks of the wall need no tie; an offset moves one.
cp "$testdata/log-iso8601.txt" a.log
cp "$testdata/log-rfc5424.txt" b.log
cat >wall.yaml <<END
traces:
  - {file: a.log}
  - {file: b.log}
END
run "$TRAWL" -t csv wall.yaml
is "wall clocks: one list" "a.log b.log a.log a.log a.log b.log b.log b.log" \
	"$(sed 1d out | cut -d , -f 2 | tr -d '"' | tr '\n' ' ' | sed 's/ $//')"
(cat wall.yaml; echo 'sync: [{kind: offset, trace: b.log, seconds: -2}]') >offset.yaml
run "$TRAWL" -t csv offset.yaml
is "an offset moves one" "b.log b.log a.log b.log b.log a.log a.log a.log" \
	"$(sed 1d out | cut -d , -f 2 | tr -d '"' | tr '\n' ' ' | sed 's/ $//')"

finish
