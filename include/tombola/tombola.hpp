// SPDX-License-Identifier: Apache-2.0

/// @file
/// The C++ API of tombola: RAII over the C API, in the shape of dnnl.hpp. Header-only.
///
/// Objects are handles that share what they refer to: copying one is cheap. Whatever fails throws
/// tombola::error, whose what() names the argument, its value and what was expected; constructors
/// of descriptors that take `allow_empty` make an empty object instead when it is true.

#ifndef TOMBOLA_HPP
#define TOMBOLA_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tombola.h"

/// The C++ API.
namespace tombola {

/// @defgroup tombola_cpp C++ API
/// @{

/// What every failing call throws.
struct error : public std::exception {
    tombola_status_t status;  ///< The status of the C function.
    std::string message;      ///< What was wrong.

    /// @param astatus The status.
    /// @param amessage The message.
    error(tombola_status_t astatus, std::string amessage)
        : status(astatus), message(std::move(amessage)) {}
    /// The message.
    const char* what() const noexcept override { return message.c_str(); }

    /// Throws the thread's last error unless the status is success.
    /// @param status The status of the C function that was called last.
    static void check(tombola_status_t status) {
        if (status != tombola_success) throw error(status, tombola_get_last_error());
    }
    /// The same with words in front of the message, as oneDNN spells it.
    /// @param status The status of the C function that was called last.
    /// @param message What could not be done.
    static void wrap_c_api(tombola_status_t status, const char* message) {
        if (status != tombola_success)
            throw error(status, std::string(message) + ": " + tombola_get_last_error());
    }
};

/// A shared handle of the C API: copies refer to the same object, the last one destroys it.
template <class T, tombola_status_t (*destroy)(T)>
class handle {
  public:
    /// An empty handle.
    handle() = default;
    /// @param object The C handle.
    /// @param weak Whether somebody else destroys it.
    explicit handle(T object, bool weak = false) { reset(object, weak); }

    /// Refers to another object.
    /// @param object The C handle.
    /// @param weak Whether somebody else destroys it.
    void reset(T object, bool weak = false) {
        if (weak)
            data_.reset(object, [](T) { return tombola_success; });
        else
            data_.reset(object, destroy);
    }

    /// The C handle.
    /// @param allow_empty Whether an empty handle gives NULL; otherwise it throws.
    T get(bool allow_empty = false) const {
        if (!allow_empty && data_ == nullptr)
            throw error(tombola_invalid_arguments, "the object is empty");
        return data_.get();
    }
    /// The C handle.
    explicit operator T() const { return get(true); }
    /// Whether it refers to an object.
    explicit operator bool() const { return data_ != nullptr; }
    /// Whether both refer to the same object.
    bool operator==(const handle& other) const { return data_ == other.data_; }
    /// Whether they refer to different objects.
    bool operator!=(const handle& other) const { return data_ != other.data_; }

  private:
    std::shared_ptr<std::remove_pointer_t<T>> data_;
};

/// The direction of a primitive.
enum class prop_kind {
    undef = tombola_prop_kind_undef,                ///< None.
    forward_training = tombola_forward_training,    ///< Forward.
    forward_inference = tombola_forward_inference,  ///< Forward.
    forward = tombola_forward,                      ///< Forward.
    backward = tombola_backward,                    ///< Backward.
    backward_data = tombola_backward_data,          ///< Backward.
};

/// Who provides the scratchpad.
enum class scratchpad_mode {
    library = tombola_scratchpad_mode_library,  ///< The library.
    user = tombola_scratchpad_mode_user,        ///< The caller.
};

/// The generator of a random_generator.
enum class generator_kind {
    philox4x32_10 = tombola_philox4x32_10,  ///< Philox 4x32 with ten rounds.
};

/// Whose numbers a random_uniform gives.
enum class alignment {
    tensorflow = tombola_alignment_tensorflow,  ///< TensorFlow's: Philox.
    pytorch = tombola_alignment_pytorch,        ///< PyTorch's: MT19937.
};

/// How many words an integer of the pytorch alignment takes; see tombola_int_draws_t.
enum class int_draws {
    spec = tombola_int_draws_spec,      ///< As the specification says.
    torch1 = tombola_int_draws_torch1,  ///< As PyTorch 1.x.
    torch2 = tombola_int_draws_torch2,  ///< As current PyTorch.
};

/// Statuses, by the names of oneDNN.
enum class status {
    success = tombola_success,                      ///< Done.
    out_of_memory = tombola_out_of_memory,          ///< Memory could not be allocated.
    invalid_arguments = tombola_invalid_arguments,  ///< An argument is wrong.
    unimplemented = tombola_unimplemented,          ///< Nothing serves this.
    last_impl_reached = tombola_last_impl_reached,  ///< No further implementation.
    runtime_error = tombola_runtime_error,          ///< The system failed.
    not_required = tombola_not_required,            ///< No such property.
};

/// What query_s64() and query_md() can be asked; see tombola_query_t.
enum class query {
    undef = tombola_query_undef,                                    ///< Nothing.
    memory_consumption_s64 = tombola_query_memory_consumption_s64,  ///< Bytes of scratchpad.
    group_size_s64 = tombola_query_group_size_s64,                  ///< Group size of a shuffle.
    src_md = tombola_query_src_md,                                  ///< SRC.
    diff_src_md = tombola_query_diff_src_md,                        ///< DIFF_SRC.
    dst_md = tombola_query_dst_md,                                  ///< DST.
    diff_dst_md = tombola_query_diff_dst_md,                        ///< DIFF_DST.
    scratchpad_md = tombola_query_scratchpad_md,                    ///< SCRATCHPAD.
    exec_arg_md = tombola_query_exec_arg_md,  ///< The argument given as index.
};

/// The CPU.
struct engine : public handle<tombola_engine_t, tombola_engine_destroy> {
    using handle::handle;

    /// Kinds of devices.
    enum class kind {
        any = tombola_any_engine,  ///< Not a device.
        cpu = tombola_cpu,         ///< The CPU.
        gpu = tombola_gpu,         ///< There are none.
    };

    /// An empty handle.
    engine() = default;
    /// @param akind kind::cpu.
    /// @param index 0.
    engine(kind akind, size_t index) {
        tombola_engine_t result;
        error::check(
            tombola_engine_create(&result, static_cast<tombola_engine_kind_t>(akind), index));
        reset(result);
    }
    /// The number of engines of a kind.
    static size_t get_count(kind akind) {
        return tombola_engine_get_count(static_cast<tombola_engine_kind_t>(akind));
    }
    /// The kind.
    kind get_kind() const {
        tombola_engine_kind_t result;
        error::check(tombola_engine_get_kind(get(), &result));
        return static_cast<kind>(result);
    }
};

/// An execution queue.
struct stream : public handle<tombola_stream_t, tombola_stream_destroy> {
    using handle::handle;

