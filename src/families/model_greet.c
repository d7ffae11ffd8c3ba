/* model_greet.c - see model_greet.h */
#include "model_greet.h"
#include "../files/hash.h"
#include "../group/greeting.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What a rank was called with, as text: the call and the model in below 128
   bytes, and 7 arrays in below 32 each. */
enum { KEY_BYTES = 128 + 7 * 32 };

/* The hash of an array: of its shape and bytes. */
static uint64_t hash_array(const locant_tensor *t)
{
    const uint64_t h =
        lct_hash(LCT_HASH_BEGIN, t->shape, (size_t)t->rank * sizeof(*t->shape));
    size_t bytes = locant_dtype_size(t->dtype);

    for (int i = 0; i < t->rank; i++)
        bytes *= (size_t)t->shape[i];
    return lct_hash(h, t->data, bytes);
}

/* Specs of layers; names, types, shapes and the first bytes of all tensors: to
   read all numbers would take as long as a run. */
static uint64_t hash_model(const struct lct_net *n)
{
    const struct lct_tower *plan = n->text.plan;
    uint64_t h = LCT_HASH_BEGIN;
    const struct lct_weight *w;

    for (int64_t i = 0; i < n->text.n_layers; i++)
        if (plan->layers[i].spec != NULL)
            h = lct_hash(h, plan->layers[i].spec, strlen(plan->layers[i].spec));
    for (size_t i = 0; (w = lct_weights_at(n->weights, i)) != NULL; i++) {
        h = lct_hash(h, w->name, strlen(w->name));
        h = lct_hash(h, w->type->name, strlen(w->type->name));
        h = lct_hash(h, w->shape, (size_t)w->rank * sizeof(*w->shape));
        h = lct_hash(h, w->data, w->bytes < 64 ? w->bytes : 64);
    }
    return h;
}

locant_status lct_model_greet(const struct lct_model_call *c)
{
    const locant_model_input *in = c->input;
    const struct {
        const char *name;
        const locant_tensor *t;
    } arrays[] = { { "ids", in->ids },
                   { "mask", in->mask },
                   { "types", in->types },
                   { "decoder_ids", in->decoder_ids },
                   { "pixels", in->pixels },
                   { "grid", in->grid },
                   { "positions", in->positions } };
    char key[KEY_BYTES] = "";
    size_t length = 0;

    if (c->status == LOCANT_OK)
        length = (size_t)snprintf(
            key, sizeof(key), "call=%s;flags=%d;dtype=%s;model=%016" PRIx64,
            c->fn, c->flags,
            c->n->round_weights ? "bf16" : locant_dtype_name(c->n->dtype),
            hash_model(c->n));
    for (size_t i = 0; length > 0 && i < sizeof(arrays) / sizeof(*arrays); i++)
        if (arrays[i].t != NULL)
            length += (size_t)snprintf(key + length, sizeof(key) - length,
                                       ";%s=%016" PRIx64, arrays[i].name,
                                       hash_array(arrays[i].t));
    return lct_greeting_begin(c->fn, c->group, key, c->status);
}
