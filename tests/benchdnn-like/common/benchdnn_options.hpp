// SPDX-License-Identifier: Apache-2.0
#pragma once

// Options of benchdnn's that say nothing here. They are taken with the values with which the run is the same, so that
// its batch files and command lines need no change.

namespace tombola::bench {

struct WithoutEffect {
    const char* name;
    const char* values;    // a regular expression for each value of a list
    const char* expected;  // of the values
};
inline constexpr const char* kNoAttribute =
    "no value: no primitive of this library has the attribute";
inline constexpr WithoutEffect kWithoutEffect[] = {
    {"mode-modifier", "^[PpMm]*$", "P, M or both"},
    {"fast-ref", "^(true|false|1|0)$", "true or false"},
    {"attr-same-pd-check", "^(true|false|1|0)$", "true or false"},
    {"attr-deterministic", "^(true|false|1|0)$", "true or false"},
    {"attr-fpmath", "^(strict|bf16|f16|tf32|any|)(:(true|false))?$",
     "strict, bf16, f16, tf32, any"},
    {"attr-acc-mode", "^(strict|relaxed|any|f32|s32|f16|)$", "strict, relaxed, any, f32, s32, f16"},
    {"attr-rounding-mode", "^$", kNoAttribute},
    {"attr-scales", "^$", kNoAttribute},
    {"attr-zero-points", "^$", kNoAttribute},
    {"attr-precomputed-reductions", "^$", kNoAttribute},
    {"attr-post-ops", "^$", kNoAttribute},
    {"attr-dropout", "^$", kNoAttribute},
    {"buffer-prefix", "^$", "no value; --src=FILE gives the input tensor"},
    {"cpu-isa-hints", "^(none|no_hints|prefer_ymm)$", "none, no_hints or prefer_ymm"},
    {"ctx-init", "^(auto|[1-9][0-9]*)((:auto|:[0-9]+)(:auto|:[0-9]+|)|)$",
     "auto or a number of threads"},
    {"execution-mode", "^direct$", "direct"},
    {"memory-kind", "^(usm|buffer|usm_device|usm_shared)$", "usm, buffer, usm_device, usm_shared"},
    {"num-streams", "^1$", "1"},
    {"stream-kind", "^(def|in_order|out_of_order)$", "def, in_order or out_of_order"},
};

}  // namespace tombola::bench
