"""What include/locant declares of liblocant, for ctypes.

Written by tools/python_headers.py; do not edit.
"""
from __future__ import annotations

import math
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int,
                    c_int32, c_int64, c_size_t, c_uint, c_uint32, c_uint64,
                    c_void_p)
from enum import IntEnum
from typing import Any

VERSION_MAJOR = 0
VERSION_MINOR = 1
VERSION_PATCH = 0
VERSION_STRING = "0.1.0"
MAX_RANK = 6


class Status(IntEnum):
    """locant_status"""
    OK = 0
    ERR_NULL = 1
    ERR_SHAPE = 2
    ERR_DTYPE = 3
    ERR_LAYOUT = 4
    ERR_PARAM = 5
    ERR_ALIAS = 6
    ERR_UNSUPPORTED = 7
    ERR_NOMEM = 8
    ERR_IO = 9
    ERR_FORMAT = 10
    ERR_INTERRUPTED = 11


class Dtype(IntEnum):
    """locant_dtype"""
    F32 = 0
    F16 = 1
    BF16 = 2
    F64 = 3
    I32 = 4
    I64 = 5
    U8 = 6


class Tensor(Structure):
    """locant_tensor"""
    _fields_ = [
        ("data", c_void_p),
        ("dtype", c_int),
        ("rank", c_int32),
        ("shape", c_int64 * 6),
        ("stride", c_int64 * 6),
    ]


class Allocator(Structure):
    """locant_allocator"""
    _fields_ = [
        ("alloc", CFUNCTYPE(c_void_p, c_size_t, c_void_p)),
        ("release", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("context", c_void_p),
    ]

Task = CFUNCTYPE(None, c_void_p, c_size_t, c_int)
ParallelRunner = CFUNCTYPE(None, c_size_t, Task, c_void_p, c_void_p)
Poll = CFUNCTYPE(c_int, c_void_p)


class Random(Structure):
    """locant_random"""
    _fields_ = [
        ("seed", c_uint64),
        ("stream", c_uint64),
        ("index", c_uint64),
    ]


class AngleMode(IntEnum):
    """locant_angle_mode"""
    EXACT = 0
    HF = 1
    GGML = 2


DOOR_INPUT = 1
DOOR_ROTATE = 2
DOOR_SCORE = 4
DOOR_CONTENT = 8


TRAIT_RELATIVE = 1
TRAIT_ISOMETRIC = 2
TRAIT_LEARNED = 4
TRAIT_LIMIT = 8
TRAIT_MONOTONE = 16
TRAIT_LENGTH = 32
TRAIT_READS_X = 64
TRAIT_REAL = 128
TRAIT_CAUSAL = 256


class KeyInfo(Structure):
    """locant_key_info"""
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_char_p),
        ("fallback", c_char_p),
        ("range", c_char_p),
        ("doc", c_char_p),
    ]


class Variant(Structure):
    """locant_variant"""
    _fields_ = [
        ("spec", c_char_p),
        ("title", c_char_p),
        ("used_by", c_char_p),
    ]


class EncodingInfo(Structure):
    """locant_encoding_info"""
    _fields_ = [
        ("name", c_char_p),
        ("title", c_char_p),
        ("formula", c_char_p),
        ("source", c_char_p),
        ("used_by", c_char_p),
        ("pitfalls", c_char_p),
        ("doors", c_uint),
        ("traits", c_uint),
        ("gradient", c_char_p),
        ("variants", POINTER(Variant)),
    ]


class Sizes(Structure):
    """locant_sizes"""
    _fields_ = [
        ("width", c_int64),
        ("heads", c_int64),
        ("kv_heads", c_int64),
        ("head_dim", c_int64),
    ]


class ParamInfo(Structure):
    """locant_param_info"""
    _fields_ = [
        ("name", c_char_p),
        ("dims", c_char_p),
        ("doc", c_char_p),
        ("rank", c_int),
        ("shape", c_int64 * 6),
        ("rate", c_double),
        ("per_layer", c_int),
        ("doors", c_uint),
    ]


