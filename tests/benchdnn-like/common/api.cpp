// SPDX-License-Identifier: Apache-2.0
#include "common/api.hpp"

#include <algorithm>
#include <thread>

#include "common/errors.hpp"
#include "gtests/common/test_threadpool.hpp"
#include "reference/numeric.hpp"
#include "tombola/tombola_threadpool.h"

namespace tombola::bench {

void require(tombola_status_t status, const char* call) {
    if (status != tombola_success)
        throw CaseError(std::string(call) + ": " + tombola_status2str(status) + ": " +
                        tombola_get_last_error());
}

tombola_engine_t engine() {
    static const tombola_engine_t kEngine = [] {
        tombola_engine_t created = nullptr;
        require(tombola_engine_create(&created, tombola_cpu, 0), "tombola_engine_create");
        return created;
    }();
    return kEngine;
}

// A THREADPOOL build has no threads of its own: there the stream is on a pool of as many as the machine has, two at
// least. The pool and the stream live until the program ends.
tombola_stream_t stream() {
    static const tombola_stream_t kStream = [] {
        tombola_stream_t created = nullptr;
        if (tombola_version()->cpu_runtime == std::string("THREADPOOL")) {
            const int threads = std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
            require(tombola_threadpool_interop_stream_create(&created, engine(),
                                                             new test::TestThreadpool(threads - 1)),
                    "tombola_threadpool_interop_stream_create");
        } else {
            require(tombola_stream_create(&created, engine(), tombola_stream_default_flags),
                    "tombola_stream_create");
        }
        return created;
    }();
    return kStream;
}

namespace {
// What tombola.h says of tombola_memory_desc_create_with_tag(). A problem's sizes are so small that bytes can be counted in 64 bits.
constexpr int64_t kTooLarge = INT64_C(1) << 56;
// The bytes of a tensor with its padding, where a dimension of 0 counts as 1.
int64_t bytes_counted(const reference::Dims& padded_dims, tombola_data_type_t type) {
    auto bytes = static_cast<int64_t>(reference::size_of(type));
    for (const int64_t dim : padded_dims) bytes *= std::max<int64_t>(dim, 1);
    return bytes;
}
}  // namespace

const_tombola_memory_desc_t Creation::desc(const reference::Dims& dims, tombola_data_type_t type,
                                           const std::string& tag_name) {
    using reference::Layout;
    using reference::Tag;
    const int ndims = static_cast<int>(dims.size());
    tombola_dims_t sizes{}, strides{};
    std::copy(dims.begin(), dims.end(), sizes);

    tombola_memory_desc_t created = nullptr;
    int64_t bytes = bytes_counted(dims, type);
    const auto keep = [&](tombola_status_t status) {
        const bool too_large = bytes >= kTooLarge;
        if (status == tombola_invalid_arguments && too_large)
            throw Refused{status, tombola_get_last_error(), bytes};
        if (status != tombola_success) throw Refused{status, tombola_get_last_error()};
        descs_.emplace_back(created);
        if (too_large)
            throw CaseError("a descriptor of a tensor of " + std::to_string(bytes) + " bytes");
        return created;
    };
    if (tag_name == "any")
        return keep(tombola_memory_desc_create_with_tag(&created, ndims, sizes, type,
                                                        tombola_format_tag_any));

    const Tag tag = reference::expand_tag(tag_name, ndims);
    if (tag.kind == Tag::Kind::malformed)
        throw Refused{tombola_invalid_arguments, "tag " + tag_name + " is not a layout of " +
                                                     std::to_string(ndims) + " dimensions"};
    const tombola_format_tag_t enum_tag = tombola_str2fmt_tag(tag.letters.c_str());
    const bool is_known = enum_tag != tombola_format_tag_undef;
    if (!is_known && (tag.kind != Tag::Kind::plain || allow_enum_tags_only_))
        throw Refused{tombola_unimplemented, "the library has no layout " + tag.letters};
    const Layout layout =
        tag.kind == Tag::Kind::other ? Layout{} : Layout::from_letters(tag.letters, dims);
    bytes = bytes_counted(layout.padded_dims, type);
    if (is_known) {
        keep(tombola_memory_desc_create_with_tag(&created, ndims, sizes, type, enum_tag));
    } else {
        std::copy(layout.strides.begin(), layout.strides.end(), strides);
        keep(tombola_memory_desc_create_with_strides(&created, ndims, sizes, type, strides));
    }
    if (layout_of(created) != layout)
        throw CaseError("layout " + tag.letters + " is " + layout_of(created).to_string() +
                        " by the library, expected " + layout.to_string());
    return created;
}

reference::Layout layout_of(const_tombola_memory_desc_t desc) {
    reference::Layout layout;
    int ndims = 0;
    require(tombola_memory_desc_query(desc, tombola_query_ndims_s32, &ndims), "query ndims");
    if (ndims == 0) return layout;
    const tombola_dims_t* values = nullptr;
    const auto read = [&](tombola_query_t what) {
        require(tombola_memory_desc_query(desc, what, static_cast<void*>(&values)), "query dims");
        return reference::Dims(*values, *values + ndims);
    };
    layout.dims = read(tombola_query_dims);
    layout.padded_dims = read(tombola_query_padded_dims);
    layout.strides = read(tombola_query_strides);
    int blocks = 0;
    require(tombola_memory_desc_query(desc, tombola_query_inner_nblks_s32, &blocks),
            "query blocks");
    if (blocks == 1) {
        require(tombola_memory_desc_query(desc, tombola_query_inner_blks, &values), "query blocks");
        layout.block = (*values)[0];
        require(tombola_memory_desc_query(desc, tombola_query_inner_idxs, &values), "query blocks");
        layout.block_dim = static_cast<int>((*values)[0]);
    }
    return layout;
}

tombola_data_type_t type_of(const_tombola_memory_desc_t desc) {
    tombola_data_type_t type = tombola_data_type_undef;
    require(tombola_memory_desc_query(desc, tombola_query_data_type, &type), "query data type");
    return type;
}

std::string impl_name(const_tombola_primitive_desc_t primitive_desc) {
    const char* name = nullptr;
    require(tombola_primitive_desc_query(primitive_desc, tombola_query_impl_info_str, 0, &name),
            "query implementation");
    return name;
}

}  // namespace tombola::bench
