"""What include/locant declares of liblocant_lab, for ctypes.

Written by tools/python_headers.py; do not edit.
"""
from __future__ import annotations

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double,
                    c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p)
from enum import IntEnum
from typing import Any

from ._c import INIT, Tensor
from ._c_lab import Group


class Stack(IntEnum):
    """locant_stack"""
    TRUE = 0
    HF4 = 1
    HF5 = 2
    VLLM = 3
    LLAMACPP = 4
    MLX = 5


class ComparisonVerdict(IntEnum):
    """locant_comparison_verdict"""
    SAME = 0
    DIFFERENT = 1
    UNSETTLED = 2


class ModelDifference(Structure):
    """locant_model_difference"""
    _fields_ = [
        ("field", c_char * 32),
        ("tower", c_char * 16),
        ("layer", c_int64),
        ("layers", c_int64),
        ("pair", c_int64),
        ("position", c_int64),
        ("amount", c_double),
        ("a", c_char * 192),
        ("b", c_char * 192),
    ]


class Comparison(Structure):
    """locant_comparison"""
    _fields_ = [
        ("verdict", c_int),
        ("length", c_int64),
        ("layers", c_int64),
        ("exact", c_int),
        ("apart", c_double),
        ("carries", c_int64),
        ("n", c_int),
        ("differences", ModelDifference * 24),
        ("note", c_char * 1024),
    ]


class ExtendOptions(Structure):
    """locant_extend_options"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("model", c_char_p),
        ("to", c_int64),
        ("trained", c_int64),
        ("base", c_double),
        ("dim", c_int64),
        ("method", c_char_p),
        ("config_out", c_char_p),
    ]


class Severity(IntEnum):
    """locant_severity"""
    NOTE = 0
    WARNING = 1
    ERROR = 2


class CheckInfo(Structure):
    """locant_check_info"""
    _fields_ = [
        ("id", c_char_p),
        ("severity", c_int),
        ("title", c_char_p),
    ]


class Finding(Structure):
    """locant_finding"""
    _fields_ = [
        ("id", c_char_p),
        ("severity", c_int),
        ("stacks", c_uint),
        ("fixes", c_int),
        ("key", c_char_p),
        ("sentence", c_char_p),
        ("mend", c_char_p),
        ("hf4", c_char_p),
        ("hf5", c_char_p),
        ("vllm", c_char_p),
        ("llama_cpp", c_char_p),
        ("mlx", c_char_p),
    ]


class Findings(Structure):
    """locant_findings"""
    _fields_ = [
        ("at", POINTER(Finding)),
        ("n", c_size_t),
        ("checked", c_char_p),
    ]


class CheckOptions(Structure):
    """locant_check_options"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("stack", c_int),
        ("length", c_int64),
        ("positions", POINTER(Tensor)),
        ("other", c_char_p),
        ("adapter", c_char_p),
    ]


class ModelPairing(IntEnum):
    """locant_model_pairing"""
    UNSAID = 0
    HALF = 1
    INTERLEAVED = 2


class ModelFormat(IntEnum):
    """locant_model_format"""
    SAME = 0
    SAFETENSORS = 1
    GGUF = 2


class ConvertOptions(Structure):
    """locant_convert_options"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("pairing", c_int),
        ("from", c_int),
        ("format", c_int),
        ("type", c_char_p),
        ("base", c_char_p),
        ("one_file", c_int),
        ("verify", c_int),
    ]


class Conversion(Structure):
    """locant_conversion"""
    _fields_ = [
        ("from", c_int),
        ("to", c_int),
        ("assumed", c_int),
        ("tensors", c_int64),
        ("moved", c_int64),
        ("lost", c_int64),
        ("worst", c_double),
        ("tokenizer", c_char_p),
        ("pre", c_char_p),
        ("differs", c_char * 96),
    ]


class ModelInfo(Structure):
    """locant_model_info"""
    _fields_ = [
        ("model_type", c_char_p),
        ("layers", c_int64),
        ("width", c_int64),
        ("vocab", c_int64),
    ]


class ModelInput(Structure):
    """locant_model_input"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("ids", POINTER(Tensor)),
        ("mask", POINTER(Tensor)),
        ("positions", POINTER(Tensor)),
        ("types", POINTER(Tensor)),
        ("decoder_ids", POINTER(Tensor)),
        ("pixels", POINTER(Tensor)),
        ("grid", POINTER(Tensor)),
        ("group", POINTER(Group)),
    ]


MODEL_HIDDEN = 1
TokenFn = CFUNCTYPE(c_int, POINTER(c_int64), c_int64, c_int64, c_void_p)


