// SPDX-License-Identifier: Apache-2.0
// Streams on the caller's thread pool.
#include <cstring>
#include <memory>

#include "common/c_api.hpp"
#include "common/parallel_runtime.hpp"
#include "tombola/tombola_threadpool.h"

using namespace tombola::impl;
using tombola::threadpool_interop::threadpool_iface;

tombola_status_t tombola_threadpool_interop_stream_create(tombola_stream_t* stream,
                                                          tombola_engine_t engine,
                                                          void* threadpool) {
    return api_call(
        "threadpool_interop_stream_create", {{stream, "stream"}, {engine, "engine"}},
        [&]() -> Status {
            if (std::strcmp(runtime_name(), "THREADPOOL") != 0)
                return unimplemented(
                    "the library was built with the CPU runtime %s; expected THREADPOOL",
                    runtime_name());
            auto made = std::make_unique<Stream>();
            made->engine = from_handle(engine);
            made->threadpool = static_cast<threadpool_iface*>(threadpool);
            if (threadpool != nullptr) made->spare_jobs.give(std::make_unique<ThreadpoolJob>());
            *stream = to_handle<tombola_stream_t>(made.release());
            return {};
        });
}

tombola_status_t tombola_threadpool_interop_stream_get_threadpool(const_tombola_stream_t stream,
                                                                  void** threadpool) {
    return api_call("threadpool_interop_stream_get_threadpool",
                    {{stream, "stream"}, {threadpool, "threadpool"}},
                    [&] { *threadpool = from_handle(stream)->threadpool; });
}
