// Handling of a connection that is lost while a display is being opened. Xlib alone would end the process, because the
// display cannot be registered before it is open.
#ifndef CX11_OPENING_H
#define CX11_OPENING_H

#include <setjmp.h>
#include <stdbool.h>

extern _Thread_local bool cx11_is_opening;
extern _Thread_local sigjmp_buf cx11_opening_jump;

// Until `CX11_OPENED`, if this thread loses a connection that is not registered yet, the calling function returns
// `failure`; Xlib alone would end the process. The memory and the descriptor that Xlib had allocated for the
// connection are leaked.
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
