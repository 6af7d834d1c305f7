#ifndef CX11_XIM_H
#define CX11_XIM_H
// One connection to an X server that serves nothing but an input method (Xlib, chapter 13).
//
// Why C: XIM's functions are variadic; a connection that is shut down under a call is left by `siglongjmp`, which must
// cross C frames only; and libX11's delivery order has to be undone where the events are (see `cx11_xim_pump`).
//
// Thread: everything here belongs to the one thread that called `cx11_xim_create`, except `shutdown(2)` on the descriptor,
// which any thread may use to end a call that does not come back.
// Lost connection: each function that talks to the server then returns CX11_XIM_LOST, also from the middle of a call, and
// only `cx11_xim_destroy` may follow. What Xlib held for the connection's input method leaks then (some kilobytes).
// Callback: called within the functions marked (*), also re-entrantly from inside Xlib; it copies what it is given, calls
// nothing of Xlib and returns. Everything in a message is borrowed for the call.
#include <X11/Xlib.h>
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct cx11_xim cx11_xim;

typedef enum {
    CX11_XIM_OK = 0,
    CX11_XIM_FAILED = 1,
    CX11_XIM_LOST = 2,
} cx11_xim_result;

typedef enum {
    CX11_XIM_PREEDIT_START,
    CX11_XIM_PREEDIT_DRAW,
    CX11_XIM_PREEDIT_CARET,
    CX11_XIM_PREEDIT_DONE,
    CX11_XIM_COMMIT,
    CX11_XIM_KEY,
    // The server has answered `cx11_xim_ping`.
    CX11_XIM_PONG,
    // The server's selection has another owner, or none.
    CX11_XIM_OWNER,
    // Xlib has noticed the server's end: input method and contexts are gone.
    CX11_XIM_DESTROYED,
    // The server sent what Xlib cannot get over: nothing more will come of this connection.
    CX11_XIM_BROKEN,
} cx11_xim_kind;

typedef struct {
    cx11_xim_kind kind;
    // The context's window; 0 for PONG, OWNER, DESTROYED and BROKEN.
    Window window;
    // DRAW: as in XIMPreeditDrawCallbackStruct. CARET: `caret` is the position.
    int caret, change_first, change_length;
    // DRAW: UTF-8, null deletes. COMMIT: UTF-8. Not terminated; `text_length` in bytes.
    const char *_Nullable text;
    int text_length;
    // DRAW: XIMFeedback, as many as are really there; may be null.
    const unsigned long *_Nullable feedback;
    int feedback_count;
    // CARET: XIMCaretDirection and XIMCaretStyle as sent.
    int direction, style;
    // COMMIT: a key symbol committed with the text or instead of it, or 0. OWNER: the new owner, or 0.
    unsigned long value;
    // KEY: the event that the server gave back.
    XKeyEvent key;
    // Within one call that waits for the server, where its commits and keys come after its preedit messages: the number of
    // this commit or key, from 0; of preedit messages, how many commits and keys the server had sent before.
    int sequence;
} cx11_xim_message;

// Returns the caret's new position for CARET, which is the reply to the server; ignored otherwise.
typedef int (*cx11_xim_callback)(const cx11_xim_message *message, void *_Nullable context);

// Null if there is no memory. `context` must live until `cx11_xim_destroy`.
cx11_xim *_Nullable cx11_xim_create(cx11_xim_callback callback, void *_Nullable context);

// Closes what is open and frees all; accepts null. Does not wait for the input method's server.
void cx11_xim_destroy(cx11_xim *_Nullable xim);

// Connects to the X server and watches the owner of the selection `@server=NAME`. `display_name` null: $DISPLAY.
cx11_xim_result cx11_xim_connect(cx11_xim *xim, const char *_Nullable display_name, const char *server_name);

// The connection's socket, -1 without one; and that of the connection beside it, which reads packets from properties.
int cx11_xim_descriptor(const cx11_xim *xim);
int cx11_xim_reader_descriptor(const cx11_xim *xim);

