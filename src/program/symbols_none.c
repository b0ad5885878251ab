/* Replaces symbols.c in a build without libdw. */
#include "config.h"

#include "program/symbols.h"

const char symbols_missing[] =
    "install libdw (Debian: libdw-dev) and build trawl again: it reads the "
    "names";

struct symbols *
symbols_open(int file, const char *path, struct err *err)
{
	(void)file;
	err_set(err, ERR_UNSUPPORTED,
		"%s: symbols cannot be read: trawl was built without libdw; install that "
		"(Debian: libdw-dev) and build again",
		path);
	return NULL;
}

void
symbols_close(struct symbols *symbols)
{
	(void)symbols;
}

bool
symbols_find(struct symbols *symbols, uint64_t address, struct symbol_place *place)
{
	(void)symbols;
	(void)address;
	*place = (struct symbol_place){0};
	return false;
}

size_t
symbols_inlined(struct symbols *symbols, uint64_t address, const char **names, size_t most)
{
	(void)symbols;
	(void)address;
	(void)names;
	(void)most;
	return 0;
}

bool
symbols_cover(struct symbols *symbols, uint64_t address)
{
	(void)symbols;
	(void)address;
	return false;
}

void
symbols_add_place(const struct symbol_place *place, struct text *out)
{
	text_add(out, place->function);
}

void
symbols_list_lines(struct symbols *symbols, symbols_take *take, void *context)
{
	(void)symbols;
	(void)take;
	(void)context;
}

void
symbols_list_functions(struct symbols *symbols, symbols_take *take, void *context)
{
	(void)symbols;
	(void)take;
	(void)context;
}

bool
symbols_place(struct symbols *symbols, uint64_t offset, uint64_t *address)
{
	(void)symbols;
	(void)offset;
	(void)address;
	return false;
}

bool
symbols_string(struct symbols *symbols, uint64_t address, struct text *out)
{
	(void)symbols;
	(void)address;
	(void)out;
	return false;
}

const char *
symbols_version(void)
{
	return NULL;
}