    /// How it runs what it is given.
    enum class flags : unsigned {
        in_order = tombola_stream_in_order,            ///< One after another.
        out_of_order = tombola_stream_out_of_order,    ///< The same.
        default_flags = tombola_stream_default_flags,  ///< In order.
    };

    /// An empty handle.
    stream() = default;
    /// @param aengine The engine.
    /// @param aflags Flags.
    explicit stream(const engine& aengine, flags aflags = flags::default_flags) {
        tombola_stream_t result;
        error::check(tombola_stream_create(&result, aengine.get(), static_cast<unsigned>(aflags)));
        reset(result);
    }
    /// The engine.
    engine get_engine() const {
        tombola_engine_t result;
        error::check(tombola_stream_get_engine(get(), &result));
        return engine(result, true);
    }
    /// Waits until everything has ended: it always has.
    stream& wait() {
        error::check(tombola_stream_wait(get()));
        return *this;
    }
};

/// Flags that either has.
/// @param lhs Flags.
/// @param rhs Flags.
/// @return The flags.
inline stream::flags operator|(stream::flags lhs, stream::flags rhs) {
    return static_cast<stream::flags>(static_cast<unsigned>(lhs) | static_cast<unsigned>(rhs));
}
/// Flags that both have.
/// @param lhs Flags.
/// @param rhs Flags.
/// @return The flags.
inline stream::flags operator&(stream::flags lhs, stream::flags rhs) {
    return static_cast<stream::flags>(static_cast<unsigned>(lhs) & static_cast<unsigned>(rhs));
}

/// Attributes of a primitive.
struct primitive_attr : public handle<tombola_primitive_attr_t, tombola_primitive_attr_destroy> {
    using handle::handle;

    /// The defaults.
    primitive_attr() {
        tombola_primitive_attr_t result;
        error::check(tombola_primitive_attr_create(&result));
        reset(result);
    }
    /// The scratchpad mode.
    scratchpad_mode get_scratchpad_mode() const {
        tombola_scratchpad_mode_t result;
        error::check(tombola_primitive_attr_get_scratchpad_mode(get(), &result));
        return static_cast<scratchpad_mode>(result);
    }
    /// @param mode The scratchpad mode.
    void set_scratchpad_mode(scratchpad_mode mode) {
        error::check(tombola_primitive_attr_set_scratchpad_mode(
            get(), static_cast<tombola_scratchpad_mode_t>(mode)));
    }
};

/// A tensor.
struct memory : public handle<tombola_memory_t, tombola_memory_destroy> {
    using handle::handle;

    /// The type of a dimension.
    using dim = tombola_dim_t;
    /// Dimensions, strides or offsets.
    using dims = std::vector<dim>;

    /// Types of elements.
    enum class data_type {
        undef = tombola_data_type_undef,  ///< None.
        f16 = tombola_f16,                ///< IEEE 754 binary16.
        bf16 = tombola_bf16,              ///< bfloat16.
        f32 = tombola_f32,                ///< IEEE 754 binary32.
        f64 = tombola_f64,                ///< IEEE 754 binary64.
        s8 = tombola_s8,                  ///< 8-bit signed integer.
        u8 = tombola_u8,                  ///< 8-bit unsigned integer.
        s32 = tombola_s32,                ///< 32-bit signed integer.
        u32 = tombola_u32,                ///< 32-bit unsigned integer.
        s64 = tombola_s64,                ///< 64-bit signed integer.
        u64 = tombola_u64,                ///< 64-bit unsigned integer.
    };

    /// How a descriptor gives its layout.
    enum class format_kind {
        undef = tombola_format_kind_undef,  ///< An empty descriptor.
        any = tombola_format_kind_any,      ///< Left to the primitive.
        blocked = tombola_blocked,          ///< Strides and at most one block.
    };

    /// Layouts by name; see tombola_format_tag_t.
    // clang-format off
    enum class format_tag {
        undef = tombola_format_tag_undef, any = tombola_format_tag_any,
        a = tombola_a, ab = tombola_ab, abc = tombola_abc, abcd = tombola_abcd,
        abcde = tombola_abcde, abcdef = tombola_abcdef, abcdefg = tombola_abcdefg,
        abcdefgh = tombola_abcdefgh, abcdefghi = tombola_abcdefghi,
        abcdefghij = tombola_abcdefghij, abcdefghijk = tombola_abcdefghijk,
        abcdefghijkl = tombola_abcdefghijkl, ba = tombola_ba, acb = tombola_acb, bac = tombola_bac,
        bca = tombola_bca, cab = tombola_cab, cba = tombola_cba, abdc = tombola_abdc,
        acbd = tombola_acbd, acdb = tombola_acdb, adbc = tombola_adbc, adcb = tombola_adcb,
        bacd = tombola_bacd, badc = tombola_badc, bcad = tombola_bcad, bcda = tombola_bcda,
        bdac = tombola_bdac, bdca = tombola_bdca, cabd = tombola_cabd, cadb = tombola_cadb,
        cbad = tombola_cbad, cbda = tombola_cbda, cdab = tombola_cdab, cdba = tombola_cdba,
        dabc = tombola_dabc, dacb = tombola_dacb, dbac = tombola_dbac, dbca = tombola_dbca,
        dcab = tombola_dcab, dcba = tombola_dcba, abced = tombola_abced, abdec = tombola_abdec,
        acbde = tombola_acbde, acdeb = tombola_acdeb, adecb = tombola_adecb, bacde = tombola_bacde,
        bcdea = tombola_bcdea, cdeba = tombola_cdeba, decab = tombola_decab,
        abcdfe = tombola_abcdfe, abdfce = tombola_abdfce, abdefc = tombola_abdefc,
        acbdef = tombola_acbdef, adefcb = tombola_adefcb, defcab = tombola_defcab,
        aBc4b = tombola_aBc4b, aBc8b = tombola_aBc8b, aBc16b = tombola_aBc16b,
        aBcd4b = tombola_aBcd4b, aBcd8b = tombola_aBcd8b, aBcd16b = tombola_aBcd16b,
        aBcde4b = tombola_aBcde4b, aBcde8b = tombola_aBcde8b, aBcde16b = tombola_aBcde16b,
        x = tombola_x, nc = tombola_nc, cn = tombola_cn, tn = tombola_tn, nt = tombola_nt,
        ncw = tombola_ncw, nwc = tombola_nwc, nchw = tombola_nchw, nhwc = tombola_nhwc,
        chwn = tombola_chwn, ncdhw = tombola_ncdhw, ndhwc = tombola_ndhwc, oi = tombola_oi,
        io = tombola_io, oiw = tombola_oiw, owi = tombola_owi, wio = tombola_wio,
        iwo = tombola_iwo, oihw = tombola_oihw, hwio = tombola_hwio, ohwi = tombola_ohwi,
        ihwo = tombola_ihwo, iohw = tombola_iohw, oidhw = tombola_oidhw, iodhw = tombola_iodhw,
        dhwio = tombola_dhwio, odhwi = tombola_odhwi, idhwo = tombola_idhwo, goiw = tombola_goiw,
        gowi = tombola_gowi, gwio = tombola_gwio, wigo = tombola_wigo, goihw = tombola_goihw,
        gohwi = tombola_gohwi, ghwio = tombola_ghwio, hwigo = tombola_hwigo, giohw = tombola_giohw,
        goidhw = tombola_goidhw, godhwi = tombola_godhwi, gdhwio = tombola_gdhwio,
        giodhw = tombola_giodhw, dhwigo = tombola_dhwigo, tnc = tombola_tnc, ntc = tombola_ntc,
        ldnc = tombola_ldnc, ldigo = tombola_ldigo, ldgoi = tombola_ldgoi, ldio = tombola_ldio,
        ldoi = tombola_ldoi, ldgo = tombola_ldgo, nCw4c = tombola_nCw4c, nCw8c = tombola_nCw8c,
        nCw16c = tombola_nCw16c, nChw4c = tombola_nChw4c, nChw8c = tombola_nChw8c,
        nChw16c = tombola_nChw16c, nCdhw4c = tombola_nCdhw4c, nCdhw8c = tombola_nCdhw8c,
        nCdhw16c = tombola_nCdhw16c,
    };
    // clang-format on

