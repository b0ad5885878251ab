/* Tail calls, of known functions and through pointers. */
#define CALLED static __attribute__((noinline))
#define TAIL __attribute__((musttail)) return

typedef unsigned worker(unsigned left, unsigned sum);
static worker *volatile workers[4];
volatile unsigned result;

CALLED unsigned count_even(unsigned left, unsigned sum);

CALLED unsigned
finish(unsigned left, unsigned sum)
{
	return sum * 2 + left;
}

CALLED unsigned
count_odd(unsigned left, unsigned sum)
{
	if (!left)
		TAIL finish(left, sum);
	TAIL count_even(left - 1, sum + left);
}

CALLED unsigned
count_even(unsigned left, unsigned sum)
{
	if (!left)
		TAIL finish(left, sum + 1);
	TAIL count_odd(left - 1, sum ^ left);
}

CALLED unsigned
pass_on(unsigned left, unsigned sum)
{
	if (!left)
		return sum;
	TAIL workers[left & 3](left - 1, sum + 3);
}

CALLED unsigned
call_first(unsigned left, unsigned sum)
{
	unsigned first = count_odd(left & 7, sum);
	if (!left)
		return first;
	TAIL workers[first & 3](left - 1, first);
}

CALLED unsigned
nested(unsigned left, unsigned sum)
{
	return left > 1 ? pass_on(left - 1, sum) + call_first(left / 2, sum) : sum;
}

int
main(void)
{
	workers[0] = pass_on;
	workers[1] = call_first;
	workers[2] = nested;
	workers[3] = pass_on;
	for (unsigned i = 0; i < 12; i++)
		result += workers[i & 3](i + 2, i) + count_even(i, result & 15);
	return 0;
}
