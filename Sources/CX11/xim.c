#define _GNU_SOURCE
#include "include/cx11_xim.h"

#include <X11/Xatom.h>
#include <X11/Xutil.h>
#include <X11/extensions/Xfixes.h>
#include <dlfcn.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/cx11_handlers.h"
#include "xim_private.h"

enum { GROUP_LIMIT = 1024 };

// Trap “shared modifiers”: XSetLocaleModifiers is process-wide, and XOpenIM reads what it set.
static pthread_mutex_t modifiers_lock = PTHREAD_MUTEX_INITIALIZER;

// Every function that calls Xlib begins with this and ends with LEAVE.
#define ENTER(xim)                                                        \
    do {                                                                  \
        if ((xim)->lost || !(xim)->display) return CX11_XIM_LOST;         \
        if (sigsetjmp((xim)->jump, 0)) return left_call(xim);             \
        (xim)->in_call = true;                                            \
    } while (0)
#define LEAVE(xim, result)        \
    do {                          \
        (xim)->in_call = false;   \
        return (result);          \
    } while (0)
// Around what waits for the server.
#define WAIT(xim, kind, context)      \
    do {                              \
        (xim)->call = XIM_CALL_##kind; \
        (xim)->calling = (context);   \
    } while (0)
#define WAITED(xim) WAIT(xim, NONE, NULL)

static cx11_xim_result left_call(cx11_xim *xim) {
    xim->in_call = false;
    WAITED(xim);
    if (xim->holds_modifiers) {
        xim->holds_modifiers = false;
        pthread_mutex_unlock(&modifiers_lock);
    }
    return CX11_XIM_LOST;
}

// Trap “no time-out”: the one way out of a call that waits for ever is that the connection breaks under it.
static void on_io_error(Display *display, void *context) {
    (void)display;
    cx11_xim *xim = context;
    xim->lost = true;
    if (xim->in_call) siglongjmp(xim->jump, 1);
}

// Trap “fatal errors”: windows of other clients vanish at any time, the server's and the one that a context is for.
static bool on_error(Display *display, const XErrorEvent *error, void *context) {
    (void)display, (void)error, (void)context;
    return true;
}

static struct context *find(cx11_xim *xim, Window window) {
    struct context *c = xim->contexts;
    while (c && c->window != window) c = c->next;
    return c;
}

static int report(cx11_xim *xim, const cx11_xim_message *message) { return xim->callback(message, xim->context); }

// MARK: Callbacks of Xlib

static int preedit_start(XIC ic, XPointer data, XPointer call) {
    (void)ic, (void)call;
    struct context *c = (struct context *)data;
    report(c->xim, &(cx11_xim_message){.kind = CX11_XIM_PREEDIT_START, .window = c->window});
    return -1;  // no limit to the preedit's length
}

static void preedit_done(XIC ic, XPointer data, XPointer call) {
    (void)ic, (void)call;
    struct context *c = (struct context *)data;
    report(c->xim, &(cx11_xim_message){.kind = CX11_XIM_PREEDIT_DONE, .window = c->window});
}

static void preedit_draw(XIC ic, XPointer data, XPointer call) {
    (void)ic;
    struct context *c = (struct context *)data;
    const XIMPreeditDrawCallbackStruct *draw = (const XIMPreeditDrawCallbackStruct *)call;
    cx11_xim_message m = {
        .kind = CX11_XIM_PREEDIT_DRAW,
        .window = c->window,
        .caret = draw->caret,
        .change_first = draw->chg_first,
        .change_length = draw->chg_length,
    };
    const XIMText *text = draw->text;
    if (text && !text->encoding_is_wchar && text->string.multi_byte) {
        m.text = text->string.multi_byte;
        m.text_length = (int)strlen(m.text);
        // Trap “untold feedback”: the array's length is not conveyed. Servers stop at the first 0 entry, and Xlib
        // allocates what came.
        if (text->feedback) {
            size_t room = malloc_usable_size(text->feedback) / sizeof *text->feedback;
            m.feedback = text->feedback;
            m.feedback_count = text->length < room ? text->length : (int)room;
        }
    }
    cx11_xim *xim = c->xim;
    // Trap “held-back callbacks”: those may come before the draw that is noted.
    if (xim->noted.is_draw && draw->caret == xim->noted.caret && draw->chg_first == xim->noted.change_first &&
        draw->chg_length == xim->noted.change_length && m.text) {
        xim->noted.is_draw = false;
        if (xim->noted.text) {
            m.text = xim->noted.text;
            m.text_length = xim->noted.text_length;
        }
        m.feedback = xim->noted.feedback;
        m.feedback_count = xim->noted.feedback_count;
    }
    report(xim, &m);
}

