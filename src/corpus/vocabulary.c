/* vocabulary.c - the merges of byte-pair encoding: applied, undone, and as
   text */
#include "vocabulary.h"
#include "../files/sha256.h"
#include "corpus.h"
#include "token_pairs.h"
#include <inttypes.h>
#include <string.h>

enum { DIGITS = 3 }; /* of a token in the text of a merge */

locant_status lct_vocabulary_check(const char *fn, int64_t size)
{
    if (size == 0 || (size > LCT_VOCAB && size <= LCT_VOCABULARY_MOST))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: vocabulary is %" PRId64
                       ", expected 0 (bytes) or %d .. %d",
                       fn, size, LCT_VOCAB + 1, LCT_VOCABULARY_MOST);
}

/* ------------------------------------------------------------------- build */

struct lct_vocabulary *lct_vocabulary_begin(void)
{
    struct lct_vocabulary *v = locant_alloc(sizeof *v);

    if (v == NULL)
        return NULL;
    v->size = LCT_VOCAB;
    for (int i = 0; i < LCT_VOCAB; i++)
        v->bytes[i] = 1;
    return v;
}

bool lct_vocabulary_add(struct lct_vocabulary *v, int a, int b)
{
    if (v->size == LCT_VOCABULARY_MOST || a < 1 || b < 1 || a >= v->size ||
        b >= v->size || v->bytes[a] + v->bytes[b] > LCT_TOKEN_BYTES)
        return false;
    v->pair[v->size][0] = (uint16_t)a;
    v->pair[v->size][1] = (uint16_t)b;
    v->bytes[v->size] = v->bytes[a] + v->bytes[b];
    v->size++;
    return true;
}

locant_status lct_vocabulary_end(struct lct_vocabulary *v)
{
    char *text, sha[65];

    LCT_TRY(lct_vocabulary_print(&text, v));
    lct_sha256_hex(sha, text, strlen(text));
    locant_release(text);
    memcpy(v->hash, sha, sizeof v->hash - 1);
    return LOCANT_OK;
}

/* --------------------------------------------------------- encode, decode */

locant_status lct_vocabulary_encode(uint16_t *ids, size_t *n_ids,
                                    const struct lct_vocabulary *v,
                                    const uint8_t *text, size_t n)
{
    struct lct_token_pairs p;
    locant_status status = lct_token_pairs_create(&p, v, text, n, v->size);

    *n_ids = 0;
    for (int id = LCT_VOCAB; id < v->size && status == LOCANT_OK; id++)
        lct_token_pairs_merge(&p, id);
    if (status == LOCANT_OK)
        *n_ids = lct_token_pairs_write(ids, &p);
    lct_token_pairs_free(&p);
    return status;
}

void lct_vocabulary_decode(uint8_t *out, const struct lct_vocabulary *v, int id)
{
    /* at most v->size calls deep, because both parts have smaller ids */
    for (; id >= LCT_VOCAB; id = v->pair[id][1]) {
        lct_vocabulary_decode(out, v, v->pair[id][0]);
        out += v->bytes[v->pair[id][0]];
    }
    *out = (uint8_t)id;
}

/* -------------------------------------------------------------------- text */

static const char digits[] = "0123456789abcdef";

static char *write_id(char *out, int id)
{
    for (int shift = 4 * (DIGITS - 1); shift >= 0; shift -= 4)
        *out++ = digits[id >> shift & 15];
    return out;
}

/* Read DIGITS digits; -1 if one of them is none. */
static int read_id(const char *text)
{
    int id = 0;

    for (int i = 0; i < DIGITS; i++) {
        const char *at = text[i] ? strchr(digits, text[i]) : NULL;

        if (at == NULL)
            return -1;
        id = 16 * id + (int)(at - digits);
    }
    return id;
}

locant_status lct_vocabulary_print(char **out, const struct lct_vocabulary *v)
{
    const size_t merges = (size_t)(v->size - LCT_VOCAB);
    char *at = *out = locant_alloc(merges * 2 * DIGITS + 1);

    if (at == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "lct_vocabulary: no memory for the text of %zu"
                           " merges",
                           merges);
    for (int id = LCT_VOCAB; id < v->size; id++)
        at = write_id(write_id(at, v->pair[id][0]), v->pair[id][1]);
    return LOCANT_OK;
}

locant_status lct_vocabulary_parse(struct lct_vocabulary **out,
                                   const char *text, const char *name)
{
    const size_t n = strlen(text);
    struct lct_vocabulary *v = lct_vocabulary_begin();
    locant_status status;
    bool good = n > 0 && n % (2 * DIGITS) == 0;

    *out = NULL;
    if (v == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for its vocabulary",
                           name);
    for (size_t i = 0; i < n && good; i += 2 * DIGITS)
        good = lct_vocabulary_add(v, read_id(text + i),
                                  read_id(text + i + DIGITS));
    status = good ? lct_vocabulary_end(v)
                  : locant_fail(LOCANT_ERR_FORMAT,
                                "%s: merge %d of its vocabulary is not six"
                                " hexadecimal digits of two earlier tokens, or"
                                " is one too many",
                                name, v->size - LCT_VOCAB);
    if (status == LOCANT_OK)
        *out = v;
    else
        locant_release(v);
    return status;
}
