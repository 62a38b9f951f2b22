// SPDX-License-Identifier: Apache-2.0

// Bit generators for numpy.random.Generator. Each fills the functions into the structure of NumPy's that a
// numpy.random.BitGenerator shows in its capsule. NumPy calls them with the bit generator's lock held and often without
// the GIL, so nothing here touches an object of Python; each generator has its own memory objects.

#include <numpy/random/bitgen.h>

#include <array>
#include <cstring>

#include "arguments.hpp"
#include "functions.hpp"
#include "output.hpp"
#include "prepared.hpp"

namespace tombola_python {
namespace {

// Fills a bitgen_t with a generator that has next32() and next64().
template <class Generator>
void fill(py::handle capsule, Generator* generator) {
    auto* interface = static_cast<bitgen_t*>(PyCapsule_GetPointer(capsule.ptr(), "BitGenerator"));
    if (interface == nullptr) throw py::error_already_set();
    interface->state = generator;
    interface->next_uint32 = [](void* state) { return static_cast<Generator*>(state)->next32(); };
    interface->next_uint64 = [](void* state) { return static_cast<Generator*>(state)->next64(); };
    interface->next_double = [](void* state) {
        return static_cast<Generator*>(state)->next_double();
    };
    interface->next_raw = [](void* state) -> uint64_t {
        return static_cast<Generator*>(state)->next32();
    };
}

// The words of random_generator, `kWords` at a time.
class Philox {
  public:
    // `state` has the counter of the first block and the key, `skipped` how many words of the block are used.
    Philox(py::handle capsule, const std::array<uint32_t, 6>& state, uint64_t skipped)
        : primitive_(prepare<tombola::random_generator>(
              {cpu(), tombola::generator_kind::philox4x32_10,
               memory::desc({kWords}, memory::data_type::u32, memory::format_tag::a)},
              {{TOMBOLA_ARG_SRC_STATE, next_.data()},
               {TOMBOLA_ARG_DST, words_.data()},
               {TOMBOLA_ARG_DST_STATE, next_.data()}})) {
        primitive_.args.at(TOMBOLA_ARG_SRC_STATE).set_data_handle(next_.data());
        primitive_.args.at(TOMBOLA_ARG_DST_STATE).set_data_handle(next_.data());
        primitive_.args.at(TOMBOLA_ARG_DST).set_data_handle(words_.data());
        set(state, skipped);
        fill(capsule, this);
    }
    Philox(const Philox&) = delete;
    Philox& operator=(const Philox&) = delete;

    void set(const std::array<uint32_t, 6>& state, uint64_t skipped) {
        if (skipped > 3)
            value_error("position is " + std::to_string(skipped) +
                        "; expected a number from 0 to 3");
        next_ = state;
        refill();
        used_ = static_cast<uint32_t>(skipped);
    }
    // The state of the buffer's first block, and how many words have been used since.
    std::pair<std::array<uint32_t, 6>, uint32_t> get() const { return {first_, used_}; }

    uint32_t next32() {
        if (used_ == kWords) refill();
        return words_[used_++];
    }
    // The first word is the low half, as in the integers of random_uniform.
    uint64_t next64() {
        const uint64_t low = next32();
        return static_cast<uint64_t>(next32()) << 32 | low;
    }
    double next_double() { return static_cast<double>(next64() >> 11) * 0x1p-53; }

  private:
    static constexpr uint32_t kWords = 1024;

    // noexcept: all is allocated, and the arguments are right. There would be nobody to tell of a failure.
    void refill() noexcept {
        first_ = next_;
        primitive_.primitive.execute(queue(), primitive_.args);
        used_ = 0;
    }

