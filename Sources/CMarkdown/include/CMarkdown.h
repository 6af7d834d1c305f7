#ifndef CMARKDOWN_H
#define CMARKDOWN_H
// md4c, the parser of Markdown, which is loaded while the program runs: a program that opens no Markdown needs none. Its types are
// declared here, so that no package of headers is needed to build it; where md4c's header is there, they are compared with it.
//
// Offsets and sizes are bytes. Texts are UTF-8, borrowed for the call, and end with no NUL.
#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// The layout of `MD_ATTRIBUTE`: a text with entities in it. Part i is from `offsets[i]` to `offsets[i + 1]`; the last one ends at `size`.
typedef struct {
    const char *_Nullable text;
    unsigned size;
    const unsigned *_Nullable types;
    const unsigned *_Nullable offsets;
} cmarkdown_attribute;

/// Blocks: `MD_BLOCKTYPE`.
enum {
    CMARKDOWN_DOCUMENT, CMARKDOWN_QUOTE, CMARKDOWN_UNORDERED, CMARKDOWN_ORDERED, CMARKDOWN_ITEM, CMARKDOWN_BREAK, CMARKDOWN_HEADER,
    CMARKDOWN_CODE, CMARKDOWN_HTML, CMARKDOWN_PARAGRAPH, CMARKDOWN_TABLE, CMARKDOWN_HEAD, CMARKDOWN_BODY, CMARKDOWN_ROW,
    CMARKDOWN_HEAD_CELL, CMARKDOWN_CELL
};

/// Spans: `MD_SPANTYPE`.
enum {
    CMARKDOWN_EMPHASIS, CMARKDOWN_STRONG, CMARKDOWN_LINK, CMARKDOWN_IMAGE, CMARKDOWN_CODE_SPAN, CMARKDOWN_DELETED
};

/// Texts: `MD_TEXTTYPE`.
enum {
    CMARKDOWN_TEXT, CMARKDOWN_NUL, CMARKDOWN_LINE_BREAK, CMARKDOWN_SOFT_BREAK, CMARKDOWN_ENTITY, CMARKDOWN_CODE_TEXT, CMARKDOWN_HTML_TEXT
};

// Details of blocks and spans, by md4c's layouts; later versions add only behind.
typedef struct { int is_tight; char mark; } cmarkdown_unordered;
typedef struct { unsigned start; int is_tight; char delimiter; } cmarkdown_ordered;
typedef struct { int is_task; char mark; unsigned mark_offset; } cmarkdown_item;
typedef struct { unsigned level; } cmarkdown_header;
typedef struct { cmarkdown_attribute info; cmarkdown_attribute language; char fence; } cmarkdown_code;
typedef struct { unsigned alignment; } cmarkdown_cell;
typedef struct { cmarkdown_attribute destination; cmarkdown_attribute title; } cmarkdown_link;

/// What hears of blocks and spans as they begin and end: the type and its details, if it has any.
typedef int (*cmarkdown_event)(unsigned type, void *_Nullable detail, void *_Nullable context);
/// What hears of texts.
typedef int (*cmarkdown_text)(unsigned type, const char *text, unsigned size, void *_Nullable context);

/// Callbacks, called within `cmarkdown_parse` on its thread; what is below 0 ends it (md4c goes on after a number above 0).
typedef struct {
    cmarkdown_event enter_block;
    cmarkdown_event leave_block;
    cmarkdown_event enter_span;
    cmarkdown_event leave_span;
    cmarkdown_text text;
} cmarkdown_callbacks;

/// Loads md4c, the first time; false if there is none. Any thread.
bool cmarkdown_load(void);

/// Parses a text in GitHub's dialect. Returns 0, or what a callback returned, or -1 if memory is out or md4c is not there.
int cmarkdown_parse(const char *text, unsigned size, const cmarkdown_callbacks *callbacks, void *_Nullable context);

#pragma clang assume_nonnull end
#endif
