/* Traps of machine mode, direct: timer interrupts wherever they come, ECALL, EBREAK, an illegal
 * instruction, a load from nowhere. */
typedef unsigned long word;

#define MTIME ((volatile unsigned long long *)0x200bff8)
#define MTIMECMP ((volatile unsigned long long *)0x2004000)
void handler(void);

volatile unsigned ticks, faults, result;

word
take_trap(word cause, word epc)
{
	if (cause >> 31) {
		ticks++;
		*MTIMECMP = *MTIME + 30;
		return epc;
	}
	faults += (unsigned)cause;
	/* behind it: instructions of 32 bits end in 11 */
	return epc + ((*(const unsigned short *)epc & 3) == 3 ? 4 : 2);
}

static __attribute__((noinline)) unsigned
gcd(unsigned a, unsigned b)
{
	return b ? gcd(b, a % b) : a;
}

static __attribute__((noinline)) unsigned
primes(unsigned below)
{
	unsigned count = 0;
	for (unsigned n = 2; n < below; n++) {
		unsigned d = 2;
		while (d * d <= n && n % d)
			d++;
		count += d * d > n;
	}
	return count;
}

static unsigned (*volatile work)(unsigned) = primes;

int
main(void)
{
	__asm__ volatile("csrw mtvec, %0" ::"r"(handler));
	*MTIMECMP = *MTIME + 30;
	__asm__ volatile("csrs mie, %0\n\tcsrsi mstatus, 8" ::"r"(128));
	for (unsigned i = 0; i < 5; i++) {
		result += work(20 + i) + gcd(144 + i, 60);
		__asm__ volatile("ecall");
		__asm__ volatile("ebreak");
		if (i & 1)
			__asm__ volatile(".4byte 0xffffffff");
		if (i == 3)
			__asm__ volatile("lw a0, 0(zero)" ::: "a0", "memory");
	}
	__asm__ volatile("csrci mstatus, 8");
	return 0;
}
