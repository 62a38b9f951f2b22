// SPDX-License-Identifier: Apache-2.0
#include "state.hpp"

#include <pthread.h>

#include <chrono>
#include <cstring>
#include <new>

#include "arguments.hpp"
#include "functions.hpp"
#include "output.hpp"
#include "prepared.hpp"

namespace tombola_python {
namespace {

using type = memory::data_type;
using kind = tombola::primitive::kind;

// How many forks led to this process, each from a process that had the module. A child of fork() has one thread; locks that
// other threads held stay locked for ever.
std::atomic<int> forks{0};
[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });

// The state of MT19937 that the global seed gives. A call that draws one number leaves the words after the first twist:
// its position, 1, becomes 0.
py::object initial_state(py::handle seed) {
    const Output state({TOMBOLA_MT19937_STATE_WORDS}, type::u32);
    auto* const words = static_cast<uint32_t*>(state.tensor.data);
    const auto seeds = seeds_of(seed);
    const float zero = 0, one = 1;
    Tensor drawn;
    drawn.type = type::f32;
    drawn.dims = {1};
    float number = 0;
    run<tombola::random_uniform>(key_of(kind::random_uniform, drawn),
                                 {{TOMBOLA_ARG_MIN, &zero},
                                  {TOMBOLA_ARG_MAX, &one},
                                  {TOMBOLA_ARG_SEEDS, seeds.data()},
                                  {TOMBOLA_ARG_DST, &number},
                                  {TOMBOLA_ARG_DST_STATE, words}},
                                 [&] {
                                     return tombola::random_uniform::primitive_desc(
                                         cpu(), tombola::alignment::pytorch, drawn.desc(), 0, 1);
                                 });
    words[TOMBOLA_MT19937_STATE_WORDS - 1] = 0;
    return state.result;
}

// Both conversions between a state of MT19937 and the bytes of torch.get_rng_state().
const Tensor& torch_bytes(const Tensor& blob) {
    if (blob.elements() != TOMBOLA_TORCH_RNG_STATE_BYTES)
        value_error("state has " + std::to_string(blob.elements()) + " bytes; expected " +
                    std::to_string(TOMBOLA_TORCH_RNG_STATE_BYTES) +
                    ", as torch.get_rng_state() returns them");
    if (!blob.strides.empty())
        value_error(
            "state has gaps; expected contiguous bytes, as torch.get_rng_state() returns them");
    return blob;
}

// The state, and the seed that PyTorch remembers: the first 8 bytes.
py::tuple from_torch(py::handle blob) {
    const Tensor bytes = input(blob, "state", {{type::u8}});
    const Output state({TOMBOLA_MT19937_NORMAL_STATE_WORDS}, type::u32);
    tombola::error::check(tombola_mt19937_normal_state_from_torch(
        torch_bytes(bytes).data, bytes.elements(), static_cast<uint32_t*>(state.tensor.data)));
    uint64_t seed = 0;
    std::memcpy(&seed, bytes.data, sizeof(seed));
    return py::make_tuple(state.result, seed);
}

void to_torch(py::handle state, py::handle blob) {
    const Tensor words = numbers_of(state, type::u32, TOMBOLA_MT19937_NORMAL_STATE_WORDS, "state");
    const Tensor bytes = written(blob, "state", {{type::u8}});
    tombola::error::check(tombola_mt19937_normal_state_to_torch(
        static_cast<const uint32_t*>(words.data), torch_bytes(bytes).data, bytes.elements()));
}

}  // namespace

State::State(py::handle words) : forks_(forks) {
    const bool pytorch = input(words, "state", {{type::u32, type::u64}}).type == type::u32;
    const Tensor given =
        pytorch ? numbers_of(words, type::u32, TOMBOLA_MT19937_NORMAL_STATE_WORDS, "state")
                : numbers_of(words, type::u64, 2, "state");
    for (Tensor& position : positions_) position = Output(given.dims, given.type).tensor;
    std::memcpy(positions_[0].data, given.data, bytes());
}

void* State::words(bool pytorch) {
    if (pytorch != (positions_[0].type == type::u32))
        value_error(std::string("state is of the alignment \"") +
                    (pytorch ? "tensorflow" : "pytorch") + "\"; expected one of \"" +
                    (pytorch ? "pytorch" : "tensorflow") + "\"");
    return positions_[0].data;
}

size_t State::bytes() const {
    return positions_[0].elements() * memory::data_type_size(positions_[0].type);
}

py::object State::copy() {
    const Output made(positions_[0].dims, positions_[0].type);
    {
        const Turn turn(this);
        std::memcpy(made.tensor.data, current(), bytes());
    }
    return made.result;
}

void State::set(const State& from) {
    if (from.positions_[0].type != positions_[0].type)
        value_error("state is of the other alignment");
    Turn turn(this);
    std::memcpy(next(), from.current(), bytes());
    turn.commit();
}

// Called with the GIL, before a thread of this process waits for the mutex. The former mutex is not destroyed, because a
// thread that does not exist may have locked it.
void State::renew_after_fork() {
    if (forks_ == forks) return;
    forks_ = forks;
    new (&mutex_) std::timed_mutex;
}

Turn::Turn(State* state) : state_(state) {
    // How long a signal may wait for its handler.
    constexpr std::chrono::milliseconds kPatience{50};
    if (state == nullptr) {
        released_.emplace();
        return;
    }
    for (;;) {
        state->renew_after_fork();
        lock_ = std::unique_lock<std::timed_mutex>(state->mutex_, std::defer_lock);
        released_.emplace();
        if (lock_.try_lock() || lock_.try_lock_for(kPatience)) return;
        released_.reset();
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
}

void Turn::fill(Prepared& prepared) const {
    if (state_ == nullptr) return;
    // Most calls write the words of MT19937 alone. The normal number that is kept stays.
    constexpr size_t kWords = TOMBOLA_MT19937_STATE_WORDS * sizeof(uint32_t);
    if (state_->bytes() > kWords)
        std::memcpy(static_cast<char*>(next()) + kWords,
                    static_cast<const char*>(current()) + kWords, state_->bytes() - kWords);
    prepared.set_address(TOMBOLA_ARG_SRC_STATE, current());
    prepared.set_address(TOMBOLA_ARG_DST_STATE, next());
}

void Turn::commit() {
    if (state_ != nullptr) state_->current_.store(1 - state_->current_, std::memory_order_release);
}

State* state_of(py::handle state) { return state.is_none() ? nullptr : state.cast<State*>(); }

void add_state(py::module_& module) {
    // Local: a copy of this module in the same process has a class of its own.
    py::class_<State>(module, "State", py::module_local())
        .def(py::init<py::handle>())
        .def("copy", &State::copy)
        .def("set", &State::set);
    module.def("initial_state", &initial_state);
    module.def("from_torch", &from_torch);
    module.def("to_torch", &to_torch);
}

}  // namespace tombola_python
