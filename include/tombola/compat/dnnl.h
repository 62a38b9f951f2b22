/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * The name by which programs for oneDNN include oneapi/dnnl/dnnl.h. */

#include "oneapi/dnnl/dnnl.h"
