// The declarations that the parts of the scripted XIM server share. The parts are main.c (start and event loop),
// options.c (command line), requests.c (requests of clients), send.c (messages to clients), preedit_state.c,
// script.c (rules and actions), check.c and words.c (the syntax of scripts), compose.c (the built-in answers to
// keys), log.c (JSON lines), keysyms.c, and fuzz.c (damaged messages). The server has one process, one thread and
// one set of globals.
#ifndef INKSTONE_XIM_SERVER_H
#define INKSTONE_XIM_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xcb-imdkit/encoding.h>
#include <xcb-imdkit/imdkit.h>
#include <xcb/xcb.h>

enum {
    MAXIMUM_PREEDIT = 256,
    // The maximum size of an action or of a line of a script, in bytes, with its terminating zero.
    ACTION_SIZE = 65536,
    // The exit status after a mistake in a script.
    SCRIPT_MISTAKE = 2,
};

// The ways of answering keys for which the script has no rule.
enum mode { MODE_SWALLOW, MODE_COMMIT, MODE_FORWARD, MODE_KANA };
// The ways in which the built-in kana composition treats its text when it is reset or loses the focus.
enum ending { ENDING_TEXT, ENDING_EMPTY, ENDING_CLEAR, ENDING_LATE, ENDING_COMMIT, ENDING_KEEP };

struct options {
    const char *server_name, *locales, *script, *display_name;
    uint32_t styles[32], style_count;
    uint32_t event_mask;
    bool synchronous_events, dynamic, synchronous_replies, done_before_commit, has_preedit_state, only_checks;
    enum mode mode;
    enum ending on_reset, on_unset;
};

// An input context of a client. `number` counts from 1, and is never used again while the server runs.
struct context {
    unsigned number;
    xcb_im_input_context_t *ic;
    // The numbers by which the protocol identifies the context.
    uint16_t method_id, context_id;
    struct context *next;
    // The kana composition: the typed letters (0 to 25 each), the position of the caret among them, and the clause
    // that is being converted (-1 for none).
    int letters[MAXIMUM_PREEDIT], count, caret, target, drawn;
    bool started;
};

extern struct options options;
extern xcb_connection_t *connection;
extern xcb_im_t *im;
extern struct context *contexts, *current;
extern xcb_atom_t protocol_atom, xconnect_atom, locales_atom, transport_atom, raw_atom;
// The window that receives messages for the client that connected last.
extern xcb_window_t client_window;

double now_ms(void);
struct context *context_numbered(unsigned number);

// The parts of a request that an action may need in order to answer it. For an action without a request, `context` is
// the context in which the action is performed.
struct request {
    struct context *context;
    const xcb_key_press_event_t *key;
    xcb_im_reset_ic_reply_fr_t *reset;
    // Set by an action: the request is to be answered with XIM_ERROR.
    bool refused;
};

// options.c
void parse_options(int argc, char **argv);

// requests.c
// Called by the library for each request that it has parsed, before it answers the request.
void request_came(xcb_im_t *server, xcb_im_client_t *client, xcb_im_input_context_t *ic,
                  const xcb_im_packet_header_fr_t *header, void *frame, void *arg, void *data);
// Handles events before the library does: the requests that the library answers without a callback, and those that
// a rule drops. Returns true if the event is dropped.
bool peek(const xcb_generic_event_t *any);

// preedit_state.c
enum { PREEDIT_ON = 1, PREEDIT_OFF = 2 };
void serve_preedit_state(void);
void set_preedit_state(const struct context *c, uint32_t state);
bool answer_preedit_state(const uint16_t *packet);
void log_preedit_state(const struct context *c);

// send.c
// Sends the text as COMPOUND_TEXT, because Xlib decodes it as Latin-1 if the server chooses UTF-8.
void send_commit(struct context *c, uint32_t flag, const char *text, uint32_t keysym);
void send_draw(struct context *c, int32_t first, int32_t length, int32_t caret, const char *text,
               const uint32_t *feedback, int feedback_count);
