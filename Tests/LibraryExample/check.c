// What the library for C does without a user: the tests run it. With the argument "thread" it makes the mistake of a call from another
// thread, with "null" that of a handle that there is not; both end it.
#include <X11/Xlib.h>
#include <fcntl.h>
#include <inkstone.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, ink_error()); \
            exit(1); \
        } \
    } while (0)

static void stop(void *display) { ink_display_stop(display); }

static void *post(void *display) {
    ink_display_post(display, stop, display);
    return NULL;
}

static void *measure(void *view) {
    ink_view_length(view);
    return NULL;
}

static void run_on_thread(void *(*work)(void *), void *context) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, work, context) == 0);
    pthread_join(thread, NULL);
}

static ink_change last;
static void remember(ink_view *view, const ink_change *change, void *context) {
    (void)view, (void)context;
    if (change->kinds & INK_CHANGED_TEXT) last = *change;
}

static int destroyed;
static void destroy(ink_view *view, const ink_change *change, void *context) {
    (void)change, (void)context;
    destroyed += 1;
    ink_view_destroy(view);
}

static bool destroy_window(ink_window *window, ink_window_event event, void *context) {
    (void)context;
    if (event == INK_WINDOW_RESIZED) ink_window_destroy(window);
    return true;
}

// Edits once more when it is notified of a first edit.
static size_t received;
static void answer(ink_view *view, const ink_change *change, void *context) {
    (void)context;
    if (!(change->kinds & INK_CHANGED_TEXT)) return;
    received += change->new_length - change->old_length;
    if (ink_view_length(view) == 3) ink_view_replace(view, SIZE_MAX, SIZE_MAX, "answer", 6);
}

// The size alone of options, at the end of what may be read.
static const ink_view_options *small_options(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int zeros = open("/dev/zero", O_RDWR);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, zeros, 0);
    CHECK(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    close(zeros);
    size_t *size = (size_t *)(void *)(pages + page) - 1;
    *size = sizeof *size;
    return (const ink_view_options *)(void *)size;
}

// What programs do wrong that ends nothing.
static void make_mistakes(ink_display *display) {
    ink_window *window = ink_window_create(display, 100, 100, "\xff\xfe");
    CHECK(window && !ink_view_create(window, small_options()) && strstr(ink_error(), "size"));
    ink_view *view = ink_view_create(window, NULL);
    ink_view_set_change_handler(view, answer, NULL);
    ink_view_insert(view, "ask", 3);
    CHECK(ink_view_length(view) == 9 && received == 9);
    ink_view_insert(view, "", 0);
    CHECK(!ink_view_perform(view, "\xff") && strstr(ink_error(), "performs"));
    CHECK(!ink_view_set_attribute(view, 0, SIZE_MAX, "\xff", "\xfe"));
    ink_window_set_handler(window, destroy_window, NULL);
    CHECK(!ink_view_create(window, NULL) && strstr(ink_error(), "gone"));

    Display *xlib = XOpenDisplay(NULL);
    ink_display *adopted = ink_display_adopt(xlib);
    CHECK(adopted && !ink_display_run(adopted) && strstr(ink_error(), "own"));
    ink_display_close(adopted);
    XCloseDisplay(xlib);
}

// Values beyond their range: an error, and nothing changes.
static void pass_bounds(ink_display *display) {
    int extents[][2] = {{0, 100}, {100, 0}, {-5, 100}, {32768, 100}};
    for (int i = 0; i < 4; i++) {
        CHECK(!ink_window_create(display, extents[i][0], extents[i][1], "") && strstr(ink_error(), "32767"));
        CHECK(!ink_window_create_child(display, 0x4242, 0, 0, extents[i][0], extents[i][1]) && strstr(ink_error(), "32767"));
    }
    ink_window *window = ink_window_create(display, 100, 100, "");
    ink_view *view = ink_view_create(window, NULL);
    ink_view_options options;
    ink_view_options_init(&options, sizeof options);
    options.maximum_length = -5;
    CHECK(!ink_view_set_options(view, &options) && strstr(ink_error(), "maximum"));
    ink_view_options_init(&options, sizeof options);
    memset(&options.tab, 9, sizeof options.tab);
    CHECK(!ink_view_set_options(view, &options) && strstr(ink_error(), "Tab"));
    ink_view_options_init(&options, sizeof options);
    options.maximum_length = 0;
    CHECK(ink_view_set_options(view, &options));
    const char *sizes[] = {"-3", "0", "1001", "inf", "nan", "1e99", "1e2", "0x10", " 9", "+9", "."};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) CHECK(!ink_view_set_attribute(view, 0, 0, "size", sizes[i]));
    CHECK(ink_view_set_attribute(view, 0, 0, "size", "1") && ink_view_set_attribute(view, 0, 0, "size", "12.5"));
    CHECK(!ink_view_set_attribute(view, 0, 0, "weight", "2000") && ink_view_set_attribute(view, 0, 0, "weight", "1000"));
    ink_window_destroy(window);
}

