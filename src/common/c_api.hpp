// SPDX-License-Identifier: Apache-2.0
#pragma once

// The border between the C API and the library: handles to objects and back, statuses to codes and messages, and
// exceptions to statuses. Every function of the C API that can fail is
//
//   return api_call("name", {{engine, "engine"}}, [&]() -> Status { ... });
//
// The list names the arguments that must not be null. A body that cannot fail returns nothing. api_call() turns every
// exception into a status. Storing the message of a failure allocates nothing, because there may be no memory left.

#include <exception>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

#include "common/memory.hpp"
#include "common/memory_desc.hpp"
#include "common/primitive.hpp"
#include "common/primitive_desc.hpp"
#include "common/status.hpp"
#include "common/stream.hpp"
#include "common/types.hpp"
#include "tombola/tombola.h"

namespace tombola::impl {

// The object behind a primitive_desc handle. tombola_primitive_desc_next_impl() replaces `desc`.
struct PrimitiveDescHandle {
    std::shared_ptr<const PrimitiveDesc> desc;
};

// The object behind a primitive handle.
struct PrimitiveHandle {
    std::unique_ptr<Primitive> primitive;
    PrimitiveDescHandle desc;
    const char* name;  // of its kind
};

// Handle types are never defined: a handle is the address of the object behind it.
template <class Handle>
struct HandleTarget;
#define TOMBOLA_HANDLE(name, target)                \
    template <>                                     \
    struct HandleTarget<tombola_##name##_t> {       \
        using type = target;                        \
    };                                              \
    template <>                                     \
    struct HandleTarget<const_tombola_##name##_t> { \
        using type = const target;                  \
    };
TOMBOLA_HANDLE(memory_desc, MemoryDesc)
TOMBOLA_HANDLE(engine, Engine)
TOMBOLA_HANDLE(stream, Stream)
TOMBOLA_HANDLE(memory, Memory)
TOMBOLA_HANDLE(primitive_attr, Attr)
TOMBOLA_HANDLE(primitive_desc, PrimitiveDescHandle)
TOMBOLA_HANDLE(primitive, PrimitiveHandle)
#undef TOMBOLA_HANDLE

template <class Handle>
typename HandleTarget<Handle>::type* from_handle(Handle handle) {
    return reinterpret_cast<typename HandleTarget<Handle>::type*>(handle);
}
template <class Handle, class Target>
Handle to_handle(Target* target) {
    static_assert(std::is_convertible_v<Target*, typename HandleTarget<Handle>::type*>);
    return reinterpret_cast<Handle>(target);
}

// Stores "function: message" for tombola_get_last_error() without allocating, and returns the status code. In verbose
// mode it also prints the message.
tombola_status_t report(const char* function, StatusCode code, const char* message) noexcept;

// An argument of a function and its name.
struct NamedArg {
    const void* value;
    const char* name;
};

inline Status check_not_null(const void* argument, const char* name) {
    if (argument != nullptr) return {};
    return invalid("%s is null; expected a handle or an address", name);
}

// Sets an enumeration to the value that a caller has given. Refuses a value that it does not have; the message lists those
// that it has: "tensorflow or pytorch".
template <class Enum>
Status set_enum(Enum& to, int value, const char* name) {
    constexpr auto kAll = all_of(Enum{});
    for (const Enum known : kAll) {
        if (static_cast<int>(known) != value) continue;
        to = known;
        return {};
    }
    std::string names = name_of(kAll.front());
    for (size_t i = 1; i < kAll.size(); ++i)
        names += (i + 1 < kAll.size() ? ", " : " or ") + std::string(name_of(kAll[i]));
    return invalid("%s is %d; expected %s", name, value, names.c_str());
}

template <class Body>
tombola_status_t api_call(const char* function, std::initializer_list<NamedArg> not_null,
                          const Body& body) noexcept {
    try {
        const Status status = [&]() -> Status {
            for (const NamedArg& arg : not_null) TOMBOLA_TRY(check_not_null(arg.value, arg.name));
            if constexpr (std::is_void_v<decltype(body())>)
                return body(), Status();
            else
                return body();
        }();
        if (status.ok()) return tombola_success;
        return report(function, status.code(), status.message().c_str());
    } catch (const std::bad_alloc&) {
        return report(function, StatusCode::out_of_memory, "out of memory");
    } catch (const std::exception& error) {
        return report(function, StatusCode::runtime_error, error.what());
    } catch (...) {
        return report(function, StatusCode::runtime_error,
                      "an exception that is no std::exception");
    }
}

template <class Body>
tombola_status_t api_call(const char* function, const Body& body) noexcept {
    return api_call(function, {}, body);
}

}  // namespace tombola::impl
