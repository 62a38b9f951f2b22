// SPDX-License-Identifier: Apache-2.0
#include "common/primitive.hpp"

#include <chrono>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "common/c_locale.hpp"
#include "common/fork.hpp"
#include "common/fp_env.hpp"
#include "common/machine.hpp"
#include "common/overlap.hpp"
#include "common/parallel.hpp"
#include "common/primitive_cache.hpp"
#include "common/scratchpad.hpp"
#include "common/verbose.hpp"

namespace tombola::impl {
namespace {

using Clock = std::chrono::steady_clock;

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
    return dims_to_string(desc) + ' ' + desc.to_string();
}

// Whether the memory holds spec.rows vectors.
bool matches_rows(const MemoryDesc& given, const ArgSpec& spec) {
    const dim_t elements = spec.desc.dims[0];
    if (spec.rows == ArgSpec::kNoRows || given.data_type != spec.desc.data_type ||
        !given.is_row_major())
        return false;
    if (given.ndims == 1) return elements == 1 && given.dims[0] == spec.rows;
    return given.ndims == 2 && given.dims[0] == spec.rows && given.dims[1] == elements;
}

Status check_desc(const ArgSpec& spec, const MemoryDesc& given) {
    const bool vector = spec.match == ArgSpec::Match::vector;
    if (vector ? matches_vector(given, spec.desc) || matches_rows(given, spec)
               : same_layout(given, spec.desc))
        return {};
    const dim_t count = spec.desc.dims[0];
    std::string rows;
    if (spec.rows != ArgSpec::kNoRows) {
        const dim_t number = spec.rows;
        rows = count == 1 ? format(", or %lld or %lldx1 in rows", number, number)
                          : format(", or %lldx%lld in rows", number, count);
    }
    return invalid("%s has the memory descriptor %s; expected %s", spec.name,
                   describe(given).c_str(),
                   vector ? (format("%lld element%s of %s, with leading dimensions of 1 if any",
                                    count, plural(count), name_of(spec.desc.data_type)) +
                             rows)
                                .c_str()
                          : describe(spec.desc).c_str());
}

// The failure for an argument that is not in `specs`.
Status refuse_arg(int place, int arg, const std::vector<ArgSpec>& specs) {
    const char* name = name_of_arg(arg);
    std::string taken;
    for (const ArgSpec& spec : specs) taken += (taken.empty() ? "" : ", ") + std::string(spec.name);
    return invalid(
        "args[%d] is %s, which the primitive descriptor as it was made does not take; expected one "
        "of %s",
        place, name == nullptr ? format("argument %d", arg).c_str() : name, taken.c_str());
}

// An argument of an execution that has been checked.
struct Given {
    const ArgSpec* spec;
    const MemoryDesc* desc;
    char* begin;  // the first element
    char* end;
};

// Whether one of the two is an output that may share the buffer of the other, and both begin at the same address.
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

// Checks the arguments of one execution, and adds them to its context.
class Arguments {
  public:
    // user_scratchpad_bytes: 0 if the caller gives no scratchpad.
    Arguments(const PrimitiveDesc& desc, size_t user_scratchpad_bytes, ExecContext& context)
        : desc_(desc), user_scratchpad_bytes_(user_scratchpad_bytes), context_(context) {}

    Status add(int place, const ExecArg& given) {
        if (given.arg == TOMBOLA_ARG_SCRATCHPAD) return add_scratchpad(given.memory);
        const ArgSpec* spec = desc_.find_arg(given.arg);
        if (spec == nullptr) return refuse_arg(place, given.arg, desc_.args());
        const auto index = static_cast<unsigned>(spec - desc_.args().data());
        TOMBOLA_TRY(add_memory(*spec, given.memory, 1u << index));
        context_.add(given.arg, given_[count_ - 1].begin, given.memory->elements);
        has_optional_output_ |= spec->role == ArgSpec::Role::output && !spec->required;
        return {};
    }