    /// What a tensor is: dimensions, data type, layout. Descriptors never change: copies share.
    struct desc : public handle<tombola_memory_desc_t, tombola_memory_desc_destroy> {
        using handle::handle;

        /// An empty descriptor.
        desc() {
            tombola_memory_desc_t result;
            error::check(tombola_memory_desc_create_with_tag(
                &result, 0, nullptr, tombola_data_type_undef, tombola_format_tag_undef));
            reset(result);
        }
        /// @param adims Sizes of the dimensions.
        /// @param adata_type Type of an element.
        /// @param aformat_tag The layout.
        /// @param allow_empty Whether a failure gives an empty descriptor instead of an exception.
        desc(const memory::dims& adims, memory::data_type adata_type, format_tag aformat_tag,
             bool allow_empty = false) {
            tombola_memory_desc_t result = nullptr;
            const auto status = tombola_memory_desc_create_with_tag(
                &result, static_cast<int>(adims.size()), adims.data(),
                static_cast<tombola_data_type_t>(adata_type),
                static_cast<tombola_format_tag_t>(aformat_tag));
            accept(result, status, allow_empty);
        }
        /// @param adims Sizes of the dimensions.
        /// @param adata_type Type of an element.
        /// @param strides Distance of neighbours along each dimension; empty: row-major.
        /// @param allow_empty Whether a failure gives an empty descriptor instead of an exception.
        desc(const memory::dims& adims, memory::data_type adata_type, const memory::dims& strides,
             bool allow_empty = false) {
            if (!strides.empty() && strides.size() != adims.size()) {
                if (allow_empty) return;
                throw error(tombola_invalid_arguments,
                            "memory::desc: strides has " + std::to_string(strides.size()) +
                                " elements; expected " + std::to_string(adims.size()) +
                                ", as dims");
            }
            tombola_memory_desc_t result = nullptr;
            const auto status = tombola_memory_desc_create_with_strides(
                &result, static_cast<int>(adims.size()), adims.data(),
                static_cast<tombola_data_type_t>(adata_type),
                strides.empty() ? nullptr : strides.data());
            accept(result, status, allow_empty);
        }

        /// Any layout that there can be; see tombola_memory_desc_create_with_block().
        /// @param adims Sizes of the dimensions.
        /// @param adata_type Type of an element.
        /// @param strides Distance of neighbours along each dimension, along block_dim of blocks.
        /// @param block_dim The dimension in blocks.
        /// @param block Elements of a block: a power of two up to 64; 1: no blocks.
        /// @param offset Elements from the data handle to the first.
        /// @param allow_empty Whether a failure gives an empty descriptor instead of an exception.
        /// @return The descriptor.
        static desc with_block(const memory::dims& adims, memory::data_type adata_type,
                               const memory::dims& strides, int block_dim, memory::dim block,
                               memory::dim offset = 0, bool allow_empty = false) {
            check_count(strides.size(), adims.size(), "strides");
            return derived(allow_empty, [&](tombola_memory_desc_t* result) {
                return tombola_memory_desc_create_with_block(
                    result, static_cast<int>(adims.size()), adims.data(),
                    static_cast<tombola_data_type_t>(adata_type), strides.data(), block_dim, block,
                    offset);
            });
        }

        /// A box inside this tensor.
        /// @param adims Sizes of the box.
        /// @param offsets Index of its first element.
        /// @param allow_empty Whether a failure gives an empty descriptor instead of an exception.
        desc submemory_desc(const memory::dims& adims, const memory::dims& offsets,
                            bool allow_empty = false) const {
            const auto n = static_cast<size_t>(get_ndims());
            check_count(adims.size(), n, "dims");
            check_count(offsets.size(), n, "offsets");
            return derived(allow_empty, [&](tombola_memory_desc_t* result) {
                return tombola_memory_desc_create_submemory(result, get(), adims.data(),
                                                            offsets.data());
            });
        }
        /// The same data under other dimensions.
        /// @param adims The new sizes.
        /// @param allow_empty Whether a failure gives an empty descriptor instead of an exception.
        desc reshape(const memory::dims& adims, bool allow_empty = false) const {
            return derived(allow_empty, [&](tombola_memory_desc_t* result) {
                return tombola_memory_desc_reshape(result, get(), static_cast<int>(adims.size()),
                                                   adims.data());
            });
        }
        /// The same data with its dimensions in another order.
        /// @param permutation Dimension d becomes dimension permutation[d].
        /// @param allow_empty Whether a failure gives an empty descriptor instead of an exception.
        desc permute_axes(const std::vector<int>& permutation, bool allow_empty = false) const {
            check_count(permutation.size(), static_cast<size_t>(get_ndims()), "permutation");
            return derived(allow_empty, [&](tombola_memory_desc_t* result) {
                return tombola_memory_desc_permute_axes(result, get(), permutation.data());
            });
        }

