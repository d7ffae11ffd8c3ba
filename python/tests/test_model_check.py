"""locant.models.check: findings of paths, dicts, and transformers' objects."""
import json

import pytest
import locant
from locant import models

LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
         "num_key_value_heads": 8, "head_dim": 128, "num_hidden_layers": 32,
         "max_position_embeddings": 131072, "rope_theta": 500000.0}
YARN = dict(LLAMA, rope_scaling={"rope_type": "yarn", "factor": 4.0})


def ids(findings):
    return [f["id"] for f in findings]


def test_a_right_configuration_has_no_finding():
    assert models.check(LLAMA) == []


def test_a_finding_has_its_parts():
    (found,) = models.check(YARN)
    assert found["id"] == "L01" and found["severity"] == "error"
    assert found["key"] == "rope_scaling.original_max_position_embeddings"
    assert "31 to 49" in found["sentence"] and "24 to 42" in found["mend"]
    assert found["stacks"] == ["hf4", "hf5", "vllm", "llama.cpp", "mlx"]
    assert found["computes"]["vllm"] == "KeyError"
    assert found["fixes"] is False


def test_a_stack_keeps_its_own():
    (found,) = models.check(YARN, "vllm")
    assert found["sentence"].endswith(" vLLM: KeyError.")
    packed = dict(LLAMA, quantization_config={"quant_algo": "NVFP4"})
    assert ids(models.check(packed, stack="llama.cpp")) == ["G03"]
    assert models.check(packed, stack="hf5") == []
    with pytest.raises(locant.Error, match="stack is 'hf', expected hf4, hf5"):
        models.check(YARN, "hf")


def test_a_path_is_read(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(YARN))
    assert models.check(path) == models.check(str(tmp_path)) \
        == models.check(YARN)
    other = tmp_path / "other.json"
    other.write_text(json.dumps(dict(LLAMA, sliding_window=4096)))
    assert ids(models.check(path, other=other)) == ["L01", "P12"]


def test_a_length_is_asked_about():
    bert = {"model_type": "bert", "max_position_embeddings": 512}
    assert models.check(bert, length=512) == []
    assert ids(models.check(bert, length=513)) == ["P21"]


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(locant.Error, match="the model is a int"):
        models.check(3)
    with pytest.raises(locant.Error, match="did you mean llama"):
        models.check({"model_type": "lama"})
    with pytest.raises(locant.Error, match="cannot be opened"):
        models.check(tmp_path / "none")


def test_an_object_of_transformers_is_read():
    transformers = pytest.importorskip("transformers")
    config = transformers.Qwen3Config(num_key_value_heads=5)
    assert "W08" in ids(models.check(config))
