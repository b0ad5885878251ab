#!/bin/sh
# Completion of the command line, by each shell that is there, as it is installed.

# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
shipped=$(dirname "$testdata")/completion
PATH=$(dirname "$TRAWL"):$PATH
mkdir some.folder
: >some.stp
: >"with blank.stp"

run "$TRAWL" --completion=tcsh
is "another shell is refused" 2 "$status"
is "... with those there are" "trawl: --completion is for bash, zsh or fish, not tcsh" "$(cat err)"

# Bash: words as it parts them, at blanks, `=` and `:`.
in_bash()
{
	bash --norc -c '. "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _trawl
		printf "%s\n" "${COMPREPLY[@]}"' "$shipped/bash/trawl" trawl "$@" 2>&1 | tr '\n' ' '
}
if command -v bash >/dev/null; then
	is "bash: an option" "--unassigned= --until= " "$(in_bash --un)"
	is "bash: a switch has no =" "--no-state --no-cache " "$(in_bash --no-)"
	is "bash: the formats of output" "csv csv-systprint " "$(in_bash --to = cs)"
	is "bash: by letter" "csv csv-systprint " "$(in_bash -t cs)"
	is "bash: formats of input" "syst syst/raw syst/hex syst/stp " "$(in_bash -f sys)"
	is "bash: after = alone" "pass hide " "$(in_bash --unassigned =)"
	is "bash: the last of a list" "loss,corrupt loss,catalog " "$(in_bash --check = loss,c)"
	is "bash: an optional value only behind =" "some.folder some.stp " "$(in_bash --check some)"
	is "bash: fields" "gem.data24 gem.data8 gem.data " "$(in_bash -e gem.data)"
	is "bash: formats of tables" "table table-csv table-jsonl " "$(in_bash -t ta)"
	is "bash: instructions" "insn " "$(in_bash -t ins)"
	is "bash: names of a table" "origin,severity " "$(in_bash --by = origin,sev)"
	is "bash: ... and its numbers" "length " "$(in_bash --of = len)"
	is "bash: ... and its order" "count " "$(in_bash --sort = c)"
	is "bash: ... and its columns" "count,last count,longest_gap " \
		"$(in_bash --columns = count,l)"
	is "bash: what is no column" "" "$(in_bash --fields = steps | tr -d ' ')"
	is "bash: two runs" "some.folder some.stp " "$(in_bash --compare some)"
	is "bash: folders" "some.folder " "$(in_bash --images = so)"
	is "bash: names and files" "light some.folder some.stp " \
		"$(in_bash --theme l)$(in_bash --theme so)"
	is "bash: captures" "some.folder some.stp with blank.stp " \
		"$(in_bash so)$(in_bash with)"
else
	skip "bash" "bash is missing"
fi

# zsh: on a terminal, where Tab completes and Ctrl-X prints the line.
cat >zsh.zsh <<'END'
zmodload zsh/zpty || exit 0
zpty z env TERM=dumb zsh -f -i
zpty -w z 'PROMPT= RPROMPT= PS2=; unset zle_bracketed_paste; fpath=('$1' $fpath)
autoload -Uz compinit; compinit -D -u; setopt no_list_ambiguous no_auto_menu no_beep
show() { print; print -r -- "line:<$BUFFER>"; BUFFER=; }; zle -N show; bindkey "^X" show
bindkey "^I" complete-word; print ready:$((1 + 1))'
zpty -r -m z line '*ready:2*' || exit 1
zpty -n -w z "$2"$'\t\x18'
zpty -r -m z line '*line:<*>*' || exit 1
print -r -- ${${line##*line:<}%%>*}
END
in_zsh()
{
	timeout 20 zsh -f zsh.zsh "$shipped/zsh" "$1" 2>&1
}
if command -v zsh >/dev/null && zsh -f -c 'zmodload zsh/zpty' 2>/dev/null; then
	is "zsh: an option" "trawl --unassigned=" "$(in_zsh 'trawl --una')"
	is "zsh: the formats of output" "trawl --to=jsonl " "$(in_zsh 'trawl --to=js')"
	is "zsh: the columns of a table" "trawl --sort=longest_gap " "$(in_zsh 'trawl --sort=lo')"
	is "zsh: names of a table" "trawl --by=origin,severity," "$(in_zsh 'trawl --by=origin,seve')"
	is "zsh: instructions" "trawl -t insn " "$(in_zsh 'trawl -t ins')"
	is "zsh: by letter" "trawl -t jsonl " "$(in_zsh 'trawl -t js')"
	is "zsh: the last of a list" "trawl --check=loss,catalog" \
		"$(in_zsh 'trawl --check=loss,cat' | sed 's/[, ]*$//')"
	is "zsh: fields" "trawl -e gem.word " "$(in_zsh 'trawl -e gem.wo')"
	is "zsh: folders" "trawl --images=some.folder/" "$(in_zsh 'trawl --images=so')"
	is "zsh: names and files" "trawl --theme=light " "$(in_zsh 'trawl --theme=lig')"
	is "zsh: captures" "trawl some.stp " "$(in_zsh 'trawl some.s')"
else
	skip "zsh" "zsh is missing"
fi

in_fish()
{
	HOME=$scratch XDG_DATA_HOME=$scratch fish --no-config -c \
		"source $shipped/fish/trawl.fish; complete -C '$1'" 2>&1 | cut -f 1 | tr '\n' ' '
}
if command -v fish >/dev/null; then
	is "fish: an option" "--unassigned " "$(in_fish 'trawl --una')"
	is "fish: the formats of output" "--to=csv --to=csv-systprint " "$(in_fish 'trawl --to=cs')"
	is "fish: the columns of a table" "--sort=longest_gap " "$(in_fish 'trawl --sort=lo')"
	is "fish: formats of tables" "table table-csv table-jsonl " "$(in_fish 'trawl -t ta')"
	is "fish: names of a table" "--by=origin,severity " "$(in_fish 'trawl --by=origin,sev')"
	is "fish: by letter" "csv csv-systprint " "$(in_fish 'trawl -t cs')"
	is "fish: the last of a list" "--check=loss,catalog " "$(in_fish 'trawl --check=loss,cat')"
	is "fish: fields" "gem.word " "$(in_fish 'trawl -e gem.wo')"
	is "fish: folders" "--images=some.folder/ " "$(in_fish 'trawl --images=so')"
	is "fish: names and files" "--theme=light " "$(in_fish 'trawl --theme=lig')"
	is "fish: captures" "some.folder/ some.stp " "$(in_fish 'trawl some.')"
else
	skip "fish" "fish is missing"
fi

finish
