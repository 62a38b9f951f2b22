// SPDX-License-Identifier: Apache-2.0

/// @file
/// The name by which programs for oneDNN include oneapi/dnnl/dnnl_threadpool.hpp.

#include "oneapi/dnnl/dnnl_threadpool.hpp"
