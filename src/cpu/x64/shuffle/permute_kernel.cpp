// SPDX-License-Identifier: Apache-2.0
// The kernel of a permute program: the loops around its operations, and the operations as instructions.
#include "cpu/x64/shuffle/operations.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "cpu/x64/shuffle/permute_lines.hpp"

// register            role
// gpr 0               arguments
// gpr 1-2             source and destination of this outer repetition
// gpr 3-4             source and destination of this inner step
// gpr 5-6             source and destination of the last inner step
// gpr 7               outer repetitions left
// gpr 8               repetitions of this section left
// gpr 9-10            source and destination of this section
// gpr 11              bytes to the next step, if the second step is aligned
// gpr 12, or 14       bytes from a load to the line that it prefetches, if sources are prefetched; 14 if sections store lines
// frame               values that are spilled
// vec 0 ...           values
// vec working_ - 1    a table that is loaded when it is used
// vec working_ ...    two for each run of lines, then tables that stay in registers during a section
// k1-k6               masks that stay in registers during a section
// k7                  any other mask
//
// In a section that stores lines, gpr 5-6 and 11-13 are as in permute_lines.hpp, and k6 has the bytes of the last step's loads.

namespace tombola::impl::cpu::x64 {
namespace {

using Kind = Operation::Kind;

// Kernels with more operations than this are not cached.
constexpr size_t kMaxCachedOperations = 4096;

// An upper bound of the code's size in bytes. An operation has at most three instructions of 11 bytes, the prefetch of a load included; a
// store in parts has seven. An operation is emitted for each step in the body of the loop and for the last step, in each pass; each time,
// at most 32 bytes for the next address are added. Operations of sections that store lines are emitted three times, and a run of lines has
// more instructions.
size_t code_bytes_for(const Operations& o, Stores stores, const Unrolled& unrolled) {
    const size_t instructions = stores == Stores::streaming_parts ? 7 : 3;
    size_t bytes = 0;
    for (const Operations::Section& section : o.sections) {
        const auto steps = static_cast<size_t>(unrolled.steps);
        bytes += 640 + (steps - 1) * 32 +
                 section.list.size() * (section.runs > 0 ? 3 : steps + 1) * instructions * 11 +
                 static_cast<size_t>(section.runs) * 512;
    }
    return 4096 + o.tables.size() * 64 + static_cast<size_t>(unrolled.passes) * bytes;
}

struct PermuteKey {
    CpuIsa isa;
    Stores stores;
    Sources sources;
    Unrolled unrolled;
    std::shared_ptr<const Operations> operations;
    bool operator<(const PermuteKey& other) const {
        return std::tie(isa, stores, sources, unrolled, *operations) <
               std::tie(other.isa, other.stores, other.sources, other.unrolled, *other.operations);
    }
};

template <class T>
int index_of(T value, const std::vector<T>& list) {
    const auto found = std::find(list.begin(), list.end(), value);
    return found == list.end() ? kNone : static_cast<int>(found - list.begin());
}

class PermuteKernel : public LineStores {
  public:
    using Args = PermuteArgs;
    using Key = PermuteKey;

    explicit PermuteKernel(const Key& key)
        : LineStores(key.stores, key.sources, key.isa, "shuffle_permute",
                     code_bytes_for(*key.operations, key.stores, key.unrolled)),
          program_(key.operations.get()),
          unrolled_(key.unrolled) {}

  private:
    using Section = Operations::Section;

    void generate() override {
        begin((has_runs() ? 14 : 12) + (prefetches_sources() ? 1 : 0), frame_slots() * bytes());
        const Reg args = gpr(0), src = gpr(1), dst = gpr(2), outer = gpr(7);
        mov(src, ptr[args + offsetof(Args, src)]);
        mov(dst, ptr[args + offsetof(Args, dst)]);
        mov(outer, ptr[args + offsetof(Args, outer)]);
        if (prefetches_sources()) mov(ahead(), ptr[args + offsetof(Args, src_ahead)]);
        const bool one_section = program_->sections.size() == 1;
        if (one_section) emit_constants(program_->sections[0]);
        align(32);
        emit_loop(has_repeats() ? 1 : unrolled_.passes, outer, [&] {
            for (size_t i = 0; i < program_->sections.size();) {
                const Section& section = program_->sections[i];
                if (!one_section && section.loop.sections == 1) emit_constants(section);
                emit_sections(&section);
                i += static_cast<size_t>(section.loop.sections);
            }
            add(src, ptr[args + offsetof(Args, src_outer)]);
            add(dst, ptr[args + offsetof(Args, dst_outer)]);
        });
        end();
    }

