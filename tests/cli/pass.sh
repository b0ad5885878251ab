#!/bin/sh
# Cells that a filter rules out are skipped.  Output, numbers, doubts and status equal those of a
# walk over all messages, byte for byte.  --split=1/1 is such a walk.  Where that is impossible,
# the reference uses a term that rules out no cell and passes no message.

# shellcheck source=lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

# Writes output and status to $1, and what is said of doubts.
ask()
{
	to=$1
	shift
	"$TRAWL" "$@" >"$to" 2>"$to.err"
	echo $? >>"$to"
}

# The ways of asking that differ.
differ()
{
	cases "$damage" "$@" >expressions <<-END
		text ~ /zqxj/
		/fault/ or text ~ /zq[xy]j/
		severity <= error
		severity == fatal and text ~ /link/
		not (severity >= fatal)
		damaged or truncated or suspect or lost
		text ~ /enter open/ or text ~ /firm/i
		text ~ /x/ and ticks < 1700000000001000
		kind == string and text ~ /pll/
	END
	while read -r expression; do
		never="($expression) or text ~ /^(?!)/"
		for target in none jsonl; do
			ask one -e "$expression" -t $target "$@" --split=1/1 --no-cache
			for way in "--no-cache --threads=1" "--no-cache --threads=3" \
				"--cache-dir=kept --threads=3"; do
				# shellcheck disable=SC2086  # words
				ask two -e "$expression" -t $target "$@" $way
				cmp -s one two && cmp -s one.err two.err ||
					echo "$expression, $target, $way"
			done
		done
		for more in "-t table" "-t text --context=2" "-t text --columns=delta,gap" \
			--check=loss,corrupt,time,severity:error; do
			# shellcheck disable=SC2086
			ask one -e "$never" $more "$@" --no-cache
			# shellcheck disable=SC2086
			ask two -e "$expression" $more "$@" --no-cache
			test "$(cat one; grep check one.err)" = "$(cat two; grep check two.err)" ||
				echo "$expression, $more"
		done
	done <expressions
}

for format in "syst/raw -m strings" "syst/raw -m all" "syst/raw -m printf" "encap -m all" \
	"gem -m all" "syst/stp -m strings"; do
	for damage in "" cut,flip,drop,garbage; do
		# shellcheck disable=SC2086
		"$MKCAPTURE" -f $format -n 100K ${damage:+--damage=$damage --rate=0.0005} \
			-o made.bin 2>err
		is "$format${damage:+, damaged}: made" 0 "$?"
		head -c 100001 made.bin >cut.bin
		is "$format${damage:+, damaged}" "" "$(differ -f "${format%% *}" cut.bin)"
	done
done

# With several captures in one order, cells are skipped by their severities.
"$MKCAPTURE" -m all -n 500K --damage=cut,flip,drop --rate=0.0005 -o first.bin
"$MKCAPTURE" -f syst/stp -m all -n 500K --damage=drop --rate=0.0005 -o second.bin
for level in fatal error warning; do
	for target in jsonl "csv --columns=delta,gap" perfetto; do
		# shellcheck disable=SC2086
		ask one -t $target -e "severity >= $level or text ~ /^(?!)/" first.bin second.bin
		# shellcheck disable=SC2086
		ask two -t $target -s $level first.bin second.bin
		ok "$level of two captures, $target" cmp one two
		ok "$level of two captures, $target: on standard error" cmp one.err two.err
	done
done

finish
