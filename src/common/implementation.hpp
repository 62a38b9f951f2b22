// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an implementation is, and how the library chooses one.
//
//   descriptor --plan()--> Plan --build()--> Executable --execute()--> results
//
// Each primitive has one table of Implementation rows, best first, defined in cpu/lists. Creating a primitive
// descriptor walks the table. A row is passed over if its ISA is above the effective one, or if its plan() refuses;
// either gives the reason as a Status. The first row that accepts is taken, and its Plan holds every decision. Creating
// the primitive calls build(), which generates the kernels and decides nothing again. Executables are immutable.
// execute() is const, safe on many threads at once, allocates nothing and runs under the default floating-point
// environment.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "common/cpu_isa.hpp"
#include "common/op_desc.hpp"
#include "common/status.hpp"

namespace tombola::impl {

// The arguments of one execution. Presence, descriptors and aliasing have been checked against
// arg_specs().
class ExecContext {
  public:
    // Whether an argument is given. Its address may be null if it has no elements.
    bool has(int arg) const { return slot(arg) != nullptr; }
    // Address of the first element, with offset0 added; null when an optional argument is absent.
    template <class T = void>
    const T* input(int arg) const {
        return static_cast<const T*>(find(arg));
    }
    template <class T = void>
    T* output(int arg) const {
        return static_cast<T*>(find(arg));
    }
    // The number of elements of an argument; 0 when it is absent.
    dim_t count(int arg) const {
        const Slot* found = slot(arg);
        return found != nullptr ? found->count : 0;
    }
    // The scratchpad: Plan::scratchpad_bytes() bytes, aligned to 64 bytes.
    template <class T = void>
    T* scratchpad() const {
        return static_cast<T*>(scratchpad_);
    }

    // The descriptor's seeds, which are used when the argument SEEDS is absent. Descriptors that differ only in their
    // seeds share one executable, so each execution passes the seeds.
    Seeds default_seeds() const { return default_seeds_; }

    void set_default_seeds(Seeds seeds) { default_seeds_ = seeds; }
    // What seeded_words() has made of the default seeds; may be null.
    const uint32_t* seeded_words() const { return seeded_words_; }
    void set_seeded_words(const uint32_t* words) { seeded_words_ = words; }
    void add(int arg, void* data, dim_t count = 1) { slots_[count_++] = {arg, data, count}; }
    void set_scratchpad(void* scratchpad) { scratchpad_ = scratchpad; }
    static constexpr int kMaxArgs = 16;

  private:
    struct Slot {
        int arg;
        void* data;
        dim_t count;
    };
    const Slot* slot(int arg) const {
        for (int i = 0; i < count_; ++i)
            if (slots_[i].arg == arg) return &slots_[i];
        return nullptr;
    }
    void* find(int arg) const {
        const Slot* found = slot(arg);
        return found != nullptr ? found->data : nullptr;
    }
    std::array<Slot, kMaxArgs> slots_;
    int count_ = 0;
    void* scratchpad_ = nullptr;
    Seeds default_seeds_;
    const uint32_t* seeded_words_ = nullptr;
};

class Executable {
  public:
    virtual ~Executable() = default;
    virtual Status execute(const ExecContext& context) const = 0;
};

// What one row of the table has decided for one descriptor: all that building the executable needs.
class Plan {
  public:
    virtual ~Plan() = default;
    size_t scratchpad_bytes() const { return scratchpad_bytes_; }
    virtual Result<std::unique_ptr<Executable>> build() const = 0;

  protected:
    explicit Plan(size_t scratchpad_bytes) : scratchpad_bytes_(scratchpad_bytes) {}

  private:
    size_t scratchpad_bytes_;
};
using PlanPtr = std::unique_ptr<const Plan>;

// A plan from a function object that builds the executable. The object holds what was decided.
template <class Build>
Result<PlanPtr> make_plan(size_t scratchpad_bytes, Build build) {
    class BuildingPlan : public Plan {
      public:
        BuildingPlan(size_t bytes, Build build) : Plan(bytes), build_(std::move(build)) {}
        Result<std::unique_ptr<Executable>> build() const override { return build_(); }

      private:
        Build build_;
    };
    return PlanPtr(std::make_unique<BuildingPlan>(scratchpad_bytes, std::move(build)));
}

template <class E, class... Args>
Result<std::unique_ptr<Executable>> make_executable(Args&&... args) {
    return std::unique_ptr<Executable>(std::make_unique<E>(std::forward<Args>(args)...));
}

struct Implementation {
    const char* name;  // in impl_info_str, verbose lines and --impl: "jit:avx2", "portable"
    CpuIsa isa;        // what it needs, and what its kernels are generated for
    Result<PlanPtr> (*plan)(CpuIsa isa, const OpDesc& desc);
};

// The descriptor type that a planning function takes. It is only used in decltype.
template <class Desc>
Desc planned_by(Result<PlanPtr> (*)(CpuIsa, const Desc&));

// Makes a row from a planning function: Result<PlanPtr> plan(CpuIsa isa, const SomeDesc& desc).
template <auto plan>
constexpr Implementation implementation(const char* name, CpuIsa isa) {
    return {name, isa, [](CpuIsa for_isa, const OpDesc& desc) {
                return plan(for_isa, std::get<decltype(planned_by(plan))>(desc));
            }};
}

struct ImplementationList {
    const Implementation* rows;
    size_t count;
    const Implementation* begin() const { return rows; }
    const Implementation* end() const { return rows + count; }
};

// The table of a primitive. It is defined in cpu/lists, the only folder that names implementations.
ImplementationList implementations(PrimitiveKind kind);

// The 624 words that MT19937 makes of the descriptor's seeds. A primitive makes them once: each word depends on
// the one before, so making them would take most of the time of a small execution. Null if the primitive does not draw from
// MT19937, if the seeds are (0, 0), or if memory is missing. Then each execution makes its own. Defined in mt19937_call.cpp.
std::unique_ptr<const uint32_t[]> seeded_words(const OpDesc& desc);

}  // namespace tombola::impl