    bool has_runs() const { return program_->sections[0].runs > 0; }

    int frame_slots() const {
        int slots = 0;
        for (const Section& section : program_->sections)
            for (const Operation& o : section.list)
                if (o.kind == Kind::spill) slots = std::max(slots, o.position + 1);
        return slots;
    }

    bool has_repeats() const {
        return std::any_of(program_->sections.begin(), program_->sections.end(),
                           [](const Section& section) { return section.loop.repeats > 1; });
    }

    // A loop whose body has several passes. It may end after any of them.
    template <class Pass>
    void emit_loop(int passes, const Reg& count, const Pass& pass) {
        Label again, done;
        L(again);
        for (int i = 1; i <= passes; ++i) {
            pass();
            dec(count);
            i < passes ? jz(done, T_NEAR) : jnz(again, T_NEAR);
        }
        L(done);
    }

    // Emits the loop around one section or around several. If it has a single section, its constants are loaded before the loop.
    void emit_sections(const Section* sections) {
        const Reg src = gpr(1), dst = gpr(2), repeats = gpr(8), section_src = gpr(9),
                  section_dst = gpr(10);
        const SectionLoop& loop = sections->loop;
        const auto emit_all = [&] {
            for (int i = 0; i < loop.sections; ++i) {
                if (loop.sections > 1) emit_constants(sections[i]);
                emit_steps(sections[i]);
            }
        };
        mov(section_src, src);
        mov(section_dst, dst);
        if (loop.repeats == 1) return emit_all();
        mov(repeats, loop.repeats);
        emit_loop(unrolled_.passes, repeats, [&] {
            emit_all();
            add(section_src, static_cast<uint32_t>(loop.src_repeat));
            add(section_dst, static_cast<uint32_t>(loop.dst_repeat));
        });
    }

    // Emits a loop over all steps except the last one, in order, and then the last step at its own place. The body of the loop has several
    // steps; the loop may end after any of them.
    void emit_steps(const Section& section) {
        last_use_ = last_uses(section);
        lanes_ = lanes_stored(section);
        find_lines_ahead(section);
        const Reg args = gpr(0), s_last = gpr(5), d_last = gpr(6), section_src = gpr(9),
                  section_dst = gpr(10);
        mov(s(), section_src);
        mov(d(), section_dst);
        if (section.runs > 0) return emit_lines(section);
        if (program_->loop.single_step) return emit_step(section);
        Label step, last;
        mov(s_last, ptr[args + offsetof(Args, src_last)]);
        mov(d_last, ptr[args + offsetof(Args, dst_last)]);
        add(s_last, s());
        add(d_last, d());
        cmp(s(), s_last);
        jge(last, T_NEAR);
        emit_first_advance(section);
        align(16);
        L(step);
        for (int i = 1; i <= unrolled_.steps; ++i) {
            emit_step(section);
            emit_advance();
            cmp(s(), s_last);
            i < unrolled_.steps ? jge(last, T_NEAR) : jl(step, T_NEAR);
        }
        L(last);
        mov(s(), s_last);
        mov(d(), d_last);
        emit_step(section);
    }

    // The first step stores the first bytes of each run. The last step has the bytes that do not fill a register, and
    // loads them under a mask; there may be none.
    void emit_lines(const Section& section) {
        const Reg args = gpr(0), scratch = gpr(6);
        Label step, last;
        assert(frame_slots() == 0);  // ahead() may be the register that points to them
        for (const Operation& o : section.list)
            if (o.kind == Kind::store_line) begin_run(run_of(o), program_->tables[o.table]);
        mov(ones(), -1);
        mov(left(), ptr[args + offsetof(Args, src_last)]);
        phase_ = Lines::first;
        emit_step(section);
        const auto advance_line = [&] {
            add(s(), kLineBytes);
            add(d(), kLineBytes);
            sub(left(), kLineBytes);
        };
        advance_line();
        jl(last, T_NEAR);
        align(16);
        L(step);
        phase_ = Lines::whole;
        emit_step(section);
        advance_line();
        jge(step, T_NEAR);
        L(last);
        add(left(), kLineBytes);
        bzhi(scratch, ones(), left());
        kmovq(k6, scratch);
        phase_ = Lines::last;
        emit_step(section);
        phase_ = Lines::none;
    }

    int64_t aligned_to() const { return std::min(program_->loop.dst_step, kLineBytes); }

    bool aligns_second_step() const {
        return program_->loop.granule > 0 && program_->loop.granule < aligned_to();
    }

