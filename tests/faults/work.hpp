// SPDX-License-Identifier: Apache-2.0
#pragma once

// Work that is large enough to be shared among threads.

#include <cstddef>
#include <cstdint>

#include "tombola/tombola.hpp"

namespace tombola::test {

// random_generator into 16 MiB.
class BigFill {
  public:
    static constexpr int64_t kWords = 4 << 20;

    explicit BigFill(const engine& eng)
        : desc_({kWords}, memory::data_type::u32, memory::format_tag::a),
          pd_(eng, generator_kind::philox4x32_10, desc_),
          state_(pd_.src_state_desc(), eng),
          dst_(desc_, eng),
          primitive_(pd_) {
        auto* words = static_cast<uint32_t*>(state_.get_data_handle());
        for (uint32_t i = 0; i < 6; ++i) words[i] = 0x9E3779B9u * (i + 1);
    }

    void execute(const stream& strm) const {
        primitive_.execute(strm, {{TOMBOLA_ARG_SRC_STATE, state_}, {TOMBOLA_ARG_DST, dst_}});
    }
    // What serves: not what the descriptor foresaw, if there was no memory for code.
    const char* implementation() const {
        const char* name = nullptr;
        error::check(tombola_primitive_desc_query(primitive_.get_primitive_desc(),
                                                  tombola_query_impl_info_str, 0, &name));
        return name;
    }

    void clear() const {
        auto* words = static_cast<uint32_t*>(dst_.get_data_handle());
        for (int64_t i = 0; i < kWords; ++i) words[i] = 0;
    }
    // Depends on every word and its place.
    uint64_t sum() const {
        const auto* words = static_cast<const uint32_t*>(dst_.get_data_handle());
        uint64_t result = 0;
        for (int64_t i = 0; i < kWords; ++i) result = result * 6364136223846793005u + words[i];
        return result;
    }

  private:
    memory::desc desc_;
    random_generator::primitive_desc pd_;
    memory state_, dst_;
    random_generator primitive_;
};

}  // namespace tombola::test
