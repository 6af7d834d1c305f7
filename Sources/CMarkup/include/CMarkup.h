#ifndef CMARKUP_H
#define CMARKUP_H
// The events of libxml2's HTML parser. The library is loaded while the program runs, when HTML is first read.
//
// Any thread may parse; each document is parsed on one thread.
#include <stdbool.h>

#pragma clang assume_nonnull begin

/// The callbacks of a parser, called on the thread that parses the document. Strings are UTF-8, and valid only
/// during the call.
typedef struct {
    /// An element begins. If the result is false, the parser stops. `attributes` is null if there are none;
    /// otherwise it has a name and a value for each attribute, and a null at the end. A value may be null.
    bool (*start)(void *_Nullable context, const char *name, const char *_Nullable const *_Nullable attributes);
    /// An element ends.
    void (*end)(void *_Nullable context, const char *name);
    /// A text, without a zero byte at its end. Also called for the content of `style` and `script`.
    void (*text)(void *_Nullable context, const char *bytes, int count);
    /// A comment, without its delimiters.
    void (*comment)(void *_Nullable context, const char *text);
} cmarkup_events;

/// Loads libxml2 at the first call. Returns false if it is not installed.
bool cmarkup_load(void);

/// Parses a document, which is UTF-8 without zero bytes. Builds no tree, and loads nothing to which the document
/// refers. Returns false if the document is empty, if libxml2 is not installed, if there is no memory, or if
/// `start` has stopped the parser.
bool cmarkup_parse_html(const char *bytes, int count, const cmarkup_events *events, void *_Nullable context);

#pragma clang assume_nonnull end
#endif