    // The first advance is shorter than a step, so that the second step's first store starts at a cache line, or at a
    // multiple of the step if that is less:
    //   advance = dst_step - (d + first_store) mod aligned_to(), the remainder rounded down to granules
    void emit_first_advance(const Section& section) {
        if (!aligns_second_step()) return;
        lea(advance(), ptr[d() + section.first_store]);
        and_(advance(), static_cast<uint32_t>(aligned_to() - program_->loop.granule));
        neg(advance());
        add(advance(), static_cast<uint32_t>(program_->loop.dst_step));
    }

    void emit_advance() {
        if (aligns_second_step()) {
            add(s(), advance());
            add(d(), advance());
            mov(advance(), program_->loop.dst_step);
        } else {
            add(s(), static_cast<uint32_t>(program_->loop.src_step));
            add(d(), static_cast<uint32_t>(program_->loop.dst_step));
        }
    }

    // ---- constants -----------------------------------------------------------------------------------------------

    // Loads the constants of a section: tables into the registers that are left for them, masks from k1 on.
    void emit_constants(const Section& section) {
        working_ = section.working;
        first_constant_ = section.busy();
        held_ = constants_of(section, registers() - first_constant_, has_masks());
        for (const int table : held_.tables)
            load(vec(hoisted_register(table)), table_in_memory(table));
        for (const uint64_t bits : held_.masks) kmovq(mask(bits), constant_u64(bits));
    }

    int hoisted_register(int table) const {
        const int index = index_of(table, held_.tables);
        return index == kNone ? kNone : first_constant_ + index;
    }

    Address table_in_memory(int index) { return vector_table(program_->tables[index].data()); }

    Vec table(int index) {
        const int hoisted = hoisted_register(index);
        if (hoisted != kNone) return vec(hoisted);
        const Vec scratch = vec(working_ - 1);
        if (scratch_table_ != index) load(scratch, table_in_memory(index));
        scratch_table_ = index;
        return scratch;
    }

    // A table, for an instruction that may take it from memory.
    Held table_operand(int index, int bytes) {
        const int hoisted = hoisted_register(index);
        return {part(std::max(hoisted, 0), bytes), table_in_memory(index), hoisted != kNone};
    }

    Xbyak::Opmask mask(uint64_t bits) {
        assert(has_masks());
        const int hoisted = index_of(bits, held_.masks);
        if (hoisted != kNone) return Xbyak::Opmask(1 + hoisted);
        if (scratch_mask_ != bits) kmovq(k7, constant_u64(bits));
        scratch_mask_ = bits;
        return k7;
    }

    // d, with units outside the mask set to zero. If `bits` is 0, all units are written.
    Vec under_mask(const Vec& d, uint64_t bits) { return bits == 0 ? d : d | mask(bits) | T_z; }

    // ---- one step ------------------------------------------------------------------------------------------------

    void emit_step(const Section& section) {
        register_of_.assign(static_cast<size_t>(section.values), kNone);
        taken_.assign(static_cast<size_t>(working_ - 1), false);
        scratch_table_ = kNone;
        scratch_mask_ = 0;
        next_register_ = 0;
        begin_step();
        for (const int64_t line : ahead_) prefetch_source(ptr[s() + ahead() + line]);
        for (size_t i = 0; i < section.list.size(); ++i) {
            const Operation& o = section.list[i];
            allocate(o, i);
            emit(o, lanes_[i]);
            for (const int value : {o.a, o.b})
                if (value != kNone && last_use_[value] == i) taken_[register_of_[value]] = false;
            if (o.d != kNone) taken_[register_of_[o.d]] = true;
        }
    }

    // Finds the lines of the source that a section loads. Leaves out lines that an earlier section, whose addresses advance alike, loads
    // too.
    void find_lines_ahead(const Section& section) {
        ahead_.clear();
        if (!prefetches_sources()) return;
        std::set<int64_t>& known = lines_ahead_[{section.loop.repeats, section.loop.src_repeat}];
        for (const Operation& o : section.list) {
            const auto next = known.upper_bound(o.offset);
            if (!o.is_load()) continue;
            if (next != known.begin() && o.offset < *std::prev(next) + kLineBytes) continue;
            known.insert(o.offset);
            ahead_.push_back(o.offset);
        }
    }

    // ---- registers -----------------------------------------------------------------------------------------------

