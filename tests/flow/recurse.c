/* Recursion: of one function, of several in turn, deeper than small return stacks. */
static unsigned
fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static unsigned is_odd(unsigned n);

static __attribute__((noinline)) unsigned
is_even(unsigned n)
{
	return n ? is_odd(n - 1) + 1 : 0;
}

static __attribute__((noinline)) unsigned
is_odd(unsigned n)
{
	return n ? is_even(n - 1) * 3 : 1;
}

static void
sort(int *at, int low, int high)
{
	int i = low, k = high, middle = at[(low + high) / 2];
	while (i <= k) {
		while (at[i] < middle)
			i++;
		while (at[k] > middle)
			k--;
		if (i <= k) {
			int t = at[i];
			at[i++] = at[k];
			at[k--] = t;
		}
	}
	if (low < k)
		sort(at, low, k);
	if (i < high)
		sort(at, i, high);
}

static unsigned
hanoi(unsigned n, unsigned from, unsigned to)
{
	if (!n)
		return from;
	unsigned moves = hanoi(n - 1, from, 3 - from - to);
	return moves + hanoi(n - 1, 3 - from - to, to);
}

volatile unsigned result;

int
main(void)
{
	int values[60];
	unsigned seed = 7;
	for (int i = 0; i < 60; i++)
		values[i] = (int)((seed = seed * 1103515245 + 12345) >> 16 & 1023);
	sort(values, 0, 59);
	result = fibonacci(9) + is_even(40) + hanoi(5, 0, 2) + (unsigned)values[30];
	return 0;
}
