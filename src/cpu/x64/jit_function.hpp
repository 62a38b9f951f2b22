// SPDX-License-Identifier: Apache-2.0
#pragma once

// Generated code as its callers hold it. Files that only call kernels include this header. They need not include the assembler's,
// which takes a second to compile.

#include <cstddef>
#include <memory>
#include <utility>

namespace tombola::impl::cpu::x64 {

// The pages of one kernel, freed with the object.
class JitCode {
  public:
    explicit JitCode(size_t bytes);  // read-write; throws std::bad_alloc
    ~JitCode();
    JitCode(const JitCode&) = delete;
    JitCode& operator=(const JitCode&) = delete;

    void* pages() { return pages_; }
    // Calls the function at the start of the pages, which are read-execute by then.
    void run(void* args) const { reinterpret_cast<void (*)(void*)>(pages_)(args); }

  private:
    void* pages_;
    size_t bytes_;
};

// Generated code as its callers hold it: a function of Args. It is empty until one is assigned.
template <class Args>
class JitFunction {
  public:
    JitFunction() = default;
    explicit JitFunction(std::shared_ptr<const JitCode> code) : code_(std::move(code)) {}
    explicit operator bool() const { return code_ != nullptr; }
    void operator()(Args& args) const { code_->run(&args); }
    friend bool operator==(const JitFunction& a, const JitFunction& b) {
        return a.code_ == b.code_;
    }

  private:
    std::shared_ptr<const JitCode> code_;
};

}  // namespace tombola::impl::cpu::x64
