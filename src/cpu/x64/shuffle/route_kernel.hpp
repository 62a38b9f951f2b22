// SPDX-License-Identifier: Apache-2.0
#pragma once

// A permute program made of transposes: see route_plan.hpp for what it does, route_kernel.cpp for how.

#include <array>
#include <vector>

#include "cpu/x64/shuffle/permute_kernel.hpp"
#include "cpu/x64/shuffle/route_plan.hpp"

namespace tombola::impl::cpu::x64 {

class RouteKernel : public PermuteKernel {
  public:
    struct Key {
        CpuIsa isa;
        const RoutePlan* plan;  // borrowed while the code is generated
    };
    explicit RouteKernel(const Key& key);

  private:
    using Table = std::array<uint8_t, 64>;
    using Register = Route::Register;

    void emit_hoisted(int section) override;
    void emit_step(int section) override;

    void emit_together(const Route* first, const Route* end, int used);
    void emit_source(const Register& source, const Vec& v);
    void emit_blends(const Route& route);
    void emit_output(const Register& output, const Vec& v);
    void load_pieces(const Vec& v, const std::vector<Piece>& pieces);
    void store_pieces(const std::vector<Piece>& pieces, const Vec& v);
    void blend(const Vec& d, const Vec& a, const Vec& b, int K, int stage);
    void permute(const Vec& d, const Vec& indices, const Vec& a);

    bool is_identity(const Register& r) const;
    Table table_of(const Register& r) const;
    Vec table(const Register& r);
    uint16_t blended(int K, int stage) const;

    // What indices count.
    int permuted_unit() const {
        if (plan_->lane_bytes < bytes()) return 1;
        return plan_->unit < 4 ? plan_->unit : 4;
    }
    Vec part(int index, int bytes) const;
    int index_scratch() const { return registers() / 2 + 1; }

    const RoutePlan* plan_;
    std::vector<int> at_;  // the registers of T[0], T[1] ...
    int free_ = 0;         // and one that is free
    std::vector<Table> hoisted_;
    std::vector<uint16_t> masks_;
};

}  // namespace tombola::impl::cpu::x64