class Generation(Structure):
    """locant_generation"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("top_k", c_int64),
        ("top_p", c_double),
        ("temperature", c_double),
        ("seed", c_uint64),
        ("ignore_end", c_int),
        ("each", TokenFn),
        ("context", c_void_p),
    ]


class IdentityVerdict(IntEnum):
    """locant_identity_verdict"""
    NONE_OF_THESE = 0
    IDENTIFIED = 1
    UNDECIDED = 2


class Identity(Structure):
    """locant_identity"""
    _fields_ = [
        ("verdict", c_int),
        ("sign", c_int),
        ("offset", c_double),
        ("factor", c_double),
        ("residual", c_double),
        ("rounding", c_double),
        ("dtype", c_char * 16),
        ("spec", c_char * 4096),
        ("beside", c_char * 256),
        ("closest", c_char * 512),
        ("note", c_char * 1024),
        ("n_remaining", c_int),
        ("remaining", c_char * 512 * 8),
    ]


class VectorsVerdict(IntEnum):
    """locant_vectors_verdict"""
    PASS = 0
    FAIL = 1
    MISSING = 2
    UNKNOWN = 3


class VectorsResult(Structure):
    """locant_vectors_result"""
    _fields_ = [
        ("name", c_char_p),
        ("verdict", c_int),
        ("where", c_char_p),
        ("looks_like", c_char_p),
        ("error", c_double),
        ("share", c_double),
    ]

VectorsFn = CFUNCTYPE(c_int, POINTER(VectorsResult), c_void_p)


class VectorsCounts(Structure):
    """locant_vectors_counts"""
    _fields_ = [
        ("passed", c_int64),
        ("failed", c_int64),
        ("missing", c_int64),
        ("unknown", c_int64),
    ]


# What the _INIT macros set besides struct_size.
INIT.update({
    ExtendOptions: {"base": 10000},
    CheckOptions: {},
    ConvertOptions: {},
    ModelInput: {},
    Generation: {"top_p": 1.0},
})

# Function: result, arguments.  "status": one to be checked.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "locant_plan_read": ("status", [POINTER(c_void_p), c_char_p, c_int]),
    "locant_plan_parse": ("status", [POINTER(c_void_p), c_char_p, c_size_t, c_char_p, c_int]),
    "locant_plan_free": (None, [c_void_p]),
    "locant_plan_family": (c_char_p, [c_void_p]),
    "locant_plan_towers": (c_int, [c_void_p]),
    "locant_plan_tower": (c_char_p, [c_void_p, c_int]),
    "locant_plan_layers": (c_int64, [c_void_p, c_int]),
    "locant_plan_layer_spec": (c_char_p, [c_void_p, c_int, c_int64]),
    "locant_plan_input_spec": (c_char_p, [c_void_p, c_int]),
    "locant_plan_spec": (c_char_p, [c_void_p, c_int]),
    "locant_plan_hash": (c_char_p, [c_void_p]),
    "locant_plan_json": ("status", [POINTER(c_void_p), POINTER(c_size_t), c_void_p]),
    "locant_models_compare": ("status", [POINTER(Comparison), c_char_p, c_char_p, c_int, c_int64]),
    "locant_model_extend": ("status", [POINTER(c_void_p), POINTER(c_size_t), POINTER(ExtendOptions)]),
    "locant_model_check_at": (POINTER(CheckInfo), [c_size_t]),
    "locant_model_check": ("status", [POINTER(Findings), c_char_p, POINTER(CheckOptions)]),
    "locant_model_check_text": ("status", [POINTER(Findings), c_char_p, c_size_t, c_char_p, POINTER(CheckOptions)]),
    "locant_findings_free": (None, [POINTER(Findings)]),
    "locant_model_fix": ("status", [POINTER(c_size_t), c_char_p, c_char_p]),
    "locant_model_convert": ("status", [POINTER(Conversion), c_char_p, c_char_p, POINTER(ConvertOptions)]),
    "locant_model_open": ("status", [POINTER(c_void_p), c_char_p, c_int]),
    "locant_model_close": (None, [c_void_p]),
    "locant_model_open_with": ("status", [POINTER(c_void_p), c_char_p, c_int, c_char_p]),
    "locant_model_info_of": (ModelInfo, [c_void_p]),
    "locant_model_shape": ("status", [POINTER(c_int64), POINTER(c_int), c_void_p, POINTER(ModelInput), c_int]),
    "locant_model_logits": ("status", [POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(ModelInput), c_int]),
    "locant_model_losses": ("status", [POINTER(Tensor), c_void_p, POINTER(ModelInput)]),
    "locant_model_probe": ("status", [POINTER(c_void_p), POINTER(c_size_t), c_void_p, POINTER(ModelInput), c_int64, c_int64]),
    "locant_model_prompt": ("status", [POINTER(c_int64), c_void_p, POINTER(ModelInput)]),
    "locant_model_generate": ("status", [POINTER(Tensor), c_void_p, POINTER(ModelInput), POINTER(Generation)]),
    "locant_identify_rotation": ("status", [POINTER(Identity), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor)]),
    "locant_identify_scores": ("status", [POINTER(Identity), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor)]),
    "locant_identify_table": ("status", [POINTER(Identity), POINTER(Tensor)]),
    "locant_identify_bias": ("status", [POINTER(Identity), POINTER(Tensor)]),
    "locant_identify_weights": ("status", [POINTER(Identity), POINTER(Tensor), POINTER(Tensor), c_int64]),
    "locant_identify_files": ("status", [POINTER(Identity), c_char_p, c_char_p, c_char_p, c_char_p, c_int64]),
    "locant_vectors_write": ("status", [c_char_p, c_char_p]),
    "locant_vectors_verify": ("status", [POINTER(VectorsCounts), c_char_p, c_char_p, c_int, VectorsFn, c_void_p]),
}