static void preedit_caret(XIC ic, XPointer data, XPointer call) {
    (void)ic;
    struct context *c = (struct context *)data;
    XIMPreeditCaretCallbackStruct *caret = (XIMPreeditCaretCallbackStruct *)call;
    // Xlib sends `position` back as the reply.
    caret->position = report(c->xim, &(cx11_xim_message){
                                         .kind = CX11_XIM_PREEDIT_CARET,
                                         .window = c->window,
                                         .caret = caret->position,
                                         .direction = (int)caret->direction,
                                         .style = (int)caret->style,
                                     });
}

static void status_nothing(XIC ic, XPointer data, XPointer call) { (void)ic, (void)data, (void)call; }

// Trap “freed method”: the contexts are still valid here, and Xlib frees them and the input method afterwards. Never
// touch either again.
static void im_destroyed(XIM im, XPointer data, XPointer call) {
    (void)im, (void)call;
    cx11_xim *xim = (cx11_xim *)data;
    xim->im = NULL;
    while (xim->contexts) {
        struct context *c = xim->contexts;
        xim->contexts = c->next;
        free(c);
    }
    report(xim, &(cx11_xim_message){.kind = CX11_XIM_DESTROYED});
}

// MARK: Connection

cx11_xim *cx11_xim_create(cx11_xim_callback callback, void *context) {
    cx11_xim *xim = calloc(1, sizeof *xim);
    struct item *items = calloc(GROUP_LIMIT, sizeof *items);
    if (!xim || !items) abort();
    xim->callback = callback;
    xim->context = context;
    xim->items = items;
    // libX11 1.8.10 delivers in order by marking each event; the function that asks for the mark tells it apart.
    xim->keeps_order = dlsym(RTLD_DEFAULT, "_XimIsFabricatedSerial") != NULL;
    return xim;
}

void cx11_xim_destroy(cx11_xim *xim) {
    if (!xim) return;
    if (xim->display) {
        if (xim->font_set && !xim->lost) XFreeFontSet(xim->display, xim->font_set);
        cx11_handlers_close(xim->display);
    }
    while (xim->contexts) {
        struct context *c = xim->contexts;
        xim->contexts = c->next;
        free(c);
    }
    cx11_xim_forget_noted(xim);
    free(xim->items);
    free(xim);
}

cx11_xim_result cx11_xim_connect(cx11_xim *xim, const char *display_name, const char *server_name) {
    char name[256];
    int error_base;
    snprintf(name, sizeof name, "@server=%s", server_name);
    xim->display = XOpenDisplay(display_name);
    if (!xim->display) return CX11_XIM_FAILED;
    cx11_handlers_add_own(xim->display);
    cx11_handlers_set_error(xim->display, on_error, xim);
    cx11_handlers_set_io_error(xim->display, on_io_error, xim);
    ENTER(xim);
    Display *d = xim->display;
    Window root = DefaultRootWindow(d);
    xim->selection = XInternAtom(d, name, False);
    xim->locales = XInternAtom(d, "LOCALES", False);
    xim->protocol = XInternAtom(d, "_XIM_PROTOCOL", False);
    xim->more_data = XInternAtom(d, "_XIM_MOREDATA", False);
    xim->compound_text = XInternAtom(d, "COMPOUND_TEXT", False);
    xim->set_aside = XInternAtom(d, "INKSTONE_XIM_SET_ASIDE", False);
    xim->own_window = XCreateWindow(d, root, -1, -1, 1, 1, 0, 0, InputOnly, CopyFromParent, 0, NULL);
    xim->has_fixes = XFixesQueryExtension(d, &xim->fixes_event, &error_base);
    if (xim->has_fixes) {
        int major = 1, minor = 0;
        XFixesQueryVersion(d, &major, &minor);
        XFixesSelectSelectionInput(
            d, xim->own_window, xim->selection,
            XFixesSetSelectionOwnerNotifyMask | XFixesSelectionWindowDestroyNotifyMask |
                XFixesSelectionClientCloseNotifyMask);
    }
    cx11_xim_watch_wire(xim);
    XFlush(d);
    LEAVE(xim, CX11_XIM_OK);
}

