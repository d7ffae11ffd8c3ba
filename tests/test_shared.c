/* Shared libraries that are loaded when something needs them. */
/* needs: lab */
#include "testing.h"
#include "files/shared.h"
#include <string.h>

static struct table {
    double (*cosine)(double);
    double (*sine)(double);
} table;

static const struct lct_symbol symbols[] = {
    { "cos", offsetof(struct table, cosine) },
    { "sin", offsetof(struct table, sine) },
    { "no_such_function", 0 },
};

static struct lct_shared of(const char *file, const char *other, size_t n)
{
    return (struct lct_shared){
        "turns need a circle", { file, other }, symbols, n, &table, 0
    };
}

TEST(fills_its_table)
{
    struct lct_shared l = of("libm.so.6", NULL, 2);

    CHECK_OK(lct_shared_load(&l, "f"));
    CHECK(table.cosine(0) == 1 && table.sine(0) == 0);
    table.sine = NULL;
    CHECK_OK(lct_shared_load(&l, "f")); /* once is enough */
    CHECK(table.sine == NULL);
}

TEST(tries_the_next_one)
{
    struct lct_shared l = of("/nowhere/libm.so.6", "libm.so.6", 2);

    CHECK_OK(lct_shared_load(&l, "f"));
    CHECK(table.sine(0) == 0);
}

TEST(refuses_what_is_not_there)
{
    struct lct_shared l = of("/nowhere/a.so", "./b.so", 2);

    CHECK_REFUSED(lct_shared_load(&l, "f"), LOCANT_ERR_IO,
                  "f: turns need a circle: ./b.so: cannot open shared object "
                  "file: No such file or directory");
    l.files[1] = "libm.so.6";
    CHECK_OK(lct_shared_load(&l, "f"));
}

TEST(refuses_a_library_without_a_function)
{
    struct lct_shared l = of("libm.so.6", NULL, 3);

    CHECK(lct_shared_load(&l, "f") == LOCANT_ERR_IO);
    CHECK(strstr(locant_last_error(), "f: turns need a circle: ") &&
          strstr(locant_last_error(), "no_such_function"));
    l.n_symbols = 2;
    CHECK_OK(lct_shared_load(&l, "f"));
}
