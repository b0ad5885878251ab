# What the scenes share: to be sourced.  Each has a tmux server of its own with
# one window, in which a shell runs.
#
#	scene COLUMNS ROWS	starts
#	keys KEY...		as tmux names them; `keys -l TEXT` as they are
#	shows NAME TEXT		a test: the screen comes to show TEXT
#	hides NAME TEXT		a test: TEXT goes away
#
# Nothing waits for a time: a screen is looked at until it is right, for ten
# seconds at most.

# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

if ! command -v tmux >/dev/null; then
	echo "1..0 # SKIP tmux is missing (apt install tmux)"
	exit 0
fi
server=trawl-test-$$
trap 'in_tmux kill-server 2>/dev/null; cd / && rm -rf "$scratch"' EXIT

in_tmux()
{
	tmux -L "$server" -f /dev/null "$@"
}

scene()
{
	in_tmux new-session -d -x "$1" -y "$2" 'PS1="ready> " exec sh -i' \; \
		set -g status off \; set -g escape-time 0 \; set -g default-terminal screen
	in_tmux resize-window -x "$1" -y "$2"
	shows "a shell starts" "ready>"
}

keys()
{
	in_tmux send-keys "$@"
}

# Whether the screen has TEXT, within the deadline: has yes TEXT, has no TEXT.
has()
{
	deadline=$(($(date +%s) + 30))
	while :; do
		in_tmux capture-pane -p >out
		if grep -qF -e "$2" out; then found=yes; else found=no; fi
		test $found = "$1" && return
		test "$(date +%s)" -lt $deadline || break
		sleep 0.05
	done
	sed 's/^/# | /' out
	return 1
}

shows()
{
	ok "$1" has yes "$2"
}

hides()
{
	ok "$1" has no "$2"
}
