#!/usr/bin/env python3
"""Convert the models of tests/models/fixtures to GGUF and back.

usage: tests/convert_models.py LOCANT [NAME...]

The GGUF must have the positions of the folder ('model compare'), and its logits
those of the oracle as closely as the folder's (run_models.py).  The way back
must give every tensor with the same numbers, matrices with the same bytes, and
the same positions and logits again.  Where GGUF files have no place for a head,
states are compared: those of the folder and of the GGUF, computed by locant,
must agree to the bit.  T5's fixtures have a distance that no key of GGUF says;
here they have the usual one, and logits are compared in the same way, as of
other models that are made by changing keys.  Where no key says the positions of
a model, the conversion must say that.
"""
import array
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import run_models
from run_models import FIXTURES, LIMITS

# Names of fixtures, and the pairing of their files; None: they have none.
MODELS = {
    "bert": None, "cohere": "interleaved", "cohere2": "interleaved",
    "deepseek_v2": "interleaved", "deepseek_v3": "interleaved",
    "gemma": "half", "gemma2": "half", "gemma3": "half",
    "gpt_neox": "half", "granite": "half", "kimi_k2": "interleaved",
    "llama": "half", "llama_3": "half", "mistral": "half", "mixtral": "half",
    "mt5": None, "olmo2": "half", "phi3_long": "half", "qwen2": "half",
    "qwen2_moe": "half", "qwen3": "half", "roberta": None,
    "smollm3": "half", "starcoder2": "half", "t5": None, "t5_1_1": None, "umt5": None,
}
# Models made of fixtures by other keys, which have no logits of the oracle.
CHANGED = {
    "kimi_k2": ("deepseek_v3", {"model_type": "kimi_k2", "n_group": 1,
                                "topk_group": 1}),
    "mt5": ("t5_1_1", {"model_type": "mt5",
                       "relative_attention_max_distance": 128}),
    # Its second layer has no experts, which GGUF files do not know.
    "qwen2_moe": ("qwen2_moe", {"num_hidden_layers": 1,
                                "mlp_only_layers": [],
                                "layer_types": ["full_attention"]}),
    "t5": ("t5", {"relative_attention_max_distance": 128}),
    "t5_1_1": ("t5_1_1", {"relative_attention_max_distance": 128}),
    "umt5": ("umt5", {"relative_attention_max_distance": 128}),
}
# Windows of architectures that have none in GGUF, layers that do not rotate, a
# UMT5 of one layer, which is read as a T5.
DIFFER = ("mistral", "qwen2", "smollm3", "umt5")
# Its rows of padding are left out, and positions count all tokens; the way back
# makes a BERT.
PADDED = ("roberta",)
# Factors of frequencies are stored in float32: an angle of at most 24 radians
# is off by 24 / 2^24 at most, and compare says that it is float32's rounding.
ROUNDED, ROUNDING = ("phi3_long",), 24 / 2 ** 24
# Divisors of another Llama 3 than 3.1, whose factors cannot be told from them.
ONE_WAY = {"llama_3": "no key of config.json says the divisors"}
# A llama's configuration, which denies the biases of a Qwen2.
with open(os.path.join(FIXTURES, "qwen2", "config.json"),
          encoding="utf-8") as config:
    DENIED = json.dumps({**json.load(config), "model_type": "llama"})
# Fixtures that are refused, and a file beside them, with what is said then.
POOLING = "1_Pooling/config.json"
REFUSED = (
    ("t5", {}, "relative_attention_max_distance is 8; expected 128, which "
     "llama.cpp takes for every model"),
    ("qwen2_moe", {}, "layer 1 has no experts, which no key of GGUF says"),
    ("bert", {POOLING: "{\"pooling_mode_max_tokens\":true}"},
     "one of pooling_mode_mean_tokens, pooling_mode_cls_token and "
     "pooling_mode_lasttoken expected"),
    ("bert", {POOLING: "[1"}, POOLING + ": line "),
    ("qwen2", {"config.json": DENIED}, "bias': is a bias that "
     "the configuration denies, and readers of GGUF would add; expected none"),
)
# Matrices that GGUF files have in F32: routers, and what is no matrix there.
FLOATS = ("mlp.gate.", "moe.gate.", "shared_expert_gate.", "_norm.",
          "position_emb", "token_type_emb")


