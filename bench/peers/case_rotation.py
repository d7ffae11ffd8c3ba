"""Rotation of queries and keys, [1, 32, 4096, 128] each, in place."""
import torch

import lib_ggml
import lib_locant
import lib_onnx
from lib_locant import view
from measure import Case, Contender, Work, seeded

HEADS, TOKENS, DIM, BASE = 32, 4096, 128, 10000.
SHAPE = (1, HEADS, TOKENS, DIM)


def operands(dtype):
    return (seeded(*SHAPE, dtype=dtype, seed=1).clone(),
            seeded(*SHAPE, dtype=dtype, seed=2).clone())


def angles():
    """The angles [T, D/2] in double."""
    exponent = torch.arange(0, DIM, 2, dtype=torch.float64) / DIM
    return torch.outer(torch.arange(TOKENS, dtype=torch.float64),
                       BASE ** -exponent)


def ours(locant, dtype, spec, in_place=True):
    """locant_encoding_rotate() of q and of k."""
    encoding = lib_locant.Encoding(locant, spec)
    sources = operands(dtype)
    targets = sources if in_place else [torch.empty_like(x) for x in sources]
    views = [(view(y), view(x)) for y, x in zip(targets, sources)]
    at = view(torch.arange(TOKENS))

    def run():
        for y, x in views:
            encoding.rotate(y, x, at)

    def result():
        fresh = operands(dtype)
        for x in fresh:
            encoding.rotate(view(x), view(x), at)
        return fresh
    return Work(run, result)


def hugging_face(dtype, compiled, in_place=False):
    """apply_rotary_pos_emb of transformers, with precomputed tables."""
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb
    table = torch.cat([angles(), angles()], -1)[None]
    cos, sin = table.cos().to(dtype), table.sin().to(dtype)
    q, k = operands(dtype)

    def back(q, k, cos, sin):
        rotated_q, rotated_k = apply_rotary_pos_emb(q, k, cos, sin)
        q.copy_(rotated_q)
        k.copy_(rotated_k)

    function = back if in_place else apply_rotary_pos_emb
    if compiled:
        function = torch.compile(function, dynamic=False)

    def result():
        fresh = operands(dtype)
        return function(*fresh, cos, sin) or fresh
    with torch.no_grad():
        checked = result()
    return Work(torch.no_grad()(lambda: function(q, k, cos, sin)),
                lambda: checked)


def onnx(dtype, threads, interleaved):
    """com.microsoft RotaryEmbedding of q and of k into outputs of its own."""
    q, k = operands(dtype)
    tensors = {"q": q, "k": k, "positions": torch.arange(TOKENS)[None],
               "cos": angles().cos().to(dtype), "sin": angles().sin().to(dtype)}
    out = {"q_out": torch.empty_like(q), "k_out": torch.empty_like(k)}
    nodes = [lib_onnx.node("RotaryEmbedding", [x, "positions", "cos", "sin"],
                           [f"{x}_out"], interleaved=int(interleaved))
             for x in ("q", "k")]
    return Work(lib_onnx.bound(nodes, tensors, out, threads),
                lambda: tensors and list(out.values()))


def ggml(dtype, threads, mode):
    """ggml_rope_ext_inplace on its own layout, [1, T, H, D]."""
    sources = [x.transpose(1, 2).contiguous() for x in operands(dtype)]
    graph = lib_ggml.Graph(threads, 2 * sources[0].nbytes)
    positions = graph.tensor(torch.arange(TOKENS, dtype=torch.int32))
    places = [graph.tensor(x) for x in sources]
    graph.plan(*(graph.rope(x, positions, mode, BASE) for x in places))
    graph.compute()
    rotated = [graph.read(x, sources[0].shape, dtype).transpose(1, 2)
              for x in places]
    return Work(graph.compute, lambda: rotated)


def rotation(locant, dtype, name, threads, tolerance, pairing):
    size = 2 * 2 * torch.Size(SHAPE).numel() * dtype.itemsize
    spec, half = f"rope(pairing={pairing})", pairing == "half"
    mode, word = (lib_ggml.ROPE_NEOX, "NEOX") if half else \
        (lib_ggml.ROPE_NORMAL, "NORMAL")
    contenders = [
        Contender("locant, in place", lambda: ours(locant, dtype, spec))]
    if half:
        contenders += [
            Contender("locant, to another place",
                      lambda: ours(locant, dtype, spec, False)),
            Contender("HF eager", lambda: hugging_face(dtype, False)),
            Contender("HF compiled", lambda: hugging_face(dtype, True), 3),
            Contender("HF compiled, copied in place",
                      lambda: hugging_face(dtype, True, True))]
    contenders += [
        Contender("onnxruntime RotaryEmbedding",
                  lambda: onnx(dtype, threads, not half)),
        Contender(f"ggml rope {word}, in place",
                  lambda: ggml(dtype, threads, mode), 1.5 if half else 0,
                  True)]
    return Case(f"rotate q, k {name} {pairing}", "GB/s", size / 1e9,
                tolerance, contenders, quick=half and dtype == torch.float32)


def cases(locant, threads):
    # ggml computes angles as a running product in float; bf16 operands and
    # tables have 8 bits
    for pairing in ("half", "interleaved"):
        for dtype, name, tolerance in ((torch.float32, "f32", 1e-3),
                                       (torch.bfloat16, "bf16", 1e-2)):
            yield rotation(locant, dtype, name, threads, tolerance, pairing)
