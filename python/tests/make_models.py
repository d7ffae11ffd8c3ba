"""Make tiny random models by transformers, and run them.

usage: make_models.py FOLDER [NAME...]

Each is a folder as save_pretrained() writes it, with its inputs (ids.npy, ..)
and logits.npy, float64 by the oracle.
"""
import json
import os
import shutil
import sys

import numpy as np
import safetensors.torch
import torch
import transformers

import model_configs
import model_oracle
import own_models

torch.set_num_threads(1)
transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
LENGTH = 24
# Names of files, and those of transformers.
INPUTS = {"ids": "input_ids", "mask": "attention_mask",
          "positions": "position_ids", "types": "token_type_ids",
          "decoder_ids": "decoder_input_ids", "pixels": "pixel_values"}


def randomize(model, seed):
    """Weights of a size that lets every part of a model change its logits."""
    g = torch.Generator().manual_seed(seed)

    def normal(p, size):
        return torch.randn(p.shape, generator=g) * size

    tensors = {n: p for n, p in model.named_parameters() if p.requires_grad}
    tensors.update((n, b) for n, b in model.named_buffers()
                   if n.endswith(("correction_bias", "final_logits_bias",
                                  "layer_scalar")))
    with torch.no_grad():
        for name, p in tensors.items():
            if p.ndim < 2 or name.endswith("_bias"):
                p.add_(normal(p, 0.2))
            elif "embed" in name or "wte" in name or "shared" in name:
                p.copy_(normal(p, 0.3))
            else:
                p.copy_(normal(p, 1.3 * p.shape[-1] ** -0.5))


def attention_of(name):
    return model_configs.ATTENTION.get(name, "eager")


def made(name, seed=0, keys=None):
    """A model of model_configs, or one of its classes with other keys."""
    config, model, usual = model_configs.MODELS[name]
    config = getattr(transformers, config)(**(keys or usual))
    config._attn_implementation = attention_of(name)
    config._experts_implementation = "eager"
    torch.manual_seed(seed)
    model = getattr(transformers, model)(config).eval()
    randomize(model, seed)
    return model


def tokens(model, batch=2, length=LENGTH, seed=1):
    g = np.random.default_rng(seed)
    size = model.config.get_text_config().vocab_size
    return g.integers(3, size, (batch, length))


