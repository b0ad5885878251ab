# Takes the examples out of README.md and of sources of manual pages:
#
#	awk -v dir=FOLDER -f tests/examples.awk README.md man/*.[1-8]
#
# An example of commands stands between .EX and .EE, or is indented by four blanks in
# README.md.  A line that begins with `$ ` is a command, to the end of its last line that
# ends in a backslash; the lines behind it, if any, are what it prints, where `...` alone
# stands for any lines.  A comment before the example tells about it, in a page
# `.\" example WORD...`, in README.md `<!-- example WORD... -->`:
#
#	needs WHAT		only the options are read: WHAT is not here
#	profile CAPTURE		a whole profile, for that capture
#	session NAME		one that names its captures, in a file of that name
#	view, theme, keys, own	such a file
#	filters			expressions, one a line
#	none			no example: a picture, or commands of other programs
#
# FOLDER gets the parts, `N.command` and `N.output`, or `N.text`; printed is a line for
# each, `N KIND FILE:LINE ARGUMENT`.

FNR == 1 { inside = continued = 0; kind = "" }

function plain(line)
{
	if (!markdown) {
		gsub(/\\-/, "-", line)
		gsub(/\\&/, "", line)
		gsub(/\\\(dq/, "\"", line)
		gsub(/\\\(aq/, "'", line)
		gsub(/\\e/, "\\", line)
	}
	return line
}

function begin(what)
{
	n++
	print n, what, FILENAME ":" FNR, argument
}

function add(suffix, line)
{
	print line >(dir "/" n "." suffix)
}

function body(line)
{
	if (kind == "none")
		return
	if (kind && kind != "needs") {
		if (!begun++)
			begin(kind)
		add("text", line)
	} else if (continued || line ~ /^\$ /) {
		if (!continued)
			begin(kind ? kind : "run")
		sub(/^\$ /, "", line)
		add("command", line)
		continued = line ~ /\\$/
		begun = 1
	} else if (begun) {
		add("output", line)
	} else {
		begin("stray")
		add("text", line)
	}
}

function mark(words,    word)
{
	split(words, word, " ")
	kind = word[1]
	argument = plain(word[2])
}

{ markdown = FILENAME ~ /\.md$/ }

/^\.\\" example / { mark(substr($0, 13)); next }
/^<!-- example .*-->$/ { sub(/ *-->$/, ""); mark(substr($0, 14)); next }

markdown && /^```/ { fenced = !fenced }
markdown && fenced { next }

markdown && /^    / {
	if (!inside)
		begun = 0
	inside = 1
	body(substr($0, 5))
	next
}
markdown && inside && $0 != "" { inside = continued = 0; kind = "" }
markdown { next }

/^\.(EX|nf)$/ { inside = $1 == ".EX" || kind; begun = 0; next }
/^\.(EE|fi)$/ { inside = continued = 0; kind = argument = ""; next }
inside { body(plain($0)) }
