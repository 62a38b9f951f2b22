// SPDX-License-Identifier: Apache-2.0
#include "reference/word_source.hpp"

#include <cstring>

namespace tombola::reference {

namespace {

using uint128 = unsigned __int128;

Mt19937 make_mt(const StreamRequest& request) {
    if (request.state.empty()) return Mt19937(static_cast<uint32_t>(request.global_seed));
    Mt19937::State state;
    std::memcpy(state.data(), request.state.data(), sizeof state);
    return Mt19937(state);
}

template <class Source>
std::vector<uint32_t> draw(const StreamRequest& request, int words, uint64_t count,
                           std::vector<uint8_t>* state_out) {
    Source source(request, words);
    std::vector<uint32_t> drawn(count * static_cast<uint64_t>(words));
    for (uint32_t& word : drawn) word = source.next();
    if (state_out) *state_out = source.state_after(count);
    return drawn;
}

}  // namespace

size_t stream_state_bytes(tombola_alignment_t alignment) {
    return alignment == tombola_alignment_pytorch ? sizeof(Mt19937::State) : 16;
}

std::string stream_refusal(const StreamRequest& request) {
    return request.alignment == tombola_alignment_pytorch ? mt_state_refusal(request.state) : "";
}

PhiloxSource::PhiloxSource(const StreamRequest& request, int words) : offset_(request.offset) {
    uint64_t n = 0, op = request.op_seed;
    if (!request.state.empty()) {
        std::memcpy(&n, request.state.data(), 8);
        std::memcpy(&op, request.state.data() + 8, 8);
    }
    const uint128 skipped = uint128{request.offset} * static_cast<uint128>(words);
    start_ = {static_cast<uint32_t>(n), static_cast<uint32_t>(n >> 32), static_cast<uint32_t>(op),
              static_cast<uint32_t>(op >> 32)};
    key_ = {static_cast<uint32_t>(request.global_seed),
            static_cast<uint32_t>(request.global_seed >> 32)};
    counter_ = philox_add(start_, skipped / 4);
    word_ = static_cast<size_t>(skipped % 4);
    block_ = philox_block(counter_, key_);
}

uint32_t PhiloxSource::next() {
    if (word_ == 4) {
        counter_ = philox_add(counter_, 1);
        block_ = philox_block(counter_, key_);
        word_ = 0;
    }
    return block_[word_++];
}

std::vector<uint8_t> PhiloxSource::state_after(uint64_t count) const {
    const PhiloxCounter after = philox_add(start_, (uint128{offset_} + count) * uint128{256});
    std::vector<uint8_t> state(16);
    std::memcpy(state.data(), after.data(), 16);
    return state;
}

MtSource::MtSource(const StreamRequest& request, int words) : mt_(make_mt(request)) {
    mt_.discard(uint128{request.offset} * static_cast<uint128>(words));
}

std::vector<uint8_t> MtSource::state_after(uint64_t) const {
    const Mt19937::State words = mt_.state();
    std::vector<uint8_t> state(sizeof words);
    std::memcpy(state.data(), words.data(), sizeof words);
    return state;
}

std::vector<uint32_t> stream_words(const StreamRequest& request, int words, uint64_t count,
                                   std::vector<uint8_t>* state_out) {
    return request.alignment == tombola_alignment_pytorch
               ? draw<MtSource>(request, words, count, state_out)
               : draw<PhiloxSource>(request, words, count, state_out);
}

}  // namespace tombola::reference
