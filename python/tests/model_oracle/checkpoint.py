"""A folder of Hugging Face files as a dictionary of float64 arrays.

The format of safetensors: eight bytes with the length of a header in JSON, the
header, then the bytes of the tensors.
"""
import json
import os
import struct

import numpy as np

KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "U8": "u1"}
PREFIXES = ("model.", "model.language_model.", "language_model.", "bert.",
            "roberta.", "deberta.", "transformer.", "gpt_neox.", "vit.",
            "dinov2.", "swin.", "swinv2.", "model.decoder.", "layer.")


def read_safetensors(path):
    """The tensors of a file, by name, in float64."""
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(size))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        part = data[begin:end]
        if entry["dtype"] == "BF16":
            words = np.frombuffer(part, "<u2").astype(np.uint32) << 16
            array = words.view(np.float32)
        else:
            array = np.frombuffer(part, KINDS[entry["dtype"]])
        tensors[name] = array.reshape(entry["shape"]).astype(np.float64)
    return tensors


class Checkpoint:
    """The config 'c' of a folder and its weights.

    m("layers.0.mlp.up_proj.weight") finds a tensor whether or not its name in
    the file begins with the name of the model within the class for a task.
    """

    def __init__(self, folder):
        with open(os.path.join(folder, "config.json")) as file:
            self.outer = json.load(file)
        self.c = self.outer.get("text_config", self.outer)
        self.tensors = {}
        for name in sorted(os.listdir(folder)):
            if name.endswith(".safetensors"):
                self.tensors.update(
                    read_safetensors(os.path.join(folder, name)))
        self.kind = self.c.get("model_type", self.outer["model_type"])

    def find(self, name):
        """The tensor, or None."""
        if name in self.tensors:
            return self.tensors[name]
        for prefix in PREFIXES:
            if prefix + name in self.tensors:
                return self.tensors[prefix + name]
        return None

    def __call__(self, name):
        found = self.find(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name):
        return self.find(name) is not None

    def linear(self, name, x):
        """x W^T + b, b if the file has it."""
        y = x @ self(name + ".weight").T
        bias = self.find(name + ".bias")
        return y if bias is None else y + bias
