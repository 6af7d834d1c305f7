// Conversion of the server's texts to UTF-8.
#include <X11/Xutil.h>
#include <stdlib.h>
#include <string.h>

#include "include/cx11_connection.h"
#include "xim_private.h"

static char *copy(cx11_xim *xim, const void *bytes, size_t size, size_t *length) {
    char *result = malloc(size + 1);
    if (!result) {
        cx11_xim_lose(xim);
        return NULL;
    }
    memcpy(result, bytes, size);
    result[size] = 0;
    *length = size;
    return result;
}

// Whether a text is the same in compound text and in ASCII: it contains only ASCII characters, and no controls but
// tab and newline.
static bool is_plain(const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] >= 0x7f || (bytes[i] < 0x20 && bytes[i] != '\t' && bytes[i] != '\n')) return false;
    }
    return true;
}

char *cx11_xim_decode(cx11_xim *xim, const uint8_t *bytes, size_t size, size_t *length) {
    if (xim->is_utf8 || is_plain(bytes, size)) return copy(xim, bytes, size, length);
    XTextProperty property = {(unsigned char *)bytes, xim->compound_text, 8, size};
    char **list = NULL, *result = NULL;
    int count = 0;
    // Block SIGPIPE, because the first conversion asks the X server for the names of atoms, and so writes to the
    // connection.
    cx11_quiet_begin();
    int status = Xutf8TextPropertyToTextList(xim->display, &property, &list, &count);
    cx11_quiet_end();
    if (status >= 0 && list && count > 0) {
        // Take all texts of the list up to the last one: they are contiguous, separated by NULs.
        const char *last = list[count - 1];
        result = copy(xim, list[0], (size_t)(last - list[0]) + strlen(last), length);
    } else {
        // Return the unconverted bytes: unreadable text is better than none.
        result = copy(xim, bytes, size, length);
    }
    if (list) XFreeStringList(list);
    return result;
}
