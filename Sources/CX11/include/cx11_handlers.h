#ifndef CX11_HANDLERS_H
#define CX11_HANDLERS_H
// Xlib's error and I/O error handlers are process-wide and variadic hosts install their own: this file is the one owner
// of ours. It keeps a registry of displays, hands each its own errors, and passes all others to whoever was there before.
//
// Thread: every function may be called from any thread. Handlers run on the thread that talks to the display in question.
// Re-entry: callbacks run without a lock of this file held, and must not make requests on the display that failed.
#include <X11/Xlib.h>
#include <stdbool.h>

#pragma clang assume_nonnull begin

/// An X error on a registered display. Returns whether it is dealt with; otherwise it goes to the handlers installed
/// before ours, which by Xlib's default end the process. `error` is borrowed for the call.
typedef bool (*cx11_error_callback)(Display *display, const XErrorEvent *error, void *_Nullable context);

/// The connection of a registered display is gone. May leave with `siglongjmp` if only C frames lie between.
typedef void (*cx11_io_error_callback)(Display *display, void *_Nullable context);

/// Puts our handlers on top of those that are there, which are remembered and get what is not ours. Does nothing more
/// than `cx11_handlers_reassert` when called again.
void cx11_handlers_install(void);

/// Puts our handlers back on top if a host has installed its own since; the host's get what is not ours. Two
/// uncontended locks when nothing has changed.
void cx11_handlers_reassert(void);

/// Enters a display that this package has opened: a lost connection calls the I/O callback (if any) and then makes
/// Xlib's call return instead of ending the process, and further calls fail quietly. Entering it again keeps its callbacks.
/// False if there is no room for more displays; nothing has changed then.
bool cx11_handlers_add_own(Display *display);

/// Enters a display that belongs to a host: its lost connection calls the I/O callback (if any) and then goes on to the
/// host's handlers. False if there is no room.
bool cx11_handlers_add_adopted(Display *display);

/// Drops the events of extensions that other clients have sent, before the extension's library converts them: that of XInput takes what
/// stands in them for lengths. A library that is first used later undoes that for its own events until this is called again, which costs
/// little when there is nothing to do. For displays of our own, on the thread that reads their events.
void cx11_handlers_refuse_sent(Display *display);

/// Sets what hears of X errors of `display`, which must have been entered; null makes them be dropped if the display is
/// our own and passed on if it is adopted. `context` is passed to each call and must outlive the registration.
void cx11_handlers_set_error(Display *display, cx11_error_callback _Nullable callback, void *_Nullable context);

/// Sets what hears of a lost connection of `display`, which must have been entered. `context` as above.
void cx11_handlers_set_io_error(Display *display, cx11_io_error_callback _Nullable callback, void *_Nullable context);

/// Forgets `display`, which stays open: for adopted ones. Forgetting an unknown display does nothing.
void cx11_handlers_remove(Display *display);

/// `XCloseDisplay` for a display of our own: errors and a lost connection that show only then are dropped, and no
/// callback is called any more.
void cx11_handlers_close(Display *display);

/// Whether a lost connection of our own `display` has been noticed.
bool cx11_handlers_is_lost(Display *display);

#pragma clang assume_nonnull end
#endif
