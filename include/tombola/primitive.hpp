// SPDX-License-Identifier: Apache-2.0

/// @file
/// Primitives and their attributes in the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_PRIMITIVE_HPP
#define TOMBOLA_PRIMITIVE_HPP

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <unordered_map>

#include "engine.hpp"
#include "handle.hpp"
#include "memory.hpp"

namespace tombola {

/// @addtogroup tombola_cpp_primitive
/// @{

/// The direction of a primitive.
enum class prop_kind {
    undef = tombola_prop_kind_undef,                ///< None.
    forward_training = tombola_forward_training,    ///< Forward.
    forward_inference = tombola_forward_inference,  ///< Forward.
    forward_scoring = tombola_forward_inference,    ///< Forward, as oneDNN 2 spells it.
    forward = tombola_forward,                      ///< Forward.
    backward = tombola_backward,                    ///< Backward.
    backward_data = tombola_backward_data,          ///< Backward.
};

/// Whether the library or the user provides the scratchpad; see tombola_scratchpad_mode_t.
enum class scratchpad_mode {
#define TOMBOLA_ENUMERATOR(name, value) name = tombola_scratchpad_mode_##name
    TOMBOLA_SCRATCHPAD_MODES(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};

/// Attributes of a primitive.
struct primitive_attr : public handle<tombola_primitive_attr_t, tombola_primitive_attr_destroy> {
    using handle::handle;

    /// The defaults: scratchpad mode library.
    /// @throws error out_of_memory.
    primitive_attr() {
        tombola_primitive_attr_t result;
        error::check(tombola_primitive_attr_create(&result));
        reset(result);
    }
    /// The scratchpad mode.
    /// @return The mode.
    scratchpad_mode get_scratchpad_mode() const {
        tombola_scratchpad_mode_t result;
        error::check(tombola_primitive_attr_get_scratchpad_mode(get(), &result));
        return static_cast<scratchpad_mode>(result);
    }
    /// Sets the scratchpad mode, for all copies of this handle and for primitive descriptors made later.
    /// @param mode library: scratch memory belongs to the thread that executes, which keeps it. user: an
    ///     execution needs TOMBOLA_ARG_SCRATCHPAD, described by primitive_desc_base::scratchpad_desc(), without
    ///     gaps and at an address aligned to 64 bytes.
    /// @throws error invalid_arguments for an unknown mode.
    void set_scratchpad_mode(scratchpad_mode mode) {
        error::check(tombola_primitive_attr_set_scratchpad_mode(
            get(), static_cast<tombola_scratchpad_mode_t>(mode)));
    }
};

struct primitive_desc_base;

/// A primitive that is ready to run. It is immutable, and any number of threads may run it at the same time.
struct primitive : public handle<tombola_primitive_t, tombola_primitive_destroy> {
    using handle::handle;

    /// The primitives: primitive::kind::shuffle, and so on; see tombola_primitive_kind_t.
    enum class kind {
        undef = tombola_undefined_primitive,  ///< None.
#define TOMBOLA_ENUMERATOR(name, value) name = tombola_##name,
        TOMBOLA_PRIMITIVES(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
    };

    /// An empty handle.
    primitive() = default;
    /// Makes a primitive. If the cache has an equal one, its code is reused.
    /// @param c_pd The C primitive descriptor; it is copied.
    /// @throws error invalid_arguments for NULL; out_of_memory; runtime_error when code could not be
    ///     generated.
    explicit primitive(const_tombola_primitive_desc_t c_pd) {
        tombola_primitive_t result = nullptr;
        error::check(tombola_primitive_create(&result, c_pd));
        reset(result);
    }
    /// Makes a primitive. If the cache has an equal one, its code is reused.
    /// @param pd The primitive descriptor; it is copied.
    /// @throws error invalid_arguments for NULL; out_of_memory; runtime_error when code could not be
    ///     generated.
    inline primitive(const primitive_desc_base& pd);

