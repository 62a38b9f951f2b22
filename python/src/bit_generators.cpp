// SPDX-License-Identifier: Apache-2.0

// Bit generators for numpy.random.Generator. Each fills the functions into the structure of NumPy's that a
// numpy.random.BitGenerator shows in its capsule. NumPy calls them with the bit generator's lock held and often without
// the GIL, so nothing here touches an object of Python; each generator has its own memory objects.

#include <numpy/random/bitgen.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "arguments.hpp"
#include "cpu/rng/mt19937_jump.hpp"
#include "functions.hpp"
#include "output.hpp"
#include "prepared.hpp"
#include "released.hpp"

namespace tombola_python {
namespace {

namespace impl = tombola::impl::cpu;

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

// A primitive over these addresses.
template <class Operator>
Prepared ready(const typename Operator::primitive_desc& pd, Arguments arguments) {
    return Prepared(Operator(pd), pd, arguments);
}

// Holds a bit generator's lock, which NumPy holds while it draws. While this lives no code of Python may run: a signal handler that draws
// would wait for its own thread.
class Locked {
  public:
    explicit Locked(py::handle lock) : release_(lock.attr("release")) { lock.attr("acquire")(); }
    ~Locked() { Py_XDECREF(PyObject_CallNoArgs(release_.ptr())); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

  private:
    py::object release_;
};

// A generator's words in two buffers: the one in use, and the one that is filled next. The position has the number of exchanges, whose lowest bit
// is the number of the buffer, and the index in it. So one store goes on to the next buffer when it is full. A child that fork() made while
// another thread was drawing has a whole buffer.
template <uint32_t kCount>
class Buffers {
  public:
    uint32_t current() const { return buffer_of(position()); }
    uint32_t next() const { return 1 - current(); }
    // The next words, or null if the current buffer has fewer.
    const uint32_t* take(uint32_t count) {
        const uint64_t first = position();
        const uint32_t used = used_of(first);
        if (used + count > kCount) return nullptr;
        position_.store(first + count, std::memory_order_relaxed);
        return words_[buffer_of(first)].all.data() + used;
    }
    uint32_t* words(uint32_t buffer) { return words_[buffer].all.data(); }
    void exchange(uint32_t used) {
        position_.store(((position() >> 32) + 1) << 32 | used, std::memory_order_release);
        // What the next refill writes must not be seen before this.
        std::atomic_thread_fence(std::memory_order_release);
    }
    // Calls read(buffer, used words) until no exchange has come between. Another thread may draw meanwhile, and change the buffer that is not
    // the current one.
    template <class Read>
    void read_current(const Read& read) const {
        uint64_t before;
        do {
            before = position_.load(std::memory_order_acquire);
            read(buffer_of(before), used_of(before));
            std::atomic_thread_fence(std::memory_order_acquire);
        } while (position() >> 32 != before >> 32);
    }

  private:
    static uint32_t buffer_of(uint64_t position) { return position >> 32 & 1; }
    static uint32_t used_of(uint64_t position) { return static_cast<uint32_t>(position); }

    uint64_t position() const { return position_.load(std::memory_order_relaxed); }

    // Each buffer begins with a cache line.
    struct alignas(64) Words {
        std::array<uint32_t, kCount> all{};
    };
    Words words_[2];
    std::atomic<uint64_t> position_{kCount};
};

// The words of random_generator, `kWords` at a time.
class Philox {
  public:
    // `state` has the counter of the first block and the key, `skipped` how many words of the block are used.
    Philox(py::handle capsule, const std::array<uint32_t, 6>& state, uint64_t skipped) {
        set(state, skipped);
        fill(capsule, this);
    }
    Philox(const Philox&) = delete;
    Philox& operator=(const Philox&) = delete;

    void set(const std::array<uint32_t, 6>& state, uint64_t skipped) {
        if (skipped > 3)
            value_error("position is " + std::to_string(skipped) +
                        "; expected a number from 0 to 3");
        refill(state, static_cast<uint32_t>(skipped));
    }
    // Goes on as if `blocks` of four words, and then `words` below 4, had been drawn. The counter has 128 bits.
    void advance(const std::array<uint32_t, 4>& blocks, uint32_t words) {
        auto [state, used] = get();
        used += words;
        uint64_t carry = used / 4;
        for (size_t i = 0; i < blocks.size(); ++i) {
            carry += uint64_t{state[i]} + blocks[i];
            state[i] = static_cast<uint32_t>(carry);
            carry >>= 32;
        }
        refill(state, used % 4);
    }
    // The state of the buffer's first block, and how many words have been used since.
    std::pair<std::array<uint32_t, 6>, uint32_t> get() const {
        std::pair<std::array<uint32_t, 6>, uint32_t> state;
        buffers_.read_current([&](uint32_t buffer, uint32_t used) {
            state = {blocks_[buffer].first, used};
        });
        return state;
    }

