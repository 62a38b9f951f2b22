// SPDX-License-Identifier: Apache-2.0

/// @file
/// Memory descriptors and memory objects of the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_MEMORY_HPP
#define TOMBOLA_MEMORY_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "engine.hpp"
#include "handle.hpp"

namespace tombola {

/// @addtogroup tombola_cpp_memory
/// @{

/// A tensor: a descriptor with the address of its data.
struct memory : public handle<tombola_memory_t, tombola_memory_destroy> {
    using handle::handle;

    /// The type of a dimension, a stride or an offset, in elements.
    using dim = tombola_dim_t;
    /// Dimensions, strides or offsets, in elements.
    using dims = std::vector<dim>;

    /// Types of elements: memory::data_type::f32, and so on; see tombola_data_type_t.
    enum class data_type {
        undef = tombola_data_type_undef,  ///< None.
#define TOMBOLA_ENUMERATOR(name, value, bytes) name = tombola_##name,
        TOMBOLA_DATA_TYPES(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
    };

    /// How a descriptor gives its layout.
    enum class format_kind {
        undef = tombola_format_kind_undef,  ///< An empty descriptor.
        any = tombola_format_kind_any,      ///< Left to the primitive.
        blocked = tombola_blocked,          ///< Strides and at most one block.
    };

    /// Layouts by name: memory::format_tag::nchw, and so on; see tombola_format_tag_t.
    enum class format_tag {
        undef = tombola_format_tag_undef,  ///< None.
        any = tombola_format_tag_any,      ///< Left to the primitive.
#define TOMBOLA_ENUMERATOR(name) name = tombola_##name,
        TOMBOLA_FORMAT_TAGS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
#define TOMBOLA_ENUMERATOR(alias, name) alias = tombola_##name,
            TOMBOLA_FORMAT_TAG_ALIASES(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
    };

    /// The description of a tensor: dimensions, data type and layout. A descriptor never changes, so copies share it.
    ///
    /// An **empty descriptor**, desc(), is an object: a descriptor without dimensions. An **empty handle**, desc(nullptr),
    /// refers to no object and is NULL in C. is_zero() is true for both.
    struct desc : public handle<tombola_memory_desc_t, tombola_memory_desc_destroy> {
        using handle::handle;

        /// An empty descriptor: no dimensions, no type.
        desc() {
            create(false, tombola_memory_desc_create_with_tag, 0, nullptr, tombola_data_type_undef,
                   tombola_format_tag_undef);
        }
        /// A layout by its name.
        /// @param adims Sizes of the dimensions: 0 to 12 numbers, each at least 0.
        /// @param adata_type Type of an element.
        /// @param aformat_tag The layout, of as many dimensions; any leaves it to the primitive.
        /// @param allow_empty Whether a failure gives an empty handle instead of an exception.
        /// @throws error invalid_arguments for a negative or run-time size, 2^56 bytes or more, an
        ///     unknown type or a tag of another number of dimensions; out_of_memory.
        desc(const memory::dims& adims, memory::data_type adata_type, format_tag aformat_tag,
             bool allow_empty = false) {
            create(allow_empty, tombola_memory_desc_create_with_tag, static_cast<int>(adims.size()),
                   adims.data(), static_cast<tombola_data_type_t>(adata_type),
                   static_cast<tombola_format_tag_t>(aformat_tag));
        }
        /// A layout by its strides.
        /// @param adims Sizes of the dimensions: 0 to 12 numbers, each at least 0.
        /// @param adata_type Type of an element.
        /// @param strides Distance in elements of neighbours along each dimension, at least 0, such
        ///     that no two elements share an address; empty: row-major.
        /// @param allow_empty Whether a failure gives an empty handle instead of an exception.
        /// @throws error invalid_arguments for a negative or run-time size, 2^56 bytes or more, an unknown type,
        ///     another number of strides, a negative or run-time stride, or elements that share an address; out_of_memory.
        desc(const memory::dims& adims, memory::data_type adata_type, const memory::dims& strides,
             bool allow_empty = false) {
            if (!strides.empty() && !count_is(strides.size(), adims.size(), "strides", allow_empty))
                return;
            create(allow_empty, tombola_memory_desc_create_with_strides,
                   static_cast<int>(adims.size()), adims.data(),
                   static_cast<tombola_data_type_t>(adata_type),
                   strides.empty() ? nullptr : strides.data());
        }

