// A scripted XIM server for tests. It answers each key and each request as a script demands, even in ways that
// violate the protocol, and logs every request of its clients as a JSON line. `--help` describes the options and
// the script. It is built on libxcb-imdkit, of which only preedit_state.c uses more than the public interface.
#include "server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

xcb_connection_t *connection;
xcb_im_t *im;
struct context *contexts, *current;
xcb_atom_t protocol_atom, xconnect_atom, locales_atom, transport_atom, raw_atom;
xcb_window_t client_window;

double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

struct context *context_numbered(unsigned number) {
    struct context *c = contexts;
    while (c && c->number != number) c = c->next;
    return c;
}

static xcb_atom_t atom(const char *name) {
    xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(
        connection, xcb_intern_atom(connection, false, (uint16_t)strlen(name), name), NULL);
    xcb_atom_t result = reply ? reply->atom : 0;
    free(reply);
    return result;
}

static void start(void) {
    int screen_number = 0;
    connection = xcb_connect(options.display_name, &screen_number);
    if (xcb_connection_has_error(connection)) {
        fprintf(stderr, "inkstone-xim-server: cannot open display %s\n", options.display_name ? options.display_name : getenv("DISPLAY"));
        exit(1);
    }
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    xcb_window_t window = xcb_generate_id(connection);
    xcb_create_window(connection, 0, window, screen->root, -1, -1, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                      screen->root_visual, 0, NULL);
    protocol_atom = atom("_XIM_PROTOCOL");
    xconnect_atom = atom("_XIM_XCONNECT");
    locales_atom = atom("LOCALES");
    transport_atom = atom("TRANSPORT");
    raw_atom = atom("INKSTONE_XIM_SERVER_RAW");
    keysyms_load();
    xcb_compound_text_init();

    char compound[] = "COMPOUND_TEXT", *encoding = compound;
    xcb_im_encodings_t encodings = {1, &encoding};
    xcb_im_styles_t styles = {options.style_count, options.styles};
    xcb_im_ximtriggerkey_fr_t trigger = {' ', XCB_MOD_MASK_CONTROL, XCB_MOD_MASK_CONTROL};
    xcb_im_trigger_keys_t triggers = {1, &trigger};
    const xcb_im_trigger_keys_t *dynamic = options.dynamic ? &triggers : NULL;
    im = xcb_im_create(connection, screen_number, window, options.server_name, options.locales, &styles, dynamic,
                       dynamic, &encodings, options.event_mask, request_came, NULL);
    if (options.has_preedit_state) serve_preedit_state();
    xcb_im_set_use_sync_mode(im, options.synchronous_replies);
    xcb_im_set_use_sync_event(im, options.synchronous_events);
    if (!xcb_im_open_im(im)) {
        fprintf(stderr, "inkstone-xim-server: @server=%s is taken\n", options.server_name);
        exit(1);
    }
    // Wait for a reply, after which the X server has handled all earlier requests.
    free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), NULL));
    printf("ready @server=%s\n", options.server_name);
    fflush(stdout);
}

// Reads the available bytes of standard input, and performs the complete lines. Ends the server at the end of the
// input.
static void read_commands(void) {
    static char buffer[ACTION_SIZE];
    static size_t used;
    static int lines;
    ssize_t n = read(STDIN_FILENO, buffer + used, sizeof buffer - used - 1);
    if (n <= 0) {
        xcb_im_close_im(im);
        xcb_flush(connection);
        exit(0);
    }
    used += (size_t)n;
    buffer[used] = 0;
    for (char *newline; (newline = memchr(buffer, '\n', used));) {
        *newline = 0;
        script_line(buffer, ++lines);
        used -= (size_t)(newline + 1 - buffer);
        memmove(buffer, newline + 1, used + 1);
    }
    if (used < sizeof buffer - 1) return;
    fprintf(stderr, "inkstone-xim-server: script, line %d: more than %zu bytes\n", lines + 1, sizeof buffer - 2);
    exit(SCRIPT_MISTAKE);
}

// Performs the lines of a script file; with `only_checks`, only checks them.
static void read_script(const char *path) {
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    if (!file) {
        fprintf(stderr, "inkstone-xim-server: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    for (int number = 1; getline(&line, &size, file) >= 0; number++) {
        line[strcspn(line, "\n")] = 0;
        const char *mistake = strlen(line) + 2 > ACTION_SIZE ? "too long" : options.only_checks ? check_line(line) : NULL;
        if (mistake) {
            fprintf(stderr, "inkstone-xim-server: script, line %d: %s: %.200s\n", number, mistake, line);
            exit(SCRIPT_MISTAKE);
        }
        if (!options.only_checks) script_line(line, number);
    }
    free(line);
    if (file != stdin) fclose(file);
}

// Handles an event, after the event that was delayed until this one, if there is one. Then performs the actions that are
// due: those behind `delay 0` come before the answer to the next request, even if that has come already.
static void take(xcb_generic_event_t *event) {
    static xcb_generic_event_t *overlooked;
    if ((event->response_type & 0x7f) == XCB_MAPPING_NOTIFY) keysyms_load();
    if (overlooked) {
        xcb_im_filter_event(im, overlooked);
        free(overlooked);
        overlooked = NULL;
    }
    if (!peek(event)) xcb_im_filter_event(im, event);
    if (overlooks) overlooked = event; else free(event);
    overlooks = false;
    script_run_due();
}

int main(int argc, char **argv) {
    parse_options(argc, argv);
    if (options.only_checks) {
        read_script(options.script ? options.script : "-");
        return 0;
    }
    bool commands = options.script && strcmp(options.script, "-") == 0;
    if (options.script && !commands) read_script(options.script);
    start();
    struct pollfd inputs[2] = {{xcb_get_file_descriptor(connection), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    for (;;) {
        xcb_generic_event_t *event;
        while ((event = xcb_poll_for_event(connection))) take(event);
        if (xcb_connection_has_error(connection)) return 0;
        int timeout = script_run_due();
        xcb_flush(connection);
        // Check for queued events before polling: functions that wait for a reply may already have read them.
        if ((event = xcb_poll_for_queued_event(connection))) {
            take(event);
            continue;
        }
        poll(inputs, commands ? 2 : 1, timeout);
        if (commands && inputs[1].revents) read_commands();
    }
}
