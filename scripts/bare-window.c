// A window that does no more than it must: what starting a program, the server, the scheduler and the measuring itself take.
// `inkstone-bench window` measures it beside the editor, so that the editor's times can be judged as multiples of these.
//
// It keeps no text, lays nothing out, has no pixmap behind its window, and is linked with nothing but Xlib. Any key draws a
// line of text anew with a core font, Down moves all lines up by one and draws the last, Page Down draws all of them anew.
#include <X11/Xlib.h>

#include <stdio.h>

enum { width = 1000, height = 940, step = 15, ascent = 13 };
enum { down_key = 116, page_down_key = 117 };

static const char text[] = "What a program shows that does nothing else than to draw this line of some eighty letters";

static Display *display;
static Window window;
static GC context;

static void draw(int top) { XDrawImageString(display, window, context, 4, top + ascent, text, sizeof text - 1); }

static void press(unsigned keycode) {
    switch (keycode) {
    case down_key:
        XCopyArea(display, window, window, context, 0, step, width, height - step, 0, 0);
        draw(height - step);
        break;
    case page_down_key:
        for (int top = 0; top + step <= height; top += step) draw(top);
        break;
    default: draw(0);
    }
}

int main(void) {
    display = XOpenDisplay(NULL);
    if (!display) {
        fprintf(stderr, "inkstone-bare-window: no display; set DISPLAY\n");
        return 1;
    }
    int screen = DefaultScreen(display);
    window = XCreateSimpleWindow(
        display, DefaultRootWindow(display), 0, 0, width, height, 0, BlackPixel(display, screen),
        WhitePixel(display, screen));
    XSelectInput(display, window, KeyPressMask | KeyReleaseMask | ExposureMask);
    XGCValues values = {
        .foreground = BlackPixel(display, screen),
        .background = WhitePixel(display, screen),
        .font = XLoadFont(display, "fixed"),
        .graphics_exposures = False,
    };
    context = XCreateGC(display, window, GCForeground | GCBackground | GCFont | GCGraphicsExposures, &values);
    XMapWindow(display, window);
    for (;;) {
        XEvent event;
        XNextEvent(display, &event);
        if (event.type == Expose) draw(0);
        if (event.type == KeyPress) press(event.xkey.keycode);
    }
}
