"""The C ABI of ggml's CPU library by ctypes: graphs of one operation."""
import ctypes
import importlib.util
import os

import torch

F32, F16, I32, BF16 = 0, 1, 26, 30
TYPES = {torch.float32: F32, torch.float16: F16, torch.bfloat16: BF16,
         torch.int32: I32}
ROPE_NORMAL, ROPE_NEOX = 0, 2
MOST_THREADS = 512


class InitParams(ctypes.Structure):
    _fields_ = [("mem_size", ctypes.c_size_t), ("mem_buffer", ctypes.c_void_p),
                ("no_alloc", ctypes.c_bool)]


class Plan(ctypes.Structure):
    """ggml_cplan"""
    _fields_ = [("work_size", ctypes.c_size_t), ("work_data", ctypes.c_void_p),
                ("n_threads", ctypes.c_int), ("threadpool", ctypes.c_void_p),
                ("abort_callback", ctypes.c_void_p),
                ("abort_callback_data", ctypes.c_void_p),
                ("use_ref", ctypes.c_bool)]


class PoolParams(ctypes.Structure):
    """ggml_threadpool_params"""
    _fields_ = [("cpumask", ctypes.c_bool * MOST_THREADS),
                ("n_threads", ctypes.c_int), ("prio", ctypes.c_int),
                ("poll", ctypes.c_uint32), ("strict_cpu", ctypes.c_bool),
                ("paused", ctypes.c_bool)]


def load():
    """The libraries (base, cpu) of the wheel."""
    found = importlib.util.find_spec("libggml")
    if found is None or not found.submodule_search_locations:
        raise ImportError("libggml-python is not installed")
    folder = os.path.join(list(found.submodule_search_locations)[0], "lib64")
    base = ctypes.CDLL(f"{folder}/libggml-base.so.0", ctypes.RTLD_GLOBAL)
    cpu = ctypes.CDLL(f"{folder}/libggml-cpu.so.0", ctypes.RTLD_GLOBAL)
    for name in ("init", "new_tensor", "rope_ext", "rope_ext_inplace",
                 "flash_attn_ext", "flash_attn_back", "new_graph", "get_data"):
        getattr(base, f"ggml_{name}").restype = ctypes.c_void_p
    base.ggml_version.restype = ctypes.c_char_p
    base.ggml_nbytes.restype = ctypes.c_size_t
    cpu.ggml_graph_plan.restype = Plan
    cpu.ggml_threadpool_new.restype = ctypes.c_void_p
    cpu.ggml_cpu_init()
    return base, cpu


def about():
    base, cpu = load()
    sets = [name for name in ("avx2", "fma", "f16c", "avx512", "neon")
            if getattr(cpu, f"ggml_cpu_has_{name}")()]
    return f"ggml {base.ggml_version().decode()} ({' '.join(sets)})"


class Graph:
    """Tensors and one operation on them; compute() runs it.

    Shapes are torch's, outermost first; ggml counts from the innermost.  With
    'empty' tensors have no memory of their own.
    """

    def __init__(self, threads, bytes_needed, empty=False):
        self.base, self.cpu = load()
        self.threads = threads
        self.keep = []
        size = bytes_needed + (1 << 22)
        self.context = ctypes.c_void_p(
            self.base.ggml_init(InitParams(size, None, empty)))
        if not self.context:
            raise MemoryError("ggml_init: no memory")

    def tensor(self, values):
        """Make a tensor of the graph with the values of a torch tensor."""
        shape = (ctypes.c_int64 * values.dim())(*reversed(values.shape))
        made = ctypes.c_void_p(self.base.ggml_new_tensor(
            self.context, TYPES[values.dtype], values.dim(), shape))
        values = values.contiguous()
        ctypes.memmove(self.data(made), values.data_ptr(), values.nbytes)
        return made

    def data(self, tensor):
        return self.base.ggml_get_data(tensor)

    def read(self, tensor, shape, dtype=torch.float32):
        """The values of a tensor, copied into a torch tensor."""
        out = torch.empty(shape, dtype=dtype)
        if self.base.ggml_nbytes(tensor) != out.nbytes:
            raise ValueError("ggml: the result has another size")
        ctypes.memmove(out.data_ptr(), self.data(tensor), out.nbytes)
        return out

    def rope(self, x, positions, mode, base):
        """Rotate x [B, T, H, D] in place."""
        real = ctypes.c_float
        return ctypes.c_void_p(self.base.ggml_rope_ext_inplace(
            self.context, x, positions, None, self.width(x), mode, 0,
            real(base), real(1), real(0), real(1), real(0), real(0)))

    def width(self, tensor):
        """The innermost size: ne[0] follows the type and the buffer."""
        return ctypes.c_int64.from_address(tensor.value + 16).value

    def flash(self, q, k, v, mask, scale, max_bias):
        """Attention [B, T, H, D] of q [B, H, T, D], k and v [B, Hkv, S, D],
        mask [1, 1 or H, T, S]."""
        real = ctypes.c_float
        return ctypes.c_void_p(self.base.ggml_flash_attn_ext(
            self.context, q, k, v, mask, real(scale), real(max_bias), real(0)))

    def flash_back(self, q, k, v, dout, causal):
        return ctypes.c_void_p(self.base.ggml_flash_attn_back(
            self.context, q, k, v, dout, ctypes.c_bool(causal)))

    def plan(self, *results):
        """Make the graph that computes the results.  Call this once."""
        self.graph = ctypes.c_void_p(self.base.ggml_new_graph(self.context))
        for result in results:
            self.base.ggml_build_forward_expand(self.graph, result)
        # poll 0: its threads sleep as soon as the graph is computed
        pool = PoolParams(n_threads=self.threads, poll=0)
        self.pool = ctypes.c_void_p(
            self.cpu.ggml_threadpool_new(ctypes.byref(pool)))
        self.cplan = self.cpu.ggml_graph_plan(self.graph, self.threads,
                                              self.pool)
        self.work = torch.empty(self.cplan.work_size + 64, dtype=torch.uint8)
        self.cplan.work_data = -(-self.work.data_ptr() // 64) * 64

    def compute(self):
        if self.cpu.ggml_graph_compute(self.graph,
                                       ctypes.byref(self.cplan)) != 0:
            raise RuntimeError("ggml_graph_compute failed")

    def __del__(self):
        if getattr(self, "pool", None):
            self.cpu.ggml_threadpool_free(self.pool)
        if getattr(self, "context", None):
            self.base.ggml_free(self.context)
