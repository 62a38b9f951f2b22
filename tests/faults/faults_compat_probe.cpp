// SPDX-License-Identifier: Apache-2.0

// The headers read oneDNN's variables before main().

#include "oneapi/dnnl/dnnl.h"

// Asked by LeakSanitizer, where it is linked: it cannot look into a program with the set-user-ID bit.
extern "C" int __lsan_is_turned_off() { return 1; }

int main() { return 0; }
