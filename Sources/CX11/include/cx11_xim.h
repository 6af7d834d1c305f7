#ifndef CX11_XIM_H
#define CX11_XIM_H
// A client of input methods (X11's specification of XIM, protocol 1.0), on a connection of its own instead of
// Xlib's.
//
// In C, because the protocol consists of structures of bytes in X events and properties. This code makes no
// decisions: the caller chooses styles and times, and reacts to failures.
//
// Threads: everything here belongs to the one thread that called `cx11_xim_create`. Any thread may call
// `shutdown(2)` on the descriptors, to end a call that waits.
//
// Lost connection: each function that talks to the server then returns CX11_XIM_LOST, also while it waits. After
// that, call only `cx11_xim_destroy`.
//
// Callback: called within the functions marked (*), for each message in the order in which the server sent it. The
// callback copies what it needs, and calls no function of this header. All pointers in a message are valid only
// during the call.
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
    // The answer to `cx11_xim_context_reset`, reported during that call. It contains the composed text if the server
    // returns any.
    CX11_XIM_RESET_REPLY,
    CX11_XIM_KEY,
    // The server has answered `cx11_xim_ping`.
    CX11_XIM_PONG,
    // The server's selection has another owner, or none.
    CX11_XIM_OWNER,
    // A window of the server is gone, and with it the input method and its contexts.
    CX11_XIM_DESTROYED,
} cx11_xim_kind;

typedef struct {
    cx11_xim_kind kind;
    // The context's window; 0 for PONG, OWNER and DESTROYED.
    Window window;
    // For DRAW, the members of XIMPreeditDrawCallbackStruct. For CARET, `caret` is the position.
    int caret, change_first, change_length;
    // For DRAW, COMMIT and RESET_REPLY: the text in UTF-8, `text_length` bytes, without a NUL at the end. In a
    // DRAW, null deletes.
    const char *_Nullable text;
    int text_length;
    // For DRAW: XIMFeedback, as many as the server has sent; may be null.
    const uint32_t *_Nullable feedback;
    int feedback_count;
    // For CARET: XIMCaretDirection and XIMCaretStyle as the server has sent them.
    int direction, style;
    // For COMMIT: a key symbol that is committed with the text or instead of it; 0 for none. For OWNER: the new
    // owner; 0 for none.
    unsigned long value;
    // For KEY: the event that the server returned. Its display is null.
    XKeyEvent key;
} cx11_xim_message;

// The callback for messages. For CARET, returns the new position of the caret, which is sent to the server.
// Otherwise the result is ignored.
typedef int (*cx11_xim_callback)(const cx11_xim_message *message, void *_Nullable context);

// Creates a client without a connection; null if there is no memory. `context` must live until `cx11_xim_destroy`.
cx11_xim *_Nullable cx11_xim_create(cx11_xim_callback callback, void *_Nullable context);

// Closes the connections and frees everything; accepts null. Sends nothing to the input method's server.
void cx11_xim_destroy(cx11_xim *_Nullable xim);

// Connects to the X server, and watches the owner of the selection `@server=NAME`. If `display_name` is null, uses
// $DISPLAY. Returns CX11_XIM_FAILED if there is no connection.
cx11_xim_result cx11_xim_connect(cx11_xim *xim, const char *_Nullable display_name, const char *server_name);

// The sockets of the connection and of the second connection, with which Xlib converts texts; -1 if there is none.
int cx11_xim_descriptor(const cx11_xim *xim);
int cx11_xim_text_descriptor(const cx11_xim *xim);

// The reason, as a static string, if the connection was ended because of data that the server sent; otherwise null.
// With a reason, every function returns CX11_XIM_LOST.
const char *_Nullable cx11_xim_refusal(const cx11_xim *xim);

// Gets the owner of the server's selection; 0 for none. One round trip to the X server.
cx11_xim_result cx11_xim_owner(cx11_xim *xim, Window *owner);

// Asks the input method's server for its locales, a request that each client makes first. The answer is reported as
// PONG. Does not wait.
cx11_xim_result cx11_xim_ping(cx11_xim *xim);

// Sends the server another event, whose answer is ignored, so that it looks at events that it has overlooked (see
// the trap “overlooked events” on the page KeysAndAnswers). Does not wait.
cx11_xim_result cx11_xim_nudge(cx11_xim *xim);

// Handles all events that have arrived. Does not wait for the input method's server. (*)
//
// Each packet of the server is checked first. A malformed packet ends the connection: see `cx11_xim_refusal`.
cx11_xim_result cx11_xim_pump(cx11_xim *xim);

// Whether an event has arrived that was not handled yet. Reads events, but does not handle them.
cx11_xim_result cx11_xim_has_events(cx11_xim *xim, bool *pending);

// Opens the input method and asks for its styles. Waits for the server. `locale` is a name as `setlocale` returns
// it. Writes at most `limit` styles to `styles`, and their number to `count`. An input method that is open already
// is abandoned first. FAILED if there is no server, or if it refuses, for example the locale. (*)
cx11_xim_result cx11_xim_open(
    cx11_xim *xim, const char *locale, unsigned long *styles, int limit, int *count);

// Creates the font set that the style “preedit position” requires, unless it exists. FAILED if it cannot be created.
cx11_xim_result cx11_xim_load_font_set(cx11_xim *xim);

// Creates the input context for `window`, which may belong to any client. Does nothing if the window has a context.
// Waits for the server. FAILED if the server refuses, or if no input method is open. (*)
cx11_xim_result cx11_xim_context_create(cx11_xim *xim, Window window, unsigned long style, XPoint spot);

// Destroys the context of `window`, if there is one. Waits for the server. (*)
cx11_xim_result cx11_xim_context_destroy(cx11_xim *xim, Window window);

// Gives the focus to the context of `window`, if there is one, or removes the focus from it. Does not wait.
cx11_xim_result cx11_xim_context_focus(cx11_xim *xim, Window window, bool focused);

// Sets the spot and, if `area` is not null, the area. Does nothing if the server declares no preedit attributes.
// Waits for the server. FAILED if the window has no context, or if the server refuses. (*)
cx11_xim_result cx11_xim_context_set_spot(cx11_xim *xim, Window window, XPoint spot, const XRectangle *_Nullable area);

// Resets the context. If the server reports whether the preedit is enabled, restores this state afterwards. The
// reply is reported as a message, in its order among the other messages. Waits for the server. FAILED if the window
// has no context, or if the server refuses. (*)
cx11_xim_result cx11_xim_context_reset(cx11_xim *xim, Window window);

// Sends a key event to the server, with the low 16 bits of its serial number. If the key switches the input method
// on or off, notifies the server of that instead. `symbol` is the key symbol that the key has with its modifiers.
// `consumed` gets whether the server got the key: it may not want it. Waits for an answer to a switching key, and
// to any key that the server wants synchronously. FAILED if the window has no context, or if the server is gone.
// (*)
cx11_xim_result cx11_xim_key(cx11_xim *xim, Window window, XKeyEvent key, KeySym symbol, bool *consumed);

// Frees the input method and its contexts without sending anything to the server.
void cx11_xim_abandon(cx11_xim *xim);

// Destroys every context, then closes the input method. Waits for the server. (*)
cx11_xim_result cx11_xim_close(cx11_xim *xim);

// Names the calling thread `inkstone-xim`. `pthread_setname_np` needs `_GNU_SOURCE`.
void cx11_xim_name_thread(void);

#pragma clang assume_nonnull end
#endif
