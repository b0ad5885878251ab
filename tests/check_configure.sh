#!/bin/sh
# What configure refuses, each with a sentence that says why and what to do.  The
# compiler's own macros and the versions of libraries are made up.

srcdir=$(cd "${srcdir:-.}" && pwd)
scratch=$(mktemp -d) || exit 1
trap 'cd / && rm -rf "$scratch"' EXIT
mkdir "$scratch/old" && cd "$scratch/old" || exit 1
ln -s "$srcdir" ../source # configure refuses an absolute path with a blank in it

# A pkg-config that has the library $OLD in version 0 only.
cat >"$scratch/pkg-config" <<'END'
#!/bin/sh
case "$*" in
*"$OLD >="*) exit 1 ;;
*) exec pkg-config "$@" ;;
esac
END
chmod +x "$scratch/pkg-config"

count=0
# refuses NAME SENTENCE ARGUMENT...
refuses()
{
	count=$((count + 1))
	name=$1 sentence=$2
	shift 2
	if ../source/configure --quiet "$@" >out 2>&1 || ! grep -q "$sentence" out; then
		printf 'not '
	fi
	echo "ok $count - $name"
	tail -n 3 out | sed 's/^/# /'
}

if ! test -x ../source/configure; then
	echo "1..0 # SKIP no configure"
	exit 0
fi
refuses "32 bits" "needs a 64-bit system" CPPFLAGS="-U__SIZEOF_INT128__"
refuses "big endian" "needs a little-endian system" \
	CPPFLAGS="-U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__"
refuses "C99" "does not know C11" CC="${CC:-cc} -std=c99" CPPFLAGS="-U__STDC_VERSION__"
export OLD=libcyaml
refuses "an old library" "libcyaml 1.3.1 or later .* is missing" PKG_CONFIG="$scratch/pkg-config"
mkdir -p opencsd/c_api
: >opencsd/c_api/opencsd_c_api.h
echo '#define OCSD_VER_NUM 0x010101' >opencsd/ocsd_if_version.h
refuses "an old OpenCSD" "OpenCSD is older than 1.2.0" CPPFLAGS="-I$scratch/old"
echo "1..$count"