    // If this is the last use of source a, the result takes its register.
    void allocate(const Operation& o, size_t at) {
        if (o.d == kNone) return;
        const bool in_place = o.a != kNone && last_use_[o.a] == at;
        assert(in_place || (o.kind != Kind::masked_permute && o.kind != Kind::select));
        register_of_[o.d] = in_place ? register_of_[o.a] : take_register();
    }

    // Takes the next free register, starting after the one that was taken last.
    int take_register() {
        const auto count = static_cast<int>(taken_.size());
        for (int tried = 0; tried < count; ++tried) {
            const int candidate = next_register_++ % count;
            if (taken_[candidate]) continue;
            taken_[candidate] = true;
            return candidate;
        }
        throw Xbyak::Error(Xbyak::ERR_INTERNAL);
    }

    Vec reg(int value, int bytes) const { return part(register_of_[value], bytes); }

    // ---- operations ----------------------------------------------------------------------------------------------

    // `lanes`: the lanes that a store in parts writes.
    void emit(const Operation& o, uint32_t lanes) {
        switch (o.kind) {
            case Kind::load:
                return emit_load(o);
            case Kind::broadcast_lane:
                return emit_broadcast_lane(o);
            case Kind::insert:
                return emit_insert(o);
            case Kind::zero:
                return zero(whole(o.d));
            case Kind::permute:
            case Kind::masked_permute:
                return emit_permute(o);
            case Kind::permute_lanes:
                return emit_permute_lanes(o);
            case Kind::permute2:
                return emit_permute2(o);
            case Kind::blend:
                return emit_blend(o);
            case Kind::select:
                return emit_select(o);
            case Kind::unpack:
                return emit_unpack(o);
            case Kind::align:
                return vpalignr(whole(o.d), whole(o.b), whole(o.a),
                                static_cast<uint8_t>(o.position));
            case Kind::or_bits:
                return or_bits(reg(o.d, o.bytes), reg(o.a, o.bytes), reg(o.b, o.bytes));
            case Kind::store:
                return emit_store(o, lanes);
            case Kind::store_line:
                return emit_store_line(o);
            case Kind::spill:
                return store(ptr[rsp + o.position * bytes()], whole(o.a));
            case Kind::reload:
                return load(whole(o.d), ptr[rsp + o.position * bytes()]);
        }
    }

    void emit_load(const Operation& o) {
        const Address from = ptr[s() + o.offset];
        if (phase_ == Lines::last) return vmovdqu8(whole(o.d) | k6 | T_z, from);
        o.is_register_size()
            ? load_part(register_of_[o.d], from, o.bytes)
            : move_units(o, part(register_of_[o.d], o.accessed_bytes()) | mask(o.mask_bits()) | T_z,
                         from);
    }

    void emit_broadcast_lane(const Operation& o) {
        const Vec d = reg(o.d, o.unit);
        has_masks() ? vbroadcasti32x4(d, ptr[s() + o.offset])
                    : vbroadcasti128(d, ptr[s() + o.offset]);
    }

    void emit_insert(const Operation& o) {
        const Vec d = reg(o.d, o.unit), a = reg(o.a, o.unit);
        if (o.b == kNone)
            insert_piece(d, a, ptr[s() + o.offset], o.bytes, o.position);
        else
            insert_piece(d, a, reg(o.b, o.bytes), o.bytes, o.position);
    }

    // Units outside the mask become zero, or keep the value of `a` in masked_permute.
    void emit_permute(const Operation& o) {
        const bool merges = o.kind == Kind::masked_permute;
        const Vec indices = table(o.table), a = whole(merges ? o.b : o.a);
        const Vec d = merges ? whole(o.d) | mask(o.mask) : under_mask(whole(o.d), o.mask);
        permute_units(o.unit, d, indices, a);
    }

    void emit_permute_lanes(const Operation& o) {
        const Vec d = reg(o.d, o.bytes), a = reg(o.a, o.bytes);
        vpshufb(d, a, table_operand(o.table, o.bytes));
    }

    // vpermt2 overwrites its first source, and vpermi2 its indices. If the result takes the register of the first source, it is vpermt2.
    // Otherwise the indices are copied to the result first, and it is vpermi2.
    void emit_permute2(const Operation& o) {
        const Vec d = whole(o.d), a = whole(o.a), b = whole(o.b);
        if (d == a) return permute_two(o.unit, under_mask(d, o.mask), table(o.table), b);
        const int hoisted = hoisted_register(o.table);
        hoisted == kNone ? load(d, table_in_memory(o.table)) : copy(d, vec(hoisted));
        const Vec to = under_mask(d, o.mask);
        assert(o.unit >= 2);
        if (o.unit == 2) return vpermi2w(to, a, b);
        o.unit == 4 ? vpermi2d(to, a, b) : vpermi2q(to, a, b);
    }

