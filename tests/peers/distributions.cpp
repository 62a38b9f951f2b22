// SPDX-License-Identifier: Apache-2.0

// tombola's random_normal, random_exponential and random_bernoulli.

#include "tombola_memory.hpp"

namespace tombola::peers {

namespace {

// One element, of which the first state comes.
constexpr size_t kOne = 1;

template <class Primitive>
typename Primitive::primitive_desc describe(const Distributed& c, size_t count) {
    const alignment whose = c.is_pytorch ? alignment::pytorch : alignment::tensorflow;
    if constexpr (std::is_same_v<Primitive, random_bernoulli>)
        return {cpu(), whose, vector_of(c.type, count), vector_of(Type::f32, kOne), 1, 2};
    else
        return {cpu(), whose, vector_of(c.type, count), 1, 2};
}

// An execution that goes on from where the one before it ended, as a user's would.
template <class Primitive>
Work drawing(const Distributed& c, size_t bytes) {
    static float probability = static_cast<float>(kBernoulliProbability);
    const auto pd = describe<Primitive>(c, bytes / size_of(c.type));
    const auto first = describe<Primitive>(c, kOne);
    const memory state(pd.dst_state_desc(), cpu());
    Arguments arguments = {{TOMBOLA_ARG_DST_STATE, state},
                           {TOMBOLA_ARG_DST, memory(first.dst_desc(), cpu())}};
    if constexpr (std::is_same_v<Primitive, random_bernoulli>)
        arguments.insert({TOMBOLA_ARG_P, memory(pd.p_desc(), cpu(), &probability)});
    Primitive(first).execute(cpu_stream(), arguments);
    arguments.erase(TOMBOLA_ARG_DST);
    arguments.insert({TOMBOLA_ARG_SRC_STATE, state});
    arguments.insert({TOMBOLA_ARG_DST, memory(pd.dst_desc(), cpu(), destination(bytes))});
    return executing(Primitive(pd), arguments, bytes, pd.impl_info_str());
}

Work draw(const Distributed& c, size_t bytes) {
    switch (c.what) {
        case Distribution::normal:
            return drawing<random_normal>(c, bytes);
        case Distribution::exponential:
            return drawing<random_exponential>(c, bytes);
        default:
            return drawing<random_bernoulli>(c, bytes);
    }
}

}  // namespace

void add_distributions() {
    for (const Distributed& c : kDistributed) {
        for (const Size& size : kSizes)  // beyond the caches: f32 alone
            if (&size == &kSizes[0] || c.type == Type::f32)
                add_tombola(c.name(size), [c, bytes = size.bytes] { return draw(c, bytes); });
        if (c.type == Type::f32)
            add_tombola_threads_by_size(c.title(), [c](size_t bytes) { return draw(c, bytes); });
    }
}

}  // namespace tombola::peers
