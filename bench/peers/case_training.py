"""One training step of the lab's models S, M and L, ours and in PyTorch.

Model (src/model/model.h), optimiser and clipping (src/train/train.c) are the
same.  A check compares the validation losses of both models with the weights of
a run of ours.  The time of a step of ours is the time of a run divided by its
steps, so it includes batches, records and a checkpoint at the end.
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from lab import BATCH, HEADS, LENGTH, MUON_RATE, RATE, SIZES, Lab
from lib_locant import lib
from measure import Case, Contender, Work

VOCAB, BUCKETS, CHECKED = 256, 32, 16
STEPS = {"S": (96, 4), "M": (48, 3), "L": (24, 2)}  # a sample of ours, theirs
ENCODINGS = ("none", "learned", "sinusoidal", "rope", "alibi", "t5", "kerple")
SPECS = {"learned": f"learned(length={LENGTH})"}


def angles(width):
    exponent = torch.arange(0, width, 2) / width
    return torch.outer(torch.arange(LENGTH).double(), 10000. ** -exponent)


def rope_tables(width):
    angle = torch.cat([angles(width), angles(width)], -1)[None]
    return angle.cos().float(), angle.sin().float()


def sinusoids(width):
    """The table of sines and cosines, with the RMS of initial embeddings."""
    angle = angles(width)
    table = torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
    return (table * (width * table.square().mean()) ** -.5).float()


class Encoding(nn.Module):
    """One of ENCODINGS, which adds to the input, rotates, or adds to scores."""

    def __init__(self, name, width):
        super().__init__()
        self.name = name
        i, j = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)[None]
        future = torch.where(j > i, -math.inf, 0.)
        if name == "rope":
            cos, sin = rope_tables(width // HEADS)
            self.register_buffer("cos", cos)
            self.register_buffer("sin", sin)
        if name == "alibi":
            slope = 2. ** (-8 * torch.arange(1, HEADS + 1) / HEADS)
            bias = -slope[:, None, None] * (i - j) + future
            self.register_buffer("bias", bias[None])
        if name == "t5":
            from transformers.models.t5.modeling_t5 import T5Attention
            bucket = T5Attention._relative_position_bucket(
                j - i, bidirectional=False, num_buckets=BUCKETS,
                max_distance=128)
            self.register_buffer("bucket", bucket)
            self.register_buffer("future", future)
            self.table = nn.Parameter(torch.randn(BUCKETS, HEADS) * .02)
        if name == "kerple":
            self.register_buffer("distance", (i - j).clamp(min=0).float())
            self.register_buffer("future", future)
            self.p = nn.Parameter(torch.rand(HEADS) * 2)
            self.a = nn.Parameter(torch.rand(HEADS))
        if name == "learned":
            self.table = nn.Parameter(torch.randn(LENGTH, width) * .02)
        if name == "sinusoidal":
            self.register_buffer("fixed", sinusoids(width))

    def add(self, x):
        if self.name == "learned":
            return x + self.table
        return x + self.fixed if self.name == "sinusoidal" else x

    @torch.no_grad()
    def project(self):
        if self.name == "kerple":
            self.p.clamp_(min=.01)
            self.a.clamp_(min=.01)

    def mask(self):
        if self.name == "kerple":
            p, a = self.p[:, None, None], self.a[:, None, None]
            return (self.future - p * torch.log1p(a * self.distance))[None]
        if self.name == "t5":
            return self.table[self.bucket].permute(2, 0, 1)[None] + self.future
        return self.bias if self.name == "alibi" else None

    def attend(self, q, k, v, mask):
        if self.name == "rope":
            from transformers.models.llama.modeling_llama import (
                apply_rotary_pos_emb)
            q, k = apply_rotary_pos_emb(q, k, self.cos, self.sin)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask,
                                              is_causal=mask is None)


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1 = nn.LayerNorm(width, bias=False)
        self.norm2 = nn.LayerNorm(width, bias=False)
        for name in ("wq", "wk", "wv", "wo"):
            setattr(self, name, nn.Linear(width, width, bias=False))
        self.w1 = nn.Linear(width, 4 * width, bias=False)
        self.w2 = nn.Linear(4 * width, width, bias=False)

    def forward(self, x, encoding, mask):
        z = self.norm1(x)
        q, k, v = (w(z).unflatten(-1, (HEADS, -1)).transpose(1, 2)
                   for w in (self.wq, self.wk, self.wv))
        o = encoding.attend(q, k, v, mask)
        x = x + self.wo(o.transpose(1, 2).flatten(2))
        return x + self.w2(F.gelu(self.w1(self.norm2(x)), approximate="tanh"))


class Model(nn.Module):
    """Its parameters have the names of src/model/layout.c."""

    def __init__(self, encoding, size):
        super().__init__()
        width = size.width
        self.embedding = nn.Embedding(VOCAB, width)
        self.layers = nn.ModuleList(Layer(width) for _ in range(size.layers))
        self.norm = nn.LayerNorm(width, bias=False)
        self.output = nn.Linear(width, VOCAB, bias=False)
        self.encoding = Encoding(encoding, width)

    def forward(self, tokens, targets):
        x = self.encoding.add(self.embedding(tokens))
        mask = self.encoding.mask()
        for layer in self.layers:
            x = layer(x, self.encoding, mask)
        logits = self.output(self.norm(x))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    def load(self, weights):
        """Load parameters of our checkpoint, matrices [in, out]."""
        for name, p in self.named_parameters():
            ours = name.removesuffix(".weight").replace("layers.", "layer")
            value = weights[ours]
            linear = p.dim() == 2 and not ours.startswith(("emb", "enc"))
            p.data.copy_(value.T if linear else value)


def optimizers(model, muon):
    """AdamW; with 'muon' it leaves the matrices of the layers to Muon."""
    hidden, matrices, others = [], [], []
    for name, p in model.named_parameters():
        table = name.startswith(("embedding", "encoding"))
        matrix = p.dim() == 2 and not table
        own = hidden if muon and name.startswith("layers") else matrices
        (own if matrix else others).append(p)
    adamw = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": .1},
         {"params": others, "weight_decay": 0.}],
        lr=RATE, betas=(.9, .95), eps=1e-8, fused=True)
    return [torch.optim.Muon(hidden, lr=MUON_RATE), adamw] if muon else [adamw]


def theirs(lab, encoding, size, compiled, shared):
    """Work that takes some steps on windows of the same text."""
    torch.set_num_threads(shared["threads"])
    model = Model(encoding, size)
    model.load(shared["weights"])
    with torch.no_grad():
        loss = model(*lab.valid_windows(CHECKED))
    forward = torch.compile(model, dynamic=False) if compiled else model
    updates = optimizers(model, shared["muon"])
    text = torch.frombuffer(bytearray(lab.text), dtype=torch.uint8)
    windows = torch.arange(LENGTH + 1)[None]
    steps = STEPS[size.name][1]

    def run():
        for _ in range(steps):
            start = torch.randint(len(text) - LENGTH - 1, (BATCH, 1))
            batch = text[start + windows].long()
            model.zero_grad(set_to_none=True)
            forward(batch[:, :-1], batch[:, 1:]).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.)
            for update in updates:
                update.step()
            model.encoding.project()
    return Work(run, lambda: [loss], steps)


def ours(lab, encoding, size, shared):
    """Work whose run() takes some steps and returns their seconds."""
    spec, steps = SPECS.get(encoding, encoding), STEPS[size.name][0]
    lib.locant_set_threads(shared["threads"])
    run = lab.train(spec, size, steps, shared["muon"])
    shared["weights"] = lab.weights(run)
    loss = torch.tensor(lab.validation(run, CHECKED), dtype=torch.float64)
    return Work(lambda: lab.train(spec, size, steps, shared["muon"]).seconds,
                lambda: [loss], steps)


def training(lab, encoding, size, threads, muon=False):
    shared = {"threads": threads, "muon": muon}
    name = (f"training step, {size.name}, {encoding}, "
            f"{'Muon, ' if muon else ''}threads {threads}")
    return Case(name, "steps/s", 1, 1e-5, [
        Contender("locant", lambda: ours(lab, encoding, size, shared)),
        Contender("PyTorch eager",
                  lambda: theirs(lab, encoding, size, False, shared), 1.5),
        Contender("PyTorch compiled",
                  lambda: theirs(lab, encoding, size, True, shared), 1.5)],
        quick=encoding == "rope" and size.name == "S" and not muon)


def cases(locant, threads):
    lab = Lab()
    for number in sorted({1, threads}):
        for size in SIZES:
            for encoding in ENCODINGS:
                yield training(lab, encoding, size, number)
            yield training(lab, "rope", size, number, muon=True)
    locant.set_threads(threads)
    torch.set_num_threads(threads)
