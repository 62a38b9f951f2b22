/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * The C API of tombola: the objects that all primitives share, and each primitive's own header. */

#ifndef TOMBOLA_H
#define TOMBOLA_H

#include "tombola_dropout.h"
#include "tombola_multinomial.h"
#include "tombola_random_bernoulli.h"
#include "tombola_random_exponential.h"
#include "tombola_random_generator.h"
#include "tombola_random_normal.h"
#include "tombola_random_permutation.h"
#include "tombola_random_uniform.h"
#include "tombola_shuffle.h"
#include "tombola_stochastic_rounding.h"
#include "tombola_token_sampler.h"
#include "tombola_types.h"
#include "tombola_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tombola_c C API
 * The functions and types of tombola.h, tombola_types.h, tombola_threadpool.h and the header of each primitive.
 *
 * **Objects** are opaque handles, made by a function whose name ends in _create or _clone and freed by the one that
 * ends in _destroy; destroying NULL is allowed. A function uses a handle only during the call, so the handle may be
 * destroyed before the objects that were made from it. The engine is the exception: it must outlive the objects that
 * were made with it.
 *
 * **Statuses.** When a function's status is not tombola_success, nothing has been written through any argument but
 * TOMBOLA_ARG_SCRATCHPAD, and tombola_get_last_error() gives the reason. The exceptions are threads that fail in the
 * middle: if the caller's thread pool throws, or TBB has no memory or no thread for its tasks, the outputs of that execution are
 * undefined. Every function that takes a pointer gives
 * tombola_invalid_arguments for NULL, unless it says that NULL is allowed. Each function lists its other statuses.
 *
 * **Exceptions.** No exception leaves a function, and no function aborts the process. If there is no memory left, the
 * status is tombola_out_of_memory. (The run-time library that provides the threads may end the process if it cannot
 * start a thread.) A thread must not be cancelled by pthread_cancel() inside a function: that would end the process.
 *
 * **Floating point.** Creating primitive descriptors and primitives, and executing them, runs under the default
 * floating-point environment (round to nearest even, no flushing, all exceptions masked). Afterwards the caller's
 * environment is restored, flags included.
 *
 * **Threads.** Functions on different objects may run at the same time, and so may any number of functions that only
 * read one object. tombola_primitive_execute() only reads its primitive, its stream and its memory objects' handles. A
 * function that changes or destroys an object (tombola_memory_set_data_handle(),
 * tombola_primitive_attr_set_scratchpad_mode(), tombola_primitive_desc_next_impl(), tombola_stream_set_max_threads(),
 * _destroy) may not run at the same time as another function on the same object. Functions without an object may be
 * called from any thread at any time. No thread may write to a tensor while an execution reads or writes it: then the outputs
 * are undefined.
 *
 * **Signal handlers.** Any number of threads may be inside tombola_primitive_execute() of one primitive, but a signal
 * handler may not call it in scratchpad mode library: the executions of a thread share one scratchpad, so the handler
 * would overwrite the scratchpad of the execution that it interrupts. In scratchpad mode user, a handler with a
 * scratchpad of its own overwrites nothing. Run-time libraries cannot be entered again where a signal interrupts them,
 * so the handler also needs a stream whose tombola_stream_set_max_threads() is 1. If the library was opened by dlopen(), as in a Python
 * process, the first call of each thread allocates the thread's variables of the library. So let a thread make a call, such as
 * tombola_get_last_error(), before a handler may execute on it. The execution in the handler must succeed, and verbose mode must be off, because
 * messages allocate memory.
 *
 * **Stack.** A function needs at most 128 KiB of the stack of its thread, or of the signal handler (sigaltstack()). The threads that the
 * run-time library provides for an execution need the same: OMP_STACKSIZE.
 *
 * **Tensors.** Sizes, strides and offsets are counted in elements. Each primitive's group says which data types,
 * shapes, layouts and values it takes, and which execution arguments may share memory. */

/** @defgroup tombola_errors Errors
 * @ingroup tombola_c
 * @{ */

/** The message of this thread's last failed call: the argument, its value, and what was expected.
 *
 * @return Text that stays valid until the next failing call on this thread; "" if none has failed. */
TOMBOLA_API const char* tombola_get_last_error(void);

/** @} */

