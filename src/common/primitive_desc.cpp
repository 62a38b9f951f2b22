// SPDX-License-Identifier: Apache-2.0
#include "common/primitive_desc.hpp"

#include <algorithm>
#include <new>

#include "common/fork.hpp"
#include "common/hash.hpp"
#include "common/overlap.hpp"
#include "common/primitive_cache.hpp"
#include "common/scratchpad.hpp"
#include "common/verbose.hpp"

namespace tombola::impl {
namespace {

// Whether an execution without optional outputs has nothing to write.
bool writes_nothing(const std::vector<ArgSpec>& args) {
    return std::all_of(args.begin(), args.end(), [](const ArgSpec& spec) {
        return spec.role == ArgSpec::Role::input || !spec.required || spec.desc.has_zero_dim();
    });
}

// Why a row of the list is not for this descriptor on this machine; its plan if it is.
Result<PlanPtr> plan_row(const Implementation& row, const OpDesc& op, bool nothing_to_write) {
    if (row.isa > effective_isa())
        return unimplemented("needs %s; the effective ISA is %s", name_of(row.isa),
                             name_of(effective_isa()));
    // Only the portable implementations care for tensors without elements: no kernel has to.
    if (nothing_to_write && row.isa != CpuIsa::none)
        return unimplemented("the destination has no elements");
    if (row.isa != CpuIsa::none) TOMBOLA_TRY(check_executable_memory());
    return row.plan(row.isa, op);
}

bool matches_vector(const MemoryDesc& given, const MemoryDesc& expected) {
    if (given.ndims == 0 || given.data_type != expected.data_type || given.is_blocked())
        return false;
    const int last = given.ndims - 1;
    for (int d = 0; d < last; ++d)
        if (given.dims[d] != 1) return false;
    return given.dims[last] == expected.dims[0] &&
           (given.dims[last] == 1 || given.strides[last] == 1);
}

std::string describe(const MemoryDesc& desc) {
    return dims_to_string(desc.ndims, desc.dims.data()) + ' ' + desc.to_string();
}

Status check_desc(const ArgSpec& spec, const MemoryDesc& given) {
    const bool vector = spec.match == ArgSpec::Match::vector;
    if (vector ? matches_vector(given, spec.desc) : same_layout(given, spec.desc)) return {};
    return invalid(
        "%s has the memory descriptor %s; expected %s", spec.name, describe(given).c_str(),
        vector ? format("%lld elements of %s, with leading dimensions of 1 if any",
                        static_cast<long long>(spec.desc.dims[0]), name_of(spec.desc.data_type))
                     .c_str()
               : describe(spec.desc).c_str());
}

// An argument that is none of `specs`.
Status refuse_arg(int place, int arg, const std::vector<ArgSpec>& specs) {
    const char* name = name_of_arg(arg);
    std::string taken;
    for (const ArgSpec& spec : specs) taken += (taken.empty() ? "" : ", ") + std::string(spec.name);
    return invalid("args[%d] is %s; expected one of %s", place,
                   name == nullptr ? format("argument %d", arg).c_str() : name, taken.c_str());
}

// An argument of an execution that was found right.
struct Given {
    const ArgSpec* spec;
    const MemoryDesc* desc;
    char* begin;  // the first element
    char* end;
};

// Whether one of two arguments is an output that may share the other's buffer, and does.
bool may_share(const Given& a, const Given& b) {
    return a.begin == b.begin &&
           (a.spec->may_alias == b.spec->arg || b.spec->may_alias == a.spec->arg);
}

Status check_aliasing(const Given* given, int count) {
    for (int i = 0; i < count; ++i) {
        if (given[i].spec->role != ArgSpec::Role::output) continue;
        for (int j = 0; j < count; ++j)
            if (i != j && given[i].begin < given[j].end && given[j].begin < given[i].end &&
                !may_share(given[i], given[j]) &&
                overlap(given[i].begin, *given[i].desc, given[j].begin, *given[j].desc))
                return invalid("%s overlaps %s in memory; expected a buffer of its own",
                               given[i].spec->name, given[j].spec->name);
    }
    return {};
}

}  // namespace

PrimitiveDesc::PrimitiveDesc(OpDesc op, const Attr& attr, Engine* engine)
    : op_(std::move(op)), attr_(attr), engine_(engine), args_(arg_specs(op_)) {}

Result<std::shared_ptr<const PrimitiveDesc>> PrimitiveDesc::create(OpDesc op, const Attr& attr,
                                                                   Engine* engine, size_t first) {
    const ForkHold hold;
    // Verbose mode tells the reasons of rejections, which only walking the list gives.
    DescRequest request(op, attr, engine, first);
    if (!verbose_dispatch())
        if (auto cached = find_cached(request))
            return with_defaults(std::move(cached), std::move(op));
    std::shared_ptr<PrimitiveDesc> desc(new (std::nothrow)
                                            PrimitiveDesc(std::move(op), attr, engine));
    if (!desc) return Status(StatusCode::out_of_memory, "primitive_desc: out of memory");
    const ImplementationList list = implementations(desc->kind());
    const bool nothing_to_write = writes_nothing(desc->args_);
    std::string reasons;
    for (size_t row = first; row < list.count; ++row) {
        const Implementation& candidate = list.rows[row];
        Result<PlanPtr> plan = plan_row(candidate, desc->op_, nothing_to_write);
        if (!plan.ok()) {
            if (plan.status().code() == StatusCode::out_of_memory) return plan.take_status();
            const std::string& reason = plan.status().message();
            if (verbose_dispatch())
                verbose_reason("create:dispatch", verbose_info(desc->op_, attr, candidate.name),
                               reason);
            reasons += std::string("; ") + candidate.name + ": " + reason;
            continue;
        }
        desc->row_ = row;
        desc->implementation_ = &candidate;
        desc->plan_ = plan.take();
        const size_t scratchpad_bytes = desc->plan_->scratchpad_bytes();
        if (scratchpad_bytes > 0)
            desc->scratchpad_desc_ =
                MemoryDesc::vector(DataType::u8, static_cast<dim_t>(scratchpad_bytes));
        desc->hash_ = hash_combine(hash_of(desc->op_), attr.scratchpad_mode, row, scratchpad_bytes);
        // Another thread may have capped the ISA in between.
        if (request.isa != effective_isa())
            return std::shared_ptr<const PrimitiveDesc>(std::move(desc));
        OpDesc asked = desc->op_;
        return with_defaults(store_cached(std::move(request), std::move(desc)), std::move(asked));
    }
    if (first > 0)
        return Status(StatusCode::last_impl_reached,
                      "no further implementation serves this" + reasons);
    return Status(StatusCode::unimplemented, "no implementation serves this" + reasons);
}

Result<std::shared_ptr<const PrimitiveDesc>> PrimitiveDesc::with_defaults(
    std::shared_ptr<const PrimitiveDesc> desc, OpDesc op) {
    if (same_defaults(desc->op_, op)) return desc;
    std::shared_ptr<PrimitiveDesc> copy(new (std::nothrow) PrimitiveDesc(*desc));
    if (!copy) return Status(StatusCode::out_of_memory, "primitive_desc: out of memory");
    copy->op_ = std::move(op);
    return std::shared_ptr<const PrimitiveDesc>(std::move(copy));
}

Result<std::shared_ptr<const PrimitiveDesc>> PrimitiveDesc::next() const {
    return create(op_, attr_, engine_, row_ + 1);
}

const ArgSpec* PrimitiveDesc::find_arg(int arg) const {
    for (const ArgSpec& spec : args_)
        if (spec.arg == arg) return &spec;
    return nullptr;
}

bool PrimitiveDesc::same_primitive(const PrimitiveDesc& other) const {
    return hash_ == other.hash_ && implementation_ == other.implementation_ &&
           attr_.scratchpad_mode == other.attr_.scratchpad_mode &&
           plan_->scratchpad_bytes() == other.plan_->scratchpad_bytes() && op_ == other.op_;
}

std::string PrimitiveDesc::info() const { return verbose_info(op_, attr_, implementation_->name); }

Result<std::unique_ptr<Primitive>> Primitive::create(std::shared_ptr<const PrimitiveDesc> desc) {
    const ForkHold hold;
    const double start = verbose_create() ? now_milliseconds() : 0;
    std::shared_ptr<const Executable> code = find_cached(desc);
    const bool hit = code != nullptr;
    if (!hit) {
        auto created = desc->plan().build();
        if (!created.ok()) return created.take_status();
        code = store_cached(desc, std::shared_ptr<const Executable>(created.take()));
    }
    // Reserved now, so that executing on this thread does not allocate.
    if (desc->attr().scratchpad_mode == ScratchpadMode::library)
        thread_scratchpad(desc->plan().scratchpad_bytes());
    if (verbose_create())
        verbose_timed(hit ? "create:cache_hit" : "create:cache_miss", desc->info(),
                      now_milliseconds() - start);
    std::unique_ptr<Primitive> primitive(new (std::nothrow)
                                             Primitive(std::move(desc), std::move(code)));
    if (!primitive) return Status(StatusCode::out_of_memory, "primitive: out of memory");
    return primitive;
}

Status Primitive::execute(const ExecArg* given, int count) const {
    const std::vector<ArgSpec>& specs = desc_->args();
    const size_t scratchpad_bytes = desc_->plan().scratchpad_bytes();
    const bool user_scratchpad =
        scratchpad_bytes > 0 && desc_->attr().scratchpad_mode == ScratchpadMode::user;
    static const ArgSpec kScratchpadSpec{
        TOMBOLA_ARG_SCRATCHPAD, name_of_arg(TOMBOLA_ARG_SCRATCHPAD),
        ArgSpec::Role::output,  true,
        ArgSpec::Match::vector, MemoryDesc{}};

    ExecContext context;
    Given checked[ExecContext::kMaxArgs + 1];
    int checked_count = 0;
    uint32_t seen = 0;
    bool optional_output = false;
    void* scratchpad = nullptr;
    for (int i = 0; i < count; ++i) {
        const auto [arg, memory] = given[i];
        const ArgSpec* spec = desc_->find_arg(arg);
        const bool is_scratchpad = arg == TOMBOLA_ARG_SCRATCHPAD;
        if (is_scratchpad) {
            if (!user_scratchpad) continue;  // not needed: as in oneDNN, giving it is no error
            spec = &kScratchpadSpec;
        }
        if (spec == nullptr) return refuse_arg(i, arg, specs);
        const uint32_t bit =
            is_scratchpad ? 1u << 31 : 1u << static_cast<unsigned>(spec - specs.data());
        if ((seen & bit) != 0) return invalid("%s is given twice; expected once", spec->name);
        seen |= bit;
        if (memory == nullptr) return invalid("%s is null; expected a memory object", spec->name);
        const MemoryDesc& memory_desc = memory->desc;
        if (is_scratchpad) {
            if (memory_desc.size() < scratchpad_bytes)
                return invalid("SCRATCHPAD has %zu bytes; expected at least %zu",
                               memory_desc.size(), scratchpad_bytes);
        } else {
            TOMBOLA_TRY(check_desc(*spec, memory_desc));
        }
        const size_t bytes = memory_desc.size();
        if (memory->handle == nullptr && bytes > 0)
            return invalid("%s has no data; expected a data handle", spec->name);
        char* data = static_cast<char*>(memory->handle);
        if (bytes > 0)
            data += memory_desc.offset0 * static_cast<dim_t>(size_of(memory_desc.data_type));
        checked[checked_count++] = {spec, &memory_desc, data, data + bytes};
        if (is_scratchpad) {
            if (reinterpret_cast<uintptr_t>(data) % kScratchpadAlignment != 0)
                return invalid("SCRATCHPAD lies at %p; expected an address aligned to %zu bytes",
                               static_cast<void*>(data), kScratchpadAlignment);
            scratchpad = data;
            continue;
        }
        optional_output |= spec->role == ArgSpec::Role::output && !spec->required;
        context.add(arg, data);
    }
    for (size_t i = 0; i < specs.size(); ++i)
        if (specs[i].required && (seen & 1u << i) == 0)
            return invalid("%s is missing; expected it among the arguments", specs[i].name);
    if (user_scratchpad && scratchpad == nullptr)
        return invalid("SCRATCHPAD is missing; expected it in scratchpad mode user");
    TOMBOLA_TRY(check_aliasing(checked, checked_count));
    if (!optional_output && writes_nothing(specs)) return {};

    if (scratchpad_bytes > 0 && !user_scratchpad) {
        scratchpad = thread_scratchpad(scratchpad_bytes);
        if (scratchpad == nullptr)
            return Status(
                StatusCode::out_of_memory,
                format("the scratchpad of %zu bytes could not be allocated", scratchpad_bytes));
    }
    context.set_scratchpad(scratchpad);
    context.set_default_seeds(seeds_of(desc_->op()));

    const bool verbose = verbose_exec();
    const double start = verbose ? now_milliseconds() : 0;
    Status status = executable_->execute(context);
    if (verbose && status.ok()) verbose_timed("exec", desc_->info(), now_milliseconds() - start);
    return status;
}

}  // namespace tombola::impl
