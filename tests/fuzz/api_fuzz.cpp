// SPDX-License-Identifier: Apache-2.0

// The C API as a sequence of calls with arbitrary arguments. Handles are good or null; numbers and descriptors are
// anything. What must hold of an execution is in execution.hpp.

#include "fuzz/execution.hpp"
#include "fuzz/tensors.hpp"

namespace tombola::fuzz {
namespace {

using test::Attr;
using test::Memory;
using test::MemoryDesc;
using test::PrimitiveDesc;
using test::Stream;

constexpr tombola_data_type_t kFloats[] = {tombola_f32, tombola_f64, tombola_f16, tombola_bf16};

// The descriptors of a problem, of which each primitive takes one to three.
struct Shapes {
    MemoryDesc src, dst, third;
};

MemoryDesc copy_of(const_tombola_memory_desc_t desc) {
    MemoryDesc made;
    if (desc != nullptr) tombola_memory_desc_clone(made.out(), desc);
    return made;
}

class Session {
  public:
    explicit Session(Input& in) : in_(in) {
        tombola_stream_create(stream_.out(), the_engine(), tombola_stream_default_flags);
    }

    void run() {
        for (int calls = 0; calls < 12 && in_.remaining_bytes() > 0; ++calls) {
            switch (in_.ConsumeIntegralInRange(0, 15)) {
                case 0:
                    keep(wild_desc(in_));
                    break;
                case 1:
                    derive_desc();
                    break;
                case 2:
                    query_desc();
                    break;
                case 3:
                    make_memory();
                    break;
                case 4:
                    make_attr();
                    break;
                case 5:
                    settings();
                    break;
                case 6:
                    query_problem();
                    break;
                case 7:
                    if (problem_.chosen.get() != nullptr)
                        succeeded(tombola_primitive_desc_next_impl(problem_.chosen),
                                  "primitive_desc_next_impl", {tombola_last_impl_reached});
                    break;
                case 8:
                    nulls();
                    break;
                case 9:
                case 10:
                case 11:
                    make_problem();
                    break;
                default:
                    if (problem_.chosen.get() != nullptr && is_small(problem_.chosen))
                        execute(in_, problem_, stream_, memory_);
            }
        }
    }

  private:
    void keep(MemoryDesc made) {
        if (made.get() != nullptr) desc_ = std::move(made);
    }

    void derive_desc() {
        Dims dims(TOMBOLA_MAX_NDIMS), offsets(TOMBOLA_MAX_NDIMS);
        int axes[TOMBOLA_MAX_NDIMS];
        if (desc_.get() == nullptr) return;
        for (auto& size : dims) size = mostly<tombola_dim_t>(in_, 0, 9);
        for (auto& offset : offsets) offset = mostly<tombola_dim_t>(in_, 0, 9);
        for (int& axis : axes) axis = mostly(in_, 0, TOMBOLA_MAX_NDIMS - 1);
        MemoryDesc made;
        switch (in_.ConsumeIntegralInRange(0, 3)) {
            case 0:
                succeeded(tombola_memory_desc_create_submemory(made.out(), desc_, dims.data(),
                                                               offsets.data()),
                          "memory_desc_create_submemory",
                          {tombola_invalid_arguments, tombola_unimplemented});
                break;
            case 1:
                succeeded(tombola_memory_desc_reshape(
                              made.out(), desc_, mostly(in_, 0, TOMBOLA_MAX_NDIMS), dims.data()),
                          "memory_desc_reshape");
                break;
            case 2:
                succeeded(tombola_memory_desc_permute_axes(made.out(), desc_, axes),
                          "memory_desc_permute_axes");
                break;
            default:
                succeeded(tombola_memory_desc_clone(made.out(), desc_), "memory_desc_clone", {});
                expect(tombola_memory_desc_equal(made, desc_) == 1, "a copy is not equal");
        }
        keep(std::move(made));
    }

    void query_desc() {
        if (desc_.get() == nullptr) return;
        int64_t result = 0;  // of 8 bytes, as the largest answer
        succeeded(tombola_memory_desc_query(
                      desc_, static_cast<tombola_query_t>(mostly<int>(in_, 60, 140)), &result),
                  "memory_desc_query", {tombola_invalid_arguments, tombola_not_required});
    }