// NULL and lengths that no text has; what the options do not let the user type.
static void pass_nothing(ink_display *display) {
    CHECK(!ink_display_adopt(NULL) && strstr(ink_error(), "XOpenDisplay") && !ink_display_handle_event(display, NULL));
    ink_display_post(display, NULL, NULL);
    ink_window *window = ink_window_create(display, 100, 100, NULL);
    ink_window_set_title(window, NULL);
    int width = 0;
    ink_window_get_size(window, &width, NULL);
    CHECK(width == 100);
    ink_view *view = ink_view_create(window, NULL);
    ink_view_set_accessible_name(view, NULL);
    CHECK(!ink_view_set_options(view, NULL) && !ink_view_perform(view, NULL) && !ink_view_set_attribute(view, 0, 0, NULL, NULL));
    CHECK(ink_view_insert(view, NULL, 0) && !ink_view_insert(view, NULL, 1) && strstr(ink_error(), "NULL"));
    CHECK(!ink_view_replace(view, 0, 0, NULL, SIZE_MAX) && !ink_view_insert(view, "a", SIZE_MAX - 1));
    CHECK(ink_view_insert(view, "caf\xc3\xa9", SIZE_MAX) && ink_view_replace(view, 0, 1, "C", SIZE_MAX) && ink_view_length(view) == 5);
    size_t head = 0;
    CHECK(ink_view_get_selection(view, NULL, &head) && head == 5 && ink_view_get_caret(view, NULL, NULL, NULL, NULL));

    ink_view_options options;
    ink_view_options_init(&options, sizeof options);
    options.maximum_length = 5;
    ink_view_set_options(view, &options);
    CHECK(ink_view_insert(view, "ab", 2) && !ink_view_insert(view, "c", 1) && strstr(ink_error(), "room"));
    options.is_editable = false;
    ink_view_set_options(view, &options);
    CHECK(!ink_view_insert(view, "c", 1) && strstr(ink_error(), "read-only") && ink_view_replace(view, 0, 0, "c", 1));
    ink_window_destroy(window);
}

// A frame that was set stays, and the window's keys go on to a view that is there.
static void place_and_destroy(ink_display *display) {
    ink_window *window = ink_window_create(display, 300, 100, "");
    ink_view *views[3];
    for (int i = 0; i < 3; i++) views[i] = ink_view_create(window, NULL);
    ink_view_set_frame(views[0], 50, 20, 80, 30);
    ink_window_show(window);
    int x = 0;
    CHECK(ink_view_get_caret(views[0], &x, NULL, NULL, NULL) && x >= 50);
    CHECK(ink_view_focus(views[1]));
    // The server has the window before the answers that a new connection waits for.
    ink_display_process(display);
    Display *xlib = XOpenDisplay(NULL);
    XSetInputFocus(xlib, ink_window_xid(window), RevertToParent, CurrentTime);
    XSync(xlib, False);
    XCloseDisplay(xlib);
    struct pollfd descriptor = {.fd = ink_display_descriptor(display), .events = POLLIN};
    while (ink_display_process(display), !ink_view_is_focused(views[1])) CHECK(poll(&descriptor, 1, 5000) == 1);
    ink_view_destroy(views[1]);
    CHECK(ink_view_is_focused(views[2]));
    ink_view_destroy(views[2]);
    CHECK(ink_view_is_focused(views[0]));
    ink_window_destroy(window);
}

