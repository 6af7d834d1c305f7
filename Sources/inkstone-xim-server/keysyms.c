#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>

static const struct {
    const char *name;
    uint32_t keysym;
} names[] = {
    {"space", 0x20},      {"BackSpace", 0xff08}, {"Tab", 0xff09},   {"Return", 0xff0d},  {"Escape", 0xff1b},
    {"Home", 0xff50},     {"Left", 0xff51},      {"Up", 0xff52},    {"Right", 0xff53},   {"Down", 0xff54},
    {"Page_Up", 0xff55},  {"Page_Down", 0xff56}, {"End", 0xff57},   {"Shift_L", 0xffe1}, {"Shift_R", 0xffe2},
    {"Control_L", 0xffe3}, {"Alt_L", 0xffe9},    {"Delete", 0xffff}, {"F1", 0xffbe},      {"F2", 0xffbf},
    {"F3", 0xffc0},       {"F4", 0xffc1},        {"F5", 0xffc2},     {"F6", 0xffc3},      {"F7", 0xffc4},
    {"F8", 0xffc5},       {"F9", 0xffc6},        {"F10", 0xffc7},    {"F11", 0xffc8},     {"F12", 0xffc9},
    {"Henkan", 0xff23},   {"Muhenkan", 0xff22},  {"Zenkaku_Hankaku", 0xff2a},
};

static xcb_get_keyboard_mapping_reply_t *mapping;
static uint8_t first_keycode;

void keysyms_load(void) {
    const xcb_setup_t *setup = xcb_get_setup(connection);
    first_keycode = setup->min_keycode;
    free(mapping);
    mapping = xcb_get_keyboard_mapping_reply(
        connection,
        xcb_get_keyboard_mapping(connection, first_keycode, setup->max_keycode - setup->min_keycode + 1), NULL);
}

static uint32_t entry(uint8_t keycode, int column) {
    if (!mapping || keycode < first_keycode) return 0;
    int index = (keycode - first_keycode) * mapping->keysyms_per_keycode + column;
    if (column >= mapping->keysyms_per_keycode || index >= xcb_get_keyboard_mapping_keysyms_length(mapping)) return 0;
    return xcb_get_keyboard_mapping_keysyms(mapping)[index];
}

// Returns the keysym of a key event; 0 for none. Uses only the first group, because tests type on a fixed layout.
uint32_t keysym_of(const xcb_key_press_event_t *key) {
    bool shift = key->state & XCB_MOD_MASK_SHIFT;
    uint32_t keysym = entry(key->detail, shift ? 1 : 0);
    if (!keysym) keysym = entry(key->detail, 0);
    bool caps = key->state & XCB_MOD_MASK_LOCK;
    if (caps && keysym >= 'a' && keysym <= 'z') keysym -= 32;
    return keysym;
}

uint32_t keysym_named(const char *name) {
    if (name[0] && !name[1]) return (uint8_t)name[0];
    if (strncmp(name, "0x", 2) == 0) return (uint32_t)strtoul(name, NULL, 16);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, name) == 0) return names[i].keysym;
    }
    return 0;
}

uint8_t keycode_of(uint32_t keysym, bool *shift) {
    for (int column = 0; column < 2; column++) {
        for (int code = first_keycode; code < 256; code++) {
            if (entry((uint8_t)code, column) == keysym) {
                *shift = column == 1;
                return (uint8_t)code;
            }
        }
    }
    return 0;
}

const char *keysym_name(uint32_t keysym, uint16_t state) {
    static char text[64];
    char *p = text;
    *p = 0;
    if (state & XCB_MOD_MASK_CONTROL) p = stpcpy(p, "ctrl+");
    if (state & XCB_MOD_MASK_1) p = stpcpy(p, "alt+");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].keysym == keysym) {
            strcpy(p, names[i].name);
            return text;
        }
    }
    if (keysym > 0x20 && keysym < 0x7f) {
        snprintf(p, 8, "%c", (char)keysym);
    } else {
        snprintf(p, 16, "0x%x", keysym);
    }
    return text;
}
