// SPDX-License-Identifier: Apache-2.0

// Dropout, stochastic rounding, and memcpy of the same bytes.

#include <cstring>

#include "tombola_memory.hpp"

namespace tombola::peers {

namespace {

// The arguments beside the tensors live as long as the program.
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

Work rounding(const Dropout& c) {
    const auto count = static_cast<size_t>(c.count);
    const memory::desc wide = vector_of(Type::f32, count), narrow = vector_of(Type::bf16, count);
    const stochastic_rounding::primitive_desc pd(cpu(), wide, narrow, 1, 2);
    return executing(stochastic_rounding(pd),
                     {{TOMBOLA_ARG_SRC, memory(wide, cpu(), source(c.bytes()))},
                      {TOMBOLA_ARG_DST, memory(narrow, cpu(), destination(c.bytes() / 2))}},
                     c.bytes() / 2 * 3, pd.impl_info_str());
}

Work copy(const Dropout& c) {
    return {[to = destination(c.bytes()), from = source(c.bytes()), n = c.bytes()] {
                std::memcpy(to, from, n);
                keep(to);
            },
            2 * c.bytes()};
}

}  // namespace

void add_dropout() {
    for (const Dropout& c : kDropouts) {
        const std::string name = std::string("dropout/") + c.name;
        add_tombola(name, [c] { return forward(c); });
        add(name, "memcpy", [c] { return copy(c); });
        if (c.type == Type::f32)
            add_tombola("rounding/bf16:" + std::to_string(c.count), [c] { return rounding(c); });
    }
}

}  // namespace tombola::peers
