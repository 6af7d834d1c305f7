#ifndef CENCHANT_H
#define CENCHANT_H
// Enchant 2, which is loaded while the program runs, because it is needed only if spelling is checked. It is
// declared here, so that none of its headers is needed for building. The functions are those of enchant(3), with
// the same names. Words are UTF-8 and not empty, with a length in bytes. A broker and its dictionaries belong to
// one thread at a time, because they share caches without locks.
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

typedef struct EnchantBroker EnchantBroker;
typedef struct EnchantDict EnchantDict;

/// The functions of the library that was loaded.
typedef struct cenchant_functions {
    EnchantBroker *_Nullable (*_Nonnull enchant_broker_init)(void);
    void (*_Nonnull enchant_broker_free)(EnchantBroker *broker);
    /// Returns the dictionary for a tag such as `en_US`; null if there is none. Creates the user's files for the
    /// tag. The broker owns the dictionary.
    EnchantDict *_Nullable (*_Nonnull enchant_broker_request_dict)(EnchantBroker *broker, const char *tag);
    /// Releases a dictionary, together with the words of its session.
    void (*_Nonnull enchant_broker_free_dict)(EnchantBroker *broker, EnchantDict *dictionary);
    /// Calls `body` for each dictionary. The strings are valid only during the call.
    void (*_Nonnull enchant_broker_list_dicts)(
        EnchantBroker *broker,
        void (*body)(const char *tag, const char *name, const char *description, const char *file, void *_Nullable context),
        void *_Nullable context);
    /// Checks a word. Returns 0 if it is right, a positive number if it is wrong, and a negative number after a
    /// failure.
    int (*_Nonnull enchant_dict_check)(EnchantDict *dictionary, const char *word, ssize_t length);
    /// Returns a list of suggestions, and sets `count` to their number; null if there are none. Free the list by
    /// `enchant_dict_free_string_list`.
    char *_Nonnull *_Nullable (*_Nonnull enchant_dict_suggest)(
        EnchantDict *dictionary, const char *word, ssize_t length, size_t *count);
    void (*_Nonnull enchant_dict_free_string_list)(EnchantDict *dictionary, char *_Nonnull *_Nonnull list);
    /// Adds a word to the user's file for the tag of the dictionary.
    void (*_Nonnull enchant_dict_add)(EnchantDict *dictionary, const char *word, ssize_t length);
    void (*_Nonnull enchant_dict_add_to_session)(EnchantDict *dictionary, const char *word, ssize_t length);
} cenchant_functions;

/// Loads a library such as `libenchant-2.so.2`. Returns false if there is no such library, or if it lacks a
/// function. The library stays loaded.
bool cenchant_load(const char *name, cenchant_functions *functions);

#pragma clang assume_nonnull end
#endif