        /// Number of dimensions.
        int get_ndims() const { return query<int>(tombola_query_ndims_s32); }
        /// Sizes of the dimensions.
        memory::dims get_dims() const { return query_dims(tombola_query_dims, get_ndims()); }
        /// Sizes of the dimensions with padding.
        memory::dims get_padded_dims() const {
            return query_dims(tombola_query_padded_dims, get_ndims());
        }
        /// Offsets of the data inside the padding: all 0.
        memory::dims get_padded_offsets() const {
            return memory::dims(static_cast<size_t>(get_ndims()), 0);
        }
        /// Strides.
        memory::dims get_strides() const { return query_dims(tombola_query_strides, get_ndims()); }
        /// Elements from the data handle to the first element.
        memory::dim get_submemory_offset() const {
            return query<memory::dim>(tombola_query_submemory_offset_s64);
        }
        /// Type of an element.
        memory::data_type get_data_type() const {
            return static_cast<memory::data_type>(
                query<tombola_data_type_t>(tombola_query_data_type));
        }
        /// How the layout is given.
        memory::format_kind get_format_kind() const {
            return static_cast<memory::format_kind>(
                query<tombola_format_kind_t>(tombola_query_format_kind));
        }
        /// Number of blocked dimensions.
        int get_inner_nblks() const { return query<int>(tombola_query_inner_nblks_s32); }
        /// Sizes of the blocks.
        memory::dims get_inner_blks() const {
            return query_dims(tombola_query_inner_blks, get_inner_nblks());
        }
        /// The blocked dimensions.
        memory::dims get_inner_idxs() const {
            return query_dims(tombola_query_inner_idxs, get_inner_nblks());
        }
        /// Sizes of the dimensions, as oneDNN 2 spells it.
        memory::dims dims() const { return get_dims(); }
        /// Type of an element, as oneDNN 2 spells it.
        memory::data_type data_type() const { return get_data_type(); }
        /// Bytes from the data handle to behind the last element.
        size_t get_size() const { return tombola_memory_desc_get_size(get(true)); }
        /// Whether it describes no tensor.
        bool is_zero() const { return get(true) == nullptr || get_ndims() == 0; }
        /// Whether it describes a tensor.
        explicit operator bool() const { return !is_zero(); }
        /// Whether both describe the same tensor in the same layout.
        bool operator==(const desc& other) const {
            return tombola_memory_desc_equal(get(true), other.get(true)) != 0;
        }
        /// Whether they differ.
        bool operator!=(const desc& other) const { return !(*this == other); }

        /// A copy of a descriptor that the C API owns.
        /// @param owned The descriptor.
        static desc copy_of(const_tombola_memory_desc_t owned) {
            tombola_memory_desc_t result = nullptr;
            error::check(tombola_memory_desc_clone(&result, owned));
            return desc(result);
        }

      private:
        void accept(tombola_memory_desc_t result, tombola_status_t status, bool allow_empty) {
            if (!allow_empty) error::check(status);
            reset(status == tombola_success ? result : nullptr);
        }
        template <class Create>
        static desc derived(bool allow_empty, const Create& create) {
            tombola_memory_desc_t result = nullptr;
            const auto status = create(&result);
            desc made(nullptr);
            made.accept(result, status, allow_empty);
            return made;
        }
        static void check_count(size_t count, size_t expected, const char* name) {
            if (count != expected)
                throw error(tombola_invalid_arguments,
                            std::string("memory::desc: ") + name + " has " + std::to_string(count) +
                                " elements; expected " + std::to_string(expected));
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
    /// @param md What the tensor is.
    /// @param aengine The engine.
    /// @param data Address of the data; TOMBOLA_MEMORY_ALLOCATE: the library allocates;
    ///     TOMBOLA_MEMORY_NONE: none yet.
    memory(const desc& md, const engine& aengine, void* data) {
        tombola_memory_t result = nullptr;
        error::check(tombola_memory_create(&result, md.get(), aengine.get(), data));
        reset(result);
    }
    /// Memory that the library allocates.
    /// @param md What the tensor is.
    /// @param aengine The engine.
    memory(const desc& md, const engine& aengine) : memory(md, aengine, TOMBOLA_MEMORY_ALLOCATE) {}

    /// The descriptor.
    desc get_desc() const {
        const_tombola_memory_desc_t result = nullptr;
        error::check(tombola_memory_get_memory_desc(get(), &result));
        return desc::copy_of(result);
    }
    /// The engine.
    engine get_engine() const {
        tombola_engine_t result = nullptr;
        error::check(tombola_memory_get_engine(get(), &result));
        return engine(result, true);
    }
    /// Address of the data.
    void* get_data_handle() const {
        void* result = nullptr;
        error::check(tombola_memory_get_data_handle(get(), &result));
        return result;
    }
    /// @param data Address of the data.
    void set_data_handle(void* data) const {
        error::check(tombola_memory_set_data_handle(get(), data));
    }
    /// @param data Address of the data.
    void set_data_handle(void* data, const stream&) const { set_data_handle(data); }
    /// Address of the data: on a CPU nothing has to be mapped.
    template <class T = void>
    T* map_data() const {
        return static_cast<T*>(get_data_handle());
    }
    /// Ends what map_data() began: nothing.
    void unmap_data(void*) const {}
    /// Bytes of an element.
    static size_t data_type_size(data_type adata_type) {
        return tombola_data_type_size(static_cast<tombola_data_type_t>(adata_type));
    }
};

struct primitive_desc_base;

/// An operator that is ready to run; immutable, and any number of threads may run it.
struct primitive : public handle<tombola_primitive_t, tombola_primitive_destroy> {
    using handle::handle;

    /// The operators.
    enum class kind {
        undef = tombola_undefined_primitive,          ///< None.
        shuffle = tombola_shuffle,                    ///< shuffle_forward, shuffle_backward.
        random_generator = tombola_random_generator,  ///< random_generator.
        random_uniform = tombola_random_uniform,      ///< random_uniform.
        multinomial = tombola_multinomial,            ///< multinomial.
    };

    /// An empty handle.
    primitive() = default;
    /// @param c_pd The C primitive descriptor.
    explicit primitive(const_tombola_primitive_desc_t c_pd) {
        tombola_primitive_t result = nullptr;
        error::check(tombola_primitive_create(&result, c_pd));
        reset(result);
    }
    /// @param pd The primitive descriptor.
    inline primitive(const primitive_desc_base& pd);