    void make_memory() {
        static uint64_t data[512];
        if (desc_.get() == nullptr) return;
        const bool fits = tombola_memory_desc_get_size(desc_) <= sizeof data;
        Memory made;
        void* handle = in_.ConsumeBool() || !fits ? nullptr : data;
        if (fits && in_.ConsumeBool()) handle = TOMBOLA_MEMORY_ALLOCATE;
        if (!succeeded(tombola_memory_create(made.out(), desc_, the_engine(), handle),
                       "memory_create"))
            return;
        memory_ = std::move(made);
        void* got = nullptr;
        tombola_memory_get_data_handle(memory_, &got);
        expect(handle == TOMBOLA_MEMORY_ALLOCATE || got == handle, "another handle comes back");
        if (handle != TOMBOLA_MEMORY_ALLOCATE && fits)
            succeeded(tombola_memory_set_data_handle(memory_,
                                                     reinterpret_cast<uint8_t*>(data) +
                                                         in_.ConsumeIntegralInRange<size_t>(0, 0)),
                      "memory_set_data_handle");
    }

    void make_attr() {
        Attr made;
        succeeded(tombola_primitive_attr_create(made.out()), "primitive_attr_create", {});
        const int mode = mostly(in_, 0, 1);
        const bool good = succeeded(tombola_primitive_attr_set_scratchpad_mode(
                                        made, static_cast<tombola_scratchpad_mode_t>(mode)),
                                    "primitive_attr_set_scratchpad_mode");
        expect(good == (mode == 0 || mode == 1), "a scratchpad mode that is none is taken");
        attr_ = std::move(made);
    }

    void settings() {
        const int value = mostly(in_, 0, 4);
        switch (in_.ConsumeIntegralInRange(0, 4)) {
            case 0:
                succeeded(tombola_set_max_cpu_isa(static_cast<tombola_cpu_isa_t>(value)),
                          "set_max_cpu_isa");
                break;
            case 1:
                succeeded(tombola_set_primitive_cache_capacity(std::min(value, 4096)),
                          "set_primitive_cache_capacity");
                break;
            case 2:
                succeeded(tombola_stream_set_max_threads(stream_, value), "stream_set_max_threads");
                break;
            case 3:
                succeeded(tombola_set_verbose(value), "set_verbose");
                break;
            default: {
                Stream made;
                if (succeeded(tombola_stream_create(made.out(), the_engine(),
                                                    static_cast<unsigned>(value)),
                              "stream_create"))
                    stream_ = std::move(made);
            }
        }
    }

    void query_problem() {
        if (problem_.chosen.get() == nullptr) return;
        const auto what = static_cast<tombola_query_t>(mostly<int>(in_, 0, 70));
        const int index = mostly(in_, 0, 1100);
        int64_t result = 0;
        succeeded(tombola_primitive_desc_query(problem_.chosen, what, index, &result),
                  "primitive_desc_query", {tombola_invalid_arguments, tombola_not_required});
        const_tombola_memory_desc_t md =
            tombola_primitive_desc_query_md(problem_.chosen, what, index);
        if (md != nullptr) desc_ = copy_of(md);
        PrimitiveDesc copy;
        succeeded(tombola_primitive_desc_clone(copy.out(), problem_.chosen), "primitive_desc_clone",
                  {});
        problem_.chosen = std::move(copy);
    }

