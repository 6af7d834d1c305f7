#include <dlfcn.h>

#include "CEnchant.h"

// The functions of the table `cenchant_functions`, in its order.
#define FUNCTIONS(F) \
    F(enchant_broker_init) F(enchant_broker_free) F(enchant_broker_request_dict) F(enchant_broker_free_dict) F(enchant_broker_list_dicts) \
    F(enchant_dict_check) F(enchant_dict_suggest) F(enchant_dict_free_string_list) F(enchant_dict_add) F(enchant_dict_add_to_session)

#define COUNT(name) +1
_Static_assert(sizeof(cenchant_functions) == (0 FUNCTIONS(COUNT)) * sizeof(void *), "a function is not loaded");

bool cenchant_load(const char *name, cenchant_functions *functions) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return false;
#define LOAD(name) \
    *(void **)&functions->name = dlsym(library, #name); \
    if (!functions->name) { \
        dlclose(library); \
        return false; \
    }
    FUNCTIONS(LOAD)
    return true;
}
