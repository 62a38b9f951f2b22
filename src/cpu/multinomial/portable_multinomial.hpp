// SPDX-License-Identifier: Apache-2.0
#pragma once

// multinomial as doc/multinomial.md defines it, for every type and layout.

#include <memory>

#include "common/implementation.hpp"

namespace tombola::impl::cpu {

class PortableMultinomial : public Executable {
  public:
    using Desc = MultinomialDesc;
    static Result<Plan> plan(const Desc& desc);
    static Result<std::unique_ptr<Executable>> create(const Desc& desc, const Plan& plan);

    Status execute(const ExecContext& context) const override;

  private:
    explicit PortableMultinomial(const Desc& desc, int most_parts)
        : desc_(desc), most_parts_(most_parts) {}

    Desc desc_;
    int most_parts_;
};

}  // namespace tombola::impl::cpu
