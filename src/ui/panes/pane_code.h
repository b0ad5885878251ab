/* What the code pane tells others: the instruction under its cursor. */
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

/* While the pane has the focus, and if the bytes of the instruction are known; borrowed until
 * another message is selected. */
bool code_find_place(struct screen *, struct code_place *);

#endif
