// SPDX-License-Identifier: Apache-2.0

/// @file
/// The base class of all objects of the C++ API: a shared handle of the C API. Included by tombola.hpp.

#ifndef TOMBOLA_HANDLE_HPP
#define TOMBOLA_HANDLE_HPP

#include <memory>
#include <string>
#include <type_traits>

#include "error.hpp"

namespace tombola {

/// @cond
namespace detail {
inline const char* name_of(tombola_engine_t) { return "engine"; }
inline const char* name_of(tombola_stream_t) { return "stream"; }
inline const char* name_of(tombola_memory_desc_t) { return "memory descriptor"; }
inline const char* name_of(tombola_memory_t) { return "memory object"; }
inline const char* name_of(tombola_primitive_attr_t) { return "attribute object"; }
inline const char* name_of(tombola_primitive_desc_t) { return "primitive descriptor"; }
inline const char* name_of(tombola_primitive_t) { return "primitive"; }
}  // namespace detail
/// @endcond

/// @addtogroup tombola_cpp_handle
/// @{

/// A shared handle of the C API. Copies refer to the same object, and the last copy destroys it. An empty handle refers
/// to no object.
/// @tparam T The C handle.
/// @tparam destroy The C function that frees what it refers to.
template <class T, tombola_status_t (*destroy)(T)>
class handle {
  public:
    /// An empty handle.
    handle() = default;
    /// Takes over a C handle.
    /// @param object The C handle; NULL makes an empty handle.
    /// @param weak Whether somebody else destroys it: then it must outlive this handle and its copies.
    explicit handle(T object, bool weak = false) { reset(object, weak); }

    /// Refers to another object.
    /// @param object The C handle; NULL makes an empty handle.
    /// @param weak Whether somebody else destroys it: then it must outlive this handle and its copies.
    void reset(T object, bool weak = false) {
        if (weak)
            data_.reset(object, [](T) { return tombola_success; });
        else
            data_.reset(object, destroy);
    }

    /// The C handle.
    /// @param allow_empty Whether an empty handle gives NULL; otherwise it throws.
    /// @return The C handle, still owned by this object.
    /// @throws error invalid_arguments if the handle is empty.
    T get(bool allow_empty = false) const {
        if (!allow_empty && data_ == nullptr)
            error::raise(tombola_invalid_arguments,
                         std::string("the handle of the ") + detail::name_of(T()) +
                             " is empty; expected one that refers to an object");
        return data_.get();
    }
    /// The C handle.
    /// @return The C handle, still owned by this object; NULL if it is empty.
    explicit operator T() const { return get(true); }
    /// Whether it refers to an object.
    /// @return false if it is empty.
    explicit operator bool() const { return data_ != nullptr; }
    /// Whether both refer to the same object, not to equal ones.
    /// @param other Another handle.
    /// @return true if both are the same or both are empty.
    bool operator==(const handle& other) const { return data_ == other.data_; }
    /// Whether they refer to different objects.
    /// @param other Another handle.
    /// @return The opposite of ==.
    bool operator!=(const handle& other) const { return data_ != other.data_; }

  private:
    std::shared_ptr<std::remove_pointer_t<T>> data_;
};

/// @}

}  // namespace tombola

#endif
