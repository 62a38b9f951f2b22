// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/jit_base.hpp"

#include <sys/mman.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <new>

#include "common/cpu_isa.hpp"
#include "common/jit_observer.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

using Xbyak::Operand;

// In the order of gpr(): first what a function may overwrite, then what it must save.
constexpr int kGprOrder[] = {Operand::RDI, Operand::RSI, Operand::RDX, Operand::RCX, Operand::R8,
                             Operand::R9,  Operand::R10, Operand::R11, Operand::RAX, Operand::RBX,
                             Operand::R12, Operand::R13, Operand::R14, Operand::R15, Operand::RBP};
constexpr int kUnsavedGprs = 9;
constexpr size_t kConstantsAlignment = 64;

}  // namespace

// Pages that are never touched cost only address space.
JitCode::JitCode(size_t bytes)
    : pages_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
      bytes_(bytes) {
    if (pages_ == MAP_FAILED) throw std::bad_alloc();
}

JitCode::~JitCode() { munmap(pages_, bytes_); }

JitKernel::JitKernel(std::string name, size_t max_code_bytes)
    : JitKernel(std::make_shared<JitCode>(max_code_bytes), std::move(name), max_code_bytes) {}

// Xbyak writes into pages that it does not own, and does not change their protection.
JitKernel::JitKernel(std::shared_ptr<JitCode> made, std::string name, size_t max_code_bytes)
    : Xbyak::CodeGenerator(max_code_bytes, made->pages()),
      code_(std::move(made)),
      name_(std::move(name)) {}

std::shared_ptr<const JitCode> JitKernel::build() {
    generate();
    emit_constants();
    ready(PROTECT_RE);  // refuses labels that were never placed
    setProtectModeRE();
    announce_code(name_.c_str(), code(), code_size());
    return code_;
}

Xbyak::Reg64 JitKernel::gpr(int index) const {
    assert(0 <= index && index < gprs_);
    return Xbyak::Reg64(kGprOrder[index]);
}

void JitKernel::begin(int gprs, int stack_bytes) {
    assert(gprs <= (stack_bytes > 0 ? kGprs - 1 : kGprs));
    gprs_ = gprs;
    has_stack_ = stack_bytes > 0;
    for (int i = kUnsavedGprs; i < gprs_; ++i) push(gpr(i));
    if (!has_stack_) return;
    push(rbp);
    mov(rbp, rsp);
    sub(rsp, stack_bytes);
    and_(rsp, -64);
}

void JitKernel::end() {
    if (has_stack_) {
        mov(rsp, rbp);
        pop(rbp);
    }
    for (int i = gprs_ - 1; i >= kUnsavedGprs; --i) pop(gpr(i));
    vzeroupper();
    ret();
}

Xbyak::Label& JitKernel::table_label(const void* bytes, size_t size, size_t alignment) {
    assert(alignment <= kConstantsAlignment && (alignment & (alignment - 1)) == 0);
    for (Constant& known : constants_)
        if (known.bytes.size() == size && known.alignment >= alignment &&
            std::memcmp(known.bytes.data(), bytes, size) == 0)
            return known.label;
    const auto* first = static_cast<const uint8_t*>(bytes);
    constants_.push_back({std::vector<uint8_t>(first, first + size), alignment, {}});
    return constants_.back().label;
}

Xbyak::Address JitKernel::constant(const void* bytes, size_t size, size_t alignment) {
    return ptr[rip + table_label(bytes, size, alignment)];
}

Status code_generation_failure(const Xbyak::Error& error) {
    const int code = static_cast<int>(error);
    const int reason = errno;
    if (code == Xbyak::ERR_CANT_ALLOC || (code == Xbyak::ERR_CANT_PROTECT && reason == ENOMEM))
        return Status(StatusCode::out_of_memory, "no memory for the code of a kernel");
    if (code == Xbyak::ERR_CANT_PROTECT) return executable_memory_denied(reason);
    return Status(StatusCode::runtime_error, format("code generation failed: %s", error.what()));
}

void JitKernel::emit_constants() {
    if (constants_.empty()) return;
    align(kConstantsAlignment);
    for (Constant& entry : constants_) {
        align(entry.alignment);
        L(entry.label);
        db(entry.bytes.data(), entry.bytes.size());
    }
}

}  // namespace tombola::impl::cpu::x64
