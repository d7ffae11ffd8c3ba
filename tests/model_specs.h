/*
 * model_specs.h - specs for a small model, of every row of the registry and of
 * sums: 2 heads of 8 channels, 12 tokens.
 */
#ifndef MODEL_SPECS_H
#define MODEL_SPECS_H
#include "testing.h"
#include <stdbool.h>
#include <string.h>

enum { MODEL_TOKENS = 12 };

/* The spec of a row that is not listed is its name. */
static const struct {
    const char *row, *spec;
} model_rows[] = {
    { "alibi", "alibi" },
    { "alibi", "alibi(learned=yes)" },
    { "alibi", "alibi(dialect=mpt)" },
    { "beit", "beit(height=3,width=4)" },
    { "cape", "cape(shift=2)" },
    { "carope", "carope" },
    { "chunked", "chunked(size=4)+rope" },
    { "conformer", "conformer" },
    { "conformer", "conformer(form=none,length=12)" },
    { "cope", "cope(length=4)" },
    { "cope", "cope(length=4)+rope" },
    { "cosine", "cosine" },
    { "cosine", "cosine+t5(buckets=8)" },
    { "crossformer", "crossformer(height=3,width=4)" },
    { "dape", "dape(hidden=6)+kerple" },
    { "dape", "dape(version=2,hidden=6)+alibi" },
    { "deberta", "deberta(span=4)" },
    { "deberta", "deberta(version=2,span=4,distance=16)" },
    { "deberta", "deberta(version=3,span=4,distance=16)" },
    { "dpb", "dpb(hidden=6)" },
    { "dpb", "dpb(hidden=6,log=yes,share=no)" },
    { "fire", "fire(hidden=24,length=8)" },
    { "fire", "fire(hidden=24,length=8,share=yes)" },
    { "fope", "fope(length=64)" },
    { "fope", "fope(length=64,heads=shared,learn=yes)" },
    { "fox", "fox" },
    { "fox", "fox(init=5)" },
    { "fox", "rope+fox" },
    { "grape-m", "grape-m(heads=each)" },
    { "grape-m", "grape-m(planes=rank2)" },
    { "grape-a", "grape-a" },
    { "grape-a", "grape-a(gate=both)+rope" },
    { "graph", "graph(distance=4)" },
    { "kerple", "kerple" },
    { "kerple", "kerple(kind=power,share=no)" },
    { "laplacian", "laplacian(vectors=4)" },
    { "layers", "layers(local=window(size=4)+rope,global=none,period=2)" },
    { "layers", "layers(local=t5(buckets=8),global=fox,period=2)" },
    { "layers", "layers(map=b:last(1,alibi),b=t5(buckets=8))" },
    { "learned2d", "learned2d(height=3,width=4)" },
    { "longlora", "longlora(group=4)+rope" },
    { "mrope", "mrope(sections=1:1:2)" },
    { "music", "music" },
    { "path", "path(rank=4)" },
    { "path", "path(rank=2,kernel=2,forget=yes)" },
    { "dual-chunk", "dual-chunk(chunk=6,local=2)+rope" },
    { "pose", "pose(length=64,chunks=2)+rope" },
    { "random-walk", "random-walk(steps=4)" },
    { "randomized", "randomized(length=64)+rope" },
    { "randomized", "randomized(length=64)+sinusoidal" },
    { "randomized", "randomized(length=64)+kerple" },
    { "relative", "relative(distance=4)" },
    { "repo", "repo" },
    { "repo", "repo(hidden=3,share=yes)+alibi" },
    { "rerope", "rerope(window=4)" },
    { "rerope", "rerope(window=4,leak=2)" },
    { "rope", "rope" },
    { "rope", "rope(pairing=interleaved,dim=4)" },
    { "rope", "rope(scaling=yarn(factor=4,original=16))" },
    { "rope-mixed", "rope-mixed(width=4)" },
    { "rope2d", "rope2d(height=3,width=4)" },
    { "rope3d", "rope3d(height=2,width=3)" },
    { "axes", "axes(grid=2:3,pairing=blocks)" },
    { "vjepa2", "vjepa2(height=2,width=3)" },
    { "scale-invariant", "scale-invariant(tau=4)+rope" },
    { "selective-rope", "selective-rope(rank=4)" },
    { "selective-rope", "selective-rope(rank=2,bias=yes,gate=head)" },
    { "selfextend", "selfextend(group=2,window=4)" },
    { "shaw", "shaw(distance=4)" },
    { "shaw", "shaw(distance=4,values=no,share=yes)" },
    { "sincos2d", "sincos2d(height=3,width=4)" },
    { "sincos3d", "sincos3d(height=2,width=3)" },
    { "ssmax", "ssmax(bias=yes)+rope+window(size=5)" },
    { "stick-breaking", "stick-breaking" },
    { "stick-breaking", "stick-breaking(current=yes,rest=drop)+rope" },
    { "streaming", "streaming(sinks=2,window=4)" },
    { "swin", "swin(height=3,width=4)" },
    { "swinv2", "swinv2(height=3,width=4,hidden=6)" },
    { "t5", "t5(buckets=8,distance=10)" },
    { "t5", "t5(buckets=8,distance=10,share=no)" },
    { "temperature", "temperature(floor=4)+rope" },
    { "transformer-xl", "transformer-xl" },
    { "transformer-xl", "transformer-xl(clamp=4,share=yes)" },
    { "urpe", "urpe(buckets=8,distance=10)+alibi" },
    { "wavlm", "wavlm(buckets=8,distance=10)" },
    { "window", "window(size=4)+alibi" },
    { "xlnet", "xlnet(segment=5)" },
    { "xpos", "xpos" },
    { "sinusoidal", "sinusoidal(learned=yes)" },
    { "sinusoidal", "sinusoidal+rope+t5(buckets=8)+shaw(distance=3)" },
    { "learned", "learned+pope+window(size=6)" },
};

/* Spec i of all, or NULL past the end: those listed, then the other rows. */
static inline const char *model_spec(size_t i)
{
    const locant_encoding_info *info;

    if (i < LEN(model_rows))
        return model_rows[i].spec;
    i -= LEN(model_rows);
    for (int row = 0; (info = locant_encoding_at(row)) != NULL; row++) {
        bool listed = false;

        for (size_t k = 0; k < LEN(model_rows); k++)
            listed = listed || strcmp(model_rows[k].row, info->name) == 0;
        if (!listed && i-- == 0)
            return info->name;
    }
    return NULL;
}
#endif
