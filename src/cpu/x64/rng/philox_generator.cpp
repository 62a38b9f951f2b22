// SPDX-License-Identifier: Apache-2.0
// The loops around the rounds of Philox, and the stores. philox_rounds.cpp has the rounds and says what is in which register.
#include "cpu/x64/rng/philox_generator.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "cpu/rng/philox.hpp"
#include "cpu/x64/machine.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// The kernel of f16 has three forms. Where streams wrap, it has 64 KB of code.
constexpr size_t kMaxCodeBytes = 128 * 1024;
// In a loop that stores past the caches, the streams write this far apart. Their stores reach new pages at the same time, so the processor
// translates several addresses at once. A cache line of the page table has the entries of 8 pages. Streams must not share such a line, and
// must reach their next lines at the same time, so the distance is a multiple of these 8 pages. MachineRow::stream_skew is added to it, and
// the sum is rounded up to whole groups.
constexpr int kTableLinePages = 8, kPageBytes = 4096;
constexpr int kFarBytes = 2 * kTableLinePages * kPageBytes;

const char* suffix_of(PhiloxLanes lanes) {
    return lanes == PhiloxLanes::run ? "" : lanes == PhiloxLanes::rows ? ".rows" : ".two_parts";
}

}  // namespace

PhiloxGenerator::PhiloxGenerator(const Key& key, const PhiloxShape& shape)
    : Vocabulary(std::get<0>(key), "philox." + shape.name + suffix_of(std::get<1>(key)),
                 kMaxCodeBytes),
      shape_(shape),
      row_parts_(row_parts(std::get<1>(key))),
      streams_(streams_of(shape, shape_of(std::get<0>(key)), std::get<1>(key))),
      product_(kStreamVecs * streams_),
      first_convert_vec_(product_ + (holds_constants() ? 3 : 1)) {}

int PhiloxGenerator::row_parts(PhiloxLanes lanes) {
    return lanes == PhiloxLanes::run ? 0 : lanes == PhiloxLanes::rows ? 1 : 2;
}

int PhiloxGenerator::streams_of(const PhiloxShape& shape, const VecShape& vectors,
                                PhiloxLanes lanes) {
    if (lanes == PhiloxLanes::two_parts)
        return streams_of(shape, vectors, PhiloxLanes::run) / 2 * 2;
    const bool many_registers = vectors.registers == 32;
    constexpr int kProductAndMultipliers = 3;
    const int left =
        many_registers ? 32 - kProductAndMultipliers - shape.own.of_32 : 16 - shape.own.of_16;
    return std::min(left / kStreamVecs, kMaxStreams);
}

void PhiloxGenerator::generate() {
    Label remainder;
    const int scratch_bytes =
        makes_rows() ? rows_frame_bytes() : std::max(2 * bytes(), group_bytes()) + bytes();
    begin(kUsedGprs + extra_gprs() + (makes_rows() ? kStepGprs : 0),
          spread_bytes(kSpreadSlots) + scratch_bytes);
    load_arguments();
    for (int i = 0; i < streams_; ++i) list_operations(i);

    if (makes_rows()) {
        emit_forms(false, remainder);
        L(remainder);
        emit_loop({row_parts_, 1, 0, false, dst_});
        return end();
    }
    for (const bool streaming : {false, true}) {
        if (streaming && shape_.element_bytes == 0) continue;
        Label other_stores;
        cmp(dword[args_ + offsetof(Args, streaming)], streaming ? 1 : 0);
        jne(other_stores, T_NEAR);
        emit_forms(streaming, remainder);
        L(other_stores);
    }
    L(remainder);
    emit_loop({2, 1, 0, false, dst_});
    emit_loop({1, 1, 0, false, dst_});
    if (!shape_.whole_groups) emit_tail();
    end();
}

// How many groups apart the streams of a loop that stores past the caches write.
int PhiloxGenerator::far_groups() const {
    return (kFarBytes + machine().row.stream_skew + group_bytes() - 1) / group_bytes();
}

// Emits the main loops of the form that the arguments name. Form 0 computes the elements that these loops leave.
void PhiloxGenerator::emit_forms(bool streaming, const Label& remainder) {
    for (int form = shape_.forms - 1; form > 0; --form) {
        Label other_form;
        cmp(dword[args_ + offsetof(Args, form)], form);
        jne(other_form, T_NEAR);
        emit_main_loops(form, streaming);
        jmp(remainder, T_NEAR);
        L(other_form);
    }
    emit_main_loops(0, streaming);
    jmp(remainder, T_NEAR);
}

