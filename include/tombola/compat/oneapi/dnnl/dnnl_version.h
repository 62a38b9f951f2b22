/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * The version of oneDNN's API that these headers follow. The C++ header serves code for 2.x too. */

#ifndef TOMBOLA_COMPAT_DNNL_VERSION_H
#define TOMBOLA_COMPAT_DNNL_VERSION_H

#ifdef DNNL_VERSION_MAJOR
#error \
    "tombola's compatibility headers and oneDNN's own headers are both included: \
take tombola/compat out of the include path and use tombola/interop/dnnl.hpp beside oneDNN"
#endif

#define DNNL_VERSION_MAJOR 3
#define DNNL_VERSION_MINOR 0
#define DNNL_VERSION_PATCH 0
#define DNNL_VERSION_HASH "tombola"

#endif
