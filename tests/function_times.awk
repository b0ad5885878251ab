# Usage: awk -f function_times.awk TIMES STEPS
#
# How long functions took, of TIMES, lines `MESSAGE NANOSECONDS`, and STEPS, lines `MESSAGE
# FUNCTION DEPTH PLACE` of one instruction each: prints FUNCTION,SELF,TOTAL,MOST.  What a message
# tells was executed since the last one that has a time, each instruction in the same time.

function end_call(d, at)
{
	if (at - began[d] > most[name[d]])
		most[name[d]] = at - began[d]
}

function begin_call(d, what, at)
{
	name[d] = what
	began[d] = at
}

# Instruction I begins at AT.
function follow(i, at)
{
	for (; top > depth[i]; top--)
		end_call(top, at)
	if (top == depth[i] && name[top] != what[i] && starts[i]) {
		end_call(top, at)
		begin_call(top, what[i], at)
	}
	while (top < depth[i])
		begin_call(++top, what[i], at)
}

# Message N told all instructions up to its time.
function divide(n, i, k, part, path, seen)
{
	part = known ? (t[n] - since) / count : 0
	for (i = 1; i <= count; i++) {
		self[what[i]] += part
		split(open[i], path, ";")
		split("", seen)
		for (k in path)
			if (!seen[path[k]]++)
				total[path[k]] += part
		follow(i, elapsed + part * (i - 1))
	}
	elapsed += part * count
	known = 1
	since = t[n]
	count = 0
}

BEGIN { top = -1 }
NR == FNR { t[$1] = $2; next }
$1 != number && number in t { divide(number) }
{
	number = $1
	stack[$3] = $2
	what[++count] = $2
	depth[count] = $3
	starts[count] = $4 == "0x0"
	open[count] = stack[0]
	for (d = 1; d <= $3; d++)
		open[count] = open[count] ";" stack[d]
}
END {
	if (number in t)
		divide(number)
	for (i = 1; i <= count; i++)
		follow(i, elapsed)
	for (; top >= 0; top--)
		end_call(top, elapsed)
	for (f in total)
		printf "%s,%.0f,%.0f,%.0f\n", f, self[f], total[f], most[f]
}
