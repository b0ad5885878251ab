/* Loops: many branches between calls, most of them easy to predict. */
static unsigned char text[] = "the quick brown fox jumps over the lazy dog, and over it again";
static unsigned counts[32];
unsigned short_calls(unsigned rounds);
unsigned steady(unsigned turn, unsigned (*to)(void));
unsigned turning(void);
volatile unsigned result;

static __attribute__((noinline)) unsigned
crc(const unsigned char *at, unsigned length)
{
	unsigned value = ~0u;
	for (unsigned i = 0; i < length; i++) {
		value ^= at[i];
		for (int bit = 0; bit < 8; bit++)
			value = value & 1 ? value >> 1 ^ 0xedb88320 : value >> 1;
	}
	return ~value;
}

static __attribute__((noinline)) void
count_letters(const unsigned char *at)
{
	for (; *at; at++)
		if (*at >= 'a' && *at <= 'z')
			counts[*at - 'a']++;
}

static __attribute__((noinline)) unsigned
multiply(unsigned size)
{
	unsigned a[6][6], b[6][6], sum = 0;
	for (unsigned i = 0; i < size; i++)
		for (unsigned k = 0; k < size; k++) {
			a[i][k] = i + k;
			b[i][k] = i * 3 + k;
		}
	for (unsigned i = 0; i < size; i++)
		for (unsigned k = 0; k < size; k++)
			for (unsigned n = 0; n < size; n++)
				sum += a[i][n] * b[n][k];
	return sum;
}

int
main(void)
{
	for (unsigned i = 0; i < 3; i++) {
		result += crc(text + i, 5 + 3 * i);
		count_letters(text + i);
		result += multiply(2 + i) + counts[i] + short_calls(i + 2);
	}
	for (unsigned i = 0; i < 12; i++)
		result += steady(i & 2, turning);
	/* long runs of branches that go one way */
	for (volatile unsigned i = 0; i < 150; i++)
		;
	return 0;
}
