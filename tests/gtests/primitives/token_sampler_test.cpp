// SPDX-License-Identifier: Apache-2.0

// token_sampler through the C API: every implementation of its list against the reference of tests/reference, which is
// written from doc/token_sampler.md as a sort in exact integers, against multinomial, and against hand arithmetic.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "gtests/common/tensor.hpp"
#include "reference/multinomial_reference.hpp"
#include "reference/numeric.hpp"
#include "reference/token_sampler_reference.hpp"

namespace tombola::test {
namespace {

using reference::TokenSamplerRequest;
using reference::TokenSamplerResult;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr tombola_data_type_t kTypes[] = {tombola_f32, tombola_bf16, tombola_f16};
constexpr tombola_filter_order_t kOrders[] = {tombola_filter_order_transformers,
                                              tombola_filter_order_vllm, tombola_filter_order_joint,
                                              tombola_filter_order_temperature_last};

std::vector<uint8_t> to_bytes(tombola_data_type_t type, const std::vector<float>& values) {
    std::vector<uint8_t> bytes(values.size() * tombola_data_type_size(type));
    for (size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<double>(values[i]);
        const auto scalar = type == tombola_f32 ? reference::scalar_of(values[i])
                            : type == tombola_f16
                                ? reference::scalar_of(reference::double_to_f16(value))
                                : reference::scalar_of(reference::double_to_bf16(value));
        const size_t size = tombola_data_type_size(type);
        std::memcpy(&bytes[i * size], scalar.data(), size);
    }
    return bytes;
}

// Numbers that have nothing to do with the library: a linear congruential sequence (Knuth's MMIX).
class Noise {
  public:
    explicit Noise(uint64_t seed) : state_(seed) {}
    double next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<double>(state_ >> 11) * 0x1p-53;
    }
    // In [low, high].
    int64_t pick(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(next() * static_cast<double>(high - low + 1));
    }
    bool chance(int percent) { return pick(0, 99) < percent; }

