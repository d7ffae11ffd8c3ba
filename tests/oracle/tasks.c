/*
 * tasks.c - every task solved by rule, from the definitions of the tasks.
 *
 * Written from the definitions; src/measure/task_*.c name the sources.
 */
#include "tasks.h"
#include <stdbool.h>
#include <string.h>

/* Where 'word' is first among tokens[0 .. i], or -1. */
static int64_t find(const int32_t *tokens, int64_t i, int32_t word)
{
    for (int64_t j = 0; j <= i; j++)
        if (tokens[j] == word)
            return j;
    return -1;
}

static int32_t delay(const int32_t *tokens, int64_t i, int64_t size)
{
    static const int64_t back[7] = { 1, 2, 4, 8, 16, 32, 64 };
    const int64_t k = i >= 2 ? back[tokens[1] - 16] : 0;

    (void)size;
    return i >= 2 && i - k >= 2 ? tokens[i - k] : -1;
}

static int32_t repeat(const int32_t *tokens, int64_t i, int64_t size)
{
    const int64_t m = size / 2, next = i + 1; /* s is at 1 .. m */

    return next >= m + 3 && next <= 2 * m ? tokens[next - m] : -1;
}

/* ------------------------------------------------------- [BOS] s [SEP] .. */

/* Answers given after the separator; length of s; -1 before it or past all. */
static int64_t given(const int32_t *tokens, int64_t i, int32_t sep, int64_t *n)
{
    const int64_t at = find(tokens, i, sep);

    *n = at - 1;
    return at < 0 || i - at >= *n ? -1 : i - at;
}

static int32_t copy(const int32_t *tokens, int64_t i, int32_t sep)
{
    int64_t n, j = given(tokens, i, sep, &n);

    return j < 0 ? -1 : tokens[1 + j];
}

static int32_t copy_150(const int32_t *tokens, int64_t i, int64_t size)
{
    (void)size;
    return copy(tokens, i, 151);
}

static int32_t copy_2(const int32_t *tokens, int64_t i, int64_t size)
{
    (void)size;
    return copy(tokens, i, 3);
}

static int32_t reverse(const int32_t *tokens, int64_t i, int64_t size)
{
    int64_t n, j = given(tokens, i, 33, &n);

    (void)size;
    return j < 0 ? -1 : tokens[n - j];
}

/* The number that j others of s are below. */
static int32_t sorted(const int32_t *tokens, int64_t i, int64_t size)
{
    int64_t n, j = given(tokens, i, 151, &n);

    (void)size;
    for (int64_t a = 1; j >= 0 && a <= n; a++) {
        int64_t below = 0;

        for (int64_t b = 1; b <= n; b++)
            below += tokens[b] < tokens[a];
        if (below == j)
            return tokens[a];
    }
    return -1;
}

static int64_t ones(const int32_t *tokens, int64_t i)
{
    int64_t n = 0;

    for (int64_t j = 1; j < i; j++)
        n += tokens[j] == 1;
    return n;
}

static int32_t majority(const int32_t *tokens, int64_t i, int64_t size)
{
    (void)size;
    return tokens[i] == 3 ? ones(tokens, i) > (i - 1) - ones(tokens, i) : -1;
}

static int32_t parity(const int32_t *tokens, int64_t i, int64_t size)
{
    (void)size;
    return tokens[i] == 3 ? ones(tokens, i) % 2 : -1;
}

static int32_t thirds(const int32_t *tokens, int64_t i, int64_t size)
{
    (void)size;
    return tokens[i] == 4 ? ones(tokens, i) % 3 : -1;
}

static int32_t flip_flop(const int32_t *tokens, int64_t i, int64_t size)
{
    (void)size;
    if (i % 2 == 0 || tokens[i] != 3) /* instructions are at 1, 3, .. */
        return -1;
    for (int64_t j = i - 2; j > 0; j -= 2)
        if (tokens[j] == 2)
            return tokens[j + 1];
    return -2;
}

