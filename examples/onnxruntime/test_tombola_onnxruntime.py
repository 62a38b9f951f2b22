# SPDX-License-Identifier: Apache-2.0
"""The operators in small models, beside the runtime's own operators and the definitions in python/tests/reference.py.

TOMBOLA_ONNXRUNTIME_LIBRARY names the library.
"""
import os
import threading

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import reference

LIBRARY = os.environ["TOMBOLA_ONNXRUNTIME_LIBRARY"]
SEEDS = [150, 10]
TYPES = {
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
    "float16": TensorProto.FLOAT16,
    "bool": TensorProto.BOOL,
    "int8": TensorProto.INT8,
    "uint8": TensorProto.UINT8,
    "int16": TensorProto.INT16,
    "uint16": TensorProto.UINT16,
    "int32": TensorProto.INT32,
    "uint32": TensorProto.UINT32,
    "int64": TensorProto.INT64,
    "uint64": TensorProto.UINT64,
}


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, domain="tombola", **attributes)


def session(nodes, inputs, outputs, shape=None):
    """A model. inputs: {name: array}, whose types it takes; outputs: {name: type or None}; shape: that of the inputs in the model,
    otherwise their dimensions are free."""
    model_inputs = [
        helper.make_tensor_value_info(name, TYPES[x.dtype.name], shape or [f"{name}{i}" for i in range(x.ndim)])
        for name, x in inputs.items()
    ]
    model_outputs = [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()]
    model = helper.make_model(
        helper.make_graph(nodes, "test", model_inputs, model_outputs),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("tombola", 1)],
        ir_version=8,
    )
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.register_custom_ops_library(LIBRARY)
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def run(nodes, inputs, outputs):
    return session(nodes, inputs, outputs).run(None, inputs)


