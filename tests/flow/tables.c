/* Tables: a switch that is one, and functions by number; a small machine that interprets. */
enum { PUSH, ADD, SUBTRACT, DOUBLE, NEGATE, SWAP, DROP, JUMP_BACK, CALL, STOP };

static const unsigned char code[] = {PUSH, 9, PUSH, 5, ADD,  DOUBLE,	PUSH, 3,	SWAP,
				     CALL, 0, CALL, 1, DROP, PUSH,	7,    SUBTRACT, NEGATE,
				     CALL, 2, PUSH, 1, ADD,  JUMP_BACK, 18,   STOP};

typedef int helper(int);
static int
helper_square(int x)
{
	return x * x;
}
static int
helper_halve(int x)
{
	return x / 2;
}
static int
helper_sign(int x)
{
	return x < 0 ? -1 : x > 0;
}
static helper *const helpers[] = {helper_square, helper_halve, helper_sign};

volatile int result;

static __attribute__((noinline)) int
run(int rounds)
{
	static int stack[16];
	int depth = 2;
	for (unsigned at = 0;;) {
		switch (code[at++]) {
		case PUSH:
			stack[depth++] = code[at++];
			break;
		case ADD:
			depth--;
			stack[depth - 1] += stack[depth];
			break;
		case SUBTRACT:
			depth--;
			stack[depth - 1] -= stack[depth];
			break;
		case DOUBLE:
			stack[depth - 1] *= 2;
			break;
		case NEGATE:
			stack[depth - 1] = -stack[depth - 1];
			break;
		case SWAP: {
			int t = stack[depth - 1];
			stack[depth - 1] = stack[depth - 2];
			stack[depth - 2] = t;
			break;
		}
		case DROP:
			depth--;
			break;
		case JUMP_BACK:
			if (--rounds > 0)
				at -= code[at];
			else
				at++;
			depth = 3;
			break;
		case CALL:
			stack[depth - 1] = helpers[code[at++]](stack[depth - 1]);
			break;
		default:
			return stack[depth - 1];
		}
	}
}

int
main(void)
{
	for (int i = 1; i < 6; i++)
		result += run(i * 3);
	return 0;
}
