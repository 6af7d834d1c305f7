#ifndef CUNICODE_SEARCH_H
#define CUNICODE_SEARCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Regular expressions and case folding by ICU (uregex_*, u_strFoldCase, unorm2_*), which Swift cannot call itself: see
// cunicode_break.h. A regex belongs to one thread at a time. Offsets are UTF-16 code units of the text set last.

typedef struct cunicode_regex cunicode_regex;

enum {
    CUNICODE_REGEX_IGNORE_CASE = 1,
    // `^` and `$` match at every line.
    CUNICODE_REGEX_MULTILINE = 2,
};

enum {
    CUNICODE_REGEX_NONE = 0,
    CUNICODE_REGEX_FOUND = 1,
    // The time limit or ICU's stack ran out.
    CUNICODE_REGEX_TOO_COMPLEX = 2,
    CUNICODE_REGEX_FAILED = 3,
    // No match starts before the limit.
    CUNICODE_REGEX_STOPPED = 4,
};

// The version that is part of the names of ICU's libraries, as in `libicuuc.so.72`. Static.
const char *cunicode_version(void);

// Takes the functions for regular expressions out of libicui18n. library: what dlopen gave for it, never closed. False if
// one is missing. Before any other function of this kind, once: not with another call at the same time.
bool cunicode_regex_load(void *library);

// pattern: UTF-16, copied. options: CUNICODE_REGEX_*. time_limit: what one call to find may take, in units of about a
// millisecond; 0 for any time. Null on failure; *offset then is the place in the pattern, in UTF-16 units, that ICU does not
// understand. Any thread. The caller owns the result.
cunicode_regex *cunicode_regex_create(const uint16_t *pattern, int32_t length, int options, int32_t time_limit,
                                      int32_t *offset);

// Accepts null.
void cunicode_regex_destroy(cunicode_regex *regex);

// Reads the units from start to end of a text into units, which have room for one more, and returns their number. A pair that is cut by
// start is read whole, one that is cut by end is left out. *first: where what was read starts.
typedef int32_t cunicode_read(const void *context, int64_t start, int64_t end, uint16_t *units, int64_t *first);

// Sets a text that ICU reads piece by piece (UText). length: in UTF-16 units. read and context: borrowed until the next call or destroy;
// read is called by set_text and by find, and must not call back. False if memory ran out: find then fails.
bool cunicode_regex_set_text(cunicode_regex *regex, cunicode_read *read, const void *context, int64_t length);

// Finds the first match that starts at or after start and before limit, and ends at or before end; all of the text may be looked at.
// Returns CUNICODE_REGEX_*. *next: with CUNICODE_REGEX_STOPPED, where to go on.
int cunicode_regex_find(cunicode_regex *regex, int64_t start, int64_t limit, int64_t end, int64_t *next);

// Number of groups in the pattern.
int32_t cunicode_regex_group_count(cunicode_regex *regex);

// The range of a group of the last match, 0 for all of it; -1 for a group that took no part.
void cunicode_regex_group(cunicode_regex *regex, int32_t group, int64_t *start, int64_t *end);

// The first place of needle in bytes, or null: memmem, a GNU function that Swift's Glibc module does not show.
// Any thread.
const uint8_t *cunicode_find(const uint8_t *bytes, size_t length, const uint8_t *needle, size_t needle_length);

// What a scalar is compared by where neither case nor canonical equivalence counts: NFD(toCasefold(NFD(X))), Unicode D145. Writes
// at most capacity scalars (all that there are need 4) and returns their number; a scalar without a mapping is its own. Any thread.
int32_t cunicode_fold_canonically(uint32_t scalar, uint32_t *folded, int32_t capacity);

// The canonical combining class of a scalar, 0 for a starter. Any thread.
uint8_t cunicode_combining_class(uint32_t scalar);

#endif