int cx11_xim_descriptor(const cx11_xim *xim) { return xim->display ? ConnectionNumber(xim->display) : -1; }

cx11_xim_result cx11_xim_owner(cx11_xim *xim, Window *owner) {
    ENTER(xim);
    *owner = XGetSelectionOwner(xim->display, xim->selection);
    LEAVE(xim, CX11_XIM_OK);
}

cx11_xim_result cx11_xim_ping(cx11_xim *xim) {
    ENTER(xim);
    // uim answers by the property's name, not by the target's: they have to be the same, as they are in Xlib's requests.
    XConvertSelection(xim->display, xim->selection, xim->locales, xim->locales, xim->own_window, CurrentTime);
    XFlush(xim->display);
    LEAVE(xim, CX11_XIM_OK);
}

// MARK: Events

// Looks up what was committed. Trap “unset status”: Xlib leaves the status alone if the server is gone. A buffer that
// is too small consumes nothing and says how much is needed.
static void look_up(cx11_xim *xim, struct item *item) {
    struct context *c = find(xim, item->key.window);
    Status status = XLookupNone;
    int size = 512;
    if (!c || !c->ic) return;
    item->text = malloc((size_t)size);
    if (!item->text) abort();
    int length = Xutf8LookupString(c->ic, &item->key, item->text, size, &item->keysym, &status);
    if (status == XBufferOverflow) {
        size = length;
        free(item->text);
        item->text = malloc((size_t)size + 1);
        if (!item->text) abort();
        status = XLookupNone;
        length = Xutf8LookupString(c->ic, &item->key, item->text, size, &item->keysym, &status);
    }
    bool has_text = status == XLookupChars || status == XLookupBoth;
    item->length = has_text && length > 0 ? length : 0;
    if (xim->noted.text && !xim->noted.is_draw && item->length) {
        free(item->text);
        item->text = xim->noted.text;
        item->length = xim->noted.text_length;
        xim->noted.text = NULL;
    }
    if (status != XLookupKeySym && status != XLookupBoth) item->keysym = 0;
}

static void report_item(cx11_xim *xim, struct item *item) {
    bool is_commit = item->key.keycode == 0;
    cx11_xim_message m = {
        .kind = is_commit ? CX11_XIM_COMMIT : CX11_XIM_KEY,
        .window = item->key.window,
        .text = item->text,
        .text_length = item->length,
        .value = item->keysym,
        .key = item->key,
    };
    // A keycode of 0 without text is what is left of a commit that a reset has returned, or a key that nobody typed.
    if (!is_commit || item->length || item->keysym) report(xim, &m);
    free(item->text);
    *item = (struct item){0};
}

// Traps “stale mark” and “unanswered SYNC”: Xlib marks the input method when it puts such an event into the queue; the
// event's way through the filter takes the mark off and answers the server's SYNC. A context destroyed meanwhile has no
// filter: another's does, or the next one's.
static void take_mark(cx11_xim *xim, XEvent event) {
    if (!find(xim, event.xkey.window)) {
        if (!xim->contexts) {
            xim->has_stale_mark = true;
            return;
        }
        event.xkey.window = xim->contexts->window;
    }
    XFilterEvent(&event, None);
}

// Trap “reversed commits”: what came during one call lies there last first.
// Takes the key events on top of the queue. All of them are fabricated by Xlib: this connection selects no keys.
static void take_keys(cx11_xim *xim, XEvent first) {
    int count = 0;
    XEvent event = first;
    for (;;) {
        if (count == 0 || xim->keeps_order) take_mark(xim, event);
        struct item *item = &xim->items[count++];
        *item = (struct item){.key = event.xkey};
        if (event.type == KeyPress && event.xkey.keycode == 0) look_up(xim, item);
        if (count == GROUP_LIMIT || XEventsQueued(xim->display, QueuedAlready) == 0) break;
        XPeekEvent(xim->display, &event);
        if (event.type != KeyPress && event.type != KeyRelease) break;
        XNextEvent(xim->display, &event);
    }
    for (int i = 0; i < count; i++) report_item(xim, &xim->items[xim->keeps_order ? i : count - 1 - i]);
}

