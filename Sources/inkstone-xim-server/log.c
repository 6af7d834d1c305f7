#include "server.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *out;

bool log_open(const char *target) {
    if (strncmp(target, "fd:", 3) == 0) {
        out = fdopen(atoi(target + 3), "a");
    } else {
        out = strcmp(target, "-") == 0 ? stdout : fopen(target, "ae");
    }
    return out != NULL;
}

void log_begin(const char *request, const struct context *c) {
    if (!out) return;
    fprintf(out, "{\"t\":%.3f,\"request\":\"%s\"", now_ms(), request);
    if (c) fprintf(out, ",\"context\":%u", c->number);
}

void log_number(const char *name, long value) {
    if (out) fprintf(out, ",\"%s\":%ld", name, value);
}

void log_pair(const char *name, long x, long y) {
    if (out) fprintf(out, ",\"%s\":[%ld,%ld]", name, x, y);
}

void log_text(const char *name, const char *value) {
    if (!out) return;
    fprintf(out, ",\"%s\":\"", name);
    for (const unsigned char *p = (const unsigned char *)value; *p; p++) {
        if (*p == '"' || *p == '\\') {
            fprintf(out, "\\%c", *p);
        } else if (*p < 0x20) {
            fprintf(out, "\\u%04x", *p);
        } else {
            fputc(*p, out);
        }
    }
    fputc('"', out);
}

// Ends a line, and writes it before anything else happens, because the server may be killed at any time.
void log_end(void) {
    if (!out) return;
    fputs("}\n", out);
    fflush(out);
}
