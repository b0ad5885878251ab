/* Fuzz target: a profile, which is YAML read into the program's tables. */
#include "config.h"

#include "config/schema.h"
#include "session/session.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile profile;
	struct err err = {0};
	schema_load_text("profile", (const char *)data, size, profile_options_table(), &profile,
			 &err);
	option_release(profile_options_table(), &profile);
	return 0;
}
