// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an implementation is, and how the model finds it.
//
//   descriptor --plan()--> Plan --create()--> Executable --execute()--> results
//
// Each primitive has one table of Implementation rows, best first, defined in cpu/lists. Creating a
// primitive descriptor walks it: a row whose ISA the machine lacks is passed over, a row whose
// plan() refuses gives its reason as a Status, the first that accepts is taken. Creating the
// primitive calls create() (kernels are generated here). Executables are immutable; execute() is
// const, reentrant, allocates nothing and runs under the default floating-point environment.

#include <array>
#include <cstddef>
#include <memory>

#include "common/cpu_isa.hpp"
#include "common/op_desc.hpp"
#include "common/status.hpp"

namespace tombola::impl {

struct Plan {
    size_t scratchpad_bytes = 0;
};

// The arguments of one execution. Presence, descriptors and aliasing have been checked against
// arg_specs().
class ExecContext {
  public:
    // Address of the first element (offset0 is counted in); null when an optional argument is
    // absent.
    template <class T = void>
    const T* input(int arg) const {
        return static_cast<const T*>(find(arg));
    }
    template <class T = void>
    T* output(int arg) const {
        return static_cast<T*>(find(arg));
    }
    // Plan::scratchpad_bytes of memory, aligned to 64 bytes.
    template <class T = void>
    T* scratchpad() const {
        return static_cast<T*>(scratchpad_);
    }

    void add(int arg, void* data) { slots_[count_++] = {arg, data}; }
    void set_scratchpad(void* scratchpad) { scratchpad_ = scratchpad; }
    static constexpr int kMaxArgs = 12;

  private:
    struct Slot {
        int arg;
        void* data;
    };
    void* find(int arg) const {
        for (int i = 0; i < count_; ++i)
            if (slots_[i].arg == arg) return slots_[i].data;
        return nullptr;
    }
    std::array<Slot, kMaxArgs> slots_;
    int count_ = 0;
    void* scratchpad_ = nullptr;
};

class Executable {
  public:
    virtual ~Executable() = default;
    virtual Status execute(const ExecContext& context) const = 0;
};

struct Implementation {
    const char*
        name;  // as impl_info_str, verbose mode and --impl spell it: "jit:avx512_core", "portable"
    CpuIsa min_isa;
    Result<Plan> (*plan)(const OpDesc&);
    Result<std::unique_ptr<Executable>> (*create)(const OpDesc&, const Plan&);
};

// A row made from a class with
//   using Desc = ShuffleDesc;
//   static Result<Plan> plan(const Desc&);
//   static Result<std::unique_ptr<Executable>> create(const Desc&, const Plan&);
template <class Impl>
constexpr Implementation implementation(const char* name, CpuIsa min_isa) {
    return {name, min_isa,
            [](const OpDesc& desc) { return Impl::plan(std::get<typename Impl::Desc>(desc)); },
            [](const OpDesc& desc, const Plan& plan) {
                return Impl::create(std::get<typename Impl::Desc>(desc), plan);
            }};
}

struct ImplementationList {
    const Implementation* rows;
    size_t count;
    const Implementation* begin() const { return rows; }
    const Implementation* end() const { return rows + count; }
};

// The table of a primitive. Declared here, defined in cpu/lists, which alone names implementations.
ImplementationList implementations(PrimitiveKind kind);

}  // namespace tombola::impl
