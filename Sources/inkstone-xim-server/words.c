// Functions that read the parts of a line of a script: names, numbers, texts and feedback. Used by check.c and
// script.c.
#include "server.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char what_is_wrong[256];

const char *words_mistake(void) { return *what_is_wrong ? what_is_wrong : NULL; }
void words_forgive(void) { *what_is_wrong = 0; }

void words_blame(const char *format, ...) {
    va_list arguments;
    if (*what_is_wrong) return;
    va_start(arguments, format);
    vsnprintf(what_is_wrong, sizeof what_is_wrong, format, arguments);
    va_end(arguments);
}

const char *skip_space(const char *p) {
    while (isspace((unsigned char)*p)) p++;
    return p;
}

char *word(const char **p, char *out, size_t size) {
    const char *s = skip_space(*p);
    size_t n = 0;
    while (*s && !isspace((unsigned char)*s)) {
        if (n + 1 < size) out[n++] = *s;
        else words_blame("a word of more than %zu bytes", size - 1);
        s++;
    }
    out[n] = 0;
    *p = s;
    return out;
}

int32_t number(const char **p) {
    char digits[32], *end;
    word(p, digits, sizeof digits);
    if (strcmp(digits, "max") == 0) return INT32_MAX;
    long value = strtol(digits, &end, 0);
    if (!*digits) words_blame("a number is missing");
    else if (*end || value < INT32_MIN || value > INT32_MAX) words_blame("no number: %s", digits);
    return (int32_t)value;
}

static char *put_utf8(char *out, uint32_t scalar) {
    if (scalar < 0x80) {
        *out++ = (char)scalar;
    } else if (scalar < 0x800) {
        *out++ = (char)(0xc0 | scalar >> 6);
        *out++ = (char)(0x80 | (scalar & 63));
    } else {
        if (scalar < 0x10000) {
            *out++ = (char)(0xe0 | scalar >> 12);
        } else {
            *out++ = (char)(0xf0 | scalar >> 18);
            *out++ = (char)(0x80 | (scalar >> 12 & 63));
        }
        *out++ = (char)(0x80 | (scalar >> 6 & 63));
        *out++ = (char)(0x80 | (scalar & 63));
    }
    return out;
}

const char *text(const char **p, char *out) {
    const char *s = skip_space(*p);
    char *start = out;
    if (*s != '"') {
        char null[32];
        word(p, null, sizeof null);
        if (strcmp(null, "null") != 0) words_blame("neither a text in double quotes nor null: %s", null);
        return NULL;
    }
    for (s++; *s && *s != '"'; s++) {
        if (*s != '\\') {
            *out++ = *s;
        } else if (*++s == 'n') {
            *out++ = '\n';
        } else if (*s == 'u' && s[1] == '{') {
            char *end;
            unsigned long scalar = strtoul(s + 2, &end, 16);
            if (end == s + 2 || *end != '}' || scalar == 0 || scalar > 0x10ffff || (scalar >> 11) == 0x1b) {
                words_blame("no scalar: \\u%.12s", s + 1);
                break;
            }
            out = put_utf8(out, (uint32_t)scalar);
            s = end;
        } else if (*s == '"' || *s == '\\') {
            *out++ = *s;
        } else {
            words_blame("an unknown escape: \\%c", *s ? *s : ' ');
            break;
        }
    }
    *out = 0;
    if (*s != '"') words_blame("a text without its closing quote");
    *p = *s ? s + 1 : s;
    return start;
}

int feedback(const char *list, uint32_t *out, int limit) {
    int count = 0;
    if (strcmp(list, "none") == 0) return -1;
    for (const char *at = list; *at;) {
        uint32_t set = 0;
        long repeat = 1;
        const char *item = at;
        for (; *at && *at != ',' && *at != '*'; at++) {
            const char *letter = *at == '.' ? NULL : strchr("ruh..pst", *at);
            if (letter) set |= 1u << (letter - "ruh..pst");
            else if (*at != '0') words_blame("no feedback: %c", *at);
        }
        if (at == item) words_blame("feedback without a letter");
        if (*at == '*') {
            char *end;
            repeat = strtol(at + 1, &end, 10);
            if (end == at + 1 || repeat < 1) words_blame("feedback repeated by no number");
            at = end;
        }
        if (*at && *at != ',') words_blame("feedback goes on after its number: %s", at);
        for (; repeat > 0 && count < limit; repeat--) out[count++] = set;
        if (repeat > 0) words_blame("feedback for more than %d scalars", limit);
        if (words_mistake()) return count;
        if (*at == ',' && !*++at) words_blame("feedback ends with a comma");
    }
    return count;
}

const char *next_action(const char **p, char *out) {
    const char *s = skip_space(*p);
    size_t n = 0;
    bool quoted = false;
    for (; *s && (quoted || *s != ';'); s++) {
        if (n + 2 >= ACTION_SIZE) {
            words_blame("an action of more than %d bytes", ACTION_SIZE - 3);
            break;
        }
        if (*s == '"') quoted = !quoted;
        if (quoted && *s == '\\' && s[1]) out[n++] = *s++;
        out[n++] = *s;
    }
    out[n] = 0;
    *p = *s ? s + 1 : s;
    return n ? out : NULL;
}
