// SPDX-License-Identifier: Apache-2.0
#include "streams.hpp"

#include <cmath>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>

#include "tombola/tombola.hpp"

namespace tombola::test {
namespace {

using type = memory::data_type;
using Arguments = std::unordered_map<int, memory>;
using Bits = std::function<void(BitStream&)>;

constexpr int64_t kElements = 1 << 16;  // of one execution
constexpr size_t kInterleaved = 256;    // streams that are taken element by element in turn

const engine& cpu() {
    static const engine eng(engine::kind::cpu, 0);
    return eng;
}

memory::desc row(int64_t elements, type t) { return {{elements}, t, memory::format_tag::a}; }

template <class T>
memory one(const memory::desc& desc, T value) {
    memory made(desc, cpu());
    *static_cast<T*>(made.get_data_handle()) = value;
    return made;
}

// How an execution goes on where the one before ended.
enum class Next {
    offset,  // OFFSET advances by the elements of an execution
    state,   // DST_STATE becomes SRC_STATE
    seeds,   // the global seed advances by 1
};

// A primitive that is executed again and again. T is the type in memory: uint16_t for f16 and bf16.
template <class T>
class Draw {
  public:
    template <class Desc>
    Draw(const Desc& pd, const primitive& made, Arguments arguments, Next next, uint64_t seed,
         uint64_t offset = 0)
        : primitive_(made), arguments_(std::move(arguments)), next_(next) {
        const memory::desc dst = pd.exec_arg_desc(TOMBOLA_ARG_DST);
        dst_ = memory(dst, cpu());
        size_ = dst.get_size() / sizeof(T);
        arguments_[TOMBOLA_ARG_DST] = dst_;
        if (next != Next::state) {
            seeds_ = memory(pd.exec_arg_desc(TOMBOLA_ARG_SEEDS), cpu());
            at(seeds_)[0] = seed;
            at(seeds_)[1] = 1;
            arguments_[TOMBOLA_ARG_SEEDS] = seeds_;
        }
        if (next == Next::offset) {
            offset_ = one(pd.exec_arg_desc(TOMBOLA_ARG_OFFSET), offset);
            arguments_[TOMBOLA_ARG_OFFSET] = offset_;
        }
        if (next == Next::state) {
            state_ = memory(pd.exec_arg_desc(TOMBOLA_ARG_DST_STATE), cpu());
            arguments_[TOMBOLA_ARG_DST_STATE] = state_;
        }
    }
    size_t size() const { return size_; }
    memory& argument(int name) { return arguments_[name]; }
    // The elements of one more execution.
    const T* operator()() {
        primitive_.execute(stream_, arguments_);
        if (next_ == Next::offset) at(offset_)[0] += size_;
        if (next_ == Next::seeds) ++at(seeds_)[0];
        if (next_ == Next::state) arguments_[TOMBOLA_ARG_SRC_STATE] = state_;
        return static_cast<const T*>(dst_.get_data_handle());
    }

  private:
    static uint64_t* at(const memory& values) {
        return static_cast<uint64_t*>(values.get_data_handle());
    }

