// SPDX-License-Identifier: Apache-2.0

// Ranks that generate one global tensor together, each its own shard, without a message between them: the value at
// a logical index depends on the seeds and that index alone. Two ways to cut a matrix:
//
//   contiguous   rank r has the elements [begin, end) of the row-major order: one call with OFFSET = begin
//   columns      rank r has some columns of every row: one call per row, with OFFSET = row * columns + first column
//
// Then the order in which an epoch visits its samples: each rank computes its own part of one permutation.
//
// Rank 0 gathers the shards and compares them with what it generates alone. Run: mpiexec -n 4 example_mpi_shards

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "tombola/tombola.hpp"

using namespace tombola;

namespace {

constexpr int64_t kRows = 67, kColumns = 53;

// The half-open range of n things that belongs to a rank.
struct Range {
    int64_t begin, end;
    int64_t count() const { return end - begin; }
};
Range part_of(int64_t n, int rank, int ranks) { return {n * rank / ranks, n * (rank + 1) / ranks}; }

// What differs from element type to element type.
template <class T>
struct Type;
template <>
struct Type<int64_t> {
    static MPI_Datatype mpi() { return MPI_INT64_T; }
};
template <>
struct Type<float> {
    static constexpr auto kTombola = memory::data_type::f32;
    static MPI_Datatype mpi() { return MPI_FLOAT; }
};
template <>
struct Type<double> {
    static constexpr auto kTombola = memory::data_type::f64;
    static MPI_Datatype mpi() { return MPI_DOUBLE; }
};

// Generates runs of the global stream of numbers in [0, 1). Runs of one length share their primitive.
template <class T>
class Generator {
  public:
    Generator(const engine& eng, alignment whose, int64_t length)
        : eng_(eng),
          strm_(eng),
          pd_(eng, whose, memory::desc({length}, Type<T>::kTombola, memory::format_tag::a),
              /*global_seed=*/150, /*op_seed=*/10),
          generate_(pd_),
          dst_(pd_.dst_desc(), eng, TOMBOLA_MEMORY_NONE) {}

    // Elements offset, offset + 1, ... of the global tensor.
    void operator()(uint64_t offset, T* to) {
        T low = 0, high = 1;
        dst_.set_data_handle(to);
        generate_.execute(strm_, {{TOMBOLA_ARG_MIN, memory(pd_.bound_desc(), eng_, &low)},
                                  {TOMBOLA_ARG_MAX, memory(pd_.bound_desc(), eng_, &high)},
                                  {TOMBOLA_ARG_OFFSET, memory(pd_.offset_desc(), eng_, &offset)},
                                  {TOMBOLA_ARG_DST, dst_}});
    }

