// SPDX-License-Identifier: Apache-2.0
#include "common/execution.hpp"

#include <algorithm>
#include <cstring>

#include "common/errors.hpp"
#include "common/stopwatch.hpp"

namespace tombola::bench {

namespace {

Attr make_attr(const Settings& settings) {
    tombola_primitive_attr_t attr = nullptr;
    require(tombola_primitive_attr_create(&attr), "tombola_primitive_attr_create");
    Attr owner(attr);
    require(tombola_primitive_attr_set_scratchpad_mode(attr, settings.scratchpad),
            "tombola_primitive_attr_set_scratchpad_mode");
    return owner;
}

// A problem's primitive descriptor, or why there is none.
struct Created {
    tombola_status_t status = tombola_success;
    std::string reason;
    PrimitiveDesc primitive_desc;
    int64_t too_large = 0;
};
Created create(const Problem& problem, const Settings& settings,
               const_tombola_primitive_attr_t attr) {
    Created result;
    try {
        Creation creation(attr, settings.allow_enum_tags_only);
        tombola_primitive_desc_t created = nullptr;
        result.status = problem.create(creation, &created);
        result.primitive_desc.reset(created);
        if (result.status != tombola_success) result.reason = tombola_get_last_error();
    } catch (const Refused& refused) {
        result.status = refused.status;
        result.reason = refused.reason;
        result.too_large = refused.too_large;
    }
    return result;
}

// Calls visit(descriptor, name) for the implementations that serve the problem, best first, until it returns true.
template <class Visit>
void visit_implementations(const PrimitiveDesc& primitive_desc, const Visit& visit) {
    tombola_primitive_desc_t raw = nullptr;
    require(tombola_primitive_desc_clone(&raw, primitive_desc.get()), "clone");
    PrimitiveDesc candidate(raw);
    for (;;) {
        if (visit(candidate, impl_name(candidate.get()))) return;
        const auto status = tombola_primitive_desc_next_impl(candidate.get());
        if (status == tombola_last_impl_reached) return;
        require(status, "tombola_primitive_desc_next_impl");
    }
}

// Moves to the first implementation that --impl and --skip-impl allow. A whole name goes before a part of one,
// so that --impl=jit:avx512_core is not jit:avx512_core_vbmi where both serve. False if there is none; `seen`
// lists those that serve the problem.
bool select_impl(const Settings& settings, PrimitiveDesc& primitive_desc, std::string& seen) {
    const auto& skipped = settings.skip_impl;
    for (bool whole : {true, false}) {
        if (whole && settings.impl.empty()) continue;
        bool found = false;
        PrimitiveDesc chosen;
        seen.clear();
        visit_implementations(primitive_desc, [&](PrimitiveDesc& candidate,
                                                  const std::string& name) {
            seen += (seen.empty() ? "" : ", ") + name;
            const bool wanted = whole ? std::count(settings.impl.begin(), settings.impl.end(), name)
                                      : is_wanted(name, settings.impl);
            found = wanted && (skipped.empty() || !is_wanted(name, skipped));
            if (found) chosen = std::move(candidate);
            return found;
        });
        if (found) {
            primitive_desc = std::move(chosen);
            return true;
        }
    }
    return false;
}

Primitive create_primitive(const PrimitiveDesc& primitive_desc) {
    tombola_primitive_t primitive = nullptr;
    require(tombola_primitive_create(&primitive, primitive_desc.get()), "tombola_primitive_create");
    return Primitive(primitive);
}

}  // namespace

bool is_wanted(const std::string& name, const std::vector<std::string>& impl) {
    return impl.empty() || std::any_of(impl.begin(), impl.end(), [&](const std::string& part) {
               return name.find(part) != std::string::npos;
           });
}

std::vector<std::string> implementations(const Problem& problem, const Settings& settings) {
    const Attr attr = make_attr(settings);
    const Created created = create(problem, settings, attr.get());
    std::vector<std::string> names;
    if (created.status != tombola_success) return names;
    visit_implementations(created.primitive_desc, [&](PrimitiveDesc&, const std::string& name) {
        names.push_back(name);
        return false;
    });
    return names;
}

Execution::Execution(const Problem& problem, const Settings& settings) {
    const Attr attr = make_attr(settings);
    auto begin = Clock::now();
    Created created = create(problem, settings, attr.get());
    descriptor_times_.first = seconds_since(begin);
    if (created.status != tombola_success) {
        reason_ = created.reason;
        if (created.status != tombola_unimplemented && created.status != tombola_invalid_arguments)
            throw CaseError(std::string("creation: ") + tombola_status2str(created.status) + ": " +
                            reason_);
        if (created.too_large > 0)
            require_memory(settings, kCopies * static_cast<double>(created.too_large));
        outcome_ = created.status == tombola_unimplemented ? Outcome::unimplemented
                   : created.too_large > 0                 ? Outcome::too_large
                                                           : Outcome::refused;
        return;
    }
    primitive_desc_ = std::move(created.primitive_desc);
    std::string seen;
    if (!select_impl(settings, primitive_desc_, seen)) {
        outcome_ = Outcome::skipped;
        reason_ = (settings.skip_impl.empty() ? "not among its implementations: "
                   : settings.impl.empty()    ? "all of its implementations are skipped: "
                                              : "none of its implementations is left: ") +
                  seen;
        return;
    }
    impl_ = impl_name(primitive_desc_.get());
    begin = Clock::now();
    primitive_ = create_primitive(primitive_desc_);
    primitive_times_.first = seconds_since(begin);
    if (settings.mode.performance) {
        begin = Clock::now();
        create(problem, settings, attr.get());
        descriptor_times_.again = seconds_since(begin);
        begin = Clock::now();
        create_primitive(primitive_desc_);
        primitive_times_.again = seconds_since(begin);
    }
    if (settings.mode.initialize) return;
    args_ = Arguments(primitive_desc_.get(), settings);
    problem.add_arguments(args_);
    args_.refuse_unused_files(problem.driver_name());
}

void Execution::allocate(Buffer::Place place) {
    exec_args_.clear();
    tensors_.clear();
    const auto add = [&](int arg, const_tombola_memory_desc_t desc, size_t bytes) -> uint8_t* {
        Buffer buffer(bytes, place);
        tombola_memory_t memory = nullptr;
        require(tombola_memory_create(&memory, desc, engine(), buffer.data()),
                "tombola_memory_create");
        tensors_.push_back({std::move(buffer), Memory(memory)});
        exec_args_.push_back({arg, memory});
        return tensors_.back().buffer.data();
    };
    for (const Argument& argument : args_.all()) {
        const_tombola_memory_desc_t desc = args_.desc(argument.arg);
        MemoryDesc own;
        if (argument.own_dims) {
            tombola_memory_desc_t made = nullptr;
            require(tombola_memory_desc_create_with_strides(
                        &made, static_cast<int>(argument.own_dims->size()),
                        argument.own_dims->data(), argument.type, nullptr),
                    "tombola_memory_desc_create_with_strides");
            own.reset(made);
            desc = made;
        }
        if (tombola_memory_desc_get_size(desc) != argument.physical_bytes())
            throw CaseError(argument.name + ": the library says " +
                            std::to_string(tombola_memory_desc_get_size(desc)) +
                            " bytes, expected " + std::to_string(argument.physical_bytes()));
        uint8_t* data = add(argument.arg, desc, argument.physical_bytes());
        if (argument.role == Argument::Role::output || argument.layout.is_row_major()) {
            if (argument.role == Argument::Role::output)
                std::memset(data, kPoison, argument.physical_bytes());
            else if (!argument.values.empty())
                std::memcpy(data, argument.values.data(), argument.values.size());
        } else {
            const Bytes memory = initial_memory(argument);
            if (!memory.empty()) std::memcpy(data, memory.data(), memory.size());
        }
    }
    const auto scratchpad =
        tombola_primitive_desc_query_md(primitive_desc_.get(), tombola_query_scratchpad_md, 0);
    // In front of a guard page only a multiple of 64 bytes begins at a cache line, as a scratchpad must.
    if (const size_t bytes = tombola_memory_desc_get_size(scratchpad))
        add(TOMBOLA_ARG_SCRATCHPAD, scratchpad, (bytes + 63) / 64 * 64);
}

tombola_status_t Execution::run() {
    status_ = tombola_primitive_execute(primitive_.get(), stream(),
                                        static_cast<int>(exec_args_.size()), exec_args_.data());
    return status_;
}

uint8_t* Execution::data(int arg) const {
    for (size_t i = 0; i < args_.all().size(); ++i)
        if (args_.all()[i].arg == arg) return tensors_[i].buffer.data();
    return nullptr;
}

void Execution::fetch_outputs() {
    for (Argument& argument : args_.all())
        if (argument.role == Argument::Role::output) {
            argument.values.resize(argument.logical_bytes());
            unpack(argument.layout, argument.element_size(), data(argument.arg),
                   argument.values.data());
        }
}

std::string Execution::overrun_in_front() const {
    for (size_t i = 0; i < tensors_.size(); ++i)
        if (!tensors_[i].buffer.is_front_untouched())
            return i < args_.all().size() ? args_.all()[i].name : "SCRATCHPAD";
    return "";
}

Bytes Execution::initial_memory(const Argument& argument) const {
    Bytes memory(argument.physical_bytes(), kPoison);
    if (argument.role == Argument::Role::input)
        pack(argument.layout, argument.element_size(), argument.values.data(), memory.data());
    return memory;
}

bool Execution::is_as_allocated(const Argument& argument) const {
    const Bytes memory = initial_memory(argument);
    return memory.empty() || std::memcmp(memory.data(), data(argument.arg), memory.size()) == 0;
}

Bytes Execution::expected_memory(const Argument& argument) const {
    Bytes memory(argument.physical_bytes(), kPoison);
    pack(argument.layout, argument.element_size(), argument.expected.data(), memory.data());
    return memory;
}

}  // namespace tombola::bench
