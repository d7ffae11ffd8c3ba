"""The C API of liblocant by ctypes, on the memory of torch tensors.

Only what the cases call; layouts are those of include/locant/*.h.
"""
import ctypes
import math

import torch

RANK = 6
DTYPES = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 2,
          torch.float64: 3, torch.int32: 4, torch.int64: 5}


class Tensor(ctypes.Structure):
    """locant_tensor: a view of memory that torch owns."""
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int),
                ("rank", ctypes.c_int32), ("shape", ctypes.c_int64 * RANK),
                ("stride", ctypes.c_int64 * RANK)]


POINTER = ctypes.POINTER(Tensor)


class Attention(ctypes.Structure):
    """locant_attention"""
    _fields_ = [("struct_size", ctypes.c_size_t), ("q", POINTER),
                ("k", POINTER), ("v", POINTER), ("q_pos", POINTER),
                ("k_pos", POINTER), ("encoding", ctypes.c_void_p),
                ("params", POINTER), ("mask", ctypes.c_int),
                ("scale", ctypes.c_double), ("x", POINTER),
                ("q_coords", POINTER), ("k_coords", POINTER),
                ("q_docs", POINTER), ("k_docs", POINTER),
                ("flags", ctypes.c_int), ("window", ctypes.c_int64),
                ("softcap", ctypes.c_double), ("sinks", POINTER)]


class Gradients(ctypes.Structure):
    """locant_attention_gradients"""
    _fields_ = [("struct_size", ctypes.c_size_t), ("dq", POINTER),
                ("dk", POINTER), ("dv", POINTER), ("dparams", POINTER),
                ("dx", POINTER), ("dsinks", POINTER)]


class Locant:
    """liblocant of a build folder, or a library on top of it."""

    def __init__(self, folder, name="liblocant.so"):
        self.folder = folder
        self.lib = ctypes.CDLL(f"{folder}/{name}", mode=ctypes.RTLD_GLOBAL)
        for name in ("last_error", "version", "isa"):
            getattr(self.lib, f"locant_{name}").restype = ctypes.c_char_p

    def call(self, name, *arguments):
        """Call locant_<name>; a status that is not OK is raised."""
        if getattr(self.lib, f"locant_{name}")(*arguments) != 0:
            raise RuntimeError(self.lib.locant_last_error().decode())

    def set_threads(self, threads):
        self.call("set_threads", threads)

    def about(self):
        return (f"locant {self.lib.locant_version().decode()}"
                f" ({self.lib.locant_isa().decode()})")


def view(tensor):
    """A pointer to the locant_tensor that sees what 'tensor' sees."""
    seen = Tensor(data=tensor.data_ptr(), dtype=DTYPES[tensor.dtype],
                  rank=tensor.dim())
    for i in range(tensor.dim()):
        seen.shape[i] = tensor.shape[i]
        seen.stride[i] = tensor.stride(i)
    pointer = ctypes.pointer(seen)
    pointer.tensor = tensor  # lives as long as its view
    return pointer


class Encoding:
    def __init__(self, locant, spec):
        self.locant = locant
        self.handle = ctypes.c_void_p()
        locant.call("encoding_create", ctypes.byref(self.handle),
                    spec.encode())

    def rotate(self, out, x, positions):
        """out = x turned; views."""
        self.locant.call("encoding_rotate", out, x, self.handle, positions,
                         None, 0)

    def bias(self, heads, tokens, keys, table=None):
        """The bias as a tensor [heads, tokens, keys], last query at the last
        key."""
        out = torch.empty(heads, tokens, keys)
        q_pos = torch.arange(keys - tokens, keys)
        k_pos = torch.arange(keys)
        self.locant.call("encoding_bias", view(out), self.handle, view(q_pos),
                         view(k_pos), None if table is None else view(table))
        return out


class Problem:
    """Attention of q, k, v: forward into .out, backward into .dq, .dk, .dv."""

    def __init__(self, locant, qkv, encoding, causal, table=None):
        q, k, v = qkv
        self.locant, self.qkv, self.table = locant, qkv, table
        self.encoding = encoding
        self.out = torch.empty_like(q)
        self.lse = torch.empty(q.shape[:3])
        self.out_view, self.lse_view = view(self.out), view(self.lse)
        self.a = Attention(
            struct_size=ctypes.sizeof(Attention), q=view(q), k=view(k),
            v=view(v), encoding=encoding.handle, mask=int(causal),
            scale=math.inf)
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
        self.g = Gradients(struct_size=ctypes.sizeof(Gradients), dq=dq, dk=dk,
                           dv=dv)
        if self.table is not None:
            self.gradients.append(torch.zeros_like(self.table))
            self.g.dparams = view(self.gradients[3])

    def backward(self):
        self.locant.call("attention_backward", ctypes.byref(self.g), self.dout,
                         self.out_view, self.lse_view, ctypes.byref(self.a),
                         self.start, self.size)
