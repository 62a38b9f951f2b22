/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * The name by which programs for oneDNN include oneapi/dnnl/dnnl_threadpool.h. */

#include "oneapi/dnnl/dnnl_threadpool.h"
