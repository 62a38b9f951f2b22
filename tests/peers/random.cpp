// SPDX-License-Identifier: Apache-2.0

// tombola's random_generator and random_uniform, both alignments.

#include "tombola_memory.hpp"

namespace tombola::peers {

namespace {

Work words(size_t bytes) {
    const memory::desc dst_desc({static_cast<memory::dim>(bytes / 4)}, memory::data_type::u32,
                                memory::format_tag::a);
    const random_generator::primitive_desc pd(cpu(), generator_kind::philox4x32_10, dst_desc);
    static uint32_t state[6] = {0, 0, 3, 4, 1, 2};
    return executing(random_generator(pd),
                     {{TOMBOLA_ARG_SRC_STATE, memory(pd.src_state_desc(), cpu(), state)},
                      {TOMBOLA_ARG_DST, memory(dst_desc, cpu(), destination(bytes))}},
                     bytes, pd.impl_info_str());
}

random_uniform::primitive_desc describe(alignment whose, Type type, size_t bytes) {
    return {cpu(), whose, vector_of(type, bytes / size_of(type)), 1, 2};
}

// A bound, in memory of its own.
memory bound(const random_uniform::primitive_desc& pd, const Uniform& c, double value) {
    const memory object(pd.bound_desc(), cpu());
    const uint64_t bits = bits_of(c.type, value);
    std::memcpy(object.get_data_handle(), &bits, size_of(c.type));
    return object;
}

// `jump` is the offset of the first element, 0 for a fill that goes on from where the one before it ended, as a
// user's would.
Work uniform(alignment whose, const Uniform& c, size_t bytes, uint64_t jump = 0) {
    const auto pd = describe(whose, c.type, bytes);
    Arguments arguments = {{TOMBOLA_ARG_MIN, bound(pd, c, c.min)},
                           {TOMBOLA_ARG_MAX, bound(pd, c, c.max)}};
    if (jump > 0) {
        const memory offset(pd.offset_desc(), cpu());
        std::memcpy(offset.get_data_handle(), &jump, sizeof jump);
        arguments.insert({TOMBOLA_ARG_OFFSET, offset});
    } else {
        // A first state comes from one element.
        const auto first = describe(whose, c.type, size_of(c.type));
        const memory state(pd.dst_state_desc(), cpu());
        arguments.insert({TOMBOLA_ARG_DST_STATE, state});
        arguments.insert({TOMBOLA_ARG_DST, memory(first.dst_desc(), cpu())});
        random_uniform(first).execute(cpu_stream(), arguments);
        arguments.erase(TOMBOLA_ARG_DST);
        arguments.insert({TOMBOLA_ARG_SRC_STATE, state});
    }
    arguments.insert({TOMBOLA_ARG_DST, memory(pd.dst_desc(), cpu(), destination(bytes))});
    return executing(random_uniform(pd), arguments, bytes, pd.impl_info_str());
}

}  // namespace

void add_random() {
    for (const Size& size : kSizes) {
        const std::string suffix = std::string(":") + size.name;
        const size_t bytes = size.bytes;
        add_tombola("random_generator/words" + suffix, [=] { return words(bytes); });
        for (const Uniform& c : kTensorflow)
            add_tombola("tensorflow/" + (c.name + suffix),
                        [=] { return uniform(alignment::tensorflow, c, bytes); });
        for (const Uniform& c : kPytorch)
            add_tombola("pytorch/" + (c.name + suffix),
                        [=] { return uniform(alignment::pytorch, c, bytes); });
    }

    const Uniform& f32 = kTensorflow[0];
    add_tombola_threads_by_size("random_generator", words);
    for (const auto& [name, whose] :
         {std::pair{"tensorflow", alignment::tensorflow}, std::pair{"pytorch", alignment::pytorch}})
        add_tombola_threads_by_size(
            std::string("random_uniform ") + name + ", f32",
            [f32, whose = whose](size_t bytes) { return uniform(whose, f32, bytes); });
    add_tombola("calls/execute:64 f32, tensorflow",
                [=] { return uniform(alignment::tensorflow, f32, kSmallBytes); });
    add_tombola("calls/execute:64 f32, pytorch",
                [=] { return uniform(alignment::pytorch, f32, kSmallBytes); });
    for (const int log : {20, 40, 63})
        add_tombola("calls/execute:one f32 at 2^" + std::to_string(log) + ", pytorch", [=] {
            return uniform(alignment::pytorch, f32, sizeof(float), uint64_t{1} << log);
        });
    add_tombola("calls/create:random_uniform", [] {
        return Work{
            [] { random_uniform(describe(alignment::tensorflow, Type::f32, kSmallBytes)); }};
    });
}

}  // namespace tombola::peers