    /// Runs the primitive.
    /// @param astream The stream.
    /// @param args The arguments, by TOMBOLA_ARG_*.
    void execute(const stream& astream, const std::unordered_map<int, memory>& args) const {
        std::array<tombola_exec_arg_t, kMaxArgs> c_args{};
        if (args.size() > kMaxArgs)
            throw error(tombola_invalid_arguments,
                        "primitive::execute: too many arguments: " + std::to_string(args.size()));
        int count = 0;
        for (const auto& [arg, mem] : args)
            c_args[static_cast<size_t>(count++)] = {arg, mem.get(true)};
        error::check(tombola_primitive_execute(get(), astream.get(), count, c_args.data()));
    }

    /// The C primitive descriptor, which the primitive owns.
    const_tombola_primitive_desc_t get_primitive_desc() const {
        const_tombola_primitive_desc_t result = nullptr;
        error::check(tombola_primitive_get_primitive_desc(get(), &result));
        return result;
    }
    /// The operator.
    kind get_kind() const {
        tombola_primitive_kind_t result;
        error::check(tombola_primitive_desc_query(get_primitive_desc(),
                                                  tombola_query_primitive_kind, 0, &result));
        return static_cast<kind>(result);
    }

  private:
    static constexpr size_t kMaxArgs = 32;
};

/// What all primitive descriptors share.
struct primitive_desc_base
    : public handle<tombola_primitive_desc_t, tombola_primitive_desc_destroy> {
    using handle::handle;

    /// An empty handle.
    primitive_desc_base() = default;

    /// The engine.
    engine get_engine() const {
        return engine(query<tombola_engine_t>(tombola_query_engine), true);
    }
    /// The name of the implementation.
    const char* impl_info_str() const { return query<const char*>(tombola_query_impl_info_str); }
    /// The operator.
    primitive::kind get_kind() const {
        return static_cast<primitive::kind>(
            query<tombola_primitive_kind_t>(tombola_query_primitive_kind));
    }
    /// A property that is a number of 64 bits.
    /// @param what tombola_query_*_s64.
    memory::dim query_s64(tombola_query_t what) const { return query<memory::dim>(what); }
    /// A property that is a number of 64 bits.
    /// @param what query::*_s64.
    memory::dim query_s64(tombola::query what) const {
        return query_s64(static_cast<tombola_query_t>(what));
    }
    /// A memory descriptor; an empty one when there is none.
    /// @param what tombola_query_*_md.
    /// @param index For tombola_query_exec_arg_md the argument, otherwise 0.
    memory::desc query_md(tombola_query_t what, int index = 0) const {
        const auto owned = tombola_primitive_desc_query_md(get(), what, index);
        if (owned == nullptr) throw error(tombola_invalid_arguments, tombola_get_last_error());
        return memory::desc::copy_of(owned);
    }
    /// A memory descriptor; an empty one when there is none.
    /// @param what query::*_md.
    /// @param index For query::exec_arg_md the argument, otherwise 0.
    memory::desc query_md(tombola::query what, int index = 0) const {
        return query_md(static_cast<tombola_query_t>(what), index);
    }
    /// The descriptor of an execution argument.
    /// @param arg TOMBOLA_ARG_*.
    memory::desc exec_arg_desc(int arg) const { return query_md(tombola_query_exec_arg_md, arg); }
    /// The descriptor of SRC.
    memory::desc src_desc(int index = 0) const { return query_md(tombola_query_src_md, index); }
    /// The descriptor of DST.
    memory::desc dst_desc(int index = 0) const { return query_md(tombola_query_dst_md, index); }
    /// The descriptor of DIFF_SRC.
    memory::desc diff_src_desc(int index = 0) const {
        return query_md(tombola_query_diff_src_md, index);
    }
    /// The descriptor of DIFF_DST.
    memory::desc diff_dst_desc(int index = 0) const {
        return query_md(tombola_query_diff_dst_md, index);
    }
    /// The descriptor of SCRATCHPAD: empty unless the scratchpad mode is user and one is needed.
    memory::desc scratchpad_desc() const { return query_md(tombola_query_scratchpad_md); }
    /// The engine of the scratchpad.
    engine scratchpad_engine() const { return get_engine(); }
    /// The attributes.
    primitive_attr get_primitive_attr() const {
        const_tombola_primitive_attr_t owned = nullptr;
        error::check(tombola_primitive_desc_get_attr(get(), &owned));
        tombola_primitive_attr_t copy = nullptr;
        error::check(tombola_primitive_attr_clone(&copy, owned));
        return primitive_attr(copy);
    }

  protected:
    /// A property of a primitive descriptor.
    template <class T>
    T query(tombola_query_t what) const {
        T result{};
        error::check(tombola_primitive_desc_query(get(), what, 0, &result));
        return result;
    }
    /// Takes what a create function made, or throws, or stays empty.
    void accept(tombola_primitive_desc_t result, tombola_status_t status, bool allow_empty) {
        if (!allow_empty) error::check(status);
        if (status == tombola_success) reset(result);
    }
    /// Takes a copy of a C primitive descriptor, after a check that it is of the right operator.
    /// @param c_pd The C primitive descriptor; it stays the caller's.
    /// @param expected The operator.
    /// @param backward Whether the direction must be backward; ignored but for shuffle.
    void accept_copy(const_tombola_primitive_desc_t c_pd, primitive::kind expected,
                     bool backward = false) {
        tombola_primitive_desc_t copy = nullptr;
        error::check(tombola_primitive_desc_clone(&copy, c_pd));
        const handle owner(copy);
        tombola_primitive_kind_t kind{};
        error::check(tombola_primitive_desc_query(c_pd, tombola_query_primitive_kind, 0, &kind));
        bool right = kind == static_cast<tombola_primitive_kind_t>(expected);
        if (right && expected == primitive::kind::shuffle) {
            tombola_prop_kind_t prop_kind{};
            error::check(
                tombola_primitive_desc_query(c_pd, tombola_query_prop_kind, 0, &prop_kind));
            right = backward == (prop_kind == tombola_backward_data);
        }
        if (!right)
            throw error(tombola_invalid_arguments,
                        "primitive_desc: the C primitive descriptor is of another operator or "
                        "direction");
        static_cast<handle&>(*this) = owner;
    }
};

inline primitive::primitive(const primitive_desc_base& pd)
    : primitive(static_cast<const_tombola_primitive_desc_t>(pd.get())) {}

/// A primitive descriptor that can move on to the next implementation.
struct primitive_desc : public primitive_desc_base {
    using primitive_desc_base::primitive_desc_base;

