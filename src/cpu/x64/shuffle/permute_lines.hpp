// SPDX-License-Identifier: Apache-2.0
#pragma once

// The code of Operation::Kind::store_line: a run of bytes that is stored as whole cache lines, whatever address it begins at.
//
// A run has two registers: `kept`, the bytes of the step before that have not been stored yet, and `order`, the order in which a line takes
// units from both steps. The distance of a run is the offset in bytes from the values of a step back to the start of the line that they
// complete. It is 0 or negative.
//
// register      role
// gpr 4         destination of this step
// gpr 5         bytes that are left after this step
// gpr 6, 11, 12 scratch
// gpr 13        ones
// k7            the bytes of a line's store
// below rsp     in the red zone: the distance of each run

#include <cassert>

#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/shuffle/store_vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class LineStores : public StoreVocabulary {
  protected:
    using StoreVocabulary::StoreVocabulary;

    // What a step stores: no lines; the first bytes of each run of lines; whole lines; or the last bytes of each run.
    enum class Lines { none, first, whole, last };

    struct Run {
        const Operation& store;
        Vec kept, order, scratch;
        int64_t distance_at() const { return -8 * (store.position + 1); }
    };

    Reg d() const { return gpr(4); }
    Reg left() const { return gpr(5); }
    Reg ones() const { return gpr(13); }

    // Sets the distance of a run, which is a multiple of its unit, and the order of the units of its lines. A line begins with -distance
    // bytes of the step before, which is the first source of the permute, and has that many bytes less of this step.
    void begin_run(const Run& run, const Table& units) {
        const Reg table = gpr(12);
        const int unit = run.store.unit;
        std::array<uint8_t, 2 * kMaxVecBytes> order;
        for (int i = 0; i < kMaxVecBytes; ++i) {
            order[i] = units[i];
            order[kMaxVecBytes + i] =
                static_cast<uint8_t>(order[i] + (i % unit == 0 ? kMaxVecBytes / unit : 0));
        }
        lea(distance(), ptr[d() + run.store.offset]);
        and_(distance(), static_cast<uint32_t>(kLineBytes - unit));
        neg(distance());
        mov(qword[rsp + run.distance_at()], distance());
        lea(table, ptr[rip + table_label(order.data(), order.size(), kMaxVecBytes)]);
        load(run.order, ptr[table + distance() + kMaxVecBytes]);
    }

    void store_line(const Run& run, const Vec& value, Lines lines) {
        mov(distance(), qword[rsp + run.distance_at()]);
        if (lines == Lines::first) store_first(run, value);
        if (lines == Lines::whole) {
            prefetch_line(line_of(run));
            permute_two(run.store.unit, run.kept, run.order, value);
            store(line_of(run), run.kept, streams());
        }
        if (lines == Lines::last) return store_last(run, value);
        copy(run.kept, value);
    }

    // d = units of a, in the order of the indices.
    void permute_units(int unit, const Vec& d, const Vec& indices, const Vec& a) {
        switch (unit) {
            case 1:
                return vpermb(d, indices, a);
            case 2:
                return vpermw(d, indices, a);
            case 4:
                return vpermd(d, indices, a);
            default:
                return vpermq(d, indices, a);
        }
    }
    // d = units of d and b, in the order of the indices.
    void permute_two(int unit, const Vec& d, const Vec& indices, const Vec& b) {
        assert(unit >= 2);
        if (unit == 2) return vpermt2w(d, indices, b);
        unit == 4 ? vpermt2d(d, indices, b) : vpermt2q(d, indices, b);
    }

  private:
    Reg distance() const { return gpr(6); }

    // A permute of one register ignores the bit of an index that selects one of two registers, so all units come from this step.
    void store_first(const Run& run, const Vec& value) {
        const Reg bits = gpr(11);
        permute_units(run.store.unit, run.scratch, run.order, value);
        mov(bits, distance());
        neg(bits);
        shlx(bits, ones(), bits);
        store_bits(line_of(run), bits, run.scratch);
    }

    void store_last(const Run& run, const Vec& value) {
        const Reg bits = gpr(11), count = gpr(12);
        Label end;
        permute_two(run.store.unit, run.kept, run.order, value);
        mov(count, left());
        sub(count, distance());
        bzhi(bits, ones(), count);
        store_bits(line_of(run), bits, run.kept);
        sub(count, kLineBytes);
        jle(end);
        permute_units(run.store.unit, run.scratch, run.order, value);
        bzhi(bits, ones(), count);
        store_bits(line_of(run, kLineBytes), bits, run.scratch);
        L(end);
    }

    void store_bits(const Address& to, const Reg& bits, const Vec& a) {
        kmovq(k7, bits);
        vmovdqu8(to | k7, a);
    }

    Address line_of(const Run& run, int64_t more = 0) const {
        return ptr[d() + distance() + (run.store.offset + more)];
    }
};

}  // namespace tombola::impl::cpu::x64
