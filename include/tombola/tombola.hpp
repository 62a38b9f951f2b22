// SPDX-License-Identifier: Apache-2.0

/// @file
/// The C++ API of tombola: RAII classes over the C API, with the names of dnnl.hpp. It is header-only. The other
/// headers in this folder are its parts.

#ifndef TOMBOLA_HPP
#define TOMBOLA_HPP

/// The C++ API.
namespace tombola {

/// @defgroup tombola_cpp C++ API
/// What the header tombola.hpp declares.
///
/// **Objects** are handles that share what they refer to, like std::shared_ptr: copying one is cheap, and the
/// last copy destroys the object. Only the engine is not kept alive by the objects that were made with it.
///
/// **Exceptions.** A call that fails throws tombola::error with a status and a message. Only set_max_cpu_isa() and
/// set_verbose() return a status instead, as in oneDNN. The message names the
/// argument, its value and what was expected. A call that fails has written nothing but perhaps a scratchpad of the
/// caller's. The exceptions are threads that fail in the middle: if the caller's thread pool throws, or TBB has no memory
/// or no thread for its tasks, the outputs of that execution are undefined. Every function throws
/// invalid_arguments if a handle that it needs is empty; its own comment names the other statuses. Constructors and
/// functions with a parameter `allow_empty` give an empty object instead if it is true. If memory for the handles
/// themselves is missing, std::bad_alloc is thrown.
/// In a program that is compiled without exceptions (-fno-exceptions), a call that would throw prints the error on standard error and
/// ends the process.
///
/// **Threads.** Any number of threads may copy one object and call its const functions at the same time. This
/// includes execute(). The exception is memory::set_data_handle(), because it changes what others read. While a thread
/// calls a function that is not const (assignment, reset(), next_impl(), setters), no other thread may use the
/// object. Functions that are not members may be called from any thread at any time.
///
/// **Tensors.** Sizes, strides and offsets are counted in elements. "The layout any" is
/// memory::format_tag::any. The comment of each primitive says which data types, shapes and values it takes, and which
/// arguments may share memory.
/// @{
/// @defgroup tombola_cpp_error Errors
/// @defgroup tombola_cpp_handle Handles
/// @defgroup tombola_cpp_engine Engine and stream
/// @defgroup tombola_cpp_memory Memory
/// @defgroup tombola_cpp_primitive Primitives
/// @defgroup tombola_cpp_library Library
/// @defgroup tombola_cpp_threadpool Thread pool
/// @defgroup tombola_cpp_interop oneDNN beside tombola
/// @}

}  // namespace tombola

#include "dropout.hpp"
#include "engine.hpp"
#include "error.hpp"
#include "handle.hpp"
#include "library.hpp"
#include "memory.hpp"
#include "multinomial.hpp"
#include "primitive.hpp"
#include "primitive_desc.hpp"
#include "random_bernoulli.hpp"
#include "random_exponential.hpp"
#include "random_generator.hpp"
#include "random_normal.hpp"
#include "random_permutation.hpp"
#include "random_stream.hpp"
#include "random_uniform.hpp"
#include "shuffle.hpp"
#include "stochastic_rounding.hpp"
#include "token_sampler.hpp"

#endif