ROTATE_INVERSE = 1
ROTATE_KEY = 2


class Rotation(Structure):
    """locant_rotation"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("encoding", c_void_p),
        ("positions", POINTER(Tensor)),
        ("limits", POINTER(Tensor)),
        ("params", POINTER(Tensor)),
        ("flags", c_int),
    ]


class Rotated(Structure):
    """locant_rotated"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("pairs", c_int64),
        ("first", c_int64),
        ("interleaved", c_int),
        ("axes", c_int),
        ("magnitude", c_double),
        ("by_length", c_int),
    ]


class ResizeKind(IntEnum):
    """locant_resize_kind"""
    LINEAR = 0
    CUBIC = 1


class Resize(Structure):
    """locant_resize"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("kind", c_int),
        ("align_corners", c_int),
        ("antialias", c_int),
        ("offset", c_double),
        ("prefix", c_int64),
        ("from_rows", c_int64),
        ("from_columns", c_int64),
        ("rows", c_int64),
        ("columns", c_int64),
    ]


class ResizeForm(IntEnum):
    """locant_resize_form"""
    VIT = 0
    HF = 1
    TIMM = 2
    DINOV2 = 3
    DINOV2_REG = 4
    QWEN3VL = 5


class Quant(IntEnum):
    """locant_quant"""
    NONE = 0
    INT8 = 1
    Q8_0 = 2
    E4M3 = 3
    E5M2 = 4


class Append(Structure):
    """locant_append"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("k_cache", POINTER(Tensor)),
        ("v_cache", POINTER(Tensor)),
        ("k", POINTER(Tensor)),
        ("v", POINTER(Tensor)),
        ("lengths", POINTER(Tensor)),
        ("counts", POINTER(Tensor)),
        ("block_table", POINTER(Tensor)),
        ("ring", c_int),
        ("encoding", c_void_p),
        ("params", POINTER(Tensor)),
        ("positions", POINTER(Tensor)),
        ("quant", c_int),
        ("quant_group", c_int64),
    ]


class Mask(IntEnum):
    """locant_mask"""
    NONE = 0
    CAUSAL = 1


ATTENTION_KEYS_ROTATED = 1
ATTENTION_VALUES_OF_KEYS = 2
ATTENTION_ROTATE_VALUES = 4


class Attention(Structure):
    """locant_attention"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("q", POINTER(Tensor)),
        ("k", POINTER(Tensor)),
        ("v", POINTER(Tensor)),
        ("q_pos", POINTER(Tensor)),
        ("k_pos", POINTER(Tensor)),
        ("encoding", c_void_p),
        ("params", POINTER(Tensor)),
        ("mask", c_int),
        ("scale", c_double),
        ("x", POINTER(Tensor)),
        ("q_coords", POINTER(Tensor)),
        ("k_coords", POINTER(Tensor)),
        ("q_docs", POINTER(Tensor)),
        ("k_docs", POINTER(Tensor)),
        ("flags", c_int),
        ("window", c_int64),
        ("softcap", c_double),
        ("sinks", POINTER(Tensor)),
        ("bias", POINTER(Tensor)),
        ("visible", POINTER(Tensor)),
        ("block_table", POINTER(Tensor)),
        ("lengths", POINTER(Tensor)),
        ("quant", c_int),
        ("quant_group", c_int64),
        ("leaves", c_int64),
        ("state", POINTER(Tensor)),
    ]


class AttentionGradients(Structure):
    """locant_attention_gradients"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("dq", POINTER(Tensor)),
        ("dk", POINTER(Tensor)),
        ("dv", POINTER(Tensor)),
        ("dparams", POINTER(Tensor)),
        ("dx", POINTER(Tensor)),
        ("dsinks", POINTER(Tensor)),
        ("dbias", POINTER(Tensor)),
        ("dq_coords", POINTER(Tensor)),
        ("dk_coords", POINTER(Tensor)),
    ]


