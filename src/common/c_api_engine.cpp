// SPDX-License-Identifier: Apache-2.0
// Engines and streams.
#include <string>

#include "common/c_api.hpp"

using namespace tombola::impl;

size_t tombola_engine_get_count(tombola_engine_kind_t kind) { return kind == tombola_cpu ? 1 : 0; }

tombola_status_t tombola_engine_create(tombola_engine_t* engine, tombola_engine_kind_t kind,
                                       size_t index) {
    return api_call("engine_create", {{engine, "engine"}}, [&]() -> Status {
        if (kind != tombola_cpu)
            return invalid("kind is %s; expected cpu, the only kind of engine",
                           kind == tombola_gpu          ? "gpu"
                           : kind == tombola_any_engine ? "any_engine"
                                                        : std::to_string(kind).c_str());
        if (index != 0) return invalid("index is %llu; expected 0, the only engine", index);
        *engine = to_handle<tombola_engine_t>(new Engine());
        return {};
    });
}

tombola_status_t tombola_engine_get_kind(const_tombola_engine_t engine,
                                         tombola_engine_kind_t* kind) {
    return api_call("engine_get_kind", {{engine, "engine"}, {kind, "kind"}},
                    [&] { *kind = tombola_cpu; });
}

tombola_status_t tombola_engine_destroy(tombola_engine_t engine) {
    delete from_handle(engine);
    return tombola_success;
}

tombola_status_t tombola_stream_create(tombola_stream_t* stream, tombola_engine_t engine,
                                       unsigned flags) {
    return api_call("stream_create", {{stream, "stream"}, {engine, "engine"}}, [&]() -> Status {
        constexpr unsigned kKnown = tombola_stream_in_order | tombola_stream_out_of_order;
        if ((flags & ~kKnown) != 0)
            return invalid("flags are 0x%x; expected a combination of tombola_stream_flags_t",
                           flags);
        *stream = to_handle<tombola_stream_t>(new Stream{from_handle(engine)});
        return {};
    });
}

tombola_status_t tombola_stream_get_engine(const_tombola_stream_t stream,
                                           tombola_engine_t* engine) {
    return api_call("stream_get_engine", {{stream, "stream"}, {engine, "engine"}},
                    [&] { *engine = to_handle<tombola_engine_t>(from_handle(stream)->engine); });
}

tombola_status_t tombola_stream_set_max_threads(tombola_stream_t stream, int max_threads) {
    return api_call("stream_set_max_threads", {{stream, "stream"}}, [&]() -> Status {
        if (max_threads < 0)
            return invalid("max_threads is %d; expected a number of threads, or 0 for no limit",
                           max_threads);
        from_handle(stream)->max_threads = max_threads;
        return {};
    });
}

tombola_status_t tombola_stream_get_max_threads(const_tombola_stream_t stream, int* max_threads) {
    return api_call("stream_get_max_threads", {{stream, "stream"}, {max_threads, "max_threads"}},
                    [&] { *max_threads = from_handle(stream)->max_threads; });
}

tombola_status_t tombola_stream_wait(const_tombola_stream_t stream) {
    return api_call("stream_wait", [&] { return check_not_null(stream, "stream"); });
}

tombola_status_t tombola_stream_destroy(tombola_stream_t stream) {
    delete from_handle(stream);
    return tombola_success;
}
