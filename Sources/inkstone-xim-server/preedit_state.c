// Support for XNPreeditState, which libxcb-imdkit does not support (`--preedit-state`).
#include "server.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The library has no such attribute. So an attribute of the same type that no client uses, bg_pixmap, is renamed to it
// and stores its value.
#define PREEDIT_STATE(attributes) ((attributes)->bg_pixmap)
void set_preedit_state(const struct context *c, uint32_t state) {
    if (options.has_preedit_state) {
        PREEDIT_STATE((xcb_im_preedit_attr_t *)(uintptr_t)xcb_im_input_context_get_preedit_attr(c->ic)) = state;
    }
}

static uint16_t preedit_state_id;

// Renames XNBackgroundPixmap to preeditState in the library's own list of attributes. Ends the server if it is not
// found.
void serve_preedit_state(void) {
    static char name[] = "preeditState";
    const size_t length = strlen(XCB_XIM_XNBackgroundPixmap);
    char *end = (char *)im + malloc_usable_size(im);
    for (char *at = (char *)im; at + sizeof(xcb_im_xicattr_fr_t) <= end; at += sizeof(void *)) {
        xcb_im_xicattr_fr_t *a = (xcb_im_xicattr_fr_t *)(void *)at;
        if (a->type_of_the_value != 3 || a->length_of_ic_attribute != length || !a->ic_attribute) continue;
        if (memcmp(a->ic_attribute, XCB_XIM_XNBackgroundPixmap, length) != 0) continue;
        preedit_state_id = a->attribute_ID;
        a->ic_attribute = (uint8_t *)name;
        a->length_of_ic_attribute = (uint16_t)strlen(name);
        return;
    }
    fprintf(stderr, "inkstone-xim-server: --preedit-state does not work with this version of libxcb-imdkit\n");
    exit(1);
}

// Answers a request for the attribute, which the library does not answer. Returns false, and does nothing, for any
// other request.
bool answer_preedit_state(const uint16_t *packet) {
    const uint16_t *ids = packet + 5, count = packet[4] / 2;
    struct context *c = contexts;
    while (c && c->context_id != packet[3]) c = c->next;
    if (!c || count < 2 || count > 5 || ids[1] != preedit_state_id) return false;
    const xcb_im_preedit_attr_t *preedit = xcb_im_input_context_get_preedit_attr(c->ic);
    const uint16_t state = (uint16_t)PREEDIT_STATE(preedit);
    // The reply has an attribute that contains another one, each with its number and length.
    const uint16_t reply[12] = {XCB_XIM_GET_IC_VALUES_REPLY, 5, packet[2], packet[3], 12, 0,
                                ids[0], 8, preedit_state_id, 4, state, 0};
    send_raw((const uint8_t *)reply, sizeof reply);
    return true;
}

void log_preedit_state(const struct context *c) {
    if (!options.has_preedit_state) return;
    uint32_t mask = xcb_im_input_context_get_preedit_attr_mask(c->ic);
    if (mask & XCB_XIM_XNBackgroundPixmap_MASK) {
        log_number("preeditState", PREEDIT_STATE(xcb_im_input_context_get_preedit_attr(c->ic)));
    }
}