    // required: bit i: desc.args()[i] is required.
    Status check_together(uint32_t required) const {
        for (size_t i = 0; (seen_ & required) != required; ++i)
            if ((required & ~seen_ & 1u << i) != 0)
                return invalid("%s is missing; expected it among the arguments",
                               desc_.args()[i].name);
        if (user_scratchpad_bytes_ > 0 && scratchpad_ == nullptr)
            return invalid("SCRATCHPAD is missing; expected it in scratchpad mode user");
        return check_aliasing(given_, count_);
    }

    bool has_optional_output() const { return has_optional_output_; }
    void* scratchpad() const { return scratchpad_; }

  private:
    static constexpr uint32_t kScratchpadBit = 1u << 31;

    Status add_memory(const ArgSpec& spec, const Memory* memory, uint32_t bit) {
        if ((seen_ & bit) != 0) return invalid("%s is given twice; expected once", spec.name);
        seen_ |= bit;
        if (memory == nullptr) return invalid("%s is null; expected a memory object", spec.name);
        TOMBOLA_TRY(bit == kScratchpadBit ? check_scratchpad(*memory)
                                          : check_desc(spec, memory->desc));
        if (memory->handle == nullptr && memory->bytes > 0)
            return invalid("%s has no data; expected a data handle", spec.name);
        char* data = static_cast<char*>(memory->handle) + memory->offset_bytes;
        given_[count_++] = {&spec, &memory->desc, data, data + memory->bytes};
        return {};
    }

    // Other tensors may lie in the gaps of a strided layout.
    Status check_scratchpad(const Memory& memory) const {
        if (!memory.desc.is_dense())
            return invalid("SCRATCHPAD has the memory descriptor %s; expected one without gaps",
                           describe(memory.desc).c_str());
        if (memory.bytes < user_scratchpad_bytes_)
            return invalid("SCRATCHPAD has %llu byte%s; expected at least %llu", memory.bytes,
                           plural(static_cast<int64_t>(memory.bytes)), user_scratchpad_bytes_);
        return {};
    }

    Status add_scratchpad(const Memory* memory) {
        static constexpr ArgSpec kSpec{TOMBOLA_ARG_SCRATCHPAD, "SCRATCHPAD",
                                       ArgSpec::Role::output,  true,
                                       ArgSpec::Match::vector, MemoryDesc{}};
        if (user_scratchpad_bytes_ == 0) return {};  // giving it is no error, as in oneDNN
        TOMBOLA_TRY(add_memory(kSpec, memory, kScratchpadBit));
        scratchpad_ = given_[count_ - 1].begin;
        if (reinterpret_cast<uintptr_t>(scratchpad_) % kScratchpadAlignment != 0)
            return invalid("SCRATCHPAD lies at %p; expected an address aligned to %llu bytes",
                           scratchpad_, kScratchpadAlignment);
        return {};
    }

    const PrimitiveDesc& desc_;
    size_t user_scratchpad_bytes_;
    ExecContext& context_;
    Given given_[ExecContext::kMaxArgs + 1];
    int count_ = 0;
    uint32_t seen_ = 0;  // bit i: desc.args()[i]; kScratchpadBit
    bool has_optional_output_ = false;
    void* scratchpad_ = nullptr;
};

// Builds the executable of `desc`. If there is no memory for its code, or executable memory has been denied since `desc` was
// made, the later rows of the table are tried, and `desc` becomes the descriptor of the row that is taken. In scratchpad mode user, a
// row that needs a larger scratchpad than `desc` is not taken, because the caller may have allocated the size that `desc` asked for.
Result<std::shared_ptr<const Executable>> build(std::shared_ptr<const PrimitiveDesc>& desc) {
    const size_t scratchpad_bytes = desc->plan().scratchpad_bytes();
    const bool user_scratchpad = desc->attr().scratchpad_mode == ScratchpadMode::user;
    for (std::shared_ptr<const PrimitiveDesc> row = desc;;) {
        auto built = row->plan().build();
        if (built.ok()) {
            desc = row;
            return store_cached(row, std::shared_ptr<const Executable>(built.take()));
        }
        const StatusCode code = built.status().code();
        const bool denied = code == StatusCode::unimplemented;
        if (!denied && code != StatusCode::out_of_memory) return built.take_status();
        auto next = row->next();
        const bool is_last =
            !next.ok() ||
            (user_scratchpad && next.value()->plan().scratchpad_bytes() > scratchpad_bytes);
        if (is_last && denied)
            return Status(StatusCode::runtime_error,
                          "code generation failed: " + built.status().message());
        if (is_last) return built.take_status();
        row = next.take();
    }
}

// Makes the constants that executions would otherwise make at their first use. So a signal handler may interrupt the first execution and
// execute too.
void make_constants() {
    machine_in_use();
    machine_sizes();
    processors();
    const CLocale numbers;
}

}  // namespace

