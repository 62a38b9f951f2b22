// SPDX-License-Identifier: Apache-2.0
#include "fuzz/execution.hpp"

#include <cstring>

#include "fuzz/arena.hpp"
#include "fuzz/tensors.hpp"

namespace tombola::fuzz {
namespace {

constexpr int kArgs[] = {TOMBOLA_ARG_SRC,
                         TOMBOLA_ARG_DST,
                         TOMBOLA_ARG_DIFF_SRC,
                         TOMBOLA_ARG_DIFF_DST,
                         TOMBOLA_ARG_MIN,
                         TOMBOLA_ARG_MAX,
                         TOMBOLA_ARG_SEEDS,
                         TOMBOLA_ARG_OFFSET,
                         TOMBOLA_ARG_UNIFORMS,
                         TOMBOLA_ARG_SRC_STATE,
                         TOMBOLA_ARG_DST_STATE,
                         TOMBOLA_ARG_DST_SEEDS,
                         TOMBOLA_ARG_P,
                         TOMBOLA_ARG_MASK,
                         TOMBOLA_ARG_LAMBDA,
                         TOMBOLA_ARG_MEAN,
                         TOMBOLA_ARG_STD,
                         TOMBOLA_ARG_TEMPERATURE,
                         TOMBOLA_ARG_TOP_K,
                         TOMBOLA_ARG_TOP_P,
                         TOMBOLA_ARG_MIN_P,
                         TOMBOLA_ARG_DST_LOGPROBS,
                         TOMBOLA_ARG_DST_KEPT,
                         TOMBOLA_ARG_DST_TOP_IDS,
                         TOMBOLA_ARG_DST_TOP_LOGPROBS};

tombola_primitive_kind_t kind_of(const_tombola_primitive_desc_t desc) {
    tombola_primitive_kind_t kind{};
    tombola_primitive_desc_query(desc, tombola_query_primitive_kind, 0, &kind);
    return kind;
}

const_tombola_memory_desc_t md_of(const_tombola_primitive_desc_t desc, int arg) {
    const_tombola_memory_desc_t md =
        tombola_primitive_desc_query_md(desc, tombola_query_exec_arg_md, arg);
    int ndims = 0;
    tombola_memory_desc_query(md, tombola_query_ndims_s32, &ndims);
    return ndims == 0 ? nullptr : md;
}

tombola_data_type_t type_of(const_tombola_memory_desc_t md) {
    tombola_data_type_t type{};
    tombola_memory_desc_query(md, tombola_query_data_type, &type);
    return type;
}

bool is_output(const_tombola_primitive_desc_t desc, int arg) {
    switch (arg) {
        case TOMBOLA_ARG_DST:
        case TOMBOLA_ARG_DIFF_SRC:
        case TOMBOLA_ARG_DST_STATE:
        case TOMBOLA_ARG_DST_SEEDS:
        case TOMBOLA_ARG_DST_LOGPROBS:
        case TOMBOLA_ARG_DST_KEPT:
        case TOMBOLA_ARG_DST_TOP_IDS:
        case TOMBOLA_ARG_DST_TOP_LOGPROBS:
            return true;
        case TOMBOLA_ARG_MASK:  // dropout's forward execution writes it
            return kind_of(desc) == tombola_dropout && md_of(desc, TOMBOLA_ARG_SRC) != nullptr;
        default:
            return false;
    }
}

bool is_optional(int arg) {
    return arg != TOMBOLA_ARG_SRC && arg != TOMBOLA_ARG_DST && arg != TOMBOLA_ARG_DIFF_SRC &&
           arg != TOMBOLA_ARG_DIFF_DST;
}

struct Argument {
    int arg;
    Arena::Buffer buffer;
    test::Memory memory;
    bool written = false;  // whether the call hands it over as an output
};

// Words of a generator's state, whose last ones must fit.
void fill_state(Input& in, uint8_t* data, size_t bytes) {
    fill(in, tombola_u32, data, bytes);
    const size_t words = bytes / 4;
    const auto put = [&](size_t word, uint32_t value) { std::memcpy(data + 4 * word, &value, 4); };
    if (words >= TOMBOLA_MT19937_STATE_WORDS)
        put(TOMBOLA_MT19937_STATE_WORDS - 1, mostly<uint32_t>(in, 0, 624));
    if (words == TOMBOLA_MT19937_NORMAL_STATE_WORDS) {
        put(TOMBOLA_MT19937_STATE_WORDS, mostly<uint32_t>(in, 0, 1));
        put(TOMBOLA_MT19937_STATE_WORDS + 1, 0);
        put(TOMBOLA_MT19937_STATE_WORDS + 2, in.ConsumeBool() ? 0 : 0x3FF80000);  // 1.5
    }
}

void fill_input(Input& in, int arg, tombola_data_type_t type, uint8_t* data, size_t bytes) {
    if (arg == TOMBOLA_ARG_SRC_STATE) {
        fill_state(in, data, bytes);
    } else if (arg == TOMBOLA_ARG_OFFSET && in.ConsumeIntegral<uint8_t>() < 250) {
        // A far one is rare: to reach it, MT19937 multiplies polynomials for most of a second under the sanitizers.
        const uint64_t low = in.ConsumeIntegralInRange<uint64_t>(0, 100);
        for (size_t at = 0; at + 8 <= bytes; at += 8) std::memcpy(data + at, &low, 8);
    } else {
        fill(in, type, data, bytes);
    }
}

size_t size_from_handle(const_tombola_memory_desc_t md) { return tombola_memory_desc_get_size(md); }

// The arguments' bytes with their margins, one behind the other.
std::vector<uint8_t> bytes_of(const std::vector<Argument>& args) {
    std::vector<uint8_t> bytes;
    for (const Argument& arg : args) bytes.insert(bytes.end(), arg.buffer.begin, arg.buffer.end);
    return bytes;
}
void restore(const std::vector<Argument>& args, const std::vector<uint8_t>& bytes) {
    const uint8_t* from = bytes.data();
    for (const Argument& arg : args) {
        const auto size = static_cast<size_t>(arg.buffer.end - arg.buffer.begin);
        std::memcpy(arg.buffer.begin, from, size);
        from += size;
    }
}

bool share(const Argument& a, const Argument& b) {
    return a.buffer.data < b.buffer.data + b.buffer.bytes &&
           b.buffer.data < a.buffer.data + a.buffer.bytes;
}

// `before`: bytes_of() before the execution.
void check_what_was_written(const std::vector<Argument>& args, const std::vector<uint8_t>& before,
                            bool success) {
    const uint8_t* old = before.data();
    for (const Argument& arg : args) {
        const Arena::Buffer& buffer = arg.buffer;
        bool may_be_written = arg.arg == TOMBOLA_ARG_SCRATCHPAD;
        for (const Argument& other : args)
            may_be_written |= success && other.written && share(arg, other);
        const auto front = static_cast<size_t>(buffer.data - buffer.begin);
        const auto size = static_cast<size_t>(buffer.end - buffer.begin);
        const bool intact =
            may_be_written ? std::memcmp(buffer.begin, old, front) == 0 &&
                                 std::memcmp(buffer.data + buffer.bytes, old + front + buffer.bytes,
                                             size - front - buffer.bytes) == 0
                           : std::memcmp(buffer.begin, old, size) == 0;
        if (!intact)
            report("argument " + std::to_string(arg.arg) + " was written to" +
                   (success ? "" : " although the execution failed: " + test::last_error()));
        old += size;
    }
}

// Which arguments there are, where they lie, and the mistakes that are made.
class Call {
  public:
    Call(Input& in, const Problem& problem, tombola_memory_t foreign) : problem_(problem) {
        arena().reset();
        const int mistake = in.ConsumeIntegralInRange(0, 31);  // one in three calls has one
        const size_t place = in.ConsumeIntegral<uint8_t>();
        const uint32_t wanted = in.ConsumeBool() ? ~0u : in.ConsumeIntegral<uint32_t>();
        size_t index = 0;
        for (const int arg : kArgs) {
            const_tombola_memory_desc_t md = md_of(problem.chosen, arg);
            if (md == nullptr || (is_optional(arg) && (wanted >> index++ % 32 & 1) == 0)) continue;
            add(in, arg, md);
        }
        const_tombola_memory_desc_t scratchpad =
            tombola_primitive_desc_query_md(problem.chosen, tombola_query_scratchpad_md, 0);
        if (size_from_handle(scratchpad) > 0) add(in, TOMBOLA_ARG_SCRATCHPAD, scratchpad);
        for (Argument& arg : args_) given_.push_back({arg.arg, arg.memory});
        if (!given_.empty()) make_mistake(in, mistake, place % given_.size(), foreign);
        for (const tombola_exec_arg_t& given : given_)
            for (Argument& arg : args_)
                if (arg.memory.get() == given.memory)
                    arg.written |= is_output(problem.chosen, given.arg);
        before_ = bytes_of(args_);
    }