        /// The most general layout: strides, one dimension in blocks, and an offset. The formula is at
        /// tombola_memory_desc_create_with_block().
        /// @param adims Sizes of the dimensions: 0 to 12 numbers, each at least 0.
        /// @param adata_type Type of an element.
        /// @param strides Distance in elements of neighbours along each dimension, along block_dim of
        ///     neighbouring blocks; at least 0, such that no two elements share an address.
        /// @param block_dim The dimension in blocks, 0 to n - 1; it is ignored if block is 1.
        /// @param block Elements of a block: a power of two up to 64; 1: no blocks.
        /// @param offset Elements from the data handle to the first, at least 0.
        /// @param allow_empty Whether a failure gives an empty handle instead of an exception.
        /// @return The descriptor.
        /// @throws error invalid_arguments for an argument outside these ranges; out_of_memory.
        static desc with_block(const memory::dims& adims, memory::data_type adata_type,
                               const memory::dims& strides, int block_dim, memory::dim block,
                               memory::dim offset = 0, bool allow_empty = false) {
            desc made(nullptr);
            if (count_is(strides.size(), adims.size(), "strides", allow_empty))
                made.create(allow_empty, tombola_memory_desc_create_with_block,
                            static_cast<int>(adims.size()), adims.data(),
                            static_cast<tombola_data_type_t>(adata_type), strides.data(), block_dim,
                            block, offset);
            return made;
        }

        /// A box inside this tensor, over the same data handle.
        /// @param adims Sizes of the box, as many as this tensor has.
        /// @param offsets Logical index of its first element, as many. Along a blocked dimension the box
        ///     must start at a block's border, and end at one or at this tensor's end.
        /// @param allow_empty Whether a failure gives an empty handle instead of an exception.
        /// @return The box's descriptor, with a submemory offset.
        /// @throws error invalid_arguments for a box that is not inside; unimplemented for a border
        ///     inside a block; out_of_memory.
        desc submemory_desc(const memory::dims& adims, const memory::dims& offsets,
                            bool allow_empty = false) const {
            const auto n = static_cast<size_t>(get_ndims());
            desc made(nullptr);
            if (count_is(adims.size(), n, "dims", allow_empty) &&
                count_is(offsets.size(), n, "offsets", allow_empty))
                made.create(allow_empty, tombola_memory_desc_create_submemory, get(), adims.data(),
                            offsets.data());
            return made;
        }
        /// The same data under other dimensions. This tensor must be plain, without blocks.
        /// @param adims The new sizes, of the same number of elements.
        /// @param allow_empty Whether a failure gives an empty handle instead of an exception.
        /// @return The new descriptor.
        /// @throws error invalid_arguments for another number of elements, a blocked tensor, or where a
        ///     copy would be needed; out_of_memory.
        desc reshape(const memory::dims& adims, bool allow_empty = false) const {
            desc made(nullptr);
            made.create(allow_empty, tombola_memory_desc_reshape, get(),
                        static_cast<int>(adims.size()), adims.data());
            return made;
        }
        /// The same data with its logical dimensions in another order.
        /// @param permutation Dimension d becomes dimension permutation[d]; each number once.
        /// @param allow_empty Whether a failure gives an empty handle instead of an exception.
        /// @return The new descriptor.
        /// @throws error invalid_arguments if the numbers are no permutation; out_of_memory.
        desc permute_axes(const std::vector<int>& permutation, bool allow_empty = false) const {
            desc made(nullptr);
            if (count_is(permutation.size(), static_cast<size_t>(get_ndims()), "permutation",
                         allow_empty))
                made.create(allow_empty, tombola_memory_desc_permute_axes, get(),
                            permutation.data());
            return made;
        }

