// SPDX-License-Identifier: Apache-2.0

/// @file
/// oneDNN's C++ API over tombola, for programs of the 2.x line (operation descriptors) and of the
/// 3.x line: namespace dnnl holds the types of tombola.hpp that oneDNN has too, and nothing else. Executions, the
/// hints of backward descriptors and attributes accept what oneDNN accepts; see dnnl.h.

#ifndef TOMBOLA_COMPAT_DNNL_HPP
#define TOMBOLA_COMPAT_DNNL_HPP

#if defined(ONEAPI_DNNL_DNNL_HPP)
#error \
    "tombola's compatibility headers and oneDNN's own headers are both included: \
take tombola/compat out of the include path and use tombola/interop/dnnl.hpp beside oneDNN"
#endif

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "../../../tombola.hpp"
#include "dnnl.h"

namespace dnnl {

using tombola::engine;
using tombola::error;
using tombola::get_primitive_cache_capacity;
using tombola::memory;
using tombola::primitive_desc;
using tombola::primitive_desc_base;
using tombola::prop_kind;
using tombola::query;
using tombola::scratchpad_mode;
using tombola::set_primitive_cache_capacity;
using tombola::set_verbose;
using tombola::status;
using tombola::stream;

enum class fpmath_mode {
    strict = dnnl_fpmath_mode_strict,
    bf16 = dnnl_fpmath_mode_bf16,
    f16 = dnnl_fpmath_mode_f16,
    tf32 = dnnl_fpmath_mode_tf32,
    any = dnnl_fpmath_mode_any,
};
enum class accumulation_mode {
    strict = dnnl_accumulation_mode_strict,
    relaxed = dnnl_accumulation_mode_relaxed,
    any = dnnl_accumulation_mode_any,
    s32 = dnnl_accumulation_mode_s32,
    f32 = dnnl_accumulation_mode_f32,
    f16 = dnnl_accumulation_mode_f16,
};

/// Attributes of a primitive. The modes of arithmetic are accepted and change nothing: a shuffle computes nothing. Each
/// object remembers its own; the attributes of a primitive descriptor have the defaults.
struct primitive_attr : public tombola::primitive_attr {
    using tombola::primitive_attr::primitive_attr;
    primitive_attr() = default;
    primitive_attr(const tombola::primitive_attr& attr) : tombola::primitive_attr(attr) {}
    void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false) {
        error::check(dnnl_primitive_attr_set_fpmath_mode_v2(
            get(), static_cast<dnnl_fpmath_mode_t>(mode), apply_to_int));
        fpmath_mode_ = mode;
        apply_to_int_ = apply_to_int;
    }
    fpmath_mode get_fpmath_mode() const { return fpmath_mode_; }
    void get_fpmath_mode(fpmath_mode& mode, bool& apply_to_int) const {
        mode = fpmath_mode_;
        apply_to_int = apply_to_int_;
    }
    void set_accumulation_mode(accumulation_mode mode) {
        error::check(dnnl_primitive_attr_set_accumulation_mode(
            get(), static_cast<dnnl_accumulation_mode_t>(mode)));
        accumulation_mode_ = mode;
    }
    accumulation_mode get_accumulation_mode() const { return accumulation_mode_; }
    void set_deterministic(bool value) {
        error::check(dnnl_primitive_attr_set_deterministic(get(), value));
        deterministic_ = value;
    }
    bool get_deterministic() const { return deterministic_; }

  private:
    fpmath_mode fpmath_mode_ = fpmath_mode::strict;
    accumulation_mode accumulation_mode_ = accumulation_mode::strict;
    bool apply_to_int_ = false, deterministic_ = false;
};

/// A primitive whose execution accepts what oneDNN's accepts; see dnnl_primitive_execute().
struct primitive : public tombola::primitive {
    using tombola::primitive::primitive;
    primitive() = default;
    void execute(const stream& astream, const std::unordered_map<int, memory>& args) const {
        std::vector<dnnl_exec_arg_t> list;
        list.reserve(args.size());
        for (const auto& arg : args) list.push_back({arg.first, arg.second.get(true)});
        error::check(dnnl_primitive_execute(get(), astream.get(), static_cast<int>(list.size()),
                                            list.data()));
    }
};

