#include "include/CMarkup.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

typedef unsigned char xml_char;
typedef void (*any_function)(void);

// The layout of `xmlSAXHandler`: 27 functions, a number that marks the version, and four more fields. All releases
// of libxml2 have the same layout.
typedef struct {
    any_function before[14];
    void (*start_element)(void *context, const xml_char *name, const xml_char **attributes);
    void (*end_element)(void *context, const xml_char *name);
    any_function reference;
    void (*characters)(void *context, const xml_char *bytes, int count);
    void (*ignorable_whitespace)(void *context, const xml_char *bytes, int count);
    any_function processing_instruction;
    void (*comment)(void *context, const xml_char *text);
    any_function after[6];
    unsigned int initialized;
    void *extensions[4];
} sax_handler;

// The first fields of `xmlParserCtxt`. No change of the library's binary interface has moved them.
typedef struct {
    sax_handler *sax;
    void *user_data;
} parser_context;

// The headers are not needed for building. If they are installed, the layouts are compared with them.
#if __has_include(<libxml/parser.h>)
#include <libxml/parser.h>
_Static_assert(sizeof(sax_handler) == sizeof(xmlSAXHandler), "xmlSAXHandler has another size");
_Static_assert(offsetof(sax_handler, start_element) == offsetof(xmlSAXHandler, startElement), "startElement");
_Static_assert(offsetof(sax_handler, characters) == offsetof(xmlSAXHandler, characters), "characters");
_Static_assert(offsetof(sax_handler, comment) == offsetof(xmlSAXHandler, comment), "comment");
_Static_assert(offsetof(sax_handler, initialized) == offsetof(xmlSAXHandler, initialized), "initialized");
_Static_assert(offsetof(parser_context, sax) == offsetof(xmlParserCtxt, sax), "sax");
_Static_assert(offsetof(parser_context, user_data) == offsetof(xmlParserCtxt, userData), "userData");
#endif

// HTML_PARSE_RECOVER, _NODEFDTD, _NOERROR, _NOWARNING, _NONET, _IGNORE_ENC
enum { OPTIONS = 1 << 0 | 1 << 2 | 1 << 5 | 1 << 6 | 1 << 11 | 1 << 21 };
// XML_CHAR_ENCODING_UTF8
enum { ENCODING_UTF8 = 1 };

static struct {
    void (*xmlInitParser)(void);
    parser_context *(*htmlCreateMemoryParserCtxt)(const char *bytes, int count);
    int (*htmlCtxtUseOptions)(parser_context *context, int options);
    int (*xmlSwitchEncoding)(parser_context *context, int encoding);
    int (*htmlParseDocument)(parser_context *context);
    void (*xmlStopParser)(parser_context *context);
    void (*htmlFreeParserCtxt)(parser_context *context);
} lib;
static bool is_loaded;

static void load(void) {
    // Try the library's name up to libxml2 2.13 (Debian 12 and 13), and then the name since 2.14.
    void *library = dlopen("libxml2.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) library = dlopen("libxml2.so.16", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return;
    is_loaded = true;
#define LOAD(name) \
    *(void **)&lib.name = dlsym(library, #name); \
    if (!lib.name) is_loaded = false;
    LOAD(xmlInitParser)
    LOAD(htmlCreateMemoryParserCtxt)
    LOAD(htmlCtxtUseOptions)
    LOAD(xmlSwitchEncoding)
    LOAD(htmlParseDocument)
    LOAD(xmlStopParser)
    LOAD(htmlFreeParserCtxt)
    if (is_loaded) lib.xmlInitParser();
}

bool cmarkup_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

typedef struct {
    const cmarkup_events *events;
    void *context;
    parser_context *parser;
    bool is_stopped;
} receiver;

static void start_element(void *context, const xml_char *name, const xml_char **attributes) {
    receiver *to = context;
    if (to->is_stopped || to->events->start(to->context, (const char *)name, (const char *const *)attributes)) return;
    to->is_stopped = true;
    lib.xmlStopParser(to->parser);
}

static void end_element(void *context, const xml_char *name) {
    receiver *to = context;
    if (!to->is_stopped) to->events->end(to->context, (const char *)name);
}

static void characters(void *context, const xml_char *bytes, int count) {
    receiver *to = context;
    if (!to->is_stopped) to->events->text(to->context, (const char *)bytes, count);
}

static void comment(void *context, const xml_char *text) {
    receiver *to = context;
    if (!to->is_stopped) to->events->comment(to->context, (const char *)text);
}

bool cmarkup_parse_html(const char *bytes, int count, const cmarkup_events *events, void *context) {
    if (count <= 0 || !cmarkup_load()) return false;
    parser_context *parser = lib.htmlCreateMemoryParserCtxt(bytes, count);
    if (!parser) return false;
    if (!parser->sax) {
        lib.htmlFreeParserCtxt(parser);
        return false;
    }
    lib.htmlCtxtUseOptions(parser, OPTIONS);
    lib.xmlSwitchEncoding(parser, ENCODING_UTF8);
    unsigned int initialized = parser->sax->initialized;
    memset(parser->sax, 0, sizeof *parser->sax);
    parser->sax->initialized = initialized;
    parser->sax->start_element = start_element;
    parser->sax->end_element = end_element;
    parser->sax->characters = characters;
    parser->sax->ignorable_whitespace = characters;
    parser->sax->comment = comment;
    receiver to = {events, context, parser, false};
    parser->user_data = &to;
    lib.htmlParseDocument(parser);
    parser->user_data = NULL;
    lib.htmlFreeParserCtxt(parser);
    return !to.is_stopped;
}