// Why the connection was ended for what the server sent, as a static string; null if it was not. Every function returns
// CX11_XIM_LOST then.
const char *_Nullable cx11_xim_refusal(const cx11_xim *xim);

// The owner of the selection, 0 for none. A round trip to the X server.
cx11_xim_result cx11_xim_owner(cx11_xim *xim, Window *owner);

// Asks the input method's server for its locales, as every client does first; its answer comes as PONG. Does not wait.
cx11_xim_result cx11_xim_ping(cx11_xim *xim);

// Sends the server another event, whose answer nobody waits for. Trap “overlooked events”. Does not wait.
cx11_xim_result cx11_xim_nudge(cx11_xim *xim);

// Handles every event that has arrived, each through XFilterEvent exactly once (but see below), and does not wait. (*)
//
// Keys and commits that arrived during one blocking call lie on top of the queue in reverse before libX11 1.8.10; they
// are reported in the order the server sent them, and only the first of them goes through XFilterEvent, which takes the
// mark that keeps Xlib from sending it to the server again.
//
// Each packet of the server is checked before Xlib sees it. One that is not well formed ends the connection: see
// `cx11_xim_refusal`.
cx11_xim_result cx11_xim_pump(cx11_xim *xim);

// Whether events wait in Xlib's queue or on the socket. Reads; does not handle.
cx11_xim_result cx11_xim_has_events(cx11_xim *xim, bool *pending);

// XSetLocaleModifiers and XOpenIM under one process-wide lock, then XNQueryInputStyle. Waits for the server. Up to `limit`
// styles are written to `styles`, their number to `count`. FAILED if the server does not serve the locale. (*)
cx11_xim_result cx11_xim_open(cx11_xim *xim, const char *modifiers, unsigned long *styles, int limit, int *count);

// Whether a font set can be made, which preedit position style needs; it is kept for the contexts.
cx11_xim_result cx11_xim_load_font_set(cx11_xim *xim);

// Makes the input context for `window`, which may belong to any client. Waits for the server. FAILED if refused. (*)
cx11_xim_result cx11_xim_context_create(cx11_xim *xim, Window window, unsigned long style, XPoint spot);

// Destroys the context for `window`, if there is one. Waits for the server. (*)
cx11_xim_result cx11_xim_context_destroy(cx11_xim *xim, Window window);

// XSetICFocus or XUnsetICFocus. The latter keeps the context's key filter registered, so that what the server commits
// late is still answered with SYNC_REPLY and leaves no mark that lets the next key bypass the server. (*)
cx11_xim_result cx11_xim_context_focus(cx11_xim *xim, Window window, bool focused);

// Sets XNSpotLocation and, if `area` is given, XNArea. Waits for the server. (*)
cx11_xim_result cx11_xim_context_set_spot(cx11_xim *xim, Window window, XPoint spot, const XRectangle *_Nullable area);

// Xutf8ResetIC, with XNPreeditState kept where the server has it. `reply` becomes UTF-8 to be freed with `free`, or null. Waits for the server. (*)
cx11_xim_result cx11_xim_context_reset(cx11_xim *xim, Window window, char *_Nullable *_Nonnull reply);

// Gives a key event to the server; `consumed` tells whether it was taken. The event's display and window are filled in.
// Waits if the server wants keys synchronously. (*)
cx11_xim_result cx11_xim_key(cx11_xim *xim, Window window, XKeyEvent key, bool *consumed);

// Frees input method and contexts without a word to the server, by Xlib's own way for a server that died. (*)
cx11_xim_result cx11_xim_abandon(cx11_xim *xim);

// XDestroyIC for every context, then XCloseIM. Waits for the server. (*)
cx11_xim_result cx11_xim_close(cx11_xim *xim);

// Makes UTF-8 the character locale of this thread alone (`LC_GLOBAL_LOCALE` is a macro that Swift cannot see) and names
// the thread `inkstone-xim`; null if there is no such locale. Undone by `cx11_xim_end_use`, which accepts null.
void *_Nullable cx11_xim_use_utf8(void);
void cx11_xim_end_use(void *_Nullable locale);

#pragma clang assume_nonnull end
#endif
