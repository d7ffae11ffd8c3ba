/* numbers_pairs.c - puts the paired differences of all pairs of encodings */
#include "../core/size.h"
#include "claims.h"
#include "numbers.h"
#include <math.h>

/* clang-format off */
#define OF_TEST(member) LCT_FIELD(struct lct_test, member)
static const struct lct_field fields[] = { OF_TEST(mean), OF_TEST(half),
    OF_TEST(p), OF_TEST(corrected), OF_TEST(sign), LCT_FIELDS_END };
/* clang-format on */

/* Put the tests of a term, or of the difference of two, below the length of
   index k. */
static void put_length(struct lct_numbers *n, json_t *to, int k,
                       struct lct_test *test, struct lct_term term,
                       const struct lct_term *minus)
{
    const struct lct_results *r = n->r;
    const struct lct_test *one = test;
    json_t *list;
    int64_t tested = 0;

    if (!lct_numbers_check(n, lct_claims_pairs(test, r, term, minus)))
        return;
    to = lct_put_at(n, to, lct_length(r, k));
    list = lct_put_array(n, to, "pairs");
    for (size_t i = 0; i < r->n; i++)
        for (size_t j = i + 1; j < r->n; j++, one++) {
            json_t *pair = lct_add_object(n, list);

            lct_put_text(n, pair, "first", r->groups[i].spec);
            lct_put_text(n, pair, "second", r->groups[j].spec);
            lct_put_fields(n, pair, fields, one);
            tested += !isnan(one->corrected);
        }
    lct_put_count(n, to, "length", lct_length(r, k));
    lct_put_count(n, to, "comparisons", tested);
}

static void put_all(struct lct_numbers *n, struct lct_test *test)
{
    const int last = LOCANT_EVAL_LENGTHS - 1;
    const struct lct_term longest = { LCT_P1, last };
    json_t *all = lct_put_object(n, n->all, "pairs");
    json_t *loss = lct_put_object(n, all, "loss");

    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        put_length(n, loss, k, test, (struct lct_term){ LCT_P1, k }, NULL);
    if (lct_losses_has(n->r, LCT_P4))
        put_length(n, lct_put_object(n, all, "gain"), last, test,
                   (struct lct_term){ LCT_P4, last }, &longest);
}

void lct_put_pairs(struct lct_numbers *n)
{
    struct lct_test *test = NULL;
    size_t bytes;

    if (lct_mul(&bytes, lct_claims_pairs_count(n->r) + 1, sizeof *test))
        test = locant_alloc(bytes);
    if (test == NULL)
        lct_numbers_check(n, locant_fail(LOCANT_ERR_NOMEM,
                                         "report: no memory to compare pairs "
                                         "of %zu encodings",
                                         n->r->n));
    else
        put_all(n, test);
    locant_release(test);
}
