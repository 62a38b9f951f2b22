/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * The version of these headers. */

#ifndef TOMBOLA_VERSION_H
#define TOMBOLA_VERSION_H

#define TOMBOLA_VERSION_MAJOR 0 /**< Changes when a produced number or the ABI changes. */
#define TOMBOLA_VERSION_MINOR 2 /**< Changes with additions. */
#define TOMBOLA_VERSION_PATCH 0 /**< Changes with corrections. */

#endif