    // Each function with a null here and there.
    void nulls() {
        tombola_memory_desc_t desc = nullptr;
        tombola_memory_t memory = nullptr;
        tombola_primitive_t primitive = nullptr;
        tombola_primitive_desc_t pd = nullptr;
        const tombola_exec_arg_t arg = {mostly(in_, 0, 1100), nullptr};
        switch (in_.ConsumeIntegralInRange(0, 5)) {
            case 0:
                succeeded(tombola_memory_desc_reshape(&desc, nullptr, 1, nullptr), "reshape");
                break;
            case 1:
                succeeded(tombola_memory_create(&memory, nullptr, the_engine(), nullptr), "memory");
                break;
            case 2:
                succeeded(tombola_primitive_create(&primitive, nullptr), "primitive");
                break;
            case 3:
                succeeded(
                    tombola_primitive_execute(nullptr, stream_, in_.ConsumeIntegral<int>(), &arg),
                    "execute");
                break;
            case 4:
                succeeded(tombola_primitive_desc_clone(&pd, nullptr), "clone");
                break;
            default:
                succeeded(tombola_random_uniform_primitive_desc_create(
                              &pd, the_engine(), tombola_alignment_tensorflow, nullptr, 1, 2,
                              tombola_int_draws_spec, nullptr),
                          "random_uniform");
        }
        expect(desc == nullptr && memory == nullptr && primitive == nullptr && pd == nullptr,
               "null has made an object");
    }

    // Descriptors that mostly suit: of one shape and one type.
    Shapes any_shapes(tombola_data_type_t src_type, tombola_data_type_t dst_type) {
        Shapes shapes;
        const Dims dims = small_dims(in_, in_.ConsumeBool() ? 2 : 5, 4096);
        if (in_.ConsumeIntegral<uint8_t>() < 8) src_type = any_type(in_);
        if (in_.ConsumeIntegral<uint8_t>() < 8) dst_type = any_type(in_);
        shapes.src = any_layout(in_, dims, src_type);
        shapes.dst = in_.ConsumeBool() ? copy_of(shapes.src) : any_layout(in_, dims, dst_type);
        if (src_type != dst_type) shapes.dst = any_layout(in_, dims, dst_type);
        shapes.third =
            any_layout(in_, in_.ConsumeBool() ? dims : Dims{1}, in_.PickValueInArray(kFloats));
        return shapes;
    }
    // [rows, classes] and [rows, samples].
    Shapes rows(tombola_data_type_t src_type, tombola_data_type_t dst_type) {
        Shapes shapes;
        const Dims dims = small_dims(in_, 2, 4096);
        const tombola_dim_t batch = dims.size() == 2 ? dims[0] : 1;
        shapes.src = any_layout(in_, {batch, dims.back()}, src_type);
        shapes.dst =
            any_layout(in_, {batch, in_.ConsumeIntegralInRange<tombola_dim_t>(0, 40)}, dst_type);
        return shapes;
    }

    void make_problem() {
        const bool other_isa = in_.ConsumeIntegral<uint8_t>() < 100;
        const tombola_cpu_isa_t isa = tombola_get_effective_cpu_isa();
        if (other_isa)
            tombola_set_max_cpu_isa(
                static_cast<tombola_cpu_isa_t>(in_.ConsumeIntegralInRange(0, 3)));
        problem_ = any_problem();
        tombola_set_max_cpu_isa(isa);
    }

    Problem any_problem();

