/* testing.c - see testing.h */
#define _GNU_SOURCE
#include "testing.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static locant_random state;
static int ready;

uint64_t test_seed(void)
{
    if (!ready) {
        const char *s = getenv("LOCANT_SEED");

        state.seed = s ? strtoull(s, NULL, 0) : 1;
        ready = 1;
    }
    return state.seed;
}

/* The words of locant_random_word(); of its blocks of four, each is computed
 * once, since filling tensors was a tenth of the time of all tests. */
static uint32_t word(void)
{
    static uint32_t block[4];
    static uint64_t have = UINT64_MAX; /* which block that is */
    const uint64_t want = state.index / 4;

    if (want != have) {
        const uint32_t counter[4] = { (uint32_t)want, (uint32_t)(want >> 32) };
        const uint32_t key[2] = { (uint32_t)state.seed,
                                  (uint32_t)(state.seed >> 32) };

        locant_philox(block, counter, key);
        have = want;
    }
    return block[state.index++ % 4];
}

uint64_t test_rand(void)
{
    uint64_t high;

    test_seed();
    high = word();
    return high << 32 | word();
}

double test_uniform(void)
{
    return 2.0 * ((double)(test_rand() >> 11) * 0x1p-53) - 1.0;
}

double test_normal(void)
{
    test_seed();
    return locant_random_normal(&state);
}

int64_t test_range(int64_t low, int64_t high)
{
    const uint64_t n = (uint64_t)(high - low) + 1;
    uint64_t x = test_rand();

    /* 2^64 mod n words would bias; it is 0 for a power of two */
    if ((n & (n - 1)) == 0)
        return low + (int64_t)(x & (n - 1));
    while (x < -n % n)
        x = test_rand();
    return low + (int64_t)(x % n);
}

void test_where(void)
{
    print_error("seed %llu, isa %s: ", (unsigned long long)test_seed(),
                locant_isa());
}

void test_stop(void)
{
    print_error("\n");
    fail();
}

void test_ok(locant_status got, const char *file, int line)
{
    if (got != LOCANT_OK)
        FAIL("%s:%d: %s: %s", file, line, locant_status_name(got),
             locant_last_error());
}

void test_refused(locant_status got, locant_status want, const char *call,
                  const char *rest, const char *file, int line)
{
    const int name = (int)strcspn(call, "(");
    char sentence[2048];

    snprintf(sentence, sizeof sentence, "%.*s%s%s", name, call,
             name > 0 ? ": " : "", rest);
    if (got != want || test_differs(locant_last_error(), sentence))
        FAIL("%s:%d: got %s: %s\nwant %s: %s", file, line,
             locant_status_name(got), locant_last_error(),
             locant_status_name(want), sentence);
}

int test_differs(const char *a, const char *b)
{
    return strcmp(a, b) != 0;
}

/* Pages of one guarded block: guard, body, guard. */
static size_t body_bytes(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (bytes + page) / page * page;
}

