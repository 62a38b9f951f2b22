# SPDX-License-Identifier: Apache-2.0
# Installs the library and the PyTorch extension in a folder, and uses it from there.
#
# usage: cmake -D BUILD=... -D PYTHON=... -D FOLDER=... -P test_installed.cmake
set(prefix ${BUILD}/examples/pytorch/installed)
file(REMOVE_RECURSE ${prefix})
foreach(component IN ITEMS runtime pytorch)
    execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component ${component}
        OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
unset(ENV{TOMBOLA_TORCH_LIBRARY})
set(ENV{PYTHONPATH} ${prefix}/${FOLDER})
set(ENV{PYTHONDONTWRITEBYTECODE} 1)
execute_process(COMMAND ${PYTHON} -c "
import os, torch, tombola_torch
assert tombola_torch.__file__.startswith('${prefix}/'), tombola_torch.__file__
loaded = [line.split(maxsplit=5)[-1].strip() for line in open('/proc/self/maps') if 'libtombola.so' in line] if os.path.exists('/proc/self/maps') else []
assert all(path.startswith(os.path.realpath('${prefix}')) for path in loaded), loaded
torch.manual_seed(150); a = tombola_torch.rand(3, 3)
torch.manual_seed(150); assert torch.equal(a, torch.rand(3, 3))
" WORKING_DIRECTORY ${prefix} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${prefix})
