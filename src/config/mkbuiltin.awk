# Writes builtin.c: the files named on the command line as C strings.
#
#	awk -f src/config/mkbuiltin.awk views/default.yaml ... >builtin.c

function finish()
{
	if (open)
		print "\t},"
	open = 1
}

BEGIN {
	print "/* Made by src/config/mkbuiltin.awk: edit the YAML files. */"
	print "#include \"config.h\"\n"
	print "#include \"config/builtin.h\"\n"
	print "const struct builtin_file builtin_files[] = {"
}

FNR == 1 {
	finish()
	printf "\t{\n\t\t.name = \"%s\",\n\t\t.text =\n", FILENAME
}

{
	gsub(/[\\"]/, "\\\\&")
	gsub(/\t/, "\\t")
	gsub(/\?\?/, "?\\?")
	printf "\t\t\t\"%s\\n\"\n", $0
}

END {
	finish()
	print "\t{0}\n};\n"
	print "const size_t builtin_file_count ="
	print "\tsizeof builtin_files / sizeof *builtin_files - 1;"
}
