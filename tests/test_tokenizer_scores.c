/* needs: lab */
/*
 * test_tokenizer_scores.c - the scores that stand for merges: joining the pair
 * of the largest score gives the tokens of BPE
 *
 * The oracle is BPE by its definition (Sennrich et al. 2016, arXiv:1508.07909,
 * algorithm 1): of all neighbours the pair that was merged first is joined, the
 * leftmost of equal ones.  The reader is llama.cpp's, which knows no merges: of
 * all neighbours that make a token together, those whose token has the largest
 * score.  Each token here is made of two others in one way only, since of
 * several the two readers may choose another one.
 */
#include "../src/families/tokenizer.h"
#include "testing.h"
#include <string.h>

enum { LETTERS = 5, TOKENS = 60, LENGTH = 12, TEXT = 40 };

static char tokens[TOKENS][LENGTH + 1];
static int left[TOKENS], right[TOKENS]; /* of the merge that makes it */
static int n_tokens;

static int find(const char *text)
{
    for (int i = 0; i < n_tokens; i++)
        if (strcmp(tokens[i], text) == 0)
            return i;
    return -1;
}

/* In how many ways is the text two tokens? */
static int splits(const char *text)
{
    const size_t n = strlen(text);
    char part[LENGTH + 1];
    int ways = 0;

    for (size_t k = 1; k < n; k++) {
        memcpy(part, text, k);
        part[k] = 0;
        ways += find(part) >= 0 && find(text + k) >= 0;
    }
    return ways;
}

/* Add two tokens as one, unless it is there, long, or makes a second way. */
static void add(int l, int r)
{
    const size_t n = strlen(tokens[l]), m = strlen(tokens[r]);
    char *text = tokens[n_tokens];
    bool unique = true;

    if (n + m > LENGTH)
        return;
    memcpy(text, tokens[l], n);
    memcpy(text + n, tokens[r], m + 1);
    if (find(text) >= 0)
        return;
    left[n_tokens] = l;
    right[n_tokens] = r;
    n_tokens++;
    for (int i = LETTERS; i < n_tokens; i++)
        unique = unique && splits(tokens[i]) == 1;
    if (!unique)
        n_tokens--;
}

static void make_tokens(void)
{
    for (n_tokens = 0; n_tokens < LETTERS; n_tokens++)
        snprintf(tokens[n_tokens], LENGTH + 1, "%c", 'a' + n_tokens);
    for (int tries = 0; tries < 100000 && n_tokens < TOKENS; tries++)
        add((int)(test_rand() % (uint32_t)n_tokens),
            (int)(test_rand() % (uint32_t)n_tokens));
    CHECK(n_tokens > 2 * LETTERS);
}

/* The file: ids are those of the tokens, turned round. */
static size_t make_file(char *out, size_t room)
{
    size_t n = (size_t)snprintf(out, room,
                                "{\"model\":{\"type\":\"BPE\",\"byte_fallback\""
                                ":true,\"vocab\":{");

    for (int i = 0; i < n_tokens; i++)
        n += (size_t)snprintf(out + n, room - n, "%s\"%s\":%d", i ? "," : "",
                              tokens[i], n_tokens - 1 - i);
    n += (size_t)snprintf(out + n, room - n, "},\"merges\":[");
    for (int i = LETTERS; i < n_tokens; i++)
        n += (size_t)snprintf(out + n, room - n, "%s\"%s %s\"",
                              i > LETTERS ? "," : "", tokens[left[i]],
                              tokens[right[i]]);
    n += (size_t)snprintf(out + n, room - n, "]}}");
    CHECK(n < room);
    return n;
}

/* Join neighbours k and k + 1 of n into token 'made'. */
static int join(int *ids, int n, int k, int made)
{
    ids[k] = made;
    memmove(ids + k + 1, ids + k + 2, (size_t)(n - k - 2) * sizeof *ids);
    return n - 1;
}

static int by_merges(int *ids, int n)
{
    for (;;) {
        int first = TOKENS, at = -1;

        for (int k = 0; k + 1 < n; k++)
            for (int i = LETTERS; i < first; i++)
                if (i < n_tokens && left[i] == ids[k] &&
                    right[i] == ids[k + 1]) {
                    first = i;
                    at = k;
                }
        if (at < 0)
            return n;
        n = join(ids, n, at, first);
    }
}

static int by_scores(int *ids, int n, const struct lct_tokenizer *t)
{
    for (;;) {
        char text[2 * LENGTH + 1];
        int made = -1, at = -1;

        for (int k = 0; k + 1 < n; k++) {
            int64_t id;

            snprintf(text, sizeof text, "%s%s", t->tokens[ids[k]],
                     t->tokens[ids[k + 1]]);
            id = lct_tokenizer_id(t, text);
            if (id >= 0 && (made < 0 || t->scores[id] > t->scores[made])) {
                made = (int)id;
                at = k;
            }
        }
        if (at < 0)
            return n;
        n = join(ids, n, at, made);
    }
}

/* How many neighbours were joined. */
static int check_text(const struct lct_tokenizer *t)
{
    int a[TEXT], b[TEXT], n, m;

    for (int k = 0; k < TEXT; k++) {
        a[k] = (int)(test_rand() % LETTERS);
        b[k] = n_tokens - 1 - a[k];
    }
    n = by_merges(a, TEXT);
    m = by_scores(b, TEXT, t);
    CHECK(n == m);
    for (int k = 0; k < n; k++)
        CHECK(b[k] == n_tokens - 1 - a[k]);
    return TEXT - n;
}

TEST(scores_give_the_tokens_of_merges)
{
    static char text[1 << 14];
    int joined = 0;

    for (int round = 0; round < 20; round++) {
        struct lct_tokenizer_text file = { .text = text, .name = "x" };
        struct lct_tokenizer t;

        make_tokens();
        file.size = make_file(text, sizeof text);
        CHECK_OK(lct_tokenizer_parse(&t, &file, 0));
        for (int k = 0; k < 20; k++)
            joined += check_text(&t);
        lct_tokenizer_free(&t);
    }
    CHECK(joined > 1000);
}