/** @defgroup tombola_engine Engine and stream
 * @ingroup tombola_c
 * @{ */

/** Counts the engines of a kind.
 *
 * @param kind The kind.
 * @return 1 for tombola_cpu, 0 otherwise. */
TOMBOLA_API size_t tombola_engine_get_count(tombola_engine_kind_t kind);

/** Creates an engine. All engines stand for the same CPU: objects that were made with one may be used together with those
 * of another.
 *
 * @param engine Output: the engine.
 * @param kind tombola_cpu.
 * @param index 0.
 * @return tombola_success; tombola_invalid_arguments for another kind or index;
 * tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_engine_create(tombola_engine_t* engine,
                                                   tombola_engine_kind_t kind, size_t index);

/** Tells the kind of an engine.
 *
 * @param engine The engine.
 * @param kind Output: tombola_cpu.
 * @return tombola_success; tombola_invalid_arguments. */
TOMBOLA_API tombola_status_t tombola_engine_get_kind(const_tombola_engine_t engine,
                                                     tombola_engine_kind_t* kind);

/** Destroys an engine.
 *
 * @param engine The engine, or NULL.
 * @return tombola_success. */
TOMBOLA_API tombola_status_t tombola_engine_destroy(tombola_engine_t engine);

/** Creates a stream.
 *
 * @param stream Output: the stream.
 * @param engine The engine it belongs to.
 * @param flags A combination of tombola_stream_flags_t; they have no effect.
 * @return tombola_success; tombola_invalid_arguments for an unknown flag; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_stream_create(tombola_stream_t* stream,
                                                   tombola_engine_t engine, unsigned flags);

/** Tells the engine of a stream.
 *
 * @param stream The stream.
 * @param engine Output: the engine, owned by the caller that created it.
 * @return tombola_success; tombola_invalid_arguments. */
TOMBOLA_API tombola_status_t tombola_stream_get_engine(const_tombola_stream_t stream,
                                                       tombola_engine_t* engine);

/** Limits the threads of a stream's executions, the calling thread included. An execution uses fewer when the
 * run-time offers fewer or when its work is too small to share. Results do not depend on the limit.
 *
 * Not thread-safe: no execution on this stream may run at the same time.
 *
 * @param stream The stream.
 * @param max_threads The limit: 1 keeps executions on the calling thread; 0 means no limit, as after the creation of
 * the stream.
 * @return tombola_success; tombola_invalid_arguments for a null stream or a negative number. */
TOMBOLA_API tombola_status_t tombola_stream_set_max_threads(tombola_stream_t stream,
                                                            int max_threads);

/** Tells the limit that tombola_stream_set_max_threads() set.
 *
 * @param stream The stream.
 * @param max_threads Output: the limit; 0 means no limit.
 * @return tombola_success; tombola_invalid_arguments. */
TOMBOLA_API tombola_status_t tombola_stream_get_max_threads(const_tombola_stream_t stream,
                                                            int* max_threads);

/** Waits until all executions on the stream have ended. Execution is synchronous, so this returns at once. It exists
 * for compatibility with oneDNN.
 *
 * @param stream The stream.
 * @return tombola_success; tombola_invalid_arguments for a null stream. */
TOMBOLA_API tombola_status_t tombola_stream_wait(const_tombola_stream_t stream);

/** Destroys a stream.
 *
 * @param stream The stream, or NULL.
 * @return tombola_success. */
TOMBOLA_API tombola_status_t tombola_stream_destroy(tombola_stream_t stream);

/** @} */

/** @defgroup tombola_memory Memory
 * @ingroup tombola_c
 * @{ */