    const std::vector<Argument>& args() const { return args_; }
    const std::vector<tombola_exec_arg_t>& given() const { return given_; }
    // Whether the seeds are (0, 0), which are drawn at run time.
    bool draws_entropy() const {
        for (const tombola_exec_arg_t& given : given_) {
            if (given.arg != TOMBOLA_ARG_SEEDS) continue;
            for (const Argument& arg : args_)
                if (arg.memory.get() == given.memory) return has_zero_pair(arg.buffer);
            return true;  // in foreign memory
        }
        return problem_.zero_seeds;
    }
    // What lay in the arguments' memory before the execution.
    const std::vector<uint8_t>& before() const { return before_; }

  private:
    static Arena& arena() {
        static Arena made;
        return made;
    }
    static bool has_zero_pair(const Arena::Buffer& buffer) {
        uint64_t pair[2];
        for (size_t at = 0; at + 16 <= buffer.bytes; at += 16) {
            std::memcpy(pair, buffer.data + at, 16);
            if (pair[0] == 0 && pair[1] == 0) return true;
        }
        return false;
    }
    void add(Input& in, int arg, const_tombola_memory_desc_t md) {
        const size_t bytes = size_from_handle(md);
        Argument made{arg, {}, {}};
        made.buffer = arena().take(bytes, in.ConsumeBool(), arg == TOMBOLA_ARG_SCRATCHPAD ? 64 : 8);
        if (!is_output(problem_.chosen, arg) && arg != TOMBOLA_ARG_SCRATCHPAD)
            fill_input(in, arg, type_of(md), made.buffer.data, bytes);
        expect(tombola_memory_create(made.memory.out(), md, the_engine(), made.buffer.data) ==
                   tombola_success,
               "a memory object of an argument's descriptor is refused");
        args_.push_back(std::move(made));
    }
    void make_mistake(Input& in, int mistake, size_t place, tombola_memory_t foreign) {
        const size_t other = in.ConsumeIntegral<uint8_t>() % given_.size();
        switch (mistake) {
            case 0:
                given_.erase(given_.begin() + static_cast<std::ptrdiff_t>(place));
                break;
            case 1:
                given_[place].memory = nullptr;
                break;
            case 2:
                given_[place].arg = in.ConsumeIntegral<int>();
                break;
            case 3:
                given_.push_back(given_[place]);
                break;
            case 4:
                given_[place].memory = given_[other].memory;
                break;
            case 5:
                if (foreign != nullptr) given_[place].memory = foreign;
                break;
            case 6:
                tombola_memory_set_data_handle(given_[place].memory, nullptr);
                break;
            case 7:
            case 8: {  // two arguments share memory, wholly or in part
                const size_t shift = mistake == 7 ? 0 : 8 * in.ConsumeIntegralInRange<size_t>(0, 9);
                Argument& one = args_[place];
                const Arena::Buffer& at = args_[other].buffer;
                if (place == other || one.buffer.bytes + shift > at.bytes) break;
                one.buffer.data = one.buffer.begin = at.data + shift;
                one.buffer.end = one.buffer.data + one.buffer.bytes;
                tombola_memory_set_data_handle(one.memory, one.buffer.data);
                break;
            }
            default:
                break;
        }
        if (in.ConsumeBool()) std::reverse(given_.begin(), given_.end());
    }

