// SPDX-License-Identifier: Apache-2.0
#pragma once

// A kernel: one function, generated once, that takes a pointer to its arguments.
//
//   class MyKernel : public Vocabulary {              // see vocabulary.hpp and README.md
//     public:
//       struct Args { const float* src; float* dst; int64_t count; };
//       using Key = std::tuple<CpuIsa>;               // what shapes the code
//       explicit MyKernel(const Key& key);
//       void operator()(Args& args) const { run(&args); }
//     private:
//       void generate() override;
//   };
//   auto kernel = cached_kernel<MyKernel>({isa});     // Result<std::shared_ptr<const MyKernel>>
//
// Invariants:
// - generate() runs once, inside cached_kernel() or make_kernel(), which turn whatever the assembler
//   refuses into a Status. Until then the pages are read-write; from then on they are read-execute
//   and never change.
// - Constants lie behind the code, in the same pages, aligned to 64 bytes.
// - A kernel calls nothing, allocates nothing, and reaches no memory but its arguments, its
//   constants and its stack frame. It must be called under the default MXCSR, as execute() and
//   parallel() guarantee.

#include <xbyak/xbyak.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "common/kernel_cache.hpp"
#include "common/status.hpp"

namespace tombola::impl::cpu::x64 {

class JitKernel : protected Xbyak::CodeGenerator {
  public:
    ~JitKernel() override = default;
    JitKernel(const JitKernel&) = delete;
    JitKernel& operator=(const JitKernel&) = delete;

    const std::string& name() const { return name_; }
    const uint8_t* code() const { return getCode(); }
    size_t code_size() const { return getSize(); }

    // Generates the code and makes it executable. For make_kernel() alone; may throw Xbyak::Error.
    void build();

  protected:
    static constexpr size_t kDefaultCodeBytes = 64 * 1024;

    // `name` as dumps and profiles show it, of letters, digits, '.', '_' and '-'. Pages of
    // `max_code_bytes` are reserved; those that are not used are never touched.
    explicit JitKernel(std::string name, size_t max_code_bytes = kDefaultCodeBytes);

    virtual void generate() = 0;
    void run(void* args) const { getCode<void (*)(void*)>()(args); }

    // The frame. gpr(0) holds the address of the arguments; gpr(1) ... gpr(gprs - 1) are free; rsp
    // and, with a stack, rbp are the frame's own, and nothing else is promised. stack_bytes of
    // local memory begin at rsp, aligned to 64 bytes.
    //   0    1    2    3    4   5   6    7    8    9    10   11   12   13   14
    //   rdi  rsi  rdx  rcx  r8  r9  r10  r11  rax  rbx  r12  r13  r14  r15  rbp (without a stack)
    static constexpr int kGprs = 15;
    void begin(int gprs, int stack_bytes = 0);
    void end();  // restores, clears the upper halves of the vector registers, and returns
    Xbyak::Reg64 gpr(int index) const;

    // Memory operands for constants behind the code. Each value is stored once.
    Xbyak::Address constant_u64(uint64_t value) {
        return constant(&value, sizeof value, sizeof value);
    }
    // Any table; `alignment` a power of two up to 64. `table_label` is for lea and for indexed
    // access.
    Xbyak::Address constant(const void* bytes, size_t size, size_t alignment);
    const Xbyak::Label& table_label(const void* bytes, size_t size, size_t alignment);

  private:
    struct Constant {
        std::vector<uint8_t> bytes;
        size_t alignment;
        Xbyak::Label label;
    };
    void emit_constants();

    std::string name_;
    std::list<Constant> constants_;
    int gprs_ = 0;
    bool has_stack_ = false;
};

template <class Kernel>
Result<std::shared_ptr<const Kernel>> make_kernel(const typename Kernel::Key& key) {
    try {
        auto kernel = std::make_shared<Kernel>(key);
        kernel->build();
        return std::shared_ptr<const Kernel>(std::move(kernel));
    } catch (const Xbyak::Error& error) {
        return Status(StatusCode::runtime_error,
                      format("code generation failed: %s", error.what()));
    } catch (const std::bad_alloc&) {
        return Status(StatusCode::out_of_memory, "no memory to generate a kernel");
    }
}

template <class Kernel>
Result<std::shared_ptr<const Kernel>> cached_kernel(const typename Kernel::Key& key) {
    return kernel_cache<Kernel>().get(key, [&] { return make_kernel<Kernel>(key); });
}

}  // namespace tombola::impl::cpu::x64
