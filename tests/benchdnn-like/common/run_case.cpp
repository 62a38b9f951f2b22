// SPDX-License-Identifier: Apache-2.0
#include "common/run_case.hpp"

#include <fmt/format.h>

#include <cstring>

#include "common/ceilings.hpp"
#include "reference/numeric.hpp"

namespace tombola::bench {

namespace {

constexpr size_t kDetails = 8;  // differences listed per tensor
// The implementation that every primitive has, in C++ without instructions of its own choice.
constexpr const char* kPortable = "portable";

// Runs once and compares. Sets the state and the reason.
void check_correctness(Problem& problem, Execution& execution, CaseResult& result) {
    Arguments& args = execution.args();
    const std::string refusal = problem.refusal(&args);
    const auto status = execution.run();
    const std::string message = status == tombola_success ? "" : tombola_get_last_error();

    const auto fail = [&](const std::string& reason) {
        result.state = State::failed;
        result.reason = reason;
    };
    if (const std::string name = execution.overrun_in_front(); !name.empty())
        return fail(fmt::format("memory in front of {} was written to", name));
    if (status != tombola_success) {
        for (const Argument& argument : args.all())
            if (!execution.is_as_allocated(argument))
                return fail(
                    fmt::format("refused ({}), but {} was written to", message, argument.name));
        if (status != tombola_invalid_arguments)
            return fail(fmt::format("execution: {}: {}", tombola_status2str(status), message));
        if (refusal.empty()) return fail("refused without need: " + message);
        result.state = State::invalid_arguments;
        result.reason = message;
        return;
    }
    if (!refusal.empty()) return fail("accepted, although " + refusal);

    execution.fetch_outputs();
    problem.expect(args);
    size_t errors = 0, total = 0;
    std::string first;
    for (const Argument& argument : args.all()) {
        if (argument.role == Argument::Role::input) {
            if (!execution.is_as_allocated(argument))
                return fail(fmt::format("the input {} was written to", argument.name));
            continue;
        }
        total += argument.count();
        if (!argument.compared) continue;
        const Difference difference =
            compare(argument, execution.data(argument.arg), execution.expected_memory(argument));
        if (difference.elements && first.empty()) first = difference.first;
        errors += difference.elements;
        result.details += difference.details;
    }
    if (errors) return fail(fmt::format("errors:{} total:{} first: {}", errors, total, first));
    if (const std::string mistrust = problem.mistrust(args); !mistrust.empty()) {
        result.state = State::mistrusted;
        result.reason = mistrust;
    }
}

// Writes the files of --dump, unless the execution failed and there is nothing in the outputs.
void write_dumps(Execution& execution, const std::string& path, CaseResult& result) {
    if (!execution.has_succeeded()) return;
    result.dumped = true;
    execution.fetch_outputs();
    for (const Argument& argument : execution.args().all())
        if (argument.dump) write_file(path + *argument.dump, argument.values);
}

// Creates the primitive; false if the case ends here.
bool is_ready(const Problem& problem, const Settings& settings, const Execution& execution,
              CaseResult& result) {
    result.impl = execution.impl();
    result.reason = execution.reason();
    switch (execution.outcome()) {
        case Execution::Outcome::ready:
            break;
        case Execution::Outcome::unimplemented:
            result.state = State::unimplemented;
            return false;
        case Execution::Outcome::skipped:
            result.state = State::skipped;
            return false;
        case Execution::Outcome::too_large:
            result.state = State::invalid_arguments;
            return false;
        case Execution::Outcome::refused:
            result.state = State::invalid_arguments;
            if (problem.refusal(nullptr).empty()) {
                result.state = State::failed;
                result.reason = "refused without need: " + result.reason;
            }
            return false;
    }
    if (const std::string refusal = problem.refusal(nullptr); !refusal.empty())
        throw CaseError("accepted at creation, although " + refusal);
    if (settings.check_ref_impl && execution.impl() == kPortable)
        throw CaseError("--check-ref-impl: the implementation is the portable one");
    if (settings.mode.initialize) result.state = State::initialized;
    return !settings.mode.initialize;
}

// Runs once without looking at what comes out.
void check_execution(const Problem& problem, Execution& execution, CaseResult& result) {
    result.state = State::executed;
    const std::string refusal = problem.refusal(&execution.args());
    const auto status = execution.run();
    if (status == tombola_invalid_arguments && !refusal.empty()) {
        result.state = State::invalid_arguments;
        result.reason = tombola_get_last_error();
        return;
    }
    require(status, "execution");
}

// Correctness, or a plain run.
void run_once(Problem& problem, const Settings& settings, bool dump, CaseResult& result) {
    Execution execution(problem, settings);
    if (!is_ready(problem, settings, execution, result)) return;
    result.measurement.descriptor = execution.descriptor_times();
    result.measurement.primitive = execution.primitive_times();
    if (settings.mode.correctness) {
        execution.allocate(Buffer::Place::guarded);
        check_correctness(problem, execution, result);
        if (result.state == State::failed) problem.pin(execution.args());
    } else {
        execution.allocate(Buffer::Place::aligned);
        check_execution(problem, execution, result);
    }
    if (dump) write_dumps(execution, settings.dump, result);
}

void run_measured(const Problem& problem, const Settings& settings, bool dump, CaseResult& result) {
    Execution execution(problem, settings);
    if (!is_ready(problem, settings, execution, result)) return;
    execution.allocate(Buffer::Place::aligned);
    check_execution(problem, execution, result);
    if (result.state != State::executed) return;
    result.measurement = measure(problem, settings, execution);
    result.measured = true;
    result.state = State::passed;
    if (dump) write_dumps(execution, settings.dump, result);
}

void run_checked(Problem& problem, const Settings& settings, bool dump, CaseResult& result) {
    if (settings.mode.correctness || settings.mode.run || settings.mode.initialize) {
        run_once(problem, settings, dump, result);
        if (result.state != State::passed && result.state != State::mistrusted) return;
    }
    if (settings.mode.performance) {
        // Correctness wants every output, a measurement what a caller in a hurry would ask for.
        const State checked = result.state;
        Settings alone = settings;
        alone.mode.correctness = false;
        const Measurement before = result.measurement;
        run_measured(problem, alone, dump && !settings.mode.correctness, result);
        if (settings.mode.correctness) {
            result.measurement.descriptor.first = before.descriptor.first;
            result.measurement.primitive.first = before.primitive.first;
        }
        if (result.state == State::passed) result.state = checked;
    }
}

}  // namespace

Difference compare(const Argument& argument, const uint8_t* actual, const Bytes& expected) {
    Difference difference;
    const size_t size = argument.element_size();
    if (expected.empty() || std::memcmp(actual, expected.data(), expected.size()) == 0)
        return difference;

    const auto note = [&](const std::string& line) {
        if (difference.elements == 1) difference.first = line;
        if (difference.elements <= kDetails) difference.details += "  " + line + "\n";
    };
    // Elements in logical order; each is then made equal, so that what still differs is padding or a gap.
    Bytes rest(actual, actual + expected.size());
    const int64_t count = argument.layout.count();
    const bool row_major = argument.layout.is_row_major();
    for (int64_t e = 0; e < count; ++e) {
        const size_t place =
            static_cast<size_t>(
                row_major ? e
                          : argument.layout.offset(reference::index_of(argument.layout.dims, e))) *
            size;
        if (std::memcmp(actual + place, expected.data() + place, size) == 0) continue;
        ++difference.elements;
        std::memcpy(rest.data() + place, expected.data() + place, size);
        if (difference.elements <= kDetails) {
            std::string index;
            for (int64_t i : reference::index_of(argument.layout.dims, e))
                index += (index.empty() ? "" : ",") + std::to_string(i);
            note(fmt::format("{}[{}] is {}, expected {}", argument.name, index,
                             reference::element_to_string(argument.type, actual + place),
                             reference::element_to_string(argument.type, expected.data() + place)));
        }
    }
    for (size_t place = 0; place + size <= rest.size(); place += size) {
        if (std::memcmp(rest.data() + place, expected.data() + place, size) == 0) continue;
        ++difference.elements;
        note(fmt::format("{}: padding or gap at element {} of the memory is {}, expected {}",
                         argument.name, place / size,
                         reference::element_to_string(argument.type, rest.data() + place),
                         reference::element_to_string(argument.type, expected.data() + place)));
    }
    return difference;
}

CaseResult run_case(Problem& problem, const Settings& settings, bool dump) {
    CaseResult result;
    if (settings.mode.list) {
        result.state = State::listed;
        return result;
    }
    try {
        const ThreadLimit limit(settings.threads);
        run_checked(problem, settings, dump, result);
    } catch (const TooLarge& error) {
        result.state = State::skipped;
        result.reason = error.what();
    } catch (const CaseError& error) {
        result.state = State::failed;
        result.reason = error.what();
    } catch (const std::bad_alloc&) {
        result.state = State::failed;
        result.reason = "out of memory";
    }
    return result;
}

}  // namespace tombola::bench