    /// Moves to the next implementation. Copies of this object stay where they are.
    /// @return Whether there was one.
    bool next_impl() {
        tombola_primitive_desc_t copy = nullptr;
        error::check(tombola_primitive_desc_clone(&copy, get()));
        handle moved(copy);
        const auto status = tombola_primitive_desc_next_impl(copy);
        if (status == tombola_last_impl_reached) return false;
        error::check(status);
        static_cast<handle&>(*this) = moved;
        return true;
    }
};

/// Channel shuffle, forward; see @ref tombola_shuffle.
struct shuffle_forward : public primitive {
    /// The arguments of a forward shuffle.
    struct desc {
        prop_kind aprop_kind;    ///< Forward training or inference.
        memory::desc data_desc;  ///< Source and destination.
        int axis;                ///< The axis that is shuffled.
        memory::dim group_size;  ///< Number of columns.

        /// @param aprop_kind Forward training or inference.
        /// @param data_desc Source and destination.
        /// @param axis The axis that is shuffled.
        /// @param group_size Number of columns; divides the size of the axis.
        desc(prop_kind aprop_kind, const memory::desc& data_desc, int axis, memory::dim group_size)
            : aprop_kind(aprop_kind), data_desc(data_desc), axis(axis), group_size(group_size) {}
    };

    /// Primitive descriptor of a forward shuffle.
    struct primitive_desc : public tombola::primitive_desc {
        /// An empty object.
        primitive_desc() = default;
        /// @param c_pd A C primitive descriptor of this operator, which is copied.
        primitive_desc(tombola_primitive_desc_t c_pd) {
            accept_copy(c_pd, primitive::kind::shuffle);
        }
        /// @param adesc The arguments.
        /// @param aengine The engine.
        /// @param attr Attributes.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        primitive_desc(const desc& adesc, const engine& aengine,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : primitive_desc(aengine, adesc.aprop_kind, adesc.data_desc, adesc.data_desc,
                             adesc.axis, adesc.group_size, attr, allow_empty) {}
        /// @param aengine The engine.
        /// @param aprop_kind Forward training or inference.
        /// @param src_desc The source.
        /// @param dst_desc The destination; format_tag::any takes the source's layout.
        /// @param axis The axis that is shuffled.
        /// @param group_size Number of columns; divides the size of the axis.
        /// @param attr Attributes.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        primitive_desc(const engine& aengine, prop_kind aprop_kind, const memory::desc& src_desc,
                       const memory::desc& dst_desc, int axis, memory::dim group_size,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false) {
            tombola_primitive_desc_t result = nullptr;
            const auto status = tombola_shuffle_forward_primitive_desc_create(
                &result, aengine.get(), static_cast<tombola_prop_kind_t>(aprop_kind),
                src_desc.get(true), dst_desc.get(true), axis, group_size, attr.get(true));
            accept(result, status, allow_empty);
        }
        /// Forward training or inference.
        prop_kind get_prop_kind() const {
            return static_cast<prop_kind>(query<tombola_prop_kind_t>(tombola_query_prop_kind));
        }
        /// The axis that is shuffled.
        int get_axis() const { return query<int>(tombola_query_axis_s32); }
        /// Number of columns.
        memory::dim get_group_size() const {
            return query<memory::dim>(tombola_query_group_size_s64);
        }
    };

    /// An empty object.
    shuffle_forward() = default;
    /// @param pd The primitive descriptor.
    shuffle_forward(const primitive_desc& pd) : primitive(pd) {}
};

/// Channel shuffle, backward; see @ref tombola_shuffle.
struct shuffle_backward : public primitive {
    /// The arguments of a backward shuffle.
    struct desc {
        memory::desc diff_data_desc;  ///< Diff source and diff destination.
        int axis;                     ///< The axis that is shuffled.
        memory::dim group_size;       ///< The forward shuffle's group size.

        /// @param diff_data_desc Diff source and diff destination.
        /// @param axis The axis that is shuffled.
        /// @param group_size The forward shuffle's group size.
        desc(const memory::desc& diff_data_desc, int axis, memory::dim group_size)
            : diff_data_desc(diff_data_desc), axis(axis), group_size(group_size) {}
    };

    /// Primitive descriptor of a backward shuffle.
    struct primitive_desc : public tombola::primitive_desc {
        /// An empty object.
        primitive_desc() = default;
        /// @param c_pd A C primitive descriptor of this operator, which is copied.
        primitive_desc(tombola_primitive_desc_t c_pd) {
            accept_copy(c_pd, primitive::kind::shuffle, true);
        }
        /// @param adesc The arguments.
        /// @param aengine The engine.
        /// @param hint_fwd_pd Primitive descriptor of the forward shuffle.
        /// @param attr Attributes.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        primitive_desc(const desc& adesc, const engine& aengine,
                       const shuffle_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : primitive_desc(aengine, adesc.diff_data_desc, adesc.diff_data_desc, adesc.axis,
                             adesc.group_size, hint_fwd_pd, attr, allow_empty) {}
        /// @param aengine The engine.
        /// @param diff_src_desc What is written; format_tag::any takes diff_dst_desc's layout.
        /// @param diff_dst_desc What is read; format_tag::any takes the forward destination's layout.
        /// @param axis The axis that is shuffled.
        /// @param group_size The forward shuffle's group size.
        /// @param hint_fwd_pd Primitive descriptor of the forward shuffle; may be empty.
        /// @param attr Attributes.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        primitive_desc(const engine& aengine, const memory::desc& diff_src_desc,
                       const memory::desc& diff_dst_desc, int axis, memory::dim group_size,
                       const shuffle_forward::primitive_desc& hint_fwd_pd,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false) {
            tombola_primitive_desc_t result = nullptr;
            const auto status = tombola_shuffle_backward_primitive_desc_create(
                &result, aengine.get(), diff_src_desc.get(true), diff_dst_desc.get(true), axis,
                group_size, hint_fwd_pd.get(true), attr.get(true));
            accept(result, status, allow_empty);
        }
        /// Backward data.
        prop_kind get_prop_kind() const {
            return static_cast<prop_kind>(query<tombola_prop_kind_t>(tombola_query_prop_kind));
        }
        /// The axis that is shuffled.
        int get_axis() const { return query<int>(tombola_query_axis_s32); }
        /// The forward shuffle's group size.
        memory::dim get_group_size() const {
            return query<memory::dim>(tombola_query_group_size_s64);
        }
    };

    /// An empty object.
    shuffle_backward() = default;
    /// @param pd The primitive descriptor.
    shuffle_backward(const primitive_desc& pd) : primitive(pd) {}
};

