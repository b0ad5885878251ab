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

# A tree whose build/ is configured, and an apt-get that installs nothing.
tree=$bin/tree
mkdir -p "$tree/build" "$tree/packaging"
cp "${srcdir:-.}/bootstrap" "$tree"
for tool in cut rm tr; do
	ln -s "$(command -v $tool)" "$bin/$tool"
done
printf '#!/bin/sh\n' | tee "$bin/apt-get" >"$tree/packaging/deb"
printf '#!/bin/sh\necho 0\n' >"$bin/id"
chmod +x "$bin/apt-get" "$bin/id" "$tree/packaging/deb"

# configured NAME GOAL ANSWER: whether it still is after packages were installed
configured()
{
	count=$((count + 1))
	echo >"$tree/build/config.status"
	PATH=$bin "$bin/sh" "$tree/bootstrap" "$2" >/dev/null 2>&1
	if test -e "$tree/build/config.status"; then found=yes; else found=no; fi
	test $found = "$3" || printf 'not '
	echo "ok $count - $1"
}

configured "a build looks for libraries again" build no
configured "a package leaves the build folder alone" deb yes
echo "1..$count"