/** Creates a memory descriptor from a layout's name.
 *
 * @param memory_desc Output: the descriptor.
 * @param ndims Number of dimensions, 0 to 12. 0 gives an empty descriptor, whatever the other arguments are.
 * @param dims Sizes of the dimensions: ndims numbers, each at least 0.
 * @param data_type Type of an element.
 * @param tag The layout; its number of dimensions must be ndims. tombola_format_tag_any leaves the
 * layout to the primitive.
 * @return tombola_success; tombola_invalid_arguments for another ndims, a negative or run-time
 * dimension, a size of 2^56 bytes or more (a dimension of 0 counts as 1), an unknown type or a tag of
 * another number of dimensions; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_memory_desc_create_with_tag(tombola_memory_desc_t* memory_desc,
                                                                 int ndims,
                                                                 const tombola_dim_t* dims,
                                                                 tombola_data_type_t data_type,
                                                                 tombola_format_tag_t tag);

/** Creates a memory descriptor from strides.
 *
 * @param memory_desc Output: the descriptor.
 * @param ndims Number of dimensions, 0 to 12. 0 gives an empty descriptor, whatever the other arguments are.
 * @param dims Sizes of the dimensions: ndims numbers, each at least 0.
 * @param data_type Type of an element.
 * @param strides Distance in elements of neighbours along each dimension: ndims numbers, at least 0, and less than
 * 2^56 bytes; NULL for row-major. No two elements may share an address: the stride of a dimension of more than one
 * element must pass all elements of the dimensions with smaller strides. A tensor without elements takes any numbers
 * of at least 0.
 * @return As tombola_memory_desc_create_with_tag(); tombola_invalid_arguments also for a negative, too large or
 * run-time stride and for elements that share an address. */
TOMBOLA_API tombola_status_t tombola_memory_desc_create_with_strides(
    tombola_memory_desc_t* memory_desc, int ndims, const tombola_dim_t* dims,
    tombola_data_type_t data_type, const tombola_dim_t* strides);

/** Creates a memory descriptor of any layout that the library has: strides, at most one dimension in blocks, an
 * offset. The element with logical index i lies, in elements from the data handle, at
 *
 *     offset + sum over d of (i[d] / block(d)) * strides[d] + i[block_dim] % block
 *
 * where block(d) is block for block_dim and 1 for the others. The tensor is padded with zeros to whole
 * blocks.
 *
 * @param memory_desc Output: the descriptor.
 * @param ndims Number of dimensions, 0 to 12. 0 gives an empty descriptor, whatever the other arguments are.
 * @param dims Sizes of the dimensions: ndims numbers, each at least 0.
 * @param data_type Type of an element.
 * @param strides Distance in elements of neighbours along each dimension, along block_dim of
 * neighbouring blocks: ndims numbers, at least 0, such that no two elements share an address.
 * @param block_dim The dimension in blocks, 0 to ndims - 1; ignored if block is 1.
 * @param block Elements of a block: a power of two from 2 to 64; 1 for a layout without blocks.
 * @param offset Elements from the data handle to the first, at least 0.
 * @return As tombola_memory_desc_create_with_strides(); tombola_invalid_arguments also for another
 * block or block_dim, a negative offset or an end at 2^56 bytes or beyond. */
TOMBOLA_API tombola_status_t tombola_memory_desc_create_with_block(
    tombola_memory_desc_t* memory_desc, int ndims, const tombola_dim_t* dims,
    tombola_data_type_t data_type, const tombola_dim_t* strides, int block_dim, tombola_dim_t block,
    tombola_dim_t offset);

/** Creates a descriptor of a box inside another tensor.
 *
 * @param memory_desc Output: the descriptor; its data handle is the parent's.
 * @param parent The parent's descriptor.
 * @param dims Sizes of the box, as many as the parent has.
 * @param offsets Logical index of the box's first element: as many numbers. Along a blocked dimension the box must
 * start at a block's border, and end at a block's border or at the parent's end.
 * @return tombola_success; tombola_invalid_arguments for a box that is not inside the parent or a parent without a
 * layout; tombola_unimplemented for a border inside a block; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_memory_desc_create_submemory(
    tombola_memory_desc_t* memory_desc, const_tombola_memory_desc_t parent,
    const tombola_dim_t* dims, const tombola_dim_t* offsets);

/** Creates a descriptor of the same data under other dimensions.
 *
 * @param memory_desc Output: the descriptor.
 * @param in_memory_desc A plain descriptor whose dimensions can be joined or split without a copy.
 * @param ndims New number of dimensions, 0 to 12.
 * @param dims New sizes: ndims numbers, with the same number of elements.
 * @return tombola_success; tombola_invalid_arguments for another number of elements, a blocked
 * layout, or where a copy would be needed; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_memory_desc_reshape(tombola_memory_desc_t* memory_desc,
                                                         const_tombola_memory_desc_t in_memory_desc,
                                                         int ndims, const tombola_dim_t* dims);

/** Creates a descriptor of the same data with its logical dimensions in another order.
 *
 * @param memory_desc Output: the descriptor.
 * @param in_memory_desc The descriptor.
 * @param permutation Dimension d of the input becomes dimension permutation[d] of the output: each
 * of 0 to ndims - 1 once.
 * @return tombola_success; tombola_invalid_arguments if the numbers are no permutation;
 * tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_memory_desc_permute_axes(
    tombola_memory_desc_t* memory_desc, const_tombola_memory_desc_t in_memory_desc,
    const int* permutation);

/** Copies a memory descriptor.
 *
 * @param memory_desc Output: the copy.
 * @param existing The descriptor.
 * @return tombola_success; tombola_invalid_arguments; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_memory_desc_clone(tombola_memory_desc_t* memory_desc,
                                                       const_tombola_memory_desc_t existing);

/** Destroys a memory descriptor.
 *
 * @param memory_desc The descriptor, or NULL.
 * @return tombola_success. */
