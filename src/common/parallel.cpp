// SPDX-License-Identifier: Apache-2.0
#include "common/parallel.hpp"

#include <algorithm>

#include "common/fp_env.hpp"

#if defined(TOMBOLA_RUNTIME_OMP)
#include <omp.h>
#elif !defined(TOMBOLA_RUNTIME_SEQ)
#error "TOMBOLA_RUNTIME_OMP or TOMBOLA_RUNTIME_SEQ has to be defined"
#endif

namespace tombola::impl {
namespace {

// Waking a sleeping worker and meeting it at the end costs 10 to 50 microseconds under passive waiting, in which
// one core moves some hundred KiB: with less than this for each part, sharing loses.
constexpr size_t kBytesPerPart = size_t{512} << 10;

}  // namespace

#if defined(TOMBOLA_RUNTIME_OMP)

int max_threads() { return omp_in_parallel() ? 1 : omp_get_max_threads(); }

void parallel(int parts, FunctionRef<void(int, int)> body) {
    if (parts <= 1) return body(0, 1);
#pragma omp parallel for schedule(static, 1) num_threads(std::min(parts, max_threads()))
    for (int part = 0; part < parts; ++part) {
        const DefaultFpEnv fp_env;
        body(part, parts);
    }
}

#else

int max_threads() { return 1; }

void parallel(int parts, FunctionRef<void(int, int)> body) {
    for (int part = 0; part < parts; ++part) body(part, parts);
}

#endif

Range split(int64_t count, int part, int parts, int64_t multiple) {
    const int64_t units = (count + multiple - 1) / multiple;
    const int64_t each = units / parts;
    const int64_t more = units % parts;  // the first `more` parts have one unit more
    const int64_t begin = each * part + std::min<int64_t>(part, more);
    const int64_t end = begin + each + (part < more ? 1 : 0);
    return {std::min(begin * multiple, count), std::min(end * multiple, count)};
}

int parts_for(size_t work_bytes) {
    if (work_bytes < 2 * kBytesPerPart) return 1;
    const size_t worthwhile = work_bytes / kBytesPerPart;
    return static_cast<int>(std::min<size_t>(worthwhile, static_cast<size_t>(max_threads())));
}

}  // namespace tombola::impl
