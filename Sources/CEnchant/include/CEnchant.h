#ifndef CENCHANT_H
#define CENCHANT_H
// Enchant 2, loaded while the program runs, because only a text that is checked needs it. Declared here, so that none of its headers is
// needed to build. Each function is that of enchant(3) under its own name; words are UTF-8, not empty, of `length` bytes. All of them
// belong to one thread at a time: a broker and its dictionaries share caches without locks.
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

typedef struct EnchantBroker EnchantBroker;
typedef struct EnchantDict EnchantDict;

/// The functions of the loaded library.
typedef struct cenchant_functions {
    EnchantBroker *_Nullable (*_Nonnull enchant_broker_init)(void);
    void (*_Nonnull enchant_broker_free)(EnchantBroker *broker);
    /// The dictionary of a tag such as `en_US`; null if there is none. Makes the user's files for the tag. Owned by the broker.
    EnchantDict *_Nullable (*_Nonnull enchant_broker_request_dict)(EnchantBroker *broker, const char *tag);
    /// Gives a dictionary back, with the words of its session.
    void (*_Nonnull enchant_broker_free_dict)(EnchantBroker *broker, EnchantDict *dictionary);
    /// Calls `body` with each dictionary; the texts are borrowed for the call.
    void (*_Nonnull enchant_broker_list_dicts)(
        EnchantBroker *broker,
        void (*body)(const char *tag, const char *name, const char *description, const char *file, void *_Nullable context),
        void *_Nullable context);
    /// 0 for a right word, above 0 for a wrong one, below 0 for a failure.
    int (*_Nonnull enchant_dict_check)(EnchantDict *dictionary, const char *word, ssize_t length);
    /// A list of `count` texts, for `enchant_dict_free_string_list`; null for none.
    char *_Nonnull *_Nullable (*_Nonnull enchant_dict_suggest)(
        EnchantDict *dictionary, const char *word, ssize_t length, size_t *count);
    void (*_Nonnull enchant_dict_free_string_list)(EnchantDict *dictionary, char *_Nonnull *_Nonnull list);
    /// Adds a word to the user's file of the dictionary's tag.
    void (*_Nonnull enchant_dict_add)(EnchantDict *dictionary, const char *word, ssize_t length);
    void (*_Nonnull enchant_dict_add_to_session)(EnchantDict *dictionary, const char *word, ssize_t length);
} cenchant_functions;

/// Loads a library, such as `libenchant-2.so.2`. False if it is not there or lacks a function. It stays loaded.
bool cenchant_load(const char *name, cenchant_functions *functions);

#pragma clang assume_nonnull end
#endif
