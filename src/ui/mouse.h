/* The mouse, if the view enables it: the wheel scrolls, a click moves the cursor. */
#ifndef TRAWL_UI_MOUSE_H
#define TRAWL_UI_MOUSE_H

struct screen;

/* Handle the last press that the terminal reported. */
void mouse_take_press(struct screen *);

#endif
