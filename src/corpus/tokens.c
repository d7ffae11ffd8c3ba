/* tokens.c - a corpus as the tokens of a vocabulary */
#include "tokens.h"
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

/* Text encoded at once: as much as training holds, because the tables of pairs
   are made again for each. */
enum { CHUNK = LCT_VOCABULARY_TEXT };

/* A corpus in tokens of one vocabulary. */
struct lct_tokens {
    struct lct_vocabulary *v;
    bool own;       /* trained on this corpus */
    uint16_t *ids;  /* of the three parts, one after another; NULL: not encoded
                       yet */
    size_t *starts; /* of their documents */
    struct lct_split part[3];
    struct lct_tokens *next;
};

/* One for all corpora: it is held for seconds, when a job begins. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void free_one(struct lct_tokens *t)
{
    locant_release(t->v);
    locant_release(t->ids);
    locant_release(t->starts);
    locant_release(t);
}

void lct_tokens_free(struct lct_tokens *list)
{
    while (list) {
        struct lct_tokens *next = list->next;

        free_one(list);
        list = next;
    }
}

/* Add to what the corpus keeps, which is no part of its value. Takes over v. */
static locant_status keep(struct lct_tokens **out, const locant_corpus *corpus,
                          struct lct_vocabulary *v, bool own)
{
    locant_corpus *c = (locant_corpus *)corpus;
    struct lct_tokens *t = locant_alloc(sizeof *t);

    *out = t;
    if (v == NULL || t == NULL) {
        locant_release(v);
        locant_release(t);
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_train: no memory for a vocabulary");
    }
    *t = (struct lct_tokens){ .v = v, .own = own, .next = c->tokens };
    c->tokens = t;
    return LOCANT_OK;
}

/* -------------------------------------------------------------- vocabulary */

static locant_status find_own(struct lct_tokens **out,
                              const locant_corpus *corpus, int size)
{
    const struct lct_split *train = &corpus->split[LCT_TRAIN];
    struct lct_vocabulary *v;

    for (*out = corpus->tokens; *out; *out = (*out)->next)
        if ((*out)->own && (*out)->v->size == size)
            return LOCANT_OK;
    LCT_TRY(lct_vocabulary_train(&v, train->bytes, train->size, size));
    return keep(out, corpus, v, true);
}

locant_status lct_tokens_vocabulary(const struct lct_vocabulary **out,
                                    const locant_corpus *corpus, int64_t size)
{
    struct lct_tokens *t;
    locant_status status;

    *out = NULL;
    LCT_TRY(lct_vocabulary_check("locant_train", size));
    if (size == 0)
        return LOCANT_OK;
    pthread_mutex_lock(&mutex);
    status = find_own(&t, corpus, (int)size);
    pthread_mutex_unlock(&mutex);
    if (status == LOCANT_OK)
        *out = t->v;
    return status;
}

/* ------------------------------------------------------------------ encode */

/* Encode a part to ids, and find its documents: each begins with byte 0, which
   is a token of its own. Returns the number of tokens in *n. */
static locant_status encode_part(uint16_t *ids, size_t *n, size_t *starts,
                                 const struct lct_split *s,
                                 const struct lct_vocabulary *v)
{
    size_t file = 0, found = 0;

    *n = 0;
    while (file < s->files) {
        const size_t from = s->start[file];
        size_t more;

        do
            file++;
        while (file < s->files && s->start[file + 1] - from <= CHUNK);
        LCT_TRY(lct_vocabulary_encode(ids + *n, &more, v, s->bytes + from,
                                      s->start[file] - from));
        for (size_t i = 0; i < more; i++)
            if (ids[*n + i] == 0)
                starts[found++] = *n + i;
        *n += more;
    }
    starts[found] = *n;
    return LOCANT_OK;
}

static locant_status encode(struct lct_tokens *t, const locant_corpus *c)
{
    const struct lct_split *in = c->split;
    const size_t files = in[0].files + in[1].files + in[2].files + 3;
    uint16_t *ids = t->ids = locant_alloc(c->info.bytes * sizeof *ids);
    size_t *starts = t->starts = locant_alloc(files * sizeof *starts);

    if (ids == NULL || starts == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_train: no memory for %zu tokens of text",
                           c->info.bytes);
    for (int part = 0; part < 3; part++) {
        size_t n;

        LCT_TRY(encode_part(ids, &n, starts, &in[part], t->v));
        t->part[part] = (struct lct_split){ .size = n,
                                            .start = starts,
                                            .files = in[part].files,
                                            .ids = ids,
                                            .vocabulary = t->v,
                                            .of = &in[part] };
        ids += n;
        starts += in[part].files + 1;
    }
    return LOCANT_OK;
}

static locant_status find_parts(const struct lct_split **parts,
                                const locant_corpus *corpus,
                                const struct lct_vocabulary *v)
{
    struct lct_tokens *t = corpus->tokens;
    locant_status status = LOCANT_OK;

    while (t && strcmp(t->v->hash, v->hash) != 0)
        t = t->next;
    if (t == NULL) {
        struct lct_vocabulary *copy = locant_alloc(sizeof *copy);

        if (copy)
            *copy = *v;
        LCT_TRY(keep(&t, corpus, copy, false));
    }
    if (t->ids == NULL)
        status = encode(t, corpus);
    if (status != LOCANT_OK) {
        locant_release(t->ids);
        locant_release(t->starts);
        t->ids = NULL;
        t->starts = NULL;
    }
    *parts = t->part;
    return status;
}

locant_status lct_tokens_of(const struct lct_split **parts,
                            const locant_corpus *corpus,
                            const struct lct_vocabulary *v)
{
    locant_status status;

    *parts = corpus->split;
    if (v == NULL)
        return LOCANT_OK;
    pthread_mutex_lock(&mutex);
    status = find_parts(parts, corpus, v);
    pthread_mutex_unlock(&mutex);
    return status;
}

/* ------------------------------------------------------------------- bytes */

size_t lct_tokens_bytes(const struct lct_split *s, size_t first, size_t n)
{
    size_t bytes = 0;

    if (s->ids == NULL)
        return n;
    for (size_t i = first; i < first + n; i++)
        bytes += s->vocabulary->bytes[s->ids[i]];
    return bytes;
}

size_t lct_tokens_file(const struct lct_split *s, size_t at)
{
    size_t low = 0, high = s->files;

    while (low < high) {
        const size_t middle = low + (high - low + 1) / 2;

        if (s->start[middle] <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

size_t lct_tokens_offset(const struct lct_split *s, size_t at)
{
    size_t file;

    if (s->ids == NULL)
        return at;
    file = lct_tokens_file(s, at);
    return s->of->start[file] +
           lct_tokens_bytes(s, s->start[file], at - s->start[file]);
}
