#define _GNU_SOURCE
#include "include/cx11_connection.h"
#include "include/cx11_handlers.h"

#include <X11/Xft/Xft.h>
#include <X11/Xlibint.h>
#include <X11/extensions/Xrender.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "opening.h"

// libXrender and libXft know connections by their addresses and forget one in a hook of XCloseDisplay. Where a client used
// Xft before XRender, XRender's hook runs first and Xft's, which frees glyphs, makes XRender remember the dying connection
// anew, for good. Xlib then gives the address to a new connection, and every XRender request on it carries the opcode that
// happens to lie in the memory of the old one: BadLength errors and black windows. So look whether asking for XRender has
// put it among the connection's own extensions; if not, it was remembered.
static bool has_stale_render(Display *display) {
    int opcode, event, error;
    (void)XRenderQueryExtension(display, &event, &error);
    for (_XExtension *each = display->ext_procs; each; each = each->next)
        if (each->name && strcmp(each->name, RENDER_NAME) == 0) return false;
    return XQueryExtension(display, RENDER_NAME, &opcode, &event, &error);
}

static Display *open_display(const char *name) {
    enum { MAX_STALE = 16 };
    Display *stale[MAX_STALE];
    int count = 0;
    CX11_OPENING(NULL);
    Display *display = XOpenDisplay(name);
    // Stale ones stay open until another has its address elsewhere.
    while (display && count < MAX_STALE && has_stale_render(display)) {
        stale[count++] = display;
        display = XOpenDisplay(name);
    }
    while (count > 0) XCloseDisplay(stale[--count]);
    if (display && !cx11_handlers_add_own(display)) {
        XCloseDisplay(display);
        display = NULL;
    }
    CX11_OPENED();
    return display;
}

Display *cx11_open_display(const char *name) {
    cx11_quiet_begin();
    Display *display = open_display(name);
    cx11_quiet_end();
    if (display) cx11_quiet_watch(display);
    return display;
}

bool cx11_xft_set_limits(Display *display, int glyph_memory, int unreferenced_fonts) {
    FcPattern *defaults = FcPatternCreate();
    if (!defaults) return false;
    FcPatternAddInteger(defaults, XFT_MAX_GLYPH_MEMORY, glyph_memory);
    FcPatternAddInteger(defaults, XFT_MAX_UNREF_FONTS, unreferenced_fonts);
    return XftDefaultSet(display, defaults);
}

void cx11_close_on_exec(int descriptor) {
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

bool cx11_is_main_thread(void) {
    return getpid() == gettid();
}

extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

int cx11_dispatch_main_queue_handle(void) {
    return _dispatch_get_main_queue_handle_4CF();
}

void cx11_dispatch_main_queue_drain(void) {
    // Dispatch leaves its event descriptor as it is: unread, it would stay readable for ever.
    eventfd_t count;
    eventfd_read(cx11_dispatch_main_queue_handle(), &count);
    _dispatch_main_queue_callback_4CF(0);
}