void PhiloxGenerator::load_arguments() {
    args_ = gpr(0);
    dst_ = gpr(1);
    count_ = gpr(2);
    scratch_ = gpr(3);
    scratch2_ = gpr(4);
    const Vec temporary = vec(0);
    fold0_ = spread_u64(args_, offsetof(Args, fold0), next_slot_++, temporary);
    fold1_ = spread_u64(args_, offsetof(Args, fold1), next_slot_++, temporary);
    fold2_ = spread_u64(args_, offsetof(Args, fold2), next_slot_++, temporary);
    load_keys(temporary);
    load_parameters();
    mov(dst_, ptr[args_ + offsetof(Args, dst)]);
    mov(count_, ptr[args_ + offsetof(Args, count)]);
    load_products();
    if (makes_rows()) load_steps();
    m0_ = hold_u64(product_ + 1, kPhiloxM0);
    m1_ = hold_u64(product_ + 2, kPhiloxM1);
    set_odd_lanes(scratch_);
}

// Loads the keys. AVX-512 needs single keys, so it takes them out of the pairs.
void PhiloxGenerator::load_keys(const Vec& temporary) {
    first_key_ = spread_u32(args_, offsetof(Args, first_key), next_slot_++, temporary);
    for (int i = 0; i < kPhiloxKeyPairs; ++i)
        for (int half = 0; half < 2; ++half) {
            const size_t pair = offsetof(Args, key_pairs) + sizeof(uint64_t) * (2 * i + half);
            if (has_xor3()) {
                keys_[2 * i][half] = spread_u32(args_, pair + 4, next_slot_++, temporary);
                keys_[2 * i + 1][half] = spread_u32(args_, pair, next_slot_++, temporary);
            } else {
                keys_[2 * i][half] = spread_u64(args_, pair, next_slot_++, temporary);
            }
        }
    if (!has_xor3()) return;
    for (int half = 0; half < 2; ++half)
        last_key_[half] = spread_u32(args_, offsetof(Args, last_keys) + sizeof(uint32_t) * half,
                                     next_slot_++, temporary);
}

void PhiloxGenerator::load_products() {
    const Vec product = vec(holds_products() ? product_ : 0);
    broadcast_u64(product, ptr[args_ + offsetof(Args, product)]);
    makes_rows() ? add_row_products(product, vec(1)) : vpaddq(product, product, lane_products());
    if (holds_products()) return;
    product_slot_ = next_slot_++;
    store(product_slot(), product);
}

PhiloxGenerator::Spread PhiloxGenerator::parameter_u32(size_t offset) {
    return spread_u32(args_, offsetof(Args, parameters) + offset, next_slot_++, vec(0));
}

PhiloxGenerator::Spread PhiloxGenerator::parameter_u64(size_t offset) {
    return spread_u64(args_, offsetof(Args, parameters) + offset, next_slot_++, vec(0));
}

PhiloxGenerator::Spread PhiloxGenerator::parameter_high(size_t offset) {
    return parameter_u32(offset + sizeof(uint32_t));
}

PhiloxGenerator::Address PhiloxGenerator::parameter_address(size_t offset) {
    return ptr[args_ + static_cast<int>(offsetof(Args, parameters) + offset)];
}

// M0 times the number of the block in each lane.
PhiloxGenerator::Address PhiloxGenerator::lane_products() {
    uint64_t table[8];
    const int blocks = group_blocks();
    for (int lane = 0; lane < blocks; ++lane) {
        const int block = shape_.order == PhiloxShape::LaneOrder::natural
                              ? lane
                              : lane / 2 + lane % 2 * (blocks / 2);
        table[lane] = uint64_t{kPhiloxM0} * static_cast<unsigned>(block);
    }
    return vector_table(table);
}

void PhiloxGenerator::emit_main_loops(int form, bool streaming) {
    if (streaming)
        emit_far_loop({streams_, far_groups(), form, true, dst_, true});
    else
        emit_loop({streams_, 1, form, false, dst_, true});
    emit_loop({streams_, 1, form, streaming, dst_});
}

// Loops while a whole step is left. If steps wrap, a pass has the end of one step and the beginning of the next. The end of the last step
// follows after the loop.
void PhiloxGenerator::emit_loop(const Step& step) {
    const int elements = step.streams * group_elements();
    const int elements_of_pass = step.wraps ? 2 * elements : elements;
    Label again, done;
    cmp(count_, elements_of_pass);
    jb(done, T_NEAR);
    if (step.wraps) emit_step(step, Part::beginning);
    align(32);
    L(again);
    emit_step(step, Part::whole);
    emit_advance(step.groups());
    sub(count_, elements);
    cmp(count_, elements_of_pass);
    jae(again, T_NEAR);
    if (step.wraps) {
        emit_step(step, Part::end);
        emit_advance(step.groups());
        sub(count_, elements);
    }
    L(done);
}