    std::array<uint32_t, 6> first_{}, next_{};
    alignas(64) std::array<uint32_t, kWords> words_{};
    uint32_t used_ = 0;
    Prepared primitive_;
};

// MT19937. random_uniform makes the next 624 words of the state; tempering them gives the generator's words.
class Mt19937 {
  public:
    Mt19937(py::handle capsule, const tombola::mt19937_state& state)
        : primitive_(prepare<tombola::random_uniform>(
              {cpu(), tombola::alignment::pytorch,
               memory::desc({1}, memory::data_type::f32, memory::format_tag::a), 0, 1},
              {{TOMBOLA_ARG_MIN, &zero_},
               {TOMBOLA_ARG_MAX, &one_},
               {TOMBOLA_ARG_SRC_STATE, state_.data()},
               {TOMBOLA_ARG_DST_STATE, state_.data()},
               {TOMBOLA_ARG_DST, &drawn_}})) {
        primitive_.args.at(TOMBOLA_ARG_MIN).set_data_handle(&zero_);
        primitive_.args.at(TOMBOLA_ARG_MAX).set_data_handle(&one_);
        primitive_.args.at(TOMBOLA_ARG_SRC_STATE).set_data_handle(state_.data());
        primitive_.args.at(TOMBOLA_ARG_DST_STATE).set_data_handle(state_.data());
        primitive_.args.at(TOMBOLA_ARG_DST).set_data_handle(&drawn_);
        set(state);
        fill(capsule, this);
    }
    Mt19937(const Mt19937&) = delete;
    Mt19937& operator=(const Mt19937&) = delete;

    void set(const tombola::mt19937_state& state) {
        if (state[kWords] > kWords)
            value_error("pos is " + std::to_string(state[kWords]) +
                        "; expected a number from 0 to 624");
        // One call refuses what is no state of MT19937.
        const tombola::mt19937_state before = state_;
        state_ = state;
        try {
            primitive_.primitive.execute(queue(), primitive_.args);
        } catch (...) {
            state_ = before;
            throw;
        }
        state_ = state;
        temper();
    }
    const tombola::mt19937_state& get() const { return state_; }

    uint32_t next32() {
        if (state_[kWords] == kWords) refill();
        return words_[state_[kWords]++];
    }
    // The first word is the high half, as in NumPy's MT19937.
    uint64_t next64() {
        const uint64_t high = next32();
        return high << 32 | next32();
    }
    // 53 bits of two words, as in NumPy's MT19937 and the authors' genrand_res53().
    double next_double() {
        const double high = next32() >> 5, low = next32() >> 6;
        return (high * 67108864.0 + low) / 9007199254740992.0;
    }

  private:
    static constexpr uint32_t kWords = 624;

    void temper() {
        for (uint32_t i = 0; i < kWords; ++i) {
            uint32_t y = state_[i];
            y ^= y >> 11;
            y ^= y << 7 & 0x9D2C5680;
            y ^= y << 15 & 0xEFC60000;
            words_[i] = y ^ y >> 18;
        }
    }
    // Draws one number, so that the state holds the next 624 words; takes that word back. noexcept as above.
    void refill() noexcept {
        primitive_.primitive.execute(queue(), primitive_.args);
        state_[kWords] = 0;
        temper();
    }

    float zero_ = 0, one_ = 1, drawn_ = 0;
    alignas(64) tombola::mt19937_state state_{};
    alignas(64) std::array<uint32_t, kWords> words_{};
    Prepared primitive_;
};

template <size_t count>
std::array<uint32_t, count> words_of(py::handle object) {
    std::array<uint32_t, count> words;
    std::memcpy(words.data(), numbers_of(object, memory::data_type::u32, count, "state").data,
                sizeof(words));
    return words;
}

template <size_t count>
py::object array_of(const std::array<uint32_t, count>& words) {
    const Output output({static_cast<memory::dim>(count)}, py::none(), py::none(),
                        memory::data_type::u32);
    std::memcpy(output.tensor.data, words.data(), sizeof(words));
    return output.result;
}

}  // namespace

void add_bit_generators(py::module_& module) {
    // Local: a copy of this module in the same process has classes of its own.
    py::class_<Philox>(module, "Philox", py::module_local())
        .def(py::init([](py::handle capsule, py::handle state) {
            return std::make_unique<Philox>(capsule, words_of<6>(state), 0);
        }))
        .def("set",
             [](Philox& self, py::handle state, py::handle position) {
                 self.set(words_of<6>(state), unsigned_of(position, "position"));
             })
        .def("get", [](const Philox& self) {
            const auto [first, used] = self.get();
            return py::make_tuple(array_of(first), used);
        });
    py::class_<Mt19937>(module, "Mt19937", py::module_local())
        .def(py::init([](py::handle capsule, py::handle state) {
            return std::make_unique<Mt19937>(capsule, words_of<625>(state));
        }))
        .def("set", [](Mt19937& self, py::handle state) { self.set(words_of<625>(state)); })
        .def("get", [](const Mt19937& self) { return array_of(self.get()); });
}

}  // namespace tombola_python
