// SPDX-License-Identifier: Apache-2.0

// PyTorch's C++ library: uniform_() and random_(), normal_(), exponential_(), bernoulli_(), multinomial(), randperm(),
// dropout(), copy_() to another type, channel_shuffle().

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>
#include <torch/version.h>

#include "peers.hpp"

namespace tombola::peers {

namespace {

at::ScalarType scalar_type(Type type) {
    constexpr at::ScalarType kTypes[] = {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble,
                                         at::kChar, at::kInt,      at::kLong};
    return kTypes[static_cast<size_t>(type)];
}

Work uniform(const Uniform& c, size_t bytes) {
    const auto count = static_cast<int64_t>(bytes / size_of(c.type));
    at::Tensor tensor = at::from_blob(destination(bytes), {count}, scalar_type(c.type));
    if (tensor.is_floating_point())
        return {[=]() mutable { tensor.uniform_(c.min, c.max); }, bytes};
    const auto min = static_cast<int64_t>(c.min), max = static_cast<int64_t>(c.max);
    return {[=]() mutable { tensor.random_(min, max); }, bytes};
}

Work distribution(const Distributed& c, size_t bytes) {
    const auto count = static_cast<int64_t>(bytes / size_of(c.type));
    at::Tensor tensor = at::from_blob(destination(bytes), {count}, scalar_type(c.type));
    switch (c.what) {
        case Distribution::normal:
            return {[=]() mutable { tensor.normal_(); }, bytes};
        case Distribution::exponential:
            return {[=]() mutable { tensor.exponential_(); }, bytes};
        default:
            return {[=]() mutable { tensor.bernoulli_(kBernoulliProbability); }, bytes};
    }
}

Work multinomial(const Multinomial& c) {
    const at::Tensor input = at::from_blob(source(c.bytes()), {c.batch, c.classes}, at::kFloat);
    at::Tensor indices = at::empty({c.batch, c.samples}, at::kLong);
    const auto run = [=]() mutable {
        at::multinomial_out(indices, c.log_probs ? at::softmax(input, 1) : input, c.samples,
                            c.with_replacement);
    };
    return {run, c.bytes()};
}

// PyTorch counts the rows of what is transposed, oneDNN and tombola the columns.
Work shuffle(const Shuffle& c) {
    const at::Tensor input = at::from_blob(source(c.bytes()), c.dims, scalar_type(c.type));
    const int64_t groups = c.forward ? c.dims[1] / c.group_size : c.group_size;
    return {[=] { keep(at::channel_shuffle(input, groups).data_ptr()); }, 2 * c.bytes()};
}

Work permutation(const Permutation& c) {
    at::Tensor order = at::from_blob(destination(c.bytes()), {c.count}, at::kLong);
    return {[=]() mutable { at::randperm_out(order, c.count); }, c.bytes()};
}

Work dropout(const Dropout& c) {
    const at::Tensor input = at::from_blob(source(c.bytes()), {c.count}, scalar_type(c.type));
    return {[=] { keep(at::dropout(input, kDropProbability, true).data_ptr()); }, 2 * c.bytes()};
}

// What its autograd does: the product with the mask of forward, which has the type of the tensor.
Work dropout_backward(const Dropout& c) {
    const at::Tensor input = at::from_blob(source(c.bytes()), {c.count}, scalar_type(c.type));
    const at::Tensor mask = at::bernoulli(at::full_like(input, 1 - kDropProbability));
    at::Tensor result = at::from_blob(destination(c.bytes()), {c.count}, scalar_type(c.type));
    return {[=]() mutable { at::mul_out(result, input, mask); }, 2 * c.bytes()};
}

Work conversion(const Rounding& c) {
    const at::Tensor input = at::from_blob(source(c.src_bytes()), {c.count}, at::kFloat);
    at::Tensor result = at::from_blob(destination(c.dst_bytes()), {c.count}, scalar_type(c.type));
    return {[=]() mutable { result.copy_(input); }, c.src_bytes() + c.dst_bytes()};
}

}  // namespace

void add_torch() {
    at::set_num_threads(1);
    at::get_num_threads();  // once it has been called, omp_set_num_threads() is what counts
    benchmark::AddCustomContext("PyTorch", TORCH_VERSION);

    for_peers(kPytorch, [](const Uniform& c, const std::string& name, size_t n) {
        add("pytorch/" + name, "PyTorch", [c, n] { return uniform(c, n); });
    });
    for (const Multinomial& c : kMultinomials) {
        add(std::string("multinomial/") + c.name, "PyTorch", [c] { return multinomial(c); });
        if (c.log_probs)
            add_threads(std::string("multinomial ") + c.name, "PyTorch",
                        [c] { return multinomial(c); });
    }
    for (const Shuffle& c : shuffles())
        if (c.type == Type::f32 && std::string(c.layout) == "nchw")
            add("shuffle/" + c.name(), "PyTorch", [c] { return shuffle(c); });

    for (const Distributed& c : kDistributed)
        if (c.is_pytorch)
            add(c.name(kSizes[0]), "PyTorch", [c] { return distribution(c, kSizes[0].bytes); });

    for (const Permutation& c : kPermutations)
        add(std::string("permutation/") + c.name, "PyTorch", [c] { return permutation(c); });

    for (const Dropout& c : kDropouts) {
        if (!c.has_peers) continue;
        add(std::string("dropout/") + c.name, "PyTorch", [c] { return dropout(c); });
        add(std::string("dropout_backward/") + c.name + ":mask of bytes", "PyTorch",
            [c] { return dropout_backward(c); });
    }
    for (const Rounding& c : kRoundings)
        add("rounding/" + c.name(), "PyTorch", [c] { return conversion(c); });
    for (const Size& size : kThreadSizes)
        add_threads(std::string("dropout f32:") + size.name, "PyTorch",
                    [bytes = size.bytes] { return dropout(kDropouts[1].of_bytes(bytes)); });

    add("calls/execute:64 f32, pytorch", "PyTorch",
        [] { return uniform(kPytorch[0], kSmallBytes); });
    add("calls/execute:shuffle of 32 bytes", "PyTorch", [] { return shuffle(kSmallShuffle); });
    add("calls/execute:one sample of 10 classes", "PyTorch",
        [] { return multinomial(kSmallMultinomial); });
}

}  // namespace tombola::peers
