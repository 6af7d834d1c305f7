// A program in C with an Inkstone view in it, in each way to lend the library a loop.
//   host run          a window of the library's, and its loop
//   host poll         a window of the program's own, and its loop around poll
//   host adopt        the same with the program's own connection
//   host plug XID     in a window of another program
// Build: cc host.c $(pkg-config --cflags --libs inkstone x11)
#include <X11/Xlib.h>
#include <inkstone.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends;

static int fail(void) {
    fprintf(stderr, "host: %s\n", ink_error());
    return 1;
}

// Prints the text whenever the user has changed it.
static void changed(ink_view *view, const ink_change *change, void *context) {
    (void)context;
    if (!(change->kinds & INK_CHANGED_TEXT)) return;
    size_t length = ink_view_length(view);
    char *text = malloc(length + 1);
    if (!text) return;
    ink_view_get_text(view, 0, SIZE_MAX, text, length + 1);
    printf("text: %s\n", text);
    fflush(stdout);
    free(text);
}

// Ctrl+S makes what is selected bold, Ctrl+Q ends the program.
static bool command(ink_view *view, const char *name, void *display) {
    size_t anchor, head;
    if (strcmp(name, "saveDocument") == 0 && ink_view_get_selection(view, &anchor, &head)) {
        return ink_view_set_attribute(
            view, anchor < head ? anchor : head, anchor < head ? head : anchor, "weight", "bold");
    }
    if (strcmp(name, "terminate") != 0) return false;
    ends = true;
    ink_display_stop(display);
    return true;
}

// The view fills its window by default; without its window the program has nothing to do.
static bool happened(ink_window *window, ink_window_event event, void *display) {
    (void)window;
    if (event == INK_WINDOW_RESIZED) return false;
    ends = true;
    ink_display_stop(display);
    return true;
}

int main(int count, char **words) {
    const char *way = count > 1 ? words[1] : "run";
    bool polls = strcmp(way, "poll") == 0, adopts = strcmp(way, "adopt") == 0;
    ink_prepare_locale();

    Display *xlib = polls || adopts ? XOpenDisplay(NULL) : NULL;
    Window top = 0;
    if (xlib) {
        top = XCreateSimpleWindow(xlib, DefaultRootWindow(xlib), 80, 60, 420, 300, 0, 0, 0xc0c0c0);
        XStoreName(xlib, top, "Host");
        XMapWindow(xlib, top);
        XSync(xlib, False);
    }
    ink_display *display = adopts ? ink_display_adopt(xlib) : ink_display_open(NULL);
    if (!display) return fail();
    ink_display_start_accessibility(display, "Host");
    ink_window *window = top            ? ink_window_create_child(display, (uint32_t)top, 20, 40, 380, 240)
        : strcmp(way, "plug") == 0 ? ink_window_create_plug(display, count > 2 ? (uint32_t)strtoul(words[2], NULL, 0) : 0)
                                   : ink_window_create(display, 420, 300, "Host");
    if (!window) return fail();

    ink_view_options options;
    ink_view_options_init(&options, sizeof options);
    options.placeholder = "日本語もどうぞ。";
    ink_view *view = ink_view_create(window, &options);
    if (!view) return fail();
    ink_view_set_accessible_name(view, "Text");
    ink_view_set_change_handler(view, changed, NULL);
    ink_view_set_command_handler(view, command, display);
    ink_window_set_handler(window, happened, display);
    ink_window_show(window);
    printf("window: %u\n", (unsigned)ink_window_xid(window));
    fflush(stdout);

    if (!xlib) {
        bool isLost = !ink_display_run(display);
        if (isLost) fail();
        ink_display_close(display);
        return isLost;
    }
    while (!ends) {
        ink_display_process(display);
        while (XPending(xlib)) {
            XEvent event;
            XNextEvent(xlib, &event);
            if (adopts) ink_display_handle_event(display, &event);
        }
        if (adopts) ink_display_process(display);
        XFlush(xlib);
        struct pollfd watched[] = {
            {.fd = ink_display_descriptor(display), .events = POLLIN},
            {.fd = ConnectionNumber(xlib), .events = POLLIN},
        };
        if (!ends && XPending(xlib) == 0) poll(watched, 2, -1);
    }
    ink_display_close(display);
    XCloseDisplay(xlib);
    return 0;
}
