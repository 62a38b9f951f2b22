// SPDX-License-Identifier: Apache-2.0
#include "common/primitive_desc.hpp"

#include <algorithm>
#include <new>
#include <optional>

#include "common/fork.hpp"
#include "common/fp_env.hpp"
#include "common/hash.hpp"
#include "common/primitive_cache.hpp"
#include "common/verbose.hpp"

namespace tombola::impl {
namespace {

// Returns the row's plan for the descriptor, or the reason why the row does not serve it on this machine. `isa` is the effective ISA at the
// request. Another thread may change the effective ISA meanwhile, but the cache stores the result under `isa`.
Result<PlanPtr> plan_row(const Implementation& row, CpuIsa isa, const OpDesc& op,
                         bool nothing_to_write) {
    if (row.isa > isa)
        return unimplemented("needs %s; the effective ISA is %s", name_of(row.isa), name_of(isa));
    // Only portable implementations handle tensors without elements, so that no kernel has to.
    if (nothing_to_write && row.isa != CpuIsa::none)
        return unimplemented("the destination has no elements");
    if (row.isa != CpuIsa::none) TOMBOLA_TRY(check_executable_memory());
    return row.plan(row.isa, op);
}

}  // namespace

PrimitiveDesc::PrimitiveDesc(const OpDesc& op, const Attr& attr, Engine* engine)
    : op_(op), attr_(attr), engine_(engine), args_(arg_specs(op_)) {}

Result<std::shared_ptr<const PrimitiveDesc>> PrimitiveDesc::create(const OpDesc& op,
                                                                   const Attr& attr, Engine* engine,
                                                                   size_t first) {
    std::optional<ForkHold> hold;
    if (!cache_exists()) hold.emplace();
    // Verbose mode prints why rows refuse. Only walking the table finds that out.
    DescRequest request(op, attr, engine, first);
    if (!verbose_dispatch())
        if (auto cached = find_cached(request)) return with_defaults(std::move(cached), op);
    if (!hold) hold.emplace();
    const DefaultFpEnv fp_env;
    std::shared_ptr<PrimitiveDesc> desc(new (std::nothrow) PrimitiveDesc(op, attr, engine));
    if (!desc) return Status(StatusCode::out_of_memory, "primitive_desc: out of memory");
    const ImplementationList list = implementations(desc->kind());
    const bool nothing_to_write = desc->writes_nothing();
    std::string reasons;
    // The failure of the first row that found no memory. A later attempt may succeed.
    Status no_memory;
    for (size_t row = first; row < list.count; ++row) {
        const Implementation& candidate = list.rows[row];
        Result<PlanPtr> plan = plan_row(candidate, request.isa, desc->op_, nothing_to_write);
        if (!plan.ok()) {
            const std::string& reason = plan.status().message();
            if (plan.status().code() == StatusCode::out_of_memory && no_memory.ok())
                no_memory = Status(StatusCode::out_of_memory, reason);
            if (verbose_dispatch())
                verbose_reason("create:dispatch", verbose_info(desc->op_, attr, candidate.name),
                               reason);
            reasons += std::string("; ") + candidate.name + ": " + reason;
            continue;
        }
        desc->row_ = row;
        desc->implementation_ = &candidate;
        desc->plan_ = plan.take();
        desc->several_threads_ = request.several_threads;
        const size_t scratchpad_bytes = desc->plan_->scratchpad_bytes();
        if (scratchpad_bytes > 0)
            desc->scratchpad_desc_ =
                MemoryDesc::vector(DataType::u8, static_cast<dim_t>(scratchpad_bytes));
        desc->hash_ = hash_combine(hash_of(desc->op_), attr.scratchpad_mode, row, scratchpad_bytes,
                                   desc->several_threads_);
        // The result is not stored if a row found no memory: an equal request may get another result later.
        if (!no_memory.ok()) return std::shared_ptr<const PrimitiveDesc>(std::move(desc));
        return with_defaults(store_cached(request, std::move(desc)), op);
    }
    if (!no_memory.ok()) return no_memory;
    if (first > 0)
        return Status(StatusCode::last_impl_reached,
                      "no further implementation serves this" + reasons);
    return Status(StatusCode::unimplemented, "no implementation serves this" + reasons);
}

Result<std::shared_ptr<const PrimitiveDesc>> PrimitiveDesc::with_defaults(
    std::shared_ptr<const PrimitiveDesc> desc, const OpDesc& op) {
    if (same_defaults(desc->op_, op)) return desc;
    std::shared_ptr<PrimitiveDesc> copy(new (std::nothrow) PrimitiveDesc(*desc));
    if (!copy) return Status(StatusCode::out_of_memory, "primitive_desc: out of memory");
    copy->op_ = op;
    return std::shared_ptr<const PrimitiveDesc>(std::move(copy));
}

Result<std::shared_ptr<const PrimitiveDesc>> PrimitiveDesc::next() const {
    return create(op_, attr_, engine_, row_ + 1);
}

bool PrimitiveDesc::writes_nothing() const {
    return std::all_of(args_.begin(), args_.end(), [](const ArgSpec& spec) {
        return spec.role == ArgSpec::Role::input || !spec.required || spec.desc.has_zero_dim();
    });
}

const ArgSpec* PrimitiveDesc::find_arg(int arg) const {
    for (const ArgSpec& spec : args_)
        if (spec.arg == arg) return &spec;
    return nullptr;
}

bool PrimitiveDesc::same_primitive(const PrimitiveDesc& other) const {
    return hash_ == other.hash_ && implementation_ == other.implementation_ &&
           several_threads_ == other.several_threads_ &&
           attr_.scratchpad_mode == other.attr_.scratchpad_mode &&
           plan_->scratchpad_bytes() == other.plan_->scratchpad_bytes() && op_ == other.op_;
}

std::string PrimitiveDesc::info() const { return verbose_info(op_, attr_, implementation_->name); }

}  // namespace tombola::impl