    Input& in_;
    Stream stream_;
    Attr attr_;
    MemoryDesc desc_;
    Memory memory_;
    Problem problem_;
};

Problem Session::any_problem() {
    const int primitive = in_.ConsumeIntegralInRange(0, 12);
    const uint64_t global = seed(in_), op = seed(in_);
    const auto real = in_.PickValueInArray(kFloats);
    const auto floats = [&] { return any_shapes(real, real); };
    const auto index = in_.ConsumeBool() ? tombola_s32 : tombola_s64;
    const auto alignment = enumerator<tombola_alignment_t>(in_, 1);
    const tombola_dim_t number = mostly<tombola_dim_t>(in_, 0, 64);
    const int small = mostly(in_, 0, 4);
    const int flag = mostly(in_, 0, 1);
    // Now and then something made by other calls stands where a suitable descriptor belongs.
    const bool odd = in_.ConsumeIntegral<uint8_t>() < 20;
    const auto src = [&](const Shapes& shapes) { return odd ? desc_.get() : shapes.src.get(); };
    const auto problem_of = [&](auto create, const auto&... arguments) {
        Problem made = fuzz::make_problem(attr_, [&](auto* pd, auto attr) {
            return create(pd, the_engine(), arguments..., attr);
        });
        made.zero_seeds = global == 0 && op == 0;
        return made;
    };
    switch (primitive) {
        case 0: {
            const auto type = any_type(in_);
            const Shapes s = any_shapes(type, type);
            return problem_of(tombola_shuffle_forward_primitive_desc_create,
                              flag != 0 ? tombola_forward_training : tombola_forward_inference,
                              src(s), s.dst, small, number);
        }
        case 1: {
            const auto type = any_type(in_);
            const Shapes s = any_shapes(type, type);
            return problem_of(tombola_shuffle_backward_primitive_desc_create, s.dst, src(s), small,
                              number, odd ? problem_.chosen.get() : nullptr);
        }
        case 2: {
            const Shapes s = any_shapes(tombola_u32, tombola_u32);
            const auto kind = enumerator<tombola_generator_kind_t>(in_, 0);
            return problem_of(tombola_random_generator_primitive_desc_create, kind, src(s));
        }
        case 3: {
            const auto type = any_type(in_);
            const Shapes s = any_shapes(type, type);
            const auto int_draws = static_cast<tombola_int_draws_t>(mostly(in_, 0, 1));
            const auto float_draws = static_cast<tombola_float_draws_t>(mostly(in_, 0, 1));
            return problem_of(tombola_random_uniform_primitive_desc_create_with_rules, alignment,
                              src(s), global, op, int_draws, float_draws, flag);
        }
        case 4: {
            const Shapes s = floats();
            return problem_of(tombola_random_normal_primitive_desc_create, alignment, src(s),
                              global, op);
        }
        case 5: {
            const Shapes s = floats();
            return problem_of(tombola_random_exponential_primitive_desc_create, alignment, src(s),
                              global, op);
        }
        case 6: {
            const auto type = any_type(in_);
            const Shapes s = any_shapes(type, type);
            return problem_of(tombola_random_bernoulli_primitive_desc_create, alignment, src(s),
                              s.third, global, op);
        }
        case 7: {
            const Shapes s = rows(real, index);
            return problem_of(tombola_multinomial_primitive_desc_create, src(s), s.dst, flag,
                              small % 2, global, op);
        }
        case 8: {
            const MemoryDesc dst = any_layout(in_, small_dims(in_, 1, 4096), index);
            const tombola_dim_t range = mostly<tombola_dim_t>(in_, 0, 5000);
            const auto order = enumerator<tombola_permutation_alignment_t>(in_, 2);
            return problem_of(tombola_random_permutation_primitive_desc_create, order,
                              odd ? desc_.get() : dst.get(), range, global, op);
        }
        case 9: {
            const Shapes s = floats();
            const int bits = odd ? small : 8 << (number & 3);
            return problem_of(tombola_dropout_forward_primitive_desc_create,
                              tombola_forward_training, src(s), s.dst, bits,
                              static_cast<tombola_dropout_mask_t>(small), global, op);
        }
        case 10: {
            const Shapes s = floats();
            const int bits = odd ? small : 8 << (number & 3);
            return problem_of(tombola_dropout_backward_primitive_desc_create, s.dst, src(s), bits,
                              static_cast<tombola_dropout_mask_t>(small), global, op,
                              odd ? problem_.chosen.get() : nullptr);
        }
        case 11: {
            const Shapes s = any_shapes(tombola_f32, flag != 0 ? tombola_bf16 : tombola_f16);
            return problem_of(tombola_stochastic_rounding_primitive_desc_create, src(s), s.dst,
                              global, op);
        }
        default: {
            const Shapes s = rows(real == tombola_f64 ? tombola_f32 : real, index);
            return problem_of(tombola_token_sampler_primitive_desc_create, src(s), s.dst,
                              static_cast<tombola_filter_order_t>(small),
                              static_cast<tombola_logprobs_t>(flag), number, global, op);
        }
    }
}

}  // namespace
}  // namespace tombola::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    tombola::fuzz::Input in(data, size);
    tombola::fuzz::Session(in).run();
    tombola_set_verbose(0);
    tombola_set_primitive_cache_capacity(1024);
    return 0;
}
