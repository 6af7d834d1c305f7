#include "cunicode_break.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>

struct cunicode_breaker {
    UBreakIterator *iterator;
};

_Static_assert(CUNICODE_BREAK_DONE == UBRK_DONE, "mirrors UBRK_DONE");
_Static_assert(sizeof(UChar) == sizeof(uint16_t), "UTF-16 units");

cunicode_breaker *cunicode_breaker_create(int kind, const char *locale, int *error) {
    static const UBreakIteratorType types[] = {UBRK_CHARACTER, UBRK_WORD, UBRK_LINE, UBRK_SENTENCE};
    UErrorCode status = U_ZERO_ERROR;
    UBreakIterator *iterator = ubrk_open(types[kind], locale, NULL, 0, &status);
    if (U_FAILURE(status)) {
        *error = status;
        return NULL;
    }
    cunicode_breaker *breaker = malloc(sizeof *breaker);
    if (breaker == NULL) {
        ubrk_close(iterator);
        *error = U_MEMORY_ALLOCATION_ERROR;
        return NULL;
    }
    breaker->iterator = iterator;
    *error = 0;
    return breaker;
}

void cunicode_breaker_destroy(cunicode_breaker *breaker) {
    if (breaker == NULL) return;
    ubrk_close(breaker->iterator);
    free(breaker);
}

int cunicode_breaker_set_text(cunicode_breaker *breaker, const uint16_t *text, int32_t length) {
    UErrorCode status = U_ZERO_ERROR;
    ubrk_setText(breaker->iterator, (const UChar *)text, length, &status);
    return U_FAILURE(status) ? status : 0;
}

int32_t cunicode_breaker_following(cunicode_breaker *breaker, int32_t offset) {
    return ubrk_following(breaker->iterator, offset);
}

int32_t cunicode_breaker_preceding(cunicode_breaker *breaker, int32_t offset) {
    return ubrk_preceding(breaker->iterator, offset);
}

int cunicode_breaker_is_boundary(cunicode_breaker *breaker, int32_t offset) {
    return ubrk_isBoundary(breaker->iterator, offset) ? 1 : 0;
}

int32_t cunicode_breaker_rule_status(cunicode_breaker *breaker) {
    return ubrk_getRuleStatus(breaker->iterator);
}

int cunicode_grapheme_class(uint32_t scalar) {
    return u_getIntPropertyValue((UChar32)scalar, UCHAR_GRAPHEME_CLUSTER_BREAK);
}

uint32_t cunicode_script(uint32_t scalar) {
    UErrorCode status = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript((UChar32)scalar, &status);
    const char *name = U_SUCCESS(status) ? uscript_getShortName(script) : NULL;
    if (name == NULL || strlen(name) != 4) name = "Zzzz";
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) code = code << 8 | (uint8_t)name[i];
    return code;
}

void cunicode_unicode_version(int *major, int *minor) {
    UVersionInfo version;
    u_getUnicodeVersion(version);
    *major = version[0];
    *minor = version[1];
}
