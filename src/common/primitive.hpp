// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "common/implementation.hpp"
#include "common/memory.hpp"
#include "common/primitive_desc.hpp"
#include "common/status.hpp"

namespace tombola::impl {

// An argument of an execution as the caller gave it.
struct ExecArg {
    int arg;
    const Memory* memory;
};

class Primitive {
  public:
    static Result<std::unique_ptr<Primitive>> create(std::shared_ptr<const PrimitiveDesc> desc);

    const std::shared_ptr<const PrimitiveDesc>& desc() const { return desc_; }
    // Checks the arguments, then runs.
    Status execute(const ExecArg* args, int count) const;

  private:
    Primitive(std::shared_ptr<const PrimitiveDesc> desc, std::shared_ptr<const Executable> code);

    std::shared_ptr<const PrimitiveDesc> desc_;
    std::shared_ptr<const Executable> executable_;
    // Properties of the descriptor that every execution needs.
    size_t scratchpad_bytes_;
    bool user_scratchpad_;  // the caller gives the scratchpad, and one is needed
    bool writes_nothing_;
    uint32_t required_ = 0;  // bit i: the argument specs[i] is required
    Seeds seeds_;
    std::unique_ptr<const uint32_t[]> seeded_words_;  // may be null
};

}  // namespace tombola::impl
