# SPDX-License-Identifier: Apache-2.0
"""A table of times: tombola's operators beside ONNX Runtime's own, each alone in a model, on one thread, in this process.

usage: timing.py [MILLISECONDS]        time spent on each cell; default 200

TOMBOLA_ONNXRUNTIME_LIBRARY names the library. The least of the repetitions is shown, in microseconds; a run of a session is included,
which takes some microseconds by itself. Inputs and outputs are bound once, so nothing is copied.
"""
import os

os.environ["OMP_NUM_THREADS"] = "1"

import sys
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))
from least_times import least_times


def bound_run(nodes, inputs, outputs):
    """A function that runs a model. outputs: {name: (type, shape)}."""
    onnx_types = {"float32": TensorProto.FLOAT, "uint8": TensorProto.UINT8, "int32": TensorProto.INT32}
    model = helper.make_model(
        helper.make_graph(
            nodes,
            "timing",
            [helper.make_tensor_value_info(name, onnx_types[x.dtype.name], x.shape) for name, x in inputs.items()],
            [helper.make_tensor_value_info(name, onnx_types[dtype], shape) for name, (dtype, shape) in outputs.items()],
        ),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("tombola", 1)],
        ir_version=8,
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.register_custom_ops_library(os.environ["TOMBOLA_ONNXRUNTIME_LIBRARY"])
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, x in inputs.items():
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(x))
    for name, (dtype, shape) in outputs.items():
        binding.bind_ortvalue_output(name, onnxruntime.OrtValue.ortvalue_from_shape_and_type(shape, np.dtype(dtype), "cpu"))
    return lambda: session.run_with_iobinding(binding)


def pair(ours, theirs, inputs, outputs):
    return bound_run(ours, inputs, outputs), bound_run(theirs, inputs, outputs)


def cases():
    def own(op, inputs, **attributes):
        return [helper.make_node(op, inputs, ["y"], domain="tombola", **attributes)]

    def runtime(op, inputs, **attributes):
        return [helper.make_node(op, inputs, ["y"], **attributes)]

    for op in ("RandomUniform", "RandomNormal"):
        for count in (1_000, 1_000_000):
            yield f"{op} float32 {count}", *pair(
                own(op, [], shape=[count], seeds=[1, 2]),
                runtime(op, [], shape=[count], seed=1.0),
                {},
                {"y": ("float32", [count])},
            )
    for batch, classes, samples in ((1, 1_000, 100_000), (64, 32_000, 1)):
        logits = np.random.RandomState(1).standard_normal((batch, classes)).astype(np.float32)
        yield f"Multinomial {batch}x{classes}, {samples} each", *pair(
            own("Multinomial", ["x"], sample_size=samples, seeds=[1, 2]),
            runtime("Multinomial", ["x"], sample_size=samples, seed=1.0),
            {"x": logits},
            {"y": ("int32", [batch, samples])},
        )
    for shape, groups in (((1, 240, 28, 28), 3), ((8, 136, 56, 56), 4), ((1, 1088, 7, 7), 2)):
        for dtype in ("float32", "uint8"):
            x = (np.random.RandomState(2).random_sample(shape) * 200).astype(dtype)
            split = [shape[0], groups, shape[1] // groups, *shape[2:]]
            theirs = [
                helper.make_node("Constant", [], ["a"], value=helper.make_tensor("a", TensorProto.INT64, [5], split)),
                helper.make_node("Constant", [], ["b"], value=helper.make_tensor("b", TensorProto.INT64, [4], shape)),
                helper.make_node("Reshape", ["x", "a"], ["c"]),
                helper.make_node("Transpose", ["c"], ["d"], perm=[0, 2, 1, 3, 4]),
                helper.make_node("Reshape", ["d", "b"], ["y"]),
            ]
            yield f"ChannelShuffle {dtype} {'x'.join(map(str, shape))}, {groups} groups", *pair(
                own("ChannelShuffle", ["x"], groups=groups), theirs, {"x": x}, {"y": (dtype, list(shape))}
            )


def main():
    budget = float(sys.argv[1] if len(sys.argv) > 1 else 200) / 1000
    print(f"ONNX Runtime {onnxruntime.__version__}, 1 thread")
    print(f"{'operator':50} {'tombola us':>12} {'runtime us':>12} {'ratio':>7}")
    for name, ours, theirs in cases():
        mine, other = least_times((ours, theirs), budget)
        print(f"{name:50} {mine * 1e6:12.1f} {other * 1e6:12.1f} {other / mine:6.1f}x")


if __name__ == "__main__":
    main()
