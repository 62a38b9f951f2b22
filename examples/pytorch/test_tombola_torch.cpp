// SPDX-License-Identifier: Apache-2.0

// The extension from C++: PyTorch's own operators are what it is compared with, bit for bit.

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tombola/tombola.hpp"
#include "tombola_torch.hpp"

namespace {

int failures = 0;

void expect(bool ok, const std::string& what) {
    if (ok) return;
    std::printf("failed: %s\n", what.c_str());
    ++failures;
}

// Equal in every bit, and in how they lie in memory.
bool same(const at::Tensor& a, const at::Tensor& b) {
    return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && at::equal(a, b);
}

void draws_continue_the_stream() {
    for (const auto type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
        const std::string name = c10::toString(type);
        at::manual_seed(7);
        const at::Tensor a1 = tombola_torch::rand({5, 11}, type);
        const at::Tensor b1 = at::rand({300}, type);  // from where tombola left it
        const at::Tensor c1 = tombola_torch::rand({1000}, type);
        at::manual_seed(7);
        const at::Tensor a2 = at::rand({5, 11}, type);
        const at::Tensor b2 = at::rand({300}, type);
        const at::Tensor c2 = at::rand({1000}, type);
        expect(same(a1, a2), "rand " + name + " from a seed");
        expect(same(b1, b2), "rand " + name + ": PyTorch after tombola");
        expect(same(c1, c2), "rand " + name + ": tombola after PyTorch");
    }
}

void normal_numbers_survive() {
    // PyTorch draws normal numbers in pairs and keeps the second one: it is handed back untouched.
    const auto run = [](bool tombola) {
        at::manual_seed(11);
        at::normal(0.0, 1.0, {1}, c10::nullopt);
        const at::Tensor middle = tombola ? tombola_torch::rand({3}) : at::rand({3});
        return at::cat({middle, at::normal(0.0, 1.0, {5}, c10::nullopt)});
    };
    expect(same(run(true), run(false)), "normal numbers around a draw");
}

void memory_order() {
    const auto fill = [](bool tombola, at::Tensor target) {
        at::manual_seed(3);
        tombola ? tombola_torch::uniform_(target, -2.0, 5.0) : target.uniform_(-2.0, 5.0);
        return target;
    };
    for (const bool dense : {true, false}) {
        const auto make = [&] {
            at::Tensor t = at::zeros({2, 6, 3, 5}).contiguous(at::MemoryFormat::ChannelsLast);
            return dense ? t : t.narrow(3, 1, 3).transpose(0, 1);
        };
        const at::Tensor mine = fill(true, make()), theirs = fill(false, make());
        expect(same(mine, theirs) && mine.strides() == theirs.strides(),
               dense ? "channels_last" : "a view with gaps");
    }
}

void integers() {
    struct Range {
        int64_t low, high;
    };
    for (const Range r :
         {Range{0, 10}, Range{-5, 7}, Range{0, int64_t{1} << 31}, Range{0, (int64_t{1} << 32) + 1},
          Range{-(int64_t{1} << 40), int64_t{1} << 62}})
        for (const auto type : {at::kLong, at::kInt, at::kFloat}) {
            if (type != at::kLong && r.high > INT32_MAX) continue;
            at::manual_seed(99);
            const at::Tensor a = tombola_torch::randint(r.low, r.high, {257}, type);
            const at::Tensor after_a = at::rand({3});
            at::manual_seed(99);
            const at::Tensor b = at::randint(r.low, r.high, {257}, type);
            const at::Tensor after_b = at::rand({3});
            expect(same(a, b) && same(after_a, after_b),
                   "randint up to " + std::to_string(r.high) + ' ' + c10::toString(type));
        }
}

void every_way_to_call() {
    const auto both = [](const char* what, const at::Tensor& mine, const at::Tensor& theirs) {
        expect(same(mine, theirs), what);
    };
    const auto seeded = [](const auto& work) {
        at::manual_seed(23);
        return work();
    };
    const std::vector<int64_t> size{3, 5};
    at::Tensor out = at::empty({0}, at::kDouble);
    both("rand_out", seeded([&] { return tombola_torch::rand_out(out, size); }),
         seeded([&] { return at::rand(size, at::kDouble); }));
    both("randint below", seeded([&] { return tombola_torch::randint(9, size); }),
         seeded([&] { return at::randint(9, size, at::kLong); }));
    both("randint_out", seeded([&] { return tombola_torch::randint_out(out, -4, 9, size); }),
         seeded([&] { return at::randint(-4, 9, size, at::kDouble); }));
    at::Tensor bytes = at::empty(size, at::kByte), others = at::empty(size, at::kByte);
    both("random_", seeded([&] { return tombola_torch::random_(bytes, 3, 200); }),
         seeded([&] { return others.random_(3, 200); }));
    both("randn", seeded([&] { return tombola_torch::randn(size); }),
         seeded([&] { return at::randn(size); }));
    at::Tensor few = at::empty({0});
    both("randn_out", seeded([&] { return tombola_torch::randn_out(few, {40}); }),
         seeded([] { return at::randn({40}); }));
    at::Tensor numbers = at::empty({4, 7}), like = at::empty({4, 7});
    both("normal_", seeded([&] { return tombola_torch::normal_(numbers, 3, 0.5); }),
         seeded([&] { return like.normal_(3, 0.5); }));
    both("randperm", seeded([] { return tombola_torch::randperm(700); }),
         seeded([] { return at::randperm(700); }));
    both("randperm of a type", seeded([] { return tombola_torch::randperm(70, at::kShort); }),
         seeded([] { return at::randperm(70, at::kShort); }));
    both("randperm_out", seeded([&] { return tombola_torch::randperm_out(out, 700); }),
         seeded([] { return at::randperm(700, at::kDouble); }));
    const at::Tensor leaf = tombola_torch::rand(size, at::TensorOptions().requires_grad(true));
    expect(leaf.requires_grad() && leaf.is_leaf(), "requires_grad");
    expect(tombola_torch::rand(size, at::Device(at::kMeta)).is_meta(), "device");
}

void own_generator() {
    at::Generator a = at::detail::createCPUGenerator(42), b = at::detail::createCPUGenerator(42);
    at::manual_seed(1);
    const at::Tensor before = at::detail::getDefaultCPUGenerator().get_state();
    expect(same(tombola_torch::rand({9}, at::kFloat, a), at::rand({9}, b)),
           "a generator of one's own");
    expect(at::equal(before, at::detail::getDefaultCPUGenerator().get_state()),
           "the default generator stays");
}

void draws_by_weight() {
    // In f64 PyTorch's rounded sums and tombola's exact ones part only where a number falls within a
    // rounding error of a border: for these 3 x 500 fixed numbers it does not.
    at::manual_seed(17);
    const at::Tensor weights = at::rand({3, 20}, at::kDouble);
    at::manual_seed(18);
    const at::Tensor a = tombola_torch::multinomial(weights, 500, true), after_a = at::rand({3});
    at::manual_seed(18);
    const at::Tensor b = at::multinomial(weights, 500, true), after_b = at::rand({3});
    expect(same(a, b), "multinomial with replacement");
    expect(same(after_a, after_b), "the stream after multinomial");

    // Without replacement: every class once.
    const at::Tensor all = tombola_torch::multinomial(weights, 20, false);
    expect(same(std::get<0>(all.sort(1)), at::arange(20).expand({3, 20})), "a permutation");
}

// tombola's primitive with the seeds 234, 148.
at::Tensor own_tokens(const at::Tensor& logits, float temperature, int32_t k, int64_t samples) {
    using tombola::memory;
    const tombola::engine engine(tombola::engine::kind::cpu, 0);
    tombola::stream stream(engine);
    at::Tensor ids = at::empty({logits.size(0), samples}, at::kLong);
    const memory::desc src({logits.size(0), logits.size(1)}, memory::data_type::f32,
                           memory::format_tag::ab);
    const memory::desc dst({logits.size(0), samples}, memory::data_type::s64,
                           memory::format_tag::ab);
    const tombola::token_sampler::primitive_desc pd(engine, src, dst,
                                                    tombola::filter_order::transformers,
                                                    tombola::logprobs::none, 0, 234, 148);
    tombola::token_sampler(pd).execute(
        stream, {{TOMBOLA_ARG_SRC, memory(src, engine, logits.data_ptr())},
                 {TOMBOLA_ARG_DST, memory(dst, engine, ids.data_ptr())},
                 {TOMBOLA_ARG_TEMPERATURE, memory(pd.temperature_desc(), engine, &temperature)},
                 {TOMBOLA_ARG_TOP_K, memory(pd.top_k_desc(), engine, &k)}});
    return ids;
}

void tokens() {
    const at::Tensor logits = at::randn({3, 500}) * 3;
    tombola_torch::TokenParameters p;
    p.temperature = at::zeros({1});
    expect(same(std::get<0>(tombola_torch::sample_tokens(logits, p)), logits.argmax(1, true)),
           "greedy tokens");
    // The same as the library's primitive with these seeds.
    p.temperature = at::full({1}, 1.3);
    p.top_k = at::full({1}, 40, at::kInt);
    p.num_samples = 20;
    p.seeds = at::tensor({234, 148}, at::kLong);
    p.logprobs = "processed";
    const auto [ids, logprobs] = tombola_torch::sample_tokens(logits, p);
    expect(same(ids, own_tokens(logits, 1.3f, 40, 20)), "tokens of the primitive");
    expect(logprobs.sizes() == ids.sizes() && at::all(logprobs <= 0).item<bool>(),
           "log probabilities");
}

void shuffles() {
    // torch.channel_shuffle: view as [groups, C / groups], transpose.
    const auto formula = [](const at::Tensor& x, int64_t groups) {
        auto split = x.sizes().vec();
        split.erase(split.begin() + 1);
        split.insert(split.begin() + 1, {groups, x.size(1) / groups});
        return x.reshape(split).transpose(1, 2).reshape(x.sizes());
    };
    for (const auto type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kInt, at::kLong,
                            at::kByte, at::kChar})
        for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
            const at::Tensor x =
                at::arange(2 * 12 * 3 * 5).reshape({2, 12, 3, 5}).to(type).contiguous(format);
            for (const int64_t groups : {1, 3, 4, 12}) {
                const at::Tensor y = tombola_torch::channel_shuffle(x, groups);
                expect(same(y, formula(x, groups)) && y.strides() == x.strides(),
                       "channel_shuffle " + std::string(c10::toString(type)));
                if (type == at::kFloat)
                    expect(same(y, at::channel_shuffle(x, groups)), "as torch.channel_shuffle");
            }
        }
    at::Tensor x = at::rand({2, 12, 7});
    x.requires_grad_(true);
    const at::Tensor weight = at::rand({2, 12, 7});
    (tombola_torch::channel_shuffle(x, 3) * weight).sum().backward();
    const at::Tensor mine = x.grad().clone();
    x.mutable_grad() = at::Tensor();
    (formula(x, 3) * weight).sum().backward();
    expect(same(mine, x.grad()), "gradient of channel_shuffle");
}