void *test_guarded(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t body = body_bytes(bytes);
    char *p = mmap(NULL, body + 2 * page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(p != MAP_FAILED);
    assert_int_equal(mprotect(p, page, PROT_NONE), 0);
    assert_int_equal(mprotect(p + page + body, page, PROT_NONE), 0);
    return p + page + body - bytes;
}

static char *body_of(void *p, size_t bytes)
{
    return (char *)p + bytes - body_bytes(bytes);
}

void test_guarded_readonly(void *p, size_t bytes)
{
    assert_int_equal(mprotect(body_of(p, bytes), body_bytes(bytes), PROT_READ),
                     0);
}

void test_guarded_free(void *p, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    assert_int_equal(
        munmap(body_of(p, bytes) - page, body_bytes(bytes) + 2 * page), 0);
}

/* ------------------------------------------------------------------ memory */

static _Atomic long asked, fails, held;
static _Atomic size_t largest;
static _Atomic int fails_on; /* all later ones, too */

void *test_memory_malloc(size_t bytes)
{
    const long n = ++asked;

    return n == fails || (fails_on && n > fails) ? NULL : malloc(bytes);
}

static void *alloc(size_t bytes, void *context)
{
    void *p = test_memory_malloc(bytes);

    (void)context;
    largest = bytes > largest ? bytes : largest;
    held += p != NULL;
    return p;
}

static void release(void *memory, void *context)
{
    (void)context;
    held--;
    free(memory);
}

static void begin_failing(long k, int on)
{
    static const locant_allocator failing = { alloc, release, NULL };

    asked = 0;
    largest = 0;
    fails = k;
    fails_on = on;
    locant_set_allocator(&failing);
}

void test_memory_fail(long k)
{
    begin_failing(k, 0);
}

void test_memory_fail_from(long k)
{
    begin_failing(k, 1);
}

void test_memory_end(void)
{
    locant_set_allocator(NULL);
    held = 0;
}

long test_memory_asked(void)
{
    return asked;
}

long test_memory_held(void)
{
    return held;
}

size_t test_memory_largest(void)
{
    return largest;
}

/* ----------------------------------------------------------------- tensors */

static size_t elements(const locant_tensor *t)
{
    size_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    return n;
}

locant_tensor test_tensor(locant_dtype dtype, int rank, const int64_t *shape)
{
    locant_tensor t = locant_dense(NULL, dtype, rank, shape);
    size_t n = elements(&t);

    t.data = test_guarded(n * locant_dtype_size(dtype));
    for (size_t i = 0; i < n; i++) {
        if (dtype == LOCANT_F32)
            ((float *)t.data)[i] = (float)test_uniform();
        if (dtype == LOCANT_F64)
            ((double *)t.data)[i] = test_uniform();
    }
    return t;
}

void test_tensor_free(locant_tensor *t)
{
    test_guarded_free(t->data, elements(t) * locant_dtype_size(t->dtype));
    t->data = NULL;
}

double test_ulp(float got, double want)
{
    float f = (float)fabs(want);
    double ulp =
        f < FLT_MIN ? 0x1p-149 : (double)nextafterf(f, INFINITY) - (double)f;

    /* The unit of the binade 'want' is in, also just below a power of two. */
    if (f >= FLT_MIN && (double)f > fabs(want) && ldexpf(1, ilogbf(f)) == f)
        ulp /= 2;
    return fabs((double)got - want) / ulp;
}

void test_each_isa(void (*fn)(void))
{
    int available;

    for (int i = 0; locant_isa_at(i, &available) != NULL; i++) {
        if (!available)
            continue;
        CHECK_OK(locant_set_isa(locant_isa_at(i, NULL)));
        fn();
        /* scripts/test says at its end where tests ran by this */
        print_message("passed on %s\n", locant_isa());
    }
    CHECK_OK(locant_set_isa(NULL));
}

double test_relative_l2(const float *got, const double *want, size_t n)
{
    double error = 0, size = 0;

    for (size_t i = 0; i < n; i++) {
        error += ((double)got[i] - want[i]) * ((double)got[i] - want[i]);
        size += want[i] * want[i];
    }
    return size > 0 ? sqrt(error / size) : sqrt(error);
}

int test_cases(int usual)
{
    const char *s = getenv("LOCANT_CASES");
    long n = s != NULL ? strtol(s, NULL, 10) : 0;

    if (TEST_SANITIZED && n > usual) /* there it only takes cases away */
        return usual;
    return n > 0 ? (int)n : usual;
}

locant_encoding *test_create(const char *spec)
{
    locant_encoding *e = NULL;

    CHECK_OK(locant_encoding_create(&e, spec));
    CHECK(e != NULL);
    return e;
}

/* Kept from call to call: making it anew would take longer than filling it. */
static void *workspace_of(size_t *bytes, const locant_attention *a)
{
    static void *workspace;
    static size_t size;

    CHECK_OK(locant_attention_workspace(bytes, a));
    if (workspace == NULL || size != *bytes) {
        if (workspace != NULL)
            test_guarded_free(workspace, size);
        workspace = test_guarded(*bytes);
        size = *bytes;
    }
    memset(workspace, 0xff, *bytes);
    return workspace;
}

void test_forward(locant_tensor *out, locant_tensor *lse,
                  const locant_attention *a)
{
    size_t bytes;
    void *workspace = workspace_of(&bytes, a);

    CHECK_OK(locant_attention_forward(out, lse, a, workspace, bytes));
}

void test_backward(const locant_attention_gradients *g,
                   const locant_tensor *dout, const locant_tensor *out,
                   const locant_tensor *lse, const locant_attention *a)
{
    size_t bytes;
    void *workspace = workspace_of(&bytes, a);

    CHECK_OK(locant_attention_backward(g, dout, out, lse, a, workspace, bytes));
}

locant_tensor test_positions(int64_t n, int64_t low, int64_t high)
{
    static const int64_t extremes[] = { 0,         1,  255,    256,      65535,
                                        INT32_MAX, -1, -65536, INT32_MIN };
    locant_tensor t = test_tensor(LOCANT_I64, 1, &n);
    int64_t *p = t.data;

    for (int64_t i = 0; i < n; i++) {
        int64_t x = test_range(low, high);

        if (i < (int64_t)LEN(extremes) && test_rand() % 4 != 0)
            x = extremes[i];
        else if (test_rand() % 2)
            x = test_range(-300, 300);
        p[i] = x < low ? low : x > high ? high : x;
    }
    test_guarded_readonly(t.data, (size_t)n * sizeof(*p));
    return t;
}

static uint16_t random_short(locant_dtype dtype)
{
    unsigned sign = (unsigned)test_range(0, 1) << 15;

    if (dtype == LOCANT_F16)
        return (uint16_t)(sign | (unsigned)test_range(8, 16) << 10 |
                          (unsigned)test_range(0, 1023));
    return (uint16_t)(sign | (unsigned)test_range(120, 128) << 7 |
                      (unsigned)test_range(0, 127));
}

void test_fill(locant_tensor *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (t->dtype == LOCANT_F64)
            ((double *)t->data)[i] = 2 * test_uniform();
        else if (t->dtype == LOCANT_F32)
            ((float *)t->data)[i] = (float)(2 * test_uniform());
        else
            ((uint16_t *)t->data)[i] = random_short(t->dtype);
    }
}
