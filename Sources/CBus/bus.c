#define _GNU_SOURCE
#include "include/CBus.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/eventfd.h>

// The functions of the table, in its order.
#define FUNCTIONS(F) \
    F(sd_bus_new) F(sd_bus_set_address) F(sd_bus_set_bus_client) F(sd_bus_negotiate_fds) F(sd_bus_start) F(sd_bus_is_ready) \
    F(sd_bus_close) F(sd_bus_unref) F(sd_bus_get_fd) F(sd_bus_get_events) F(sd_bus_get_timeout) F(sd_bus_process) \
    F(sd_bus_get_unique_name) F(sd_bus_get_n_queued_write) F(sd_bus_send) F(sd_bus_message_new_signal) \
    F(sd_bus_message_new_method_call) F(sd_bus_message_new_method_return) F(sd_bus_message_ref) F(sd_bus_message_unref) \
    F(sd_bus_message_set_destination) \
    F(sd_bus_message_set_sender) F(sd_bus_message_set_expect_reply) F(sd_bus_message_set_auto_start) F(sd_bus_message_seal) \
    F(sd_bus_message_append_basic) F(sd_bus_message_append_array) F(sd_bus_message_open_container) \
    F(sd_bus_message_close_container) F(sd_bus_message_get_type) F(sd_bus_message_get_cookie) F(sd_bus_message_get_reply_cookie) \
    F(sd_bus_message_get_expect_reply) F(sd_bus_message_get_signature) F(sd_bus_message_get_path) F(sd_bus_message_get_interface) \
    F(sd_bus_message_get_member) F(sd_bus_message_get_destination) F(sd_bus_message_get_sender) F(sd_bus_message_read_basic) \
    F(sd_bus_message_read_array) F(sd_bus_message_enter_container) F(sd_bus_message_exit_container) F(sd_bus_message_at_end) \
    F(sd_bus_message_peek_type)
// The functions that use `sd_bus_error`. The compiler cannot compare their types, because that type has no tag: compare
// only its layout.
#define ERROR_FUNCTIONS(F) F(sd_bus_message_new_method_error) F(sd_bus_message_get_error) F(sd_bus_add_filter)

#define COUNT(name) +1
_Static_assert(sizeof(cbus_functions) == (0 FUNCTIONS(COUNT) ERROR_FUNCTIONS(COUNT)) * sizeof(void *), "a function is not loaded");

#if __has_include(<systemd/sd-bus.h>)
#include <systemd/sd-bus.h>
#define CHECK(name) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), __typeof__(((cbus_functions *)0)->name)), #name " is declared otherwise");
FUNCTIONS(CHECK)
_Static_assert(sizeof(sd_bus_error) == sizeof(cbus_error), "sd_bus_error has another size");
_Static_assert(offsetof(sd_bus_error, name) == offsetof(cbus_error, name), "sd_bus_error.name");
_Static_assert(offsetof(sd_bus_error, message) == offsetof(cbus_error, message), "sd_bus_error.message");
_Static_assert(offsetof(sd_bus_error, _need_free) == offsetof(cbus_error, needs_free), "sd_bus_error._need_free");
#endif

bool cbus_load(const char *name, cbus_functions *functions, const char **missing) {
    *missing = NULL;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return false;
#define LOAD(name) \
    *(void **)&functions->name = dlsym(library, #name); \
    if (!functions->name) { \
        *missing = #name; \
        dlclose(library); \
        return false; \
    }
    FUNCTIONS(LOAD)
    ERROR_FUNCTIONS(LOAD)
    return true;
}

void cbus_thread_name(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

int cbus_signal_create(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}