static void handle(cx11_xim *xim, XEvent *event) {
    // Trap “large packets”: kept from Xlib while it waited for something else.
    if (event->type == ClientMessage && event->xclient.message_type == xim->set_aside) {
        event->xclient.message_type = xim->protocol;
    }
    bool is_packet = event->type == ClientMessage && event->xclient.message_type == xim->protocol;
    if (event->type == KeyPress || event->type == KeyRelease) {
        take_keys(xim, *event);
    } else if (is_packet && event->xclient.format == 32 && xim->im) {
        if (!cx11_xim_feed(xim, event) && xim->im) report(xim, &(cx11_xim_message){.kind = CX11_XIM_BROKEN});
    } else if (XFilterEvent(event, None)) {
        return;
    } else if (is_packet && xim->im) {
        report(xim, &(cx11_xim_message){.kind = CX11_XIM_BROKEN});
    } else if (event->type == SelectionNotify && event->xselection.requestor == xim->own_window) {
        // A refusal comes from the X server when there is no owner.
        if (event->xselection.property == None) return;
        XDeleteProperty(xim->display, xim->own_window, event->xselection.property);
        report(xim, &(cx11_xim_message){.kind = CX11_XIM_PONG});
    } else if (event->type == MappingNotify) {
        XRefreshKeyboardMapping(&event->xmapping);
    }
}

static void pump(cx11_xim *xim) {
    XEvent event;
    while (XPending(xim->display)) {
        XNextEvent(xim->display, &event);
        handle(xim, &event);
    }
}

cx11_xim_result cx11_xim_pump(cx11_xim *xim) {
    ENTER(xim);
    pump(xim);
    LEAVE(xim, CX11_XIM_OK);
}

cx11_xim_result cx11_xim_has_events(cx11_xim *xim, bool *pending) {
    ENTER(xim);
    *pending = XPending(xim->display) > 0;
    LEAVE(xim, CX11_XIM_OK);
}

// Trap “reversed commits”: what a blocking call has put on top of the queue must be taken before anything else is read.
static void take_absorbed(cx11_xim *xim) {
    XEvent event;
    if (XEventsQueued(xim->display, QueuedAlready) == 0) return;
    XPeekEvent(xim->display, &event);
    if (event.type != KeyPress && event.type != KeyRelease) return;
    XNextEvent(xim->display, &event);
    take_keys(xim, event);
}

// MARK: Input method

cx11_xim_result cx11_xim_open(cx11_xim *xim, const char *modifiers, unsigned long *styles, int limit, int *count) {
    XIMStyles *offered = NULL;
    XIMCallback destroyed = {(XPointer)xim, (XIMProc)im_destroyed};
    *count = 0;
    ENTER(xim);
    pthread_mutex_lock(&modifiers_lock);
    xim->holds_modifiers = true;
    XSetLocaleModifiers(modifiers);
    WAIT(xim, OPEN, NULL);
    xim->im = XOpenIM(xim->display, NULL, NULL, NULL);
    xim->holds_modifiers = false;
    pthread_mutex_unlock(&modifiers_lock);
    if (!xim->im) {
        WAITED(xim);
        LEAVE(xim, CX11_XIM_FAILED);
    }
    xim->server_window = XGetSelectionOwner(xim->display, xim->selection);
    XSetIMValues(xim->im, XNDestroyCallback, &destroyed, NULL);
    XGetIMValues(xim->im, XNQueryInputStyle, &offered, NULL);
    WAITED(xim);
    for (int i = 0; offered && i < offered->count_styles && *count < limit; i++) {
        styles[(*count)++] = offered->supported_styles[i];
    }
    if (offered) XFree(offered);
    LEAVE(xim, CX11_XIM_OK);
}

cx11_xim_result cx11_xim_load_font_set(cx11_xim *xim) {
    char **missing = NULL, *fallback = NULL;
    int missing_count = 0;
    ENTER(xim);
    if (!xim->font_set) {
        xim->font_set = XCreateFontSet(
            xim->display, "-misc-fixed-medium-r-normal--*-130-75-75-c-*-*-*,-*-*-medium-r-normal--*-*-*-*-*-*-*-*",
            &missing, &missing_count, &fallback);
        if (missing) XFreeStringList(missing);
    }
    LEAVE(xim, xim->font_set ? CX11_XIM_OK : CX11_XIM_FAILED);
}