def flat_patches(pixels, c):
    """Pixels as transformers wants them: [patches, C * time * P * P]."""
    p, m, frames = c.patch_size, c.spatial_merge_size, c.temporal_patch_size
    b, channels, h, w = pixels.shape
    x = np.broadcast_to(pixels[:, None], (b, frames) + pixels.shape[1:])
    x = x.reshape(b, frames, channels, h // p // m, m, p, w // p // m, m, p)
    x = x.transpose(0, 3, 6, 4, 7, 2, 1, 5, 8)
    return x.reshape(b * (h // p) * (w // p), -1).copy()


def several(model, ids, rows):
    """Inputs with images of several sizes: of each row their first tokens and
    grids."""
    c = model.config.vision_config
    m, given, g = c.spatial_merge_size, ids.copy(), np.random.default_rng(5)
    for b, images in enumerate(rows):
        for first, (t, h, w) in images:
            given[b, first:first + t * h * w // m ** 2] = \
                model.config.image_token_id
    grid = np.array([grid for images in rows for _, grid in images])
    numbers = c.in_channels * c.temporal_patch_size * c.patch_size ** 2
    pixels = g.normal(size=(grid.prod(1).sum(), numbers))
    return {"ids": given, "pixels": pixels.astype(np.float32), "grid": grid}


def with_image(model, given):
    """The names of transformers for ids with images."""
    c, pixels, grid = model.config, given["pixels"], given.get("grid")
    if pixels.ndim == 4:
        size = [n // c.vision_config.patch_size for n in pixels.shape[2:]]
        grid = [[1, *size]] * len(pixels)
        pixels = flat_patches(pixels, c.vision_config)
    return {"pixel_values": torch.tensor(pixels),
            "image_grid_thw": torch.tensor(grid),
            "mm_token_type_ids": torch.tensor(
                (given["ids"] == c.image_token_id).astype(np.int32))}


def run(model, given):
    """Logits of transformers in float32, or what the last norm gives."""
    inputs = {INPUTS[k]: torch.tensor(v) for k, v in given.items()
              if k != "grid"}
    if "ids" in given and "pixels" in given:
        inputs.update(with_image(model, given))
    with torch.no_grad():
        out = model(**inputs)
    return (out.logits if hasattr(out, "logits")
            else out.last_hidden_state).numpy()


def continued(model, given, n):
    """Greedy tokens of transformers, n more."""
    model.generation_config.eos_token_id = None
    model.generation_config.forced_eos_token_id = None
    inputs = {INPUTS[k]: torch.tensor(v) for k, v in given.items()
              if k in ("ids", "mask")}
    inputs.setdefault("attention_mask",
                      torch.ones(given["ids"].shape, dtype=torch.long))
    if "pixels" in given:
        inputs.update(with_image(model, given))
    return model.generate(**inputs, max_new_tokens=n, do_sample=False,
                          eos_token_id=None, pad_token_id=0).numpy()


def masked(logits, given):
    """With zeros for tokens that the mask hides, whose logits mean nothing."""
    mask = given.get("decoder_mask", given.get("mask"))
    if mask is None or logits.shape[:2] != mask.shape:
        return logits
    return logits * (mask != 0)[..., None]


def truth_file(model):
    """What run() gives: models without a head give states."""
    headless = model.get_output_embeddings() is None and \
        not hasattr(model, "classifier")
    return "hidden.npy" if headless else "logits.npy"


def save(folder, model, given):
    """The files of a model beside its inputs and logits, ids.npy and so on;
    returns the distance of transformers from the oracle."""
    truth = masked(model_oracle.logits(model_oracle.Checkpoint(folder), given),
                   given)
    theirs = masked(run(model, given), given)
    for key, value in given.items():
        np.save(os.path.join(folder, key + ".npy"), value)
    np.save(os.path.join(folder, truth_file(model)), truth)
    return np.abs(truth - theirs).max() / np.abs(truth).max()


def write_json(path, value):
    with open(path, "w") as file:
        json.dump(value, file, indent=1)
        file.write("\n")


def old_keys(config, more):
    """A config of transformers 5 in the words of transformers 4."""
    config = {**config, **more, "transformers_version": "4.44.0",
              "torch_dtype": config.get("dtype", "float32")}
    for key in ("dtype", "layer_types"):
        config.pop(key, None)
    p = config.pop("rope_parameters")
    if "full_attention" in p:
        local = p["sliding_attention"]["rope_theta"]
        p = dict(p["full_attention"])
        if config["model_type"] == "modernbert":
            config["local_rope_theta"] = local
            config["global_rope_theta"] = p.pop("rope_theta")
        else:
            config["rope_local_base_freq"] = local
    p = dict(p)
    if "rope_theta" in p and config["model_type"] != "gpt_neox":
        config["rope_theta"] = p.pop("rope_theta")
    if "partial_rotary_factor" in p and config["model_type"] != "gpt_neox":
        config["partial_rotary_factor"] = p.pop("partial_rotary_factor")
    kind = p.pop("rope_type")
    if kind != "default":
        word = "rope_type" if kind in ("llama3", "linear") else "type"
        p = {word: kind, **p}
        config["rope_scaling"] = p
    return config


def copied(name, folder, new, change):
    """The same model with a changed config; returns the distance of what
    transformers reads from there."""
    shutil.copytree(folder, new, dirs_exist_ok=True)
    path = os.path.join(new, "config.json")
    with open(path) as file:
        config = json.load(file)
    write_json(path, change(config))
    kind = getattr(transformers, model_configs.MODELS[name][1])
    model = kind.from_pretrained(
        new, dtype=torch.float32,
        attn_implementation=attention_of(name)).eval()
    given = {k: np.load(os.path.join(new, k + ".npy")) for k in INPUTS
             if os.path.exists(os.path.join(new, k + ".npy"))}
    truth = np.load(os.path.join(new, truth_file(model)))
    return (np.abs(masked(run(model, given), given) - truth).max() /
            np.abs(truth).max())


def write_old(name, folder, new):
    """The keys of transformers 4."""
    return copied(name, folder, new, lambda c: old_keys(
        c, model_configs.OLD_KEYS[name]))


def without(config, default):
    """A config without the keys whose values are those of its class."""
    kept = {}
    for key, value in config.items():
        usual = default.get(key)
        if isinstance(value, dict) and key.endswith("_config") and usual:
            kept[key] = without(value, usual)
        elif key in ("model_type", "architectures") or value != usual or \
                key not in default:
            kept[key] = value
    return kept


def write_sparse(name, folder, new):
    """Only the keys that say more than the class."""
    default = getattr(transformers, model_configs.MODELS[name][0])().to_dict()
    return copied(name, folder, new, lambda c: without(c, default))


def turn_experts(path):
    """Stacks of experts [E, in, out] in the place of [E, out, in]."""
    tensors = safetensors.torch.load_file(path)
    for key, x in tensors.items():
        if ".experts." in key:
            tensors[key] = x.transpose(1, 2).contiguous()
    safetensors.torch.save_file(tensors, path, {"format": "pt"})


def written(name, folder, model):
    """Save a model, with the keys and the head that older files have; returns
    what transformers reads from there."""
    kind, g = type(model), torch.Generator().manual_seed(7)
    model.save_pretrained(folder)
    if name in model_configs.TURNED:
        turn_experts(os.path.join(folder, "model.safetensors"))
        return kind.from_pretrained(folder, dtype=torch.float32,
                                    attn_implementation="eager",
                                    experts_implementation="eager").eval()
    keys = model_configs.WRITTEN.get(name)
    if keys is None:
        return model
    path = os.path.join(folder, "config.json")
    with open(path) as file:
        config = json.load(file)
    if callable(keys):
        keys = keys(config)
    config.update(keys)
    config.pop("scale_decoder_outputs", None)
    write_json(path, {k: v for k, v in config.items()
                      if v is not None or k not in keys})
    path = os.path.join(folder, "model.safetensors")
    if name in model_configs.RENAMED:
        tensors = safetensors.torch.load_file(path)
        for old, new in model_configs.RENAMED[name]:
            tensors = {k.replace(old, new): v for k, v in tensors.items()}
        safetensors.torch.save_file(tensors, path, {"format": "pt"})
    if name in model_configs.OWN_HEAD:
        tensors = safetensors.torch.load_file(path)
        like = tensors["shared.weight"]
        tensors["lm_head.weight"] = (torch.randn(
            like.shape, generator=g) * 0.3).to(like.dtype)
        safetensors.torch.save_file(tensors, path, {"format": "pt"})
    read = kind.from_pretrained(folder, dtype=torch.float32,
                                attn_implementation="eager").eval()
    read.config._experts_implementation = "eager"
    return read


def axes(batch, length):
    """Positions [3, B, T] of 3 tokens, an image of 2 x 3, and tokens."""
    t = np.arange(length)
    image = (t >= 3) & (t < 9)
    place = np.where(image, t - 3, 0)
    after = np.where(t >= 9, t - 9 + 6, t)
    rows = [np.where(image, 3, after), np.where(image, 3 + place // 3, after),
            np.where(image, 3 + place % 3, after)]
    return np.broadcast_to(np.stack(rows)[:, None], (3, batch, length)).copy()


def inputs(name, model, length=LENGTH, batch=2, size=None):
    """What a family is given: ids, or pixels of a size, and what else it
    takes."""
    if name in model_configs.VISION:
        side = model.config.image_size
        h, w = size or model_configs.PIXELS.get(name, (side, side))
        g = np.random.default_rng(3)
        return {"pixels": g.normal(size=(batch, 3, h, w)).astype(np.float32)}
    given = {"ids": tokens(model, batch, length)}
    limit = model.config.get_text_config().vocab_size
    if name in model_configs.PAIRS:
        given["decoder_ids"] = tokens(model, batch, length * 3 // 4,
                                      seed=2)
        given["decoder_ids"][:, 0] = model.config.decoder_start_token_id
    if getattr(model.config, "type_vocab_size", 0) > 1:
        given["types"] = (given["ids"] > limit // 2).astype(np.int64)
    if name in model_configs.AXES:
        given["positions"] = axes(batch, length)
    if name in model_configs.IMAGES:
        g, p = np.random.default_rng(4), model.config.vision_config.patch_size
        given["pixels"] = g.normal(size=(batch, 3, 4 * p, 6 * p)).astype(
            np.float32)
        given["grid"] = np.array([[1, 4, 6]] * batch)
        given["ids"] %= model.config.vision_start_token_id  # no other image
        first = length // 3
        given["ids"][:, first:first + 6] = model.config.image_token_id
    if name in ("roberta", "xlm_roberta"):  # padding amid the tokens counts
        given["ids"][:, length // 2] = model.config.pad_token_id
    return given


def save_own(folder, config, length=LENGTH, batch=2, half=False):
    """A model of own_models with its inputs and logits."""
    own_models.write(folder, config, half)
    g = np.random.default_rng(1)
    given = {"ids": g.integers(0, config["vocab_size"], (batch, length))}
    truth = model_oracle.logits(model_oracle.Checkpoint(folder), given)
    np.save(os.path.join(folder, "ids.npy"), given["ids"])
    np.save(os.path.join(folder, "logits.npy"), truth)


def make(name, folder):
    """A line about the model of a name in a folder."""
    if name in own_models.MODELS:
        save_own(folder, own_models.MODELS[name])
        return "transformers has no class"
    model = written(name, folder, made(name))
    line = f"transformers {save(folder, model, inputs(name, model)):.1e}"
    if name in model_configs.OLD_KEYS:
        line += f", 4: {write_old(name, folder, folder + '_hf4'):.1e}"
    return line


def main(folder, names):
    for name in names or (*model_configs.MODELS, *own_models.MODELS):
        print(f"{name:22} {make(name, os.path.join(folder, name))}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
