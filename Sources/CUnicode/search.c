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
#include <unicode/utext.h>
#include <unicode/utf16.h>

// The functions of libicui18n that are used. Their names are macros that append ICU's version, so the pointers are
// stored here.
#define FUNCTIONS(use)                                                                                                 \
    use(uregex_open) use(uregex_close) use(uregex_setTimeLimit) use(uregex_setUText) use(uregex_setRegionAndStart)     \
    use(uregex_useTransparentBounds) use(uregex_useAnchoringBounds) use(uregex_setFindProgressCallback)                \
    use(uregex_findNext) use(uregex_groupCount) use(uregex_start64) use(uregex_end64)

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

// The number of units of a chunk. A surrogate pair at its start may add one.
enum { CHUNK = 1 << 15 };

struct text {
    cunicode_read *read;
    const void *context;
    int64_t length;
};

struct cunicode_regex {
    URegularExpression *handle;
    struct text text;
    // `limit` is the offset before which matches must start; `next` is the offset at which a search has stopped because
    // of the limit.
    int64_t limit;
    int64_t next;
};

static UBool U_CALLCONV goes_on(const void *context, int64_t index) {
    cunicode_regex *regex = (cunicode_regex *)context;
    if (index < regex->limit) return 1;
    regex->next = index;
    return 0;
}

// Loads the chunk that contains the unit at an index. Chunks follow one another without gaps and split no surrogate
// pair, so each unit is in one chunk.
static void load_chunk(UText *chunk, int64_t index) {
    const struct text *text = chunk->context;
    int64_t start = index / CHUNK * CHUNK;
    int64_t first = start;
    for (;;) {
        int64_t end = start + CHUNK < text->length ? start + CHUNK : text->length;
        chunk->chunkLength = text->read(text->context, start, end, chunk->pExtra, &first);
        // If a surrogate pair is at the end of the chunk, both of its halves are in the next chunk: continue there.
        if (index < first + chunk->chunkLength || end == text->length) break;
        start += CHUNK;
    }
    chunk->chunkNativeStart = first;
    chunk->chunkNativeLimit = first + chunk->chunkLength;
    chunk->nativeIndexingLimit = chunk->chunkLength;
}

static UBool U_CALLCONV access_text(UText *chunk, int64_t index, UBool forward) {
    const struct text *text = chunk->context;
    if (index < 0) index = 0;
    if (index > text->length) index = text->length;
    int64_t wanted = forward ? index : index - 1;
    UBool is_there = wanted >= 0 && wanted < text->length;
    // For an access beyond the end or before the start of the text, use the last or the first chunk.
    if (!is_there) wanted = forward ? text->length - 1 : 0;
    if (text->length > 0 && (wanted < chunk->chunkNativeStart || wanted >= chunk->chunkNativeLimit)) {
        load_chunk(chunk, wanted);
    }
    int32_t offset = (int32_t)(index - chunk->chunkNativeStart);
    const UChar *units = chunk->chunkContents;
    if (offset < 0) offset = 0;
    if (offset > chunk->chunkLength) offset = chunk->chunkLength;
    if (offset > 0 && offset < chunk->chunkLength && U16_IS_TRAIL(units[offset]) && U16_IS_LEAD(units[offset - 1])) {
        offset--;
    }
    chunk->chunkOffset = offset;
    return is_there;
}

static int64_t U_CALLCONV text_length(UText *chunk) { return ((const struct text *)chunk->context)->length; }

static UText *U_CALLCONV clone_text(UText *copy, const UText *chunk, UBool deep, UErrorCode *status);

// Not needed: uregex does not extract text.
static int32_t U_CALLCONV extract_text(UText *chunk, int64_t start, int64_t limit, UChar *target, int32_t capacity,
                                       UErrorCode *status) {
    (void)chunk, (void)start, (void)limit, (void)target, (void)capacity;
    if (U_SUCCESS(*status)) *status = U_UNSUPPORTED_ERROR;
    return 0;
}

static const UTextFuncs text_functions = {
    .tableSize = sizeof(UTextFuncs),
    .clone = clone_text,
    .nativeLength = text_length,
    .access = access_text,
    .extract = extract_text,
};

// Clones a text. Each clone has a chunk of its own.
static UText *U_CALLCONV clone_text(UText *copy, const UText *chunk, UBool deep, UErrorCode *status) {
    if (U_FAILURE(*status)) return copy;
    if (deep) {
        *status = U_UNSUPPORTED_ERROR;
        return copy;
    }
    copy = utext_setup(copy, (CHUNK + 1) * sizeof(UChar), status);
    if (U_FAILURE(*status)) return copy;
    copy->pFuncs = &text_functions;
    copy->context = chunk->context;
    copy->chunkContents = copy->pExtra;
    // Load the first chunk now. If the whole text is in it, ICU uses a faster search.
    access_text(copy, 0, 1);
    return copy;
}

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
    cunicode_regex *regex = calloc(1, sizeof *regex);
    if (regex == NULL) {
        icu.uregex_close(handle);
        *offset = 0;
        return NULL;
    }
    regex->handle = handle;
    icu.uregex_setTimeLimit(handle, time_limit, &status);
    // Let look-around see the text beyond the ends of the searched region, and let `^` and `$` not match at these ends.
    icu.uregex_useTransparentBounds(handle, 1, &status);
    icu.uregex_useAnchoringBounds(handle, 0, &status);
    icu.uregex_setFindProgressCallback(handle, goes_on, regex, &status);
    return regex;
}

void cunicode_regex_destroy(cunicode_regex *regex) {
    if (regex == NULL) return;
    icu.uregex_close(regex->handle);
    free(regex);
}

bool cunicode_regex_set_text(cunicode_regex *regex, cunicode_read *read, const void *context, int64_t length) {
    UErrorCode status = U_ZERO_ERROR;
    regex->text = (struct text){read, context, length};
    UText text = UTEXT_INITIALIZER;
    text.pFuncs = &text_functions;
    text.context = &regex->text;
    icu.uregex_setUText(regex->handle, &text, &status);
    return U_SUCCESS(status);
}

int cunicode_regex_find(cunicode_regex *regex, int64_t start, int64_t limit, int64_t end, int64_t *next) {
    UErrorCode status = U_ZERO_ERROR;
    regex->limit = limit;
    icu.uregex_setRegionAndStart(regex->handle, 0, end, start, &status);
    UBool found = icu.uregex_findNext(regex->handle, &status);
    *next = regex->next;
    if (status == U_REGEX_STOPPED_BY_CALLER) return CUNICODE_REGEX_STOPPED;
    if (status == U_REGEX_TIME_OUT || status == U_REGEX_STACK_OVERFLOW) return CUNICODE_REGEX_TOO_COMPLEX;
    if (U_FAILURE(status)) return CUNICODE_REGEX_FAILED;
    return found ? CUNICODE_REGEX_FOUND : CUNICODE_REGEX_NONE;
}

int32_t cunicode_regex_group_count(cunicode_regex *regex) {
    UErrorCode status = U_ZERO_ERROR;
    return icu.uregex_groupCount(regex->handle, &status);
}

void cunicode_regex_group(cunicode_regex *regex, int32_t group, int64_t *start, int64_t *end) {
    UErrorCode status = U_ZERO_ERROR;
    *start = icu.uregex_start64(regex->handle, group, &status);
    *end = icu.uregex_end64(regex->handle, group, &status);
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