TOMBOLA_API tombola_status_t tombola_memory_desc_destroy(tombola_memory_desc_t memory_desc);

/** Tells a property of a memory descriptor.
 *
 * @param memory_desc The descriptor.
 * @param what A tombola_query_* from tombola_query_ndims_s32 on.
 * @param result Output of the type stated beside the query's name; pointers stay valid as long as
 * the descriptor.
 * @return tombola_success; tombola_invalid_arguments for an unknown query. */
TOMBOLA_API tombola_status_t tombola_memory_desc_query(const_tombola_memory_desc_t memory_desc,
                                                       tombola_query_t what, void* result);

/** Compares two memory descriptors.
 *
 * @param lhs A descriptor, or NULL.
 * @param rhs A descriptor, or NULL.
 * @return 1 if they describe the same tensor in the same layout at the same offset, otherwise 0. */
TOMBOLA_API int tombola_memory_desc_equal(const_tombola_memory_desc_t lhs,
                                          const_tombola_memory_desc_t rhs);

/** Tells how many bytes a tensor spans, from its data handle to the end of its last element.
 *
 * @param memory_desc The descriptor, or NULL.
 * @return The number of bytes; 0 for an empty tensor or NULL. */
TOMBOLA_API size_t tombola_memory_desc_get_size(const_tombola_memory_desc_t memory_desc);

/** Tells how many bytes an element has.
 *
 * @param data_type The type.
 * @return The number of bytes; 0 if the value is not a type. */
TOMBOLA_API size_t tombola_data_type_size(tombola_data_type_t data_type);

/** Creates a memory object.
 *
 * @param memory Output: the memory object.
 * @param memory_desc What the tensor is; it is copied.
 * @param engine The engine.
 * @param handle TOMBOLA_MEMORY_ALLOCATE: the library allocates the data and frees it. The data is aligned to 64 bytes;
 * its padding is zero, and its elements have any value. TOMBOLA_MEMORY_NONE: no data yet. Otherwise the address of the
 * caller's data: tombola_memory_desc_get_size() bytes, aligned to the element's size, which must outlive the object's
 * use.
 * @return tombola_success; tombola_invalid_arguments for a layout left open (any) or a misaligned
 * address; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_memory_create(tombola_memory_t* memory,
                                                   const_tombola_memory_desc_t memory_desc,
                                                   tombola_engine_t engine, void* handle);

/** Tells the descriptor of a memory object.
 *
 * @param memory The memory object.
 * @param memory_desc Output: its descriptor, owned by the object.
 * @return tombola_success; tombola_invalid_arguments. */
TOMBOLA_API tombola_status_t tombola_memory_get_memory_desc(
    const_tombola_memory_t memory, const_tombola_memory_desc_t* memory_desc);

/** Tells the engine of a memory object.
 *
 * @param memory The memory object.
 * @param engine Output: the engine, owned by the caller that created it.
 * @return tombola_success; tombola_invalid_arguments. */
TOMBOLA_API tombola_status_t tombola_memory_get_engine(const_tombola_memory_t memory,
                                                       tombola_engine_t* engine);

/** Tells the address of the data.
 *
 * @param memory The memory object.
 * @param handle Output: the address, or NULL when there is none.
 * @return tombola_success; tombola_invalid_arguments. */
TOMBOLA_API tombola_status_t tombola_memory_get_data_handle(const_tombola_memory_t memory,
                                                            void** handle);

