// Checks a line of a script before any part of it is performed. Without this check, a misspelled action would have
// no effect, and the test would not notice.
#include "server.h"

#include <stdio.h>
#include <string.h>

// The arguments and conditions of an action. `arguments` has a letter for each argument: n is a number, t a text, f
// an optional feedback, k a key, m a mode, w up to six numbers, and b a list of numbers, `im` or `ic`, each
// optionally followed by `*N`.
static const struct verb {
    const char *name, *arguments;
    // Whether the action is allowed only in the answer to a key, or only in the answer to RESET_IC.
    bool needs_key, needs_reset;
    // Whether the action changes an answer, or must be performed before the answer is sent. Such an action never waits
    // for the delay of another rule.
    bool immediate;
    // Whether the action is allowed only in the answer to a request other than a key.
    bool needs_request;
} verbs[] = {
    {.name = "start", .arguments = ""},
    {.name = "draw", .arguments = "nnntf"},
    {.name = "caret", .arguments = "nnn"},
    {.name = "done", .arguments = ""},
    {.name = "commit", .arguments = "t"},
    {.name = "commit-keysym", .arguments = "k"},
    {.name = "commit-both", .arguments = "kt"},
    {.name = "forward", .arguments = "", .needs_key = true},
    {.name = "forward-key", .arguments = "k"},
    {.name = "answer", .arguments = "", .needs_key = true},
    {.name = "reset-reply", .arguments = "t", .needs_reset = true, .immediate = true},
    {.name = "status-start", .arguments = ""},
    {.name = "status-draw", .arguments = "t"},
    {.name = "status-done", .arguments = ""},
    {.name = "sync", .arguments = ""},
    {.name = "preedit-on", .arguments = ""},
    {.name = "preedit-off", .arguments = ""},
    {.name = "delay", .arguments = "n"},
    {.name = "block", .arguments = "n", .immediate = true},
    {.name = "hang", .arguments = "", .immediate = true},
    {.name = "die", .arguments = "", .immediate = true},
    {.name = "exit", .arguments = "", .immediate = true},
    {.name = "overlook", .arguments = "", .immediate = true, .needs_request = true},
    {.name = "drop", .arguments = "", .immediate = true, .needs_request = true},
    {.name = "refuse", .arguments = "", .immediate = true, .needs_request = true},
    {.name = "packet", .arguments = "nw"},
    {.name = "raw", .arguments = "nb"},
    {.name = "mode", .arguments = "m", .immediate = true},
    {.name = "pass", .arguments = ""},
    {.name = "say", .arguments = "t", .immediate = true},
};

static const struct verb *verb_named(const char *name) {
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i].name, name) == 0) return &verbs[i];
    }
    return NULL;
}

bool is_immediate(const char *verb) {
    const struct verb *found = verb_named(verb);
    return found && found->immediate;
}

static bool is_request(const char *trigger) {
    static const char *const names[] = {
        "connect",       "disconnect",    "open",           "close",         "trigger_notify", "encoding",
        "query_extension", "get_im_values", "create_ic",    "destroy_ic",    "set_ic_values",  "get_ic_values",
        "set_ic_focus",  "unset_ic_focus", "sync_reply",    "reset_ic",      "start_reply",    "caret_reply",
        "error",         "str_conversion_reply", "locales", "transport",     "xconnect",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], trigger) == 0) return true;
    }
    return false;
}

// Checks a key. It must be spelled as keysym_name() spells it, because a key with another spelling would never
// match.
static void check_key(const char *name, bool with_modifiers) {
    const char *symbol = name;
    uint16_t state = 0;
    if (with_modifiers && strncmp(symbol, "ctrl+", 5) == 0) symbol += 5, state |= XCB_MOD_MASK_CONTROL;
    if (with_modifiers && strncmp(symbol, "alt+", 4) == 0) symbol += 4, state |= XCB_MOD_MASK_1;
    uint32_t keysym = keysym_named(symbol);
    if (!*name) words_blame("a key is missing");
    else if (!keysym) words_blame("no key: %.64s", name);
    else if (strcmp(keysym_name(keysym, state), name) != 0)
        words_blame("the key %.64s is called %.64s", name, keysym_name(keysym, state));
}

