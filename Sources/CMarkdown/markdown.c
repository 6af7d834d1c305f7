#include "include/CMarkdown.h"

#include <dlfcn.h>
#include <pthread.h>

// The layout of `MD_PARSER`.
typedef struct {
    unsigned abi_version;
    unsigned flags;
    cmarkdown_callbacks callbacks;
    void (*debug_log)(const char *message, void *context);
    void (*syntax)(void);
} parser;

// The options of `MD_DIALECT_GITHUB`: links without brackets, tables, strikethrough and tasks.
enum { GITHUB = 0x0004 | 0x0008 | 0x0400 | 0x0100 | 0x0200 | 0x0800 };

#if __has_include(<md4c.h>)
#include <md4c.h>
_Static_assert(sizeof(parser) == sizeof(MD_PARSER), "MD_PARSER has another size");
_Static_assert(offsetof(parser, callbacks.text) == offsetof(MD_PARSER, text), "MD_PARSER.text");
_Static_assert(GITHUB == MD_DIALECT_GITHUB, "MD_DIALECT_GITHUB");
_Static_assert(sizeof(MD_BLOCKTYPE) == sizeof(unsigned) && CMARKDOWN_CELL == (int)MD_BLOCK_TD, "MD_BLOCKTYPE");
_Static_assert(CMARKDOWN_DELETED == (int)MD_SPAN_DEL, "MD_SPANTYPE");
_Static_assert(CMARKDOWN_HTML_TEXT == (int)MD_TEXT_HTML, "MD_TEXTTYPE");
_Static_assert(sizeof(cmarkdown_attribute) == sizeof(MD_ATTRIBUTE), "MD_ATTRIBUTE has another size");
_Static_assert(offsetof(cmarkdown_ordered, delimiter) == offsetof(MD_BLOCK_OL_DETAIL, mark_delimiter), "MD_BLOCK_OL_DETAIL");
_Static_assert(offsetof(cmarkdown_item, mark_offset) == offsetof(MD_BLOCK_LI_DETAIL, task_mark_offset), "MD_BLOCK_LI_DETAIL");
_Static_assert(offsetof(cmarkdown_code, fence) == offsetof(MD_BLOCK_CODE_DETAIL, fence_char), "MD_BLOCK_CODE_DETAIL");
_Static_assert(offsetof(cmarkdown_link, title) == offsetof(MD_SPAN_A_DETAIL, title), "MD_SPAN_A_DETAIL");
#endif

static int (*parse)(const char *text, unsigned size, const parser *parser, void *context);

static void load(void) {
    void *library = dlopen("libmd4c.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library) *(void **)&parse = dlsym(library, "md_parse");
}

bool cmarkdown_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return parse;
}

int cmarkdown_parse(const char *text, unsigned size, const cmarkdown_callbacks *callbacks, void *context) {
    if (!cmarkdown_load()) return -1;
    const parser github = {.flags = GITHUB, .callbacks = *callbacks};
    return parse(text, size, &github, context);
}
