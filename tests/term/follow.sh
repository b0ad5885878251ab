#!/bin/sh
# A capture that changes under the viewer: it grows, is cut, is written anew, is
# replaced, is removed; followed or not.

# shellcheck source=tests/term/lib.sh
. "${srcdir:-.}/tests/term/lib.sh"

# messages FROM TO: that many strings, 17 bytes each.
messages()
{
	number=$1
	while test "$number" -lt "$2"; do
		printf '\102\002\005\001\013\000number %04d' "$number"
		number=$((number + 1))
	done
}

# A file that is not followed: what happens is said, growth is offered.
messages 0 100 >log
scene 80 24
keys -l "clear; '$TRAWL' -f syst/raw log"
keys Enter
shows "the first run says which keys" "$(notice WELCOME F1 q)"
keys -l jk
shows "until a key" "1 of 100"
messages 100 110 >>log
shows "growth is offered" "the capture grew by 170 B; R or F reads on"
keys R
shows "R reads on" "1 of 110"
messages 110 120 >>log
shows "the next growth is offered again" "the capture grew by 170 B"

# Followed.
keys F
shows "F reads on and goes to the end" "number 0119"
shows "counted up to it" "120 of 120"
shows "the title tells" "follow"
messages 120 130 >>log
shows "the cursor stays at the end" "130 of 130"
keys k
shows "moving up leaves the end" "reading on"
shows "by one message" "129 of 130"
messages 130 160 >>log
shows "what comes is counted" "+30 new"
shows "while the cursor stays" "129 of 160"
keys F
shows "F comes back" "160 of 160"
hides "nothing is new there" "new"
keys -l "&7\$"
keys Enter
shows "a filter" "only /7\$/"
messages 160 180 >>log
shows "the end of what it passes" "number 0177"
hides "and nothing else" "number 0179"
keys -l "&"
keys Enter
hides "no filter" "only"
keys -l "&nobody says that"
keys Enter
shows "nothing passes so far" "no message passes the filter"
keys -l "&"
keys Enter
hides "no filter again" "only"

# Cut and filled again.
: >log
shows "a cut is said" "$(notice CAPTURE_SHRANK)"
shows "and stays in the title" "[cut]"
hides "what is gone is not shown" "number 0177"
messages 300 305 >>log
shows "what comes then is shown" "number 0304"
keys G
shows "and counted" "5 of 5"
keys k
shows "the cursor moves up" "4 of 5"
messages 400 450 >other
cat other >log
shows "written anew: the new bytes" "number 0400"
hides "and no old ones" "number 030"

# Another file of that name.
keys F
shows "F again" "50 of 50"
mv log log.1
shows "a removed file is said" "$(notice CAPTURE_GONE)"
shows "its bytes are shown" "number 0449"
messages 500 520 >log
shows "the new file is taken at the end" "the file was replaced; this is the new one"
shows "and shown" "number 0519"
shows "and marked" "[new file]"
keys g
shows "reading from the first row" "1 of 20"
messages 600 610 >other
mv other log
shows "who reads is only told" "$(notice CAPTURE_REPLACED)"
shows "and goes on reading" "number 0500"
keys F
shows "until F" "number 0609"
keys F
shows "F again stops" "$(notice FOLLOW_OFF)"
keys g
hides "the title tells" "follow"

# Not followed again.
truncate -s 34 log
shows "a cut is seen without a key" "$(notice CAPTURE_SHRANK)"
hides "what is gone is not shown" "number 0602"
shows "what is left is" "number 0601"
rm log
shows "so is a removal" "$(notice CAPTURE_GONE)"
messages 800 810 >log
keys j
shows "the bytes stay" "number 0601"
keys Q
hides "Q quits" "number 0601"

# From the start.
keys -l "clear; '$TRAWL' -f syst/raw --follow log"
keys Enter
shows "--follow starts at the end" "10 of 10"
keys Q
hides "Q quits again" "10 of 10"

# A stream that stays open.
mkfifo fifo
keys -l "clear; '$TRAWL' -f syst/raw fifo"
keys Enter
exec 9>fifo
messages 0 10 >&9
shows "a stream" "of 10"
keys F
messages 10 20 >&9
shows "F stays at its end" "20 of 20"
keys k
shows "moving up there too" "19 of 20"
messages 20 40 >&9
shows "a stream's new messages are counted" "+20 new"
exec 9>&-
hides "its end is no news" "new"
shows "all of it is known" "19 of 40"
finish