        /// Number of dimensions.
        /// @return 0 to 12.
        int get_ndims() const { return query<int>(tombola_query_ndims_s32); }
        /// Sizes of the dimensions.
        /// @return The sizes, in elements.
        memory::dims get_dims() const { return query_dims(tombola_query_dims, get_ndims()); }
        /// Sizes of the dimensions with padding. The size of a blocked dimension is a multiple of its block.
        /// @return The sizes, in elements.
        memory::dims get_padded_dims() const {
            return query_dims(tombola_query_padded_dims, get_ndims());
        }
        /// Offsets of the data inside the padding.
        /// @return As many zeros as there are dimensions.
        memory::dims get_padded_offsets() const {
            return memory::dims(static_cast<size_t>(get_ndims()), 0);
        }
        /// Strides. The stride of a blocked dimension is the distance between its blocks.
        /// @return The strides, in elements.
        memory::dims get_strides() const { return query_dims(tombola_query_strides, get_ndims()); }
        /// Distance from the data handle to the first element.
        /// @return The distance, in elements.
        memory::dim get_submemory_offset() const {
            return query<memory::dim>(tombola_query_submemory_offset_s64);
        }
        /// Type of an element.
        /// @return The type; undef for an empty descriptor.
        memory::data_type get_data_type() const {
            return static_cast<memory::data_type>(
                query<tombola_data_type_t>(tombola_query_data_type));
        }
        /// How the layout is given.
        /// @return The kind; undef for an empty descriptor.
        memory::format_kind get_format_kind() const {
            return static_cast<memory::format_kind>(
                query<tombola_format_kind_t>(tombola_query_format_kind));
        }
        /// Number of blocked dimensions.
        /// @return 0 or 1.
        int get_inner_nblks() const { return query<int>(tombola_query_inner_nblks_s32); }
        /// Sizes of the blocks.
        /// @return get_inner_nblks() numbers, in elements.
        memory::dims get_inner_blks() const {
            return query_dims(tombola_query_inner_blks, get_inner_nblks());
        }
        /// The blocked dimensions.
        /// @return get_inner_nblks() indices of dimensions.
        memory::dims get_inner_idxs() const {
            return query_dims(tombola_query_inner_idxs, get_inner_nblks());
        }
        /// Sizes of the dimensions, as oneDNN 2 spells it.
        /// @return get_dims().
        memory::dims dims() const { return get_dims(); }
        /// Type of an element, as oneDNN 2 spells it.
        /// @return get_data_type().
        memory::data_type data_type() const { return get_data_type(); }
        /// Distance from the data handle to the end of the last element, padding included.
        /// @return The number of bytes; 0 for an empty descriptor or handle.
        size_t get_size() const { return tombola_memory_desc_get_size(get(true)); }
        /// Size of one of the buffers, as oneDNN spells it: every tensor has one, with index 0.
        /// @param index The buffer.
        /// @return get_size() for index 0, otherwise 0.
        size_t get_size(int index) const { return index == 0 ? get_size() : 0; }
        /// Whether it describes no tensor.
        /// @return true for an empty descriptor or handle.
        bool is_zero() const { return get(true) == nullptr || get_ndims() == 0; }
        /// Whether it describes a tensor.
        /// @return The opposite of is_zero().
        explicit operator bool() const { return !is_zero(); }
        /// Whether both describe the same tensor in the same layout at the same offset.
        /// @param other Another descriptor.
        /// @return true if they do, or if both are empty handles.
        bool operator==(const desc& other) const {
            return tombola_memory_desc_equal(get(true), other.get(true)) != 0;
        }
        /// Whether they differ.
        /// @param other Another descriptor.
        /// @return The opposite of ==.
        bool operator!=(const desc& other) const { return !(*this == other); }

