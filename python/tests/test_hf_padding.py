"""swap() under left padding: a padded row gives what it gives alone."""
from hf_models import Case, left_padded, model, tokens
import torch
import transformers
from locant import hf

# Each depends on where the first token sits, not on distances alone.
SPECS = ("streaming(sinks=2,window=5)", "selfextend(group=3,window=4)",
         "temperature(floor=3)+rope", "temperature(kind=logn,length=4)+rope",
         "longlora(group=4)+rope")


class Padding(Case):
    def test_a_row_as_if_alone(self):
        ids = tokens()
        mask = left_padded(ids)
        for name, specs in (("Llama", SPECS), ("Bloom", SPECS[:1]),
                            ("Mpt", SPECS[1:3])):
            for spec in specs:
                made = model(name)
                hf.swap(made, spec)
                with torch.no_grad():
                    alone = made(ids[1:, 5:]).logits
                    self.close(made(ids, attention_mask=mask).logits[1:, 5:],
                               alone, what=f"{name} {spec}")

    def test_steps_with_every_cache(self):
        """A cache that slides forgets the padding, a static one is longer than
        the rows are."""
        ids = tokens()
        mask = left_padded(ids)
        for kind, more in ((transformers.DynamicCache, {}),
                           (transformers.StaticCache, {"max_cache_len": 24})):
            made = model("Mistral")
            hf.swap(made, "temperature(floor=3)+streaming(sinks=2,window=4)")
            with torch.no_grad():
                alone = made(ids[1:, 5:]).logits
                cache = kind(config=made.config, **more)
                rows = [made(ids[:, a:b], attention_mask=mask[:, :b],
                             past_key_values=cache).logits[1:]
                        for a, b in ((0, 8), (8, 12), (12, 13), (13, 19))]
            self.close(torch.cat(rows, 1)[:, 5:], alone, what=kind.__name__)
