/* test_tree.c - the sum of leaves has one result, however they are shared out
 */
#include "core/tree.h"
#include "testing.h"
#include <math.h>

enum { MOST_RANKS = 16, N = 700 }; /* two whole parts and a rest */

/* Either sign, magnitudes 1e-3 .. 1e6: the order of additions shows. */
static float any_number(void)
{
    return (float)(pow(10, 1.5 + 4.5 * test_uniform()) *
                   (test_uniform() < 0 ? -1 : 1));
}

/* The definition, for element i. */
static float node(const float *leaf, int64_t first, int64_t size, size_t i)
{
    volatile float left, right; /* each node is rounded */

    if (size == 1)
        return leaf[(size_t)first * N + i];
    left = node(leaf, first, size / 2, i);
    right = node(leaf, first + size / 2, size / 2, i);
    return left + right;
}

static float *draw(int64_t leaves)
{
    float *leaf = malloc((size_t)leaves * N * sizeof(*leaf));

    for (size_t i = 0; i < (size_t)leaves * N; i++)
        leaf[i] = any_number();
    return leaf;
}

/* Add leaves first .. last - 1, each computed in a free array of as few as may
   be; append the subtrees to 'all'. */
static size_t add_range(struct lct_subtree *all, const float *leaf,
                        int64_t first, int64_t last)
{
    const size_t room = (size_t)lct_tree_room(first, last);
    const size_t bytes = room * N * sizeof(float);
    float *arrays = test_guarded(bytes);
    struct lct_tree t;

    lct_tree_begin(&t, N, first);
    for (int64_t l = first; l < last; l++) {
        float *free_one = arrays + (size_t)t.count * N;

        memcpy(free_one, leaf + (size_t)l * N, N * sizeof(*free_one));
        lct_tree_add(&t, free_one);
    }
    for (int k = 0; k < t.count; k++) {
        CHECK(t.held[k].sum == arrays + (size_t)k * N);
        all[k] = t.held[k];
        all[k].sum = malloc(N * sizeof(float));
        memcpy(all[k].sum, t.held[k].sum, N * sizeof(float));
    }
    test_guarded_free(arrays, bytes);
    return (size_t)t.count;
}

/* The root of L leaves over P ranks, each of which combines its slice. */
static void share_out(float *root, const float *leaf, int64_t L, int64_t P)
{
    struct lct_subtree all[MOST_RANKS * LCT_TREE_HELD], slice[LEN(all)];
    size_t count = 0;

    for (int64_t r = 0; r < P; r++)
        count += add_range(all + count, leaf, L * r / P, L * (r + 1) / P);
    for (int64_t p = 0; p < P; p++) {
        const size_t from = (size_t)(N * p / P), to = (size_t)(N * (p + 1) / P);

        for (size_t k = 0; k < count; k++) {
            slice[k] = all[k];
            slice[k].sum += from;
        }
        lct_tree_combine(root + from, L, slice, to - from);
    }
    for (size_t k = 0; k < count; k++)
        free(all[k].sum);
}

TEST(is_the_same_sum_for_any_number_of_ranks)
{
    float root[N];

    for (int64_t L = 1; L <= LCT_TREE_LEAVES; L *= 2) {
        float *leaf = draw(L);

        for (int64_t P = 1; P <= MOST_RANKS && P <= L; P++) {
            share_out(root, leaf, L, P);
            for (size_t i = 0; i < N; i++)
                if (root[i] != node(leaf, 0, L, i))
                    FAIL("L %d, P %d, element %zu: %a, not %a", (int)L, (int)P,
                         i, (double)root[i], (double)node(leaf, 0, L, i));
        }
        free(leaf);
    }
}

/* Else the test above would hold for a chain of additions too. */
TEST(is_another_sum_than_the_chain)
{
    const int64_t L = 16;
    float *leaf = draw(L);
    int other = 0;

    for (size_t i = 0; i < N; i++) {
        float chain = 0;

        for (int64_t l = 0; l < L; l++)
            chain += leaf[(size_t)l * N + i];
        other += chain != node(leaf, 0, L, i);
    }
    CHECK(other > N / 10);
    free(leaf);
}

/* Each held subtree begins at a multiple of its size, and two neighbours that
   are halves of one node are never held. */
static void check_held(int64_t first, int64_t last)
{
    const struct lct_tree t = lct_tree_of(first, last);

    for (int k = 0; k < t.count; k++) {
        const struct lct_subtree *s = &t.held[k];
        const int64_t end =
            k + 1 < t.count ? t.held[k + 1].first : (int64_t)last;

        CHECK(lct_tree_is_size(s->size) && s->first % s->size == 0);
        CHECK(s->first + s->size == end);
        CHECK(k + 1 == t.count || s[1].size != s->size ||
              s->first % (2 * s->size) != 0);
    }
    CHECK(t.count > 0 && t.held[0].first == first);
}

TEST(holds_no_more_than_it_must)
{
    int most = 0;

    for (int64_t first = 0; first < LCT_TREE_LEAVES; first++)
        for (int64_t last = first + 1; last <= LCT_TREE_LEAVES; last++) {
            const int room = lct_tree_room(first, last);

            check_held(first, last);
            most = room > most ? room : most;
        }
    assert_int_equal(most, LCT_TREE_HELD);
    assert_int_equal(lct_tree_room(0, 1), 1);
    for (int log = 1; log <= 8; log++)
        assert_int_equal(lct_tree_room(0, 1 << log), log + 1);
}

TEST(knows_its_sizes)
{
    int sizes = 0;

    for (int64_t n = -4; n <= 1024; n++)
        sizes += lct_tree_is_size(n);
    assert_int_equal(sizes, 9); /* 1, 2, .. 256 */
    CHECK(lct_tree_is_size(1) && lct_tree_is_size(256));
    CHECK(!lct_tree_is_size(0) && !lct_tree_is_size(512));
}
