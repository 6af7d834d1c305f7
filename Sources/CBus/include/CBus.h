#ifndef CBUS_H
#define CBUS_H
// sd-bus, which is loaded while the program runs: libsystemd, libelogind and libbasu export the same functions.
// They are declared here, so that none of their headers is needed for building. If <systemd/sd-bus.h> is installed,
// bus.c compares every declaration with it.
//
// The functions are those of sd-bus(3), with the same names, as members of a table. Their manual pages say what
// they return, and who owns the results. A connection and its messages belong to one thread.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;

/// An error, with the layout of `sd_bus_error`. The strings are borrowed.
typedef struct cbus_error {
    const char *_Nullable name;
    const char *_Nullable message;
    int needs_free;
} cbus_error;

/// The functions of a library that was loaded.
typedef struct cbus_functions {
    int (*_Nonnull sd_bus_new)(sd_bus *_Nullable *_Nonnull bus);
    int (*_Nonnull sd_bus_set_address)(sd_bus *bus, const char *address);
    int (*_Nonnull sd_bus_set_bus_client)(sd_bus *bus, int flag);
    int (*_Nonnull sd_bus_negotiate_fds)(sd_bus *bus, int flag);
    int (*_Nonnull sd_bus_start)(sd_bus *bus);
    int (*_Nonnull sd_bus_is_ready)(sd_bus *bus);
    void (*_Nonnull sd_bus_close)(sd_bus *bus);
    sd_bus *_Nullable (*_Nonnull sd_bus_unref)(sd_bus *bus);
    int (*_Nonnull sd_bus_get_fd)(sd_bus *bus);
    int (*_Nonnull sd_bus_get_events)(sd_bus *bus);
    int (*_Nonnull sd_bus_get_timeout)(sd_bus *bus, uint64_t *microseconds);
    int (*_Nonnull sd_bus_process)(sd_bus *bus, sd_bus_message *_Nullable *_Nonnull message);
    int (*_Nonnull sd_bus_get_unique_name)(sd_bus *bus, const char *_Nullable *_Nonnull name);
    int (*_Nonnull sd_bus_get_n_queued_write)(sd_bus *bus, uint64_t *count);
    /// Adds a filter. If `slot` is null, the filter stays until the end of the connection.
    int (*_Nonnull sd_bus_add_filter)(
        sd_bus *bus, sd_bus_slot *_Nullable *_Nullable slot,
        int (*callback)(sd_bus_message *message, void *userdata, cbus_error *error), void *userdata);
    int (*_Nonnull sd_bus_send)(sd_bus *bus, sd_bus_message *message, uint64_t *cookie);

    int (*_Nonnull sd_bus_message_new_signal)(
        sd_bus *bus, sd_bus_message *_Nullable *_Nonnull message, const char *path, const char *interface, const char *member);
    int (*_Nonnull sd_bus_message_new_method_call)(
        sd_bus *bus, sd_bus_message *_Nullable *_Nonnull message, const char *_Nullable destination, const char *path,
        const char *_Nullable interface, const char *member);
    int (*_Nonnull sd_bus_message_new_method_return)(sd_bus_message *call, sd_bus_message *_Nullable *_Nonnull message);
    int (*_Nonnull sd_bus_message_new_method_error)(
        sd_bus_message *call, sd_bus_message *_Nullable *_Nonnull message, const cbus_error *error);
    sd_bus_message *_Nonnull (*_Nonnull sd_bus_message_ref)(sd_bus_message *message);
    sd_bus_message *_Nullable (*_Nonnull sd_bus_message_unref)(sd_bus_message *message);
    int (*_Nonnull sd_bus_message_set_destination)(sd_bus_message *message, const char *name);
    int (*_Nonnull sd_bus_message_set_sender)(sd_bus_message *message, const char *name);
    int (*_Nonnull sd_bus_message_set_expect_reply)(sd_bus_message *message, int flag);
    int (*_Nonnull sd_bus_message_set_auto_start)(sd_bus_message *message, int flag);
    int (*_Nonnull sd_bus_message_seal)(sd_bus_message *message, uint64_t cookie, uint64_t microseconds);
    int (*_Nonnull sd_bus_message_append_basic)(sd_bus_message *message, char type, const void *value);
    int (*_Nonnull sd_bus_message_append_array)(sd_bus_message *message, char type, const void *_Nullable elements, size_t size);
    int (*_Nonnull sd_bus_message_open_container)(sd_bus_message *message, char type, const char *contents);
    int (*_Nonnull sd_bus_message_close_container)(sd_bus_message *message);

    int (*_Nonnull sd_bus_message_get_type)(sd_bus_message *message, uint8_t *type);
    int (*_Nonnull sd_bus_message_get_cookie)(sd_bus_message *message, uint64_t *cookie);
    int (*_Nonnull sd_bus_message_get_reply_cookie)(sd_bus_message *message, uint64_t *cookie);
    int (*_Nonnull sd_bus_message_get_expect_reply)(sd_bus_message *message);
    const char *_Nullable (*_Nonnull sd_bus_message_get_signature)(sd_bus_message *message, int complete);
    const char *_Nullable (*_Nonnull sd_bus_message_get_path)(sd_bus_message *message);
    const char *_Nullable (*_Nonnull sd_bus_message_get_interface)(sd_bus_message *message);
    const char *_Nullable (*_Nonnull sd_bus_message_get_member)(sd_bus_message *message);
    const char *_Nullable (*_Nonnull sd_bus_message_get_destination)(sd_bus_message *message);
    const char *_Nullable (*_Nonnull sd_bus_message_get_sender)(sd_bus_message *message);
    const cbus_error *_Nullable (*_Nonnull sd_bus_message_get_error)(sd_bus_message *message);
    int (*_Nonnull sd_bus_message_read_basic)(sd_bus_message *message, char type, void *value);
    int (*_Nonnull sd_bus_message_read_array)(
        sd_bus_message *message, char type, const void *_Nullable *_Nonnull elements, size_t *size);
    int (*_Nonnull sd_bus_message_enter_container)(sd_bus_message *message, char type, const char *_Nullable contents);
    int (*_Nonnull sd_bus_message_exit_container)(sd_bus_message *message);
    int (*_Nonnull sd_bus_message_at_end)(sd_bus_message *message, int complete);
    int (*_Nonnull sd_bus_message_peek_type)(
        sd_bus_message *message, char *_Nullable type, const char *_Nullable *_Nullable contents);
} cbus_functions;

/// Loads the shared library `name`, and fills `functions`. Returns false if there is no such library, or if it
/// lacks one of the functions. `missing` then is the name of that function, which stays valid; it is null if the
/// library could not be loaded. The library stays loaded. Any thread.
bool cbus_load(const char *name, cbus_functions *functions, const char *_Nullable *_Nonnull missing);

/// Creates a descriptor by `eventfd`, whose header is missing in Swift's Glibc module. The descriptor is
/// close-on-exec and does not block; the caller closes it. Returns -1, with the reason in `errno`, if that fails.
int cbus_signal_create(void);

/// Sets the name of the calling thread that tools show, at most 15 bytes, by `pthread_setname_np`, which is missing
/// in Swift's Glibc module.
void cbus_thread_name(const char *name);

#pragma clang assume_nonnull end
#endif
