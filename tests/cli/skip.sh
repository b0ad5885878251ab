#!/bin/sh
# A filter by time skips cells by the index.  Output, doubts and status equal those of a walk
# over all messages, byte for byte.  --split=1/1 is such a walk.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

# The ways of asking for a range of times that differ from a walk over all.
differ()
{
	cases "$damage" "$@" >ranges <<-END
		-S +0s -U +1ms
		-S +20ms -U +21ms
		-S +30ms
		-U +5ms
		-S +0.1s -U +0.2s
		-S +1000000s
		-e time>+1ms -s warning
		-e time<+1ms -S +2ms
	END
	while read -r range; do
		for target in jsonl none; do
			# shellcheck disable=SC2086  # words
			"$TRAWL" $range -t $target "$@" --split=1/1 --no-cache >one 2>one.err
			echo $? >>one
			for cache in --no-cache --cache-dir=kept; do # from the second run on
				# shellcheck disable=SC2086
				"$TRAWL" $range -t $target "$@" $cache >two 2>two.err
				echo $? >>two
				cmp -s one two && cmp -s one.err two.err ||
					echo "$range, $target, $cache"
			done
		done
	done <ranges
	# no cell can be ruled out by a text that no message has
	during="time >= +10ms and time <= +11ms"
	"$TRAWL" -q -t jsonl --context=3 -e "($during) or text ~ /^(?!)/" "$@" --no-cache >one
	"$TRAWL" -q -t jsonl --context=3 -S +10ms -U +11ms "$@" --no-cache >two
	cmp -s one two || echo "messages around"
}

for format in syst/raw syst/stp encap gem uia csel; do
	for damage in "" cut,flip,drop,garbage; do
		"$MKCAPTURE" -f $format -m all -n 500K --timestamp=4 --senders=8 \
			${damage:+--damage=$damage} -o made.bin 2>err ||
			"$MKCAPTURE" -f $format -m all -n 500K --senders=8 \
				${damage:+--damage=$damage} -o made.bin 2>err
		is "$format${damage:+, damaged}: made" 0 "$?"
		is "$format${damage:+, damaged}" "" "$(differ -f $format made.bin)"
	done
done

# Searches of a log: cells are ruled out by their bytes, while the index is built.
awk 'BEGIN {
	for (i = 0; i < 20000; i++)
		printf "[%5d.%06d] dev%d: message %d%s\n", i / 100, i, i % 7, i * 7919,
			i % 5000 ? "" : i % 10000 ? " ra\033[1mre" : " rare\002"
}' >made.log
cat >log <<-END
	-r rare
	-r RARE/I
	-e text~/rare/
	-e text!~/message.1/
	-r dev3 -s error
END
while read -r search; do
	for target in text csv jsonl none; do
		# shellcheck disable=SC2086
		"$TRAWL" $search -t $target made.log --split=1/1 --no-cache >one 2>&1
		echo $? >>one
		for threads in 1 2; do
			# shellcheck disable=SC2086
			"$TRAWL" $search -t $target made.log --threads=$threads --no-cache >two 2>&1
			echo $? >>two
			is "log: $search, $target, $threads" "$(cksum <one)" "$(cksum <two)"
		done
	done
done <log

finish
