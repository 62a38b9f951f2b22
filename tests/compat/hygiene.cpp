// SPDX-License-Identifier: Apache-2.0

// Compiled, not run: tombola's own headers declare nothing of oneDNN's names.

#include "tombola/tombola.h"
#include "tombola/tombola.hpp"

#if defined(DNNL_ARG_SRC) || defined(DNNL_VERSION_MAJOR) || defined(DNNL_MEMORY_ALLOCATE)
#error "a macro of oneDNN's is defined"
#endif

// Would clash with any declaration of these names.
namespace dnnl_f32 {}
namespace dnnl_engine_create {}
namespace dnnl {
enum { engine, memory, shuffle_forward };
}

int main() { return dnnl::engine; }
