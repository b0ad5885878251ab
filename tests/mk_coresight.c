/*
 * The formatter behind mk_coresight.h (CoreSight Architecture Specification):
 * a frame is seven pairs and a half, and a byte with the low bits of the even
 * ones.  An even byte with its low bit set names the source that goes on: at
 * once, or, if its bit in the last byte is set, behind the odd one.
 */
#include "config.h"

#include "mk_coresight.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void
put(struct mk_frames *f, uint8_t byte, unsigned low)
{
	if (f->slot % 2 == 0)
		f->frame[15] |= (uint8_t)(low << f->slot / 2);
	f->frame[f->slot++] = byte;
	if (f->slot < 15)
		return;
	mk_out_put(f->out, f->frame, sizeof f->frame);
	memset(f->frame, 0, sizeof f->frame);
	f->slot = 0;
}

static void
put_data(struct mk_frames *f, uint8_t byte)
{
	if (f->slot % 2 == 0)
		put(f, byte & 0xfe, byte & 1);
	else
		put(f, byte, 0);
}

static void
change(struct mk_frames *f, uint8_t id)
{
	uint8_t name = (uint8_t)(id << 1 | 1);
	f->id = id;
	if (f->slot % 2 == 0) {
		put(f, name, 0);
		return;
	}
	/* the byte before moves behind the name */
	uint8_t *before = &f->frame[f->slot - 1], bit = (uint8_t)(1 << f->slot / 2);
	uint8_t byte = (uint8_t)(*before | !!(f->frame[15] & bit));
	*before = name;
	f->frame[15] |= bit;
	put(f, byte, 0);
}

void
mk_frames_put(struct mk_frames *f, uint8_t id, const void *bytes, size_t length)
{
	if (id != f->id)
		change(f, id);
	for (size_t i = 0; i < length; i++)
		put_data(f, ((const uint8_t *)bytes)[i]);
}

void
mk_frames_finish(struct mk_frames *f)
{
	if (f->slot)
		mk_frames_put(f, 0, "", 1);
	while (f->slot)
		put_data(f, 0);
}

/* --- the files --------------------------------------------------------- */

static char *
path_in(const char *folder, const char *name)
{
	char *path = malloc(strlen(folder) + strlen(name) + 2);
	if (!path)
		mk_die("no memory");
	sprintf(path, "%s/%s", folder, name);
	return path;
}

char *
mk_snapshot(const char *folder)
{
	static const struct {
		const char *name, *text;
	} files[] = {
	    {"snapshot.ini", "[snapshot]\nversion=1.0\ndescription=made by mkcapture\n\n"
			     "[device_list]\ndevice0=stm.ini\ndevice1=itm.ini\n\n"
			     "[trace]\nmetadata=trace.ini\n"},
	    {"trace.ini", "[trace_buffers]\nbuffers=buffer0\n\n"
			  "[buffer0]\nname=ETB\nfile=etb.bin\nformat=coresight\n\n"
			  "[source_buffers]\nSTM_0=ETB\nITM_0=ETB\n"},
	    /* trace IDs in bits 16 to 22 */
	    {"stm.ini", "[device]\nname=STM_0\nclass=trace_source\ntype=STM\n\n"
			"[regs]\nSTMTCSR(0x3A0)=0x00100007\n"},
	    {"itm.ini", "[device]\nname=ITM_0\nclass=trace_source\ntype=ITM\n\n"
			"[regs]\nITMTCR(0x3A0)=0x00210001\n"},
	};
	if (mkdir(folder, 0777) && errno != EEXIST)
		mk_die("%s: %s", folder, strerror(errno));
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char *path = path_in(folder, files[i].name);
		struct mk_out *out = mk_out_open(path);
		mk_out_put(out, files[i].text, strlen(files[i].text));
		mk_out_close(out);
		free(path);
	}
	return path_in(folder, "etb.bin");
}
