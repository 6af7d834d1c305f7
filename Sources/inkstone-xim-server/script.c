#include "server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char script_help[] =
    "A script is read line by line, from a file (--script FILE) or as it comes from standard input (--script -, the end\n"
    "of which ends the server). `#` starts a comment. A line is a rule, or actions to do at once in the context focused last:\n"
    "  [once] on TRIGGER do ACTION [; ACTION]...\n"
    "The first rule that fits answers; a `once` rule is then forgotten. Without a rule, the mode answers keys.\n"
    "Triggers: key NAME, release NAME (NAME: a, A, space, Return, ctrl+c, 0xff1b, or * for any), and the requests\n"
    "  connect open query_extension encoding get_im_values create_ic set_ic_values get_ic_values set_ic_focus\n"
    "  unset_ic_focus reset_ic destroy_ic caret_reply start_reply sync_reply close disconnect locales transport\n"
    "  error str_conversion_reply\n"
    "A request's actions run before its answer is sent.\n"
    "Actions (TEXT is UTF-8 in double quotes with \\\" \\\\ \\n \\u{HEX}, or null; numbers may be negative, or max):\n"
    "  start                                  preedit start\n"
    "  draw FIRST LENGTH CARET TEXT [FEEDBACK]  preedit draw; FEEDBACK: none, or letters r u h p s t 0 joined, each scalar's\n"
    "                                         set after a comma, `*N` repeats: u*2,ru,0; left out: u for each scalar\n"
    "  caret DIRECTION POSITION STYLE         preedit caret: directions and styles by their Xlib numbers\n"
    "  done                                   preedit done\n"
    "  commit TEXT | commit-keysym NAME | commit-both NAME TEXT\n"
    "  forward                                give back the key that came\n"
    "  forward-key NAME                       press and release of a key that nobody typed\n"
    "  answer                                 do with the key what the mode does\n"
    "  reset-reply TEXT                       what RESET_IC returns (in `on reset_ic`)\n"
    "  status-start | status-draw TEXT | status-done\n"
    "  sync                                   send XIM_SYNC\n"
    "  preedit-on | preedit-off               dynamic event flow: ask for keys, or no longer\n"
    "  delay MS                               hold back what follows, answering requests meanwhile; 0: until this request\n"
    "                                         is answered, and no other\n"
    "  block MS                               do nothing at all for a while\n"
    "  hang | die | exit                      stop (SIGSTOP) until SIGCONT, be killed (SIGKILL), or leave orderly\n"
    "  overlook                               see the event only when another comes, as fcitx5 does at times before 5.1.13;\n"
    "                                         not for keys\n"
    "  drop | refuse                          never answer this request, or answer it with XIM_ERROR\n"
    "  packet OPCODE NUMBER...                any packet to the context: up to 6 numbers of 16 bits after its own two\n"
    "  raw SIZE NUMBER[*N]...                 any bytes, announced as SIZE of them; a number of 16 bits each, `im` and `ic`\n"
    "                                         are the context's own, and `*N` repeats\n"
    "  mode NAME | pass | say TEXT            change the mode; nothing; write into the log\n";

bool overlooks;

struct rule {
    char *trigger, *name, *actions;
    bool once;
    struct rule *next;
};
struct waiting {
    unsigned context;
    double due;
    bool has_key;
    xcb_key_press_event_t key;
    char *action;
    struct waiting *next;
};

static struct rule *rules;
static struct waiting *waiting;

// Ends the server, because the script demands an action that is not possible. A test must not continue as if it had
// been performed.
static _Noreturn void give_up(const char *action, const char *why) {
    fprintf(stderr, "inkstone-xim-server: %s: %s\n", action, why);
    exit(SCRIPT_MISTAKE);
}

static int scalars(const char *utf8) {
    int count = 0;
    for (; utf8 && *utf8; utf8++) count += (*utf8 & 0xc0) != 0x80;
    return count;
}

static void do_draw(struct context *c, const char *p) {
    static uint32_t marks[ACTION_SIZE];
    static char buffer[ACTION_SIZE];
    char list[4096];
    int32_t first = number(&p), length = number(&p), caret = number(&p);
    const char *string = text(&p, buffer);
    int count = scalars(string);
    word(&p, list, sizeof list);
    if (*list) {
        count = feedback(list, marks, ACTION_SIZE);
    } else {
        for (int i = 0; i < count; i++) marks[i] = XCB_XIM_UNDERLINE;
    }
    send_draw(c, first, length, caret, string, marks, count);
}

static void forward_key(struct context *c, const char *name) {
    bool shift = false;
    xcb_key_press_event_t key = {.response_type = XCB_KEY_PRESS, .same_screen = 1};
    key.detail = keycode_of(keysym_named(name), &shift);
    if (!key.detail) give_up(name, "no key of the keyboard types it");
    key.state = shift ? XCB_MOD_MASK_SHIFT : 0;
    key.event = xcb_im_input_context_get_focus_window(c->ic);
    key.root = xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root;
    xcb_im_forward_event(im, c->ic, &key);
    key.response_type = XCB_KEY_RELEASE;
    xcb_im_forward_event(im, c->ic, &key);
}

