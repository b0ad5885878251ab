/*
 * Functions of this very program that the compiler puts into another one, and where they are
 * in the program's file.
 */
#ifndef TRAWL_TESTS_UNIT_PUT_IN_H
#define TRAWL_TESTS_UNIT_PUT_IN_H

#include <link.h>
#include <stdint.h>

static volatile int put_in_numbers[8];

static int
find_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1; /* the program comes first */
}

/* Where the linker put it: the loader moves it. */
static inline uint64_t
linked(const void *at)
{
	uint64_t base = 0;
	dl_iterate_phdr(find_base, &base);
	return (uint64_t)(uintptr_t)at - base;
}

/* Where a function that is put in calls one that is not. */
__attribute__((noinline)) static const void *
here(void)
{
	return (const char *)__builtin_return_address(0) - 1;
}

static inline __attribute__((always_inline)) const void *
inner_put_in(int x)
{
	put_in_numbers[x & 7]++;
	const void *at = here();
	put_in_numbers[(x + 1) & 7]++;
	return at;
}

static inline __attribute__((always_inline)) const void *
outer_put_in(int x)
{
	return inner_put_in(x + 1);
}

/* An address in inner_put_in, in outer_put_in, in this function. */
__attribute__((noinline)) static uint64_t
put_in_address(void)
{
	return linked(outer_put_in(3));
}

#endif
