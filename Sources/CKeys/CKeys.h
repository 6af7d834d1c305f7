// Keys struck by a program (XTEST), and the server's map of keys, on a connection apart from Xlib's.
#include <xcb/xcb.h>
#include <xcb/xcbext.h>
#include <xcb/xtest.h>