int mode_named(const char *name) {
    static const char *const modes[] = {"swallow", "commit-each", "forward-each", "kana-like"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(modes[i], name) == 0) return i;
    }
    return -1;
}

static void do_raw(const struct context *c, const char *p) {
    enum { LIMIT = 1 << 17 };
    static uint16_t words[LIMIT];
    size_t count = 0, size = (size_t)number(&p);
    while (*(p = skip_space(p))) {
        char item[32];
        word(&p, item, sizeof item);
        const char *star = strchr(item, '*');
        long repeats = star ? strtol(star + 1, NULL, 0) : 1;
        uint16_t value = (uint16_t)strtol(item, NULL, 0);
        bool is_method = strncmp(item, "im", 2) == 0, is_context = strncmp(item, "ic", 2) == 0;
        if ((is_method || is_context) && !c) give_up(item, "there is no input context");
        if (is_method) value = c->method_id;
        if (is_context) value = c->context_id;
        while (repeats-- > 0 && count < LIMIT) words[count++] = value;
    }
    send_bytes((const uint8_t *)words, count * 2, size);
}

// Performs an action that check_line() has accepted. Sets `*drop` to true if the request is not to be answered.
static void act(const char *action, struct request *r, bool *drop) {
    static char buffer[ACTION_SIZE];
    char verb[32], name[64];
    struct context *c = r->context;
    const char *p = action;
    word(&p, verb, sizeof verb);
    if (strcmp(verb, "pass") == 0) {
    } else if (strcmp(verb, "drop") == 0) {
        *drop = true;
    } else if (strcmp(verb, "overlook") == 0) {
        *drop = overlooks = true;
    } else if (strcmp(verb, "refuse") == 0) {
        *drop = r->refused = true;
    } else if (strcmp(verb, "hang") == 0) {
        xcb_flush(connection);
        raise(SIGSTOP);
    } else if (strcmp(verb, "die") == 0) {
        xcb_flush(connection);
        raise(SIGKILL);
    } else if (strcmp(verb, "exit") == 0) {
        xcb_im_close_im(im);
        xcb_flush(connection);
        exit(0);
    } else if (strcmp(verb, "block") == 0) {
        int32_t ms = number(&p);
        xcb_flush(connection);
        nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
    } else if (strcmp(verb, "mode") == 0) {
        options.mode = (enum mode)mode_named(word(&p, name, sizeof name));
    } else if (strcmp(verb, "say") == 0) {
        const char *said = text(&p, buffer);
        log_begin("say", c);
        log_text("text", said ? said : "");
        log_end();
    } else if (strcmp(verb, "reset-reply") == 0) {
        if (!r->reset) give_up(action, "RESET_IC has been answered: it waited behind another rule's delay");
        set_reset_reply(r, text(&p, buffer));
    } else if (strcmp(verb, "raw") == 0) {
        // The context of a dropped request is not known: use the context that had the focus last, if there is one.
        do_raw(c ? c : current, p);
    } else if (!c) {
        give_up(action, "there is no input context");
    } else if (strcmp(verb, "start") == 0) {
        send_start(c);
    } else if (strcmp(verb, "draw") == 0) {
        do_draw(c, p);
    } else if (strcmp(verb, "caret") == 0) {
        int32_t direction = number(&p), position = number(&p);
        send_caret(c, direction, position, number(&p));
    } else if (strcmp(verb, "done") == 0) {
        send_done(c);
    } else if (strcmp(verb, "commit") == 0) {
        send_commit(c, XCB_XIM_LOOKUP_CHARS, text(&p, buffer), 0);
    } else if (strcmp(verb, "commit-keysym") == 0) {
        send_commit(c, XCB_XIM_LOOKUP_KEYSYM, NULL, keysym_named(word(&p, name, sizeof name)));
    } else if (strcmp(verb, "commit-both") == 0) {
        uint32_t keysym = keysym_named(word(&p, name, sizeof name));
        send_commit(c, XCB_XIM_LOOKUP_BOTH, text(&p, buffer), keysym);
    } else if (strcmp(verb, "forward") == 0) {
        xcb_key_press_event_t key;
        if (r->key) {
            key = *r->key;
            xcb_im_forward_event(im, c->ic, &key);
        }
    } else if (strcmp(verb, "forward-key") == 0) {
        forward_key(c, word(&p, name, sizeof name));
    } else if (strcmp(verb, "answer") == 0) {
        if (r->key) compose_key(c, r->key, keysym_of(r->key));
    } else if (strcmp(verb, "status-start") == 0) {
        xcb_im_status_start_callback(im, c->ic);
    } else if (strcmp(verb, "status-draw") == 0) {
        xcb_im_status_draw_text_fr_t frame = {.status = 2};
        size_t size = 0;
        const char *string = text(&p, buffer);
        char *ct = string ? xcb_utf8_to_compound_text(string, strlen(string), &size) : NULL;
        frame.status_string = (uint8_t *)ct;
        frame.length_of_status_string = (uint16_t)size;
        if (!ct) frame.status |= 1;
        xcb_im_status_draw_text_callback(im, c->ic, &frame);
        free(ct);
    } else if (strcmp(verb, "status-done") == 0) {
        xcb_im_status_done_callback(im, c->ic);
    } else if (strcmp(verb, "packet") == 0) {
        uint16_t words[6];
        int count = 0;
        uint8_t opcode = (uint8_t)number(&p);
        while (count < 6 && *(p = skip_space(p))) words[count++] = (uint16_t)number(&p);
        send_packet(c, opcode, words, count);
    } else if (strcmp(verb, "sync") == 0) {
        xcb_im_sync_xlib(im, c->ic);
    } else if (strcmp(verb, "preedit-on") == 0) {
        xcb_im_preedit_start(im, c->ic);
    } else if (strcmp(verb, "preedit-off") == 0) {
        xcb_im_preedit_end(im, c->ic);
    } else {
        give_up(action, "unknown action");
    }
}

