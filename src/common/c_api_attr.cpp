// SPDX-License-Identifier: Apache-2.0
// Attributes.
#include "common/c_api.hpp"

using namespace tombola::impl;

tombola_status_t tombola_primitive_attr_create(tombola_primitive_attr_t* attr) {
    return api_call("primitive_attr_create", {{attr, "attr"}},
                    [&] { *attr = to_handle<tombola_primitive_attr_t>(new Attr()); });
}

tombola_status_t tombola_primitive_attr_clone(tombola_primitive_attr_t* attr,
                                              const_tombola_primitive_attr_t existing) {
    return api_call("primitive_attr_clone", {{attr, "attr"}, {existing, "existing"}}, [&] {
        *attr = to_handle<tombola_primitive_attr_t>(new Attr(*from_handle(existing)));
    });
}

tombola_status_t tombola_primitive_attr_destroy(tombola_primitive_attr_t attr) {
    delete from_handle(attr);
    return tombola_success;
}

tombola_status_t tombola_primitive_attr_get_scratchpad_mode(const_tombola_primitive_attr_t attr,
                                                            tombola_scratchpad_mode_t* mode) {
    return api_call("primitive_attr_get_scratchpad_mode", {{attr, "attr"}, {mode, "mode"}}, [&] {
        *mode = static_cast<tombola_scratchpad_mode_t>(from_handle(attr)->scratchpad_mode);
    });
}

tombola_status_t tombola_primitive_attr_set_scratchpad_mode(tombola_primitive_attr_t attr,
                                                            tombola_scratchpad_mode_t mode) {
    return api_call("primitive_attr_set_scratchpad_mode", {{attr, "attr"}}, [&]() -> Status {
        return set_enum(from_handle(attr)->scratchpad_mode, mode, "mode");
    });
}
