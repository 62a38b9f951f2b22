// SPDX-License-Identifier: Apache-2.0
#pragma once

// A row of the machine model as it stands in src/cpu/x64/machine.cpp, one member a line.

#include <cstdint>
#include <cstdio>
#include <string>

#include "cpu/x64/machine.hpp"

namespace tombola::test {

inline std::string size_source(int64_t bytes) {
    constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB;
    if (bytes % kMiB == 0) return std::to_string(bytes / kMiB) + " * kMiB";
    if (bytes % kKiB == 0) return std::to_string(bytes / kKiB) + " * kKiB";
    return std::to_string(bytes);
}

inline std::string row_source(const impl::cpu::x64::MachineRow& row) {
    std::string source;
    const auto add = [&](const std::string& member, const std::string& value) {
        source += "    row." + member + " = " + value + ";\n";
    };
    const auto add_number = [&](const std::string& member, double value) {
        char text[32];
        std::snprintf(text, sizeof text, "%.3g", value);
        add(member, value >= 100 ? std::to_string(static_cast<int>(value + 0.5)) : text);
    };
    const auto add_rates = [&](const std::string& width, const impl::cpu::x64::VectorRates& r) {
        add_number(width + ".permutes", r.permutes);
        add_number(width + ".permute2w_slots", r.permute2w_slots);
        add_number(width + ".lane_shuffles", r.lane_shuffles);
        add_number(width + ".unpack_slots", r.unpack_slots);
        add_number(width + ".vectors", r.vectors);
        add_number(width + ".loads", r.loads);
        add_number(width + ".stores", r.stores);
        add_number(width + ".front", r.front);
        add_number(width + ".front_near_sources", r.front_near_sources);
        add_number(width + ".split_store", r.split_store);
        add_number(width + ".split_load", r.split_load);
        add_number(width + ".step_cycles", r.step_cycles);
        add_number(width + ".unrolled_step_cycles", r.unrolled_step_cycles);
        add_number(width + ".clock", r.clock);
    };
    add("typical", "{" + size_source(row.typical.l1) + ", " + size_source(row.typical.l2) + ", " +
                       size_source(row.typical.l3) + "}");
    add("tlb_pages", std::to_string(row.tlb_pages));
    add_number("latency", row.latency);
    add("read_ahead", std::to_string(row.read_ahead));
    add("string_bytes", std::to_string(row.string_bytes));
    add("linear_rows", std::to_string(row.linear_rows));
    add("prefetches_rows", row.prefetches_rows ? "true" : "false");
    add("unrolled_operations", std::to_string(row.unrolled_operations));
    add_number("load_cycles", row.load_cycles);
    add_number("waking", row.waking);
    add_number("traffic", row.traffic);
    add_number("shared_stores", row.shared_stores);
    add_number("copy_cycles", row.copy_cycles);
    add_number("streamed_gain", row.streamed_gain);
    add_number("far_l3", row.far_l3);
    add_number("shared_far_l3", row.shared_far_l3);
    add("prefetched_run", std::to_string(row.prefetched_run));
    add_number("near_l3", row.near_l3);
    add("open_lines", std::to_string(row.open_lines));
    add("near_alias", std::to_string(row.near_alias));
    add("far_alias", std::to_string(row.far_alias));
    add_number("apart_cycles", row.apart_cycles);
    add_number("crowded_line", row.crowded_line);
    add_number("evicted_line", row.evicted_line);
    add_number("near_store", row.near_store);
    add_number("long_program", row.long_program);
    add_number("unpacks_front", row.unpacks_front);
    add_number("shared_ports", row.shared_ports);
    add("counts_tables", row.counts_tables ? "true" : "false");
    add("prefetches_pages", row.prefetches_pages ? "true" : "false");
    add("stream_skew", std::to_string(row.stream_skew));
    add_number("gigahertz", row.gigahertz);
    add_rates("narrow", row.narrow);
    add_rates("wide", row.wide);
    return source;
}

}  // namespace tombola::test