/** Replaces the address of the data. Data that the library allocated is freed, unless its own
 * address is given.
 *
 * @param memory The memory object.
 * @param handle The new address, aligned to the element's size, or NULL.
 * @return tombola_success; tombola_invalid_arguments for a misaligned address. */
TOMBOLA_API tombola_status_t tombola_memory_set_data_handle(tombola_memory_t memory, void* handle);

/** Destroys a memory object, and its data if the library allocated it.
 *
 * @param memory The memory object, or NULL.
 * @return tombola_success. */
TOMBOLA_API tombola_status_t tombola_memory_destroy(tombola_memory_t memory);

/** @} */

/** @defgroup tombola_attr Attributes
 * @ingroup tombola_c
 * @{ */

/** Creates attributes with their defaults: scratchpad mode library.
 *
 * @param attr Output: the attributes.
 * @return tombola_success; tombola_invalid_arguments; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_primitive_attr_create(tombola_primitive_attr_t* attr);

/** Copies attributes.
 *
 * @param attr Output: the copy.
 * @param existing The attributes.
 * @return tombola_success; tombola_invalid_arguments; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_primitive_attr_clone(tombola_primitive_attr_t* attr,
                                                          const_tombola_primitive_attr_t existing);

/** Destroys attributes.
 *
 * @param attr The attributes, or NULL.
 * @return tombola_success. */
TOMBOLA_API tombola_status_t tombola_primitive_attr_destroy(tombola_primitive_attr_t attr);

/** Tells the scratchpad mode.
 *
 * @param attr The attributes.
 * @param mode Output: the mode.
 * @return tombola_success; tombola_invalid_arguments. */
TOMBOLA_API tombola_status_t tombola_primitive_attr_get_scratchpad_mode(
    const_tombola_primitive_attr_t attr, tombola_scratchpad_mode_t* mode);

/** Sets the scratchpad mode.
 *
 * @param attr The attributes.
 * @param mode library: scratch memory belongs to the thread that executes, which keeps it for its
 * next execution. user: the execution argument TOMBOLA_ARG_SCRATCHPAD is required, with at least the bytes that
 * tombola_query_scratchpad_md tells and without gaps, at an address aligned to 64 bytes.
 * @return tombola_success; tombola_invalid_arguments for an unknown mode. */
TOMBOLA_API tombola_status_t tombola_primitive_attr_set_scratchpad_mode(
    tombola_primitive_attr_t attr, tombola_scratchpad_mode_t mode);

/** @} */

/** @defgroup tombola_primitive Primitives
 * @ingroup tombola_c
 * @{ */

/** The primitives. This is the only list of the primitives; everything else derives from it.
 * X(name, value of the enumeration) */
#define TOMBOLA_PRIMITIVES(X)  \
    X(shuffle, 1)              \
    X(random_generator, 2)     \
    X(random_uniform, 3)       \
    X(multinomial, 4)          \
    X(random_normal, 5)        \
    X(random_exponential, 6)   \
    X(random_bernoulli, 7)     \
    X(random_permutation, 9)   \
    X(dropout, 10)             \
    X(stochastic_rounding, 11) \
    X(token_sampler, 12)

