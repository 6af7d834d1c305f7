#ifndef CX11_XIM_H
#define CX11_XIM_H
// A client of input methods (X11's specification of XIM, protocol 1.0) on a connection of its own, without Xlib's.
//
// Why C: the protocol is structures of bytes in X events and properties. It holds no policy: styles, times and what follows a
// failure are the caller's.
//
// Thread: everything here belongs to the one thread that called `cx11_xim_create`, except `shutdown(2)` on the descriptors,
// which any thread may use to end a call that waits.
// Lost connection: each function that talks to the server then returns CX11_XIM_LOST, also one that waits, and only
// `cx11_xim_destroy` may follow.
// Callback: called within the functions marked (*), for each message in the order in which the server sent it; it copies what it
// is given and calls nothing of this header. Everything in a message is borrowed for the call.
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
    // The answer to `cx11_xim_context_reset`, within that call: with the text that was composed, if it has one.
    CX11_XIM_RESET_REPLY,
    CX11_XIM_KEY,
    // The server has answered `cx11_xim_ping`.
    CX11_XIM_PONG,
    // The server's selection has another owner, or none.
    CX11_XIM_OWNER,
    // A window of the server's is gone: the input method and its contexts went with it.
    CX11_XIM_DESTROYED,
} cx11_xim_kind;

typedef struct {
    cx11_xim_kind kind;
    // The context's window; 0 for PONG, OWNER and DESTROYED.
    Window window;
    // DRAW: as in XIMPreeditDrawCallbackStruct. CARET: `caret` is the position.
    int caret, change_first, change_length;
    // DRAW: UTF-8, null deletes. COMMIT, RESET_REPLY: UTF-8. Not terminated; `text_length` in bytes.
    const char *_Nullable text;
    int text_length;
    // DRAW: XIMFeedback, as many as are really there; may be null.
    const uint32_t *_Nullable feedback;
    int feedback_count;
    // CARET: XIMCaretDirection and XIMCaretStyle as sent.
    int direction, style;
    // COMMIT: a key symbol committed with the text or instead of it, or 0. OWNER: the new owner, or 0.
    unsigned long value;
    // KEY: the event that the server gave back. Its display is null.
    XKeyEvent key;
} cx11_xim_message;

// Returns the caret's new position for CARET, which is the reply to the server; ignored otherwise.
typedef int (*cx11_xim_callback)(const cx11_xim_message *message, void *_Nullable context);

// Null if there is no memory. `context` must live until `cx11_xim_destroy`.
cx11_xim *_Nullable cx11_xim_create(cx11_xim_callback callback, void *_Nullable context);

// Closes the connections and frees all; accepts null. Tells the input method's server nothing.
void cx11_xim_destroy(cx11_xim *_Nullable xim);

// Connects to the X server and watches the owner of the selection `@server=NAME`. `display_name` null: $DISPLAY.
cx11_xim_result cx11_xim_connect(cx11_xim *xim, const char *_Nullable display_name, const char *server_name);

// The connection's socket, -1 without one; and that of the connection beside it, with which Xlib converts texts.
int cx11_xim_descriptor(const cx11_xim *xim);
int cx11_xim_text_descriptor(const cx11_xim *xim);

// Why the connection was ended for what the server sent, as a static string; null if it was not. Every function returns
// CX11_XIM_LOST then.
const char *_Nullable cx11_xim_refusal(const cx11_xim *xim);

// The owner of the selection, 0 for none. A round trip to the X server.
cx11_xim_result cx11_xim_owner(cx11_xim *xim, Window *owner);

// Asks the input method's server for its locales, as every client does first; its answer comes as PONG. Does not wait.
cx11_xim_result cx11_xim_ping(cx11_xim *xim);

// Sends the server another event, whose answer nobody waits for. Trap “overlooked events”. Does not wait.
cx11_xim_result cx11_xim_nudge(cx11_xim *xim);

// Handles every event that has arrived, and does not wait for the input method's server. (*)
//
// Each packet of the server is checked first. One that is not well formed ends the connection: see `cx11_xim_refusal`.
cx11_xim_result cx11_xim_pump(cx11_xim *xim);

// Whether an event has arrived that is not handled yet. Reads; does not handle.
cx11_xim_result cx11_xim_has_events(cx11_xim *xim, bool *pending);

// Opens the input method and asks for its styles. Waits for the server. `locale` is a name as `setlocale` has it. Up to `limit`
// styles are written to `styles`, their number to `count`. FAILED if the server does not serve the locale, or is gone. (*)
cx11_xim_result cx11_xim_open(
    cx11_xim *xim, const char *locale, unsigned long *styles, int limit, int *count);

// Whether a font set can be made on this display, without which preedit position style is not asked for.
cx11_xim_result cx11_xim_load_font_set(cx11_xim *xim);

// Makes the input context for `window`, which may belong to any client. Waits for the server. FAILED if refused. (*)
cx11_xim_result cx11_xim_context_create(cx11_xim *xim, Window window, unsigned long style, XPoint spot);

// Destroys the context for `window`, if there is one. Waits for the server. (*)
cx11_xim_result cx11_xim_context_destroy(cx11_xim *xim, Window window);

// Gives the context the focus or takes it away. Does not wait.
cx11_xim_result cx11_xim_context_focus(cx11_xim *xim, Window window, bool focused);

// Sets the spot and, if `area` is given, the area. Waits for the server. (*)
cx11_xim_result cx11_xim_context_set_spot(cx11_xim *xim, Window window, XPoint spot, const XRectangle *_Nullable area);

// Resets the context, and keeps whether its preedit is enabled where the server has that. The reply is a message, so that it has its
// place among the others. Waits for the server. (*)
cx11_xim_result cx11_xim_context_reset(cx11_xim *xim, Window window);

// Gives a key event to the server, with the low 16 bits of its serial number. `symbol`: the key symbol that it has by its
// modifiers. `consumed` tells whether it was taken: a server may not want it. Waits if the server wants keys synchronously. (*)
cx11_xim_result cx11_xim_key(cx11_xim *xim, Window window, XKeyEvent key, KeySym symbol, bool *consumed);

// Frees input method and contexts without a word to the server.
void cx11_xim_abandon(cx11_xim *xim);

// Destroys every context, then closes the input method. Waits for the server. (*)
cx11_xim_result cx11_xim_close(cx11_xim *xim);

// Names the calling thread `inkstone-xim`: `pthread_setname_np` needs `_GNU_SOURCE`.
void cx11_xim_name_thread(void);

#pragma clang assume_nonnull end
#endif