/// Raw words of a counter-based generator; see @ref tombola_random_generator.
struct random_generator : public primitive {
    /// The arguments of a random generator.
    struct desc {
        generator_kind kind;    ///< The generator.
        memory::desc dst_desc;  ///< The words, u32.

        /// @param kind The generator.
        /// @param dst_desc The words, u32 of any shape.
        desc(generator_kind kind, const memory::desc& dst_desc) : kind(kind), dst_desc(dst_desc) {}
    };

    /// Primitive descriptor of a random generator.
    struct primitive_desc : public tombola::primitive_desc {
        /// An empty object.
        primitive_desc() = default;
        /// @param c_pd A C primitive descriptor of this operator, which is copied.
        primitive_desc(tombola_primitive_desc_t c_pd) {
            accept_copy(c_pd, primitive::kind::random_generator);
        }
        /// @param adesc The arguments.
        /// @param aengine The engine.
        /// @param attr Attributes.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        primitive_desc(const desc& adesc, const engine& aengine,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : primitive_desc(aengine, adesc.kind, adesc.dst_desc, attr, allow_empty) {}
        /// @param aengine The engine.
        /// @param kind The generator.
        /// @param dst_desc The words, u32; format_tag::any is row-major.
        /// @param attr Attributes.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        primitive_desc(const engine& aengine, generator_kind kind, const memory::desc& dst_desc,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false) {
            tombola_primitive_desc_t result = nullptr;
            const auto status = tombola_random_generator_primitive_desc_create(
                &result, aengine.get(), static_cast<tombola_generator_kind_t>(kind),
                dst_desc.get(true), attr.get(true));
            accept(result, status, allow_empty);
        }
        /// The descriptor of SRC_STATE: u32[6].
        memory::desc src_state_desc() const { return exec_arg_desc(TOMBOLA_ARG_SRC_STATE); }
        /// The descriptor of DST_STATE: u32[6].
        memory::desc dst_state_desc() const { return exec_arg_desc(TOMBOLA_ARG_DST_STATE); }
    };

    /// An empty object.
    random_generator() = default;
    /// @param pd The primitive descriptor.
    random_generator(const primitive_desc& pd) : primitive(pd) {}
};

/// Uniform numbers; see @ref tombola_random_uniform.
struct random_uniform : public primitive {
    /// The arguments of a random_uniform.
    struct desc {
        tombola::alignment alignment;  ///< Whose numbers.
        memory::desc dst_desc;         ///< The numbers.
        uint64_t global_seed;          ///< Global seed.
        uint64_t op_seed;              ///< Operation's seed.
        tombola::int_draws int_draws;  ///< Words an integer takes (pytorch).

        /// @param alignment Whose numbers.
        /// @param dst_desc The numbers: f16, bf16, f32, f64, s32 or s64.
        /// @param global_seed Global seed; both seeds 0: fresh entropy at each execution.
        /// @param op_seed Operation's seed.
        /// @param int_draws Words an integer takes (pytorch).
        desc(tombola::alignment alignment, const memory::desc& dst_desc, uint64_t global_seed,
             uint64_t op_seed, tombola::int_draws int_draws = tombola::int_draws::spec)
            : alignment(alignment),
              dst_desc(dst_desc),
              global_seed(global_seed),
              op_seed(op_seed),
              int_draws(int_draws) {}
    };

    /// Primitive descriptor of a random_uniform.
    struct primitive_desc : public tombola::primitive_desc {
        /// An empty object.
        primitive_desc() = default;
        /// @param c_pd A C primitive descriptor of this operator, which is copied.
        primitive_desc(tombola_primitive_desc_t c_pd) {
            accept_copy(c_pd, primitive::kind::random_uniform);
        }
        /// @param adesc The arguments.
        /// @param aengine The engine.
        /// @param attr Attributes.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        primitive_desc(const desc& adesc, const engine& aengine,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : primitive_desc(aengine, adesc.alignment, adesc.dst_desc, adesc.global_seed,
                             adesc.op_seed, adesc.int_draws, attr, allow_empty) {}
        /// @param aengine The engine.
        /// @param aalignment Whose numbers.
        /// @param dst_desc The numbers; format_tag::any is row-major.
        /// @param global_seed Global seed; both seeds 0: fresh entropy at each execution.
        /// @param op_seed Operation's seed.
        /// @param aint_draws Words an integer takes (pytorch).
        /// @param attr Attributes.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        primitive_desc(const engine& aengine, alignment aalignment, const memory::desc& dst_desc,
                       uint64_t global_seed, uint64_t op_seed,
                       int_draws aint_draws = int_draws::spec,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false) {
            tombola_primitive_desc_t result = nullptr;
            const auto status = tombola_random_uniform_primitive_desc_create(
                &result, aengine.get(), static_cast<tombola_alignment_t>(aalignment),
                dst_desc.get(true), global_seed, op_seed,
                static_cast<tombola_int_draws_t>(aint_draws), attr.get(true));
            accept(result, status, allow_empty);
        }
        /// The descriptor of MIN and of MAX: one element of the destination's type.
        memory::desc bound_desc() const { return exec_arg_desc(TOMBOLA_ARG_MIN); }
        /// The descriptor of SEEDS and of DST_SEEDS: u64[2].
        memory::desc seeds_desc() const { return exec_arg_desc(TOMBOLA_ARG_SEEDS); }
        /// The descriptor of OFFSET: u64[1].
        memory::desc offset_desc() const { return exec_arg_desc(TOMBOLA_ARG_OFFSET); }
        /// The descriptor of SRC_STATE: u64[2] (tensorflow) or u32[625] (pytorch).
        memory::desc src_state_desc() const { return exec_arg_desc(TOMBOLA_ARG_SRC_STATE); }
        /// The descriptor of DST_STATE, as SRC_STATE's.
        memory::desc dst_state_desc() const { return exec_arg_desc(TOMBOLA_ARG_DST_STATE); }
    };

    /// An empty object.
    random_uniform() = default;
    /// @param pd The primitive descriptor.
    random_uniform(const primitive_desc& pd) : primitive(pd) {}
};

/// A state of the pytorch alignment: 624 words, then the position.
using mt19937_state = std::array<uint32_t, TOMBOLA_MT19937_STATE_WORDS>;

