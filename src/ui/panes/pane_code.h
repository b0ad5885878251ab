/* The instruction under the cursor of the code pane. */
#ifndef TRAWL_UI_PANE_CODE_H
#define TRAWL_UI_PANE_CODE_H

#include "flow/flow_code.h"

struct screen;

struct code_place {
	struct flow_code *code;
	uint16_t space;
	uint64_t address;
	uint8_t length; /* of the instruction, in bytes */
};

/* Find that instruction. False unless the pane has the focus and the bytes are known. Borrowed
 * until another message is selected. */
bool code_find_place(struct screen *, struct code_place *);

#endif
