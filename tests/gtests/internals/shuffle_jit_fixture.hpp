// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shuffles by every row of the implementation list, byte for byte, in guarded memory. Expected values come from
// tests/reference.

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/implementation.hpp"
#include "common/op_desc.hpp"
#include "gtests/common/guarded_buffer.hpp"
#include "gtests/common/tensor.hpp"
#include "reference/layout.hpp"
#include "reference/shuffle_reference.hpp"

namespace tombola::impl {

using test::Guard;
using test::GuardedBuffer;

struct Case {
    reference::Layout src, dst;
    DataType type;
    int axis;
    int64_t group;
    bool backward;

    std::string to_string() const {
        return src.to_string() + " to " + dst.to_string() + " " + name_of(type) + " axis " +
               std::to_string(axis) + " group " + std::to_string(group) +
               (backward ? " backward" : " forward");
    }
};

inline MemoryDesc descriptor(const reference::Layout& layout, DataType type) {
    MemoryDesc desc;
    desc.ndims = layout.ndims();
    desc.data_type = type;
    desc.format_kind = FormatKind::blocked;
    desc.block_dim = layout.block_dim;
    desc.block = layout.block;
    for (int d = 0; d < desc.ndims; ++d) {
        const auto at = static_cast<size_t>(d);
        desc.dims[at] = layout.dims[at];
        desc.padded_dims[at] = layout.padded_dims[at];
        desc.strides[at] = layout.strides[at];
    }
    return desc;
}

inline ShuffleDesc descriptor(const Case& c) {
    ShuffleDesc desc;
    desc.prop_kind = c.backward ? PropKind::backward_data : PropKind::forward_training;
    desc.src = descriptor(c.src, c.type);
    desc.dst = descriptor(c.dst, c.type);
    desc.axis = c.axis;
    desc.group_size = c.group;
    return desc;
}

// What the destination's memory must hold: the reference's answer, zeros in the padding, and the poison it had
// everywhere else.
inline std::vector<uint8_t> expected(const Case& c, const std::vector<uint8_t>& logical_src) {
    const size_t element = size_of(c.type);
    std::vector<uint8_t> logical(logical_src.size());
    reference::shuffle_reference(c.src.dims, element, c.axis, c.group, c.backward,
                                 logical_src.data(), logical.data());
    std::vector<uint8_t> physical(static_cast<size_t>(c.dst.span()) * element,
                                  GuardedBuffer::kPoison);
    reference::pack(c.dst, element, logical.data(), physical.data());
    return physical;
}

// Null if the row does not serve the case.
inline std::unique_ptr<Executable> create(const Implementation& row, const Case& c) {
    const OpDesc desc = descriptor(c);
    const auto plan = row.plan(row.isa, desc);
    if (!plan.ok()) {
        EXPECT_EQ(plan.status().code(), StatusCode::unimplemented) << c.to_string();
        EXPECT_FALSE(plan.status().message().empty());
        return nullptr;
    }
    auto executable = plan.value()->build();
    EXPECT_TRUE(executable.ok()) << c.to_string() << executable.status().message();
    return executable.ok() ? executable.take() : nullptr;
}

inline void run(const Executable& executable, const Case& c, const GuardedBuffer& src,
                uint8_t* dst) {
    ExecContext context;
    context.add(c.backward ? TOMBOLA_ARG_DIFF_DST : TOMBOLA_ARG_SRC, src.data<void>());
    context.add(c.backward ? TOMBOLA_ARG_DIFF_SRC : TOMBOLA_ARG_DST, dst);
    EXPECT_TRUE(executable.execute(context).ok());
}

// Those of the instruction set in force alone, as ctest runs this for each.
inline std::vector<const Implementation*> rows_in_force() {
    std::vector<const Implementation*> rows;
    for (const Implementation& row : implementations(PrimitiveKind::shuffle))
        if (row.isa == effective_isa()) rows.push_back(&row);
    return rows;
}

class Served {
  public:
    // VBMI has no implementations of its own that copy whole rows.
    enum class Cases { any, whole_rows };
    explicit Served(Cases cases = Cases::any)
        : may_be_none_(
              effective_isa() == CpuIsa::none ||
              (cases == Cases::whole_rows && effective_isa() == CpuIsa::avx512_core_vbmi)) {}
    // A test in which no implementation serves any case has looked at nothing.
    ~Served() {
        int all = 0;
        for (const auto& [name, count] : served_) all += count;
        if (!may_be_none_) {
            EXPECT_GT(all, 0) << "no implementation serves any case";
        }
    }
    // The destination begins at the edge of its buffer, and so many bytes behind it.
    void check(const Case& c, std::initializer_list<size_t> offsets = {}) {
        const size_t element = size_of(c.type);
        const auto logical = test::test_bytes(static_cast<size_t>(c.src.count()) * element);
        const auto want = expected(c, logical);
        std::vector<std::unique_ptr<Executable>> executables;
        for (const Implementation* row : rows_in_force()) {
            executables.push_back(create(*row, c));
            served_[row->name] += executables.back() != nullptr;
        }
        for (const Guard guard : {Guard::behind, Guard::before}) {
            const GuardedBuffer src(static_cast<size_t>(c.src.span()) * element, guard);
            // The source's padding stays poison: no row may take it for zeros.
            std::vector<uint8_t> physical(src.bytes(), GuardedBuffer::kPoison);
            reference::pack(c.src, element, logical.data(), physical.data());
            if (c.src.block_dim >= 0 && c.dst.block_dim >= 0)
                poison_padding(c.src, element, physical);
            std::memcpy(src.data(), physical.data(), physical.size());
            GuardedBuffer dst(want.size(), guard);
            for (size_t i = 0; i < executables.size(); ++i) {
                if (executables[i] == nullptr) continue;
                expect_result(*executables[i], i, c, src, dst, 0, want);
            }
            if (guard == Guard::behind) continue;
            for (const size_t offset : offsets) {
                std::vector<uint8_t> shifted(offset, GuardedBuffer::kPoison);
                shifted.insert(shifted.end(), want.begin(), want.end());
                GuardedBuffer behind_edge(shifted.size(), guard);
                for (size_t i = 0; i < executables.size(); ++i)
                    if (executables[i] != nullptr)
                        expect_result(*executables[i], i, c, src, behind_edge, offset, shifted);
            }
        }
    }
    const std::map<std::string, int>& counts() const { return served_; }

