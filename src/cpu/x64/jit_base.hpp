// SPDX-License-Identifier: Apache-2.0
#pragma once

// A kernel: one function, generated once, that takes a pointer to its arguments.
//
//   class MyKernel : public Vocabulary {              // see vocabulary.hpp and README.md
//     public:
//       struct Args { const float* src; float* dst; int64_t count; };
//       using Key = std::tuple<CpuIsa>;               // what shapes the code
//       explicit MyKernel(const Key& key);
//     private:
//       void generate() override;
//   };
//   auto kernel = cached_function<MyKernel>({isa});   // Result<JitFunction<MyKernel::Args>>
//
// The class is a generator: it is destroyed once the code is made. Only the code is kept.
//
// Invariants:
// - generate() runs once, inside cached_function(), which turns whatever the assembler refuses into
//   a Status. Until then the pages are read-write; from then on they are read-execute and never
//   change.
// - Constants follow the code, in the same pages. The first one is aligned to 64 bytes.
// - A kernel calls nothing, allocates nothing, and reaches no memory but its arguments, its
//   constants and its stack frame. It must be called under the default MXCSR, as execute() and
//   parallel() guarantee.

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "common/kernel_cache.hpp"
#include "common/status.hpp"
#include "cpu/x64/jit_function.hpp"
#include "cpu/x64/xbyak.hpp"

namespace tombola::impl::cpu::x64 {

class JitKernel : protected Xbyak::CodeGenerator {
  public:
    ~JitKernel() override = default;
    JitKernel(const JitKernel&) = delete;
    JitKernel& operator=(const JitKernel&) = delete;

    const uint8_t* code() const { return getCode(); }
    size_t code_size() const { return getSize(); }

    // Generates the code and makes it executable. Only the functions below call it. It may throw Xbyak::Error.
    std::shared_ptr<const JitCode> build();

  protected:
    static constexpr size_t kDefaultCodeBytes = 64 * 1024;

    // `name` as dumps and profiles show it, of letters, digits, '.', '_' and '-'. Pages of
    // `max_code_bytes` are reserved; those that are not used are never touched.
    explicit JitKernel(std::string name, size_t max_code_bytes = kDefaultCodeBytes);

    virtual void generate() = 0;

    // The frame. gpr(0) holds the address of the arguments; gpr(1) ... gpr(gprs - 1) are free; rsp
    // and, with a stack, rbp belong to the frame. Nothing else is guaranteed. stack_bytes of
    // local memory begin at rsp, aligned to 64 bytes.
    //   0    1    2    3    4   5   6    7    8    9    10   11   12   13   14
    //   rdi  rsi  rdx  rcx  r8  r9  r10  r11  rax  rbx  r12  r13  r14  r15  rbp (without a stack)
    static constexpr int kGprs = 15;
    void begin(int gprs, int stack_bytes = 0);
    void end();  // restores, clears the upper halves of the vector registers, and returns
    Xbyak::Reg64 gpr(int index) const;

    // Memory operands for constants, which follow the code. Each value is stored once.
    Xbyak::Address constant_u64(uint64_t value) {
        return constant(&value, sizeof value, sizeof value);
    }
    // Any table; `alignment` a power of two up to 64. `table_label` is for lea and for indexed
    // access.
    Xbyak::Address constant(const void* bytes, size_t size, size_t alignment);
    Xbyak::Label& table_label(const void* bytes, size_t size, size_t alignment);

  private:
    struct Constant {
        std::vector<uint8_t> bytes;
        size_t alignment;
        Xbyak::Label label;
    };
    JitKernel(std::shared_ptr<JitCode> code, std::string name, size_t max_code_bytes);
    void emit_constants();

    std::shared_ptr<JitCode> code_;
    std::string name_;
    std::list<Constant> constants_;
    int gprs_ = 0;
    bool has_stack_ = false;
};

// The status is out_of_memory if there are no pages for the code, and runtime_error otherwise.
Status code_generation_failure(const Xbyak::Error& error);

// Returns what make() returns. An exception of make() becomes a Status.
template <class Make>
auto generate_or_fail(const Make& make) -> decltype(make()) {
    try {
        return make();
    } catch (const Xbyak::Error& error) {
        return code_generation_failure(error);
    } catch (const std::bad_alloc&) {
        return Status(StatusCode::out_of_memory, "no memory to generate a kernel");
    }
}

// Generates the function of a key. The generator is destroyed, the code is kept.
template <class Generator>
Result<JitFunction<typename Generator::Args>> make_function(const typename Generator::Key& key) {
    using Function = JitFunction<typename Generator::Args>;
    return generate_or_fail([&]() -> Result<Function> {
        Generator generator(key);
        return Function(generator.build());
    });
}

// Returns the process's function of that key. It is generated if there is none yet. The cache is never destroyed, so that primitives which
// outlive the static objects can still be used.
template <class Generator>
Result<JitFunction<typename Generator::Args>> cached_function(const typename Generator::Key& key) {
    using Cache = KernelCache<typename Generator::Key, JitFunction<typename Generator::Args>>;
    static Cache& cache = *new Cache;
    return cache.get(key, [&] { return make_function<Generator>(key); });
}

}  // namespace tombola::impl::cpu::x64
