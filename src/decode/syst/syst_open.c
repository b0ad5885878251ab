/*
 * Shared by the SyS-T decoders, apart from the protocol: options, the collateral that load()
 * reads, and opening of decoders without a transport.
 */
#include "config.h"

#include "decode/syst/syst.h"
#include "decode/syst/syst_collateral.h"
#include "decode/syst/syst_frame.h"

#include <stdlib.h>

int
syst_open(struct syst_decoder *decoder, const struct decoder_ops *ops, const void *options,
	  struct err *err)
{
	decoder->base.ops = ops;
	decoder->options = options;
	decoder->has_guid = decoder->options->guid != NULL;
	if (decoder->has_guid && !syst_guid_parse(decoder->options->guid, decoder->guid))
		return err_set(err, ERR_CONFIG,
			       "guid %s is not a GUID; write {8-4-4-4-12} hexadecimal digits",
			       decoder->options->guid);
	return 0;
}

void
syst_close(struct syst_decoder *decoder)
{
	syst_collateral_free(decoder->collateral);
	decoder->collateral = NULL;
}

int
syst_load(struct decoder *decoder, struct err *err)
{
	struct syst_decoder *d = (struct syst_decoder *)decoder;
	struct syst_collateral *old = d->collateral, *new = NULL;
	int files = syst_collateral_load(&d->options->collateral, old, &new, err);
	if (new)
		d->collateral = new; /* readers may still use the old one, which the new one owns */
	d->base.needs_history = syst_collateral_needs_history(d->collateral);
	if (d->base.needs_history) /* a build can exclude the client that names the origin */
		d->base.origin_varies = UINT64_MAX;
	return files;
}

double
syst_timestamp_rate(const struct syst_options *options, bool *epoch)
{
	bool nanoseconds = options->ts_epoch == SYST_EPOCH_NANOSECONDS;
	double hz = nanoseconds ? 1e9 : (double)options->ts_hz;
	*epoch = options->ts_epoch != SYST_EPOCH_NONE && hz > 0;
	return hz;
}

struct decoder *
syst_plain_open(const struct decoder_ops *ops, const void *options, struct err *err)
{
	struct syst_decoder *decoder = mem_new(sizeof *decoder);
	if (syst_open(decoder, ops, options, err) < 0) {
		free(decoder);
		return NULL;
	}
	decoder->base.hz = syst_timestamp_rate(decoder->options, &decoder->base.unix_epoch);
	return &decoder->base;
}

void
syst_plain_close(struct decoder *decoder)
{
	if (decoder)
		syst_close((struct syst_decoder *)decoder);
	free(decoder);
}
