// SPDX-License-Identifier: Apache-2.0

// Dropout, forward and backward, and stochastic rounding; beside them memcpy of the same bytes, and as many words of the
// stream as dropout draws.

#include "tombola_memory.hpp"

namespace tombola::peers {

namespace {

// P lives as long as the program.
float probability = static_cast<float>(kDropProbability);

Work forward(const Dropout& c) {
    const memory::desc desc = vector_of(c.type, static_cast<size_t>(c.count));
    const dropout_forward::primitive_desc pd(cpu(), prop_kind::forward_training, desc, desc,
                                             c.draw_bits, dropout_mask::none, 1, 2);
    return executing(dropout_forward(pd),
                     {{TOMBOLA_ARG_SRC, memory(desc, cpu(), source(c.bytes()))},
                      {TOMBOLA_ARG_P, memory(pd.p_desc(), cpu(), &probability)},
                      {TOMBOLA_ARG_DST, memory(desc, cpu(), destination(c.bytes()))}},
                     2 * c.bytes(), pd.impl_info_str());
}

// With the mask that forward writes, or without one.
Work backward(const Dropout& c, dropout_mask mask_kind) {
    const memory::desc desc = vector_of(c.type, static_cast<size_t>(c.count));
    const dropout_forward::primitive_desc forward_pd(cpu(), prop_kind::forward_training, desc, desc,
                                                     c.draw_bits, mask_kind, 1, 2);
    const dropout_backward::primitive_desc pd(cpu(), desc, desc, c.draw_bits, mask_kind, 1, 2,
                                              forward_pd);
    const memory from(desc, cpu(), source(c.bytes())), to(desc, cpu(), destination(c.bytes()));
    Arguments arguments = {{TOMBOLA_ARG_P, memory(pd.p_desc(), cpu(), &probability)}};
    if (mask_kind != dropout_mask::none)
        arguments.insert({TOMBOLA_ARG_MASK, memory(pd.mask_desc(), cpu())});
    Arguments before = arguments;
    before.insert({{TOMBOLA_ARG_SRC, from}, {TOMBOLA_ARG_DST, to}});
    dropout_forward(forward_pd).execute(cpu_stream(), before);
    arguments.insert({{TOMBOLA_ARG_DIFF_DST, from}, {TOMBOLA_ARG_DIFF_SRC, to}});
    return executing(dropout_backward(pd), arguments, 2 * c.bytes(), pd.impl_info_str());
}

Work words(const Dropout& c) {
    static uint32_t state[6] = {0, 0, 3, 4, 1, 2};
    const auto count = static_cast<memory::dim>(c.count * c.draw_bits / 32);
    const memory::desc desc({count}, memory::data_type::u32, memory::format_tag::a);
    const random_generator::primitive_desc pd(cpu(), generator_kind::philox4x32_10, desc);
    const size_t bytes = static_cast<size_t>(count) * sizeof(uint32_t);
    // Counted as dropout is, so that the rates can be compared.
    return executing(random_generator(pd),
                     {{TOMBOLA_ARG_SRC_STATE, memory(pd.src_state_desc(), cpu(), state)},
                      {TOMBOLA_ARG_DST, memory(desc, cpu(), destination(bytes))}},
                     2 * c.bytes(), pd.impl_info_str());
}

Work round(const Rounding& c) {
    const auto count = static_cast<size_t>(c.count);
    const memory::desc wide = vector_of(Type::f32, count), narrow = vector_of(c.type, count);
    const stochastic_rounding::primitive_desc pd(cpu(), wide, narrow, 1, 2);
    return executing(stochastic_rounding(pd),
                     {{TOMBOLA_ARG_SRC, memory(wide, cpu(), source(c.src_bytes()))},
                      {TOMBOLA_ARG_DST, memory(narrow, cpu(), destination(c.dst_bytes()))}},
                     c.src_bytes() + c.dst_bytes(), pd.impl_info_str());
}

}  // namespace

void add_dropout() {
    constexpr std::pair<const char*, dropout_mask> kMasks[] = {{"drawn again", dropout_mask::none},
                                                               {"mask of bits", dropout_mask::bits},
                                                               {"mask of bytes", dropout_mask::u8}};
    for (const Dropout& c : kDropouts) {
        const std::string name = std::string("dropout/") + c.name;
        add_tombola(name, [c] { return forward(c); });
        add(name, "memcpy", [c] { return copying(c.bytes()); });
        add(name, "words", with_best_isa([c] { return words(c); }));
        for (const auto& [text, mask_kind] : kMasks) {
            const std::string of_mask = std::string("dropout_backward/") + c.name + ":" + text;
            add_tombola(of_mask, [c, mask_kind = mask_kind] { return backward(c, mask_kind); });
            add(of_mask, "memcpy", [c] { return copying(c.bytes()); });
        }
    }
    for (const Rounding& c : kRoundings)
        add_tombola("rounding/" + c.name(), [c] { return round(c); });

    for (const Dropout& c : {kDropouts[1], kDropouts[4]}) {
        const std::string type = std::string(" ") + name_of(c.type);
        add_tombola_threads_by_size("dropout" + type,
                                    [c](size_t bytes) { return forward(c.of_bytes(bytes)); });
        add_tombola_threads_by_size("dropout backward, mask of bits," + type, [c](size_t bytes) {
            return backward(c.of_bytes(bytes), dropout_mask::bits);
        });
    }
    for (const Type type : {Type::bf16, Type::f16})
        add_tombola_threads_by_size(
            std::string("stochastic_rounding ") + name_of(type), [type](size_t bytes) {
                return round({type, static_cast<int64_t>(bytes / sizeof(float))});
            });
}

}  // namespace tombola::peers
