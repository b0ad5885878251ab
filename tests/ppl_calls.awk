# The calls that each core is in, out of a listing of trc_pkt_lister, by the library's own words:
# prints trace ID, first address and depth of each range.
function pop_to(id, at, through,   i, n)
{
	n = depth[id]
	for (i = 1; i <= n && i <= 256; i++) {
		if (trap[id, n - i] && !through)
			return
		if (link[id, n - i] != at)
			continue
		depth[id] = n - i
		return
	}
}
function push(id, at, is_trap)
{
	depth[id] += 0
	link[id, depth[id]] = at
	trap[id, depth[id]++] = is_trap
}
function follow(id, at)
{
	if (last[id] == "call")
		push(id, behind[id], 0)
	else if (last[id] == "ret")
		pop_to(id, at, 0)
	else if (last[id] == "eret")
		pop_trap(id)
	last[id] = ""
}
function pop_trap(id,   i)
{
	for (i = depth[id] - 1; i >= 0; i--)
		if (trap[id, i]) {
			depth[id] = i
			return
		}
}
function unseen_now(id)
{
	if (last[id] == "call")
		follow(id, "")
	last[id] = ""
	unseen[id] = 1
}
match($0, /Idx:[0-9]+; ID:[0-9a-f]+; OCSD_GEN_TRC_ELEM_/) {
	id = $0
	sub(/.*ID:/, "", id)
	sub(/;.*/, "", id)
	what = $0
	sub(/.*OCSD_GEN_TRC_ELEM_/, "", what)
	name = what
	sub(/\(.*/, "", name)
	if (name == "INSTR_RANGE") {
		first = what
		sub(/.*range=0x/, "", first)
		sub(/:.*/, "", first)
		end = what
		sub(/.*:\[0x/, "", end)
		sub(/\].*/, "", end)
		if (unseen[id])
			pop_to(id, first, 1)
		else
			follow(id, first)
		unseen[id] = 0
		print id, first, depth[id] + 0
		taken = what ~ /\) E /
		behind[id] = end
		last[id] = !taken ? "" : what ~ /b\+link/ ? "call" : \
			what ~ /A64:ret|V7:impl ret/ ? "ret" : what ~ /A64:eret/ ? "eret" : ""
	} else if (name == "EXCEPTION") {
		at = ""
		if (what ~ /pref ret addr:0x/) {
			at = what
			sub(/.*pref ret addr:0x/, "", at)
			sub(/[^0-9a-f].*/, "", at)
		}
		if (at != "" || last[id] != "ret")
			follow(id, at)
		push(id, at == "" ? "none" : at, 1)
		last[id] = ""
		unseen[id] = 0
	} else if (name == "EXCEPTION_RET") {
		pop_trap(id)
		last[id] = ""
	} else if (name == "NO_SYNC" || name == "TRACE_ON") {
		if (what ~ /overflow|discard|bad-packet/) {
			depth[id] = 0
			last[id] = ""
			unseen[id] = 0
		} else {
			unseen_now(id)
		}
	} else if (name ~ /ADDR_NACC|ADDR_UNKNOWN|I_RANGE_NOPATH/) {
		unseen_now(id)
	}
}
