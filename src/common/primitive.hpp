// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

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
    Primitive(std::shared_ptr<const PrimitiveDesc> desc, std::shared_ptr<const Executable> code)
        : desc_(std::move(desc)),
          executable_(std::move(code)),
          seeded_words_(seeded_words(desc_->op())) {}

    std::shared_ptr<const PrimitiveDesc> desc_;
    std::shared_ptr<const Executable> executable_;
    std::unique_ptr<const uint32_t[]> seeded_words_;  // may be null
};

}  // namespace tombola::impl
