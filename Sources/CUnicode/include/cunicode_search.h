#ifndef CUNICODE_SEARCH_H
#define CUNICODE_SEARCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Regular expressions and case folding by ICU (uregex_*, u_strFoldCase, unorm2_*). See cunicode_break.h for the
// reason why Swift cannot call ICU directly. A regex belongs to one thread at a time. Offsets are UTF-16 code units
// of the present text.

typedef struct cunicode_regex cunicode_regex;

enum {
    CUNICODE_REGEX_IGNORE_CASE = 1,
    // `^` and `$` match at the start and end of every line.
    CUNICODE_REGEX_MULTILINE = 2,
};

enum {
    CUNICODE_REGEX_NONE = 0,
    CUNICODE_REGEX_FOUND = 1,
    // The time limit was exceeded, or ICU's stack is full.
    CUNICODE_REGEX_TOO_COMPLEX = 2,
    CUNICODE_REGEX_FAILED = 3,
    // No match starts before the limit.
    CUNICODE_REGEX_STOPPED = 4,
};

// Returns the version that is part of the names of ICU's libraries, as in `libicuuc.so.72`. The string stays valid.
const char *cunicode_version(void);

// Looks up the functions for regular expressions in libicui18n. library: a handle of dlopen, which is never closed.
// Returns false if one of them is missing. Call this once, before any function for regular expressions, and not at
// the same time on two threads.
bool cunicode_regex_load(void *library);

// Creates a regex. pattern: UTF-16; it is copied. options: CUNICODE_REGEX_*. time_limit: the maximum duration of a
// call of find, in units of about a millisecond; 0 for no limit. Returns null after a failure, and sets *offset to
// the position in the pattern, in UTF-16 units, at which ICU has stopped. Any thread. The caller owns the result.
cunicode_regex *cunicode_regex_create(const uint16_t *pattern, int32_t length, int options, int32_t time_limit,
                                      int32_t *offset);

// Destroys a regex. Does nothing for null.
void cunicode_regex_destroy(cunicode_regex *regex);

// A function that copies the units of a text from start to end to `units`, which has room for one unit more.
// Returns the number of copied units, and sets *first to the offset of the first one. A surrogate pair at start is
// copied as a whole; of a pair at end, nothing is copied.
typedef int32_t cunicode_read(const void *context, int64_t start, int64_t end, uint16_t *units, int64_t *first);

// Sets a text, which ICU reads piece by piece (UText). length: in UTF-16 units. read and context: must stay valid
// until the next call or until the regex is destroyed. read is called by set_text and by find, and must not call
// functions of this regex. Returns false if there is no memory; find then fails.
bool cunicode_regex_set_text(cunicode_regex *regex, cunicode_read *read, const void *context, int64_t length);

// Finds the first match that starts at or after start and before limit, and ends at or before end. Look-around and
// anchors see the whole text. Returns one of CUNICODE_REGEX_*. In the case of CUNICODE_REGEX_STOPPED, *next is the
// offset at which to continue.
int cunicode_regex_find(cunicode_regex *regex, int64_t start, int64_t limit, int64_t end, int64_t *next);

// Returns the number of groups in the pattern.
int32_t cunicode_regex_group_count(cunicode_regex *regex);

// Gets the range of a group of the last match. Group 0 is the whole match. Sets both ends to -1 if the group did
// not take part.
void cunicode_regex_group(cunicode_regex *regex, int32_t group, int64_t *start, int64_t *end);

// Returns the first occurrence of needle in bytes; null if there is none. Uses memmem, a GNU function that is
// missing in Swift's Glibc module. Any thread.
const uint8_t *cunicode_find(const uint8_t *bytes, size_t length, const uint8_t *needle, size_t needle_length);

// Folds a scalar for comparisons that ignore case and canonical equivalence: NFD(toCasefold(NFD(X))), Unicode D145.
// Writes at most capacity scalars, and returns their number. No scalar needs more than 4. A scalar without a
// mapping is returned unchanged. Any thread.
int32_t cunicode_fold_canonically(uint32_t scalar, uint32_t *folded, int32_t capacity);

// Returns the canonical combining class of a scalar; 0 for a starter. Any thread.
uint8_t cunicode_combining_class(uint32_t scalar);

#endif
