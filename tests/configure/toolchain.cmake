# SPDX-License-Identifier: Apache-2.0
# The toolchain file keeps the folders that the command line names: a program is then cross-compiled with a tombola that is installed there.
cmake_minimum_required(VERSION 3.21)
include(${TOOLCHAIN})
if(NOT "/a/prefix" IN_LIST CMAKE_FIND_ROOT_PATH OR NOT "/usr/aarch64-linux-gnu" IN_LIST CMAKE_FIND_ROOT_PATH)
    message(FATAL_ERROR "CMAKE_FIND_ROOT_PATH is ${CMAKE_FIND_ROOT_PATH}; expected /a/prefix and /usr/aarch64-linux-gnu")
endif()
