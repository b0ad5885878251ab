# Finds rings: files, or folders, that need each other in a circle.
#
# Input: lines of `nm -g -P -A OBJECT...`, with OBJECT a path that ends in
# src/FOLDER/FILE.o.  Output, a line for each ring:
#   files FOLDER: FILE FILE ...     all in one folder
#   folders: FOLDER FOLDER ...
# Variables: apart, a list of FOLDER/FILE that count as folders of their own (a
# registry that lists what stands in folders below it).
#
# A ring is a strongly connected component (Tarjan 1972) of more than one node.

function folder_of(unit,    path)
{
	if (unit in is_apart)
		return unit
	path = unit
	if (!sub(/\/[^\/]*$/, "", path))
		return "."
	return path
}

function add_edge(graph, from, to)
{
	if (from != to && !((graph, from, to) in edge)) {
		edge[graph, from, to] = 1
		target[graph, from, ++degree[graph, from]] = to
	}
}

# Visits NODE; prints each ring of GRAPH that it closes, behind TITLE.
function visit(graph, node, title,    i, next_node, members, count)
{
	order[graph, node] = low[graph, node] = ++clock
	stack[++depth] = node
	on_stack[node] = 1
	for (i = 1; i <= degree[graph, node]; i++) {
		next_node = target[graph, node, i]
		if (!((graph, next_node) in order)) {
			visit(graph, next_node, title)
			if (low[graph, next_node] < low[graph, node])
				low[graph, node] = low[graph, next_node]
		} else if (on_stack[next_node] && order[graph, next_node] < low[graph, node]) {
			low[graph, node] = order[graph, next_node]
		}
	}
	if (low[graph, node] != order[graph, node])
		return
	members = ""
	count = 0
	do {
		next_node = stack[depth--]
		on_stack[next_node] = 0
		members = members " " next_node
		count++
	} while (next_node != node)
	if (count > 1)
		print title ":" sorted(members)
}

function sorted(words,    word, n, i, j, held)
{
	n = split(words, word, " ")
	for (i = 2; i <= n; i++) {
		held = word[i]
		for (j = i - 1; j >= 1 && word[j] > held; j--)
			word[j + 1] = word[j]
		word[j + 1] = held
	}
	words = ""
	for (i = 1; i <= n; i++)
		words = words " " word[i]
	return words
}

BEGIN {
	for (n = split(apart, name, " "); n; n--)
		is_apart[name[n]] = 1
}

{
	unit = $1
	sub(/:$/, "", unit)
	sub(/\.o$/, "", unit)
	sub(/^.*src\//, "", unit)
	units[unit] = 1
	if ($3 == "U" || $3 == "w")
		needs[unit, $2] = 1
	else
		home[$2] = unit
}

END {
	for (pair in needs) {
		split(pair, part, SUBSEP)
		if (!(part[2] in home))
			continue
		from = part[1]
		to = home[part[2]]
		if (folder_of(from) == folder_of(to))
			add_edge("files", from, to)
		else
			add_edge("folders", folder_of(from), folder_of(to))
		folders[folder_of(from)] = 1
	}
	for (unit in units)
		if (!(("files", unit) in order))
			visit("files", unit, "files " folder_of(unit))
	for (folder in folders)
		if (!(("folders", folder) in order))
			visit("folders", folder, "folders")
}
