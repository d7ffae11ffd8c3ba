"""torch.compile(fullgraph=True) of models that run with locant.

Without a compiler of kernels the graph is run as it was traced: what it gives
has the bits of the model itself.
"""
from hf_models import Case, gradients, left_padded, model, tokens
import torch
import transformers


class Compile(Case):
    def setUp(self):
        torch._dynamo.reset()

    def traced(self, made, backend="eager"):
        return torch.compile(made, fullgraph=True, backend=backend)

    def test_windows_and_slopes(self):
        ids = tokens()
        mask = left_padded(ids)
        for name in ("Qwen2", "Mistral", "Gemma3", "GptOss", "Bloom", "Mpt"):
            made = model(name)
            made.set_attn_implementation("locant")
            with torch.no_grad():
                self.close(self.traced(made)(ids, attention_mask=mask).logits,
                           made(ids, attention_mask=mask).logits, 1e-6, name)

    def test_gradients(self):
        for name in ("GptOss", "Mpt"):
            made = model(name)
            made.set_attn_implementation("locant")
            self.close(gradients(made), gradients(self.traced(
                made, "aot_eager")), 1e-6, name)

    def test_static_cache(self):
        ids = tokens()
        made = model("Gemma3")
        made.set_attn_implementation("locant")
        cache = transformers.StaticCache(config=made.config, max_cache_len=24)
        traced = self.traced(made)
        with torch.no_grad():
            self.close(torch.cat([
                traced(ids[:, a:b], past_key_values=cache).logits
                for a, b in ((0, 9), (9, 10), (10, 19))], 1), made(ids).logits)

    def test_others_are_traced_as_before(self):
        ids = tokens()
        made = model("Gemma3")
        made.set_attn_implementation("sdpa")
        with torch.no_grad():
            self.close(self.traced(made)(ids).logits, made(ids).logits)
