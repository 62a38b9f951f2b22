// SPDX-License-Identifier: Apache-2.0

// tombola's multinomial.

#include "tombola_memory.hpp"

namespace tombola::peers {

namespace {

Work draw(const Multinomial& c) {
    const memory::desc probs_desc({c.batch, c.classes}, memory::data_type::f32,
                                  memory::format_tag::ab);
    const memory::desc dst_desc({c.batch, c.samples}, memory::data_type::s64,
                                memory::format_tag::ab);
    const multinomial::primitive_desc pd(cpu(), probs_desc, dst_desc, c.with_replacement,
                                         c.log_probs, 1, 2);
    const size_t indices = static_cast<size_t>(c.batch * c.samples) * sizeof(int64_t);
    return executing(multinomial(pd),
                     {{TOMBOLA_ARG_SRC, memory(probs_desc, cpu(), source(c.bytes()))},
                      {TOMBOLA_ARG_DST, memory(dst_desc, cpu(), destination(indices))}},
                     c.bytes(), pd.impl_info_str());
}

}  // namespace

void add_multinomial() {
    for (const Multinomial& c : kMultinomials) {
        add_tombola(std::string("multinomial/") + c.name, [c] { return draw(c); });
        add_tombola_threads(std::string("multinomial ") + c.name, [c] { return draw(c); });
    }
    add_tombola_threads("multinomial 1x10:one, with replacement",
                        [] { return draw(kSmallMultinomial); });
    add_tombola("calls/execute:one sample of 10 classes", [] { return draw(kSmallMultinomial); });
}

}  // namespace tombola::peers
