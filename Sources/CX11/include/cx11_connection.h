#ifndef CX11_CONNECTION_H
#define CX11_CONNECTION_H
// Macros, unions and variadic calls of Xlib and the system that Swift cannot use.
#include <X11/Xlib.h>
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// `XOpenDisplay`, but never a connection that libXrender takes for an earlier one, and null also where the server is lost before
/// the connection stands. It is entered as by `cx11_handlers_add_own`; close it with `cx11_handlers_close`.
///
/// In the round trip in which libXrender looks for its extension, `count` atoms are interned: `atoms` gets those of the names, none of which
/// may be null, and keeps what it has for one that the server has no memory for. Xlib's own table does not learn them.
///
/// Xlib does not look for XKB, and does without until `cx11_use_xkb`; `xkb_opcode` gets the opcode of its requests, 0 where the server has
/// none or the user wants none (`XKB_DISABLE`).
Display *_Nullable cx11_open_display(
    const char *_Nullable name, char *_Nullable const *_Nonnull atom_names, int count, Atom *atoms, int *xkb_opcode);

/// `XkbQueryExtension`, on a display of `cx11_open_display` (`is_own`) also after Xlib has done without XKB: two round trips the first time.
bool cx11_use_xkb(Display *display, bool is_own, int *first_event);

/// Has libXrender ask for the formats of pictures, which it keeps, and returns the owner of `selection`, 0 for none: one round trip for all.
///
/// Unless `xkb_opcode` is 0, the same one tells the server that its XKB is used (keys then have their group, before `cx11_use_xkb` too), and
/// has held keys repeat without releases (`XkbSetDetectableAutoRepeat`): `is_detectable` gets whether they do.
Window cx11_first_ask(Display *display, Atom selection, int xkb_opcode, bool *is_detectable);

/// Holds SIGPIPE back on this thread, and lets it go again without the one that a write has raised. Around what may write to a
/// server that is gone; nested calls count once. Changes nothing for a host that holds it back itself.
void cx11_quiet_begin(void);
void cx11_quiet_end(void);

/// Has Xlib hold SIGPIPE back whenever it writes to `display`, which must be our own. It lasts until the end of the request,
/// or, of functions that make none, until `cx11_quiet_end`.
void cx11_quiet_watch(Display *display);

/// `XFlush` and `XEventsQueued`, which write and make no request, with SIGPIPE held back as above.
void cx11_flush(Display *display);
int cx11_events_queued(Display *display, int mode);

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
