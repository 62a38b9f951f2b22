// SPDX-License-Identifier: Apache-2.0
#include "cpu/multinomial/multinomial_call.hpp"

#include "cpu/loop_nest.hpp"

namespace tombola::impl::cpu {

Result<UniformSource> uniform_source(const MultinomialDesc& desc, const ExecContext& context) {
    UniformSource source;
    source.given = context.input<double>(TOMBOLA_ARG_UNIFORMS);
    const dim_t samples = desc.dst.dims[1];
    const dim_t count = desc.dst.dims[0] * samples;
    if (!context.has(TOMBOLA_ARG_UNIFORMS)) {
        source.stream = TOMBOLA_TRY(resolve_philox_call(context, count));
        return source;
    }
    source.stream.seeds = TOMBOLA_TRY(resolve_seeds(context, SeedUse::none));
    TOMBOLA_TRY(check_uniforms(source.given, desc.dst.dims[0], samples));
    return source;
}

void finish(const MultinomialDesc& desc, const ExecContext& context,
            const UniformSource& uniforms) {
    zero_padding(desc.dst, context.output(TOMBOLA_ARG_DST));
    report_seeds(context, uniforms.stream.seeds);
}

}  // namespace tombola::impl::cpu
