// SPDX-License-Identifier: Apache-2.0
#include "tombola_torch.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>
#include <torch/version.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tombola/tombola.hpp"

namespace tombola_torch {
namespace {

using tombola::memory;

const tombola::engine& cpu() {
    static const tombola::engine engine(tombola::engine::kind::cpu, 0);
    return engine;
}

const tombola::stream& queue() {
    static const tombola::stream stream(cpu());
    return stream;
}

// Dimensions and strides of a tensor.
struct Box {
    memory::dims dims;
    memory::dims strides;
};

// The box with its dimensions from the outermost to the innermost, and neighbours joined where they lie without a
// gap: its row-major order is the order of memory, in which PyTorch fills. A dense tensor is one dimension.
Box in_memory_order(const at::Tensor& tensor) {
    std::vector<int64_t> order;
    for (int64_t d = 0; d < tensor.dim(); ++d)
        if (tensor.size(d) != 1) order.push_back(d);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return tensor.stride(a) > tensor.stride(b); });
    Box box;
    for (const int64_t d : order) {
        if (!box.dims.empty() && box.strides.back() == tensor.size(d) * tensor.stride(d)) {
            box.dims.back() *= tensor.size(d);
            box.strides.back() = tensor.stride(d);
        } else {
            box.dims.push_back(tensor.size(d));
            box.strides.push_back(tensor.stride(d));
        }
    }
    if (box.dims.empty()) return {{1}, {1}};
    return box;
}

memory::data_type type_of(at::ScalarType type) {
    switch (type) {
        case at::kFloat:
            return memory::data_type::f32;
        case at::kDouble:
            return memory::data_type::f64;
        case at::kHalf:
            return memory::data_type::f16;
        case at::kBFloat16:
            return memory::data_type::bf16;
        case at::kInt:
            return memory::data_type::s32;
        case at::kLong:
            return memory::data_type::s64;
        default:
            TORCH_CHECK(false, "tombola does not draw ", c10::toString(type));
    }
}

// A shuffle moves bytes: any type of the right size does.
memory::data_type type_of_size(size_t bytes) {
    switch (bytes) {
        case 1:
            return memory::data_type::u8;
        case 2:
            return memory::data_type::bf16;
        case 4:
            return memory::data_type::f32;
        case 8:
            return memory::data_type::f64;
        default:
            TORCH_CHECK(false, "tombola does not shuffle elements of ", bytes, " bytes");
    }
}

// A primitive with memory objects for its arguments: between two executions only addresses change.
struct Prepared {
    tombola::primitive primitive;
    std::unordered_map<int, memory> args;

    void run(std::initializer_list<std::pair<int, const void*>> addresses) const {
        for (const auto& [arg, address] : addresses)
            args.at(arg).set_data_handle(const_cast<void*>(address));
        primitive.execute(queue(), args);
    }
};

// A primitive of an operator, taking these of its arguments.
template <class Operator>
Prepared prepare(const typename Operator::primitive_desc& pd, std::initializer_list<int> args) {
    Prepared prepared{Operator(pd), {}};
    for (const int arg : args)
        prepared.args.emplace(arg, memory(pd.exec_arg_desc(arg), cpu(), TOMBOLA_MEMORY_NONE));
    return prepared;
}

// What was prepared for a key on this thread, among the last few keys; otherwise what make() gives. It is what
// makes calls on small tensors cheap: descriptors and memory objects take longer to make than 1,000 numbers.
template <class Key, class Make>
const Prepared& recent(const Key& key, const Make& make) {
    constexpr size_t kKept = 16;
    thread_local std::vector<std::pair<Key, Prepared>> kept;
    auto found =
        std::find_if(kept.begin(), kept.end(), [&](auto& one) { return one.first == key; });
    if (found == kept.end()) {
        if (kept.size() == kKept) kept.pop_back();
        found = kept.emplace(kept.end(), key, make());
    }
    std::rotate(kept.begin(), found, found + 1);
    return kept.front().second;
}

