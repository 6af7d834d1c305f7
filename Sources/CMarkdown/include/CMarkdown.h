#ifndef CMARKDOWN_H
#define CMARKDOWN_H
// md4c, a parser of Markdown, which is loaded while the program runs, because most programs do not need it. Its
// types are declared here, so that none of its headers is needed for building. If md4c's header is installed, the
// types are compared with it.
//
// Offsets and sizes are in bytes. Texts are UTF-8, valid only during the call, and do not end with a zero byte.
#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// A text with entities, with the layout of `MD_ATTRIBUTE`. Part i is from `offsets[i]` to `offsets[i + 1]`; the
/// last part ends at `size`.
typedef struct {
    const char *_Nullable text;
    unsigned size;
    const unsigned *_Nullable types;
    const unsigned *_Nullable offsets;
} cmarkdown_attribute;

/// The types of blocks: `MD_BLOCKTYPE`.
enum {
    CMARKDOWN_DOCUMENT, CMARKDOWN_QUOTE, CMARKDOWN_UNORDERED, CMARKDOWN_ORDERED, CMARKDOWN_ITEM, CMARKDOWN_BREAK, CMARKDOWN_HEADER,
    CMARKDOWN_CODE, CMARKDOWN_HTML, CMARKDOWN_PARAGRAPH, CMARKDOWN_TABLE, CMARKDOWN_HEAD, CMARKDOWN_BODY, CMARKDOWN_ROW,
    CMARKDOWN_HEAD_CELL, CMARKDOWN_CELL
};

/// The types of spans: `MD_SPANTYPE`.
enum {
    CMARKDOWN_EMPHASIS, CMARKDOWN_STRONG, CMARKDOWN_LINK, CMARKDOWN_IMAGE, CMARKDOWN_CODE_SPAN, CMARKDOWN_DELETED
};

/// The types of texts: `MD_TEXTTYPE`.
enum {
    CMARKDOWN_TEXT, CMARKDOWN_NUL, CMARKDOWN_LINE_BREAK, CMARKDOWN_SOFT_BREAK, CMARKDOWN_ENTITY, CMARKDOWN_CODE_TEXT, CMARKDOWN_HTML_TEXT
};

// The details of blocks and spans, with md4c's layouts. Later versions only append fields.
typedef struct { int is_tight; char mark; } cmarkdown_unordered;
typedef struct { unsigned start; int is_tight; char delimiter; } cmarkdown_ordered;
typedef struct { int is_task; char mark; unsigned mark_offset; } cmarkdown_item;
typedef struct { unsigned level; } cmarkdown_header;
typedef struct { cmarkdown_attribute info; cmarkdown_attribute language; char fence; } cmarkdown_code;
typedef struct { unsigned alignment; } cmarkdown_cell;
typedef struct { cmarkdown_attribute destination; cmarkdown_attribute title; } cmarkdown_link;

/// A function that is called at the start and at the end of a block or span, with its type and its details;
/// `detail` is null if the type has none.
typedef int (*cmarkdown_event)(unsigned type, void *_Nullable detail, void *_Nullable context);
/// A function that is called for each text.
typedef int (*cmarkdown_text)(unsigned type, const char *text, unsigned size, void *_Nullable context);

/// The callbacks of a parser, called by `cmarkdown_parse` on its thread. A negative result ends parsing; md4c
/// continues after a positive one.
typedef struct {
    cmarkdown_event enter_block;
    cmarkdown_event leave_block;
    cmarkdown_event enter_span;
    cmarkdown_event leave_span;
    cmarkdown_text text;
} cmarkdown_callbacks;

/// Loads md4c at the first call. Returns false if it is not installed. Any thread.
bool cmarkdown_load(void);

/// Parses a text in GitHub's dialect. Returns 0; or the negative result of a callback; or -1 if there is no memory,
/// or md4c is not installed.
int cmarkdown_parse(const char *text, unsigned size, const cmarkdown_callbacks *callbacks, void *_Nullable context);

#pragma clang assume_nonnull end
#endif