void send_caret(struct context *c, int32_t direction, int32_t position, int32_t style);
void send_start(struct context *c);
void send_done(struct context *c);
// Sends a packet for which the library has no function: up to 6 numbers of 16 bits after the two numbers of the
// context.
void send_packet(struct context *c, uint8_t opcode, const uint16_t *words, int count);
// Sends bytes, and announces them as a packet of `announced` bytes.
void send_bytes(const uint8_t *packet, size_t size, size_t announced);
// Sends bytes as a packet of their own size.
void send_raw(const uint8_t *packet, size_t size);
// Sends XIM_ERROR, without details, as the answer to a request that begins with these two numbers.
void send_error(uint16_t method, uint16_t context, bool is_about_context);
void set_reset_reply(struct request *r, const char *text);

// script.c
extern const char script_help[];
// Whether to pass the present event to the library only after the next event has arrived (the action `overlook`).
extern bool overlooks;
// Reads one line: adds a rule, or performs actions at once. If the line has a mistake, prints the mistake to
// standard error and ends the server. Lines are counted from 1.
void script_line(const char *line, int number);
// Returns the mode with a name; -1 if there is none.
int mode_named(const char *name);
// Runs the first rule for a trigger such as `key` with `name`. Returns false if there is none. Sets `*drop` to true
// if the request is not to be answered.
bool script_run(const char *trigger, const char *name, struct request *r, bool *drop);
bool script_has(const char *trigger);
// Whether the next rule for the trigger drops or refuses the request; if `trigger` is null, whether any rule does.
bool script_has_drop(const char *trigger);
// Performs the actions whose delay is over. Returns the milliseconds until the next one; -1 if there is none.
int script_run_due(void);
// Performs an action after the present request has been answered.
void script_later(struct context *c, const char *action);

// check.c
// Returns the mistake in a line of a script; null if there is none. The text is valid until the next call.
const char *check_line(const char *line);
// Whether an action changes an answer, or must be performed before the answer is sent. Such an action never waits
// for the delay of another rule.
bool is_immediate(const char *verb);

// words.c: each function reads at `*p`, and moves `*p` past the text that it has read. Of the mistakes that they
// find, words_mistake() returns the first.
const char *words_mistake(void);
void words_forgive(void);
__attribute__((format(printf, 1, 2))) void words_blame(const char *format, ...);
const char *skip_space(const char *p);
char *word(const char **p, char *out, size_t size);
int32_t number(const char **p);
// Reads a text in double quotes into `out`, which must have room for the rest of the line; null for the word `null`.
const char *text(const char **p, char *out);
// Reads a feedback list into `out`, and returns the number of its elements; -1 for `none`.
int feedback(const char *list, uint32_t *out, int limit);
// Copies the next of several actions, which are separated by semicolons, to `out`, which has ACTION_SIZE bytes.
// Returns null after the last one.
const char *next_action(const char **p, char *out);

// compose.c
void compose_key(struct context *c, const xcb_key_press_event_t *key, uint32_t keysym);
void compose_reset(struct request *r);
void compose_unset(struct context *c);

// fuzz.c
// From now on, damages about one in N of the messages that are sent. The argument has the form `SEED:N`. Returns
// false if it has another form.
bool fuzz_start(const char *seed_and_rate);

// log.c
bool log_open(const char *target);
void log_begin(const char *request, const struct context *c);
void log_number(const char *name, long value);
void log_pair(const char *name, long x, long y);
void log_text(const char *name, const char *value);
void log_end(void);

// keysyms.c
void keysyms_load(void);
uint32_t keysym_of(const xcb_key_press_event_t *key);
uint32_t keysym_named(const char *name);
uint8_t keycode_of(uint32_t keysym, bool *shift);
// Returns a name such as `a`, `space`, `Return`, `ctrl+c` or `0x1234`. Shift is not named, because the keysym
// includes it. The name is valid until the next call.
const char *keysym_name(uint32_t keysym, uint16_t state);

#endif
