/* spec_print.c - the canonical form of a spec */
#include "spec.h"
#include <math.h>
#include <string.h>

/* Text written so far; bytes are counted even when 'out' is full. */
struct writer {
    char *out;
    size_t size, used;
};

static void put(struct writer *w, const char *text)
{
    for (; *text != 0; text++, w->used++)
        if (w->used + 1 < w->size)
            w->out[w->used] = *text;
}

/* Does key k have its default? */
static bool is_default(const locant_encoding *e, int k)
{
    const struct lct_key *key = &e->row->keys[k];

    if (key->kind == LCT_LIST)
        return e->list[k] == NULL;
    if (key->kind == LCT_TEXT)
        return e->text[k] == NULL;
    if (isnan(key->def) || isnan(e->value[k]))
        return isnan(key->def) && isnan(e->value[k]);
    if (e->value[k] != key->def)
        return false;
    /* a nested encoding must have its default keys, too */
    return key->kind != LCT_SPEC || strchr(e->nested[k]->spec, '(') == NULL;
}

static void put_value(struct writer *w, const locant_encoding *e, int k)
{
    const struct lct_key *key = &e->row->keys[k];
    char number[LCT_NUMBER_BYTES];

    switch (key->kind) {
    case LCT_NUMBER:
    case LCT_INTEGER:
        lct_number_print(number, e->value[k]);
        put(w, number);
        break;
    case LCT_WORD: put(w, key->words[(size_t)e->value[k]]); break;
    case LCT_SWITCH: put(w, e->value[k] != 0 ? "yes" : "no"); break;
    case LCT_SPEC: put(w, e->nested[k]->spec); break;
    case LCT_TEXT: put(w, e->text[k]); break;
    case LCT_LIST:
        for (size_t i = 0; i < e->list[k]->n; i++) {
            put(w, i > 0 ? ":" : "");
            lct_number_print(number, e->list[k]->item[i]);
            put(w, number);
        }
        break;
    }
}

static void put_sum(struct writer *w, const locant_encoding *e)
{
    for (int i = 0; i < LCT_MAX_PARTS && e->nested[i] != NULL; i++) {
        put(w, i > 0 ? "+" : "");
        put(w, e->nested[i]->spec);
    }
}

/* Writes "(name=" or ",name="; *open: the parenthesis is written. */
static void put_name(struct writer *w, const char *name, bool *open)
{
    put(w, *open ? "," : "(");
    put(w, name);
    put(w, "=");
    *open = true;
}

/* An encoding with default keys need not be given the name that it has. */
static void put_others(struct writer *w, const locant_encoding *e, bool *open)
{
    for (int k = lct_key_count(e->row); k < LCT_MAX_KEYS; k++) {
        if (e->text[k] == NULL || strcmp(e->text[k], e->nested[k]->spec) == 0)
            continue;
        put_name(w, e->text[k], open);
        put(w, e->nested[k]->spec);
    }
}

size_t lct_spec_print(char *out, size_t size, const locant_encoding *e)
{
    struct writer w = { out, size, 0 };
    const struct lct_key *keys = e->row->keys;
    bool open = false;

    if (e->row == &lct_enc_sum)
        put_sum(&w, e);
    else
        put(&w, e->row->info.name);
    for (int k = 0; k < lct_key_count(e->row); k++) {
        if (is_default(e, k))
            continue;
        put_name(&w, keys[k].name, &open);
        put_value(&w, e, k);
    }
    if (e->row->others != NULL)
        put_others(&w, e, &open);
    if (open)
        put(&w, ")");
    if (size > 0)
        out[w.used < size ? w.used : size - 1] = 0;
    return w.used;
}