    stream stream_{cpu()};
    primitive primitive_;
    Arguments arguments_;
    Next next_;
    memory dst_, seeds_, offset_, state_;
    size_t size_ = 0;
};

// append(stream, element) for every element.
template <class T, class Append>
Bits each(Draw<T> draw, Append append) {
    auto shared = std::make_shared<Draw<T>>(std::move(draw));
    return [shared, append](BitStream& out) {
        const T* elements = (*shared)();
        for (size_t i = 0; i < shared->size(); ++i) append(out, elements[i]);
    };
}

// append(stream, first, second) for elements 0 and 1, 2 and 3, ...
template <class T, class Append>
Bits pairs(Draw<T> draw, Append append) {
    auto shared = std::make_shared<Draw<T>>(std::move(draw));
    return [shared, append](BitStream& out) {
        const T* elements = (*shared)();
        for (size_t i = 0; i + 1 < shared->size(); i += 2)
            append(out, elements[i], elements[i + 1]);
    };
}

// Element 0 of each draw, then element 1 of each, ...
template <class T, class Append>
Bits interleaved(std::vector<Draw<T>> draws, Append append) {
    auto shared = std::make_shared<std::vector<Draw<T>>>(std::move(draws));
    return [shared, append](BitStream& out) {
        std::vector<const T*> elements;
        for (Draw<T>& draw : *shared) elements.push_back(draw());
        for (size_t i = 0; i < shared->front().size(); ++i)
            for (const T* from : elements) append(out, from[i]);
    };
}

// Philox words --------------------------------------------------------------------------------------------------------

// Counter words 2 and 3 of a state number the streams whose counters are 2^64 apart.
Draw<uint32_t> words(int64_t count, uint64_t key, uint32_t stream_number = 0) {
    const random_generator::primitive_desc pd(cpu(), generator_kind::philox4x32_10,
                                              row(count, type::u32));
    memory state(pd.src_state_desc(), cpu());
    const uint32_t start[6] = {
        0, 0, stream_number, 0, static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
    std::memcpy(state.get_data_handle(), start, sizeof start);
    Draw<uint32_t> draw(pd, random_generator(pd), {{TOMBOLA_ARG_SRC_STATE, state}}, Next::state, 0);
    return draw;
}

void append_word(BitStream& out, uint32_t word) { out.append(word, 32); }

// Uniform numbers -----------------------------------------------------------------------------------------------------

template <class T>
Draw<T> uniform(alignment whose, type t, T min, T max, uint64_t seed, int64_t count = kElements,
                uint64_t offset = 0, bool full_range = false) {
    const random_uniform::primitive_desc pd(cpu(), whose, row(count, t), seed, 1, int_draws::spec,
                                            float_draws::torch1, full_range);
    Arguments arguments;
    if (!full_range) {
        arguments[TOMBOLA_ARG_MIN] = one(pd.bound_desc(), min);
        arguments[TOMBOLA_ARG_MAX] = one(pd.bound_desc(), max);
    }
    return Draw<T>(pd, random_uniform(pd), arguments,
                   whose == alignment::pytorch ? Next::state : Next::offset, seed, offset);
}

constexpr uint16_t kOneF16 = 0x3C00, kOneBf16 = 0x3F80;

double value_of(double number, type) { return number; }
double value_of(float number, type) { return static_cast<double>(number); }
double value_of(uint16_t bits, type t) {
    if (t == type::bf16) {
        const uint32_t wide = static_cast<uint32_t>(bits) << 16;
        float number;
        std::memcpy(&number, &wide, sizeof number);
        return static_cast<double>(number);
    }
    const int exponent = bits >> 10, fraction = bits & 1023;
    return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
}

// A number from [0, 1) that is a multiple of 2^-count, as `count` bits.
struct Mantissa {
    type t;
    int count;
    template <class T>
    void operator()(BitStream& out, T element) const {
        out.append(static_cast<uint64_t>(std::ldexp(value_of(element, t), count)), count);
    }
};

// An integer below 2^count, as `count` bits; a greater one is left out.
struct Below {
    int count;
    template <class T>
    void operator()(BitStream& out, T element) const {
        const auto number = static_cast<uint64_t>(element);
        if (number >> count == 0) out.append(number, count);
    }
};

// Distributions -------------------------------------------------------------------------------------------------------

// The first `count` bits of the distribution function at the number.
struct NormalCdf {
    int count;
    template <class T>
    void operator()(BitStream& out, T number) const {
        const double u =
            std::erfc(-static_cast<double>(number) * 0x1.6a09e667f3bcdp-1) / 2;  // 1/sqrt(2)
        append(out, u);
    }
    void append(BitStream& out, double u) const {
        const auto bits = static_cast<uint64_t>(std::ldexp(u, count));
        out.append(std::min(bits, (uint64_t{1} << count) - 1), count);
    }
};
struct ExponentialCdf {
    int count;
    template <class T>
    void operator()(BitStream& out, T number) const {
        NormalCdf{count}.append(out, -std::expm1(-static_cast<double>(number)));
    }
};

Next next_of(alignment whose) { return whose == alignment::pytorch ? Next::state : Next::offset; }

template <class T>
Draw<T> normal(alignment whose, type t, uint64_t seed) {
    const random_normal::primitive_desc pd(cpu(), whose, row(kElements, t), seed, 1);
    return Draw<T>(pd, random_normal(pd),
                   {{TOMBOLA_ARG_MEAN, one(pd.moment_desc(), T{0})},
                    {TOMBOLA_ARG_STD, one(pd.exec_arg_desc(TOMBOLA_ARG_STD), T{1})}},
                   next_of(whose), seed);
}

template <class T>
Draw<T> exponential(alignment whose, type t, uint64_t seed) {
    const random_exponential::primitive_desc pd(cpu(), whose, row(kElements, t), seed, 1);
    const memory::desc lambda = pd.lambda_desc();
    const bool wide = lambda.get_data_type() == type::f64;
    return Draw<T>(pd, random_exponential(pd),
                   {{TOMBOLA_ARG_LAMBDA, wide ? one(lambda, 1.0) : one(lambda, 1.0f)}},
                   next_of(whose), seed);
}

Draw<uint8_t> bernoulli(alignment whose, double p, uint64_t seed) {
    const memory::desc p_desc = row(1, type::f64);
    const random_bernoulli::primitive_desc pd(cpu(), whose, row(kElements, type::u8), p_desc, seed,
                                              1);
    return Draw<uint8_t>(pd, random_bernoulli(pd), {{TOMBOLA_ARG_P, one(p_desc, p)}},
                         next_of(whose), seed);
}

// Fair bits of unfair ones: 1 then 0, or 0 then 1 (von Neumann, 1951).
template <class T>
void append_if_different(BitStream& out, T first, T second) {
    if (first != second) out.append(first != 0, 1);
}

// The order of two of the elements of a permutation.
template <class T>
void append_order(BitStream& out, T first, T second) {
    out.append(first < second, 1);
}

// Which of two classes of the same weight, 2n and 2n + 1.
struct Parity {
    template <class T>
    void operator()(BitStream& out, T index) const {
        out.append(static_cast<uint64_t>(index) & 1, 1);
    }
};

// Sampling ------------------------------------------------------------------------------------------------------------

// Weights 1 / (1 + n / 20) of the classes 2n and 2n + 1: Zipf's, as words of a language have.
std::vector<float> paired_weights(size_t classes) {
    std::vector<float> weights;
    for (size_t i = 0; i < classes; ++i)
        weights.push_back(1 / (1 + static_cast<float>(i / 2) / 20));
    return weights;
}

memory filled(const memory::desc& desc, const std::vector<float>& values) {
    memory made(desc, cpu());
    const size_t count = desc.get_size() / sizeof(float);
    for (size_t i = 0; i < count; ++i)
        static_cast<float*>(made.get_data_handle())[i] = values[i % values.size()];
    return made;
}

Draw<int32_t> classes(const std::vector<float>& weights, int64_t rows, int64_t samples,
                      bool with_replacement, uint64_t seed) {
    const auto count = static_cast<int64_t>(weights.size());
    const memory::desc src({rows, count}, type::f32, memory::format_tag::ab);
    const memory::desc dst({rows, samples}, type::s32, memory::format_tag::ab);
    const multinomial::primitive_desc pd(cpu(), src, dst, with_replacement, false, seed, 1);
    return Draw<int32_t>(pd, multinomial(pd), {{TOMBOLA_ARG_SRC, filled(src, weights)}},
                         Next::offset, seed);
}

Draw<int32_t> tokens(std::vector<float> weights, int64_t rows, int64_t samples, uint64_t seed) {
    for (float& weight : weights) weight = std::log(weight);
    const auto count = static_cast<int64_t>(weights.size());
    const memory::desc src({rows, count}, type::f32, memory::format_tag::ab);
    const memory::desc dst({rows, samples}, type::s32, memory::format_tag::ab);
    const token_sampler::primitive_desc pd(cpu(), src, dst, filter_order::transformers,
                                           logprobs::none, 0, seed, 1);
    return Draw<int32_t>(pd, token_sampler(pd),
                         {{TOMBOLA_ARG_SRC, filled(src, weights)},
                          {TOMBOLA_ARG_TEMPERATURE, one(pd.temperature_desc(), 0.8f)}},
                         Next::offset, seed);
}

// Rows with seeds of their own, as the requests of a server have; each execution draws one token of each.
Bits tokens_of_requests(uint64_t seed) {
    constexpr int64_t kRows = 1024;
    Draw<int32_t> draw = tokens(std::vector<float>(256, 1.0f), kRows, 1, seed);
    memory seeds({{kRows, 2}, type::u64, memory::format_tag::ab}, cpu());
    memory offsets(row(kRows, type::u64), cpu());
    auto* seed_pairs = static_cast<uint64_t*>(seeds.get_data_handle());
    auto* positions = static_cast<uint64_t*>(offsets.get_data_handle());
    for (int64_t i = 0; i < kRows; ++i) {
        seed_pairs[2 * i] = seed;
        seed_pairs[2 * i + 1] = static_cast<uint64_t>(i);
        positions[i] = 0;
    }
    draw.argument(TOMBOLA_ARG_SEEDS) = seeds;
    draw.argument(TOMBOLA_ARG_OFFSET) = offsets;
    auto shared = std::make_shared<Draw<int32_t>>(std::move(draw));
    return [shared, positions](BitStream& out) {
        const int32_t* ids = (*shared)();
        for (int64_t i = 0; i < kRows; ++i) {
            out.append(static_cast<uint64_t>(ids[i]), 8);
            ++positions[i];
        }
    };
}

// `drawn` elements of a permutation of `range`, with other seeds each time.
Draw<int64_t> permutation(permutation_alignment whose, int64_t drawn, int64_t range,
                          uint64_t seed) {
    const random_permutation::primitive_desc pd(cpu(), whose, row(drawn, type::s64), range, seed,
                                                1);
    return Draw<int64_t>(pd, random_permutation(pd), {}, Next::seeds, seed);
}

// A mask of one bit for each element.
Bits dropout_mask_bits(int draw_bits, uint64_t seed) {
    const memory::desc desc = row(kElements, type::f32);
    const dropout_forward::primitive_desc pd(cpu(), prop_kind::forward_training, desc, desc,
                                             draw_bits, dropout_mask::bits, seed, 1);
    memory mask(pd.mask_desc(), cpu());
    Draw<float> draw(pd, dropout_forward(pd),
                     {{TOMBOLA_ARG_SRC, filled(desc, {1})},
                      {TOMBOLA_ARG_P, one(pd.p_desc(), 0.5f)},
                      {TOMBOLA_ARG_MASK, mask}},
                     Next::offset, seed);
    auto shared = std::make_shared<Draw<float>>(std::move(draw));
    return [shared, mask](BitStream& out) {
        (*shared)();
        const auto* bytes = static_cast<const uint8_t*>(mask.get_data_handle());
        for (int64_t i = 0; i < kElements / 8; ++i) out.append(bytes[i], 8);
    };
}

Draw<float> dropout_values(float p, uint64_t seed) {
    const memory::desc desc = row(kElements, type::f32);
    const dropout_forward::primitive_desc pd(cpu(), prop_kind::forward_training, desc, desc, 32,
                                             dropout_mask::none, seed, 1);
    return Draw<float>(pd, dropout_forward(pd),
                       {{TOMBOLA_ARG_SRC, filled(desc, {1})}, {TOMBOLA_ARG_P, one(pd.p_desc(), p)}},
                       Next::offset, seed);
}

// Numbers in the middle between two neighbours: 1 + half of the last place. Up has an odd mantissa, down is 1.
Draw<uint16_t> rounded(type t, uint64_t seed) {
    const memory::desc src = row(kElements, type::f32);
    const stochastic_rounding::primitive_desc pd(cpu(), src, row(kElements, t), seed, 1);
    return Draw<uint16_t>(
        pd, stochastic_rounding(pd),
        {{TOMBOLA_ARG_SRC, filled(src, {t == type::bf16 ? 1 + 0x1p-8f : 1 + 0x1p-11f})}},
        Next::offset, seed);
}

// Controls ------------------------------------------------------------------------------------------------------------

// Every 64th word repeats the one before.
Bits repeating(uint64_t seed) {
    auto shared = std::make_shared<Draw<uint32_t>>(words(kElements, seed));
    return [shared](BitStream& out) {
        const uint32_t* from = (*shared)();
        for (size_t i = 0; i < shared->size(); ++i) out.append(from[i % 64 == 63 ? i - 1 : i], 32);
    };
}

// Bits that are 1 with probability 0.505.
Bits biased(uint64_t seed) {
    return each(bernoulli(alignment::tensorflow, 0.505, seed),
                [](BitStream& out, uint8_t bit) { out.append(bit, 1); });
}

constexpr alignment kTf = alignment::tensorflow, kTorch = alignment::pytorch;

std::vector<Draw<uint32_t>> many_words(uint64_t seed, bool keys) {
    std::vector<Draw<uint32_t>> draws;
    for (size_t k = 0; k < kInterleaved; ++k)
        draws.push_back(words(1024, keys ? seed + k : seed, keys ? 0 : static_cast<uint32_t>(k)));
    return draws;
}

std::vector<Draw<float>> many_uniforms(alignment whose, uint64_t seed, bool seeds) {
    std::vector<Draw<float>> draws;
    for (size_t k = 0; k < kInterleaved; ++k)
        draws.push_back(uniform(whose, type::f32, 0.0f, 1.0f, seeds ? seed + k : seed, 1024,
                                seeds ? 0 : uint64_t{k} << 54));
    return draws;
}

std::vector<Stream> make_streams() {
    std::vector<Stream> made;
    const auto add = [&](const char* name, const char* what, std::function<Bits(uint64_t)> open,
                         bool control = false) {
        made.push_back({name, what, control, std::move(open)});
    };
    using seed_t = uint64_t;

    add("words", "random_generator: words of Philox",
        [](seed_t s) { return each(words(kElements, s), append_word); });
    add("words-keys", "random_generator: 256 keys in turn, a word of each",
        [](seed_t s) { return interleaved(many_words(s, true), append_word); });
    add("words-counters", "random_generator: 256 counters 2^64 apart in turn, a word of each",
        [](seed_t s) { return interleaved(many_words(s, false), append_word); });

    add("tf-f32", "random_uniform, tensorflow, f32: 23 bits", [](seed_t s) {
        return each(uniform(kTf, type::f32, 0.0f, 1.0f, s), Mantissa{type::f32, 23});
    });
    add("tf-f64", "random_uniform, tensorflow, f64: 52 bits", [](seed_t s) {
        return each(uniform(kTf, type::f64, 0.0, 1.0, s), Mantissa{type::f64, 52});
    });
    add("tf-f16", "random_uniform, tensorflow, f16: 10 bits", [](seed_t s) {
        return each(uniform<uint16_t>(kTf, type::f16, 0, kOneF16, s), Mantissa{type::f16, 10});
    });
    add("tf-bf16", "random_uniform, tensorflow, bf16: 7 bits", [](seed_t s) {
        return each(uniform<uint16_t>(kTf, type::bf16, 0, kOneBf16, s), Mantissa{type::bf16, 7});
    });
    add("tf-s32-modulo",
        "random_uniform, tensorflow, s32 from [0, 1000): 9 bits of those below 512",
        [](seed_t s) { return each(uniform<int32_t>(kTf, type::s32, 0, 1000, s), Below{9}); });
    add("tf-s64-modulo",
        "random_uniform, tensorflow, s64 from [0, 10^12): 39 bits of those below 2^39",
        [](seed_t s) {
            return each(uniform<int64_t>(kTf, type::s64, 0, 1000000000000, s), Below{39});
        });
    add("tf-seeds", "random_uniform, tensorflow, f32: 256 seeds in turn", [](seed_t s) {
        return interleaved(many_uniforms(kTf, s, true), Mantissa{type::f32, 23});
    });
    add("tf-offsets", "random_uniform, tensorflow, f32: 256 offsets 2^54 apart in turn",
        [](seed_t s) {
            return interleaved(many_uniforms(kTf, s, false), Mantissa{type::f32, 23});
        });

    add("mt-words",
        "random_uniform, pytorch, s32 of the full range: 31 bits of each word of MT19937",
        [](seed_t s) {
            return each(uniform<int32_t>(kTorch, type::s32, 0, 0, s, kElements, 0, true),
                        Below{31});
        });
    add("mt-f32", "random_uniform, pytorch, f32: 24 bits", [](seed_t s) {
        return each(uniform(kTorch, type::f32, 0.0f, 1.0f, s), Mantissa{type::f32, 24});
    });
    add("mt-f64", "random_uniform, pytorch, f64: 53 bits", [](seed_t s) {
        return each(uniform(kTorch, type::f64, 0.0, 1.0, s), Mantissa{type::f64, 53});
    });
    add("mt-f16", "random_uniform, pytorch, f16: 11 bits", [](seed_t s) {
        return each(uniform<uint16_t>(kTorch, type::f16, 0, kOneF16, s), Mantissa{type::f16, 11});
    });
    add("mt-bf16", "random_uniform, pytorch, bf16: 8 bits", [](seed_t s) {
        return each(uniform<uint16_t>(kTorch, type::bf16, 0, kOneBf16, s), Mantissa{type::bf16, 8});
    });
    add("mt-s32-modulo", "random_uniform, pytorch, s32 from [0, 1000): 9 bits of those below 512",
        [](seed_t s) { return each(uniform<int32_t>(kTorch, type::s32, 0, 1000, s), Below{9}); });
    add("mt-seeds", "random_uniform, pytorch, f32: 256 seeds in turn", [](seed_t s) {
        return interleaved(many_uniforms(kTorch, s, true), Mantissa{type::f32, 24});
    });

    add("tf-normal-f32", "random_normal, tensorflow, f32: 8 bits of the distribution function",
        [](seed_t s) { return each(normal<float>(kTf, type::f32, s), NormalCdf{8}); });
    add("tf-normal-f64", "random_normal, tensorflow, f64: 32 bits of the distribution function",
        [](seed_t s) { return each(normal<double>(kTf, type::f64, s), NormalCdf{32}); });
    add("mt-normal-f32", "random_normal, pytorch, f32: 8 bits of the distribution function",
        [](seed_t s) { return each(normal<float>(kTorch, type::f32, s), NormalCdf{8}); });
    add("mt-normal-f64", "random_normal, pytorch, f64: 32 bits of the distribution function",
        [](seed_t s) { return each(normal<double>(kTorch, type::f64, s), NormalCdf{32}); });
    add("tf-exponential-f32",
        "random_exponential, tensorflow, f32: 8 bits of the distribution function",
        [](seed_t s) { return each(exponential<float>(kTf, type::f32, s), ExponentialCdf{8}); });
    add("tf-exponential-f64",
        "random_exponential, tensorflow, f64: 32 bits of the distribution function",
        [](seed_t s) { return each(exponential<double>(kTf, type::f64, s), ExponentialCdf{32}); });
    add("mt-exponential-f32",
        "random_exponential, pytorch, f32: 8 bits of the distribution function",
        [](seed_t s) { return each(exponential<float>(kTorch, type::f32, s), ExponentialCdf{8}); });
    add("mt-exponential-f64",
        "random_exponential, pytorch, f64: 32 bits of the distribution function", [](seed_t s) {
            return each(exponential<double>(kTorch, type::f64, s), ExponentialCdf{32});
        });

    add("tf-bernoulli", "random_bernoulli, tensorflow, p = 0.3: which of two that differ is 1",
        [](seed_t s) { return pairs(bernoulli(kTf, 0.3, s), append_if_different<uint8_t>); });
    add("mt-bernoulli", "random_bernoulli, pytorch, p = 0.3: which of two that differ is 1",
        [](seed_t s) { return pairs(bernoulli(kTorch, 0.3, s), append_if_different<uint8_t>); });

    add("multinomial-equal", "multinomial of 256 equal weights: 8 bits", [](seed_t s) {
        return each(classes(std::vector<float>(256, 1.0f), 16, 4096, true, s), Below{8});
    });
    add("multinomial-pairs", "multinomial of 500 pairs of equal weights: which of the pair",
        [](seed_t s) { return each(classes(paired_weights(1000), 16, 4096, true, s), Parity{}); });
    add("multinomial-without-replacement",
        "multinomial of all of 256 equal weights without replacement: the order of two",
        [](seed_t s) {
            return pairs(classes(std::vector<float>(256, 1.0f), 256, 256, false, s),
                         append_order<int32_t>);
        });
    add("tokens-equal", "token_sampler of 256 equal logits: 8 bits", [](seed_t s) {
        return each(tokens(std::vector<float>(256, 1.0f), 16, 4096, s), Below{8});
    });
    add("tokens-pairs",
        "token_sampler of 500 pairs of equal logits, temperature 0.8: which of the pair",
        [](seed_t s) { return each(tokens(paired_weights(1000), 16, 4096, s), Parity{}); });
    add("tokens-requests",
        "token_sampler of 256 equal logits, 1024 rows with seeds of their own in turn: 8 bits",
        tokens_of_requests);

    add("permutation-philox", "random_permutation, philox, 4096 elements: the order of two",
        [](seed_t s) {
            return pairs(permutation(permutation_alignment::philox, 4096, 4096, s),
                         append_order<int64_t>);
        });
    add("permutation-philox-first",
        "random_permutation, philox, 256 elements: the first one of each seed", [](seed_t s) {
            return each(permutation(permutation_alignment::philox, 1, 256, s), Below{8});
        });
    add("permutation-pytorch", "random_permutation, pytorch, 4096 elements: the order of two",
        [](seed_t s) {
            return pairs(permutation(permutation_alignment::pytorch, 4096, 4096, s),
                         append_order<int64_t>);
        });

    add("dropout-mask", "dropout, p = 0.5, draws of 32 bits: the bits of the mask",
        [](seed_t s) { return dropout_mask_bits(32, s); });
    add("dropout-mask-16", "dropout, p = 0.5, draws of 16 bits: the bits of the mask",
        [](seed_t s) { return dropout_mask_bits(16, s); });
    add("dropout-mask-8", "dropout, p = 0.5, draws of 8 bits: the bits of the mask",
        [](seed_t s) { return dropout_mask_bits(8, s); });
    add("dropout-values", "dropout, p = 0.3, no mask: which of two that differ is kept",
        [](seed_t s) { return pairs(dropout_values(0.3f, s), append_if_different<float>); });
    add("rounding-bf16",
        "stochastic_rounding to bf16 of the middle between two numbers: up or down",
        [](seed_t s) { return each(rounded(type::bf16, s), Parity{}); });
    add("rounding-f16", "stochastic_rounding to f16 of the middle between two numbers: up or down",
        [](seed_t s) { return each(rounded(type::f16, s), Parity{}); });

    add("control-repeating", "control: every 64th word of Philox repeats the one before", repeating,
        true);
    add("control-biased", "control: bits that are 1 with probability 0.505", biased, true);
    return made;
}

}  // namespace

const std::vector<Stream>& streams() {
    static const std::vector<Stream> made = make_streams();
    return made;
}

}  // namespace tombola::test
