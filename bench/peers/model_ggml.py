"""A decoder with SwiGLU as a ggml graph on the weights of a transformers model,
which it reads where they lie."""
import ctypes

import torch

from lib_ggml import ROPE_NEOX, TYPES, Graph

DATA = 248  # offset of the data pointer in struct ggml_tensor
I64 = 27
REAL = ctypes.c_float


class Decoder(Graph):
    """States of T tokens, or logits of the last one.

    slots   of the cache; 0: none
    caches  of another graph, to be shared
    """

    def __init__(self, model, threads, T, slots=0, logits=False, caches=()):
        super().__init__(threads, 1 << 26, empty=True)
        self.c, self.T, self.slots = model.config, T, slots
        self.shared, self.caches = list(caches), []
        self.weights = dict(model.named_parameters())
        self.heads = (self.c.num_attention_heads, self.c.num_key_value_heads)
        self.d = (getattr(self.c, "head_dim", None)
                  or self.c.hidden_size // self.heads[0])
        S = slots or T
        self.ids = self.input(torch.zeros(T, dtype=torch.int32))
        self.at = self.input(torch.arange(T, dtype=torch.int32))
        self.mask = self.input(torch.zeros(1, 1, T, S, dtype=torch.float16))
        self.rows = self.input(torch.arange(T)) if slots else None
        x = self.op("get_rows", self.weight("model.embed_tokens"), self.ids)
        for i in range(self.c.num_hidden_layers):
            x = self.layer(x, f"model.layers.{i}.")
        x = self.norm(x, "model.norm")
        if logits:
            size = self.c.hidden_size
            x = self.op("view_2d", x, size, 1, size * 4, (T - 1) * size * 4)
            x = self.op("mul_mat", self.weight("model.embed_tokens"), x)
        self.out = x
        self.shape = (1, self.c.vocab_size) if logits else (T, self.c.hidden_size)
        self.base.ggml_set_output(x)
        self.plan(x)
        self.base.ggml_backend_cpu_buffer_type.restype = ctypes.c_void_p
        self.base.ggml_gallocr_new.restype = ctypes.c_void_p
        self.room = ctypes.c_void_p(self.base.ggml_gallocr_new(
            ctypes.c_void_p(self.base.ggml_backend_cpu_buffer_type())))
        self.base.ggml_gallocr_alloc_graph(self.room, self.graph)

    def __del__(self):
        if getattr(self, "room", None):
            self.base.ggml_gallocr_free(self.room)
        super().__del__()

    # ------------------------------------------------------------- tensors

    def op(self, name, *arguments):
        """An operation of the context; whole numbers are int64_t or size_t."""
        call = getattr(self.base, f"ggml_{name}")
        call.restype = ctypes.c_void_p
        wide = [ctypes.c_int64(a) if type(a) is int else a for a in arguments]
        return ctypes.c_void_p(call(self.context, *wide))

    def input(self, values):
        """A tensor on the memory of a torch tensor."""
        kind = I64 if values.dtype == torch.int64 else TYPES[values.dtype]
        shape = (ctypes.c_int64 * values.dim())(*reversed(values.shape))
        made = ctypes.c_void_p(self.base.ggml_new_tensor(
            self.context, kind, values.dim(), shape))
        ctypes.c_void_p.from_address(made.value + DATA).value = \
            values.data_ptr()
        if self.data(made) != values.data_ptr():
            raise RuntimeError("ggml: struct ggml_tensor has another layout")
        self.keep.append(values)
        made.values = values
        return made

    def weight(self, name, kind="weight"):
        values = self.weights[f"{name}.{kind}"].detach()
        return self.input(values if values.dim() > 1 else values.float())

    # -------------------------------------------------------------- layers

    def norm(self, x, name):
        x = self.op("rms_norm", x, REAL(self.c.rms_norm_eps))
        return self.op("mul", x, self.weight(name))

    def linear(self, x, name):
        y = self.op("mul_mat", self.weight(name), x)
        if f"{name}.bias" in self.weights:
            y = self.op("add", y, self.weight(name, "bias"))
        return y

    def heads_of(self, x, heads, rotated):
        x = self.op("reshape_3d", x, self.d, heads, self.T)
        if not rotated:
            return x
        base = self.c.rope_parameters["rope_theta"]
        arguments = [self.at, None, ctypes.c_int(self.d),
                     ctypes.c_int(ROPE_NEOX), ctypes.c_int(0)]
        return self.op("rope_ext", x, *arguments, REAL(base), REAL(1), REAL(0),
                       REAL(1), REAL(0), REAL(0))

    def cached(self, x):
        """[S, heads, d] of all slots, in the order [heads, S, d]."""
        kv = self.heads[1]
        if self.slots:
            at = len(self.caches)
            self.caches.append(self.shared[at] if self.shared else
                               torch.zeros(self.slots, kv * self.d))
            room = self.input(self.caches[at])
            flat = self.op("reshape_2d", x, kv * self.d, self.T)
            row = kv * self.d * 4
            x = self.op("set_rows", room, flat, self.rows)
            return self.op("view_3d", x, self.d, self.slots, kv, row,
                           self.d * 4, 0)
        return self.permute(x)

    def permute(self, x):
        return self.op("permute", x, *map(ctypes.c_int, (0, 2, 1, 3)))

    def layer(self, x, name):
        y = self.norm(x, name + "input_layernorm")
        q, k, v = (self.linear(y, f"{name}self_attn.{which}_proj")
                   for which in "qkv")
        q = self.permute(self.heads_of(q, self.heads[0], True))
        k = self.cached(self.heads_of(k, self.heads[1], True))
        v = self.cached(self.heads_of(v, self.heads[1], False))
        y = self.flash(q, k, v, self.mask, self.d ** -.5, 0.)
        y = self.op("reshape_2d", y, self.heads[0] * self.d, self.T)
        x = self.op("add", x, self.linear(y, name + "self_attn.o_proj"))
        y = self.norm(x, name + "post_attention_layernorm")
        y = self.op("swiglu_split", self.linear(y, name + "mlp.gate_proj"),
                    self.linear(y, name + "mlp.up_proj"))
        return self.op("add", x, self.linear(y, name + "mlp.down_proj"))

    # ------------------------------------------------------------- running

    def run(self, ids, before=0):
        """The states or logits of ids [T] at positions from 'before' on."""
        at = torch.arange(before, before + self.T)
        self.ids.values.copy_(ids)
        self.at.values.copy_(at)
        if self.slots:
            self.rows.values.copy_(at)
        S = self.mask.values.shape[3]
        self.mask.values.copy_(
            torch.where(torch.arange(S) <= at[:, None], 0., -torch.inf))
        self.compute()
        return self.read(self.out, self.shape)


class Writer:
    """Greedy tokens: a graph for the prompt and one for a token after it, on
    one cache."""

    def __init__(self, model, threads, start, new):
        self.prompt = Decoder(model, threads, start, start + new, True)
        self.step = Decoder(model, threads, 1, start + new, True,
                            self.prompt.caches)
        self.start, self.new = start, new

    def run(self, ids):
        z = self.prompt.run(ids)
        for n in range(1, self.new):
            z = self.step.run(z.argmax(-1), self.start + n - 1)
        return z
