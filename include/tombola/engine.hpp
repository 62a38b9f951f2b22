// SPDX-License-Identifier: Apache-2.0

/// @file
/// Engines and streams of the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_ENGINE_HPP
#define TOMBOLA_ENGINE_HPP

#include <cstddef>

#include "handle.hpp"

namespace tombola {

/// @addtogroup tombola_cpp_engine
/// @{

/// The CPU. An engine must outlive every object that is made with it.
struct engine : public handle<tombola_engine_t, tombola_engine_destroy> {
    using handle::handle;

    /// Kinds of devices.
    enum class kind {
        any = tombola_any_engine,  ///< Not a device.
        cpu = tombola_cpu,         ///< The CPU.
        gpu = tombola_gpu,         ///< No engine is of this kind.
    };

    /// An empty handle.
    engine() = default;
    /// Makes an engine.
    /// @param akind kind::cpu.
    /// @param index 0.
    /// @throws error invalid_arguments for another kind or index; out_of_memory.
    engine(kind akind, size_t index) {
        tombola_engine_t result;
        error::check(
            tombola_engine_create(&result, static_cast<tombola_engine_kind_t>(akind), index));
        reset(result);
    }
    /// The number of engines of a kind.
    /// @param akind The kind.
    /// @return 1 for kind::cpu, 0 otherwise.
    static size_t get_count(kind akind) {
        return tombola_engine_get_count(static_cast<tombola_engine_kind_t>(akind));
    }
    /// The kind.
    /// @return kind::cpu.
    kind get_kind() const {
        tombola_engine_kind_t result;
        error::check(tombola_engine_get_kind(get(), &result));
        return static_cast<kind>(result);
    }
};

/// An execution queue. Streams exist for compatibility with oneDNN; execution is synchronous.
struct stream : public handle<tombola_stream_t, tombola_stream_destroy> {
    using handle::handle;

    /// How a stream runs its executions.
    enum class flags : unsigned {
        in_order = tombola_stream_in_order,            ///< One after another.
        out_of_order = tombola_stream_out_of_order,    ///< The same.
        default_flags = tombola_stream_default_flags,  ///< In order.
    };

    /// An empty handle.
    stream() = default;
    /// Makes a stream.
    /// @param aengine The engine; it must outlive the stream.
    /// @param aflags Flags; none of them changes anything.
    /// @throws error invalid_arguments for an empty engine or an unknown flag; out_of_memory.
    explicit stream(const engine& aengine, flags aflags = flags::default_flags) {
        tombola_stream_t result;
        error::check(tombola_stream_create(&result, aengine.get(), static_cast<unsigned>(aflags)));
        reset(result);
    }
    /// The engine.
    /// @return A handle that does not keep the engine alive.
    engine get_engine() const {
        tombola_engine_t result;
        error::check(tombola_stream_get_engine(get(), &result));
        return engine(result, true);
    }
    /// Limits the threads of this stream's executions, the calling thread included; see
    /// tombola_stream_set_max_threads(). Results do not depend on it.
    /// @param max_threads The limit; 0: no limit.
    /// @throws error invalid_arguments for a negative number.
    void set_max_threads(int max_threads) {
        error::check(tombola_stream_set_max_threads(get(), max_threads));
    }
    /// The limit of threads.
    /// @return The limit; 0: no limit.
    int get_max_threads() const {
        int result;
        error::check(tombola_stream_get_max_threads(get(), &result));
        return result;
    }
    /// Returns at once, because every execution has ended when its call returns.
    /// @return This stream.
    stream& wait() {
        error::check(tombola_stream_wait(get()));
        return *this;
    }
};

/// The flags that at least one of the two has.
/// @param lhs Flags.
/// @param rhs Flags.
/// @return The flags.
inline stream::flags operator|(stream::flags lhs, stream::flags rhs) {
    return static_cast<stream::flags>(static_cast<unsigned>(lhs) | static_cast<unsigned>(rhs));
}
/// The flags that both have.
/// @param lhs Flags.
/// @param rhs Flags.
/// @return The flags.
inline stream::flags operator&(stream::flags lhs, stream::flags rhs) {
    return static_cast<stream::flags>(static_cast<unsigned>(lhs) & static_cast<unsigned>(rhs));
}

/// @}

}  // namespace tombola

#endif