        /// A copy of a descriptor that the C API owns.
        /// @param owned The descriptor.
        /// @return The copy.
        /// @throws error invalid_arguments for NULL; out_of_memory.
        static desc copy_of(const_tombola_memory_desc_t owned) {
            desc made(nullptr);
            made.create(false, tombola_memory_desc_clone, owned);
            return made;
        }

      private:
        // Takes over the descriptor that a C function makes of the arguments. On failure it throws or becomes empty.
        template <class Function, class... Args>
        void create(bool allow_empty, Function function, Args... args) {
            tombola_memory_desc_t result = nullptr;
            const tombola_status_t status = function(&result, args...);
            if (!allow_empty) error::check(status);
            reset(status == tombola_success ? result : nullptr);
        }
        static bool count_is(size_t count, size_t expected, const char* name, bool allow_empty) {
            if (count != expected && !allow_empty)
                error::raise(tombola_invalid_arguments,
                             std::string("memory::desc: ") + name + " has " +
                                 std::to_string(count) +
                                 (count == 1 ? " element; expected " : " elements; expected ") +
                                 std::to_string(expected));
            return count == expected;
        }
        template <class T>
        T query(tombola_query_t what) const {
            T result{};
            error::check(tombola_memory_desc_query(get(), what, &result));
            return result;
        }
        memory::dims query_dims(tombola_query_t what, int count) const {
            const tombola_dims_t* result = nullptr;
            error::check(tombola_memory_desc_query(get(), what, &result));
            return memory::dims(*result, *result + count);
        }
    };

    /// An empty handle.
    memory() = default;
    /// A tensor over the caller's data or over data that the library allocates.
    /// @param md The description of the tensor; its layout is not any.
    /// @param aengine The engine; it must outlive the memory object.
    /// @param data Address of the caller's data, get_size() bytes, aligned to an element's size, which must
    ///     outlive the object's use; TOMBOLA_MEMORY_ALLOCATE: the library allocates and frees;
    ///     TOMBOLA_MEMORY_NONE: none yet.
    /// @throws error invalid_arguments for an md or an engine that is an empty handle, the layout any or a misaligned
    ///     address; out_of_memory. An empty descriptor is accepted: the tensor has no bytes, as a scratchpad that is not
    ///     needed.
    memory(const desc& md, const engine& aengine, void* data) {
        tombola_memory_t result = nullptr;
        error::check(tombola_memory_create(&result, md.get(), aengine.get(), data));
        reset(result);
    }
    /// A tensor whose data the library allocates and frees. The data is aligned to 64 bytes. Its padding is zero, and
    /// its elements have any value.
    /// @param md The description of the tensor; its layout is not any.
    /// @param aengine The engine; it must outlive the memory object.
    /// @throws error invalid_arguments for an md or an engine that is an empty handle, or the layout any; out_of_memory. An
    ///     empty descriptor is accepted: the tensor has no bytes, as a scratchpad that is not needed.
    memory(const desc& md, const engine& aengine) : memory(md, aengine, TOMBOLA_MEMORY_ALLOCATE) {}

