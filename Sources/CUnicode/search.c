#define _GNU_SOURCE
#include "cunicode_search.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uregex.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>

// What is used of libicui18n. The names are macros that append ICU's version, so that the pointers are kept here.
#define FUNCTIONS(use)                                                                                                 \
    use(uregex_open) use(uregex_close) use(uregex_setTimeLimit) use(uregex_setText) use(uregex_find)                   \
    use(uregex_hitEnd) use(uregex_requireEnd) use(uregex_groupCount) use(uregex_start) use(uregex_end)

#define MEMBER(name) __typeof__(name) *name;
static struct {
    FUNCTIONS(MEMBER)
} icu;

const char *cunicode_version(void) { return U_ICU_VERSION_SHORT; }

bool cunicode_regex_load(void *library) {
    bool is_loaded = true;
#define TEXT(name) #name
#define LOAD(name) is_loaded = (icu.name = (__typeof__(icu.name))dlsym(library, TEXT(name))) && is_loaded;
    FUNCTIONS(LOAD)
    return is_loaded;
}

struct cunicode_regex {
    URegularExpression *handle;
};

cunicode_regex *cunicode_regex_create(const uint16_t *pattern, int32_t length, int options, int32_t time_limit,
                                      int32_t *offset) {
    UErrorCode status = U_ZERO_ERROR;
    UParseError where = {0};
    uint32_t flags = 0;
    if (options & CUNICODE_REGEX_IGNORE_CASE) flags |= UREGEX_CASE_INSENSITIVE;
    if (options & CUNICODE_REGEX_MULTILINE) flags |= UREGEX_MULTILINE;
    URegularExpression *handle = icu.uregex_open((const UChar *)pattern, length, flags, &where, &status);
    if (U_FAILURE(status)) {
        *offset = where.offset;
        return NULL;
    }
    icu.uregex_setTimeLimit(handle, time_limit, &status);
    cunicode_regex *regex = malloc(sizeof *regex);
    if (regex == NULL) {
        icu.uregex_close(handle);
        *offset = 0;
        return NULL;
    }
    regex->handle = handle;
    return regex;
}

void cunicode_regex_destroy(cunicode_regex *regex) {
    if (regex == NULL) return;
    icu.uregex_close(regex->handle);
    free(regex);
}

void cunicode_regex_set_text(cunicode_regex *regex, const uint16_t *text, int32_t length) {
    UErrorCode status = U_ZERO_ERROR;
    icu.uregex_setText(regex->handle, (const UChar *)text, length, &status);
}

int cunicode_regex_find(cunicode_regex *regex, int32_t start, int *hit_end) {
    UErrorCode status = U_ZERO_ERROR;
    UBool found = icu.uregex_find(regex->handle, start, &status);
    UErrorCode ignored = U_ZERO_ERROR;
    *hit_end = icu.uregex_hitEnd(regex->handle, &ignored) || icu.uregex_requireEnd(regex->handle, &ignored);
    if (status == U_REGEX_TIME_OUT || status == U_REGEX_STACK_OVERFLOW) return CUNICODE_REGEX_TOO_COMPLEX;
    if (U_FAILURE(status)) return CUNICODE_REGEX_FAILED;
    return found ? CUNICODE_REGEX_FOUND : CUNICODE_REGEX_NONE;
}

int32_t cunicode_regex_group_count(cunicode_regex *regex) {
    UErrorCode status = U_ZERO_ERROR;
    return icu.uregex_groupCount(regex->handle, &status);
}

void cunicode_regex_group(cunicode_regex *regex, int32_t group, int32_t *start, int32_t *end) {
    UErrorCode status = U_ZERO_ERROR;
    *start = icu.uregex_start(regex->handle, group, &status);
    *end = icu.uregex_end(regex->handle, group, &status);
    if (U_FAILURE(status)) *start = *end = -1;
}

int32_t cunicode_fold_canonically(uint32_t scalar, uint32_t *folded, int32_t capacity) {
    enum { ROOM = 32 };
    UErrorCode status = U_ZERO_ERROR;
    UChar source[2], decomposed[ROOM], cased[ROOM], result[ROOM];
    int32_t length = 0;
    U16_APPEND_UNSAFE(source, length, (UChar32)scalar);
    const UNormalizer2 *nfd = unorm2_getNFDInstance(&status);
    length = unorm2_normalize(nfd, source, length, decomposed, ROOM, &status);
    length = u_strFoldCase(cased, ROOM, decomposed, length, U_FOLD_CASE_DEFAULT, &status);
    length = unorm2_normalize(nfd, cased, length, result, ROOM, &status);
    if (U_FAILURE(status) || length <= 0) {
        if (capacity > 0) folded[0] = scalar;
        return capacity > 0 ? 1 : 0;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < length && count < capacity; count++) {
        UChar32 next;
        U16_NEXT(result, i, length, next);
        folded[count] = (uint32_t)next;
    }
    return count;
}

uint8_t cunicode_combining_class(uint32_t scalar) { return u_getCombiningClass((UChar32)scalar); }

const uint8_t *cunicode_find(const uint8_t *bytes, size_t length, const uint8_t *needle, size_t needle_length) {
    return memmem(bytes, length, needle, needle_length);
}