def tensors(folder):
    """{name: (type, shape, bytes)} of model.safetensors."""
    with open(os.path.join(folder, "model.safetensors"), "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: (t["dtype"], t["shape"],
                   data[8 + size:][t["data_offsets"][0]:t["data_offsets"][1]])
            for name, t in header.items()}


def run(words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def floats(kind, data):
    """Numbers of BF16 or F32 as F32."""
    if kind == "BF16":
        data = b"".join(b"\0\0" + data[i:i + 2]
                        for i in range(0, len(data), 2))
    return struct.unpack(f"<{len(data) // 4}f", data)


def lost(folder, back):
    """What of the tensors did not come back as it was."""
    old, new, words = tensors(folder), tensors(back), []
    for name, (kind, shape, data) in old.items():
        if name.startswith("cls."):
            continue
        if name not in new:
            words.append(f"{name} is lost")
        elif new[name][1] != shape:
            words.append(f"{name} is {new[name][1]}, was {shape}")
        elif (new[name][0] != kind and len(shape) > 1
              and not any(word in name for word in FLOATS)):
            words.append(f"{name} is {new[name][0]}, was {kind}")
        elif new[name][0] == kind and new[name][2] != data:
            words.append(f"{name} has other bytes")
        elif floats(*new[name][::2]) != floats(kind, data):
            words.append(f"{name} has other numbers")
    return words + [f"{name} is new" for name in new if name not in old]


def logits(locant, model, folder, dtype, out, hidden):
    """Numbers that a model computes of the inputs of a folder."""
    code, text = run(run_models.command(locant, folder, dtype, out, model)
                     + (["--hidden"] if hidden else []))
    if code:
        raise ValueError(text.strip())
    with open(out, "rb") as file:
        return file.read()


def same_logits(locant, name, folder, model, work):
    """What is wrong with the logits of a model made of a folder."""
    hidden, words = name in ("bert", *PADDED), []
    for dtype, limit in LIMITS.items():
        out = os.path.join(work, "out.npy")
        try:
            got = logits(locant, model, folder, dtype, out, hidden)
            if hidden or name in CHANGED:
                if got != logits(locant, folder, folder, dtype, out, hidden):
                    words.append(f"{dtype} differs")
            elif run_models.error(folder, out) > max(
                    limit, ROUNDING if name in ROUNDED else 0):
                words.append(f"{dtype} {run_models.error(folder, out):.1e}")
        except ValueError as mistake:
            words.append(str(mistake))
    return words


def prepare_padded(folder):
    """Tokens without padding, and what makes one vector of them."""
    path = os.path.join(folder, "ids.npy")
    with open(path, "rb") as file:
        data = file.read()
    head, ids = data[:-8 * 11], array.array("q", data[-8 * 11:])
    with open(path, "wb") as file:
        file.write(head + array.array("q", [i + (i < 2) * 3 for i in ids])
                   .tobytes())
    os.remove(os.path.join(folder, "mask.npy"))
    os.mkdir(os.path.join(folder, "1_Pooling"))
    with open(os.path.join(folder, "1_Pooling", "config.json"), "w",
              encoding="utf-8") as file:
        json.dump({"pooling_mode_cls_token": True,
                   "pooling_mode_mean_tokens": False}, file)


def of_padded(locant, text, folder, gguf, back):
    """What is wrong with the table, the keys, and what compare says."""
    words, name = [], "embeddings.position_embeddings.weight"
    old = tensors(folder)["roberta." + name]
    new = tensors(back)["bert." + name]
    if old[1][0] - new[1][0] != 2 or floats(*old[::2])[2 * old[1][1]:] != \
            floats(*new[::2]):
        words.append("the table is not the old one from row 2 on")
    if "text: position ids" not in text:
        words.append("what it says of its positions is wrong: " + text.strip())
    with open(os.path.join(gguf, "model.gguf"), "rb") as file:
        data = file.read()
    for key, value in (("bert.pooling_type", 2), ("bert.context_length", 22),
                       ("tokenizer.ggml.token_type_count", 1)):
        at = data.index(key.encode()) + len(key)
        if struct.unpack("<II", data[at:at + 8]) != (4, value):
            words.append(f"{key} is not {value}")
    for model, other in ((folder, gguf), (back, gguf)):
        code, text = run([locant, "model", "compare", model, other])
        if code != (model == folder) or "input" in text:
            words.append(f"compare of {model}: " + text.strip())
    return words


def judge(locant, name, work):
    """What is wrong; nothing if all is well."""
    folder, gguf = os.path.join(work, name), os.path.join(work, name + ".gguf")
    back, pairing = os.path.join(work, name + ".back"), MODELS[name]
    fixture, changes = CHANGED.get(name, (name, {}))
    shutil.copytree(os.path.join(FIXTURES, fixture), folder)
    path = os.path.join(folder, "config.json")
    with open(path, encoding="utf-8") as file:
        config = json.load(file) | changes
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
    if name in PADDED:
        prepare_padded(folder)
    code, text = run([locant, "model", "convert", folder, "--format", "gguf",
                      "--verify", "-o", gguf])
    if code:
        return [text.strip()]
    if (name in (*DIFFER, *PADDED)) != ("its positions differ" in text):
        return ["what it says of its positions is wrong: " + text.strip()]
    text_of_gguf = text
    if name in DIFFER:
        code, text = run([locant, "model", "compare", folder, gguf])
        return [] if code == 1 else ["its positions do not differ"]
    words = ["as GGUF: " + word
             for word in same_logits(locant, name, folder, gguf, work)]
    code, text = run([locant, "model", "convert", gguf, "--format",
                      "safetensors", "--verify", "-o", back]
                     + (["--pairing", pairing] if pairing else []))
    if name in ONE_WAY:
        good = code == 3 and ONE_WAY[name] in text
        return words + ([] if good else ["back: " + text.strip()])
    if code:
        return words + ["back: " + text.strip()]
    words += ["back: " + word
              for word in same_logits(locant, name, folder, back, work)]
    if name in PADDED:
        return words + of_padded(locant, text_of_gguf, folder, gguf, back)
    words += ["back: " + word for word in lost(folder, back)]
    for model in (gguf, back):
        code, text = run([locant, "model", "compare", folder, model])
        if code and not (name in ROUNDED and text.startswith("undecided")
                         and "as float32 rounds them" in text):
            words.append(text.strip())
    return words


def accepted(locant):
    """A line for each model that is not refused as it should be."""
    for name, files, want in REFUSED:
        with tempfile.TemporaryDirectory() as work:
            folder, out = os.path.join(work, name), os.path.join(work, "out")
            shutil.copytree(os.path.join(FIXTURES, name), folder)
            for path, text in files.items():
                path = os.path.join(folder, path)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            code, text = run([locant, "model", "convert", folder, "--format",
                              "gguf", "-o", out])
            if code != 3 or want not in text or os.path.exists(out):
                yield f"{name}: exit {code}, {text.strip()}, expected {want}"


def main(locant, names):
    failed = 0
    for line in accepted(locant):
        failed += 1
        print(f"FAIL {line}")
    with tempfile.TemporaryDirectory() as work:
        for name in names or MODELS:
            words = judge(locant, name, work)
            failed += bool(words)
            print(f"{'FAIL' if words else 'ok  '} {name:12} "
                  + "; ".join(words))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