cx11_xim_result cx11_xim_context_create(cx11_xim *xim, Window window, unsigned long style, XPoint spot) {
    if (find(xim, window)) return CX11_XIM_OK;
    if (!xim->im) return CX11_XIM_FAILED;
    struct context *c = calloc(1, sizeof *c);
    if (!c) abort();
    // Xlib copies these structures. Trap “broken string conversion”: no callback for that, here or anywhere.
    XIMCallback start = {(XPointer)c, (XIMProc)(void (*)(void))preedit_start};
    XIMCallback draw = {(XPointer)c, (XIMProc)(void (*)(void))preedit_draw};
    XIMCallback caret = {(XPointer)c, (XIMProc)(void (*)(void))preedit_caret};
    XIMCallback done = {(XPointer)c, (XIMProc)(void (*)(void))preedit_done};
    XIMCallback status = {(XPointer)c, (XIMProc)status_nothing};
    XVaNestedList preedit = NULL, status_list = NULL;
    *c = (struct context){.xim = xim, .window = window, .next = xim->contexts};
    xim->contexts = c;
    ENTER(xim);
    if (style & XIMPreeditCallbacks) {
        preedit = XVaCreateNestedList(
            0, XNPreeditStartCallback, &start, XNPreeditDrawCallback, &draw, XNPreeditCaretCallback, &caret,
            XNPreeditDoneCallback, &done, XNSpotLocation, &spot, NULL);
    } else if (style & XIMPreeditPosition) {
        preedit = XVaCreateNestedList(0, XNSpotLocation, &spot, XNFontSet, xim->font_set, NULL);
    } else if (style & XIMPreeditNothing) {
        preedit = XVaCreateNestedList(0, XNSpotLocation, &spot, NULL);
    }
    if (style & XIMStatusCallbacks) {
        status_list = XVaCreateNestedList(
            0, XNStatusStartCallback, &status, XNStatusDrawCallback, &status, XNStatusDoneCallback, &status, NULL);
    }
    XIC ic;
    WAIT(xim, CREATE, c);
    if (preedit && status_list) {
        ic = XCreateIC(
            xim->im, XNInputStyle, style, XNClientWindow, window, XNFocusWindow, window, XNPreeditAttributes, preedit,
            XNStatusAttributes, status_list, NULL);
    } else if (preedit) {
        ic = XCreateIC(
            xim->im, XNInputStyle, style, XNClientWindow, window, XNFocusWindow, window, XNPreeditAttributes, preedit,
            NULL);
    } else {
        ic = XCreateIC(xim->im, XNInputStyle, style, XNClientWindow, window, XNFocusWindow, window, NULL);
    }
    WAITED(xim);
    if (preedit) XFree(preedit);
    if (status_list) XFree(status_list);
    if (ic) {
        c->ic = ic;
    } else {
        xim->contexts = c->next;
        free(c);
    }
    take_absorbed(xim);
    LEAVE(xim, ic ? CX11_XIM_OK : CX11_XIM_FAILED);
}

cx11_xim_result cx11_xim_context_destroy(cx11_xim *xim, Window window) {
    struct context *c = find(xim, window);
    if (!c) return CX11_XIM_OK;
    ENTER(xim);
    WAIT(xim, DESTROY, c);
    XDestroyIC(c->ic);
    WAITED(xim);
    struct context **at = &xim->contexts;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    free(c);
    take_absorbed(xim);
    LEAVE(xim, CX11_XIM_OK);
}

cx11_xim_result cx11_xim_context_focus(cx11_xim *xim, Window window, bool focused) {
    struct context *c = find(xim, window);
    if (!c || c->focused == focused) return CX11_XIM_OK;
    ENTER(xim);
    c->focused = focused;
    WAIT(xim, OTHER, c);
    if (focused) {
        XSetICFocus(c->ic);
    } else {
        XUnsetICFocus(c->ic);
        // Trap “stale mark”: the context has lost its filter, and a late commit would not be filtered. Setting the
        // focus window registers the filter again; the server is told nothing new.
        XSetICValues(c->ic, XNFocusWindow, window, NULL);
    }
    WAITED(xim);
    take_absorbed(xim);
    cx11_xim_release_held_back(xim, c);
    LEAVE(xim, CX11_XIM_OK);
}

