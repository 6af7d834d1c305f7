#ifndef CX11_CONNECTION_H
#define CX11_CONNECTION_H
// Macros, unions and variadic calls of Xlib and the system that Swift cannot use.
#include <X11/Xlib.h>
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// `XOpenDisplay`, but never a connection that libXrender takes for an earlier one, and null also where the server is lost before
/// the connection stands. It is entered as by `cx11_handlers_add_own`; close it with `cx11_handlers_close`.
Display *_Nullable cx11_open_display(const char *_Nullable name);

/// `XftDefaultSet` with `maxglyphmemory` and `maxunreffonts`: one call per display, before its first font. The pattern it
/// is made from is built here because Xft keeps it. Returns false if memory is short.
bool cx11_xft_set_limits(Display *display, int glyph_memory, int unreferenced_fonts);

/// `fcntl(descriptor, F_SETFD, FD_CLOEXEC)`, which is variadic.
void cx11_close_on_exec(int descriptor);

/// Whether the caller runs on the process's first thread (`gettid` needs `_GNU_SOURCE`).
bool cx11_is_main_thread(void);

/// libdispatch's main queue for a foreign loop: a descriptor that is readable when there is work (the functions are
/// exported without a header). Call on the main thread.
int cx11_dispatch_main_queue_handle(void);
/// Runs what is on libdispatch's main queue. Call on the main thread.
void cx11_dispatch_main_queue_drain(void);

#pragma clang assume_nonnull end
#endif