  private:
    engine eng_;
    stream strm_;
    random_uniform::primitive_desc pd_;
    random_uniform generate_;
    memory dst_;
};

// Sends a shard to rank 0. Rank 0 receives the shards of all ranks and places each as layout_of(rank) says.
template <class T, class LayoutOf>
void gather(const std::vector<T>& shard, T* whole, int rank, int ranks, const LayoutOf& layout_of) {
    MPI_Request sent;
    MPI_Isend(shard.data(), static_cast<int>(shard.size()), Type<T>::mpi(), 0, 0, MPI_COMM_WORLD,
              &sent);
    for (int from = 0; rank == 0 && from < ranks; ++from) {
        auto [layout, start] = layout_of(from);
        MPI_Type_commit(&layout);
        MPI_Recv(whole + start, 1, layout, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Type_free(&layout);
    }
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

struct Layout {
    MPI_Datatype type;
    int64_t start;
};

constexpr float kUnknown = -1;  // no first value is published

template <class T>
bool check(const engine& eng, alignment whose, const char* name, float first_value, int rank,
           int ranks) {
    std::vector<T> alone(kRows * kColumns), contiguous(alone.size()), columns(alone.size());

    const Range mine = part_of(kRows * kColumns, rank, ranks);
    std::vector<T> shard(static_cast<size_t>(mine.count()));
    Generator<T>(eng, whose, mine.count())(static_cast<uint64_t>(mine.begin), shard.data());
    gather(shard, contiguous.data(), rank, ranks, [&](int from) {
        const Range range = part_of(kRows * kColumns, from, ranks);
        Layout layout = {MPI_DATATYPE_NULL, range.begin};
        MPI_Type_contiguous(static_cast<int>(range.count()), Type<T>::mpi(), &layout.type);
        return layout;
    });

    const Range my_columns = part_of(kColumns, rank, ranks);
    shard.assign(static_cast<size_t>(kRows * my_columns.count()), T(0));
    Generator<T> row_part(eng, whose, my_columns.count());
    for (int64_t row = 0; row < kRows; ++row)
        row_part(static_cast<uint64_t>(row * kColumns + my_columns.begin),
                 shard.data() + row * my_columns.count());
    gather(shard, columns.data(), rank, ranks, [&](int from) {
        const Range range = part_of(kColumns, from, ranks);
        Layout layout = {MPI_DATATYPE_NULL, range.begin};
        MPI_Type_vector(static_cast<int>(kRows), static_cast<int>(range.count()),
                        static_cast<int>(kColumns), Type<T>::mpi(), &layout.type);
        return layout;
    });

    if (rank != 0) return true;
    Generator<T>(eng, whose, kRows * kColumns)(0, alone.data());
    const bool right = first_value == kUnknown || first_value == static_cast<float>(alone[0]);
    std::printf("%s, %d ranks: contiguous shards %s, column shards %s, first value %s\n", name,
                ranks, contiguous == alone ? "equal" : "DIFFER",
                columns == alone ? "equal" : "DIFFER",
                first_value == kUnknown ? "not published"
                : right                 ? "right"
                                        : "WRONG");
    return contiguous == alone && columns == alone && right;
}

// A rank's part of the order of an epoch. Each epoch has a global seed of its own.
std::vector<int64_t> epoch_order(const engine& eng, Range part, int64_t samples, uint64_t epoch) {
    const memory::desc dst({part.count()}, memory::data_type::s64, memory::format_tag::a);
    const random_permutation::primitive_desc pd(eng, permutation_alignment::philox, dst, samples,
                                                /*global_seed=*/150, /*op_seed=*/1);
    std::vector<int64_t> order(static_cast<size_t>(part.count()));
    uint64_t seeds[2] = {150 + epoch, 1}, offset = static_cast<uint64_t>(part.begin);
    stream strm(eng);
    random_permutation(pd).execute(strm,
                                   {{TOMBOLA_ARG_SEEDS, memory(pd.seeds_desc(), eng, seeds)},
                                    {TOMBOLA_ARG_OFFSET, memory(pd.offset_desc(), eng, &offset)},
                                    {TOMBOLA_ARG_DST, memory(dst, eng, order.data())}});
    return order;
}

bool check_epochs(const engine& eng, int rank, int ranks) {
    constexpr int64_t kSamples = 10007;
    bool right = true;
    for (const uint64_t epoch : {1, 2}) {
        const std::vector<int64_t> mine =
            epoch_order(eng, part_of(kSamples, rank, ranks), kSamples, epoch);
        std::vector<int64_t> together(kSamples);
        gather(mine, together.data(), rank, ranks, [&](int from) {
            const Range range = part_of(kSamples, from, ranks);
            Layout layout = {MPI_DATATYPE_NULL, range.begin};
            MPI_Type_contiguous(static_cast<int>(range.count()), Type<int64_t>::mpi(),
                                &layout.type);
            return layout;
        });
        if (rank != 0) continue;
        std::vector<int> visits(kSamples, 0);
        for (const int64_t sample : together) ++visits.at(static_cast<size_t>(sample));
        const bool once = visits == std::vector<int>(kSamples, 1);
        const bool equal = together == epoch_order(eng, {0, kSamples}, kSamples, epoch);
        std::printf("epoch %d, %d ranks: parts %s the whole order, samples %s\n",
                    static_cast<int>(epoch), ranks, equal ? "equal" : "DIFFER from",
                    once ? "visited once each" : "NOT visited once each");
        right = right && once && equal;
    }
    return right;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1, right = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    try {
        const engine eng(engine::kind::cpu, 0);
        // First values: OpenVINO's RandomUniform-8, example 1; torch.manual_seed(150), torch.rand(1).
        right &= check<float>(eng, alignment::tensorflow, "Philox f32", 0.7011236f, rank, ranks);
        right &= check<float>(eng, alignment::pytorch, "MT19937 f32", .59748673f, rank, ranks);
        // Two words per element.
        right &= check<double>(eng, alignment::tensorflow, "Philox f64", kUnknown, rank, ranks);
        right &= check<double>(eng, alignment::pytorch, "MT19937 f64", kUnknown, rank, ranks);
        right &= check_epochs(eng, rank, ranks);
    } catch (const error& failure) {
        std::fprintf(stderr, "rank %d: %s\n", rank, failure.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return right ? 0 : 1;
}
