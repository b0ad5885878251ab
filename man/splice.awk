# Copies a manual page with its generated parts made anew:
#
#	awk -v gendoc=PROGRAM -f man/splice.awk man/trawl.1
#
# A part stands between the comments `.\" part NAME` and `.\" end`.

/^\.\\" end$/ { skip = 0 }

!skip

/^\.\\" part / {
	skip = 1
	command = "\"" gendoc "\" " $3
	while ((command | getline line) > 0)
		print line
	if (close(command) != 0) {
		print "splice.awk: " command " failed" >"/dev/stderr"
		exit 1
	}
}
