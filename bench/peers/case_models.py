"""Checkpoints of the shapes of Qwen2.5-0.5B and Llama-3.2-1B with random
weights, ours, in transformers and as a ggml graph: the states of a prompt, and
greedy tokens.

A prompt of 512 tokens is compared by its states after the final norm, so that
nobody computes logits that nobody reads.  The time of tokens includes the
prompt of 8; what is compared is the logits of its last token.
"""
import shutil
import tempfile

import torch
import transformers

import model_ggml
import lib_locant  # noqa: F401  finds the package
from locant.models import Model
from measure import Case, Contender, Work

PROMPT, START, NEW = 512, 8, 64
USUAL = dict(max_position_embeddings=4096, tie_word_embeddings=True,
             pad_token_id=0, bos_token_id=1, eos_token_id=2)
SHAPES = {
    "Qwen2.5-0.5B": ("Qwen2", dict(
        USUAL, hidden_size=896, num_hidden_layers=24, num_attention_heads=14,
        num_key_value_heads=2, intermediate_size=4864, vocab_size=151936)),
    "Llama-3.2-1B": ("Llama", dict(
        USUAL, hidden_size=2048, num_hidden_layers=16, num_attention_heads=32,
        num_key_value_heads=8, head_dim=64, intermediate_size=8192,
        vocab_size=128256)),
}


class Checkpoint:
    """A folder, made when the first contender asks for it."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype, self.made = shape, dtype, None
        self.folder = tempfile.mkdtemp(prefix="locant-peers-")

    def __del__(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def model(self):
        """The model of transformers, whose weights the folder holds."""
        if self.made is None:
            name, sizes = SHAPES[self.shape]
            config = getattr(transformers, name + "Config")(**sizes)
            torch.manual_seed(1)
            self.made = getattr(transformers, name + "ForCausalLM")(
                config).to(self.dtype).eval()
            self.made.save_pretrained(self.folder)
        return self.made

    def ours(self):
        self.model()
        return Model(self.folder, str(self.dtype).removeprefix("torch."))


def gflop(shape):
    """Of the matrices of all layers, for a prompt."""
    c = SHAPES[shape][1]
    width, d = c["hidden_size"], c["hidden_size"] // c["num_attention_heads"]
    heads = 2 * c["num_attention_heads"] + 2 * c["num_key_value_heads"]
    each = width * (heads * d + 3 * c["intermediate_size"])
    return 2e-9 * PROMPT * c["num_hidden_layers"] * each


def ids(count):
    g = torch.Generator().manual_seed(2)
    return torch.randint(3, 100000, (1, count), generator=g)


def our_prompt(kept):
    def make():
        model, tokens = kept.ours(), ids(PROMPT).numpy()

        def run():
            return model.logits(tokens, hidden=True)
        return Work(run, lambda: [torch.from_numpy(run())])
    return make


def their_prompt(kept, compiled):
    def make():
        model, tokens = kept.model().model, ids(PROMPT)
        if compiled:
            model = torch.compile(model)

        @torch.no_grad()
        def run():
            return model(tokens, use_cache=False).last_hidden_state
        run()
        return Work(run, lambda: [run().float()])
    return make


def our_tokens(kept):
    def make():
        model, tokens = kept.ours(), ids(START).numpy()

        def run():
            return model.generate(tokens, NEW, ignore_end=True)

        def result():
            return [torch.from_numpy(model.logits(tokens)[0, -1:])]
        return Work(run, result)
    return make


def their_tokens(kept, compiled):
    def make():
        model = kept.model()
        step = torch.compile(model) if compiled else model

        @torch.no_grad()
        def run():
            cache = transformers.StaticCache(model.config,
                                             max_cache_len=START + NEW)
            token, at = ids(START), torch.arange(START)[None]
            for _ in range(NEW):
                z = step(token, past_key_values=cache, position_ids=at,
                         logits_to_keep=1).logits
                token, at = z[:, -1:].argmax(-1), at[:, -1:] + 1

        @torch.no_grad()
        def result():
            return [model(ids(START), logits_to_keep=1).logits[0].float()]
        run()
        return Work(run, result)
    return make


def ggml_prompt(kept, threads):
    def make():
        graph, tokens = model_ggml.Decoder(kept.model(), threads,
                                           PROMPT), ids(PROMPT)[0]

        def run():
            return graph.run(tokens)
        return Work(run, lambda: [run()[None]])
    return make


def ggml_tokens(kept, threads):
    def make():
        writer, tokens = model_ggml.Writer(kept.model(), threads, START,
                                           NEW), ids(START)[0]
        return Work(lambda: writer.run(tokens),
                    lambda: [writer.prompt.run(tokens)])
    return make


def contenders(ours, theirs, ggml, kept, goal):
    return [Contender("locant", ours(kept)),
            Contender("transformers", theirs(kept, False)),
            Contender("transformers, compiled", theirs(kept, True), goal),
            Contender("ggml", ggml, 1.0)]


def cases(locant, threads):
    for shape in SHAPES:
        for name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
            kept = Checkpoint(shape, dtype)
            wide = dtype == torch.float32
            yield Case(f"{shape} {name} prompt of {PROMPT}", "GFLOP/s",
                       gflop(shape), 1e-4 if wide else 3e-2,
                       contenders(our_prompt, their_prompt,
                                  ggml_prompt(kept, threads), kept,
                                  1.0 if wide else 1.3))
            yield Case(f"{shape} {name} {NEW} tokens", "tokens/s", NEW,
                       1e-4 if wide else 3e-2,
                       contenders(our_tokens, their_tokens,
                                  ggml_tokens(kept, threads), kept, 1.3))