  private:
    static void expect_result(const Executable& executable, size_t number, const Case& c,
                              const GuardedBuffer& src, GuardedBuffer& dst, size_t offset,
                              const std::vector<uint8_t>& want) {
        dst.poison();
        run(executable, c, src, dst.data() + offset);
        const char* row = rows_in_force()[number]->name;
        ASSERT_EQ(std::memcmp(dst.data(), want.data(), want.size()), 0)
            << row << ": " << c.to_string() << ", " << offset << " bytes behind the edge";
        ASSERT_TRUE(dst.slack_is_intact()) << row << ": " << c.to_string();
    }

    static void poison_padding(const reference::Layout& layout, size_t element,
                               std::vector<uint8_t>& physical) {
        const auto d = static_cast<size_t>(layout.block_dim);
        if (layout.dims[d] == layout.padded_dims[d]) return;
        const int64_t padding = layout.padded_dims[d] - layout.dims[d];
        reference::Dims dims = layout.dims;
        dims[d] = padding;
        const reference::Layout box = reference::Layout::row_major(dims);
        for (int64_t e = 0; e < box.count(); ++e) {
            reference::Dims index = reference::index_of(dims, e);
            index[d] += layout.dims[d];
            std::memset(&physical[static_cast<size_t>(layout.offset(index)) * element],
                        GuardedBuffer::kPoison, element);
        }
    }

    bool may_be_none_;
    std::map<std::string, int> served_;
};

// Strides in the order of `letters`, each dimension `gap` elements longer than it need be.
inline reference::Layout with_gaps(const std::string& letters, const reference::Dims& dims,
                                   int64_t gap) {
    reference::Layout layout = reference::Layout::from_letters(letters, dims);
    int64_t stride = 1;
    for (size_t i = letters.size(); i-- > 0;) {
        const auto d = static_cast<size_t>(letters[i] - 'a');
        layout.strides[d] = stride;
        stride *= layout.dims[d] + gap;
    }
    return layout;
}

inline constexpr DataType kTypes[] = {DataType::s8, DataType::bf16, DataType::f32, DataType::f64};

// Checks one shuffle, forward and backward.
inline void check_both_directions(Served& served, const reference::Layout& src,
                                  const reference::Layout& dst, DataType type, int axis,
                                  int64_t group) {
    for (const bool backward : {false, true}) served.check({src, dst, type, axis, group, backward});
}

}  // namespace tombola::impl