cx11_xim_result cx11_xim_context_set_spot(cx11_xim *xim, Window window, XPoint spot, const XRectangle *area) {
    struct context *c = find(xim, window);
    XRectangle rectangle = area ? *area : (XRectangle){0};
    if (!c) return CX11_XIM_FAILED;
    ENTER(xim);
    XVaNestedList list = area ? XVaCreateNestedList(0, XNSpotLocation, &spot, XNArea, &rectangle, NULL)
                              : XVaCreateNestedList(0, XNSpotLocation, &spot, NULL);
    WAIT(xim, OTHER, c);
    XSetICValues(c->ic, XNPreeditAttributes, list, NULL);
    WAITED(xim);
    XFree(list);
    take_absorbed(xim);
    cx11_xim_release_held_back(xim, c);
    LEAVE(xim, CX11_XIM_OK);
}

// False if the server does not know of it; 4 of the 8 bytes are written else.
static bool get_preedit_state(const struct context *c, XIMPreeditState *state) {
    XVaNestedList list = XVaCreateNestedList(0, XNPreeditState, state, NULL);
    bool is_known = XGetICValues(c->ic, XNPreeditAttributes, list, NULL) == NULL;
    XFree(list);
    return is_known;
}

cx11_xim_result cx11_xim_context_reset(cx11_xim *xim, Window window, char **reply) {
    struct context *c = find(xim, window);
    *reply = NULL;
    if (!c) return CX11_XIM_FAILED;
    ENTER(xim);
    // Some engines are off after a reset (nabi's, others by their settings). A server without this attribute is not
    // asked.
    XIMPreeditState before = XIMPreeditUnKnown, after = XIMPreeditUnKnown;
    WAIT(xim, OTHER, c);
    bool is_known = get_preedit_state(c, &before) && (before == XIMPreeditEnable || before == XIMPreeditDisable);
    WAIT(xim, RESET, c);
    *reply = Xutf8ResetIC(c->ic);
    WAIT(xim, OTHER, c);
    if (is_known && get_preedit_state(c, &after) && after != before) {
        XVaNestedList list = XVaCreateNestedList(0, XNPreeditState, before, NULL);
        XSetICValues(c->ic, XNPreeditAttributes, list, NULL);
        XFree(list);
    }
    WAITED(xim);
    if (!*reply) *reply = cx11_xim_take_large_reply(xim);
    take_absorbed(xim);
    cx11_xim_release_held_back(xim, c);
    LEAVE(xim, CX11_XIM_OK);
}

cx11_xim_result cx11_xim_key(cx11_xim *xim, Window window, XKeyEvent key, bool *consumed) {
    struct context *c = find(xim, window);
    *consumed = false;
    if (!c) return CX11_XIM_FAILED;
    ENTER(xim);
    XEvent event = {.xkey = key};
    event.xkey.display = xim->display;
    event.xkey.window = window;
    // Trap “stale mark”: one that no context was left to take.
    if (xim->has_stale_mark) {
        XEvent mark = event;
        xim->has_stale_mark = false;
        XFilterEvent(&mark, None);
    }
    WAIT(xim, OTHER, c);
    *consumed = XFilterEvent(&event, None);
    WAITED(xim);
    take_absorbed(xim);
    LEAVE(xim, CX11_XIM_OK);
}

// Trap “freed method”: Xlib's own way for a dead server frees all without a word to it.
cx11_xim_result cx11_xim_abandon(cx11_xim *xim) {
    ENTER(xim);
    if (xim->im && xim->server_window) {
        XEvent event = {.xdestroywindow = {
            .type = DestroyNotify,
            .display = xim->display,
            .event = xim->server_window,
            .window = xim->server_window,
        }};
        XFilterEvent(&event, None);
    }
    LEAVE(xim, CX11_XIM_OK);
}

cx11_xim_result cx11_xim_close(cx11_xim *xim) {
    ENTER(xim);
    if (xim->im) {
        XIM im = xim->im;
        while (xim->contexts) {
            struct context *c = xim->contexts;
            WAIT(xim, DESTROY, c);
            XDestroyIC(c->ic);
            xim->contexts = c->next;
            free(c);
        }
        xim->im = NULL;
        WAITED(xim);
        XCloseIM(im);
    }
    LEAVE(xim, CX11_XIM_OK);
}

// MARK: Thread

// Trap “C locale”: the count of a preedit's characters never ends there (`_read_text_from_packet`).
void *cx11_xim_use_utf8(void) {
    locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (locale) uselocale(locale);
    pthread_setname_np(pthread_self(), "inkstone-xim");
    return locale;
}

void cx11_xim_end_use(void *locale) {
    if (!locale) return;
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(locale);
}
