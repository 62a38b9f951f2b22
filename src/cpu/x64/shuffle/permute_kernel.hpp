// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernel of a permute program: the loops around its operations, and the operations as instructions.

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class PermuteKernel : public Vocabulary {
  public:
    using Args = PermuteArgs;
    struct Key {
        CpuIsa isa;
        std::shared_ptr<const Operations> operations;
        bool operator<(const Key& other) const {
            return std::tie(isa, *operations) < std::tie(other.isa, *other.operations);
        }
    };

    explicit PermuteKernel(const Key& key);

  private:
    using Section = Operations::Section;

    void generate() override;
    void emit_section(const Section& section);
    void emit_steps(const Section& section);
    void emit_first_advance(const Section& section);
    void emit_advance();
    // Powers of two.
    int64_t aligned_to() const;
    bool steps_align() const;

    void emit_constants(const Section& section);
    void emit_step(const Section& section);
    void emit(const Operation& o);
    void emit_load(const Operation& o);
    void emit_insert(const Operation& o);
    void emit_permute(const Operation& o);
    void emit_permute_lanes(const Operation& o);
    void emit_permute2(const Operation& o);
    void emit_permute_into(const Operation& o);
    void emit_masked_permute(const Operation& o);
    void emit_blend(const Operation& o);
    void emit_store(const Operation& o);

    // Registers of values.
    void allocate(const Operation& o, size_t at);
    int take_register();
    void release(int value);
    Vec reg(int value, int bytes) const;
    Vec whole(int value) const { return vec(register_of_[value]); }

    // Constants.
    Vec table(int index);
    int hoisted_register(int table) const;  // kNone: it is not in a register
    Xbyak::Opmask mask(uint64_t bits);
    Vec under_mask(const Vec& d, uint64_t bits);
    Address table_in_memory(int index);

    Reg s() const { return gpr(3); }
    Reg d() const { return gpr(4); }
    Reg advance() const { return gpr(11); }

    const Operations* program_;            // borrowed while the code is generated
    int working_ = 0;                      // registers for values; the others hold constants
    std::vector<int> hoisted_;             // tables, from register working_ on
    std::vector<uint64_t> hoisted_masks_;  // from k1 on
    int scratch_table_ = kNone;            // the table in the register for indices from memory
    std::vector<int> register_of_;         // of each value
    std::vector<size_t> last_use_;         // of each value: an index of the list
    std::vector<bool> taken_;              // registers
    int turn_ = 0;
};

// The generated function, from the cache unless it is very large.
Result<JitFunction<PermuteArgs>> permute_function(const PermuteKernel::Key& key);

}  // namespace tombola::impl::cpu::x64
