// SPDX-License-Identifier: Apache-2.0
#pragma once

// A permute program in AVX-512: see window_plan.hpp for what it does, window_kernel.cpp for how.

#include <array>
#include <vector>

#include "cpu/x64/shuffle/permute_kernel.hpp"
#include "cpu/x64/shuffle/window_plan.hpp"

namespace tombola::impl::cpu::x64 {

class WindowKernel : public PermuteKernel {
  public:
    struct Key {
        CpuIsa isa;
        const WindowPlan* plan;  // borrowed while the code is generated
    };
    explicit WindowKernel(const Key& key);

  private:
    using Table = std::array<uint8_t, WindowPlan::kVectorBytes>;
    using Output = WindowPlan::Output;

    void emit_hoisted(int section) override;
    void emit_step(int section) override;

    void emit_output(const Output& output);
    void emit_two_source(const Output& output, const Vec& out);
    void emit_merging(const Output& output, const Vec& out);
    void emit_store(const Output& output, const Vec& v);

    std::vector<Table> tables_of(const Output& output) const;
    std::vector<uint64_t> masks_of(const Output& output) const;
    Table byte_indices(const Output& output) const;
    Table unit_indices(const Output& output, size_t term) const;
    uint64_t units_of_term(const Output& output, int term) const;
    bool is_copy(const Output& output) const;

    Vec window(int index, const Vec& scratch);
    void load_window(const Vec& v, const WindowPlan::Window& window);
    Vec table(const Table& indices, const Vec& scratch);
    void load_table(const Vec& v, const Table& indices);
    Xbyak::Opmask mask(uint64_t bits);
    void permute(const Vec& d, const Vec& indices, const Vec& a);
    void permute_two(const Vec& d_indices, const Vec& a, const Vec& b);
    void permute_into(const Vec& d_first, const Vec& indices, const Vec& b);

    const WindowPlan* plan_;
    const WindowPlan::Section* section_ = nullptr;
    int turn_ = 0;           // which of the output registers comes next
    bool resident_ = false;  // whether the windows of a section stay in registers
    std::vector<Table> hoisted_;
    std::vector<uint64_t> hoisted_masks_;
};

}  // namespace tombola::impl::cpu::x64
