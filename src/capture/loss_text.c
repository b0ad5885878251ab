/*
 * Sentences about the missing bytes of a capture: see loss_text.h.
 */
#include "config.h"

#include "capture/loss_text.h"
#include "base/text.h"
#include "capture/loss.h"

#include <string.h>

struct loss_sum {
	uint64_t bytes, places, first;
	int error;
};

/* Cause of a loss. */
enum loss_cause { LOSS_CUT, LOSS_REFUSED, LOSS_UNPRINTED, LOSS_CAUSES };

static enum loss_cause
cause_of(const struct loss *loss)
{
	return loss->error == LOSS_NO_LINE ? LOSS_UNPRINTED : loss->error ? LOSS_REFUSED : LOSS_CUT;
}

/* Sum the missing bytes before SIZE by cause. */
static void
sum_losses(const struct losses *losses, uint64_t size, struct loss_sum sums[static LOSS_CAUSES])
{
	struct loss loss;
	for (size_t i = 0; losses_get(losses, i, &loss); i++) {
		struct loss_sum *sum = &sums[cause_of(&loss)];
		if (loss.offset >= size)
			continue;
		if (!sum->places++) {
			sum->first = loss.offset;
			sum->error = loss.error;
		}
		sum->bytes += (loss.end < size ? loss.end : size) - loss.offset;
	}
}

static void
add_places(const struct loss_sum *sum, struct text *out)
{
	char bytes[32], places[32];
	loss_text_begin(out);
	text_addf(out, "%s bytes ", text_number(bytes, sum->bytes));
	if (sum->places > 1)
		text_addf(out, "in %s places, the first ", text_number(places, sum->places));
	text_addf(out, "at offset 0x%llx ", (unsigned long long)sum->first);
}

static void
add_cut(const struct loss_sum *sum, struct text *out)
{
	char bytes[32];
	loss_text_begin(out);
	text_addf(out,
		  "the file became shorter while it was read: %s bytes from offset 0x%llx on are "
		  "missing; read it again",
		  text_number(bytes, sum->bytes), (unsigned long long)sum->first);
}

void
loss_text_begin(struct text *out)
{
	text_add(out, out->length ? "; " : "");
}

void
loss_text_add(const struct losses *losses, uint64_t size, struct text *out)
{
	struct loss_sum sums[LOSS_CAUSES] = {0};
	sum_losses(losses, size, sums);
	if (sums[LOSS_REFUSED].places) {
		add_places(&sums[LOSS_REFUSED], out);
		text_addf(out, "could not be read and are shown as zeros: %s",
			  strerror(sums[LOSS_REFUSED].error));
	}
	if (sums[LOSS_UNPRINTED].places) {
		add_places(&sums[LOSS_UNPRINTED], out);
		text_add(out, "have no line in the dump and are shown as zeros; dump them again");
	}
	if (sums[LOSS_CUT].places)
		add_cut(&sums[LOSS_CUT], out);
}
