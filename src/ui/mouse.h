/* What a mouse does, where it is asked for: the wheel scrolls, a click goes there. */
#ifndef TRAWL_UI_MOUSE_H
#define TRAWL_UI_MOUSE_H

struct screen;

/* Takes the press that the terminal reported last. */
void mouse_take_press(struct screen *);

#endif