Primitive::Primitive(std::shared_ptr<const PrimitiveDesc> desc,
                     std::shared_ptr<const Executable> code)
    : desc_(std::move(desc)),
      executable_(std::move(code)),
      scratchpad_bytes_(desc_->plan().scratchpad_bytes()),
      user_scratchpad_(scratchpad_bytes_ > 0 &&
                       desc_->attr().scratchpad_mode == ScratchpadMode::user),
      writes_nothing_(desc_->writes_nothing()),
      seeds_(seeds_of(desc_->op())),
      seeded_words_(seeded_words(desc_->op())) {
    const std::vector<ArgSpec>& specs = desc_->args();
    for (size_t i = 0; i < specs.size(); ++i)
        if (specs[i].required) required_ |= 1u << i;
}

Result<std::unique_ptr<Primitive>> Primitive::create(std::shared_ptr<const PrimitiveDesc> desc) {
    make_constants();
    const bool prints = verbose_create();
    const auto start = prints ? Clock::now() : Clock::time_point();
    std::shared_ptr<const Executable> code = find_cached(desc);
    const bool hit = code != nullptr;
    if (!hit) {
        const ForkHold hold;
        const DefaultFpEnv fp_env;
        code = TOMBOLA_TRY(build(desc));
    }
    // The scratchpad is reserved now, so that executing on this thread does not allocate.
    if (desc->attr().scratchpad_mode == ScratchpadMode::library)
        thread_scratchpad(desc->plan().scratchpad_bytes());
    if (prints)
        verbose_timed(hit ? "create:cache_hit" : "create:cache_miss", desc->info(),
                      Clock::now() - start);
    std::unique_ptr<Primitive> primitive(new (std::nothrow)
                                             Primitive(std::move(desc), std::move(code)));
    if (!primitive) return Status(StatusCode::out_of_memory, "primitive: out of memory");
    return primitive;
}

Status Primitive::execute(const ExecArg* given, int count) const {
    ExecContext context;
    Arguments arguments(*desc_, user_scratchpad_ ? scratchpad_bytes_ : 0, context);
    for (int i = 0; i < count; ++i) TOMBOLA_TRY(arguments.add(i, given[i]));
    TOMBOLA_TRY(arguments.check_together(required_));
    if (!arguments.has_optional_output() && writes_nothing_) return {};

    void* scratchpad = arguments.scratchpad();
    if (scratchpad_bytes_ > 0 && !user_scratchpad_) {
        scratchpad = thread_scratchpad(scratchpad_bytes_);
        if (scratchpad == nullptr)
            return Status(
                StatusCode::out_of_memory,
                format("the scratchpad of %llu bytes could not be allocated", scratchpad_bytes_));
    }
    context.set_scratchpad(scratchpad);
    context.set_default_seeds(seeds_);
    context.set_seeded_words(seeded_words_.get());

    const bool verbose = verbose_exec();
    const auto start = verbose ? Clock::now() : Clock::time_point();
    Status status;
    {
        const DefaultFpEnv fp_env;
        status = executable_->execute(context);
    }
    if (verbose && status.ok()) {
        try {
            verbose_timed("exec", desc_->info(), Clock::now() - start);
        } catch (const std::bad_alloc&) {
            // The line is missing. The outputs are written, so the execution succeeds.
        }
    }
    return status;
}

}  // namespace tombola::impl
