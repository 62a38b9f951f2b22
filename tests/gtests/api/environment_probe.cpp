// SPDX-License-Identifier: Apache-2.0

// What tests run with this or that environment (probe.hpp), and what it says of itself. Without an argument: creates
// a shuffle twice, executes it, and has one refused. With the name of a primitive: executes one of it. With "exit": does so once more when static objects are
// destroyed. With "locale": executes under the locale that the environment names. With "workers": executes under other modes of floating-point
// arithmetic, and prints the modes of OpenMP's threads.

#include <dlfcn.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

#include "gtests/common/fp_control.hpp"
#include "tombola/tombola.hpp"

namespace {

using namespace tombola;

void print_state() {
    std::printf("probe isa %s\n",
                tombola_cpu_isa2str(static_cast<tombola_cpu_isa_t>(get_effective_cpu_isa())));
    std::printf("probe capacity %d\n", get_primitive_cache_capacity());
    std::printf("probe pid %d\n", static_cast<int>(getpid()));
}

template <class Primitive>
void execute(const engine& eng, const typename Primitive::primitive_desc& pd,
             const std::unordered_map<int, memory>& args) {
    stream strm(eng);
    Primitive(pd).execute(strm, args);
    std::printf("probe implementation %s\n", pd.impl_info_str());
}

// Lanes of bytes: a case that each instruction set has kernels of its own for.
void run_shuffle(const engine& eng) {
    const memory::desc md({2, 48, 5, 5}, memory::data_type::s8, memory::format_tag::nhwc);
    const shuffle_forward::primitive_desc pd(eng, prop_kind::forward_training, md, md, 1, 4);
    const memory src(md, eng), dst(md, eng);
    execute<shuffle_forward>(eng, pd, {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}});
}

void run_random_generator(const engine& eng) {
    const memory::desc md({1000}, memory::data_type::u32, memory::format_tag::a);
    const random_generator::primitive_desc pd(eng, generator_kind::philox4x32_10, md);
    std::vector<uint32_t> state(6, 1);
    execute<random_generator>(
        eng, pd,
        {{TOMBOLA_ARG_SRC_STATE, memory(pd.src_state_desc(), eng, state.data())},
         {TOMBOLA_ARG_DST, memory(md, eng)}});
}

void run_random_uniform(const engine& eng, alignment aalignment) {
    const memory::desc md({1000}, memory::data_type::f32, memory::format_tag::a);
    const random_uniform::primitive_desc pd(eng, aalignment, md, 1, 2);
    float low = 0, high = 1;
    execute<random_uniform>(eng, pd,
                            {{TOMBOLA_ARG_MIN, memory(pd.bound_desc(), eng, &low)},
                             {TOMBOLA_ARG_MAX, memory(pd.bound_desc(), eng, &high)},
                             {TOMBOLA_ARG_DST, memory(md, eng)}});
}

