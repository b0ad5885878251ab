#!/bin/sh
# What `make install` puts where, what -V tells of it, and the demo.

# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
build=$(dirname "$TRAWL")

run "$TRAWL" -V
is "-V: status" 0 "$status"
ok "-V: the version first" sh -c 'sed -n 1p out | grep -qx "trawl [0-9.]*"'
is "-V: nothing on standard error" "" "$(cat err)"
# purpose PATTERN: a line of -V with a version, or that it was left out
purpose()
{
	ok "-V: $1" grep -qE "^$1 +($2|not in this build)\$" out
}
purpose screen 'ncurses [0-9.]+'
purpose search 'PCRE2 [0-9.]+ [0-9-]+'
purpose 'profiles, views' 'libcyaml [0-9.]+'
purpose 'faults in YAML' 'libyaml [0-9.]+'
purpose 'SyS-T collateral' 'expat_[0-9.]+'
purpose 'CoreSight trace' 'OpenCSD [0-9.]+'
purpose 'symbols' 'libdw [0-9.]+'
purpose 'compressed captures' 'libarchive [0-9.]+ .*'
is "-V: no library besides" 8 "$(sed '1,/^$/d' out | wc -l | tr -d ' ')"

# left_out LIBRARY PURPOSE: -V says what the linker says
left_out()
{
	linked=no
	if ldd "$TRAWL" | grep -q "$1"; then
		linked=yes
	fi
	told=yes
	if grep -q "^$2 .*not in this build" out; then
		told=no
	fi
	is "-V: $2 only if it is linked" "$linked" "$told"
}
if command -v ldd >/dev/null; then
	left_out libopencsd 'CoreSight trace'
	left_out libdw symbols
	left_out libarchive 'compressed captures'
else
	skip "-V: what is linked" "ldd is missing"
fi

run "$TRAWL" --demo some.bin
is "--demo takes no captures: status" 2 "$status"
is "... and says so" "trawl: --demo has its own captures; leave out some.bin" "$(cat err)"

run env MAKEFLAGS= make -s -C "$build" install DESTDIR="$scratch/root" prefix=/usr
is "make install: status" 0 "$status"
for file in bin/trawl bin/trawl-farm share/man/man1/trawl.1 share/man/man1/trawl-farm.1 share/man/man7/trawl-filter.7 \
	share/man/man7/trawl-formats.7 share/man/man7/trawl-keys.7 share/man/man7/trawl-output.7 \
	share/man/man5/trawl-profile.5 share/man/man5/trawl-view.5 \
	share/trawl/views/default.yaml share/trawl/themes/light.yaml \
	share/trawl/keys/less.yaml share/trawl/demo/lab.yaml \
	share/bash-completion/completions/trawl share/zsh/site-functions/_trawl \
	share/fish/vendor_completions.d/trawl.fish; do
	ok "make install: $file" test -s "root/usr/$file"
done
run "$TRAWL" -t text root/usr/share/trawl/demo/lab.yaml
is "the demo is whole" 1 "$(grep -c 'seq 70 given up' out)"

run "$TRAWL" -t text --demo
if test "$status" = 2; then
	ok "--demo that is not installed says what to do" grep -q 'make install' err
else
	is "--demo opens it" 1 "$(grep -c 'seq 70 given up' out)"
fi

finish
