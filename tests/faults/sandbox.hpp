// SPDX-License-Identifier: Apache-2.0
#pragma once

// Takes from the calling process what hardened services are denied. Each function returns false when the kernel cannot.

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tombola::test {

inline bool install(std::vector<sock_filter> code) {
    const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// As systemd's MemoryDenyWriteExecute: mmap() and mprotect() with PROT_EXEC fail with EPERM.
inline bool deny_executable_memory() {
    constexpr auto kNumber = static_cast<uint32_t>(offsetof(seccomp_data, nr));
    constexpr auto kProtection = static_cast<uint32_t>(offsetof(seccomp_data, args) + 2 * 8);
    return install({
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kProtection),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    });
}

// mmap() and mprotect() with PROT_WRITE and PROT_EXEC together fail with EPERM.
inline bool deny_writable_code() {
    constexpr auto kNumber = static_cast<uint32_t>(offsetof(seccomp_data, nr));
    constexpr auto kProtection = static_cast<uint32_t>(offsetof(seccomp_data, args) + 2 * 8);
    constexpr uint32_t kBoth = PROT_WRITE | PROT_EXEC;
    return install({
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kProtection),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, kBoth),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kBoth, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    });
}

// The kernel's own way, from Linux 6.3 on.
inline bool set_mdwe() {
    constexpr int kSetMdwe = 65, kRefuseExecGain = 1;  // PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN
    return prctl(kSetMdwe, kRefuseExecGain, 0, 0, 0) == 0;
}

// clone() of a thread, by the older call and the newer one; a thread that exists goes on.
inline bool deny_threads() {
    constexpr uint32_t kClone3 = 435;
    return install({
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offsetof(seccomp_data, nr))),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kClone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    });
}

inline bool deny_getrandom() {
    return install({
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offsetof(seccomp_data, nr))),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    });
}

}  // namespace tombola::test
