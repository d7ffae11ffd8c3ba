"""Real models: what they do with positions, read, compared, extended and run.

    plan = locant.models.plan("~/models/mine")
    plan.spec                     # "rope(base=500000,scaling=llama3)"
    plan.towers[0].layers[5].scale
    plan.hash                     # the position passport
    locant.models.spec(model.config)
    locant.models.Model("~/models/mine").logits(ids)

A model is a path (a folder, a config.json or params.json, a .gguf), and for
plan() and spec() also a dict with the keys of a config.json, or a configuration
of transformers.  liblocant_lab does it; see docs/guide/models.
"""
from __future__ import annotations

from ._check import check
from ._compare import Comparison, Difference, compare
from ._convert import Conversion, convert
from ._identify import Identity, identify
from ._model_run import Model, ModelInfo, Score
from ._plans import Layer, Plan, QKNorm, Tower, plan, spec
from ._vectors import VectorCase, VectorReport, extend, vectors, verify_vectors

__all__ = ["Comparison", "Conversion", "Difference", "Identity", "Layer",
           "Model", "ModelInfo", "Plan", "QKNorm", "Score", "Tower", "VectorCase",
           "VectorReport", "check", "compare", "convert", "extend", "identify",
           "plan", "spec", "vectors", "verify_vectors"]
