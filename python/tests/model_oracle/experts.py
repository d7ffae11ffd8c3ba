"""Mixtures of experts: a router gives each token weights of its experts."""
import numpy as np

from .functions import sigmoid, silu, softmax


def best(scores, k):
    """Boolean: the k largest of the last axis, the first of equal ones."""
    order = np.argsort(-scores, -1, kind="stable")[..., :k]
    chosen = np.zeros(scores.shape, bool)
    np.put_along_axis(chosen, order, True, -1)
    return chosen


def mixed(weights, expert, x):
    """Sum over experts e of weights[..., e] * expert(e, x)."""
    y = np.zeros_like(x)
    for e in range(weights.shape[-1]):
        y += weights[..., e:e + 1] * expert(e, x)
    return y


def gated_expert(m, at, names=("gate_proj", "up_proj", "down_proj")):
    def expert(e, x):
        gate, up, down = (m(f"{at}experts.{e}.{n}.weight") for n in names)
        return (silu(x @ gate.T) * (x @ up.T)) @ down.T
    return expert


def normalized(w):
    return w / w.sum(-1, keepdims=True)


def shared(m, at, x):
    return m.linear(at + "down_proj", silu(m.linear(at + "gate_proj", x)) *
                    m.linear(at + "up_proj", x))


def mixtral(m, at, x, _):
    p = softmax(m.linear(at + "gate", x))
    w = normalized(p * best(p, m.c["num_experts_per_tok"]))
    return mixed(w, gated_expert(m, at, ("w1", "w3", "w2")), x)


def qwen(m, at, x, act):
    """Qwen 2 and 3; a layer without a router is dense."""
    if at + "gate.weight" not in m:
        return shared(m, at, x)
    p = softmax(m.linear(at + "gate", x))
    w = p * best(p, m.c["num_experts_per_tok"])
    if m.c.get("norm_topk_prob", False):
        w = normalized(w)
    y = mixed(w, gated_expert(m, at), x)
    if at + "shared_expert_gate.weight" in m:
        gate = sigmoid(m.linear(at + "shared_expert_gate", x))
        y += gate * shared(m, at + "shared_expert.", x)
    return y


def qwen3_vl(m, at, x, act):
    """Stacked, [E, D, 2 I] in public files and [E, 2 I, D] in others."""
    if at + "gate.weight" not in m:
        return shared(m, at, x)
    p = softmax(m.linear(at + "gate", x))
    w = normalized(p * best(p, m.c["num_experts_per_tok"]))
    both, down = (m(at + "experts." + n) for n in ("gate_up_proj", "down_proj"))
    if both.shape[1] != x.shape[-1]:
        both, down = both.swapaxes(1, 2), down.swapaxes(1, 2)

    def expert(e, x):
        gate, up = np.split(x @ both[e], 2, -1)
        return (silu(gate) * up) @ down[e]
    return mixed(w, expert, x)


def llama4(m, at, x, act):
    """The score of an expert multiplies its input."""
    if at + "router.weight" not in m:
        return shared(m, at, x)
    z = m.linear(at + "router", x)
    score = sigmoid(z) * best(z, m.c["num_experts_per_tok"])
    y = shared(m, at + "shared_expert.", x)
    for e in range(z.shape[-1]):
        gate, up = np.split(score[..., e:e + 1] * x @
                            m(at + "experts.gate_up_proj")[e], 2, -1)
        y = y + (silu(gate) * up) @ m(at + "experts.down_proj")[e]
    return y


def gpt_oss(m, at, x, _):
    z = m.linear(at + "router", x)
    chosen = best(z, m.c["num_experts_per_tok"])
    w = softmax(np.where(chosen, z, -np.inf))
    limit = m.c.get("swiglu_limit", 7.0)
    alpha = m.c.get("swiglu_alpha", 1.702)

    def expert(e, x):
        y = (x @ m(at + "experts.gate_up_proj")[e] +
             m(at + "experts.gate_up_proj_bias")[e])
        gate = np.minimum(y[..., ::2], limit)
        up = np.clip(y[..., 1::2], -limit, limit)
        y = (up + 1) * gate * sigmoid(alpha * gate)
        return (y @ m(at + "experts.down_proj")[e] +
                m(at + "experts.down_proj_bias")[e])
    return mixed(w, expert, x)


def kimi_linear(m, at, x, act):
    """Keys and experts by other names; dense layers may be called mlp."""
    c = m.c
    c.update(num_experts_per_tok=c["num_experts_per_token"],
             n_group=c["num_expert_group"],
             norm_topk_prob=c["moe_renormalize"])
    if at + "gate.weight" not in m:
        dense = at.replace("block_sparse_moe", "mlp")
        return shared(m, dense if dense + "up_proj.weight" in m else at, x)
    return deepseek_v3(m, at, x, act, ("w1", "w3", "w2"))


def minimax(m, at, x, _):
    p = sigmoid(m.linear(at + "gate", x))
    chosen = best(p + m(at + "e_score_correction_bias"),
                  m.c["num_experts_per_tok"])
    return mixed(normalized(p * chosen),
                 gated_expert(m, at, ("w1", "w3", "w2")), x)


def grouped(scores, c, of_group):
    """Scores with those outside the best groups replaced by -inf."""
    n = c.get("n_group") or 1
    parts = scores.reshape(scores.shape[:-1] + (n, -1))
    kept = best(of_group(parts), c.get("topk_group") or 1)
    return np.where(kept[..., None], parts, -np.inf).reshape(scores.shape)


def deepseek_v2(m, at, x, _):
    if at + "gate.weight" not in m:
        return shared(m, at, x)
    c = m.c
    p = softmax(m.linear(at + "gate", x))
    choice = p
    if c["topk_method"] == "group_limited_greedy":
        choice = grouped(p, c, lambda parts: parts.max(-1))
    w = p * best(choice, c["num_experts_per_tok"])
    y = mixed(w * c["routed_scaling_factor"], gated_expert(m, at), x)
    return y + shared(m, at + "shared_experts.", x)


def deepseek_v3(m, at, x, _, names=("gate_proj", "up_proj", "down_proj")):
    """A group is judged by the sum of its two best."""
    if at + "gate.weight" not in m:
        return shared(m, at, x)
    c = m.c
    p = sigmoid(m.linear(at + "gate", x))
    choice = p + m(at + "gate.e_score_correction_bias")
    choice = grouped(choice, c, lambda parts: np.sort(parts, -1)[
        ..., -2:].sum(-1))
    w = p * best(choice, c["num_experts_per_tok"])
    if c.get("norm_topk_prob", True):
        w = w / (w.sum(-1, keepdims=True) + 1e-20)
    y = mixed(w * c["routed_scaling_factor"], gated_expert(m, at, names), x)
    return y + shared(m, at + "shared_experts.", x)