// Checks a number, `im` or `ic`, optionally followed by `*N`.
static void check_bytes(char *item) {
    char *star = strchr(item, '*');
    const char *repeats = star ? star + 1 : NULL;
    const char *value = item;
    if (star) *star = 0;
    if (strcmp(item, "im") != 0 && strcmp(item, "ic") != 0) number(&value);
    if (repeats) number(&repeats);
}

static void check_argument(char kind, const char **p) {
    static uint32_t marks[ACTION_SIZE];
    static char buffer[ACTION_SIZE];
    char item[4096];
    int count = 0;
    switch (kind) {
    case 'n': number(p); break;
    case 't': text(p, buffer); break;
    case 'k': check_key(word(p, item, sizeof item), false); break;
    case 'f':
        if (*word(p, item, sizeof item)) feedback(item, marks, ACTION_SIZE);
        break;
    case 'm':
        if (mode_named(word(p, item, sizeof item)) < 0) words_blame("no mode: %.64s", item);
        break;
    case 'w':
        for (; *skip_space(*p) && !words_mistake(); count++) number(p);
        if (count > 6) words_blame("more than 6 numbers");
        break;
    case 'b':
        while (*skip_space(*p) && !words_mistake()) check_bytes(word(p, item, sizeof item));
        break;
    default: break;
    }
}

// Checks an action. `trigger` is null for an action outside of a rule. `delayed`: whether a delay precedes it in its
// line.
static void check_action(const char *action, const char *trigger, bool delayed) {
    char name[32];
    const char *p = action;
    bool of_key = trigger && (strcmp(trigger, "key") == 0 || strcmp(trigger, "release") == 0);
    const struct verb *verb = verb_named(word(&p, name, sizeof name));
    if (!verb) {
        words_blame("no action: %s", name);
        return;
    }
    for (const char *kind = verb->arguments; *kind && !words_mistake(); kind++) check_argument(*kind, &p);
    if (*(p = skip_space(p))) words_blame("%s takes no more: %.64s", name, p);
    if (verb->needs_key && !of_key) words_blame("%s is for keys", name);
    if (verb->needs_reset && (!trigger || strcmp(trigger, "reset_ic") != 0)) words_blame("%s is for reset_ic", name);
    if (verb->needs_request && (!trigger || of_key)) words_blame("%s is for requests other than keys", name);
    if ((verb->needs_reset || verb->needs_request) && delayed) words_blame("%s comes too late after a delay", name);
}

static void check_actions(const char *p, const char *trigger) {
    static char action[ACTION_SIZE];
    bool delayed = false;
    if (!*skip_space(p)) words_blame("no action");
    while (*skip_space(p) && !words_mistake()) {
        if (!next_action(&p, action)) {
            words_blame("an action is missing");
            return;
        }
        check_action(action, trigger, delayed);
        if (strncmp(action, "delay", 5) == 0) delayed = true;
    }
}

const char *check_line(const char *line) {
    char first[32], trigger[32], name[64];
    const char *p = skip_space(line), *q = p;
    words_forgive();
    if (!*p || *p == '#') return NULL;
    word(&q, first, sizeof first);
    bool once = strcmp(first, "once") == 0;
    if (once) word(&q, first, sizeof first);
    if (strcmp(first, "on") != 0) {
        if (once) words_blame("`once` without `on`");
        check_actions(p, NULL);
        return words_mistake();
    }
    word(&q, trigger, sizeof trigger);
    if (strcmp(trigger, "key") == 0 || strcmp(trigger, "release") == 0) {
        if (strcmp(word(&q, name, sizeof name), "*") != 0) check_key(name, true);
    } else if (!is_request(trigger)) {
        words_blame("no trigger: %s", trigger);
    }
    if (strcmp(word(&q, name, sizeof name), "do") != 0) words_blame("a rule needs `do` after its trigger");
    check_actions(q, trigger);
    return words_mistake();
}