// Each stream writes a region of `distance` groups, and the regions follow each other. Loops while a whole region is left for each stream.
void PhiloxGenerator::emit_far_loop(const Step& step) {
    const int elements = step.streams * step.distance * group_elements();
    const int groups_of_others = (step.streams - 1) * step.distance;
    const Reg& groups_left = scratch_;
    Label next, again, done;
    cmp(count_, elements);
    jb(done, T_NEAR);
    L(next);
    if (step.wraps) emit_step(step, Part::beginning);
    mov(groups_left, step.distance - (step.wraps ? 1 : 0));
    align(32);
    L(again);
    emit_step(step, Part::whole);
    emit_advance(step.groups());
    if (machine().row.prefetches_pages) emit_prefetch_pages(step, groups_left);
    dec(groups_left);
    jnz(again, T_NEAR);
    if (step.wraps) {
        emit_step(step, Part::end);
        emit_advance(step.groups());
    }
    emit_advance(groups_of_others);
    emit_advance_product(groups_of_others, vec(0));
    sub(count_, elements);
    cmp(count_, elements);
    jae(next, T_NEAR);
    L(done);
}

// Once per page, prefetches a line of the page after the next one of each stream.
void PhiloxGenerator::emit_prefetch_pages(const Step& step, const Reg& groups_left) {
    Label same_page;
    test(groups_left, kPageBytes / group_bytes() - 1);
    jnz(same_page, T_NEAR);
    for (int i = 0; i < step.streams; ++i)
        prefetcht1(ptr[dst_ + i * step.distance * group_bytes() + 2 * kPageBytes]);
    L(same_page);
}

// The last elements, fewer than a group: a whole group is written to the frame, and the elements of the tensor are
// copied from there.
void PhiloxGenerator::emit_tail() {
    Label none, partial;
    test(count_, count_);
    jz(none, T_NEAR);
    const Reg& bytes_left = count_;
    const Reg& from = args_;
    const int scratch = spread_bytes(kSpreadSlots);
    emit_step({1, 1, 0, false, rsp + scratch}, Part::whole);
    imul(bytes_left, count_, shape_.element_bytes);
    lea(from, ptr[rsp + scratch]);
    // Copies whole vectors. Before each copy, fewer than `limit` bytes are left.
    for (int limit = group_bytes(); limit > bytes(); limit -= bytes()) {
        cmp(bytes_left, bytes());
        jb(partial, T_NEAR);
        load(vec(0), ptr[from]);
        store(ptr[dst_], vec(0));
        add(from, bytes());
        add(dst_, bytes());
        sub(bytes_left, bytes());
    }
    L(partial);
    load(vec(0), ptr[from]);
    const Tail tail{bytes_left, scratch_, scratch2_};
    set_tail(tail);
    store_tail(dst_, vec(0), tail);
    L(none);
}

// Streams that do not wrap take turns. Streams that wrap begin at even distances in time, the last one at time 0, when the pass begins. The
// operations of the other streams before time 0 are at the end of the pass before. So the streams are in different rounds, and instructions
// of all kinds lie side by side.
void PhiloxGenerator::emit_step(const Step& step, Part part) {
    struct Place {
        int time;
        const Operation* operation;
    };
    std::vector<Place> places;
    places.reserve(static_cast<size_t>(step.streams) * work_[0].operations.size());
    for (int i = 0; i < step.streams; ++i) {
        const std::vector<Operation>& operations = work_[i].operations;
        const auto count = static_cast<int>(operations.size());
        const int lead = (step.streams - 1 - i) * count / step.streams;
        for (int k = 0; k < count; ++k) {
            const Operation& operation = operations[static_cast<size_t>(k)];
            const int time = step.wraps ? k - lead : operation.turn;
            if (part == (time < 0 ? Part::end : Part::beginning)) continue;
            places.push_back({time < 0 ? time + count : time, &operation});
        }
    }
    std::stable_sort(places.begin(), places.end(),
                     [](const Place& a, const Place& b) { return a.time < b.time; });
    for (const Place& place : places) place.operation->emit(step);
}

void PhiloxGenerator::emit_output(Stream& s, int group, const Xbyak::RegExp& to, int form,
                                  bool streaming) {
    emit_convert(s, form);
    if (!makes_rows()) return emit_store(s, to, streaming);
    emit_store(s, frame(0), false);
    emit_store_elements(shape_.element_bytes, s, group);
}

void PhiloxGenerator::emit_advance(int groups) {
    if (makes_rows()) return;  // the pointers have moved with each column
    add(dst_, groups * group_bytes());
    emit_advance_pointers(groups);
}

void PhiloxGenerator::emit_store(const Stream& s, const Xbyak::RegExp& to, bool streaming) {
    store(ptr[to], vec(s.c0), streaming);
    store(ptr[to + bytes()], vec(s.c2), streaming);
}

}  // namespace tombola::impl::cpu::x64
