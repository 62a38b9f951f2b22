# SPDX-License-Identifier: Apache-2.0
# tombola_python_folder(PYTHON RESULT): where a Python looks for packages, relative to the prefix. Debian's has a folder for packages
# (prefix /usr) and one for each version (any other prefix).
function(tombola_python_folder python result)
    execute_process(COMMAND ${python} -c
        "import sys, sysconfig; print('dist' if 'deb_system' in sysconfig.get_scheme_names() else 'site', '%d.%d' % sys.version_info[:2], sep=';')"
        OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(GET answer 0 kind)
    list(GET answer 1 version)
    if(kind STREQUAL "dist" AND CMAKE_INSTALL_PREFIX STREQUAL "/usr")
        set(version 3)
    endif()
    set(${result} lib/python${version}/${kind}-packages PARENT_SCOPE)
endfunction()