// PyTorch's generator for as long as an operator draws from it: locked, its state as tombola takes it.
class BorrowedGenerator {
  public:
    explicit BorrowedGenerator(const OptionalGenerator& wanted)
        : generator_(wanted.has_value() && wanted->defined()
                         ? *wanted
                         : at::detail::getDefaultCPUGenerator()),
          lock_(generator_.mutex()),
          blob_(generator_.get_state()) {
        TORCH_CHECK(generator_.device().is_cpu(), "tombola draws from a generator of the CPU");
        state_ = tombola::mt19937_state_from_torch(blob_.data_ptr(), bytes());
    }
    // Fills a box with numbers in [from, to), in its row-major order, and hands the generator back.
    template <class T>
    void fill(const Box& box, memory::data_type type, void* data, T from, T to,
              tombola::int_draws draws = tombola::int_draws::spec) {
        const std::tuple key(box.dims, box.strides, type, draws);
        const Prepared& uniform = recent(key, [&] {
            const memory::desc desc(box.dims, type, box.strides);
            return prepare<tombola::random_uniform>(
                {cpu(), tombola::alignment::pytorch, desc, 0, 1, draws},
                {TOMBOLA_ARG_MIN, TOMBOLA_ARG_MAX, TOMBOLA_ARG_SRC_STATE, TOMBOLA_ARG_DST_STATE,
                 TOMBOLA_ARG_DST});
        });
        uniform.run({{TOMBOLA_ARG_MIN, &from},
                     {TOMBOLA_ARG_MAX, &to},
                     {TOMBOLA_ARG_SRC_STATE, state_.data()},
                     {TOMBOLA_ARG_DST_STATE, state_.data()},
                     {TOMBOLA_ARG_DST, data}});
        tombola::mt19937_state_to_torch(state_, blob_.data_ptr(), bytes());
        generator_.set_state(blob_);
    }

  private:
    size_t bytes() const { return static_cast<size_t>(blob_.numel()); }

    at::Generator generator_;
    std::lock_guard<std::mutex> lock_;
    at::Tensor blob_;
    tombola::mt19937_state state_;
};

// PyTorch takes two words for an integer from a range of 2^32 on; since 2.7 from 2^28 on.
constexpr tombola::int_draws kDraws = TORCH_VERSION_MAJOR > 2 ||
                                              (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 7)
                                          ? tombola::int_draws::torch2
                                          : tombola::int_draws::torch1;

void check_cpu(const at::Tensor& tensor, const char* name) {
    TORCH_CHECK(tensor.device().is_cpu(), "tombola::", name, ": expected a tensor on the CPU");
    TORCH_CHECK(tensor.layout() == at::kStrided, "tombola::", name, ": expected a dense tensor");
}

// groups is PyTorch's: the axis as a matrix of `groups` rows is transposed. oneDNN's group_size counts columns.
at::Tensor shuffle(const at::Tensor& self, int64_t groups, bool backward) {
    check_cpu(self, "channel_shuffle");
    TORCH_CHECK(self.dim() >= 2, "tombola::channel_shuffle: expected at least 2 dimensions, got ",
                self.dim());
    TORCH_CHECK(groups > 0 && self.size(1) % groups == 0, "tombola::channel_shuffle: groups is ",
                groups, "; expected a divisor of ", self.size(1), ", the number of channels");
    const at::Tensor source =
        self.is_non_overlapping_and_dense() ? self : self.contiguous(self.suggest_memory_format());
    at::Tensor result = at::empty_like(source);
    if (source.numel() == 0) return result;
    const std::tuple key(source.sizes().vec(), source.strides().vec(), source.element_size(),
                         groups, backward);
    const Prepared& shuffled = recent(key, [&] {
        const memory::desc desc(source.sizes().vec(), type_of_size(source.element_size()),
                                source.strides().vec());
        const int64_t group_size = source.size(1) / groups;
        if (backward)
            return prepare<tombola::shuffle_backward>({cpu(), desc, desc, 1, group_size, {}},
                                                      {TOMBOLA_ARG_DIFF_DST, TOMBOLA_ARG_DIFF_SRC});
        return prepare<tombola::shuffle_forward>(
            {cpu(), tombola::prop_kind::forward_training, desc, desc, 1, group_size},
            {TOMBOLA_ARG_SRC, TOMBOLA_ARG_DST});
    });
    shuffled.run({{backward ? TOMBOLA_ARG_DIFF_DST : TOMBOLA_ARG_SRC, source.data_ptr()},
                  {backward ? TOMBOLA_ARG_DIFF_SRC : TOMBOLA_ARG_DST, result.data_ptr()}});
    return result;
}