static int32_t selective(const int32_t *tokens, int64_t i, int64_t size)
{
    const int64_t at = find(tokens, i, 18);
    int64_t skip = i - at;

    (void)size;
    for (int64_t j = 1; at >= 0 && j < at; j++)
        if (tokens[j] < 16 && skip-- == 0)
            return tokens[j];
    return -1;
}

/* ------------------------------------------------------------------- recall */

/* n pairs at 1 .. 2n; a key is one of theirs, seen again. */
static int32_t recall(const int32_t *tokens, int64_t i, int64_t n)
{
    for (int64_t j = 0; i > 2 * n && j < n; j++)
        if (tokens[1 + 2 * j] == tokens[i])
            return tokens[2 + 2 * j];
    return -1;
}

static int32_t recall_8(const int32_t *tokens, int64_t i, int64_t size)
{
    (void)size;
    return recall(tokens, i, 8);
}

/* "KEY=" and digits end here; what "#KEY=" said before. */
static int32_t needle(const int32_t *tokens, int64_t i, int64_t size)
{
    char text[4096];
    const char *first, *last;

    for (int64_t j = 0; j <= i; j++)
        text[j] = (char)(tokens[j] == 0 ? ' ' : tokens[j]);
    text[i + 1] = '\0';
    first = strstr(text, "#KEY=");
    last = first ? strstr(first + 5, "KEY=") : NULL;
    if (last == NULL || i + 1 - (last - text) > 7)
        return -1;
    (void)size;
    return first[5 + i + 1 - (last - text) - 4];
}

/* ------------------------------------------------------------------ modular */

/* One word over and over, named by the modulus, after its BOS. */
static int32_t modular(const int32_t *tokens, int64_t i, int64_t size)
{
    const int32_t m = tokens[0] - 1;

    (void)size;
    return tokens[i] == m ? (int32_t)(i % m) : -1;
}

/* ----------------------------------------------------------------- addition */

/* Digit k of the term whose first index is at 'at'; 0 beyond its n digits. */
static int32_t digit(const int32_t *tokens, int64_t at, int64_t n, int64_t k)
{
    return k < n ? tokens[at + 1 + 2 * k] : 0;
}

/* A carry comes from the nearest lower place whose digits do not make 9. */
static int32_t addition(const int32_t *tokens, int64_t i, int64_t size)
{
    const int64_t plus = find(tokens, i, 50), equals = find(tokens, i, 51);
    const int64_t n = (plus - 1) / 2, place = (i - equals) / 2;
    int32_t carry = 0, sum;

    (void)size;
    if (equals < 0 || place > n)
        return -1;
    if ((i - equals) % 2 == 0)
        return tokens[1] - (int32_t)place;
    for (int64_t k = place - 1; k >= 0; k--) {
        sum = digit(tokens, 1, n, k) + digit(tokens, plus + 1, n, k);
        carry = sum > 9;
        if (sum != 9)
            break;
    }
    sum = digit(tokens, 1, n, place) + digit(tokens, plus + 1, n, place);
    return (sum + carry) % 10;
}

/* --------------------------------------------------------------------- list */

oracle_solver oracle_task(const char *id)
{
    static const struct {
        const char *id;
        oracle_solver solve;
    } list[] = {
        { "T1", delay },          { "T2", repeat },       { "T3", copy_150 },
        { "T4", copy_2 },         { "T5", reverse },      { "T6", sorted },
        { "T7", majority },       { "T7.count", thirds }, { "T8", parity },
        { "T9", flip_flop },      { "T10", selective },   { "T11", recall_8 },
        { "T11.flat", recall_8 }, { "T12", needle },      { "T13.2", modular },
        { "T13.3", modular },     { "T13.4", modular },   { "T13.8", modular },
        { "T13.16", modular },    { "T16", addition },
    };

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        if (strcmp(list[i].id, id) == 0)
            return list[i].solve;
    return NULL;
}