static void hold(const char *action, double due, const struct request *r) {
    struct waiting *w = calloc(1, sizeof *w), **end = &waiting;
    while (*end) end = &(*end)->next;
    w->context = r->context ? r->context->number : 0;
    w->due = due;
    w->has_key = r->key != NULL;
    if (r->key) w->key = *r->key;
    w->action = strdup(action);
    *end = w;
}

void script_later(struct context *c, const char *action) { hold(action, 0, &(struct request){.context = c}); }

int script_run_due(void) {
    while (waiting) {
        struct waiting *w = waiting;
        double left = w->due - now_ms();
        struct request r = {.context = context_numbered(w->context), .key = w->has_key ? &w->key : NULL};
        bool drop = false;
        const char *p = w->action;
        char verb[32];
        if (left > 0) return (int)left + 1;
        // A delay begins when all actions before it were performed.
        if (strcmp(word(&p, verb, sizeof verb), "delay") == 0) {
            w->due = now_ms() + number(&p);
            strcpy(w->action, "pass");
            continue;
        }
        if (r.context || !w->context) act(w->action, &r, &drop);
        waiting = w->next;
        free(w->action);
        free(w);
    }
    return -1;
}

static void run_actions(const char *p, struct request *r, bool *drop) {
    static char action[ACTION_SIZE];
    bool delayed = waiting != NULL;
    while (next_action(&p, action)) {
        char verb[32];
        const char *q = action;
        word(&q, verb, sizeof verb);
        if (strcmp(verb, "delay") == 0) delayed = true;
        if (delayed && !(is_immediate(verb) && waiting == NULL)) {
            hold(action, 0, r);
        } else {
            act(action, r, drop);
        }
    }
}

bool script_run(const char *trigger, const char *name, struct request *r, bool *drop) {
    for (struct rule **at = &rules; *at; at = &(*at)->next) {
        struct rule *rule = *at;
        if (strcmp(rule->trigger, trigger) != 0) continue;
        if (*rule->name && strcmp(rule->name, "*") != 0 && strcmp(rule->name, name) != 0) continue;
        if (rule->once) *at = rule->next;
        run_actions(rule->actions, r, drop);
        if (rule->once) {
            free(rule->trigger);
            free(rule->name);
            free(rule->actions);
            free(rule);
        }
        return true;
    }
    return false;
}

bool script_has(const char *trigger) {
    for (struct rule *rule = rules; rule; rule = rule->next) {
        if (strcmp(rule->trigger, trigger) == 0) return true;
    }
    return false;
}

bool script_has_drop(const char *trigger) {
    for (struct rule *rule = rules; rule; rule = rule->next) {
        if (trigger && strcmp(rule->trigger, trigger) != 0) continue;
        bool drops = strstr(rule->actions, "drop") || strstr(rule->actions, "refuse") || strstr(rule->actions, "overlook");
        if (drops || trigger) return drops;
    }
    return false;
}

void script_line(const char *line, int number) {
    char first[32], trigger[32], name[64] = "", keyword[64];
    const char *p = skip_space(line), *q = p, *mistake = check_line(line);
    if (mistake) {
        fprintf(stderr, "inkstone-xim-server: script, line %d: %s: %s\n", number, mistake, line);
        exit(SCRIPT_MISTAKE);
    }
    if (!*p || *p == '#') return;
    word(&q, first, sizeof first);
    bool once = strcmp(first, "once") == 0;
    if (once) word(&q, first, sizeof first);
    if (strcmp(first, "on") != 0) {
        bool drop = false;
        run_actions(p, &(struct request){.context = current}, &drop);
        return;
    }
    word(&q, trigger, sizeof trigger);
    word(&q, keyword, sizeof keyword);
    if (strcmp(keyword, "do") != 0) {
        strcpy(name, keyword);
        word(&q, keyword, sizeof keyword);
    }
    struct rule *rule = calloc(1, sizeof *rule), **end = &rules;
    while (*end) end = &(*end)->next;
    *rule = (struct rule){strdup(trigger), strdup(name), strdup(q), once, NULL};
    *end = rule;
}
