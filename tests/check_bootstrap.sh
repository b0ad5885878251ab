#!/bin/sh
# What ./bootstrap installs: a build needs nothing that only tests need.  On a
# PATH with almost nothing all is missing, and no package can be installed.

bin=$(mktemp -d) || exit 1
trap 'rm -rf "$bin"' EXIT
for tool in sh dirname cat; do
	ln -s "$(command -v $tool)" "$bin/$tool"
done

count=0
# is NAME GOAL PACKAGE NUMBER: how often the goal asks for the package
is()
{
	count=$((count + 1))
	asked=$(PATH=$bin "$bin/sh" "${srcdir:-.}/bootstrap" "$2" 2>&1 | grep -c "^  $3 ")
	test "$asked" -eq "$4" || printf 'not '
	echo "ok $count - $1"
}

is "a build needs the compiler" build gcc 1
is "... and the libraries" build libpcre2-dev 1
is "... but no unit tests" build libcmocka-dev 0
is "... and no terminal" build tmux 0
is "nor does the demo" demo babeltrace2 0
is "nor does it need debhelper" demo debhelper 0
is "a package needs debhelper" deb debhelper 1
is "... and the compiler" deb gcc 1
is "... but no unit tests" deb libcmocka-dev 0
is "the tests need the compiler" check gcc 1
is "... their own library" check libcmocka-dev 1
is "... and their tools" check tmux 1
echo "1..$count"
