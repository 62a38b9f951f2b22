// SPDX-License-Identifier: Apache-2.0

/// @file
/// Engines, streams and errors, which oneDNN 3.x keeps apart for its graph API: all is in dnnl.hpp.

#include "dnnl_common_types.h"

#include "dnnl.hpp"
