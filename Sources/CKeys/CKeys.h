// The headers for key events sent by a program (XTEST), and for the server's keyboard map, on a connection other
// than Xlib's.
#include <xcb/xcb.h>
#include <xcb/xcbext.h>
#include <xcb/xtest.h>
