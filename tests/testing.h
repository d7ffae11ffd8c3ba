/*
 * testing.h - what the tests share: seeds, ugly sizes, guard pages.
 *
 * Every test is a cmocka program: a list of functions named as claims.  A
 * failure prints the seed that repeats it; LOCANT_SEED=n sets it.
 */
#ifndef TESTING_H
#define TESTING_H
/* cmocka wants these before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "locant.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

/* 1 in a build with AddressSanitizer, which is ten times slower: tests then
 * take every path, with fewer cases. */
#if defined(__SANITIZE_ADDRESS__)
#    define TEST_SANITIZED 1
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define TEST_SANITIZED 1
#    endif
#endif
#ifndef TEST_SANITIZED
#    define TEST_SANITIZED 0
#endif

/* Stop this test, printing seed, ISA, and a message: sizes, got, want. */
#define FAIL(...) (test_where(), print_error(__VA_ARGS__), test_stop())
#define CHECK(cond)                                                            \
    ((cond) ? (void)0 : FAIL("%s:%d: %s\n", __FILE__, __LINE__, #cond))
#define CHECK_OK(call) test_ok((call), __FILE__, __LINE__)
/* The call fails with 'status' and exactly this message. */
#define CHECK_REFUSED(call, status, message)                                   \
    test_refused((call), (status), "", (message), __FILE__, __LINE__)
/*
 * REFUSES(NULL, locant_f(x), "y is NULL"): the call fails with LOCANT_ERR_NULL
 * and the message "locant_f: y is NULL".
 */
#define REFUSES(error, call, rest)                                             \
    test_refused((call), LOCANT_ERR_##error, #call, (rest), __FILE__, __LINE__)

/*
 * TEST(a_claim_in_words) { .. } is a test; main.c runs those of a program in
 * the order they stand, or those that match LOCANT_ONLY.  TEST_WITH has a
 * set-up and tear-down for that test, TEST_GROUP for all tests together.
 */
#define TEST(name) TEST_WITH(NULL, NULL, name)
/* clang-format off */
#define TEST_WITH(set_up, tear_down, name) \
    static void name(void); \
    __attribute__((constructor)) static void name##_is_a_test(void) \
    { test_add(#name, name, set_up, tear_down); } \
    static void name(void)
#define TEST_GROUP(set_up, tear_down) \
    __attribute__((constructor)) static void all_tests(void) \
    { test_group(set_up, tear_down); }
/* clang-format on */

typedef int (*test_fixture)(void **state);
void test_add(const char *name, void (*run)(void), test_fixture set_up,
              test_fixture tear_down);
void test_group(test_fixture set_up, test_fixture tear_down);

void test_where(void);
void test_stop(void);
void test_ok(locant_status got, const char *file, int line);
void test_refused(locant_status got, locant_status want, const char *call,
                  const char *rest, const char *file, int line);
int test_differs(const char *a, const char *b);

/* Random numbers of this test: a fixed seed unless LOCANT_SEED is set. */
uint64_t test_seed(void);
uint64_t test_rand(void);
double test_uniform(void); /* in [-1, 1) */
double test_normal(void);
int64_t test_range(int64_t low, int64_t high); /* inclusive */

/*
 * 'bytes' that end exactly at an unmapped page, and start as close after one
 * as alignment to 64 bytes allows: any access beyond them crashes.
 */
void *test_guarded(size_t bytes);
void test_guarded_free(void *p, size_t bytes);
void test_guarded_readonly(void *p, size_t bytes);

/* Dense tensor of guarded memory, filled with test_uniform() (floats). */
locant_tensor test_tensor(locant_dtype dtype, int rank, const int64_t *shape);
void test_tensor_free(locant_tensor *t);

/*
 * Tensors whose sizes stand in the call: TENSOR(F32, T, D) is a test_tensor(),
 * DENSE(F64, x, T, D) shows the numbers at x, and VIEW(F64, x, T, D) is the
 * address of such a tensor, valid to the end of the block.
 */
#define TENSOR(dtype, ...)                                                     \
    test_tensor(LOCANT_##dtype, TEST_RANK(__VA_ARGS__), TEST_SHAPE(__VA_ARGS__))
#define DENSE(dtype, data, ...)                                                \
    locant_dense((data), LOCANT_##dtype, TEST_RANK(__VA_ARGS__),               \
                 TEST_SHAPE(__VA_ARGS__))
#define VIEW(...)       ((locant_tensor[]){ DENSE(__VA_ARGS__) })
#define TEST_SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })
#define TEST_RANK(...)  ((int)LEN(TEST_SHAPE(__VA_ARGS__)))

/* |got - want| in units in the last place of float32 at want. */
double test_ulp(float got, double want);

/*
 * Counts the allocations of the libraries, and lets some fail.  The first call
 * replaces the allocator, test_memory_end() restores it.  Only the k-th
 * allocation from now on fails, or (.._from) all later ones too; 0: none does.
 * Any thread may allocate.
 */
void test_memory_fail(long k);
void test_memory_fail_from(long k);
void test_memory_end(void);
/* malloc() that counts and fails with them, for jansson; nobody holds it. */
void *test_memory_malloc(size_t bytes);
long test_memory_asked(void);     /* allocations since test_memory_fail() */
long test_memory_held(void);      /* blocks not yet released */
size_t test_memory_largest(void); /* the most bytes asked for at once */

/* Run fn once per instruction set this CPU has, then return to the best. */
void test_each_isa(void (*fn)(void));

/* Number of random cases: 'usual', or LOCANT_CASES. */
int test_cases(int usual);

/* The encoding of a spec, or a failure. */
locant_encoding *test_create(const char *spec);

/*
 * OWNED(locant_encoding) *e = test_create("rope"): e is freed where the block
 * ends.  OWNS(type, free) lets a type be owned; free takes what *x is.
 */
#define OWNED(type) __attribute__((cleanup(test_owned_##type))) type
#define OWNS(type, free_pointer)                                               \
    static inline void test_owned_##type(type **x)                             \
    {                                                                          \
        free_pointer(*x);                                                      \
    }
OWNS(locant_encoding, locant_encoding_free)
static inline void test_owned_locant_tensor(locant_tensor *t)
{
    test_tensor_free(t);
}

/* FREED_BY(drop) struct problem p: drop(&p) is called where the block ends. */
#define FREED_BY(drop) __attribute__((cleanup(drop)))
static inline void free_memory(void *pointer)
{
    free(*(void **)pointer);
}

/* Memory of the library. */
static inline void release_memory(void *pointer)
{
    locant_release(*(void **)pointer);
}

/* A guarded int64 array [n]: extremes first (0, 1, 255, .., 2^31 - 1), then
 * random in [low, high]. */
locant_tensor test_positions(int64_t n, int64_t low, int64_t high);

/* Calls of attention that succeed, their guarded workspace full of NaN. */
void test_forward(locant_tensor *out, locant_tensor *lse,
                  const locant_attention *a);
void test_backward(const locant_attention_gradients *g,
                   const locant_tensor *dout, const locant_tensor *out,
                   const locant_tensor *lse, const locant_attention *a);

/* Memory of any float type filled with random numbers, F16 and BF16 between
 * 2^-7 and 4 in magnitude. */
void test_fill(locant_tensor *t, size_t n);

/* ||got - want|| / ||want|| over n values. */
double test_relative_l2(const float *got, const double *want, size_t n);
#endif