    uint32_t next32() {
        if (const uint32_t* const word = buffers_.take(1)) return *word;
        refill(blocks_[buffers_.current()].behind, 0);
        return *buffers_.take(1);
    }
    // The first word is the low half, as in the integers of random_uniform.
    uint64_t next64() {
        if (const uint32_t* const words = buffers_.take(2))
            return static_cast<uint64_t>(words[1]) << 32 | words[0];
        const uint64_t low = next32();
        return static_cast<uint64_t>(next32()) << 32 | low;
    }
    double next_double() { return static_cast<double>(next64() >> 11) * 0x1p-53; }

  private:
    static constexpr uint32_t kWords = 1024;

    // What belongs to one buffer.
    struct Blocks {
        std::array<uint32_t, 6> first{}, behind{};  // states
        Prepared primitive;

        explicit Blocks(uint32_t* words)
            : primitive(ready<tombola::random_generator>(
                  {cpu(), tombola::generator_kind::philox4x32_10,
                   memory::desc({kWords}, memory::data_type::u32, memory::format_tag::a)},
                  {{TOMBOLA_ARG_SRC_STATE, first.data()},
                   {TOMBOLA_ARG_DST, words},
                   {TOMBOLA_ARG_DST_STATE, behind.data()}})) {}
    };

    // noexcept: all is allocated, and the arguments are right. There would be nobody to tell of a failure.
    void refill(const std::array<uint32_t, 6>& first, uint32_t used) noexcept {
        Blocks& next = blocks_[buffers_.next()];
        next.first = first;
        next.primitive.execute();
        buffers_.exchange(used);
    }

    Buffers<kWords> buffers_;
    Blocks blocks_[2] = {Blocks(buffers_.words(0)), Blocks(buffers_.words(1))};
};

// MT19937. random_uniform makes the next 624 words of the state; tempering them gives the generator's words.
class Mt19937 {
  public:
    Mt19937(py::handle capsule, const tombola::mt19937_state& state) {
        set(state);
        fill(capsule, this);
    }
    Mt19937(const Mt19937&) = delete;
    Mt19937& operator=(const Mt19937&) = delete;

    void set(const tombola::mt19937_state& state) {
        const uint32_t position = state[kWords];
        if (position > kWords)
            value_error("pos is " + std::to_string(position) + "; expected a number from 0 to 624");
        // One call refuses what is no state of MT19937.
        Window& next = windows_[buffers_.next()];
        next.state = state;
        next.primitive.execute();
        next.state = state;
        go_on_at(position);
    }
    tombola::mt19937_state get() const {
        tombola::mt19937_state state;
        buffers_.read_current([&](uint32_t buffer, uint32_t used) {
            state = windows_[buffer].state;
            state[kWords] = used;
        });
        return state;
    }

    uint32_t next32() {
        if (const uint32_t* const word = buffers_.take(1)) return *word;
        refill();
        return *buffers_.take(1);
    }
    // The first word is the high half, as in NumPy's MT19937.
    uint64_t next64() {
        const auto [high, low] = next_two();
        return static_cast<uint64_t>(high) << 32 | low;
    }
    // 53 bits of two words, as in NumPy's MT19937 and the authors' genrand_res53().
    double next_double() {
        const auto [high, low] = next_two();
        return ((high >> 5) * 67108864.0 + (low >> 6)) / 9007199254740992.0;
    }

  private:
    static constexpr uint32_t kWords = 624;

    // What belongs to one buffer: the words before they are tempered.
    struct Window {
        float zero = 0, one = 1, drawn = 0;
        alignas(64) tombola::mt19937_state state{};
        Prepared primitive = ready<tombola::random_uniform>(
            {cpu(), tombola::alignment::pytorch,
             memory::desc({1}, memory::data_type::f32, memory::format_tag::a), 0, 1},
            {{TOMBOLA_ARG_MIN, &zero},
             {TOMBOLA_ARG_MAX, &one},
             {TOMBOLA_ARG_SRC_STATE, state.data()},
             {TOMBOLA_ARG_DST_STATE, state.data()},
             {TOMBOLA_ARG_DST, &drawn}});
    };

