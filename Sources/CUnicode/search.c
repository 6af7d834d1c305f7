#define _GNU_SOURCE
#include "cunicode_search.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/uregex.h>

struct cunicode_regex {
    URegularExpression *icu;
};

cunicode_regex *cunicode_regex_create(const uint16_t *pattern, int32_t length, int options, int32_t *offset) {
    UErrorCode status = U_ZERO_ERROR;
    UParseError where = {0};
    uint32_t flags = UREGEX_MULTILINE;
    if (options & CUNICODE_REGEX_IGNORE_CASE) flags |= UREGEX_CASE_INSENSITIVE;
    URegularExpression *icu = uregex_open((const UChar *)pattern, length, flags, &where, &status);
    if (U_FAILURE(status)) {
        *offset = where.offset;
        return NULL;
    }
    // Units of about a millisecond; a search that takes longer is not one that a person waits for.
    uregex_setTimeLimit(icu, 5000, &status);
    cunicode_regex *regex = malloc(sizeof *regex);
    if (regex == NULL) {
        uregex_close(icu);
        *offset = 0;
        return NULL;
    }
    regex->icu = icu;
    return regex;
}

void cunicode_regex_destroy(cunicode_regex *regex) {
    if (regex == NULL) return;
    uregex_close(regex->icu);
    free(regex);
}

void cunicode_regex_set_text(cunicode_regex *regex, const uint16_t *text, int32_t length) {
    UErrorCode status = U_ZERO_ERROR;
    uregex_setText(regex->icu, (const UChar *)text, length, &status);
}

int cunicode_regex_find(cunicode_regex *regex, int32_t start, int *hit_end) {
    UErrorCode status = U_ZERO_ERROR;
    UBool found = uregex_find(regex->icu, start, &status);
    UErrorCode ignored = U_ZERO_ERROR;
    *hit_end = uregex_hitEnd(regex->icu, &ignored) || uregex_requireEnd(regex->icu, &ignored);
    if (status == U_REGEX_TIME_OUT || status == U_REGEX_STACK_OVERFLOW) return CUNICODE_REGEX_TOO_COMPLEX;
    if (U_FAILURE(status)) return CUNICODE_REGEX_FAILED;
    return found ? CUNICODE_REGEX_FOUND : CUNICODE_REGEX_NONE;
}

int32_t cunicode_regex_group_count(cunicode_regex *regex) {
    UErrorCode status = U_ZERO_ERROR;
    return uregex_groupCount(regex->icu, &status);
}

void cunicode_regex_group(cunicode_regex *regex, int32_t group, int32_t *start, int32_t *end) {
    UErrorCode status = U_ZERO_ERROR;
    *start = uregex_start(regex->icu, group, &status);
    *end = uregex_end(regex->icu, group, &status);
    if (U_FAILURE(status)) *start = *end = -1;
}

uint32_t cunicode_fold(uint32_t scalar) { return (uint32_t)u_foldCase((UChar32)scalar, U_FOLD_CASE_DEFAULT); }

const uint8_t *cunicode_find(const uint8_t *bytes, size_t length, const uint8_t *needle, size_t needle_length) {
    return memmem(bytes, length, needle, needle_length);
}