/** The primitives: tombola_shuffle, and so on. */
typedef enum {
    tombola_undefined_primitive = 0 /**< No primitive. */
#define TOMBOLA_ENUMERATOR(name, value) , tombola_##name = value
    TOMBOLA_PRIMITIVES(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
} tombola_primitive_kind_t;

/** Moves a primitive descriptor to the next implementation that serves it. Memory descriptors and attributes that the primitive
 * descriptor gave before are no longer valid; ask for them again.
 *
 * @param primitive_desc The primitive descriptor; it stays as it was on failure.
 * @return tombola_success; tombola_last_impl_reached when there is none; tombola_invalid_arguments;
 * tombola_out_of_memory. */
TOMBOLA_API tombola_status_t
tombola_primitive_desc_next_impl(tombola_primitive_desc_t primitive_desc);

/** Copies a primitive descriptor.
 *
 * @param primitive_desc Output: the copy.
 * @param existing The primitive descriptor.
 * @return tombola_success; tombola_invalid_arguments; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_primitive_desc_clone(tombola_primitive_desc_t* primitive_desc,
                                                          const_tombola_primitive_desc_t existing);

/** Tells the attributes that a primitive descriptor was made with.
 *
 * @param primitive_desc The primitive descriptor.
 * @param attr Output: the attributes, owned by the primitive descriptor, valid until tombola_primitive_desc_next_impl() or _destroy().
 * @return tombola_success; tombola_invalid_arguments. */
TOMBOLA_API tombola_status_t tombola_primitive_desc_get_attr(
    const_tombola_primitive_desc_t primitive_desc, const_tombola_primitive_attr_t* attr);

/** Tells a property of a primitive descriptor.
 *
 * @param primitive_desc The primitive descriptor.
 * @param what A tombola_query_* below tombola_query_src_md.
 * @param index 0.
 * @param result Output of the type stated beside the query's name; text stays valid for ever.
 * @return tombola_success; tombola_not_required when this primitive has no such property;
 *     tombola_invalid_arguments for an unknown query or another index. */
TOMBOLA_API tombola_status_t tombola_primitive_desc_query(
    const_tombola_primitive_desc_t primitive_desc, tombola_query_t what, int index, void* result);

/** Tells a memory descriptor of a primitive descriptor.
 *
 * @param primitive_desc The primitive descriptor.
 * @param what A tombola_query_*_md.
 * @param index For tombola_query_exec_arg_md a TOMBOLA_ARG_*, otherwise 0.
 * @return The descriptor, owned by the primitive descriptor and valid until tombola_primitive_desc_next_impl() or _destroy(); an
 * empty one when the argument or the index is not part of this primitive; NULL for a null primitive_desc or another query. */
TOMBOLA_API const_tombola_memory_desc_t tombola_primitive_desc_query_md(
    const_tombola_primitive_desc_t primitive_desc, tombola_query_t what, int index);

/** Destroys a primitive descriptor.
 *
 * @param primitive_desc The primitive descriptor, or NULL.
 * @return tombola_success. */
TOMBOLA_API tombola_status_t
tombola_primitive_desc_destroy(tombola_primitive_desc_t primitive_desc);

/** Creates a primitive. If the cache has an equal one, its code is reused.
 *
 * @param primitive Output: the primitive.
 * @param primitive_desc The primitive descriptor; it is copied.
 * @return tombola_success; tombola_invalid_arguments; tombola_out_of_memory; tombola_runtime_error
 *     when code could not be generated. While there is no memory for code, or the system denies executable memory, the primitive has a
 *     later implementation of the list, which its own primitive descriptor names. */
TOMBOLA_API tombola_status_t tombola_primitive_create(
    tombola_primitive_t* primitive, const_tombola_primitive_desc_t primitive_desc);

/** Runs a primitive. Any number of threads may run one primitive at the same time. Execution is synchronous: the
 * results are complete when the call returns. It allocates nothing, except scratch memory on a thread that did not
 * create the primitive and, if several threads execute on one stream with a thread pool at the same time, a small
 * object for each of them.
 *
 * @param primitive The primitive.
 * @param stream The stream.
 * @param nargs Number of arguments, 0 to 32.
 * @param args The arguments, in any order: every required one, each at most once, with the
 * descriptors that the primitive descriptor tells. A scratchpad that is not needed is ignored. Outputs share no byte
 * with any other argument, unless the primitive's page says so. Interleaved views of one buffer, where the elements of
 * one lie in the gaps of the other, share no byte. The check for this is limited to 10,000 steps: views that need more, because their
 * strides differ very much, are refused as if they overlapped. If the destination has no elements and no optional output is given, there is nothing to write, and
 * the values of the arguments are not looked at.
 * @return tombola_success; tombola_invalid_arguments when an argument is missing, unknown, given twice, without data,
 * of another descriptor or overlaps another, when a scratchpad is too small, has gaps or is not aligned to 64 bytes, or when a value
 * is refused; tombola_out_of_memory when scratch memory could not be allocated; tombola_runtime_error when the
 * operating system gives no entropy, when the caller's thread pool throws, or when TBB has no thread for its tasks. The outputs are
 * untouched unless the call succeeds, the thread pool throws, or TBB has no memory or no thread for its tasks. */
TOMBOLA_API tombola_status_t tombola_primitive_execute(const_tombola_primitive_t primitive,
                                                       const_tombola_stream_t stream, int nargs,
                                                       const tombola_exec_arg_t* args);

/** Tells the primitive descriptor of a primitive.
 *
 * @param primitive The primitive.
 * @param primitive_desc Output: the descriptor, owned by the primitive.
 * @return tombola_success; tombola_invalid_arguments. */
TOMBOLA_API tombola_status_t tombola_primitive_get_primitive_desc(
    const_tombola_primitive_t primitive, const_tombola_primitive_desc_t* primitive_desc);

/** Destroys a primitive.
 *
 * @param primitive The primitive, or NULL.
 * @return tombola_success. */
TOMBOLA_API tombola_status_t tombola_primitive_destroy(tombola_primitive_t primitive);

/** @} */

/** @defgroup tombola_service Library
 * @ingroup tombola_c
 * @{ */

/** Tells the version of the library that is running.
 *
 * @return The version; valid for ever. */
TOMBOLA_API const tombola_version_t* tombola_version(void);

/** Caps the instruction set of primitive descriptors created from now on; like TOMBOLA_MAX_CPU_ISA.
 * A primitive descriptor that another thread creates at the same time has the cap from before or from after this call.
 *
 * @param isa The cap. A cap above what the machine has changes nothing.
 * @return tombola_success; tombola_invalid_arguments for an unknown value. */
TOMBOLA_API tombola_status_t tombola_set_max_cpu_isa(tombola_cpu_isa_t isa);

/** Tells the instruction set that primitive descriptors are created for now: the machine's, or the
 * cap if that is lower.
 *
 * @return The instruction set. */
TOMBOLA_API tombola_cpu_isa_t tombola_get_effective_cpu_isa(void);

/** Sets how much verbose mode prints; like TOMBOLA_VERBOSE. Calls of other threads that run at the same time print by the
 * level from before or from after this call.
 *
 * @param level 0: nothing, not even warnings. 1: executions and errors. 2: creations and rejections too.
 * @return tombola_success; tombola_invalid_arguments for another level. */
TOMBOLA_API tombola_status_t tombola_set_verbose(int level);

/** Tells how many primitives the cache may hold. It may hold as many primitive descriptors.
 *
 * @param capacity Output: the number.
 * @return tombola_success; tombola_invalid_arguments. */
TOMBOLA_API tombola_status_t tombola_get_primitive_cache_capacity(int* capacity);

/** Sets how many primitives, and how many primitive descriptors, the cache may hold; like
 * TOMBOLA_PRIMITIVE_CACHE_CAPACITY. If it holds more, the least recently used ones are dropped at once. 0 empties the
 * cache and turns it off. Objects that the caller has stay valid.
 *
 * @param capacity The number, at least 0.
 * @return tombola_success; tombola_invalid_arguments for a negative number. */
TOMBOLA_API tombola_status_t tombola_set_primitive_cache_capacity(int capacity);

/** The name of a status, without prefix: "invalid_arguments".
 * @param status The value.
 * @return The name; "unknown" if the value is not a status. */
TOMBOLA_API const char* tombola_status2str(tombola_status_t status);
/** The name of a data type: "f32".
 * @param data_type The value.
 * @return The name; "undef" if the value is not a type. */
TOMBOLA_API const char* tombola_dt2str(tombola_data_type_t data_type);
/** The name of a layout in dimension letters: "abcd".
 * @param tag The value.
 * @return The name; "undef" if the value is not a tag. */
TOMBOLA_API const char* tombola_fmt_tag2str(tombola_format_tag_t tag);
/** The layout of a name: "nchw", "abcd", "aBcd16b", "any".
 * @param name The name of a tag or an alias of it; or NULL.
 * @return The tag; tombola_format_tag_undef if there is no layout of that name. */
TOMBOLA_API tombola_format_tag_t tombola_str2fmt_tag(const char* name);
/** The name of a direction: "forward_training".
 * @param prop_kind The value.
 * @return The name; "undef" if the value is not a direction. */
TOMBOLA_API const char* tombola_prop_kind2str(tombola_prop_kind_t prop_kind);
/** The name of an instruction set: "avx512_core".
 * @param isa The value.
 * @return The name; "unknown" if the value is not an instruction set. */
TOMBOLA_API const char* tombola_cpu_isa2str(tombola_cpu_isa_t isa);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
