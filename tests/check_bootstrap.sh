#!/bin/sh
# What ./bootstrap and the Debian package install: a build needs nothing that only tests
# need.  On a PATH with almost nothing all is missing, and no package can be installed.

bin=$(mktemp -d) || exit 1
trap 'rm -rf "$bin"' EXIT
for tool in sh dirname cat; do
	ln -s "$(command -v $tool)" "$bin/$tool"
done

count=0
# equal NAME WANT GOT
equal()
{
	count=$((count + 1))
	test "$2" = "$3" || printf 'not '
	echo "ok $count - $1"
}

# is NAME GOAL PACKAGE NUMBER: how often the goal asks for the package
is()
{
	equal "$1" "$4" \
		"$(PATH=$bin "$bin/sh" "${srcdir:-.}/bootstrap" "$2" 2>&1 | grep -c "^  $3 ")"
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

# unopened: print each LLVM package that control recommends but trawl does not try
unopened()
{
	grep -o 'libllvm[0-9]*' "${srcdir:-.}/packaging/debian/control" | while read -r package; do
		version=${package#libllvm}
		grep -qE "\"libLLVM(-$version\\.so|\\.so\\.$version)\\.1\"" \
			"${srcdir:-.}/src/program/disassemble.c" || echo "$package"
	done
}
equal "trawl tries each LLVM that the package recommends" "" "$(unopened)"

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

# configured NAME GOAL ANSWER: whether build/ stays configured when packages are installed
configured()
{
	echo >"$tree/build/config.status"
	PATH=$bin "$bin/sh" "$tree/bootstrap" "$2" >/dev/null 2>&1
	equal "$1" "$3" "$(test -e "$tree/build/config.status" && echo yes)"
}

configured "a build looks for libraries again" build ""
configured "a package leaves the build folder alone" deb yes
echo "1..$count"
