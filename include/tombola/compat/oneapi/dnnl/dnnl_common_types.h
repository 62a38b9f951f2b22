/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * The types that oneDNN 3.x keeps apart for its graph API, which tombola does not have: all types are in dnnl_types.h. */

#if defined(ONEAPI_DNNL_DNNL_GRAPH_TYPES_H) || defined(ONEAPI_DNNL_DNNL_GRAPH_HPP)
#error \
    "tombola's compatibility headers and oneDNN's own headers are both included: \
tombola has no graph API, so take tombola/compat out of the include path and use tombola/interop/dnnl.hpp beside oneDNN"
#endif

#include "dnnl_types.h"
