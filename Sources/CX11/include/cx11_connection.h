#ifndef CX11_CONNECTION_H
#define CX11_CONNECTION_H
// Functions in place of macros, unions and variadic calls of Xlib and the system, which Swift cannot use.
#include <X11/Xlib.h>
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Opens a display like `XOpenDisplay`. Returns null also if the connection is lost while it is being made, or if
/// too many displays are registered. If libXrender mistakes the connection for an earlier one, the connection is
/// replaced by another, at most 16 times. The display is registered as by `cx11_handlers_add_own`; close it with
/// `cx11_handlers_close`.
///
/// Interns `count` atoms in the same round trip in which libXrender queries its extension. No name may be null.
/// `atoms` gets the atoms; an element is unchanged if the server has no memory for its atom. Xlib's own table of
/// atoms does not get them.
///
/// Xlib does not query XKB, and does not use it before `cx11_use_xkb`. `xkb_opcode` gets the opcode of XKB's
/// requests; 0 if the server has no XKB, or if the user does not want it (`XKB_DISABLE`).
Display *_Nullable cx11_open_display(
    const char *_Nullable name, char *_Nullable const *_Nonnull atom_names, int count, Atom *atoms, int *xkb_opcode);

/// Calls `XkbQueryExtension`, and on a display of `cx11_open_display` (`is_own`) first makes Xlib use XKB. Two
/// round trips the first time. Returns false if the server has no XKB of this version; otherwise `first_event` gets
/// the number of XKB's events.
bool cx11_use_xkb(Display *display, bool is_own, int *first_event);

/// Makes libXrender query and keep the picture formats, and returns the owner of `selection`; 0 if there is none.
/// One round trip for everything.
///
/// Unless `xkb_opcode` is 0, also informs the server that its XKB is used, so that keys have their group even
/// before `cx11_use_xkb`. Requests that held keys repeat without releases (`XkbSetDetectableAutoRepeat`);
/// `is_detectable` gets whether they do.
Window cx11_first_ask(Display *display, Atom selection, int xkb_opcode, bool *is_detectable);

/// `cx11_quiet_begin` blocks SIGPIPE on this thread; `cx11_quiet_end` discards a SIGPIPE that a write has raised,
/// and unblocks the signal. Use them around calls that may write to a server that is gone. The calls are not
/// counted: after nested calls of `cx11_quiet_begin`, the first `cx11_quiet_end` unblocks the signal. Both change
/// nothing if the host blocks SIGPIPE itself on this thread.
void cx11_quiet_begin(void);
void cx11_quiet_end(void);

/// Makes Xlib block SIGPIPE whenever it writes to `display`, which must be our own. The signal is unblocked at the
/// end of the request. After a function of Xlib that makes no request, call `cx11_quiet_end`.
void cx11_quiet_watch(Display *display);

/// `XFlush` and `XEventsQueued`, with SIGPIPE blocked. These functions write but make no request, so the hooks of
/// `cx11_quiet_watch` do not unblock the signal.
void cx11_flush(Display *display);
int cx11_events_queued(Display *display, int mode);

/// Takes the lock for calls of Xft. Xft has tables for all connections of a process (of displays, font files and
/// faces), which it does not lock: two displays on two threads would break them. The thread may take the lock again
/// while it has it, as a callback within Xft does when a connection is lost. The lock is in C because the initializer
/// of the mutex is a macro.
void cx11_xft_lock(void);
/// Releases the lock for calls of Xft.
void cx11_xft_unlock(void);

/// Calls `XftDefaultSet` with `maxglyphmemory` and `maxunreffonts`. Call it once for each display, before its first
/// font is opened. It creates the pattern of these values, which Xft keeps. Returns false if there is no memory.
bool cx11_xft_set_limits(Display *display, int glyph_memory, int unreferenced_fonts);

/// Calls `fcntl(descriptor, F_SETFD, FD_CLOEXEC)`, which is variadic.
void cx11_close_on_exec(int descriptor);

/// Whether the caller runs on the main thread of the process. `gettid` needs `_GNU_SOURCE`.
bool cx11_is_main_thread(void);

/// Returns a descriptor that is readable when libdispatch's main queue has work, for a loop that is not
/// libdispatch's. No header declares the functions of libdispatch that are used here. Call on the main thread.
int cx11_dispatch_main_queue_handle(void);
/// Runs the work of libdispatch's main queue. Call on the main thread.
void cx11_dispatch_main_queue_drain(void);

#pragma clang assume_nonnull end
#endif
