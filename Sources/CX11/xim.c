// A connection to an X server for one input method: its beginning and end, and the input method on it.
#define _GNU_SOURCE
#include "include/cx11_xim.h"

#include <X11/extensions/Xfixes.h>
#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "include/cx11_handlers.h"
#include "opening.h"
#include "xim_private.h"

// Trap “shared modifiers”: XSetLocaleModifiers is process-wide, and XOpenIM reads what it set.
static pthread_mutex_t modifiers_lock = PTHREAD_MUTEX_INITIALIZER;

cx11_xim_result cx11_xim_left_call(cx11_xim *xim) {
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

// MARK: Connection

cx11_xim *cx11_xim_create(cx11_xim_callback callback, void *context) {
    cx11_xim *xim = calloc(1, sizeof *xim);
    struct item *items = calloc(GROUP_LIMIT, sizeof *items);
    if (!xim || !items) {
        free(xim);
        free(items);
        return NULL;
    }
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
    if (xim->reader) xcb_disconnect(xim->reader);
    while (xim->contexts) {
        struct context *c = xim->contexts;
        xim->contexts = c->next;
        free(c);
    }
    cx11_xim_forget_texts(xim, 0);
    if (xim->returned) XFree(xim->returned);
    free(xim->joined);
    free(xim->reply);
    for (int i = 0; i < GROUP_LIMIT; i++) free(xim->items[i].text);
    free(xim->assembly);
    free(xim->items);
    free(xim);
}

cx11_xim_result cx11_xim_connect(cx11_xim *xim, const char *display_name, const char *server_name) {
    char name[256];
    int error_base;
    snprintf(name, sizeof name, "@server=%s", server_name);
    CX11_OPENING(CX11_XIM_FAILED);
    xim->display = XOpenDisplay(display_name);
    CX11_OPENED();
    if (!xim->display) return CX11_XIM_FAILED;
    if (!cx11_handlers_add_own(xim->display)) {
        XCloseDisplay(xim->display);
        xim->display = NULL;
        return CX11_XIM_FAILED;
    }
    cx11_handlers_set_error(xim->display, on_error, xim);
    cx11_handlers_set_io_error(xim->display, on_io_error, xim);
    xim->reader = xcb_connect(display_name, NULL);
    if (xcb_connection_has_error(xim->reader)) return CX11_XIM_FAILED;
    ENTER(xim);
    Display *d = xim->display;
    Window root = DefaultRootWindow(d);
    xim->selection = XInternAtom(d, name, False);
    xim->locales = XInternAtom(d, "LOCALES", False);
    xim->transport = XInternAtom(d, "TRANSPORT", False);
    xim->protocol = XInternAtom(d, "_XIM_PROTOCOL", False);
    xim->more_data = XInternAtom(d, "_XIM_MOREDATA", False);
    xim->compound_text = XInternAtom(d, "COMPOUND_TEXT", False);
    xim->connect = XInternAtom(d, "_XIM_XCONNECT", False);
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

int cx11_xim_reader_descriptor(const cx11_xim *xim) {
    return xim->reader ? xcb_get_file_descriptor(xim->reader) : -1;
}

const char *cx11_xim_refusal(const cx11_xim *xim) { return xim->refusal; }

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

// Trap “overlooked events”: a server that looks into its queue only when its socket has something to read does not see
// what a call of its own has read on the way, until the next event comes (fcitx5 before 5.1.13).
cx11_xim_result cx11_xim_nudge(cx11_xim *xim) {
    ENTER(xim);
    XConvertSelection(xim->display, xim->selection, xim->transport, xim->transport, xim->own_window, CurrentTime);
    XFlush(xim->display);
    LEAVE(xim, CX11_XIM_OK);
}

// MARK: Input method

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
    cx11_xim_forget_texts(xim, 0);
    cx11_xim_report(xim, &(cx11_xim_message){.kind = CX11_XIM_DESTROYED});
}

cx11_xim_result cx11_xim_open(cx11_xim *xim, const char *modifiers, unsigned long *styles, int limit, int *count) {
    XIMStyles *offered = NULL;
    XIMCallback destroyed = {(XPointer)xim, (XIMProc)im_destroyed};
    *count = 0;
    ENTER(xim);
    pthread_mutex_lock(&modifiers_lock);
    xim->holds_modifiers = true;
    XSetLocaleModifiers(modifiers);
    xim->grammar = (cx11_xim_grammar){0};
    xim->assembled = 0;
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
        // The replies are for Xlib, which has to see them; nothing else is for anybody.
        WAIT(xim, OTHER, NULL);
        XCloseIM(im);
        WAITED(xim);
        xim->im = NULL;
        cx11_xim_forget_texts(xim, 0);
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