  private:
    uint64_t state_;
};

struct Problem {
    TokenSamplerRequest request;
    std::vector<uint8_t> logits;
    tombola_data_type_t index_type = tombola_s64;
    DimVector src_strides, dst_strides;  // none: row-major
};

struct Outcome {
    tombola_status_t status = tombola_success;
    std::string error;
    TokenSamplerResult result;
    bool untouched = true;  // no byte of an output was written
};

template <class T>
std::vector<uint8_t> raw_bytes(const std::vector<T>& values) {
    std::vector<uint8_t> bytes(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

class TokenSampler : public testing::Test {
  protected:
    PrimitiveDesc describe(const Problem& p) {
        const TokenSamplerRequest& r = p.request;
        const DimVector src_dims{r.batch, r.classes}, dst_dims{r.batch, r.samples};
        src_md_ = p.src_strides.empty() ? row_major(src_dims, r.type)
                                        : strided(src_dims, r.type, p.src_strides);
        dst_md_ = p.dst_strides.empty() ? row_major(dst_dims, p.index_type)
                                        : strided(dst_dims, p.index_type, p.dst_strides);
        PrimitiveDesc desc;
        EXPECT_EQ(tombola_token_sampler_primitive_desc_create(desc.out(), engine_, src_md_, dst_md_,
                                                              r.filter_order, r.logprobs, r.top_n,
                                                              99, 98, nullptr),
                  tombola_success)
            << last_error();
        return desc;
    }

    Outcome run(const Problem& p, const_tombola_primitive_desc_t desc) {
        const TokenSamplerRequest& r = p.request;
        std::vector<tombola_exec_arg_t> args;
        std::vector<std::unique_ptr<Tensor>> tensors;
        std::vector<MemoryDesc> descs;
        const auto add = [&](int arg, MemoryDesc md) -> Tensor& {
            tensors.push_back(std::make_unique<Tensor>(md, engine_));
            descs.push_back(std::move(md));
            args.push_back({arg, tensors.back()->memory()});
            return *tensors.back();
        };
        const auto add_given = [&](int arg, tombola_data_type_t type, const auto& values,
                                   int64_t columns = 1) {
            if (values.empty()) return;
            const auto rows = static_cast<int64_t>(values.size()) / columns;
            const DimVector dims = columns == 1 ? DimVector{rows}
                                   : rows == 1  ? DimVector{columns}
                                                : DimVector{rows, columns};
            add(arg, row_major(dims, type)).write(raw_bytes(values));
        };
        Tensor src(src_md_, engine_), dst(dst_md_, engine_);
        src.write(p.logits);
        args.push_back({TOMBOLA_ARG_SRC, src.memory()});
        args.push_back({TOMBOLA_ARG_DST, dst.memory()});
        add_given(TOMBOLA_ARG_TEMPERATURE, tombola_f32, r.temperature);
        add_given(TOMBOLA_ARG_TOP_K, tombola_s32, r.top_k);
        add_given(TOMBOLA_ARG_TOP_P, tombola_f32, r.top_p);
        add_given(TOMBOLA_ARG_MIN_P, tombola_f32, r.min_p);
        add_given(TOMBOLA_ARG_OFFSET, tombola_u64, r.offset);
        add_given(TOMBOLA_ARG_SEEDS, tombola_u64, r.seeds, 2);
        if (!r.mask.empty())
            add(TOMBOLA_ARG_MASK, row_major({r.batch, (r.classes + 31) / 32}, tombola_s32))
                .write(raw_bytes(r.mask));
        if (!r.uniforms.empty())
            add(TOMBOLA_ARG_UNIFORMS, row_major({r.batch, r.samples}, tombola_f64))
                .write(raw_bytes(r.uniforms));
        Tensor& kept = add(TOMBOLA_ARG_DST_KEPT, row_major({r.batch}, tombola_s32));
        std::vector<Tensor*> outputs{&dst, &kept};
        const bool logprobs = r.logprobs != tombola_logprobs_none;
        Tensor *sample_logprobs = nullptr, *top_ids = nullptr, *top_logprobs = nullptr;
        const auto add_output = [&](int arg, int64_t columns, tombola_data_type_t type) {
            outputs.push_back(&add(arg, row_major({r.batch, columns}, type)));
            return outputs.back();
        };
        if (logprobs)
            sample_logprobs = add_output(TOMBOLA_ARG_DST_LOGPROBS, r.samples, tombola_f32);
        if (r.top_n > 0) top_ids = add_output(TOMBOLA_ARG_DST_TOP_IDS, r.top_n, p.index_type);
        if (r.top_n > 0 && logprobs)
            top_logprobs = add_output(TOMBOLA_ARG_DST_TOP_LOGPROBS, r.top_n, tombola_f32);

        Primitive primitive;
        EXPECT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success) << last_error();
        Outcome outcome;
        outcome.status = tombola_primitive_execute(primitive, stream_,
                                                   static_cast<int>(args.size()), args.data());
        outcome.error = outcome.status == tombola_success ? "" : last_error();
        for (Tensor* output : outputs) {
            outcome.untouched = outcome.untouched && output->buffer().is_poison();
            EXPECT_TRUE(output->outside_is_intact());
        }
        if (outcome.status != tombola_success) return outcome;
        outcome.result.ids = indices(dst, p.index_type);
        outcome.result.kept = kept.read_as<int32_t>();
        if (logprobs) outcome.result.logprobs = sample_logprobs->read_as<float>();
        if (top_ids != nullptr) outcome.result.top_ids = indices(*top_ids, p.index_type);
        if (top_logprobs != nullptr) outcome.result.top_logprobs = top_logprobs->read_as<float>();
        return outcome;
    }

    // Every implementation gives what the reference gives, bit for bit, or a refusal that names the place.
    void check(const Problem& p, const std::string& what) {
        const TokenSamplerResult expected =
            reference::token_sampler_reference(p.request, p.logits.data());
        for_each_implementation(describe(p), [&](const_tombola_primitive_desc_t desc) {
            SCOPED_TRACE(what + " " + impl_name(desc));
            const Outcome outcome = run(p, desc);
            if (!expected.refusal.empty()) {
                ASSERT_EQ(outcome.status, tombola_invalid_arguments);
                EXPECT_NE(outcome.error.find(expected.refusal), std::string::npos)
                    << outcome.error << " should say \"" << expected.refusal << '"';
                EXPECT_TRUE(outcome.untouched);
                return;
            }
            ASSERT_EQ(outcome.status, tombola_success) << outcome.error;
            ASSERT_EQ(outcome.result.kept, expected.kept);
            ASSERT_EQ(outcome.result.ids, expected.ids);
            ASSERT_EQ(raw_bytes(outcome.result.logprobs), raw_bytes(expected.logprobs));
            ASSERT_EQ(outcome.result.top_ids, expected.top_ids);
            ASSERT_EQ(raw_bytes(outcome.result.top_logprobs), raw_bytes(expected.top_logprobs));
        });
    }

    // For each implementation, what visit(result, name) says of a successful execution.
    template <class Visit>
    void for_each_result(const Problem& p, const Visit& visit) {
        for_each_implementation(describe(p), [&](const_tombola_primitive_desc_t desc) {
            SCOPED_TRACE(impl_name(desc));
            const Outcome outcome = run(p, desc);
            ASSERT_EQ(outcome.status, tombola_success) << outcome.error;
            visit(outcome.result);
        });
    }

    static std::vector<int64_t> indices(const Tensor& tensor, tombola_data_type_t type) {
        if (type == tombola_s64) return tensor.read_as<int64_t>();
        const std::vector<int32_t> narrow = tensor.read_as<int32_t>();
        return {narrow.begin(), narrow.end()};
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
    MemoryDesc src_md_, dst_md_;
};

Problem problem(tombola_data_type_t type, int64_t batch, int64_t samples,
                const std::vector<float>& logits) {
    Problem p;
    p.request.type = type;
    p.request.batch = batch;
    p.request.classes = static_cast<int64_t>(logits.size()) / batch;
    p.request.samples = samples;
    p.request.seeds = {234, 148};
    p.logits = to_bytes(type, logits);
    return p;
}

// A row of a kind: what real rows look like, and what a selection finds hard.
std::vector<float> row_of_kind(int64_t kind, int64_t classes, Noise& noise) {
    std::vector<float> row(static_cast<size_t>(classes));
    const double level = 20 * noise.next() - 10;
    for (size_t k = 0; k < row.size(); ++k) {
        const double u = noise.next();
        const auto at = static_cast<double>(k) / static_cast<double>(classes);
        double x = 0;
        switch (kind) {
            case 0:  // peaked
                x = -3 * std::log(u + 1e-9);
                break;
            case 1:  // flat
                x = level + 0.01 * u;
                break;
            case 2:  // few values: ties everywhere
                x = std::floor(4 * u);
                break;
            case 3:
                x = level;
                break;
            case 4:  // ascending
                x = 30 * at;
                break;
            case 5:  // descending, in steps
                x = -std::floor(100 * at);
                break;
            case 6:  // all -inf but one
                x = -HUGE_VAL;
                break;
            case 7:  // weights that are flushed to zero, and -inf
                x = u < 0.2 ? -HUGE_VAL : 300 * u;
                break;
            case 8:  // +0 and -0 are equal
                x = u < 0.5 ? -0.0 : u < 0.9 ? 0.0 : -1.0;
                break;
            default:  // the whole range of the type
                x = std::ldexp(u < 0.5 ? u - 1 : u, static_cast<int>(15 * noise.next()));
        }
        row[k] = static_cast<float>(x);
    }
    if (kind == 6 || kind == 7) row[static_cast<size_t>(noise.pick(0, classes - 1))] = 2;
    return row;
}
constexpr int64_t kKinds = 10;

// A problem whose every choice is random. The classes are at most `max_classes`.
Problem random_problem(Noise& noise, int64_t max_classes) {
    const int64_t shape = noise.pick(0, 3);
    const int64_t classes = shape == 0   ? noise.pick(1, 5)
                            : shape == 1 ? noise.pick(1, 70)
                                         : noise.pick(1, max_classes);
    const int64_t batch = noise.pick(1, classes > 500 ? 2 : 4);
    std::vector<float> logits;
    for (int64_t row = 0; row < batch; ++row) {
        const std::vector<float> values = row_of_kind(noise.pick(0, kKinds - 1), classes, noise);
        logits.insert(logits.end(), values.begin(), values.end());
    }
    Problem p =
        problem(kTypes[noise.pick(0, 2)], batch, noise.chance(80) ? 1 : noise.pick(0, 5), logits);
    TokenSamplerRequest& r = p.request;
    p.index_type = noise.chance(50) ? tombola_s32 : tombola_s64;
    r.filter_order = kOrders[noise.pick(0, 3)];
    r.logprobs = static_cast<tombola_logprobs_t>(noise.pick(0, 2));
    r.top_n = noise.chance(60) ? 0 : std::min(classes, noise.pick(1, 30));
    // For all rows, for each row, or absent.
    const auto fill = [&](auto& values, auto&& make, int percent) {
        if (!noise.chance(percent)) return;
        const int64_t count = noise.chance(50) ? 1 : batch;
        for (int64_t i = 0; i < count; ++i) values.push_back(make());
    };
    fill(
        r.temperature,
        [&] {
            switch (noise.pick(0, 5)) {
                case 0:
                    return 0.0f;
                case 1:
                    return static_cast<float>(
                        std::ldexp(1.0, static_cast<int>(noise.pick(-64, 64))));
                case 2:
                    return 1.0f;
                default:
                    return static_cast<float>(0.1 + 2 * noise.next());
            }
        },
        70);
    fill(
        r.top_k,
        [&] {
            switch (noise.pick(0, 4)) {
                case 0:
                    return 0;
                case 1:
                    return 1;
                case 2:
                    return static_cast<int32_t>(noise.pick(0, classes + 2));
                case 3:
                    return static_cast<int32_t>(noise.pick(0, std::min<int64_t>(classes, 60)));
                default:
                    return noise.chance(50) ? static_cast<int32_t>(classes) : INT32_MAX;
            }
        },
        70);
    const auto probability = [&] {
        switch (noise.pick(0, 5)) {
            case 0:
                return 0.0f;
            case 1:
                return 1.0f;
            case 2:  // a boundary, if the classes are equal and few
                return static_cast<float>(noise.pick(0, 8)) / 8.0f;
            case 3:
                return static_cast<float>(std::exp(-100 * noise.next()));
            case 4:
                return static_cast<float>(1 - std::exp(-17 * noise.next()));
            default:
                return static_cast<float>(noise.next());
        }
    };
    fill(r.top_p, probability, 60);
    fill(r.min_p, probability, 40);
    fill(
        r.offset,
        [&] {
            return noise.chance(80) ? static_cast<uint64_t>(noise.pick(0, 1000000))
                                    : UINT64_MAX - static_cast<uint64_t>(noise.pick(20, 100));
        },
        50);
    if (noise.chance(30)) {
        r.seeds.clear();
        r.row_seeds = batch > 1;
        for (int64_t i = 0; i < 2 * batch; ++i)
            r.seeds.push_back(static_cast<uint64_t>(noise.pick(1, 1000000)) * 0x9E3779B97F4A7C15u);
    }
    if (noise.chance(30))
        for (int64_t i = 0; i < batch * r.samples; ++i)
            r.uniforms.push_back(noise.chance(20) ? static_cast<double>(noise.pick(0, 1))
                                                  : noise.next());
    if (noise.chance(30)) {
        const int64_t words = (classes + 31) / 32;
        const int64_t density = noise.pick(0, 2);
        for (int64_t i = 0; i < batch * words; ++i) {
            const auto bits = static_cast<uint32_t>(noise.next() * 0x1p32);
            const auto more = static_cast<uint32_t>(noise.next() * 0x1p32);
            r.mask.push_back(density == 0 ? 0 : density == 1 ? bits : bits | more);
        }
        for (int64_t row = 0; row < batch; ++row) {  // mostly, a class is left that can be drawn
            const int64_t k = noise.pick(0, classes - 1);
            if (noise.chance(97))
                r.mask[static_cast<size_t>(row * words + k / 32)] |= 1u << (k % 32);
        }
    }
    return p;
}

TEST_F(TokenSampler, RandomCases) {
    Noise noise(1);
    int refused = 0;
    // All rows of the list are compared in the run under avx512_core; the others need not repeat all of it.
    const int cases = tombola_get_effective_cpu_isa() == tombola_cpu_isa_avx512_core ? 5000 : 500;
    for (int i = 0; i < cases; ++i) {
        const Problem p = random_problem(noise, i % 50 == 0 ? 9000 : 300);
        refused += reference::token_sampler_refusal(p.request, p.logits.data()).empty() ? 0 : 1;
        check(p, "case " + std::to_string(i));
        if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
    EXPECT_LT(refused, cases / 5);  // masks that leave nothing, offsets at the end
}

// Enough classes that a selection takes every one of its ways, with k around all that it distinguishes.
TEST_F(TokenSampler, EveryKindOfRowAndManyClasses) {
    Noise noise(2);
    for (const int64_t classes : {513, 4097, 20000})
        for (int64_t kind = 0; kind < kKinds; ++kind) {
            Problem p =
                problem(kTypes[(kind + classes) % 3], 1, 2, row_of_kind(kind, classes, noise));
            p.request.logprobs = tombola_logprobs_processed;
            p.request.top_n = 5;
            for (const int32_t k : {1, 50, 600, 9000})
                for (const float top_p : {k == 600 ? 1.0f : 0.9f}) {
                    p.request.filter_order = kOrders[(kind + k) % 4];
                    p.request.top_k = {k};
                    p.request.top_p = {top_p};
                    check(p, "kind " + std::to_string(kind) + " k " + std::to_string(k));
                    if (HasFatalFailure()) return;
                }
            for (const float top_p : {0.1f, 0.9f, 0.9999f, 1.0f}) {
                p.request.top_k = {0};
                p.request.top_p = {top_p};
                p.request.temperature = {1.5f};
                check(p, "kind " + std::to_string(kind) + " without k");
                if (HasFatalFailure()) return;
            }
            p.request.temperature.clear();
            p.request.min_p = {0.05f};
            p.request.top_p.clear();
            check(p, "kind " + std::to_string(kind) + " min_p");
            if (HasFatalFailure()) return;
        }
}

// Sets of so many classes that they are not listed: by top_k, by mass, by both, with min_p in every order; rows of equal and of
// nearly equal logits, of the whole range, and with -inf; more top classes than are listed.
TEST_F(TokenSampler, SetsOfManyClasses) {
    Noise noise(21);
    constexpr int64_t kClasses = 12345;
    struct Filters {
        int32_t k;
        float p, m;
    };
    const Filters kFilters[] = {
        {7000, 1, 0}, {9000, 0.8f, 0}, {0, 0.97f, 0}, {0, 0.9f, 0.3f}, {6000, 0.95f, 1e-4f}};
    int64_t at = 0;
    for (const int64_t kind : {1, 2, 3, 4, 7, 8, 9})
        for (const Filters& filters : kFilters) {
            Problem p = problem(kTypes[at % 3], 1, 3, row_of_kind(kind, kClasses, noise));
            p.request.filter_order = kOrders[at % 4];
            p.request.logprobs = static_cast<tombola_logprobs_t>(at % 3);
            p.request.top_n = at % 5 == 0 ? 5000 : 0;
            p.request.top_k = {filters.k};
            p.request.top_p = {filters.p};
            p.request.min_p = {filters.m};
            if (at % 4 != 0) p.request.temperature = {at % 2 == 0 ? 0.7f : 20.0f};
            check(p, "kind " + std::to_string(kind) + " case " + std::to_string(at));
            if (HasFatalFailure()) return;
            ++at;
        }
}

// The implementation guesses from 512 classes at equal distances where a set of many classes ends. Here these classes are
// unlike the others, so the guess is too low or too high.
TEST_F(TokenSampler, SampledClassesUnlikeTheOthers) {
    Noise noise(22);
    constexpr int64_t kClasses = 12345, kSampled = 512;
    for (const float odd : {0.0f, 4.0f})
        for (const bool by_mass : {true, false}) {
            std::vector<float> row(kClasses);
            for (float& x : row) x = static_cast<float>(1 + 2 * noise.next());
            for (int64_t i = 0; i < kSampled; ++i)
                row[static_cast<size_t>((2 * i + 1) * kClasses / (2 * kSampled))] = odd;
            Problem p = problem(tombola_f32, 1, 50, row);
            p.request.logprobs = tombola_logprobs_processed;
            if (by_mass)
                p.request.top_p = {0.7f};
            else
                p.request.top_k = {6000};
            check(p, "logit " + std::to_string(odd));
        }
}

// Enough work that threads share it, by rows and within a row. ctest runs this with one, two and three threads.
TEST_F(TokenSampler, WorkThatThreadsShare) {
    Noise noise(3);
    for (const auto& [batch, classes] : {std::pair<int64_t, int64_t>{40, 3000}, {1, 100001}})
        for (const int mode : {0, 1, 2, 3}) {
            std::vector<float> logits;
            for (int64_t row = 0; row < batch; ++row) {
                const std::vector<float> values = row_of_kind(row % 3, classes, noise);
                logits.insert(logits.end(), values.begin(), values.end());
            }
            Problem p = problem(mode % 2 == 0 ? tombola_f32 : tombola_bf16, batch, 2, logits);
            if (mode == 0) p.request.temperature = {0};
            if (mode == 1) p.request.top_k = {40};
            if (mode == 2) p.request.top_p = {0.9f};
            if (mode == 3) p.request.temperature = {0.7f};
            check(p, std::to_string(batch) + "x" + std::to_string(classes));
            if (HasFatalFailure()) return;
        }
    // The lowest row is named, whichever thread sees its row first.
    std::vector<float> logits(60 * 4099, 1);
    logits[50 * 4099 + 7] = kNan;
    logits[31 * 4099 + 4098] = kInf;
    check(problem(tombola_f32, 60, 2, logits), "two bad rows");
}

TEST_F(TokenSampler, EveryLayout) {
    Noise noise(4);
    for (const auto type : kTypes) {
        std::vector<float> logits;
        for (int64_t row = 0; row < 3; ++row) {
            const std::vector<float> values = row_of_kind(0, 700, noise);
            logits.insert(logits.end(), values.begin(), values.end());
        }
        Problem p = problem(type, 3, 4, logits);
        p.request.top_k = {20};
        p.request.logprobs = tombola_logprobs_raw;
        p.request.top_n = 3;
        p.src_strides = {1, 3};
        p.dst_strides = {1, 3};
        check(p, "transposed");
        p.src_strides = {750, 1};
        p.dst_strides = {10, 1};
        check(p, "padded rows");
        p.src_strides = {3000, 4};
        p.dst_strides = {100, 2};
        check(p, "strided");
    }
}

// -- hand arithmetic -------------------------------------------------------------------------------------------

// Four equal logits: each class has a quarter of the mass, exactly, and the order is that of the classes.
TEST_F(TokenSampler, EqualLogitsAreKeptInClassOrder) {
    struct Case {
        int32_t k;
        float p;
        int32_t kept;
    };
    for (const Case& c : {Case{0, 1, 4},
                          {0, 0.75f, 3},
                          {0, 0.5f, 2},
                          {0, 0.25f, 1},
                          {0, 0, 1},
                          {0, std::nextafter(0.5f, 1.0f), 3},
                          {0, std::nextafter(0.5f, 0.0f), 2},
                          {3, 1, 3},
                          {2, 0.5f, 1},
                          {1, 1, 1},
                          {9, 1, 4}}) {
        Problem p = problem(tombola_bf16, 1, 3, {7, 7, 7, 7});
        p.request.top_k = {c.k};
        p.request.top_p = {c.p};
        p.request.uniforms = {0, 0.5, 1};
        for_each_result(p, [&](const TokenSamplerResult& result) {
            EXPECT_EQ(result.kept[0], c.kept) << c.k << ' ' << c.p;
            EXPECT_EQ(result.ids, (std::vector<int64_t>{0, (c.kept + 1) / 2 - 1, c.kept - 1}));
        });
        p.request.filter_order = tombola_filter_order_joint;
        const int32_t joint =
            std::min(c.k == 0 ? 4 : c.k, static_cast<int32_t>(std::ceil(c.p * 4)));
        for_each_result(p, [&](const TokenSamplerResult& result) {
            EXPECT_EQ(result.kept[0], std::clamp(joint, 1, 4)) << c.k << ' ' << c.p;
        });
    }
}

// Probabilities 8/15, 4/15, 2/15, 1/15 but for rounding: the orders keep different sets.
TEST_F(TokenSampler, OrdersDiffer) {
    const auto ln2 = static_cast<float>(std::log(2.0));
    Problem p = problem(tombola_f32, 1, 1, {0, 3 * ln2, ln2, 2 * ln2});
    const auto kept = [&](tombola_filter_order_t order) {
        p.request.filter_order = order;
        int32_t count = 0;
        for_each_result(p, [&](const TokenSamplerResult& result) { count = result.kept[0]; });
        return count;
    };
    // top_k 2 leaves 2/3 and 1/3; half of that is one class, but 0.54 of the whole row needs two.
    p.request.top_k = {2};
    p.request.top_p = {0.6f};
    EXPECT_EQ(kept(tombola_filter_order_transformers), 1);
    EXPECT_EQ(kept(tombola_filter_order_vllm), 1);
    EXPECT_EQ(kept(tombola_filter_order_joint), 2);
    // min_p 0.2 keeps 8 and 4 and 2; of those, top_p 0.9 needs three (8/14, 12/14); of the row, 0.9 needs all four.
    p.request.top_k.clear();
    p.request.top_p = {0.85f};
    p.request.min_p = {0.2f};
    EXPECT_EQ(kept(tombola_filter_order_transformers), 3);  // 12/15 < 0.85 <= 14/15
    EXPECT_EQ(kept(tombola_filter_order_vllm), 2);          // 12/14 >= 0.85
    EXPECT_EQ(kept(tombola_filter_order_joint), 3);
    // At temperature 3 the ratios are 2, 1.59, 1.26, 1; temperature_last filters as if it were 1.
    p.request.temperature = {3};
    EXPECT_EQ(kept(tombola_filter_order_transformers), 4);
    EXPECT_EQ(kept(tombola_filter_order_temperature_last), 3);
}

TEST_F(TokenSampler, GreedyTakesTheFirstOfTheOrder) {
    Problem p = problem(tombola_f32, 3, 2, {1, 5, 5, 0, -0.0f, 0.0f, -kInf, -1, -9, -8, -8, -kInf});
    p.request.temperature = {0, 1, 0};
    p.request.top_k = {0, 1, 3};
    p.request.logprobs = tombola_logprobs_raw;
    for_each_result(p, [&](const TokenSamplerResult& result) {
        EXPECT_EQ(result.ids, (std::vector<int64_t>{1, 1, 0, 0, 1, 1}));
        EXPECT_EQ(result.kept, (std::vector<int32_t>{1, 1, 1}));
        // Row 0: 1 / (2 + e^-4 + e^-5); the last but half a unit of f32.
        const double row0 = -std::log(2 + std::exp(-4.0) + std::exp(-5.0));
        EXPECT_NEAR(result.logprobs[0], row0, 1e-6);
        EXPECT_NEAR(result.logprobs[2], -std::log(2 + std::exp(-1.0)), 1e-6);
    });
}

// Log probabilities against the C library's f64 functions. The f32 exponential has a relative error below 2^-22, and the
// result is rounded to f32 once.
TEST_F(TokenSampler, LogprobsAreLogarithmsOfProbabilities) {
    Noise noise(5);
    const std::vector<float> logits = row_of_kind(0, 1000, noise);
    for (const bool raw : {false, true}) {
        Problem p = problem(tombola_f32, 1, 50, logits);
        p.request.temperature = {0.8f};
        p.request.top_k = {100};
        p.request.logprobs = raw ? tombola_logprobs_raw : tombola_logprobs_processed;
        p.request.top_n = 100;
        std::vector<float> sorted = logits;
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        double sum = 0;
        const double t = raw ? 1 : 0.8f;
        for (size_t i = 0; i < (raw ? sorted.size() : 100); ++i)
            sum += std::exp((sorted[i] - sorted[0]) / t);
        for_each_result(p, [&](const TokenSamplerResult& result) {
            for (size_t i = 0; i < 100; ++i)
                EXPECT_NEAR(result.top_logprobs[i], (sorted[i] - sorted[0]) / t - std::log(sum),
                            2e-5);
            for (size_t s = 0; s < 50; ++s) {
                const auto id = static_cast<size_t>(result.ids[s]);
                EXPECT_NEAR(result.logprobs[s], (logits[id] - sorted[0]) / t - std::log(sum), 2e-5);
            }
        });
    }
}

// -- against multinomial ---------------------------------------------------------------------------------------

// At temperature 1 the samples are those of multinomial from the same logits with -inf outside the set.
TEST_F(TokenSampler, IsMultinomialOverTheSet) {
    Noise noise(6);
    for (int i = 0; i < 300; ++i) {
        Problem p = random_problem(noise, 500);
        TokenSamplerRequest& r = p.request;
        r.temperature.clear();
        r.row_seeds = false;
        r.seeds = {7, static_cast<uint64_t>(i)};
        r.offset = {static_cast<uint64_t>(i) * 1000};
        const TokenSamplerResult expected = reference::token_sampler_reference(r, p.logits.data());
        if (!expected.refusal.empty() || r.samples == 0) continue;
        const size_t size = tombola_data_type_size(r.type);
        const std::vector<uint8_t> minus_infinity = to_bytes(r.type, {-kInf});
        std::vector<uint8_t> logits;
        for (int64_t row = 0; row < r.batch; ++row)
            for (int64_t k = 0; k < r.classes; ++k) {
                const auto& set = expected.sets[static_cast<size_t>(row)];
                const bool in = std::binary_search(set.begin(), set.end(), k);
                const uint8_t* value = &p.logits[static_cast<size_t>(row * r.classes + k) * size];
                const uint8_t* from = in ? value : minus_infinity.data();
                logits.insert(logits.end(), from, from + size);
            }
        PrimitiveDesc desc;
        const MemoryDesc src_md = row_major({r.batch, r.classes}, r.type);
        const MemoryDesc dst_md = row_major({r.batch, r.samples}, tombola_s64);
        ASSERT_EQ(tombola_multinomial_primitive_desc_create(desc.out(), engine_, src_md, dst_md, 1,
                                                            1, r.seeds[0], r.seeds[1], nullptr),
                  tombola_success);
        Primitive primitive;
        ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
        std::vector<int64_t> drawn(static_cast<size_t>(r.batch * r.samples));
        const Memory src = memory_over(src_md, engine_, logits.data());
        const Memory dst = memory_over(dst_md, engine_, drawn.data());
        const Memory offset = memory_over(row_major({1}, tombola_u64), engine_, r.offset.data());
        const Memory uniforms = memory_over(row_major({r.batch, r.samples}, tombola_f64), engine_,
                                            r.uniforms.empty() ? nullptr : r.uniforms.data());
        std::vector<tombola_exec_arg_t> args{
            {TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}, {TOMBOLA_ARG_OFFSET, offset}};
        if (!r.uniforms.empty()) args.push_back({TOMBOLA_ARG_UNIFORMS, uniforms});
        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, static_cast<int>(args.size()),
                                            args.data()),
                  tombola_success)
            << last_error();
        for_each_result(p, [&](const TokenSamplerResult& result) {
            EXPECT_EQ(result.ids, drawn) << "case " << i;
        });
        if (HasFailure()) return;
    }
}

// -- what a sample depends on ----------------------------------------------------------------------------------

// With a stream per row, a row alone gives what it gives in a batch: verification of speculative tokens.
TEST_F(TokenSampler, ARowDependsOnItsOwnArgumentsAlone) {
    Noise noise(7);
    constexpr int64_t kRows = 5, kClasses = 900;
    std::vector<std::vector<float>> rows;
    std::vector<float> logits;
    for (int64_t row = 0; row < kRows; ++row) {
        rows.push_back(row_of_kind(row % 3, kClasses, noise));
        logits.insert(logits.end(), rows.back().begin(), rows.back().end());
    }
    Problem batch = problem(tombola_f32, kRows, 2, logits);
    batch.request.row_seeds = true;
    batch.request.seeds.clear();
    for (uint64_t row = 0; row < kRows; ++row) {
        batch.request.seeds.insert(batch.request.seeds.end(), {42, 43});
        batch.request.offset.push_back(100 + 2 * row);
        batch.request.top_k.push_back(static_cast<int32_t>(10 * row));
        batch.request.temperature.push_back(row == 2 ? 0 : 0.5f + 0.2f * static_cast<float>(row));
    }
    for_each_result(batch, [&](const TokenSamplerResult& all) {
        for (size_t row = 0; row < kRows; ++row) {
            Problem one = problem(tombola_f32, 1, 2, rows[row]);
            one.request.seeds = {42, 43};
            one.request.offset = {batch.request.offset[row]};
            one.request.top_k = {batch.request.top_k[row]};
            one.request.temperature = {batch.request.temperature[row]};
            Problem source = one;
            const Outcome outcome = run(source, describe(source));
            ASSERT_EQ(outcome.status, tombola_success) << outcome.error;
            EXPECT_EQ(outcome.result.ids,
                      std::vector<int64_t>(all.ids.begin() + static_cast<int64_t>(2 * row),
                                           all.ids.begin() + static_cast<int64_t>(2 * row + 2)));
        }
        describe(batch);
    });
}

// With shared seeds OFFSET cuts a batch as it cuts multinomial's.
TEST_F(TokenSampler, OffsetCutsABatch) {
    Noise noise(8);
    std::vector<float> logits;
    for (int64_t row = 0; row < 6; ++row) {
        const std::vector<float> values = row_of_kind(row % 2, 100, noise);
        logits.insert(logits.end(), values.begin(), values.end());
    }
    const Problem whole = problem(tombola_f32, 6, 3, logits);
    for_each_result(whole, [&](const TokenSamplerResult& all) {
        Problem part = problem(tombola_f32, 4, 3, {logits.begin() + 200, logits.end()});
        part.request.offset = {2 * 3};
        const Outcome outcome = run(part, describe(part));
        ASSERT_EQ(outcome.status, tombola_success) << outcome.error;
        EXPECT_EQ(outcome.result.ids, std::vector<int64_t>(all.ids.begin() + 6, all.ids.end()));
        describe(whole);
    });
}

TEST_F(TokenSampler, ExtremeTemperatures) {
    for (const float t : {0x1p-64f, 0x1p-30f, 1e-3f, 0x1p64f, std::numeric_limits<float>::max()})
        for (const auto order : kOrders) {
            Problem p = problem(tombola_f32, 2, 40,
                                {-3e38f, 3e38f, 1, 2, -kInf, 0, 5, 5, 5, 4.9999995f, 5, 1});
            p.request.temperature = {t};
            p.request.filter_order = order;
            p.request.logprobs = tombola_logprobs_processed;
            check(p, std::to_string(t));
        }
}

// -- frequencies -----------------------------------------------------------------------------------------------

// Pearson's chi-square of 20,000 draws through filters, against exact probabilities, at the quantile 1 - 1e-6.
TEST_F(TokenSampler, FrequenciesFollowTheProbabilities) {
    std::vector<float> logits;
    for (int k = 0; k < 40; ++k) logits.push_back(static_cast<float>((k * 7) % 40) / 8);
    for (const auto order : kOrders) {
        constexpr int64_t kSamples = 20000;
        Problem p = problem(tombola_f32, 1, kSamples, logits);
        p.request.filter_order = order;
        p.request.temperature = {1.3f};
        p.request.top_k = {20};
        p.request.top_p = {0.95f};
        p.request.min_p = {0.03f};
        const TokenSamplerResult expected =
            reference::token_sampler_reference(p.request, p.logits.data());
        const auto& set = expected.sets[0];
        ASSERT_GE(set.size(), 8u);
        // Probabilities from the C library's exp, not from the reference's weights.
        std::vector<double> probability;
        for (const int64_t k : set)
            probability.push_back(
                std::exp(static_cast<double>(logits[static_cast<size_t>(k)]) / 1.3f));
        const double sum = std::accumulate(probability.begin(), probability.end(), 0.0);
        for_each_result(p, [&](const TokenSamplerResult& result) {
            std::vector<double> counts(set.size());
            for (const int64_t id : result.ids) {
                const auto at = std::lower_bound(set.begin(), set.end(), id) - set.begin();
                ASSERT_EQ(set[static_cast<size_t>(at)], id);
                ++counts[static_cast<size_t>(at)];
            }
            double chi_square = 0;
            for (size_t i = 0; i < set.size(); ++i) {
                const double mean = kSamples * probability[i] / sum;
                chi_square += (counts[i] - mean) * (counts[i] - mean) / mean;
            }
            // Wilson and Hilferty's approximation of the quantile; z is that of the normal distribution.
            const auto n = static_cast<double>(set.size() - 1);
            const double z = 4.753, c = 2 / (9 * n);
            EXPECT_LT(chi_square, n * std::pow(1 - c + z * std::sqrt(c), 3));
        });
    }
}

// -- refusals --------------------------------------------------------------------------------------------------

TEST_F(TokenSampler, RefusesWithArgumentAndRow) {
    const auto make = [] { return problem(tombola_f32, 3, 2, std::vector<float>(3 * 40, 1)); };
    const auto refuse = [&](const Problem& p, const std::string& what) {
        EXPECT_FALSE(reference::token_sampler_refusal(p.request, p.logits.data()).empty()) << what;
        check(p, what);
    };
    for (const float t : {-1.0f, kNan, kInf, 0x1p-65f, -0x1p-80f}) {
        Problem p = make();
        p.request.temperature = {t};
        refuse(p, "temperature");
        p.request.temperature = {1, 0, t};
        refuse(p, "temperature in rows");
    }
    for (const float v : {-0.1f, 1.0000001f, kNan, kInf}) {
        Problem p = make();
        p.request.top_p = {v};
        refuse(p, "top_p");
        p.request.top_p = {1, v, v};
        refuse(p, "top_p in rows");
        p = make();
        p.request.min_p = {0, 0, v};
        refuse(p, "min_p");
    }
    Problem p = make();
    p.request.top_k = {-1};
    refuse(p, "top_k");
    p.request.top_k = {0, 1, INT32_MIN};
    refuse(p, "top_k in rows");
    p = make();
    p.request.uniforms = {0, 1, 0.5, -0.0, 1.5, 0};
    refuse(p, "uniforms");
    p = make();
    p.request.mask = {1, 1, 0, 0, 1, 0};
    refuse(p, "mask");
    p = make();
    p.request.offset = {UINT64_MAX - 4};
    refuse(p, "offset");
    p.request.offset = {0, 1, UINT64_MAX - 4};
    refuse(p, "offset in rows");
    for (const float x : {kNan, kInf})
        for (const size_t at : {size_t{0}, size_t{39}, size_t{119}}) {
            std::vector<float> logits(120, 1);
            logits[at] = x;
            for (const auto type : kTypes) refuse(problem(type, 3, 1, logits), "logit");
        }
    std::vector<float> logits(120, -kInf);
    logits[7] = logits[90] = 0;
    refuse(problem(tombola_f32, 3, 1, logits), "all -inf");
}

// Masked classes may hold anything.
TEST_F(TokenSampler, MaskedClassesAreNeverLookedAt) {
    for (const auto type : kTypes)
        for (const int64_t classes : {3, 64, 700, 1500}) {
            std::vector<float> logits(static_cast<size_t>(classes), kNan);
            logits[1] = kInf;
            logits[2] = 3;
            logits.back() = 2;
            Problem p = problem(type, 1, 20, logits);
            p.request.mask.assign(static_cast<size_t>(classes + 31) / 32, 0);
            p.request.mask[0] |= 4;
            p.request.mask.back() |= 1u << ((classes - 1) % 32);
            p.request.top_n = 3;
            p.request.logprobs = tombola_logprobs_processed;
            check(p, std::to_string(classes));
            p.request.top_k = {1};
            check(p, std::to_string(classes));
        }
}

// -- seeds -----------------------------------------------------------------------------------------------------

TEST_F(TokenSampler, SeedsZeroDrawFreshOnesAndTellThem) {
    constexpr int64_t kRows = 3, kSamples = 50;
    Problem p = problem(tombola_f32, kRows, kSamples, std::vector<float>(kRows * 1000, 0));
    for_each_implementation(describe(p), [&](const_tombola_primitive_desc_t desc) {
        SCOPED_TRACE(impl_name(desc));
        Primitive primitive;
        ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
        std::vector<int64_t> ids(kRows * kSamples);
        uint64_t seeds[2 * kRows] = {0, 0, 5, 6, 0, 0};
        uint64_t used[2 * kRows] = {};
        const Memory src = memory_over(src_md_, engine_, p.logits.data());
        const Memory dst = memory_over(dst_md_, engine_, ids.data());
        const MemoryDesc pairs = row_major({kRows, 2}, tombola_u64);
        const Memory in = memory_over(pairs, engine_, seeds);
        const Memory out = memory_over(pairs, engine_, used);
        const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, src},
                                           {TOMBOLA_ARG_DST, dst},
                                           {TOMBOLA_ARG_SEEDS, in},
                                           {TOMBOLA_ARG_DST_SEEDS, out}};
        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 4, args), tombola_success)
            << last_error();
        EXPECT_EQ(used[2], 5u);
        EXPECT_EQ(used[3], 6u);
        EXPECT_TRUE(used[0] != 0 || used[1] != 0);
        EXPECT_TRUE(used[0] != used[4] || used[1] != used[5]);
        Problem again = p;
        again.request.row_seeds = true;
        again.request.seeds.assign(used, used + 2 * kRows);
        EXPECT_EQ(reference::token_sampler_reference(again.request, p.logits.data()).ids, ids);
        // One pair cannot tell three.
        const Memory one = memory_over(row_major({2}, tombola_u64), engine_, used);
        const tombola_exec_arg_t wrong[] = {{TOMBOLA_ARG_SRC, src},
                                            {TOMBOLA_ARG_DST, dst},
                                            {TOMBOLA_ARG_SEEDS, in},
                                            {TOMBOLA_ARG_DST_SEEDS, one}};
        EXPECT_EQ(tombola_primitive_execute(primitive, stream_, 4, wrong),
                  tombola_invalid_arguments);
        EXPECT_NE(last_error().find("DST_SEEDS has 2 elements; expected 6"), std::string::npos)
            << last_error();
    });
}

