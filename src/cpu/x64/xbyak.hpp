// SPDX-License-Identifier: Apache-2.0
#pragma once

// Xbyak, in a namespace of its own. A program that links the static library may have another release of Xbyak, whose functions the linker
// would take in place of these. Nothing else includes Xbyak's headers: the macro must come before them.

#define Xbyak tombola_xbyak

#include <xbyak/xbyak.h>
#include <xbyak/xbyak_util.h>
