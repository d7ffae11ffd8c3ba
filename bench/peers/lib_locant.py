"""The C API of liblocant by ctypes, on the memory of torch tensors.

The declarations are those of the Python package, generated from the headers;
LOCANT_LIBRARY names the folder of the library.
"""
import ctypes
import pathlib
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from locant import _c  # noqa: E402
from locant._library import lib, make, text  # noqa: E402
from locant._torch import view_of  # noqa: E402

class Locant:
    """The library; an error raises an exception with its message."""

    def call(self, name, *arguments):
        getattr(lib, f"locant_{name}")(*arguments)

    def set_threads(self, threads):
        lib.locant_set_threads(threads)

    def about(self):
        return f"locant {text(lib.locant_version())} ({text(lib.locant_isa())})"


def view(tensor):
    """A pointer to a locant_tensor that views the memory of 'tensor'."""
    pointer = ctypes.pointer(view_of(tensor, "operand"))
    pointer.tensor = tensor  # lives as long as its view
    return pointer


class Encoding:
    def __init__(self, locant, spec):
        self.locant = locant
        self.handle = ctypes.c_void_p()
        locant.call("encoding_create", ctypes.byref(self.handle),
                    spec.encode())

    def rotate(self, out, x, positions):
        """out = rotated x; all are views."""
        self.locant.call("encoding_rotate", out, x, self.handle, positions,
                         None, 0)


class Problem:
    """Attention of q, k, v: forward into .out, backward into .gradients."""

    def __init__(self, locant, qkv, encoding, causal, table=None):
        q, k, v = qkv
        self.locant, self.qkv, self.table = locant, qkv, table
        self.encoding = encoding
        self.out = torch.empty_like(q)
        self.lse = torch.empty(q.shape[:3])
        self.out_view, self.lse_view = view(self.out), view(self.lse)
        self.a = make(_c.Attention, q=view(q), k=view(k), v=view(v),
                      encoding=encoding.handle, mask=int(causal))
        if table is not None:
            self.a.params = view(table)
        size = ctypes.c_size_t()
        locant.call("attention_workspace", ctypes.byref(size),
                    ctypes.byref(self.a))
        self.size = size
        self.workspace = torch.empty(size.value + 64, dtype=torch.uint8)
        self.start = ctypes.c_void_p(-(-self.workspace.data_ptr() // 64) * 64)

    def forward(self):
        self.locant.call("attention_forward", self.out_view, self.lse_view,
                         ctypes.byref(self.a), self.start, self.size)

    def prepare_backward(self, dout):
        self.dout = view(dout)
        self.gradients = [torch.empty_like(t) for t in self.qkv]
        dq, dk, dv = map(view, self.gradients)
        self.g = make(_c.AttentionGradients, dq=dq, dk=dk, dv=dv)
        if self.table is not None:
            self.gradients.append(torch.zeros_like(self.table))
            self.g.dparams = view(self.gradients[3])

    def backward(self):
        self.locant.call("attention_backward", ctypes.byref(self.g), self.dout,
                         self.out_view, self.lse_view, ctypes.byref(self.a),
                         self.start, self.size)