/// Takes over a PyTorch CPU generator; see tombola_mt19937_state_from_torch().
/// @param torch_state The bytes that torch.get_rng_state() returned.
/// @param torch_state_bytes Their number: TOMBOLA_TORCH_RNG_STATE_BYTES.
/// @return The state, for SRC_STATE.
inline mt19937_state mt19937_state_from_torch(const void* torch_state, size_t torch_state_bytes) {
    mt19937_state state;
    error::check(tombola_mt19937_state_from_torch(torch_state, torch_state_bytes, state.data()));
    return state;
}

/// Hands a PyTorch CPU generator back; see tombola_mt19937_state_to_torch().
/// @param state A DST_STATE.
/// @param torch_state The bytes that torch.get_rng_state() returned: patched in place.
/// @param torch_state_bytes Their number: TOMBOLA_TORCH_RNG_STATE_BYTES.
inline void mt19937_state_to_torch(const mt19937_state& state, void* torch_state,
                                   size_t torch_state_bytes) {
    error::check(tombola_mt19937_state_to_torch(state.data(), torch_state, torch_state_bytes));
}

/// Class indices drawn by weight; see @ref tombola_multinomial.
struct multinomial : public primitive {
    /// The arguments of a multinomial.
    struct desc {
        memory::desc probs_desc;  ///< Weights or logits, [batch, classes].
        memory::desc dst_desc;    ///< Class indices, [batch, samples].
        bool with_replacement;    ///< Whether a class may be drawn more than once.
        bool log_probs;           ///< Whether the input is logits.
        uint64_t global_seed;     ///< Global seed.
        uint64_t op_seed;         ///< Operation's seed.

        /// @param probs_desc Weights or logits, [batch, classes].
        /// @param dst_desc Class indices, [batch, samples].
        /// @param with_replacement Whether a class may be drawn more than once.
        /// @param log_probs Whether the input is logits.
        /// @param global_seed Global seed; both seeds 0: fresh entropy at each execution.
        /// @param op_seed Operation's seed.
        desc(const memory::desc& probs_desc, const memory::desc& dst_desc, bool with_replacement,
             bool log_probs, uint64_t global_seed, uint64_t op_seed)
            : probs_desc(probs_desc),
              dst_desc(dst_desc),
              with_replacement(with_replacement),
              log_probs(log_probs),
              global_seed(global_seed),
              op_seed(op_seed) {}
    };

    /// Primitive descriptor of a multinomial.
    struct primitive_desc : public tombola::primitive_desc {
        /// An empty object.
        primitive_desc() = default;
        /// @param c_pd A C primitive descriptor of this operator, which is copied.
        primitive_desc(tombola_primitive_desc_t c_pd) {
            accept_copy(c_pd, primitive::kind::multinomial);
        }
        /// @param adesc The arguments.
        /// @param aengine The engine.
        /// @param attr Attributes.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        primitive_desc(const desc& adesc, const engine& aengine,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false)
            : primitive_desc(aengine, adesc.probs_desc, adesc.dst_desc, adesc.with_replacement,
                             adesc.log_probs, adesc.global_seed, adesc.op_seed, attr, allow_empty) {
        }
        /// @param aengine The engine.
        /// @param probs_desc Weights or logits, [batch, classes].
        /// @param dst_desc Class indices, [batch, samples]; format_tag::any is row-major.
        /// @param with_replacement Whether a class may be drawn more than once.
        /// @param log_probs Whether the input is logits.
        /// @param global_seed Global seed; both seeds 0: fresh entropy at each execution.
        /// @param op_seed Operation's seed.
        /// @param attr Attributes.
        /// @param allow_empty Whether a failure gives an empty object instead of an exception.
        primitive_desc(const engine& aengine, const memory::desc& probs_desc,
                       const memory::desc& dst_desc, bool with_replacement, bool log_probs,
                       uint64_t global_seed, uint64_t op_seed,
                       const primitive_attr& attr = primitive_attr(), bool allow_empty = false) {
            tombola_primitive_desc_t result = nullptr;
            const auto status = tombola_multinomial_primitive_desc_create(
                &result, aengine.get(), probs_desc.get(true), dst_desc.get(true),
                with_replacement ? 1 : 0, log_probs ? 1 : 0, global_seed, op_seed, attr.get(true));
            accept(result, status, allow_empty);
        }
        /// The descriptor of UNIFORMS: f64, as DST's dimensions.
        memory::desc uniforms_desc() const { return exec_arg_desc(TOMBOLA_ARG_UNIFORMS); }
        /// The descriptor of SEEDS and of DST_SEEDS: u64[2].
        memory::desc seeds_desc() const { return exec_arg_desc(TOMBOLA_ARG_SEEDS); }
        /// The descriptor of OFFSET: u64[1].
        memory::desc offset_desc() const { return exec_arg_desc(TOMBOLA_ARG_OFFSET); }
    };

    /// An empty object.
    multinomial() = default;
    /// @param pd The primitive descriptor.
    multinomial(const primitive_desc& pd) : primitive(pd) {}
};

/// Instruction sets; see tombola_cpu_isa_t.
enum class cpu_isa {
    none = tombola_cpu_isa_none,                          ///< Portable C++ only.
    avx2 = tombola_cpu_isa_avx2,                          ///< AVX2 and FMA.
    avx512_core = tombola_cpu_isa_avx512_core,            ///< AVX-512 F, CD, BW, DQ, VL.
    avx512_core_vbmi = tombola_cpu_isa_avx512_core_vbmi,  ///< And VBMI, VBMI2, VPCLMULQDQ.
};

/// The version of the library that is running.
/// @return The version; valid for ever.
inline const tombola_version_t* version() { return tombola_version(); }
/// Caps the instruction set; see tombola_set_max_cpu_isa().
/// @param isa The cap.
inline status set_max_cpu_isa(cpu_isa isa) {
    return static_cast<status>(tombola_set_max_cpu_isa(static_cast<tombola_cpu_isa_t>(isa)));
}
/// The instruction set that primitive descriptors are created for now.
/// @return The instruction set.
inline cpu_isa get_effective_cpu_isa() {
    return static_cast<cpu_isa>(tombola_get_effective_cpu_isa());
}
/// Sets how much verbose mode prints; see tombola_set_verbose().
/// @param level 0, 1 or 2.
inline status set_verbose(int level) { return static_cast<status>(tombola_set_verbose(level)); }
/// How many primitives the cache may hold.
/// @return The number.
inline int get_primitive_cache_capacity() {
    int result = 0;
    error::check(tombola_get_primitive_cache_capacity(&result));
    return result;
}
/// Sets how many primitives the cache may hold.
/// @param capacity The number, at least 0.
inline void set_primitive_cache_capacity(int capacity) {
    error::check(tombola_set_primitive_cache_capacity(capacity));
}

/// @}

}  // namespace tombola

#endif