struct shuffle_forward : public primitive {
    using desc = tombola::shuffle_forward::desc;
    using primitive_desc = tombola::shuffle_forward::primitive_desc;
    shuffle_forward() = default;
    shuffle_forward(const primitive_desc& pd) : primitive(pd) {}
};

struct shuffle_backward : public primitive {
    struct desc : public tombola::shuffle_backward::desc {
        using tombola::shuffle_backward::desc::desc;
        dnnl_status_t create(dnnl_primitive_desc_t* result, dnnl_engine_t c_engine,
                             const_dnnl_primitive_desc_t hint_fwd_pd,
                             const_dnnl_primitive_attr_t attr) const {
            return dnnl_shuffle_backward_primitive_desc_create(
                result, c_engine, diff_src_desc.get(true), diff_dst_desc.get(true), axis,
                group_size, hint_fwd_pd, attr);
        }
    };
    struct primitive_desc
        : public tombola::shuffle_desc<desc, tombola::shuffle_forward::primitive_desc> {
        using base = tombola::shuffle_desc<desc, tombola::shuffle_forward::primitive_desc>;
        using base::base;
        primitive_desc() = default;
        primitive_desc(const engine& aengine, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, int axis, memory::dim group_size,
                       const shuffle_forward::primitive_desc& hint_fwd_pd,
                       const tombola::primitive_attr& attr = primitive_attr(),
                       bool allow_empty = false)
            : base(desc(diff_src_desc, diff_dst_desc, axis, group_size), aengine, hint_fwd_pd, attr,
                   allow_empty) {}
    };
    shuffle_backward() = default;
    shuffle_backward(const primitive_desc& pd) : primitive(pd) {}
};

inline dnnl_engine_kind_t convert_to_c(engine::kind akind) {
    return static_cast<dnnl_engine_kind_t>(akind);
}
inline dnnl_primitive_kind_t convert_to_c(primitive::kind akind) {
    return static_cast<dnnl_primitive_kind_t>(akind);
}
inline dnnl_prop_kind_t convert_to_c(prop_kind akind) {
    return static_cast<dnnl_prop_kind_t>(akind);
}
inline dnnl_scratchpad_mode_t convert_to_c(scratchpad_mode mode) {
    return static_cast<dnnl_scratchpad_mode_t>(mode);
}
inline dnnl_query_t convert_to_c(query aquery) { return static_cast<dnnl_query_t>(aquery); }
inline dnnl_fpmath_mode_t convert_to_c(fpmath_mode mode) {
    return static_cast<dnnl_fpmath_mode_t>(mode);
}
inline dnnl_accumulation_mode_t convert_to_c(accumulation_mode mode) {
    return static_cast<dnnl_accumulation_mode_t>(mode);
}

inline status set_default_fpmath_mode(fpmath_mode mode) {
    return static_cast<status>(dnnl_set_default_fpmath_mode(convert_to_c(mode)));
}

using version_t = dnnl_version_t;
inline const version_t* version() { return dnnl_version(); }

/// oneDNN's instruction sets. A set that tombola does not distinguish means the next lower one that tombola has.
enum class cpu_isa {
    isa_default = dnnl_cpu_isa_default,
    all = dnnl_cpu_isa_all,
    sse41 = dnnl_cpu_isa_sse41,
    avx = dnnl_cpu_isa_avx,
    avx2 = dnnl_cpu_isa_avx2,
    avx2_vnni = dnnl_cpu_isa_avx2_vnni,
    avx2_vnni_2 = dnnl_cpu_isa_avx2_vnni_2,
    avx512_core = dnnl_cpu_isa_avx512_core,
    avx512_core_vnni = dnnl_cpu_isa_avx512_core_vnni,
    avx512_core_bf16 = dnnl_cpu_isa_avx512_core_bf16,
    avx512_core_fp16 = dnnl_cpu_isa_avx512_core_fp16,
    avx512_core_amx = dnnl_cpu_isa_avx512_core_amx,
    avx512_core_amx_fp16 = dnnl_cpu_isa_avx512_core_amx_fp16,
};
inline status set_max_cpu_isa(cpu_isa isa) {
    return static_cast<status>(dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(isa)));
}
inline cpu_isa get_effective_cpu_isa() {
    return static_cast<cpu_isa>(dnnl_get_effective_cpu_isa());
}

}  // namespace dnnl

namespace oneapi {
namespace dnnl = ::dnnl;
}

#endif
