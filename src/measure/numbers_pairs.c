/* numbers_pairs.c - puts the paired differences of all pairs of encodings */
#include "claims.h"
#include "numbers.h"

/* clang-format off */
#define OF_TEST(member) LCT_FIELD(struct lct_test, member)
static const struct lct_field fields[] = { OF_TEST(mean), OF_TEST(half),
    OF_TEST(p), OF_TEST(corrected), OF_TEST(sign), LCT_FIELDS_END };
/* clang-format on */

/* Put the tests of all pairs below the length of index k. */
static void put_length(struct lct_numbers *n, json_t *to, int k,
                       const struct lct_test *test)
{
    const struct lct_results *r = n->r;
    json_t *list;

    to = lct_put_at(n, to, lct_length(r, k));
    list = lct_put_array(n, to, "pairs");
    for (size_t i = 0; i < r->n; i++)
        for (size_t j = i + 1; j < r->n; j++, test++) {
            json_t *pair = lct_add_object(n, list);

            lct_put_text(n, pair, "first", r->groups[i].spec);
            lct_put_text(n, pair, "second", r->groups[j].spec);
            lct_put_fields(n, pair, fields, test);
        }
    lct_put_count(n, to, "length", lct_length(r, k));
}

void lct_put_pairs(struct lct_numbers *n, const struct lct_claims *claims)
{
    json_t *all = lct_put_object(n, n->all, "pairs");
    json_t *loss = lct_put_object(n, all, "loss");

    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        put_length(n, loss, k, lct_claims_losses(claims, k));
    if (claims->has_gains)
        put_length(n, lct_put_object(n, all, "gain"), LOCANT_EVAL_LENGTHS - 1,
                   lct_claims_gains(claims));
}