// The gradient of a shuffle is the shuffle back, whose gradient is the shuffle.
struct Shuffle : public torch::autograd::Function<Shuffle> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& self,
                              int64_t groups, bool backward) {
        context->saved_data["groups"] = groups;
        context->saved_data["backward"] = backward;
        return shuffle(self, groups, backward);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradients) {
        return {Shuffle::apply(gradients[0], context->saved_data["groups"].toInt(),
                               !context->saved_data["backward"].toBool()),
                at::Tensor(), at::Tensor()};
    }
};

// What tombola refuses becomes an error of PyTorch with the same words.
template <class Work>
auto guarded(const Work& work) {
    try {
        return work();
    } catch (const tombola::error& e) {
        TORCH_CHECK(false, e.what());
    }
}

}  // namespace

at::Tensor& uniform_(at::Tensor& self, double from, double to, OptionalGenerator generator) {
    check_cpu(self, "uniform_");
    TORCH_CHECK(!(self.requires_grad() && self.is_leaf() && at::GradMode::is_enabled()),
                "tombola::uniform_: a leaf that requires grad is not written in place");
    if (self.numel() == 0) return self;
    guarded([&] {
        BorrowedGenerator borrowed(generator);
        const Box box = in_memory_order(self);
        const auto type = type_of(self.scalar_type());
        switch (self.scalar_type()) {
            case at::kFloat:
                return borrowed.fill(box, type, self.data_ptr(), static_cast<float>(from),
                                     static_cast<float>(to));
            case at::kDouble:
                return borrowed.fill(box, type, self.data_ptr(), from, to);
            case at::kHalf:
                return borrowed.fill(box, type, self.data_ptr(), static_cast<at::Half>(from),
                                     static_cast<at::Half>(to));
            case at::kBFloat16:
                return borrowed.fill(box, type, self.data_ptr(), static_cast<at::BFloat16>(from),
                                     static_cast<at::BFloat16>(to));
            default:
                TORCH_CHECK(false, "tombola::uniform_: expected a floating-point tensor");
        }
    });
    self.unsafeGetTensorImpl()->bump_version();
    return self;
}

at::Tensor rand(at::IntArrayRef size, c10::optional<at::ScalarType> dtype,
                OptionalGenerator generator) {
    at::Tensor result = at::empty(size, at::TensorOptions().dtype(dtype.value_or(at::kFloat)));
    return uniform_(result, 0, 1, generator);
}

at::Tensor randint(int64_t low, int64_t high, at::IntArrayRef size,
                   c10::optional<at::ScalarType> dtype, OptionalGenerator generator) {
    TORCH_CHECK(low < high, "tombola::randint: low is ", low, ", high ", high,
                "; expected low < high");
    const at::ScalarType wanted = dtype.value_or(at::kLong);
    const bool narrow = low >= INT32_MIN && high <= INT32_MAX;
    // Other types are drawn as s32 or s64 and converted: the number of words depends on the range alone.
    const bool direct = wanted == at::kLong || (wanted == at::kInt && narrow);
    const at::ScalarType drawn = direct ? wanted : narrow ? at::kInt : at::kLong;
    at::Tensor result = at::empty(size, at::TensorOptions().dtype(drawn));
    if (result.numel() > 0)
        guarded([&] {
            BorrowedGenerator borrowed(generator);
            const Box box = in_memory_order(result);
            if (drawn == at::kInt)
                borrowed.fill(box, type_of(drawn), result.data_ptr(), static_cast<int32_t>(low),
                              static_cast<int32_t>(high), kDraws);
            else
                borrowed.fill(box, type_of(drawn), result.data_ptr(), low, high, kDraws);
        });
    return drawn == wanted ? result : result.to(wanted);
}