    std::pair<uint32_t, uint32_t> next_two() {
        if (const uint32_t* const words = buffers_.take(2)) return {words[0], words[1]};
        const uint32_t first = next32();
        return {first, next32()};
    }
    // Draws one number, so that the state holds the next 624 words. noexcept as above.
    void refill() noexcept {
        Window& next = windows_[buffers_.next()];
        next.state = windows_[buffers_.current()].state;
        next.state[kWords] = kWords;
        next.primitive.execute();
        go_on_at(0);
    }
    // Tempers the words of the next window, and makes it the current one.
    void go_on_at(uint32_t position) {
        const tombola::mt19937_state& state = windows_[buffers_.next()].state;
        uint32_t* const words = buffers_.words(buffers_.next());
        for (uint32_t i = 0; i < kWords; ++i) {
            uint32_t y = state[i];
            y ^= y >> 11;
            y ^= y << 7 & 0x9D2C5680;
            y ^= y << 15 & 0xEFC60000;
            words[i] = y ^ y >> 18;
        }
        buffers_.exchange(position);
    }

    Buffers<kWords> buffers_;
    Window windows_[2];
};

// The state behind `jumps` jumps of numpy.random.MT19937, whose numbers are those of its C code (mt19937-jump.c) for every state.
//
// That code takes as window v the words from the position on, followed by those before it. T moves a window on by a word. A jump replaces v by
// g(T) v, where g = t^(2^128) mod p, and the position by position + degree of g. The low 31 bits of a window's first word are in no recurrence: T
// makes them 0. So t p(t) is T's minimal polynomial, p alone is not, and n jumps are h(T) v with h = g^n mod t p(t): h = t^(n 2^128) mod p, plus p
// if its constant term would differ from that of g^n. That of p is 1.
tombola::mt19937_state jumped(const tombola::mt19937_state& state, uint64_t jumps) {
    constexpr uint32_t kWords = impl::kMtWords;
    constexpr uint64_t kDegree = 19933, kConstant = 1;  // of g
    if (jumps == 0) return state;
    impl::MtPolynomial h = impl::mt_power_of_t(jumps, impl::MtJumpLoops::portable(), 128);
    if ((h[0] & 1) != kConstant) {
        for (const size_t e : impl::mt_characteristic_exponents())
            h[e / 64] ^= uint64_t{1} << e % 64;
        h[impl::kMtDegree / 64] ^= uint64_t{1} << impl::kMtDegree % 64;
    }
    const uint32_t begin = state[kWords] % kWords;
    uint32_t window[kWords];
    std::rotate_copy(state.data(), state.data() + begin, state.data() + kWords, window);
    impl::mt_combine(window, h);
    const auto end = static_cast<uint32_t>((begin + jumps % kWords * kDegree) % kWords);
    tombola::mt19937_state result;
    std::rotate_copy(window, window + (kWords - end), window + kWords, result.data());
    result[kWords] = end;
    return result;
}

template <size_t count>
std::array<uint32_t, count> words_of(py::handle object) {
    std::array<uint32_t, count> words;
    std::memcpy(words.data(), numbers_of(object, memory::data_type::u32, count, "state").data,
                sizeof(words));
    return words;
}

template <size_t count>
py::object array_of(const std::array<uint32_t, count>& words) {
    const Output output({static_cast<memory::dim>(count)}, memory::data_type::u32);
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
             [](Philox& self, py::handle lock, py::handle state, py::handle position) {
                 const auto words = words_of<6>(state);
                 const uint64_t skipped = unsigned_of(position, "position");
                 const Locked locked(lock);
                 self.set(words, skipped);
             })
        .def("advance",
             [](Philox& self, py::handle lock, py::handle blocks, uint32_t words) {
                 const auto counted = words_of<4>(blocks);
                 const Locked locked(lock);
                 self.advance(counted, words);
             })
        .def("get", [](const Philox& self) {
            const auto [first, used] = self.get();
            return py::make_tuple(array_of(first), used);
        });
    py::class_<Mt19937>(module, "Mt19937", py::module_local())
        .def(py::init([](py::handle capsule, py::handle state) {
            return std::make_unique<Mt19937>(capsule, words_of<625>(state));
        }))
        .def("set",
             [](Mt19937& self, py::handle lock, py::handle state) {
                 const auto words = words_of<625>(state);
                 const Locked locked(lock);
                 self.set(words);
             })
        .def("get", [](const Mt19937& self) { return array_of(self.get()); })
        .def("jumped", [](const Mt19937& self, py::handle jumps) {
            const uint64_t count = unsigned_of(jumps, "jumps");
            const auto state = self.get();
            tombola::mt19937_state there;
            {
                const Released released;
                there = jumped(state, count);
            }
            return array_of(there);
        });
}

}  // namespace tombola_python
