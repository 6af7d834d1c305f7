// What the server says is kept from Xlib, which gets names instead: 4 letters each, the same in every encoding.
//
// Trap “large packets”: Xlib gets stuck at a packet of more than some 2,000 bytes. Trap “untold feedback”: it does not tell
// how long a draw's feedback is. Trap “endless conversion”: it converts into 8,192 bytes and goes round for ever if they do
// not suffice; it puts all commits that come during a reset in front of the reply.
#include <X11/Xutil.h>
#include <stdlib.h>
#include <string.h>

#include "xim_private.h"

// Nobody reads more than that; and a reset's commits, as names, have to go into Xlib's 8,192 bytes.
enum { TEXT_LIMIT = 8192, BYTES_LIMIT = 16 << 20, RESET_LIMIT = 2000 };

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-";

void cx11_xim_write_name(uint8_t *name, uint32_t number) {
    for (int i = 0; i < TEXT_NAME; i++) name[i] = (uint8_t)letters[number >> 6 * i & 63];
}

static uint32_t read_name(const char *name) {
    uint32_t number = 0;
    for (int i = 0; i < TEXT_NAME; i++) {
        const char *letter = memchr(letters, name[i], 64);
        if (!letter) return 0;
        number |= (uint32_t)(letter - letters) << 6 * i;
    }
    return number;
}

static void free_text(cx11_xim *xim, struct text *text) {
    xim->text_count--;
    xim->text_bytes -= text->size;
    free(text->bytes);
    free(text->feedback);
    free(text);
}

uint32_t cx11_xim_keep_text(cx11_xim *xim, const cx11_xim_packet *packet, const uint8_t *bytes) {
    if (xim->text_count >= TEXT_LIMIT || xim->text_bytes + packet->text_size > BYTES_LIMIT) return 0;
    if (xim->call == XIM_CALL_RESET && packet->request == CX11_XIM_REQUEST_COMMIT && ++xim->reset_commits > RESET_LIMIT) return 0;
    struct text *text = calloc(1, sizeof *text);
    if (!text) {
        cx11_xim_starve(xim);
        return 0;
    }
    text->bytes = malloc(packet->text_size + 1);
    if (packet->feedback_count) text->feedback = calloc(packet->feedback_count, sizeof *text->feedback);
    if (!text->bytes || (packet->feedback_count && !text->feedback)) {
        free(text->bytes);
        free(text->feedback);
        free(text);
        cx11_xim_starve(xim);
        return 0;
    }
    memcpy(text->bytes, bytes + packet->text_at, packet->text_size);
    text->size = packet->text_size;
    text->context = packet->context;
    text->is_commit = packet->request == CX11_XIM_REQUEST_COMMIT;
    text->feedback_count = (int)packet->feedback_count;
    for (size_t i = 0; i < packet->feedback_count; i++) {
        text->feedback[i] = cx11_xim_read32(bytes + packet->feedback_at + 4 * i);
    }
    xim->next_text = xim->next_text % 0xffffff + 1;
    text->number = xim->next_text;
    struct text **end = &xim->texts;
    while (*end) end = &(*end)->next;
    *end = text;
    xim->text_count++;
    xim->text_bytes += text->size;
    return text->number;
}

// Compound text as UTF-8, without terminator; freed with `free`. Null if it cannot be converted.
static char *decode(cx11_xim *xim, const struct text *text, size_t *length) {
    XTextProperty property = {text->bytes, xim->compound_text, 8, text->size};
    char **list = NULL, *result = NULL;
    int count = 0;
    if (Xutf8TextPropertyToTextList(xim->display, &property, &list, &count) >= 0 && list && count > 0) {
        result = strdup(list[0]);
        if (!result) cx11_xim_starve(xim);
        *length = result ? strlen(result) : 0;
    }
    if (list) XFreeStringList(list);
    return result;
}

size_t cx11_xim_count_commits(const cx11_xim *xim, const char *names, size_t length) {
    size_t count = 0;
    for (size_t at = 0; at + TEXT_NAME <= length; at += TEXT_NAME) {
        uint32_t number = read_name(names + at);
        const struct text *text = xim->texts;
        while (text && text->number != number) text = text->next;
        if (text && !text->is_commit) break;
        count++;
    }
    return count;
}

char *cx11_xim_take_texts(cx11_xim *xim, const char *names, size_t length, int *size, unsigned long **feedback,
                          int *feedback_count) {
    size_t end = 0;
    xim->joined = NULL;
    if (feedback) *feedback = NULL;
    for (size_t at = 0; at + TEXT_NAME <= length; at += TEXT_NAME) {
        uint32_t number = read_name(names + at);
        struct text **link = &xim->texts;
        while (*link && (*link)->number != number) link = &(*link)->next;
        struct text *text = *link;
        if (!text) continue;
        size_t count = 0;
        // Asks for atoms, so that it may be left: until then the text is where it is found. More may come behind it.
        char *part = decode(xim, text, &count);
        *link = text->next;
        char *longer = part ? realloc(xim->joined, end + count + 1) : NULL;
        if (longer) {
            xim->joined = longer;
            memcpy(longer + end, part, count);
            end += count;
            longer[end] = 0;
        } else if (part) {
            cx11_xim_starve(xim);
        }
        free(part);
        if (feedback && !*feedback) {
            *feedback = text->feedback;
            *feedback_count = text->feedback_count;
            text->feedback = NULL;
        }
        free_text(xim, text);
    }
    char *all = xim->joined;
    xim->joined = NULL;
    *size = (int)end;
    return all;
}

void cx11_xim_forget_texts(cx11_xim *xim, uint16_t context) {
    struct text **link = &xim->texts;
    while (*link) {
        struct text *text = *link;
        if (context != 0 && text->context != context) {
            link = &text->next;
            continue;
        }
        *link = text->next;
        free_text(xim, text);
    }
}
