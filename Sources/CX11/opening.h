// Opening a display, which Xlib cannot be told beforehand how to survive: the display is not known to us before it is open.
#ifndef CX11_OPENING_H
#define CX11_OPENING_H

#include <setjmp.h>
#include <stdbool.h>

extern _Thread_local bool cx11_is_opening;
extern _Thread_local sigjmp_buf cx11_opening_jump;

// Until `CX11_OPENED`, a connection of this thread that is lost before it is entered in the registry makes the calling function
// return `failure`, where Xlib would end the process. What Xlib had allocated for it is lost, its descriptor too.
#define CX11_OPENING(failure)                                                                                          \
    do {                                                                                                               \
        cx11_handlers_install();                                                                                       \
        if (sigsetjmp(cx11_opening_jump, 0)) {                                                                         \
            cx11_is_opening = false;                                                                                   \
            return failure;                                                                                            \
        }                                                                                                              \
        cx11_is_opening = true;                                                                                        \
    } while (0)
#define CX11_OPENED() (cx11_is_opening = false)

#endif
