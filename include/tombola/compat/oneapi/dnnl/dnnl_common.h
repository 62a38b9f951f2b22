/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Engines, streams and what belongs to them, which oneDNN 3.x keeps apart for its graph API: all is in dnnl.h. */

#include "dnnl_common_types.h"

#include "dnnl.h"