    /// The descriptor.
    /// @return A copy.
    desc get_desc() const {
        const_tombola_memory_desc_t result = nullptr;
        error::check(tombola_memory_get_memory_desc(get(), &result));
        return desc::copy_of(result);
    }
    /// The engine.
    /// @return A handle that does not keep the engine alive.
    engine get_engine() const {
        tombola_engine_t result = nullptr;
        error::check(tombola_memory_get_engine(get(), &result));
        return engine(result, true);
    }
    /// Address of the data.
    /// @return The address; null if there is none.
    void* get_data_handle() const {
        void* result = nullptr;
        error::check(tombola_memory_get_data_handle(get(), &result));
        return result;
    }
    /// Replaces the address of the data, for all copies of this handle. Data that the library allocated is
    /// freed, unless its own address is given. No other thread may use the object meanwhile. (The function is const as
    /// in oneDNN: the handle does not change, but the object that it refers to does.)
    /// @param data The new address, aligned to an element's size, or null.
    /// @throws error invalid_arguments for a misaligned address.
    void set_data_handle(void* data) const {
        error::check(tombola_memory_set_data_handle(get(), data));
    }
    /// The same, as oneDNN spells it.
    /// @param data The new address, aligned to an element's size, or null.
    /// @param astream Any stream; it is not used.
    /// @throws error invalid_arguments for a misaligned address.
    void set_data_handle(void* data, [[maybe_unused]] const stream& astream) const {
        set_data_handle(data);
    }
    /// Address of the data. On a CPU nothing has to be mapped.
    /// @tparam T What it points to.
    /// @return The address; null if there is none.
    template <class T = void>
    T* map_data() const {
        return static_cast<T*>(get_data_handle());
    }
    /// The same for one of the buffers, as oneDNN spells it: every tensor has one, with index 0.
    /// @tparam T What it points to.
    /// @param index 0.
    /// @return map_data().
    /// @throws error invalid_arguments for another index.
    template <class T = void>
    T* map_data(int index) const {
        check_buffer_index(index);
        return map_data<T>();
    }
    /// The same as get_data_handle(), as oneDNN spells it.
    /// @param index 0.
    /// @return get_data_handle().
    /// @throws error invalid_arguments for another index.
    void* get_data_handle(int index) const {
        check_buffer_index(index);
        return get_data_handle();
    }
    /// The same as set_data_handle(), as oneDNN spells it.
    /// @param data The new address, aligned to an element's size, or null.
    /// @param index 0.
    /// @throws error invalid_arguments for another index or a misaligned address.
    void set_data_handle(void* data, int index) const {
        check_buffer_index(index);
        set_data_handle(data);
    }
    /// Does nothing, because map_data() maps nothing.
    /// @param mapped What map_data() returned; it is not used.
    void unmap_data([[maybe_unused]] void* mapped) const {}
    /// The same, as oneDNN spells it.
    /// @param mapped What map_data() returned; it is not used.
    /// @param index 0.
    /// @throws error invalid_arguments for another index.
    void unmap_data(void* mapped, int index) const {
        check_buffer_index(index);
        unmap_data(mapped);
    }
    /// Size of an element.
    /// @param adata_type The type.
    /// @return The number of bytes; 0 if the value is not a type.
    static size_t data_type_size(data_type adata_type) {
        return tombola_data_type_size(static_cast<tombola_data_type_t>(adata_type));
    }
    /// Checks a number of dimensions, strides or offsets.
    /// @tparam T What they are.
    /// @param v The dimensions, strides or offsets.
    /// @param min_size The smallest number of them that is allowed.
    /// @throws error invalid_arguments for fewer than min_size or more than TOMBOLA_MAX_NDIMS.
    template <class T>
    static void validate_dims(const std::vector<T>& v, int min_size = 0) {
        if (v.size() < static_cast<size_t>(min_size) || v.size() > TOMBOLA_MAX_NDIMS)
            error::raise(tombola_invalid_arguments,
                         "memory: dims has " + std::to_string(v.size()) +
                             (v.size() == 1 ? " element; expected " : " elements; expected ") +
                             std::to_string(min_size) + " to " + std::to_string(TOMBOLA_MAX_NDIMS));
    }
    /// The C API's value of a data type.
    /// @param adata_type The type.
    /// @return The value.
    static tombola_data_type_t convert_to_c(data_type adata_type) {
        return static_cast<tombola_data_type_t>(adata_type);
    }
    /// The C API's value of a format tag.
    /// @param aformat_tag The tag.
    /// @return The value.
    static tombola_format_tag_t convert_to_c(format_tag aformat_tag) {
        return static_cast<tombola_format_tag_t>(aformat_tag);
    }

  private:
    static void check_buffer_index(int index) {
        if (index != 0)
            error::raise(tombola_invalid_arguments,
                         "memory: index is " + std::to_string(index) + "; expected 0");
    }
};

/// @}

}  // namespace tombola

#endif