int main(int count, char **words) {
    CHECK(strcmp(ink_error(), "") == 0 && ink_version()[0] == '0');
    ink_prepare_locale();
    CHECK(!ink_display_open(":4242") && strstr(ink_error(), ":4242"));
    ink_display *display = ink_display_open(NULL);
    CHECK(display);
    make_mistakes(display);
    pass_bounds(display);
    pass_nothing(display);
    place_and_destroy(display);
    CHECK(!ink_window_create_plug(display, 0x4242) && strstr(ink_error(), "0x4242"));
    ink_window *window = ink_window_create(display, 300, 200, "Check");
    CHECK(window);
    // Windows from before are read as well as those that come; a second call changes nothing.
    ink_display_start_accessibility(display, "Check");
    ink_display_start_accessibility(display, "Other");
    // No reader runs.
    char id[4] = "xyz";
    CHECK(ink_window_get_accessible_id(window, NULL, 0) == 0);
    CHECK(ink_window_get_accessible_id(window, id, sizeof id) == 0 && id[0] == 0);
    CHECK(!ink_window_set_accessible_parent(window, ":1.5", "host") && strstr(ink_error(), "path"));
    CHECK(ink_window_set_accessible_parent(window, ":1.5", "/host") && ink_window_set_accessible_parent(window, NULL, NULL));

    ink_view_options options;
    memset(&options, 0, sizeof options);
    CHECK(!ink_view_create(window, &options));
    ink_view_options_init(&options, sizeof options);
    options.font_size = 0;
    CHECK(!ink_view_create(window, &options) && strstr(ink_error(), "1000"));
    ink_view_options_init(&options, sizeof options);
    options.tab = INK_TAB_MOVES_FOCUS;
    options.font = "DejaVu Sans:bold";
    ink_view *view = ink_view_create(window, &options), *other = ink_view_create(window, NULL);
    CHECK(view && other);
    ink_view_set_accessible_name(view, "First");
    ink_window_set_title(window, "Title");
    ink_view_set_frame(view, 0, 0, 300, 100);
    ink_view_set_frame(other, 0, 100, 300, 100);
    ink_window_show(window);

    // Bytes: offsets within a character mean its start, ends beyond the text its end.
    ink_view_set_change_handler(view, remember, NULL);
    ink_view_replace(view, 0, SIZE_MAX, "\xe6\x97\xa5\xe6\x9c\xac\n", 7);
    CHECK(ink_view_length(view) == 7 && last.start == 0 && last.old_length == 0 && last.new_length == 7);
    char text[8];
    CHECK(ink_view_get_text(view, 0, 6, NULL, 0) == 6);
    CHECK(ink_view_get_text(view, 0, 6, text, 6) == 6 && strcmp(text, "\xe6\x97\xa5") == 0);
    CHECK(ink_view_get_text(view, 4, 100, text, sizeof text) == 4 && strcmp(text, "\xe6\x9c\xac\n") == 0);
    ink_view_replace(view, 3, 6, "x", 1);
    CHECK(last.start == 3 && last.old_length == 3 && last.new_length == 1);
    ink_view_replace(view, 0, 0, "\xff", 1);
    CHECK(ink_view_get_text(view, 0, 3, text, sizeof text) == 3 && strcmp(text, "\xef\xbf\xbd") == 0);

    size_t anchor, head;
    ink_view_select(view, 4, 0);
    CHECK(ink_view_get_selection(view, &anchor, &head) && anchor == 3 && head == 0);
    CHECK(ink_view_set_attribute(view, 0, 3, "foreground", "#ff0000"));
    CHECK(last.start == 0 && last.old_length == 3 && last.new_length == 3);
    CHECK(ink_view_set_attribute(view, 0, 3, "weight", "bold") && ink_view_set_attribute(view, 0, 3, "weight", NULL));
    CHECK(!ink_view_set_attribute(view, 0, 3, "foreground", "red") && strstr(ink_error(), "red"));
    CHECK(!ink_view_set_attribute(view, 0, 3, "colour", "#ff0000"));
    ink_view_insert(view, "typed", 5);
    CHECK(ink_view_get_text(view, 0, 5, text, sizeof text) == 5 && strcmp(text, "typed") == 0);
    CHECK(ink_view_perform(view, "undo") && !ink_view_perform(view, "fly"));
    CHECK(ink_view_focus(other) && ink_view_focus(view));
    int x, y, width, height;
    CHECK(ink_view_get_caret(view, &x, &y, &width, &height) && height > 0);

    // Ends within callbacks, and work from another thread.
    ink_view_set_change_handler(other, destroy, NULL);
    ink_view_insert(other, "a", 1);
    CHECK(destroyed == 1);
    if (count > 1 && strcmp(words[1], "thread") == 0) run_on_thread(measure, view);
    if (count > 1 && strcmp(words[1], "null") == 0) measure(NULL);
    run_on_thread(post, display);
    CHECK(ink_display_run(display));
    ink_window_destroy(window);
    ink_display_close(display);
    ink_display_close(NULL);
    return 0;
}
