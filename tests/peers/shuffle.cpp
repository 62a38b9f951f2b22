// SPDX-License-Identifier: Apache-2.0

// tombola's shuffle, in both directions.

#include "tombola_memory.hpp"

namespace tombola::peers {

namespace {

memory::desc desc_of(const Shuffle& c) {
    const auto tag = static_cast<memory::format_tag>(tombola_str2fmt_tag(c.layout));
    return {{c.dims.begin(), c.dims.end()}, data_type(c.type), tag};
}

struct Created {
    primitive what;
    const char* implementation;
};
Created create(const Shuffle& c, const memory::desc& desc) {
    if (c.forward) {
        const shuffle_forward::primitive_desc pd(cpu(), prop_kind::forward_training, desc, desc, 1,
                                                 c.group_size);
        return {shuffle_forward(pd), pd.impl_info_str()};
    }
    const shuffle_backward::primitive_desc pd(cpu(), desc, desc, 1, c.group_size, {});
    return {shuffle_backward(pd), pd.impl_info_str()};
}

Work shuffle(const Shuffle& c) {
    const memory::desc desc = desc_of(c);
    const Created created = create(c, desc);
    const memory from(desc, cpu(), source(c.bytes())), to(desc, cpu(), destination(c.bytes()));
    return executing(created.what,
                     {{c.forward ? TOMBOLA_ARG_SRC : TOMBOLA_ARG_DIFF_DST, from},
                      {c.forward ? TOMBOLA_ARG_DST : TOMBOLA_ARG_DIFF_SRC, to}},
                     2 * c.bytes(), created.implementation);
}

}  // namespace

void add_shuffle() {
    for (const Shuffle& c : shuffles())
        add_tombola("shuffle/" + c.name(), [c] { return shuffle(c); });
    for (const auto& [layout, type] :
         {std::pair{"nchw", Type::f32}, {"nChw16c", Type::f32}, {"nhwc", Type::s8}})
        add_tombola_threads_by_size(
            std::string("shuffle ") + name_of(type) + " " + layout,
            [layout = layout, type = type](size_t bytes) {
                const auto batch = static_cast<int64_t>(bytes / (64 * 4 * 4 * size_of(type)));
                return shuffle({type, layout, true, {batch, 64, 4, 4}, 4});
            });
    add_tombola("calls/execute:shuffle of 32 bytes", [] { return shuffle(kSmallShuffle); });
    add_tombola("calls/create:shuffle",
                [] { return Work{[] { create(kSmallShuffle, desc_of(kSmallShuffle)); }}; });
}

}  // namespace tombola::peers