def slower_shuffle(x, groups, channels, sizes, result):
    """The channel shuffle of a ShuffleNet that PyTorch exports."""
    split = helper.make_tensor(f"{result}_split", TensorProto.INT64, [5], [sizes[0], groups, channels // groups, *sizes[2:]])
    whole = helper.make_tensor(f"{result}_whole", TensorProto.INT64, [4], sizes)
    return [
        helper.make_node("Constant", [], [f"{result}_a"], value=split),
        helper.make_node("Constant", [], [f"{result}_b"], value=whole),
        helper.make_node("Reshape", [x, f"{result}_a"], [f"{result}_c"]),
        helper.make_node("Transpose", [f"{result}_c"], [f"{result}_d"], perm=[0, 2, 1, 3, 4]),
        helper.make_node("Reshape", [f"{result}_d", f"{result}_b"], [result]),
    ]


@pytest.mark.parametrize("dtype", TYPES)
def test_channel_shuffle(dtype):
    x = np.random.RandomState(1).randint(0, 100, (2, 12, 3, 5)).astype(dtype)
    nodes = [node("ChannelShuffle", ["x"], ["y"], groups=3), *slower_shuffle("x", 3, 12, x.shape, "z")]
    y, z = run(nodes, {"x": x}, {"y": TYPES[dtype], "z": TYPES[dtype]})
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y, z)


def test_channel_shuffle_axes():
    x = np.arange(4 * 6 * 8, dtype=np.float32).reshape(4, 6, 8)
    for axis, groups in [(0, 2), (1, 3), (2, 4), (-1, 4), (-3, 4)]:
        (y,) = run([node("ChannelShuffle", ["x"], ["y"], groups=groups, axis=axis)], {"x": x}, {"y": TensorProto.FLOAT})
        np.testing.assert_array_equal(y, reference.shuffled(x, x.shape[axis] // groups, axis % 3))
    empty = np.zeros((0, 6, 2, 2), np.float32)
    (y,) = run([node("ChannelShuffle", ["x"], ["y"], groups=3)], {"x": empty}, {"y": TensorProto.FLOAT})
    assert y.shape == empty.shape


def test_shufflenet_unit():
    """A unit of ShuffleNet v1: grouped 1x1 convolution, shuffle, depthwise 3x3, grouped 1x1, and the shortcut."""
    channels, groups, shape = 24, 3, (2, 24, 7, 7)
    rng = np.random.RandomState(3)

    def weights(name, *dims):
        values = (rng.standard_normal(dims) / 4).astype(np.float32)
        return helper.make_node("Constant", [], [name], value=helper.make_tensor(name, TensorProto.FLOAT, dims, values.ravel()))

    begin = [
        weights("w1", channels, channels // groups, 1, 1),
        weights("w2", channels, 1, 3, 3),
        weights("w3", channels, channels // groups, 1, 1),
        helper.make_node("Conv", ["x", "w1"], ["a"], group=groups),
        helper.make_node("Relu", ["a"], ["b"]),
    ]
    end = [
        helper.make_node("Conv", ["c", "w2"], ["d"], group=channels, pads=[1, 1, 1, 1]),
        helper.make_node("Conv", ["d", "w3"], ["e"], group=groups),
        helper.make_node("Add", ["x", "e"], ["f"]),
        helper.make_node("Relu", ["f"], ["y"]),
    ]
    x = {"x": rng.standard_normal(shape).astype(np.float32)}
    outputs = {"y": TensorProto.FLOAT}
    (ours,) = run([*begin, node("ChannelShuffle", ["b"], ["c"], groups=groups), *end], x, outputs)
    (theirs,) = run([*begin, *slower_shuffle("b", groups, channels, shape, "c"), *end], x, outputs)
    np.testing.assert_array_equal(ours, theirs)
    (without,) = run([*begin, helper.make_node("Identity", ["b"], ["c"]), *end], x, outputs)
    assert not np.array_equal(ours, without)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_random_uniform(dtype):
    (y,) = run(
        [node("RandomUniform", [], ["y"], dtype=TYPES[dtype], shape=[3, 50], low=-1.0, high=3.0, seeds=SEEDS)],
        {},
        {"y": TYPES[dtype]},
    )
    assert y.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(y.ravel(), reference.tensorflow_uniform(150, dtype, -1, 3, SEEDS))


def test_random_uniform_bfloat16():
    nodes = [
        node("RandomUniform", [], ["b"], dtype=TensorProto.BFLOAT16, shape=[64], seeds=SEEDS),
        helper.make_node("Cast", ["b"], ["y"], to=TensorProto.FLOAT),
    ]
    (y,) = run(nodes, {}, {"y": TensorProto.FLOAT})
    np.testing.assert_array_equal(y, reference.tensorflow_uniform(64, "bfloat16", 0, 1, SEEDS))


def test_runs_continue_one_stream():
    expected = reference.tensorflow_uniform(30, "float32", 0, 1, SEEDS)
    model = session([node("RandomUniform", [], ["y"], shape=[10], seeds=SEEDS)], {}, {"y": TensorProto.FLOAT})
    pieces = [model.run(None, {})[0] for _ in range(3)]
    np.testing.assert_array_equal(np.concatenate(pieces), expected)
    # An offset says where to start, and no run moves it.
    offset = {"at": np.array(7, np.int64)}
    model = session([node("RandomUniform", ["at"], ["y"], shape=[10], seeds=SEEDS)], offset, {"y": TensorProto.FLOAT})
    for _ in range(2):
        np.testing.assert_array_equal(model.run(None, offset)[0], expected[7:17])


def test_threads_share_a_stream():
    model = session([node("RandomUniform", [], ["y"], shape=[8], seeds=SEEDS)], {}, {"y": TensorProto.FLOAT})
    pieces = []
    threads = [threading.Thread(target=lambda: pieces.extend(model.run(None, {})[0] for _ in range(20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    drawn = sorted(tuple(piece) for piece in pieces)
    expected = reference.tensorflow_uniform(8 * 80, "float32", 0, 1, SEEDS).reshape(80, 8)
    assert drawn == sorted(tuple(piece) for piece in expected)


def test_seeds_of_zero_draw_entropy():
    model = session([node("RandomUniform", [], ["y"], shape=[8])], {}, {"y": TensorProto.FLOAT})
    assert not np.array_equal(model.run(None, {})[0], model.run(None, {})[0])


def test_random_normal():
    """Box and Muller's numbers from the words, in float64: tombola's and TensorFlow's are some ulps from it."""
    (y,) = run(
        [node("RandomNormal", [], ["y"], shape=[4, 100], mean=2.0, scale=0.5, seeds=SEEDS)], {}, {"y": TensorProto.FLOAT}
    )
    unit = reference.tensorflow_uniform(400, "float32", 0, 1, SEEDS).astype(np.float64).reshape(-1, 2)
    radius, angle = np.sqrt(-2 * np.log(np.maximum(unit[:, 0], 1e-7))), 2 * np.pi * unit[:, 1]
    expected = np.stack([np.sin(angle) * radius, np.cos(angle) * radius], 1).reshape(4, 100) * 0.5 + 2
    np.testing.assert_allclose(y, expected, atol=2e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_multinomial(dtype):
    weights = np.array([[1, 0, 3, 2, 5], [0, 7, 0, 1, 1]], dtype)
    uniforms = reference.tensorflow_uniform(2 * 40, "float64", 0, 1, SEEDS).reshape(2, 40)
    expected = [reference.multinomial(row, u) for row, u in zip(weights, uniforms)]
    for kind, name in [(TensorProto.INT32, "int32"), (TensorProto.INT64, "int64")]:
        nodes = [node("Multinomial", ["x"], ["y"], dtype=kind, sample_size=40, logits=0, seeds=SEEDS)]
        (y,) = run(nodes, {"x": weights}, {"y": kind})
        assert y.dtype.name == name
        np.testing.assert_array_equal(y, expected)
    few = [node("Multinomial", ["x"], ["y"], sample_size=2, logits=0, replacement=0, seeds=SEEDS)]
    (y,) = run(few, {"x": weights}, {"y": TensorProto.INT32})
    u = reference.tensorflow_uniform(4, "float64", 0, 1, SEEDS).reshape(2, 2)
    np.testing.assert_array_equal(y, [reference.multinomial(row, x, False) for row, x in zip(weights, u)])


def test_multinomial_of_logits_is_onnx_multinomial():
    """The same frequencies as the runtime's own operator, 5 standard deviations wide: other numbers, one distribution."""
    logits = np.log(np.array([[0.1, 0.2, 0.3, 0.4]], np.float32))
    count = 200_000
    nodes = [
        node("Multinomial", ["x"], ["y"], sample_size=count, seeds=SEEDS),
        helper.make_node("Multinomial", ["x"], ["z"], sample_size=count, seed=1.0),
    ]
    for drawn in run(nodes, {"x": logits}, {"y": TensorProto.INT32, "z": TensorProto.INT32}):
        frequencies = np.bincount(drawn[0], minlength=4) / count
        p = np.exp(logits[0])
        assert (np.abs(frequencies - p) < 5 * np.sqrt(p * (1 - p) / count)).all()


def test_token_sampler():
    logits = (np.random.RandomState(2).standard_normal((4, 97)) * 2).astype(np.float32)
    inputs = {
        "logits": logits,
        "temperature": np.array(0, np.float32),
        "top_k": np.array([1, 1, 3, 3], np.int32),
        "top_p": np.array([0.9], np.float32),
        "seeds": np.array([[1, 2], [3, 4], [5, 6], [1, 2]], np.int64),
        "offset": np.array([0, 1, 2, 3], np.int64),
    }
    ids, ids_logprobs = {"y": TensorProto.INT64}, {"y": TensorProto.INT64, "l": TensorProto.FLOAT}
    (greedy,) = run([node("TokenSampler", ["logits", "temperature"], ["y"])], {k: inputs[k] for k in ("logits", "temperature")}, ids)
    np.testing.assert_array_equal(greedy, logits.argmax(1)[:, None])

    # Inputs in the middle may be absent. Of three classes the third, fourth and fifth samples are not all the same.
    names = ["logits", "", "top_k", "", "", "", "seeds", "offset"]
    given = {k: inputs[k] for k in names if k}
    y, l = run([node("TokenSampler", names, ["y", "l"], sample_size=50)], given, ids_logprobs)
    ranked = np.argsort(-logits, axis=1, kind="stable")
    np.testing.assert_array_equal(y[:2], np.repeat(ranked[:2, :1], 50, 1))
    np.testing.assert_array_equal(l[:2], 0)
    for row in (2, 3):
        assert set(y[row]) == set(ranked[row, :3])
        p = logits[row].astype(np.float64)
        p = p - np.log(np.exp(p[ranked[row, :3]]).sum())
        np.testing.assert_allclose(l[row], p[y[row]], rtol=1e-5, atol=1e-6)

    # Without filters it is multinomial: number OFFSET + s of the row's own stream.
    names[2], given = "", {k: inputs[k] for k in ("logits", "seeds", "offset")}
    (y,) = run([node("TokenSampler", names, ["y"], sample_size=6)], given, ids)
    for row, (seeds, offset) in enumerate(zip(inputs["seeds"], inputs["offset"])):
        u = reference.tensorflow_uniform(6 + int(offset), "float64", 0, 1, [int(s) for s in seeds])[offset:]
        weights = np.exp(logits[row].astype(np.float64) - logits[row].max())
        np.testing.assert_array_equal(y[row], reference.multinomial(weights, u))


def test_token_sampler_draws_on():
    logits = np.zeros((2, 50), np.float32)
    model = session([node("TokenSampler", ["logits"], ["y"], seeds=SEEDS)], {"logits": logits}, {"y": TensorProto.INT64})
    y = np.concatenate([model.run(None, {"logits": logits})[0].ravel() for _ in range(5)])
    u = reference.tensorflow_uniform(10, "float64", 0, 1, SEEDS)
    np.testing.assert_array_equal(y, reference.multinomial(np.ones(50), u))


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_dropout(p):
    x = {"x": np.random.RandomState(4).standard_normal((5, 77)).astype(np.float32), "p": np.array(p, np.float32)}
    y, mask = run(
        [node("Dropout", ["x", "p"], ["y", "m"], seeds=SEEDS)], x, {"y": TensorProto.FLOAT, "m": TensorProto.BOOL}
    )
    expected, kept = reference.dropout(x["x"], p, 32, SEEDS)
    np.testing.assert_array_equal(mask, kept)
    np.testing.assert_array_equal(y, expected)


def test_dropout_is_one_half_by_default_and_draws_on():
    x = {"x": np.ones(1000, np.float32)}
    model = session([node("Dropout", ["x"], ["y"], seeds=SEEDS)], x, {"y": TensorProto.FLOAT})
    y = np.concatenate([model.run(None, x)[0] for _ in range(2)])
    np.testing.assert_array_equal(y, reference.dropout(np.ones(2000, np.float32), 0.5, 32, SEEDS)[0])


@pytest.mark.parametrize(
    "op, attributes, message",
    [
        ("ChannelShuffle", {}, "ChannelShuffle: the attribute groups is missing"),
        ("ChannelShuffle", {"groups": 0}, "groups is 0; expected at least 1"),
        ("ChannelShuffle", {"groups": 5}, "groups is 5; expected a divisor of the 6 channels"),
        ("ChannelShuffle", {"groups": 2, "axis": 4}, "axis is 4; the input has 4 dimensions"),
        ("Multinomial", {}, "the input has 4 dimensions; expected 2"),
        ("Multinomial", {"seeds": [1]}, "seeds has 1 numbers; expected 2"),
        ("Multinomial", {"dtype": 1}, "dtype is 1; expected one of 6, 7"),
        ("TokenSampler", {"filter_order": "x"}, "filter_order is x; expected one of transformers, vllm"),
    ],
)
def test_refusals(op, attributes, message):
    x = {"x": np.ones((1, 6, 2, 2), np.float32)}
    kind = {"ChannelShuffle": TensorProto.FLOAT, "Multinomial": TensorProto.INT32, "TokenSampler": TensorProto.INT64}[op]
    with pytest.raises(Exception, match=message):
        run([node(op, ["x"], ["y"], **attributes)], x, {"y": kind})


def test_status_of_a_wrong_attribute():
    """The runtime gives it this status, whatever the operator's is."""
    with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException, match="seeds has 1 numbers"):
        session([node("RandomUniform", [], ["y"], shape=[3], seeds=[1])], {}, {"y": TensorProto.FLOAT})


@pytest.mark.parametrize(
    "op, numbers",
    [
        ("RandomUniform", {"low": 2.0, "high": 1.0}),
        ("RandomUniform", {"low": 1.0, "high": 1.0}),
        ("RandomUniform", {"high": float("inf")}),
        ("RandomNormal", {"mean": float("nan")}),
        ("RandomNormal", {"scale": -1.0}),
    ],
)
def test_wrong_numbers_make_no_session(op, numbers):
    with pytest.raises(Exception, match=f"{op}.* is .* and .* is .*; expected finite numbers"):
        session([node(op, [], ["y"], shape=[3], **numbers)], {}, {"y": TensorProto.FLOAT})


@pytest.mark.parametrize("dtype, low, high", [(TensorProto.FLOAT, -3e38, 3e38), (TensorProto.FLOAT16, -6e4, 6e4)])
def test_infinite_ranges_make_no_session(dtype, low, high):
    with pytest.raises(Exception, match="MAX - MIN is infinite"):
        session([node("RandomUniform", [], ["y"], shape=[3], dtype=dtype, low=low, high=high)], {}, {"y": dtype})


@pytest.mark.parametrize("shape, message", [([2**40, 2**40], "2.63 elements or more"), ([2**62], "RandomUniform")])
def test_shapes_that_are_too_large_make_no_session(shape, message):
    with pytest.raises(Exception, match=message):
        session([node("RandomUniform", [], ["y"], shape=shape)], {}, {"y": TensorProto.FLOAT})


def test_an_empty_shape_beside_large_sizes():
    (y,) = run([node("RandomUniform", [], ["y"], shape=[2**40, 0])], {}, {"y": TensorProto.FLOAT})
    assert y.shape == (2**40, 0)


@pytest.mark.parametrize("op", ["RandomUniform", "RandomNormal"])
@pytest.mark.parametrize("attributes", [{}, {"shape": 2}, {"shape": [2.5]}])
def test_a_shape_is_needed(op, attributes):
    with pytest.raises(Exception, match="the attribute shape is missing or is no list of integers"):
        session([node(op, [], ["y"], **attributes)], {}, {"y": TensorProto.FLOAT})


def test_refused_values():
    bad = {"x": np.array([[0.0, -1.0]], np.float32)}
    with pytest.raises(Exception, match="Multinomial.*-1"):
        run([node("Multinomial", ["x"], ["y"], logits=0)], bad, {"y": TensorProto.INT32})
    ratio = {"x": np.ones(3, np.float32), "p": np.array(1.5, np.float32)}
    with pytest.raises(Exception, match="Dropout.*1.5"):
        run([node("Dropout", ["x", "p"], ["y"])], ratio, {"y": TensorProto.FLOAT})
    offset = {"at": np.array(-1, np.int64)}
    with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument, match="offset is -1; expected at least 0"):
        run([node("RandomUniform", ["at"], ["y"], shape=[3])], offset, {"y": TensorProto.FLOAT})
    logits = {"x": np.zeros((3, 4), np.float32), "at": np.array([0, 5, -7], np.int64)}
    with pytest.raises(Exception, match="offset is -7; expected at least 0"):
        run([node("TokenSampler", ["x", "", "", "", "", "", "", "at"], ["y"], seeds=SEEDS)], logits, {"y": TensorProto.INT64})


@pytest.mark.parametrize("dtype", [{}, {"dtype": TensorProto.INT32}])
@pytest.mark.parametrize("shape", ["behind ChannelShuffle", [None, 4], ["rows", 4], [2, 4]])
def test_shapes_that_nobody_knows_before_the_run(shape, dtype):
    """No shape is inferred for ChannelShuffle's result. Another operator takes the shape of what Multinomial draws."""
    x = {"x": np.log(np.array([[1, 0, 3, 2], [0, 7, 0, 1]], np.float32) + np.float32(1e-30))}
    known = shape if isinstance(shape, list) else None
    nodes = [
        node("Multinomial", ["x" if known else "s"], ["y"], sample_size=30, seeds=SEEDS, **dtype),
        helper.make_node("Shape", ["y"], ["n"]),
    ]
    if not known:
        nodes.insert(0, node("ChannelShuffle", ["x"], ["s"], groups=2))
    model = session(nodes, x, {"y": TensorProto.INT32, "n": TensorProto.INT64}, known)
    if known and known[0]:
        assert model.get_outputs()[0].shape == [known[0], 30]
    y, n = model.run(None, x)
    np.testing.assert_array_equal(n, [2, 30])
    weights = np.exp(x["x"].astype(np.float64)) if known else np.exp(reference.shuffled(x["x"], 2, 1).astype(np.float64))
    uniforms = reference.tensorflow_uniform(60, "float64", 0, 1, SEEDS).reshape(2, 30)
    np.testing.assert_array_equal(y, [reference.multinomial(row, u) for row, u in zip(weights, uniforms)])


@pytest.mark.parametrize("dtype", [{}, {"dtype": TensorProto.FLOAT}])
@pytest.mark.parametrize("shape", [[2, 3], [4], []])
def test_shapes_that_an_attribute_tells(shape, dtype):
    empty = {} if shape else {"shape": helper.make_attribute("shape", [], attr_type=onnx.AttributeProto.INTS)}
    made = node("RandomUniform", [], ["y"], seeds=SEEDS, **dtype, **({"shape": shape} if shape else {}))
    made.attribute.extend(empty.values())
    model = session([made, helper.make_node("Shape", ["y"], ["n"])], {}, {"y": TensorProto.FLOAT, "n": TensorProto.INT64})
    assert model.get_outputs()[0].shape == shape
    y, n = model.run(None, {})
    assert list(n) == shape and y.shape == tuple(shape)


def test_the_seed_of_onnx_is_refused():
    with pytest.raises(Exception, match="the attribute seed is ONNX's; expected seeds, a list of two integers"):
        session([node("RandomUniform", [], ["y"], shape=[3], seed=1.0)], {}, {"y": TensorProto.FLOAT})
