// SPDX-License-Identifier: Apache-2.0
// What every primitive shares: descriptors' queries, creation, execution.
#include "common/active_threadpool.hpp"
#include "common/c_api.hpp"
#include "common/parallel.hpp"

namespace tombola::impl {
namespace {

constexpr int kMaxGivenArgs = 32;

Status query(const PrimitiveDesc& desc, tombola_query_t what, void* result) {
    const auto* shuffle = std::get_if<ShuffleDesc>(&desc.op());
    const auto not_required = [&] {
        return Status(StatusCode::not_required,
                      format("what is %d; expected a query that %s has", static_cast<int>(what),
                             name_of(desc.kind())));
    };
    const auto count_args = [&](ArgSpec::Role role) {
        int count = 0;
        for (const ArgSpec& spec : desc.args()) count += spec.role == role ? 1 : 0;
        return count;
    };
    switch (what) {
        case tombola_query_engine:
        case tombola_query_scratchpad_engine:
            *static_cast<tombola_engine_t*>(result) = to_handle<tombola_engine_t>(desc.engine());
            return {};
        case tombola_query_primitive_kind:
            *static_cast<tombola_primitive_kind_t*>(result) =
                static_cast<tombola_primitive_kind_t>(desc.kind());
            return {};
        case tombola_query_impl_info_str:
            *static_cast<const char**>(result) = desc.implementation().name;
            return {};
        case tombola_query_memory_consumption_s64:
            *static_cast<int64_t*>(result) = static_cast<int64_t>(desc.plan().scratchpad_bytes());
            return {};
        case tombola_query_num_of_inputs_s32:
            *static_cast<int*>(result) = count_args(ArgSpec::Role::input);
            return {};
        case tombola_query_num_of_outputs_s32:
            *static_cast<int*>(result) = count_args(ArgSpec::Role::output);
            return {};
        case tombola_query_prop_kind:
            if (prop_kind_of(desc.op()) == PropKind::undef) return not_required();
            *static_cast<tombola_prop_kind_t*>(result) =
                static_cast<tombola_prop_kind_t>(prop_kind_of(desc.op()));
            return {};
        case tombola_query_axis_s32:
            if (shuffle == nullptr) return not_required();
            *static_cast<int*>(result) = shuffle->axis;
            return {};
        case tombola_query_group_size_s64:
            if (shuffle == nullptr) return not_required();
            *static_cast<tombola_dim_t*>(result) = shuffle->group_size;
            return {};
        default:
            return invalid("what is %d; expected a query of a primitive descriptor", what);
    }
}

const MemoryDesc* query_md(const PrimitiveDesc& desc, tombola_query_t what, int index) {
    static const MemoryDesc kNone;
    int arg = 0;
    switch (what) {
        case tombola_query_src_md:
            arg = TOMBOLA_ARG_SRC;
            break;
        case tombola_query_diff_src_md:
            arg = TOMBOLA_ARG_DIFF_SRC;
            break;
        case tombola_query_dst_md:
            arg = TOMBOLA_ARG_DST;
            break;
        case tombola_query_diff_dst_md:
            arg = TOMBOLA_ARG_DIFF_DST;
            break;
        case tombola_query_scratchpad_md:
            arg = TOMBOLA_ARG_SCRATCHPAD;
            break;
        case tombola_query_exec_arg_md:
            arg = index;
            break;
        default:
            return nullptr;
    }
    if (what != tombola_query_exec_arg_md && index != 0) return &kNone;
    if (arg == TOMBOLA_ARG_SCRATCHPAD)
        return desc.attr().scratchpad_mode == ScratchpadMode::user ? &desc.scratchpad_desc()
                                                                   : &kNone;
    const ArgSpec* spec = desc.find_arg(arg);
    return spec == nullptr ? &kNone : &spec->desc;
}

}  // namespace

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_primitive_desc_next_impl(tombola_primitive_desc_t primitive_desc) {
    return api_call("primitive_desc_next_impl", {{primitive_desc, "primitive_desc"}},
                    [&]() -> Status {
                        from_handle(primitive_desc)->desc =
                            TOMBOLA_TRY(from_handle(primitive_desc)->desc->next());
                        return {};
                    });
}

tombola_status_t tombola_primitive_desc_clone(tombola_primitive_desc_t* primitive_desc,
                                              const_tombola_primitive_desc_t existing) {
    return api_call("primitive_desc_clone",
                    {{primitive_desc, "primitive_desc"}, {existing, "existing"}}, [&] {
                        *primitive_desc = to_handle<tombola_primitive_desc_t>(
                            new PrimitiveDescHandle(*from_handle(existing)));
                    });
}

tombola_status_t tombola_primitive_desc_get_attr(const_tombola_primitive_desc_t primitive_desc,
                                                 const_tombola_primitive_attr_t* attr) {
    return api_call("primitive_desc_get_attr", {{primitive_desc, "primitive_desc"}, {attr, "attr"}},
                    [&] {
                        *attr = to_handle<const_tombola_primitive_attr_t>(
                            &from_handle(primitive_desc)->desc->attr());
                    });
}

tombola_status_t tombola_primitive_desc_query(const_tombola_primitive_desc_t primitive_desc,
                                              tombola_query_t what, int index, void* result) {
    return api_call("primitive_desc_query",
                    {{primitive_desc, "primitive_desc"}, {result, "result"}}, [&]() -> Status {
                        if (index != 0) return invalid("index is %d; expected 0", index);
                        return query(*from_handle(primitive_desc)->desc, what, result);
                    });
}

const_tombola_memory_desc_t tombola_primitive_desc_query_md(
    const_tombola_primitive_desc_t primitive_desc, tombola_query_t what, int index) {
    const MemoryDesc* found = nullptr;
    api_call("primitive_desc_query_md", {{primitive_desc, "primitive_desc"}}, [&]() -> Status {
        found = query_md(*from_handle(primitive_desc)->desc, what, index);
        if (found == nullptr)
            return invalid("what is %d; expected a query of a memory descriptor", what);
        return {};
    });
    return to_handle<const_tombola_memory_desc_t>(found);
}

tombola_status_t tombola_primitive_desc_destroy(tombola_primitive_desc_t primitive_desc) {
    delete from_handle(primitive_desc);
    return tombola_success;
}

tombola_status_t tombola_primitive_create(tombola_primitive_t* primitive,
                                          const_tombola_primitive_desc_t primitive_desc) {
    return api_call(
        "primitive_create", {{primitive, "primitive"}, {primitive_desc, "primitive_desc"}},
        [&]() -> Status {
            auto created = TOMBOLA_TRY(Primitive::create(from_handle(primitive_desc)->desc));
            const auto desc = created->desc();  // of a later row if memory for the code ran out
            *primitive = to_handle<tombola_primitive_t>(
                new PrimitiveHandle{std::move(created), {desc}, name_of(desc->kind())});
            return {};
        });
}

tombola_status_t tombola_primitive_execute(const_tombola_primitive_t primitive,
                                           const_tombola_stream_t stream, int nargs,
                                           const tombola_exec_arg_t* args) {
    const char* name = primitive == nullptr ? "primitive_execute" : from_handle(primitive)->name;
    return api_call(name, {{primitive, "primitive"}, {stream, "stream"}}, [&]() -> Status {
        if (nargs < 0 || nargs > kMaxGivenArgs)
            return invalid("nargs is %d; expected 0 to %d", nargs, kMaxGivenArgs);
        if (nargs > 0) TOMBOLA_TRY(check_not_null(args, "args"));
        ExecArg given[kMaxGivenArgs];
        for (int i = 0; i < nargs; ++i) given[i] = {args[i].arg, from_handle(args[i].memory)};
        const ActiveThreadpool threadpool(from_handle(stream)->threadpool,
                                          &from_handle(stream)->spare_jobs);
        const ThreadLimit limit(from_handle(stream)->max_threads);
        return from_handle(primitive)->primitive->execute(given, nargs);
    });
}

tombola_status_t tombola_primitive_get_primitive_desc(
    const_tombola_primitive_t primitive, const_tombola_primitive_desc_t* primitive_desc) {
    return api_call("primitive_get_primitive_desc",
                    {{primitive, "primitive"}, {primitive_desc, "primitive_desc"}}, [&] {
                        *primitive_desc = to_handle<const_tombola_primitive_desc_t>(
                            &from_handle(primitive)->desc);
                    });
}

tombola_status_t tombola_primitive_destroy(tombola_primitive_t primitive) {
    delete from_handle(primitive);
    return tombola_success;
}