    /// An argument of an execution; `{TOMBOLA_ARG_SRC, m}` makes one.
    struct exec_arg {
        /// @param arg TOMBOLA_ARG_*, of any integer type.
        /// @param mem The tensor, which must live until the execution ends.
        template <class Arg>
        exec_arg(Arg arg, const memory& mem) : c_arg{static_cast<int>(arg), mem.get(true)} {}
        tombola_exec_arg_t c_arg;  ///< The same for the C API.
    };

    /// Runs the primitive. When the call returns, the results are complete. It allocates nothing, except scratch memory
    /// on a thread that did not make the primitive and, if several threads execute on one stream with a thread pool at
    /// the same time, a small object for each of them.
    /// @param astream The stream.
    /// @param args The arguments, at most 32, as `{{TOMBOLA_ARG_SRC, x}, {TOMBOLA_ARG_DST, y}}`: every required one
    ///     and any of the optional ones of the primitive's page, with the descriptors that the primitive descriptor
    ///     tells, each once. Outputs share no memory with any other argument, unless the primitive's page says so.
    ///     If the destination has no elements and no optional output is given, their values are not looked at.
    /// @throws error invalid_arguments when an argument is missing, unknown, given twice, without data, of another
    ///     descriptor or overlaps another, or when a value in it is refused; out_of_memory; runtime_error when the
    ///     operating system gives no entropy. The outputs are then untouched. They are undefined if the caller's thread
    ///     pool throws (runtime_error), or TBB has no memory (out_of_memory) or no thread (runtime_error) for its tasks.
    void execute(const stream& astream, std::initializer_list<exec_arg> args) const {
        c_args list(args.size());
        for (const exec_arg& arg : args) list.add(arg.c_arg);
        execute(astream, list);
    }
    /// Runs the primitive with the arguments in a map, as oneDNN does.
    /// @param astream The stream.
    /// @param args The arguments, at most 32, by TOMBOLA_ARG_*.
    /// @throws error invalid_arguments when an argument is missing, unknown, given twice, without data, of another
    ///     descriptor or overlaps another, or when a value in it is refused; out_of_memory; runtime_error when the
    ///     operating system gives no entropy. The outputs are then untouched. They are undefined if the caller's thread
    ///     pool throws (runtime_error), or TBB has no memory (out_of_memory) or no thread (runtime_error) for its tasks.
    void execute(const stream& astream, const std::unordered_map<int, memory>& args) const {
        c_args list(args.size());
        for (const auto& [arg, mem] : args) list.add({arg, mem.get(true)});
        execute(astream, list);
    }

    /// The C primitive descriptor.
    /// @return The descriptor, owned by the primitive.
    const_tombola_primitive_desc_t get_primitive_desc() const {
        const_tombola_primitive_desc_t result = nullptr;
        error::check(tombola_primitive_get_primitive_desc(get(), &result));
        return result;
    }
    /// The kind of primitive.
    /// @return The kind.
    kind get_kind() const {
        tombola_primitive_kind_t result;
        error::check(tombola_primitive_desc_query(get_primitive_desc(),
                                                  tombola_query_primitive_kind, 0, &result));
        return static_cast<kind>(result);
    }

  private:
    class c_args {
      public:
        explicit c_args(size_t count) {
            if (count > list_.size())
                error::raise(tombola_invalid_arguments, "primitive::execute: args has " +
                                                            std::to_string(count) +
                                                            " arguments; expected at most 32");
        }
        void add(const tombola_exec_arg_t& arg) { list_[count_++] = arg; }
        int count() const { return static_cast<int>(count_); }
        const tombola_exec_arg_t* data() const { return list_.data(); }

      private:
        std::array<tombola_exec_arg_t, 32> list_;
        size_t count_ = 0;
    };

    void execute(const stream& astream, const c_args& args) const {
        error::check(tombola_primitive_execute(get(), astream.get(), args.count(), args.data()));
    }
};

/// @}

}  // namespace tombola

#endif
