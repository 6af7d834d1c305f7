#ifndef CX11_HANDLERS_H
#define CX11_HANDLERS_H
// Xlib's error handlers and I/O error handlers belong to the whole process, and hosts install their own. This file
// owns ours. It keeps a registry of displays, passes each display's errors to its callbacks, and passes all other
// errors to the handlers that were installed before.
//
// Threads: every function may be called from any thread. Handlers run on the thread that uses the display in
// question. Callbacks run without a lock of this file, and must not make requests on the display that failed.
#include <X11/Xlib.h>
#include <stdbool.h>

#pragma clang assume_nonnull begin

/// Called for an X error on a registered display. Returns whether the error was handled. If not, it goes to the
/// handlers installed before ours; Xlib's default handler ends the process. `error` is valid only during the call.
typedef bool (*cx11_error_callback)(Display *display, const XErrorEvent *error, void *_Nullable context);

/// Called when the connection of a registered display is lost. May leave with `siglongjmp` if there are only C
/// frames between this call and the `sigsetjmp`.
typedef void (*cx11_io_error_callback)(Display *display, void *_Nullable context);

/// Installs our handlers. The previous handlers are remembered, and get the errors that are not ours. When called
/// again, does the same as `cx11_handlers_reassert`.
void cx11_handlers_install(void);

/// Installs our handlers again if a host has installed its own since. The host's handlers get the errors that are
/// not ours. Takes two uncontended locks if nothing has changed.
void cx11_handlers_reassert(void);

/// Registers a display that this package has opened. When its connection is lost, the I/O callback, if any, is
/// called. Then Xlib's call returns instead of ending the process, and further calls fail quietly. Registering it
/// again keeps its callbacks. Returns false, without any change, if there is no room for more displays.
bool cx11_handlers_add_own(Display *display);

/// Registers a display of a host. When its connection is lost, the I/O callback, if any, is called, and then the
/// host's handlers. Returns false if there is no room for more displays.
bool cx11_handlers_add_adopted(Display *display);

/// Makes Xlib drop events of extensions that other clients have sent, before the extension's library converts them:
/// the library of XInput would take numbers in such an event for lengths. A library that is first used later undoes
/// this for its own events, so call this function again then; it costs little if nothing has changed. For displays
/// of our own, on the thread that reads their events.
void cx11_handlers_refuse_sent(Display *display);

/// Sets the callback for X errors of `display`, which must be registered. With null, errors are dropped on a
/// display of our own, and passed on to the host's handlers on an adopted one. `context` is passed to each call,
/// and must live as long as the registration.
void cx11_handlers_set_error(Display *display, cx11_error_callback _Nullable callback, void *_Nullable context);

/// Sets the callback for the loss of the connection of `display`, which must be registered. `context` is passed to
/// the call, and must live as long as the registration.
void cx11_handlers_set_io_error(Display *display, cx11_io_error_callback _Nullable callback, void *_Nullable context);

/// Removes `display` from the registry, but leaves it open: for adopted displays. Has no effect on an unknown
/// display.
void cx11_handlers_remove(Display *display);

/// Calls `XCloseDisplay` for a display of our own. Errors, and a lost connection that is noticed only then, are
/// dropped. No callback is called any more.
void cx11_handlers_close(Display *display);

/// Whether the connection of `display`, which was opened by us and not adopted from a host, was found to be lost.
bool cx11_handlers_is_lost(Display *display);

#pragma clang assume_nonnull end
#endif
