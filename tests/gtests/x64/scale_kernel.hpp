// SPDX-License-Identifier: Apache-2.0
#pragma once

// The worked example of src/cpu/x64/README.md, which quotes it from the next comment on.

#include <cstddef>
#include <tuple>

#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

// dst[i] = src[i] * factor, f32
//
// Lanes: one element each.
// Registers:  v0  elements      v1  factor      gpr 0 args, 1 src, 2 dst, 3 count, 4-5 scratch
class ScaleKernel : public Vocabulary {
  public:
    struct Args {
        const float* src;
        float* dst;
        int64_t count;
        float factor;
    };
    using Key = std::tuple<CpuIsa>;  // all that shapes the code: the factor is an argument

    explicit ScaleKernel(const Key& key) : Vocabulary(std::get<0>(key), "scale") {}

  private:
    void generate() override {
        begin(6);
        load_arguments();
        emit_whole_vectors();
        emit_tail();
        end();
    }

    void load_arguments() {
        mov(src(), ptr[args() + offsetof(Args, src)]);
        mov(dst(), ptr[args() + offsetof(Args, dst)]);
        mov(count(), ptr[args() + offsetof(Args, count)]);
        broadcast_u32(factor(), ptr[args() + offsetof(Args, factor)]);
    }

    void emit_whole_vectors() {
        Label again, done;
        cmp(count(), lanes(sizeof(float)));
        jb(done);
        L(again);
        vmulps(elements(), factor(), ptr[src()]);
        store(ptr[dst()], elements());
        add(src(), bytes());
        add(dst(), bytes());
        sub(count(), lanes(sizeof(float)));
        cmp(count(), lanes(sizeof(float)));
        jae(again);
        L(done);
    }

    // Fewer than a vector, perhaps none: nothing beyond the tensors is read or written.
    void emit_tail() {
        const Tail tail{count(), gpr(4), gpr(5)};
        shl(count(), 2);  // bytes
        set_tail(tail);
        load_tail(elements(), src(), tail);
        vmulps(elements(), elements(), factor());
        store_tail(dst(), elements(), tail);
    }

    Vec elements() const { return vec(0); }
    Vec factor() const { return vec(1); }
    Reg args() const { return gpr(0); }
    Reg src() const { return gpr(1); }
    Reg dst() const { return gpr(2); }
    Reg count() const { return gpr(3); }
};

}  // namespace tombola::impl::cpu::x64
