"""One-node models for onnxruntime, bound to the memory of torch tensors."""
import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper

TYPES = {torch.float32: (TensorProto.FLOAT, np.float32),
         torch.float16: (TensorProto.FLOAT16, np.float16),
         torch.bfloat16: (TensorProto.BFLOAT16, TensorProto.BFLOAT16),
         torch.int32: (TensorProto.INT32, np.int32),
         torch.int64: (TensorProto.INT64, np.int64)}
CONTRIB = "com.microsoft"


def about():
    return f"onnxruntime {onnxruntime.__version__}"


def value_infos(tensors):
    return [helper.make_tensor_value_info(name, TYPES[t.dtype][0],
                                          list(t.shape))
            for name, t in tensors.items()]


def session(nodes, inputs, outputs, threads):
    graph = helper.make_graph(nodes, "case", value_infos(inputs),
                              value_infos(outputs))
    model = helper.make_model(
        graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21),
                                             helper.make_opsetid(CONTRIB, 1)])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model.SerializeToString(), options,
                                        providers=["CPUExecutionProvider"])


def bound(nodes, inputs, outputs, threads):
    """A function that runs 'nodes' from 'inputs' into 'outputs', both {name:
    tensor}, without a copy."""
    made = session(nodes, inputs, outputs, threads)
    binding = made.io_binding()
    for bind, tensors in ((binding.bind_input, inputs),
                          (binding.bind_output, outputs)):
        for name, t in tensors.items():
            bind(name, "cpu", 0, TYPES[t.dtype][1], list(t.shape),
                 t.data_ptr())
    return lambda: made.run_with_iobinding(binding)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, domain=CONTRIB, **attributes)