class AttentionPart(Structure):
    """locant_attention_part"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("first", c_int64),
        ("keys", c_int64),
        ("last", c_int),
        ("state", POINTER(Tensor)),
    ]


class Ragged(Structure):
    """locant_ragged"""
    _fields_ = [
        ("cu_q", POINTER(Tensor)),
        ("cu_k", POINTER(Tensor)),
    ]


# What the _INIT macros set besides struct_size.
INIT: dict[type[Structure], dict[str, Any]] = {
    Rotation: {},
    Rotated: {},
    Resize: {},
    Append: {},
    Attention: {"scale": math.inf},
    AttentionGradients: {},
    AttentionPart: {},
}

# Function: result, arguments.  "status": one to be checked.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "locant_version": (c_char_p, []),
    "locant_status_name": (c_char_p, [c_int]),
    "locant_last_error": (c_char_p, []),
    "locant_fail": (c_int, [c_int, c_char_p]),
    "locant_dtype_size": (c_size_t, [c_int]),
    "locant_dtype_name": (c_char_p, [c_int]),
    "locant_dense": (Tensor, [c_void_p, c_int, c_int, POINTER(c_int64)]),
    "locant_set_allocator": (None, [POINTER(Allocator)]),
    "locant_alloc": (c_void_p, [c_size_t]),
    "locant_release": (None, [c_void_p]),
    "locant_set_threads": ("status", [c_int]),
    "locant_threads": (c_int, []),
    "locant_parallel_for": (None, [c_size_t, Task, c_void_p]),
    "locant_set_parallel_for": (None, [ParallelRunner, c_void_p]),
    "locant_set_poll": (None, [Poll, c_void_p]),
    "locant_ask_poll": (c_int, []),
    "locant_philox": (None, [POINTER(c_uint32), POINTER(c_uint32), POINTER(c_uint32)]),
    "locant_random_word": (c_uint32, [POINTER(Random)]),
    "locant_random_uniform": (c_double, [POINTER(Random)]),
    "locant_random_below": (c_uint64, [POINTER(Random), c_uint64]),
    "locant_random_normal": (c_double, [POINTER(Random)]),
    "locant_set_isa": ("status", [c_char_p]),
    "locant_isa": (c_char_p, []),
    "locant_isa_at": (c_char_p, [c_int, POINTER(c_int)]),
    "locant_angles": ("status", [POINTER(Tensor), POINTER(Tensor), c_double, c_int]),
    "locant_encoding_at": (POINTER(EncodingInfo), [c_int]),
    "locant_encoding_key": (c_int, [POINTER(KeyInfo), c_char_p, c_int]),
    "locant_encoding_create": ("status", [POINTER(c_void_p), c_char_p]),
    "locant_encoding_resolve": ("status", [POINTER(c_void_p), c_void_p, c_int64]),
    "locant_encoding_free": (None, [c_void_p]),
    "locant_encoding_spec": (c_char_p, [c_void_p]),
    "locant_encoding_info_of": (POINTER(EncodingInfo), [c_void_p]),
    "locant_encoding_doors": (c_uint, [c_void_p]),
    "locant_encoding_traits": (c_uint, [c_void_p]),
    "locant_encoding_axes": (c_int, [c_void_p]),
    "locant_encoding_layer": (c_void_p, [POINTER(c_int), c_void_p, c_int64]),
    "locant_encoding_layer_of": (c_void_p, [POINTER(c_int), c_void_p, c_int64, c_int64]),
    "locant_encoding_layer_count": (c_int64, [c_void_p]),
    "locant_encoding_length_limit": (c_int64, [c_void_p]),
    "locant_encoding_chooses_positions": (c_int, [c_void_p]),
    "locant_encoding_ids": ("status", [POINTER(Tensor), c_void_p, c_uint64, c_int]),
    "locant_encoding_param": (c_int, [POINTER(ParamInfo), c_void_p, c_int, POINTER(Sizes)]),
    "locant_encoding_param_init": ("status", [POINTER(Tensor), c_void_p, c_int, c_uint64]),
    "locant_encoding_param_project": ("status", [POINTER(Tensor), c_void_p, c_int]),
    "locant_encoding_table": ("status", [POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor)]),
    "locant_encoding_add": ("status", [POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor)]),
    "locant_encoding_table_backward": ("status", [POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor)]),
    "locant_encoding_similarity": ("status", [POINTER(Tensor), c_void_p, POINTER(Tensor), c_int64, POINTER(Tensor)]),
    "locant_encoding_bias": ("status", [POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor), POINTER(Tensor)]),
    "locant_encoding_bias_backward": ("status", [POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor), POINTER(Tensor)]),
    "locant_encoding_rotated_width": (c_int64, [c_void_p, c_int64]),
    "locant_encoding_rotate": ("status", [POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor), c_int]),
    "locant_encoding_rotate_qk": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor), c_int]),
    "locant_encoding_rotate_backward": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor), c_int]),
    "locant_encoding_rotate_ragged": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Rotation)]),
    "locant_encoding_rotate_ragged_backward": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), POINTER(Rotation)]),
    "locant_encoding_rerotate": ("status", [POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(Tensor), c_void_p, POINTER(Tensor)]),
    "locant_encoding_rotated": ("status", [POINTER(Rotated), c_void_p, c_int64, c_int64]),
    "locant_encoding_frequencies": ("status", [POINTER(Tensor), POINTER(Tensor), c_void_p, c_int64, c_int64]),
    "locant_resize_set_form": ("status", [POINTER(Resize), c_int]),
    "locant_resize_form_name": (c_char_p, [c_int]),
    "locant_resize_1d": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Resize)]),
    "locant_resize_1d_backward": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Resize)]),
    "locant_resize_2d": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Resize)]),
    "locant_resize_2d_backward": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Resize)]),
    "locant_quant_row_bytes": ("status", [POINTER(c_int64), c_int, c_int64, c_int64]),
    "locant_quantize": ("status", [POINTER(Tensor), POINTER(Tensor), c_int, c_int64]),
    "locant_dequantize": ("status", [POINTER(Tensor), POINTER(Tensor), c_int, c_int64]),
    "locant_quant_rerotate": ("status", [POINTER(Tensor), c_int, c_int64, c_int64, c_void_p, POINTER(Tensor), c_void_p, POINTER(Tensor)]),
    "locant_cache_append": ("status", [POINTER(Append)]),
    "locant_attention_workspace": ("status", [POINTER(c_size_t), POINTER(Attention)]),
    "locant_attention_forward": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Attention), c_void_p, c_size_t]),
    "locant_attention_state_bytes": ("status", [POINTER(c_size_t), POINTER(Attention), c_int64]),
    "locant_attention_state_begin": ("status", [POINTER(Tensor), POINTER(Attention), c_int64]),
    "locant_attention_backward": ("status", [POINTER(AttentionGradients), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), POINTER(Attention), c_void_p, c_size_t]),
    "locant_attention_part_workspace": ("status", [POINTER(c_size_t), POINTER(c_int64), POINTER(Attention), POINTER(AttentionPart)]),
    "locant_attention_forward_part": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Attention), POINTER(AttentionPart), c_void_p, c_size_t]),
    "locant_attention_backward_part": ("status", [POINTER(AttentionGradients), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), POINTER(Attention), POINTER(AttentionPart), c_void_p, c_size_t]),
    "locant_attention_reference": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Attention)]),
    "locant_attention_reference_backward": ("status", [POINTER(AttentionGradients), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), POINTER(Attention)]),
    "locant_attention_ragged_workspace": ("status", [POINTER(c_size_t), POINTER(Attention), POINTER(Ragged)]),
    "locant_attention_ragged_forward": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Attention), POINTER(Ragged), c_void_p, c_size_t]),
    "locant_attention_ragged_backward": ("status", [POINTER(AttentionGradients), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), POINTER(Attention), POINTER(Ragged), c_void_p, c_size_t]),
}
