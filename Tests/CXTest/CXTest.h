// The X protocol as a second client speaks it, for tests that type, point and look from outside the program under test.
// XCB rather than Xlib: it has no process-wide handlers, so it cannot disturb what is tested in the same process.
#include <xcb/xcb.h>
#include <xcb/damage.h>
#include <xcb/xfixes.h>
#include <xcb/xtest.h>
