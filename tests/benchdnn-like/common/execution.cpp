// SPDX-License-Identifier: Apache-2.0
#include "common/execution.hpp"

#include <cstring>

#include "common/errors.hpp"

namespace tombola::bench {

namespace {

// Moves to the first implementation that --impl and --skip-impl allow. A whole name goes before a part of one,
// so that --impl=jit:avx512_core is not jit:avx512_core_vbmi where both serve. False if there is none; `seen`
// lists those that serve the problem.
bool select_impl(const Settings& settings, PrimitiveDesc& primitive_desc, std::string& seen) {
    const auto skipped = [&](const std::string& name) {
        for (const std::string& part : settings.skip_impl)
            if (name.find(part) != std::string::npos) return true;
        return false;
    };
    for (bool whole : {true, false}) {
        if (whole && settings.impl.empty()) continue;
        tombola_primitive_desc_t raw = nullptr;
        require(tombola_primitive_desc_clone(&raw, primitive_desc.get()), "clone");
        PrimitiveDesc candidate(raw);
        seen.clear();
        for (;;) {
            const std::string name = impl_name(candidate.get());
            seen += (seen.empty() ? "" : ", ") + name;
            const bool wanted =
                whole ? name == settings.impl : name.find(settings.impl) != std::string::npos;
            if (wanted && !skipped(name)) {
                primitive_desc = std::move(candidate);
                return true;
            }
            const auto status = tombola_primitive_desc_next_impl(candidate.get());
            if (status == tombola_last_impl_reached) break;
            require(status, "tombola_primitive_desc_next_impl");
        }
    }
    return false;
}

}  // namespace

Execution::Execution(const Problem& problem, const Settings& settings) {
    tombola_primitive_attr_t raw_attr = nullptr;
    require(tombola_primitive_attr_create(&raw_attr), "tombola_primitive_attr_create");
    const Attr attr(raw_attr);
    require(tombola_primitive_attr_set_scratchpad_mode(attr.get(), settings.scratchpad),
            "tombola_primitive_attr_set_scratchpad_mode");

    const auto status = problem.create(settings, attr.get(), primitive_desc_, reason_);
    if (status != tombola_success) {
        if (reason_.empty()) reason_ = tombola_get_last_error();
        if (status != tombola_unimplemented && status != tombola_invalid_arguments)
            throw CaseError(std::string("creation: ") + tombola_status2str(status) + ": " +
                            reason_);
        outcome_ = status == tombola_unimplemented ? Outcome::unimplemented : Outcome::refused;
        return;
    }
    std::string seen;
    if (!select_impl(settings, primitive_desc_, seen)) {
        outcome_ = Outcome::skipped;
        reason_ = "not among its implementations: " + seen;
        return;
    }
    impl_ = impl_name(primitive_desc_.get());
    tombola_primitive_t primitive = nullptr;
    require(tombola_primitive_create(&primitive, primitive_desc_.get()),
            "tombola_primitive_create");
    primitive_.reset(primitive);
    args_ = Arguments(primitive_desc_.get());
    problem.add_arguments(settings, args_);
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
        const auto desc = args_.desc(argument.arg);
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
            std::memcpy(data, memory.data(), memory.size());
        }
    }
    const auto scratchpad =
        tombola_primitive_desc_query_md(primitive_desc_.get(), tombola_query_scratchpad_md, 0);
    if (const size_t bytes = tombola_memory_desc_get_size(scratchpad))
        add(TOMBOLA_ARG_SCRATCHPAD, scratchpad, bytes);
}

tombola_status_t Execution::run() const {
    return tombola_primitive_execute(primitive_.get(), stream(),
                                     static_cast<int>(exec_args_.size()), exec_args_.data());
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
