// SPDX-License-Identifier: Apache-2.0

// Random cases of the primitives that fill a tensor with numbers of a stream.

#include <array>
#include <cmath>
#include <vector>

#include "gtests/primitives/random_cases_fixture.hpp"
#include "reference/numeric.hpp"
#include "reference/philox_reference.hpp"
#include "reference/random_bernoulli_reference.hpp"
#include "reference/random_exponential_reference.hpp"
#include "reference/random_normal_reference.hpp"
#include "reference/random_uniform_reference.hpp"

namespace tombola::test {
namespace {

class RandomFills : public RandomCases {
  protected:
    // Values for whatever a request has.
    void choose_stream(reference::StreamRequest& request) {
        const bool torch = chance(50);
        request.alignment = torch ? tombola_alignment_pytorch : tombola_alignment_tensorflow;
        request.global_seed = word() + 1;
        request.op_seed = word();
        // Each jump of MT19937 takes the reference a while.
        request.offset = chance(50) ? 0 : chance(70) || torch ? word() >> 30 : word();
    }
    double moderate() {
        return std::ldexp(static_cast<double>(pick(1, 4095)) / 4096, static_cast<int>(pick(-9, 9)));
    }
    // Every implementation gives what the reference gives. `parameters` are the arguments beside the stream's.
    template <class Request, class Reference>
    void check_fill(const_tombola_primitive_desc_t desc, const_tombola_memory_desc_t dst,
                    int64_t count, const Request& request, bool refused, const Reference& reference,
                    std::vector<Input> parameters) {
        const MemoryDesc u64x1 = row_major({1}, tombola_u64), u64x2 = row_major({2}, tombola_u64);
        const std::array<uint64_t, 2> seeds{request.global_seed, request.op_seed};
        parameters.push_back({TOMBOLA_ARG_SEEDS, u64x2, bytes_of(seeds)});
        parameters.push_back({TOMBOLA_ARG_OFFSET, u64x1, bytes_of(request.offset)});
        const auto number = static_cast<size_t>(count);
        Bytes expected(number * tombola_data_type_size(request.type));
        if (!refused) reference(request, number, expected.data(), nullptr);
        check(desc, parameters, TOMBOLA_ARG_DST, dst, refused ? nullptr : &expected);
    }
};

TEST_F(RandomFills, Generator) {
    repeat([&] {
        const DimVector dims = shape(20000);
        const MemoryDesc dst = layout(dims, tombola_u32), state = row_major({6}, tombola_u32);
        std::array<uint32_t, 6> words;
        for (auto& w : words)
            w = chance(30) ? ~static_cast<uint32_t>(pick(0, 9)) : static_cast<uint32_t>(word());
        PrimitiveDesc desc;
        ASSERT_EQ(tombola_random_generator_primitive_desc_create(
                      desc.out(), engine_, tombola_philox4x32_10, dst, nullptr),
                  tombola_success)
            << last_error();
        const auto count = static_cast<size_t>(elements(dims));
        Bytes expected(count * 4);
        reference::philox_words({words[0], words[1], words[2], words[3]}, {words[4], words[5]},
                                count, reinterpret_cast<uint32_t*>(expected.data()));
        check(desc, {{TOMBOLA_ARG_SRC_STATE, state, bytes_of(words)}}, TOMBOLA_ARG_DST, dst,
              &expected);
    });
}

TEST_F(RandomFills, Uniform) {
    repeat([&] {
        reference::UniformRequest request;
        choose_stream(request);
        const bool torch = request.alignment == tombola_alignment_pytorch;
        request.int_draws = torch ? one_of({tombola_int_draws_spec, tombola_int_draws_torch1,
                                            tombola_int_draws_torch2})
                                  : tombola_int_draws_spec;
        request.float_draws = chance(50) ? tombola_float_draws_torch1 : tombola_float_draws_torch2;
        request.type =
            one_of({tombola_f16, tombola_bf16, tombola_f32, tombola_f64, tombola_s32, tombola_s64});
        // Any bits may be a bound; most pairs are refused, and that is a case too.
        const uint64_t low = chance(50) ? 0 - word() : word();
        request.min = reference::scalar_of(low);
        request.max = reference::scalar_of(chance(70) ? low + word() : word());
        if (reference::is_floating(request.type) && chance(70)) {
            const double a =
                std::ldexp(static_cast<double>(pick(-99, 99)), static_cast<int>(pick(-8, 5)));
            const double b =
                a + std::ldexp(static_cast<double>(pick(1, 99)), static_cast<int>(pick(-8, 5)));
            request.min = reference::nearest(request.type, a);
            request.max = reference::nearest(request.type, b);
        }
        const DimVector dims = shape(20000);
        const MemoryDesc dst = layout(dims, request.type), bound = row_major({1}, request.type);
        PrimitiveDesc desc;
        ASSERT_EQ(tombola_random_uniform_primitive_desc_create_with_rules(
                      desc.out(), engine_, request.alignment, dst, 1, 1, request.int_draws,
                      request.float_draws, 0, nullptr),
                  tombola_success)
            << last_error();
        const auto size = static_cast<ptrdiff_t>(tombola_data_type_size(request.type));
        check_fill(
            desc, dst, elements(dims), request, !reference::uniform_refusal(request).empty(),
            reference::random_uniform_reference,
            {{TOMBOLA_ARG_MIN, bound, Bytes(request.min.begin(), request.min.begin() + size)},
             {TOMBOLA_ARG_MAX, bound, Bytes(request.max.begin(), request.max.begin() + size)}});
    });
}

TEST_F(RandomFills, Normal) {
    repeat([&] {
        reference::NormalRequest request;
        choose_stream(request);
        if (request.alignment == tombola_alignment_pytorch) request.offset &= ~uint64_t{15};
        request.type = one_of({tombola_f16, tombola_bf16, tombola_f32, tombola_f64});
        const auto as_number = [&](double value, reference::Scalar& scalar) {
            scalar = reference::nearest(request.type, value);
            return reference::double_of(request.type, scalar);
        };
        reference::Scalar mean, std;
        request.mean = as_number(chance(50) ? moderate() : -moderate(), mean);
        request.std = as_number(chance(3) ? -1 : chance(5) ? 0 : moderate(), std);
        const DimVector dims = shape(20000);
        const MemoryDesc dst = layout(dims, request.type), scalar = row_major({1}, request.type);
        PrimitiveDesc desc;
        ASSERT_EQ(tombola_random_normal_primitive_desc_create(
                      desc.out(), engine_, request.alignment, dst, 1, 1, nullptr),
                  tombola_success)
            << last_error();
        const auto size = static_cast<ptrdiff_t>(tombola_data_type_size(request.type));
        const int64_t count = elements(dims);
        const bool refused =
            !reference::normal_refusal(request, static_cast<uint64_t>(count)).empty();
        check_fill(desc, dst, count, request, refused, reference::random_normal_reference,
                   {{TOMBOLA_ARG_MEAN, scalar, Bytes(mean.begin(), mean.begin() + size)},
                    {TOMBOLA_ARG_STD, scalar, Bytes(std.begin(), std.begin() + size)}});
    });
}

TEST_F(RandomFills, Exponential) {
    repeat([&] {
        reference::ExponentialRequest request;
        choose_stream(request);
        request.type = one_of({tombola_f16, tombola_bf16, tombola_f32, tombola_f64});
        request.lambda = chance(5) ? one_of<double>({0, -1, NAN, INFINITY, 0x1p-1074}) : moderate();
        const DimVector dims = shape(20000);
        const MemoryDesc dst = layout(dims, request.type), scalar = row_major({1}, tombola_f64);
        PrimitiveDesc desc;
        ASSERT_EQ(tombola_random_exponential_primitive_desc_create(
                      desc.out(), engine_, request.alignment, dst, 1, 1, nullptr),
                  tombola_success)
            << last_error();
        check_fill(desc, dst, elements(dims), request,
                   !reference::exponential_refusal(request).empty(),
                   reference::random_exponential_reference,
                   {{TOMBOLA_ARG_LAMBDA, scalar, bytes_of(request.lambda)}});
    });
}

TEST_F(RandomFills, Bernoulli) {
    repeat([&] {
        reference::BernoulliRequest request;
        choose_stream(request);
        request.type = one_of({tombola_u8, tombola_s32, tombola_s64, tombola_f16, tombola_bf16,
                               tombola_f32, tombola_f64});
        request.p_type = one_of({tombola_f32, tombola_f64});
        const DimVector dims = shape(20000);
        const int64_t count = elements(dims);
        request.one_p = count == 1 || chance(30);
        const bool bad = chance(5);
        Bytes values;
        for (int64_t i = 0; i < (request.one_p ? 1 : count); ++i) {
            double p = chance(20) ? static_cast<double>(pick(0, 1))
                                  : static_cast<double>(random_() >> 11) * 0x1p-53;
            if (bad && i == count / 2) p = one_of<double>({-0.5, 1.5, NAN});
            const reference::Scalar number = reference::nearest(request.p_type, p);
            request.p.push_back(reference::double_of(request.p_type, number));
            values.insert(
                values.end(), number.begin(),
                number.begin() + static_cast<ptrdiff_t>(tombola_data_type_size(request.p_type)));
        }
        const MemoryDesc dst = layout(dims, request.type), p = request.one_p
                                                                   ? row_major({1}, request.p_type)
                                                                   : layout(dims, request.p_type);
        PrimitiveDesc desc;
        ASSERT_EQ(tombola_random_bernoulli_primitive_desc_create(
                      desc.out(), engine_, request.alignment, dst, p, 1, 1, nullptr),
                  tombola_success)
            << last_error();
        check_fill(desc, dst, count, request, !reference::bernoulli_refusal(request).empty(),
                   reference::random_bernoulli_reference, {{TOMBOLA_ARG_P, p, values}});
    });
}

}  // namespace
}  // namespace tombola::test
