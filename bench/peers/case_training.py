"""One training step of the lab's default model, ours and in PyTorch.

The same model (src/model/model.h), optimiser and clipping (src/lab/train.c);
that it is the same is checked: with the weights of a run of ours PyTorch's
model has the validation loss that ours has.  The time of a step of ours is
that of a run by its number of steps: batches, records and a checkpoint at the
end are part of it.
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from lab import (BATCH, FF, HEADS, LAYERS, LENGTH, RATE, WIDTH, Lab)
from measure import Case, Contender, Work

VOCAB, BUCKETS, CHECKED = 256, 32, 16
OUR_STEPS, THEIR_STEPS = 30, 5  # of one sample


def rope_tables():
    exponent = torch.arange(0, WIDTH // HEADS, 2) / (WIDTH // HEADS)
    angle = torch.outer(torch.arange(LENGTH).double(), 10000. ** -exponent)
    angle = torch.cat([angle, angle], -1)[None]
    return angle.cos().float(), angle.sin().float()


class Encoding(nn.Module):
    """none, rope, alibi, or t5: rotation and bias of every layer."""

    def __init__(self, name):
        super().__init__()
        self.name = name
        i, j = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)[None]
        future = torch.where(j > i, -math.inf, 0.)
        if name == "rope":
            cos, sin = rope_tables()
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

    def mask(self):
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
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH, bias=False)
        self.norm2 = nn.LayerNorm(WIDTH, bias=False)
        for name in ("wq", "wk", "wv", "wo"):
            setattr(self, name, nn.Linear(WIDTH, WIDTH, bias=False))
        self.w1 = nn.Linear(WIDTH, FF, bias=False)
        self.w2 = nn.Linear(FF, WIDTH, bias=False)

    def forward(self, x, encoding, mask):
        z = self.norm1(x)
        q, k, v = (w(z).unflatten(-1, (HEADS, -1)).transpose(1, 2)
                   for w in (self.wq, self.wk, self.wv))
        o = encoding.attend(q, k, v, mask)
        x = x + self.wo(o.transpose(1, 2).flatten(2))
        return x + self.w2(F.gelu(self.w1(self.norm2(x)), approximate="tanh"))


class Model(nn.Module):
    """Its names are those of src/model/layout.c."""

    def __init__(self, encoding):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH, bias=False)
        self.output = nn.Linear(WIDTH, VOCAB, bias=False)
        self.encoding = Encoding(encoding)
        for p in self.parameters():
            if p.dim() > 1 and p.shape[0] != BUCKETS:
                nn.init.normal_(p, std=WIDTH ** -.5)

    def forward(self, tokens, targets):
        x = self.embedding(tokens)
        mask = self.encoding.mask()
        for layer in self.layers:
            x = layer(x, self.encoding, mask)
        logits = self.output(self.norm(x))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    def take(self, weights):
        """Those of a checkpoint of ours, matrices [in, out]."""
        for name, p in self.named_parameters():
            ours = name.removesuffix(".weight").replace("layers.", "layer")
            value = weights[ours]
            linear = p.dim() == 2 and not ours.startswith(("emb", "enc"))
            p.data.copy_(value.T if linear else value)


def optimizer(model):
    matrices = [p for n, p in model.named_parameters()
                if p.dim() == 2 and not n.startswith(("embedding", "encoding"))]
    chosen = {id(p) for p in matrices}
    others = [p for p in model.parameters() if id(p) not in chosen]
    return torch.optim.AdamW(
        [{"params": matrices, "weight_decay": .1},
         {"params": others, "weight_decay": 0.}],
        lr=RATE, betas=(.9, .95), eps=1e-8, fused=True)


def theirs(lab, encoding, compiled, shared):
    """THEIR_STEPS steps on windows of the same text."""
    model = Model(encoding)
    model.take(shared["weights"])
    with torch.no_grad():
        loss = model(*lab.valid_windows(CHECKED))
    forward = torch.compile(model, dynamic=False) if compiled else model
    update = optimizer(model)
    text = torch.frombuffer(bytearray(lab.text), dtype=torch.uint8)
    windows = torch.arange(LENGTH + 1)[None]

    def run():
        for _ in range(THEIR_STEPS):
            start = torch.randint(len(text) - LENGTH - 1, (BATCH, 1))
            batch = text[start + windows].long()
            update.zero_grad(set_to_none=True)
            forward(batch[:, :-1], batch[:, 1:]).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.)
            update.step()
    return Work(run, lambda: [loss], THEIR_STEPS)


def ours(lab, encoding, shared):
    """Runs of OUR_STEPS steps; the run says how long its steps took."""
    run = lab.train(encoding, OUR_STEPS)
    shared["weights"] = lab.weights(run)
    loss = torch.tensor(lab.validation(run, CHECKED), dtype=torch.float64)
    return Work(lambda: lab.train(encoding, OUR_STEPS).seconds,
                lambda: [loss], OUR_STEPS)


def training(lab, encoding):
    shared = {}
    return Case(f"training step, lab's model, {encoding}", "steps/s", 1, 1e-5, [
        Contender("locant", lambda: ours(lab, encoding, shared)),
        Contender("PyTorch eager",
                  lambda: theirs(lab, encoding, False, shared), 1.5),
        Contender("PyTorch compiled",
                  lambda: theirs(lab, encoding, True, shared), 1.5)],
        quick=encoding == "rope")


def cases(locant, threads):
    lab = Lab(locant.folder)
    for encoding in ("rope", "alibi", "t5"):
        yield training(lab, encoding)
