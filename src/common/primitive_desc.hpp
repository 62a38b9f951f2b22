// SPDX-License-Identifier: Apache-2.0
#pragma once

// From a descriptor to something that runs.
//
//   OpDesc + Attr --PrimitiveDesc::create--> PrimitiveDesc --Primitive::create--> Primitive --execute-->
//
// A primitive descriptor is the operator's descriptor with the implementation that was chosen for it. A primitive is a
// primitive descriptor with its code. Primitive descriptors and executables are immutable and shared.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "common/attr.hpp"
#include "common/engine.hpp"
#include "common/implementation.hpp"
#include "common/op_desc.hpp"
#include "common/status.hpp"

namespace tombola::impl {

class PrimitiveDesc {
  public:
    // Walks the table of implementations from row `first` on and takes the first row that serves `op`. If no row does,
    // the message has the reason of every row, and the status is unimplemented, or last_impl_reached if `first` is not
    // 0. If a row has found no memory for its code, the status is out_of_memory instead.
    static Result<std::shared_ptr<const PrimitiveDesc>> create(const OpDesc& op, const Attr& attr,
                                                               Engine* engine, size_t first = 0);
    // The same for the rows after the row of this descriptor.
    Result<std::shared_ptr<const PrimitiveDesc>> next() const;

    const OpDesc& op() const { return op_; }
    PrimitiveKind kind() const { return kind_of(op_); }
    const Attr& attr() const { return attr_; }
    Engine* engine() const { return engine_; }
    const Implementation& implementation() const { return *implementation_; }
    const Plan& plan() const { return *plan_; }
    const std::vector<ArgSpec>& args() const { return args_; }
    // Whether an execution without optional outputs has nothing to write.
    bool writes_nothing() const;
    // Null when this primitive has no such argument.
    const ArgSpec* find_arg(int arg) const;
    // Empty when no scratchpad is needed.
    const MemoryDesc& scratchpad_desc() const { return scratchpad_desc_; }

    // Whether build() of both plans makes the same executable.
    bool same_primitive(const PrimitiveDesc& other) const;
    uint64_t hash() const { return hash_; }

    // The fields of the verbose line from the engine to the problem.
    std::string info() const;

  private:
    PrimitiveDesc(const OpDesc& op, const Attr& attr, Engine* engine);
    PrimitiveDesc(const PrimitiveDesc&) = default;
    // Returns `desc`, or a copy with the default fields of `op`. All other fields of `op` are equal to those of
    // desc->op().
    static Result<std::shared_ptr<const PrimitiveDesc>> with_defaults(
        std::shared_ptr<const PrimitiveDesc> desc, const OpDesc& op);

    OpDesc op_;
    Attr attr_;
    Engine* engine_;
    size_t row_ = 0;
    const Implementation* implementation_ = nullptr;
    std::shared_ptr<const Plan> plan_;
    std::vector<ArgSpec> args_;
    MemoryDesc scratchpad_desc_;
    bool several_threads_ = false;  // as planned: DescRequest
    uint64_t hash_ = 0;
};

}  // namespace tombola::impl
