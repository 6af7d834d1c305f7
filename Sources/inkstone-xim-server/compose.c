// The built-in answers to keys, for typing without a script.
#include "server.h"

#include <stdio.h>
#include <string.h>

// One kana and one kanji for each letter, so that a test can find out from the text which keys produced it.
static const char *const kana[26] = {"あ", "い", "う", "え", "お", "か", "き", "く", "け", "こ", "さ", "し", "す",
                                     "せ", "そ", "た", "ち", "つ", "て", "と", "な", "に", "ぬ", "ね", "の", "は"};
static const char *const kanji[26] = {"日", "本", "語", "文", "字", "入", "力", "変", "換", "確", "定", "東", "西",
                                      "南", "北", "春", "夏", "秋", "冬", "山", "川", "海", "空", "森", "林", "水"};

static void text_of(const struct context *c, char *out) {
    *out = 0;
    for (int i = 0; i < c->count; i++) out = stpcpy(out, c->target < 0 ? kana[c->letters[i]] : kanji[c->letters[i]]);
}

// Draws the whole composition again at every change, as all real servers do.
static void draw(struct context *c) {
    char text[MAXIMUM_PREEDIT * 4];
    uint32_t feedback[MAXIMUM_PREEDIT];
    int half = (c->count + 1) / 2;
    for (int i = 0; i < c->count; i++) {
        bool target = c->target >= 0 && (i < half) == (c->target == 0);
        feedback[i] = target ? XCB_XIM_REVERSE : XCB_XIM_UNDERLINE;
    }
    if (!c->started) send_start(c);
    c->started = true;
    text_of(c, text);
    send_draw(c, 0, c->drawn, c->caret, c->count ? text : NULL, feedback, c->count);
    c->drawn = c->count;
}

static void clear(struct context *c) {
    if (!c->started) return;
    c->count = c->caret = 0;
    c->target = -1;
    draw(c);
    send_done(c);
    c->started = false;
}

static void forget(struct context *c) {
    c->count = c->caret = c->drawn = 0;
    c->target = -1;
    c->started = false;
}

static void commit(struct context *c) {
    char text[MAXIMUM_PREEDIT * 4];
    text_of(c, text);
    if (options.done_before_commit) clear(c);
    if (*text) send_commit(c, XCB_XIM_LOOKUP_CHARS, text, 0);
    clear(c);
}

// Handles a key. Returns whether the composition has consumed it.
static bool kana_key(struct context *c, uint32_t keysym) {
    if (keysym >= 'a' && keysym <= 'z' && c->count < MAXIMUM_PREEDIT) {
        if (c->target >= 0) commit(c);
        memmove(c->letters + c->caret + 1, c->letters + c->caret, sizeof(int) * (size_t)(c->count - c->caret));
        c->letters[c->caret++] = (int)keysym - 'a';
        c->count++;
        draw(c);
        return true;
    }
    if (!c->count) return false;
    switch (keysym) {
    case ' ':
        c->target = c->target == 0 ? 1 : 0;
        c->caret = c->count;
        break;
    case 0xff08:
        if (c->target >= 0) {
            c->target = -1;
        } else if (c->caret) {
            memmove(c->letters + c->caret - 1, c->letters + c->caret, sizeof(int) * (size_t)(c->count - c->caret));
            c->caret--;
            c->count--;
        }
        break;
    case 0xff51: if (c->target >= 0) c->target = 0; else if (c->caret) c->caret--; break;
    case 0xff53: if (c->target >= 0) c->target = 1; else if (c->caret < c->count) c->caret++; break;
    case 0xff0d: commit(c); return true;
    case 0xff1b: clear(c); return true;
    // Modifier keys are returned to the client, as real servers do.
    default: return keysym < 0xffe1 || keysym > 0xffee;
    }
    if (c->count) draw(c); else clear(c);
    return true;
}

void compose_key(struct context *c, const xcb_key_press_event_t *key, uint32_t keysym) {
    xcb_key_press_event_t event = *key;
    bool press = (key->response_type & 0x7f) == XCB_KEY_PRESS;
    bool plain = !(key->state & (XCB_MOD_MASK_CONTROL | XCB_MOD_MASK_1 | XCB_MOD_MASK_4));
    if (options.mode == MODE_SWALLOW) return;
    if (press && plain && options.mode == MODE_COMMIT && keysym >= 0x20 && keysym < 0x7f) {
        send_commit(c, XCB_XIM_LOOKUP_CHARS, (char[]){(char)keysym, 0}, 0);
    } else if (!(press && plain && options.mode == MODE_KANA && kana_key(c, keysym))) {
        xcb_im_forward_event(im, c->ic, &event);
    }
}

void compose_reset(struct request *r) {
    struct context *c = r->context;
    char text[MAXIMUM_PREEDIT * 4];
    text_of(c, text);
    if (!c->count) return;
    switch (options.on_reset) {
    case ENDING_TEXT: set_reset_reply(r, text); forget(c); break;
    case ENDING_LATE: {
        char action[sizeof text + 32];
        forget(c);
        script_later(c, "draw 0 256 0 null none");
        script_later(c, "done");
        snprintf(action, sizeof action, "commit \"%s\"", text);
        script_later(c, action);
        break;
    }
    case ENDING_CLEAR:
        forget(c);
        script_later(c, "draw 0 256 0 null none");
        script_later(c, "done");
        break;
    default: forget(c); break;
    }
}

void compose_unset(struct context *c) {
    switch (options.on_unset) {
    case ENDING_COMMIT: if (c->count) commit(c); break;
    case ENDING_CLEAR: clear(c); break;
    default: break;
    }
}
