// SPDX-License-Identifier: Apache-2.0
#pragma once

// Primitives that are ready to run. A call on 64 numbers takes less time than making the descriptors and the memory
// objects for it, so these are kept from call to call.

#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "state.hpp"
#include "tensor.hpp"

namespace tombola_python {

// Both live as long as the process: objects of Python may outlive any static object.
inline const tombola::engine& cpu() {
    static const auto& engine = *new tombola::engine(tombola::engine::kind::cpu, 0);
    return engine;
}
inline tombola::stream& queue() {
    static auto& stream = *new tombola::stream(cpu());
    return stream;
}

// What a primitive is remembered by: numbers that determine it, its kind first.
using Key = std::vector<int64_t>;

inline void add_to(Key& key, const Tensor& tensor) {
    key.push_back(static_cast<int64_t>(tensor.type));
    key.push_back(static_cast<int64_t>(tensor.dims.size()));
    key.insert(key.end(), tensor.dims.begin(), tensor.dims.end());
    key.push_back(static_cast<int64_t>(tensor.strides.size()));
    key.insert(key.end(), tensor.strides.begin(), tensor.strides.end());
}

// The key of a primitive that writes one tensor, with options that are numbers or enumerators.
template <class... Options>
Key key_of(tombola::primitive::kind kind, const Tensor& dst, Options... options) {
    Key key;
    // Enough for two tensors of five dimensions and the arguments of token_sampler.
    key.reserve(48);
    key.push_back(static_cast<int64_t>(kind));
    (key.push_back(static_cast<int64_t>(options)), ...);
    add_to(key, dst);
    return key;
}

struct Argument {
    int arg;
    const void* address;
    // Dimensions, where the argument has others than the primitive descriptor tells; part of the key then.
    memory::dims dims = {};
};
using Arguments = std::initializer_list<Argument>;

// A primitive with a memory object for each of its arguments. Only addresses change between two executions.
class Prepared {
  public:
    // `primitive` was made from `pd`. Arguments without an address are left out.
    template <class PrimitiveDesc>
    Prepared(const tombola::primitive& primitive, const PrimitiveDesc& pd, Arguments arguments)
        : primitive_(primitive) {
        for (const auto& [arg, address, dims] : arguments) {
            if (address == nullptr) continue;
            memory::desc desc = pd.exec_arg_desc(arg);
            if (!dims.empty()) desc = memory::desc(dims, desc.get_data_type(), memory::dims());
            memories_.push_back(memory(desc, cpu(), TOMBOLA_MEMORY_NONE));
            args_.push_back({arg, memories_.back().get()});
        }
        set_addresses(arguments);
    }
    Prepared(const Prepared&) = delete;  // a copy would share the memory objects
    Prepared(Prepared&&) = default;
    Prepared& operator=(const Prepared&) = delete;
    Prepared& operator=(Prepared&&) = default;

    // Sets the address of each argument. These are the arguments of the constructor, in the same order.
    void set_addresses(Arguments arguments) {
        size_t next = 0;
        for (const Argument& one : arguments)
            if (one.address != nullptr) set_handle(next++, one.address);
        assert(next == args_.size());
    }
    // Sets the address of one argument.
    void set_address(int arg, const void* address) {
        size_t index = 0;
        while (index < args_.size() && args_[index].arg != arg) ++index;
        set_handle(index, address);
    }
    // Raises what a refused execution raises.
    void execute() const {
        tombola::error::check(tombola_primitive_execute(
            primitive_.get(), queue().get(), static_cast<int>(args_.size()), args_.data()));
    }

    Key key;

  private:
    void set_handle(size_t index, const void* address) {
        assert(index < args_.size());
        memories_[index].set_data_handle(const_cast<void*>(address));
    }

    tombola::primitive primitive_;
    std::vector<memory> memories_;
    std::vector<tombola_exec_arg_t> args_;  // the handles of the memory objects
};

// The primitives of the last 64 keys. A call takes its primitive out and puts it back when it has run, so that no two
// threads share the memory objects. The GIL guards the list.
class Kept {
  public:
    // The primitive of a key, or null.
    static std::unique_ptr<Prepared> take(const Key& key) {
        auto& list = all();
        for (auto one = list.rbegin(); one != list.rend(); ++one) {
            if ((*one)->key != key) continue;
            std::unique_ptr<Prepared> taken = std::move(*one);
            list.erase(std::next(one).base());
            return taken;
        }
        return nullptr;
    }
    static void put_back(std::unique_ptr<Prepared> prepared) {
        constexpr size_t kKept = 64;
        auto& list = all();
        if (list.size() == kKept) list.erase(list.begin());
        list.push_back(std::move(prepared));
    }

  private:
    static std::vector<std::unique_ptr<Prepared>>& all() {
        static auto& list = *new std::vector<std::unique_ptr<Prepared>>();
        return list;
    }
};

// The primitive of a key, which make_pd() makes the descriptor of, ready to be executed on these arguments; a null address
// leaves one out. Calls with equal keys must have equal lists of arguments.
template <class Operator, class MakePd>
std::unique_ptr<Prepared> take(Key key, Arguments arguments, const MakePd& make_pd) {
    for (const Argument& one : arguments) {
        key.push_back(one.address == nullptr ? -1 : static_cast<int64_t>(one.dims.size()));
        key.insert(key.end(), one.dims.begin(), one.dims.end());
    }
    if (auto kept = Kept::take(key)) {
        kept->set_addresses(arguments);
        return kept;
    }
    const auto pd = make_pd();
    auto made = std::make_unique<Prepared>(Operator(pd), pd, arguments);
    made->key = std::move(key);
    return made;
}

// Executes a primitive, and keeps it. The GIL is released meanwhile. A state is continued.
inline void execute(std::unique_ptr<Prepared> prepared, State* state = nullptr) {
    {
        Turn turn(state);
        turn.fill(*prepared);
        prepared->execute();
        turn.commit();
    }
    Kept::put_back(std::move(prepared));
}

// Both.
template <class Operator, class MakePd>
void run(Key key, Arguments arguments, const MakePd& make_pd, State* state = nullptr) {
    execute(take<Operator>(std::move(key), arguments, make_pd), state);
}

}  // namespace tombola_python
