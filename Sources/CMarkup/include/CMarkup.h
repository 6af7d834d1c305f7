#ifndef CMARKUP_H
#define CMARKUP_H
// The events of libxml2's parser of HTML. The library is loaded while the program runs, when HTML is first read.
//
// Any thread, each document on one.
#include <stdbool.h>

#pragma clang assume_nonnull begin

/// Called while a document is parsed, on the thread that parses it. All strings are UTF-8 and borrowed for the call.
typedef struct {
    /// An element begins; false stops the parser. `attributes` is null without any; else names and values by turns with a null at its end, where a value may be null.
    bool (*start)(void *_Nullable context, const char *name, const char *_Nullable const *_Nullable attributes);
    /// An element ends.
    void (*end)(void *_Nullable context, const char *name);
    /// Text, without a NUL at its end; also the contents of `style` and `script`.
    void (*text)(void *_Nullable context, const char *bytes, int count);
    /// A comment, without its marks.
    void (*comment)(void *_Nullable context, const char *text);
} cmarkup_events;

/// Loads libxml2, the first time; false if there is none.
bool cmarkup_load(void);

/// Parses a document of UTF-8 without NUL bytes. No tree is made and nothing is loaded that the document names. Returns false if libxml2 is not
/// there, memory is out or `start` stopped it.
bool cmarkup_parse_html(const char *bytes, int count, const cmarkup_events *events, void *_Nullable context);

#pragma clang assume_nonnull end
#endif