    const Problem& problem_;
    std::vector<Argument> args_;
    std::vector<tombola_exec_arg_t> given_;
    std::vector<uint8_t> before_;
};

bool fits(const_tombola_primitive_desc_t desc) {
    for (const int arg : kArgs) {
        const_tombola_memory_desc_t md = md_of(desc, arg);
        if (md != nullptr && size_from_handle(md) > Arena::kMostBytes) return false;
    }
    return size_from_handle(tombola_primitive_desc_query_md(desc, tombola_query_scratchpad_md,
                                                            0)) <= Arena::kMostBytes;
}

}  // namespace

bool is_small(const_tombola_primitive_desc_t desc) {
    int64_t scratchpad = 0;
    tombola_primitive_desc_query(desc, tombola_query_memory_consumption_s64, 0, &scratchpad);
    return scratchpad <= 1 << 20;
}

void execute(Input& in, const Problem& problem, tombola_stream_t stream, tombola_memory_t foreign) {
    test::Primitive chosen, portable;
    if (!succeeded(tombola_primitive_create(chosen.out(), problem.chosen), "primitive_create"))
        report("a primitive could not be created: " + test::last_error());
    if (!fits(problem.chosen)) return;
    Call call(in, problem, foreign);
    const auto run = [&](tombola_primitive_t primitive) {
        const tombola_status_t status = tombola_primitive_execute(
            primitive, stream, static_cast<int>(call.given().size()), call.given().data());
        const bool success = succeeded(status, "primitive_execute");
        check_what_was_written(call.args(), call.before(), success);
        return success;
    };
    const bool draws_entropy = call.draws_entropy();  // DST_SEEDS may lie where SEEDS does
    const bool success = run(chosen);
    const std::string message = success ? "" : test::last_error();
    const std::vector<uint8_t> after = bytes_of(call.args());

    if (!is_small(problem.portable)) return;
    expect(tombola_primitive_create(portable.out(), problem.portable) == tombola_success,
           "the portable primitive could not be created");
    restore(call.args(), call.before());
    const bool portable_success = run(portable);
    if (portable_success != success) {
        // Only the one of the two has mode user.
        const bool about_scratchpad = message.find("SCRATCHPAD") != std::string::npos;
        if (!about_scratchpad)
            report("the implementations differ: " + (success ? test::last_error() : message));
        return;
    }
    if (!success || draws_entropy) return;
    size_t at = 0;
    for (const Argument& arg : call.args()) {
        const auto size = static_cast<size_t>(arg.buffer.end - arg.buffer.begin);
        if (arg.arg != TOMBOLA_ARG_SCRATCHPAD &&
            std::memcmp(arg.buffer.begin, after.data() + at, size) != 0)
            report("argument " + std::to_string(arg.arg) + ": " + test::impl_name(problem.chosen) +
                   " and the portable implementation write different bytes");
        at += size;
    }
}

}  // namespace tombola::fuzz