// -- descriptors -----------------------------------------------------------------------------------------------

TEST_F(TokenSampler, DescriptorsAreChecked) {
    const auto create = [&](const MemoryDesc& src, const MemoryDesc& dst, int order, int logprobs,
                            int64_t top_n) {
        PrimitiveDesc desc;
        const tombola_status_t status = tombola_token_sampler_primitive_desc_create(
            desc.out(), engine_, src, dst, static_cast<tombola_filter_order_t>(order),
            static_cast<tombola_logprobs_t>(logprobs), top_n, 1, 2, nullptr);
        return status == tombola_success ? "" : last_error();
    };
    const auto expect = [&](const std::string& error, const std::string& part) {
        EXPECT_NE(error.find(part), std::string::npos) << error << " should say " << part;
    };
    const auto src = [](int64_t rows, int64_t classes) {
        return row_major({rows, classes}, tombola_f32);
    };
    const auto dst = [](int64_t rows, int64_t samples) {
        return row_major({rows, samples}, tombola_s32);
    };
    EXPECT_EQ(create(src(2, 5), dst(2, 1), 3, 2, 5), "");
    expect(create(src(2, 5), dst(3, 1), 0, 0, 0), "dst_desc has 3 rows; expected 2");
    expect(create(row_major({2, 5}, tombola_f64), dst(2, 1), 0, 0, 0), "logits_desc");
    expect(create(src(2, 5), row_major({2, 1}, tombola_f32), 0, 0, 0), "dst_desc");
    expect(create(row_major({5}, tombola_f32), dst(2, 1), 0, 0, 0), "logits_desc has 1 dimensions");
    expect(create(src(2, 5), row_major({2}, tombola_s32), 0, 0, 0), "dst_desc has 1 dimensions");
    expect(create(src(2, 5), dst(2, 1), 0, 0, 6), "top_n is 6; expected 0 to 5");
    expect(create(src(2, 5), dst(2, 1), 0, 0, -1), "top_n is -1");
    expect(create(src(2, 0), dst(2, 1), 0, 0, 0), "logits_desc has 0 classes");
    expect(create(src(1, INT64_C(1) << 31), dst(1, 1), 0, 0, 0),
           "logits_desc has 2147483648 classes; expected at most 2147483647");
    expect(create(src(2, 5), dst(2, 1), 4, 0, 0), "filter_order is 4");
    expect(create(src(2, 5), dst(2, 1), 0, 3, 0), "logprobs is 3");
}