void run_multinomial(const engine& eng) {
    const memory::desc probs({2, 100}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc dst({2, 50}, memory::data_type::s32, memory::format_tag::ab);
    const multinomial::primitive_desc pd(eng, probs, dst, true, false, 1, 2);
    std::vector<float> weights(200, 1.0f);
    execute<multinomial>(eng, pd,
                         {{TOMBOLA_ARG_SRC, memory(probs, eng, weights.data())},
                          {TOMBOLA_ARG_DST, memory(dst, eng)}});
}

void run_random_exponential(const engine& eng) {
    const memory::desc md({1000}, memory::data_type::f32, memory::format_tag::a);
    const random_exponential::primitive_desc pd(eng, alignment::pytorch, md, 1, 2);
    execute<random_exponential>(eng, pd, {{TOMBOLA_ARG_DST, memory(md, eng)}});
}

void run_random_bernoulli(const engine& eng, double p = 0.5) {
    const memory::desc md({1000}, memory::data_type::u8, memory::format_tag::a);
    const memory::desc one({1}, memory::data_type::f64, memory::format_tag::a);
    const random_bernoulli::primitive_desc pd(eng, alignment::tensorflow, md, one, 1, 2);
    execute<random_bernoulli>(
        eng, pd, {{TOMBOLA_ARG_P, memory(one, eng, &p)}, {TOMBOLA_ARG_DST, memory(md, eng)}});
}

void run_random_permutation(const engine& eng) {
    const memory::desc md({1000}, memory::data_type::s32, memory::format_tag::a);
    const random_permutation::primitive_desc pd(eng, permutation_alignment::philox, md, 1000, 1, 2);
    execute<random_permutation>(eng, pd, {{TOMBOLA_ARG_DST, memory(md, eng)}});
}

void run_random_normal(const engine& eng) {
    const memory::desc md({1000}, memory::data_type::f32, memory::format_tag::a);
    const random_normal::primitive_desc pd(eng, alignment::pytorch, md, 1, 2);
    const random_normal::moments moments(pd, 0.0f, 1.0f);
    execute<random_normal>(eng, pd,
                           {{TOMBOLA_ARG_MEAN, moments.mean()},
                            {TOMBOLA_ARG_STD, moments.std()},
                            {TOMBOLA_ARG_DST, memory(md, eng)}});
}

void run_dropout(const engine& eng) {
    const memory::desc md({1000}, memory::data_type::f32, memory::format_tag::a);
    const dropout_forward::primitive_desc pd(eng, prop_kind::forward_training, md, md, 32,
                                             dropout_mask::none, 1, 2);
    std::vector<float> src(1000, 1.0f);
    float p = 0.5f;
    execute<dropout_forward>(eng, pd,
                             {{TOMBOLA_ARG_SRC, memory(md, eng, src.data())},
                              {TOMBOLA_ARG_P, memory(pd.exec_arg_desc(TOMBOLA_ARG_P), eng, &p)},
                              {TOMBOLA_ARG_DST, memory(md, eng)}});
}

void run_stochastic_rounding(const engine& eng) {
    const memory::desc from({1000}, memory::data_type::f32, memory::format_tag::a);
    const memory::desc to({1000}, memory::data_type::bf16, memory::format_tag::a);
    const stochastic_rounding::primitive_desc pd(eng, from, to, 1, 2);
    std::vector<float> src(1000, 0.1f);
    execute<stochastic_rounding>(
        eng, pd,
        {{TOMBOLA_ARG_SRC, memory(from, eng, src.data())}, {TOMBOLA_ARG_DST, memory(to, eng)}});
}

void run_token_sampler(const engine& eng) {
    const memory::desc logits({2, 1000}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc ids({2, 1}, memory::data_type::s64, memory::format_tag::ab);
    const token_sampler::primitive_desc pd(eng, logits, ids, filter_order::transformers,
                                           logprobs::none, 0, 1, 2);
    std::vector<float> src(2000, 1.0f);
    execute<token_sampler>(
        eng, pd,
        {{TOMBOLA_ARG_SRC, memory(logits, eng, src.data())}, {TOMBOLA_ARG_DST, memory(ids, eng)}});
}

// Has a call refused, and says why.
std::string refused() {
    tombola_engine_t eng = nullptr;
    tombola_engine_create(&eng, tombola_cpu, 1);
    return tombola_get_last_error();
}

// Executes, and has a call refused, under the locale that the environment names.
void run_in_locale(const engine& eng) {
    std::setlocale(LC_ALL, "");
    std::printf("probe half %g\n", 0.5);
    run_random_bernoulli(eng);
    try {
        run_random_bernoulli(eng, 1.5);
    } catch (const error& refusal) {
        std::printf("probe error %s\n", refusal.what());
    }
}

// A region of the program's own, in which threads of the library's first region run.
void print_modes_of_workers(const engine& eng) {
    test::set_fp_control(test::kFpDefault | test::kFpFlush | test::kFpUp);
    run_random_generator(eng);
    // The function behind `#pragma omp parallel`, also in LLVM's run-time.
    using Region = void (*)(void (*)(void*), void*, unsigned, unsigned);
    const auto region = reinterpret_cast<Region>(dlsym(RTLD_DEFAULT, "GOMP_parallel"));
    if (region == nullptr) return;
    const auto print = [](void*) {
        std::printf("probe modes %d\n",
                    static_cast<int>(test::fp_control() & (test::kFpFlush | test::kFpUp)));
    };
    region(print, nullptr, 2, 0);
    std::printf("probe expected %d\n", static_cast<int>(test::kFpFlush | test::kFpUp));
}

// Made before the library's own static objects, and destroyed after them.
struct AtExit {
    ~AtExit() {
        if (!wanted) return;
        run_random_generator(engine(engine::kind::cpu, 0));
        std::printf("probe error %s\n", refused().c_str());
    }
    bool wanted = false;
} at_exit;

int run_one(const engine& eng, const std::string& name) {
    at_exit.wanted = name == "exit";
    if (name == "exit") refused();
    if (name == "shuffle" || name == "exit")
        run_shuffle(eng);
    else if (name == "random_generator")
        run_random_generator(eng);
    else if (name == "tensorflow")
        run_random_uniform(eng, alignment::tensorflow);
    else if (name == "pytorch")
        run_random_uniform(eng, alignment::pytorch);
    else if (name == "multinomial")
        run_multinomial(eng);
    else if (name == "exponential")
        run_random_exponential(eng);
    else if (name == "bernoulli")
        run_random_bernoulli(eng);
    else if (name == "locale")
        run_in_locale(eng);
    else if (name == "workers")
        print_modes_of_workers(eng);
    else if (name == "permutation")
        run_random_permutation(eng);
    else if (name == "normal")
        run_random_normal(eng);
    else if (name == "dropout")
        run_dropout(eng);
    else if (name == "rounding")
        run_stochastic_rounding(eng);
    else if (name == "token_sampler")
        run_token_sampler(eng);
    else
        return 1;
    print_state();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const engine eng(engine::kind::cpu, 0);
    if (argc > 1) return run_one(eng, argv[1]);
    const stream strm(eng);
    const memory::desc md({2, 16, 7, 7}, memory::data_type::f32, memory::format_tag::nchw);
    const shuffle_forward::primitive_desc pd(eng, prop_kind::forward_training, md, md, 1, 4);
    const memory src(md, eng);
    const memory dst(md, eng);
    for (int round = 0; round < 2; ++round)
        shuffle_forward(pd).execute(strm, {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}});
    const shuffle_forward::primitive_desc bad(eng, prop_kind::forward_training, md, md, 1, 5,
                                              primitive_attr(), true);
    std::printf("probe implementation %s\n", pd.impl_info_str());
    print_state();
    return bad ? 1 : 0;
}
