/* See jumps.S. */
int set_jump(void **place);
void long_jump(void **place, int value);
unsigned swap_begin(unsigned rounds);

static void *places[3][8];
volatile unsigned result;

static __attribute__((noinline)) void
descend(unsigned depth, unsigned to)
{
	if (!depth) {
		long_jump(places[to], (int)to + 1);
		return;
	}
	descend(depth - 1, to);
	result += depth;
}

static __attribute__((noinline)) unsigned
attempt(unsigned depth, unsigned which)
{
	unsigned value = (unsigned)set_jump(places[which]);
	if (value)
		return value + result;
	descend(depth, which);
	return 0;
}

/* Is left in the middle by its caller's caller. */
static __attribute__((noinline)) unsigned
nest(unsigned depth)
{
	unsigned sum = attempt(depth, 1);
	if (depth == 4)
		long_jump(places[0], 9);
	return sum + attempt(depth + 1, 2);
}

int
main(void)
{
	for (volatile unsigned i = 0; i < 8; i++) {
		result += attempt(i, i % 3);
		if (!set_jump(places[0]))
			result += nest(i);
		result += swap_begin(3 + i);
	}
	return 0;
}