TEST_F(TokenSampler, ArgumentsOfAnotherShapeAreRefused) {
    std::vector<float> logits(3 * 40, 1);
    const MemoryDesc src_md = row_major({3, 40}, tombola_f32),
                     dst_md = row_major({3, 1}, tombola_s32);
    PrimitiveDesc desc;
    ASSERT_EQ(tombola_token_sampler_primitive_desc_create(desc.out(), engine_, src_md, dst_md,
                                                          tombola_filter_order_transformers,
                                                          tombola_logprobs_none, 0, 1, 2, nullptr),
              tombola_success);
    Primitive primitive;
    ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
    std::vector<int32_t> ids(3);
    std::vector<uint64_t> zeros(64, 0);
    const Memory src = memory_over(src_md, engine_, logits.data());
    const Memory dst = memory_over(dst_md, engine_, ids.data());
    const auto status = [&](int arg, const DimVector& dims, tombola_data_type_t type) {
        const Memory memory = memory_over(row_major(dims, type), engine_, zeros.data());
        const tombola_exec_arg_t args[] = {
            {TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}, {arg, memory}};
        return tombola_primitive_execute(primitive, stream_, 3, args);
    };
    for (const DimVector& dims : {DimVector{1}, {3}, {3, 1}, {1, 1}})
        EXPECT_EQ(status(TOMBOLA_ARG_TOP_K, dims, tombola_s32), tombola_success) << last_error();
    for (const DimVector& dims : {DimVector{2}, {4}, {1, 3}, {3, 2}, {0}}) {
        EXPECT_EQ(status(TOMBOLA_ARG_TOP_K, dims, tombola_s32), tombola_invalid_arguments);
        EXPECT_NE(last_error().find("TOP_K has the memory descriptor"), std::string::npos);
        EXPECT_NE(last_error().find("or 3x1 in rows"), std::string::npos) << last_error();
    }
    EXPECT_EQ(status(TOMBOLA_ARG_TOP_K, {3}, tombola_s64), tombola_invalid_arguments);
    EXPECT_EQ(status(TOMBOLA_ARG_SEEDS, {3, 2}, tombola_u64), tombola_success) << last_error();
    EXPECT_EQ(status(TOMBOLA_ARG_SEEDS, {6}, tombola_u64), tombola_invalid_arguments);
    EXPECT_EQ(status(TOMBOLA_ARG_MASK, {3, 1}, tombola_s32), tombola_invalid_arguments);
    // What the descriptor does not ask for is no argument.
    EXPECT_EQ(status(TOMBOLA_ARG_DST_LOGPROBS, {3, 1}, tombola_f32), tombola_invalid_arguments);
    EXPECT_EQ(status(TOMBOLA_ARG_DST_TOP_IDS, {3, 1}, tombola_s32), tombola_invalid_arguments);
}

TEST_F(TokenSampler, EmptyTensors) {
    Problem p = problem(tombola_f32, 1, 0, {1, 2, 3});
    p.request.top_k = {2};
    check(p, "no samples: the set is counted all the same");
    const MemoryDesc src_md = row_major({0, 5}, tombola_f32),
                     dst_md = row_major({0, 2}, tombola_s32);
    PrimitiveDesc desc;
    ASSERT_EQ(tombola_token_sampler_primitive_desc_create(desc.out(), engine_, src_md, dst_md,
                                                          tombola_filter_order_vllm,
                                                          tombola_logprobs_raw, 1, 0, 0, nullptr),
              tombola_success)
        << last_error();
    Primitive primitive;
    ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
    const Memory src = memory_over(src_md, engine_, nullptr);
    const Memory dst = memory_over(dst_md, engine_, nullptr);
    const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}};
    EXPECT_EQ(tombola_primitive_execute(primitive, stream_, 2, args), tombola_success)
        << last_error();
}

}  // namespace
}  // namespace tombola::test
