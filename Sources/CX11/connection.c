#define _GNU_SOURCE
#include "include/cx11_connection.h"

#include <X11/Xft/Xft.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

bool cx11_xft_set_limits(Display *display, int glyph_memory, int unreferenced_fonts) {
    FcPattern *defaults = FcPatternCreate();
    if (!defaults) return false;
    FcPatternAddInteger(defaults, XFT_MAX_GLYPH_MEMORY, glyph_memory);
    FcPatternAddInteger(defaults, XFT_MAX_UNREF_FONTS, unreferenced_fonts);
    cx11_xft_lock();
    bool result = XftDefaultSet(display, defaults);
    cx11_xft_unlock();
    return result;
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
    // Read the event descriptor, because libdispatch does not: otherwise it would stay readable for ever.
    eventfd_t count;
    eventfd_read(cx11_dispatch_main_queue_handle(), &count);
    _dispatch_main_queue_callback_4CF(0);
}