at::Tensor multinomial(const at::Tensor& probabilities, int64_t samples, bool replacement,
                       OptionalGenerator generator) {
    check_cpu(probabilities, "multinomial");
    TORCH_CHECK(probabilities.dim() == 1 || probabilities.dim() == 2,
                "tombola::multinomial: expected 1 or 2 dimensions, got ", probabilities.dim());
    TORCH_CHECK(samples > 0, "tombola::multinomial: expected at least one sample, got ", samples);
    const at::Tensor weights =
        (probabilities.dim() == 1 ? probabilities.unsqueeze(0) : probabilities)
            .detach()
            .contiguous();
    const int64_t batch = weights.size(0);
    at::Tensor result = at::empty({batch, samples}, at::TensorOptions().dtype(at::kLong));
    if (batch > 0)
        guarded([&] {
            BorrowedGenerator borrowed(generator);
            const bool as_torch = replacement && samples > 1;
            const auto type = type_of(weights.scalar_type());
            const std::tuple key(batch, weights.size(1), samples, type, replacement);
            const Prepared& draw = recent(key, [&] {
                const memory::desc probs({batch, weights.size(1)}, type, memory::format_tag::ab);
                const memory::desc dst({batch, samples}, memory::data_type::s64,
                                       memory::format_tag::ab);
                return prepare<tombola::multinomial>(
                    {cpu(), probs, dst, replacement, false, 0, 1},
                    {TOMBOLA_ARG_SRC, TOMBOLA_ARG_DST,
                     as_torch ? TOMBOLA_ARG_UNIFORMS : TOMBOLA_ARG_SEEDS});
            });
            if (as_torch) {
                std::vector<double> uniforms(static_cast<size_t>(batch * samples));
                borrowed.fill<double>({{batch * samples}, {1}}, memory::data_type::f64,
                                      uniforms.data(), 0.0, 1.0);
                draw.run({{TOMBOLA_ARG_SRC, weights.data_ptr()},
                          {TOMBOLA_ARG_DST, result.data_ptr()},
                          {TOMBOLA_ARG_UNIFORMS, uniforms.data()}});
            } else {
                int64_t seeds[2] = {0, 0};
                borrowed.fill<int64_t>({{1}, {1}}, memory::data_type::s64, seeds, 1, INT64_MAX);
                draw.run({{TOMBOLA_ARG_SRC, weights.data_ptr()},
                          {TOMBOLA_ARG_DST, result.data_ptr()},
                          {TOMBOLA_ARG_SEEDS, seeds}});
            }
        });
    return probabilities.dim() == 1 ? result.squeeze(0) : result;
}

at::Tensor channel_shuffle(const at::Tensor& self, int64_t groups) {
    return guarded([&] { return Shuffle::apply(self, groups, false); });
}

// torch.ops.tombola.*
TORCH_LIBRARY(tombola, library) {
    library.def("rand(int[] size, *, ScalarType? dtype=None, Generator? generator=None) -> Tensor",
                &rand);
    library.def(
        "uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> "
        "Tensor(a!)",
        &uniform_);
    library.def(
        "randint(int low, int high, int[] size, *, ScalarType? dtype=None, Generator? "
        "generator=None) -> Tensor",
        &randint);
    library.def(
        "multinomial(Tensor self, int num_samples, bool replacement=False, *, Generator? "
        "generator=None) -> Tensor",
        &multinomial);
    library.def("channel_shuffle(Tensor self, int groups) -> Tensor", &channel_shuffle);
}

}  // namespace tombola_torch