void refusals() {
    const auto refused = [](const auto& work) {
        try {
            work();
            return false;
        } catch (const c10::Error&) {
            return true;
        }
    };
    // A generator in the same place draws the same number next.
    at::manual_seed(5);
    const at::Tensor next = at::rand({1});
    at::manual_seed(5);
    expect(refused([] { tombola_torch::channel_shuffle(at::zeros({1, 6}), 4); }), "groups");
    expect(refused([] { tombola_torch::randint(3, 3, {1}); }), "empty range");
    expect(refused([] { tombola_torch::randint(300, {1}, at::kByte); }), "range of the type");
    expect(refused([] { tombola_torch::rand({1}, at::kByte); }), "type");
    expect(refused([] {
               at::Tensor t = at::zeros({2});
               tombola_torch::uniform_(t, 1.0, -1.0);
           }),
           "bounds");
    expect(refused([] { tombola_torch::multinomial(at::full({3}, -1.0), 1); }), "negative weights");
    expect(refused([] { tombola_torch::multinomial(at::full({3}, -1.0), 5, true); }),
           "negative weights, with replacement");
    expect(same(at::rand({1}), next), "what is refused draws nothing");
}

}  // namespace

int main() {
    draws_continue_the_stream();
    normal_numbers_survive();
    memory_order();
    integers();
    every_way_to_call();
    own_generator();
    draws_by_weight();
    tokens();
    shuffles();
    refusals();
    std::printf("%s\n", failures == 0 ? "passed" : "failed");
    return failures == 0 ? 0 : 1;
}