    void emit_blend(const Operation& o) {
        const Vec d = whole(o.d), a = whole(o.a), b = whole(o.b);
        if (has_masks()) return vpblendmd(d | mask(o.mask), a, b);
        const auto sections = static_cast<uint8_t>(o.mask);
        o.unit < 4 ? vpblendw(d, a, b, sections) : vpblendd(d, a, b, sections);
    }

    void emit_select(const Operation& o) {
        constexpr uint8_t kThirdChoosesSecond = 0xD8;
        vpternlogd(whole(o.d), whole(o.b), table_operand(o.table, bytes()), kThirdChoosesSecond);
    }

    void emit_unpack(const Operation& o) {
        const Vec d = whole(o.d), a = whole(o.a), b = whole(o.b);
        if (o.unit == kLaneBytes) return vperm2i128(d, a, b, o.position == 0 ? 0x20 : 0x31);
        if (o.unit == 1) return o.position == 0 ? vpunpcklbw(d, a, b) : vpunpckhbw(d, a, b);
        if (o.unit == 2) return o.position == 0 ? vpunpcklwd(d, a, b) : vpunpckhwd(d, a, b);
        o.position == 0 ? vpunpckldq(d, a, b) : vpunpckhdq(d, a, b);
    }

    void emit_store(const Operation& o, uint32_t lanes) {
        const Address to = ptr[d() + o.offset];
        if (streams()) {
            store_streaming(d() + o.offset, whole(o.a), vec(working_ - 1), lanes);
            if (stores_in_parts()) scratch_table_ = kNone;
            return;
        }
        prefetch_once(d(), o.offset, o.bytes);
        if (o.position > 0) return store_piece(to, whole(o.a), o.bytes, o.position);
        o.is_register_size()
            ? store_part(to, register_of_[o.a], o.bytes)
            : move_units(o, to | mask(o.mask_bits()), part(register_of_[o.a], o.accessed_bytes()));
    }

    // A load or a store under a mask.
    template <class To, class From>
    void move_units(const Operation& o, const To& to, const From& from) {
        switch (o.unit_in_memory()) {
            case 1:
                return vmovdqu8(to, from);
            case 2:
                return vmovdqu16(to, from);
            default:
                return vmovdqu32(to, from);
        }
    }

    void emit_store_line(const Operation& o) {
        store_line(run_of(o), whole(o.a), phase_);
        scratch_table_ = kNone;
        scratch_mask_ = 0;
    }

    Run run_of(const Operation& o) const {
        const int kept = working_ + 2 * o.position;
        return {o, vec(kept), vec(kept + 1), vec(working_ - 1)};
    }

    Vec whole(int value) const { return vec(register_of_[value]); }

    Reg s() const { return gpr(3); }
    Reg advance() const { return gpr(11); }
    Reg ahead() const { return gpr(has_runs() ? 14 : 12); }

    const Operations* program_;  // borrowed while the code is generated
    Unrolled unrolled_;
    std::vector<int64_t> ahead_;  // the lines that this section prefetches: offsets of loads
    // The lines of all sections so far, by how their addresses advance.
    std::map<std::pair<int64_t, int64_t>, std::set<int64_t>> lines_ahead_;
    int working_ = 0;               // registers for values and one table
    int first_constant_ = 0;        // register
    Lines phase_ = Lines::none;     // what the step that is being emitted stores
    Constants held_;                // constants that stay in registers during this section
    int scratch_table_ = kNone;     // the table in register working_ - 1
    uint64_t scratch_mask_ = 0;     // in k7; 0: none
    std::vector<int> register_of_;  // for each value: its register
    std::vector<size_t> last_use_;  // for each value: the index of the last operation that uses it
    std::vector<uint32_t> lanes_;   // for each operation: see lanes_stored()
    std::vector<bool> taken_;       // for each register: whether it holds a value
    int next_register_ = 0;         // where take_register() starts its search, modulo their number
};

}  // namespace

Result<JitFunction<PermuteArgs>> permute_function(CpuIsa isa, Stores stores, Sources sources,
                                                  std::shared_ptr<const Operations> operations,
                                                  const Unrolled& unrolled) {
    const bool small = operations->size() <= kMaxCachedOperations;
    const PermuteKey key{isa, stores, sources, unrolled, std::move(operations)};
    return small ? cached_function<PermuteKernel>(key) : make_function<PermuteKernel>(key);
}

}  // namespace tombola::impl::cpu::x64
