/* test_corpus_unreadable.c - files that may not be read, and a sparse file */
/* needs: lab */
#define _GNU_SOURCE
#include "scratch_case.h"
#include "locant/lab.h"
#include <sys/stat.h>

/* Make a file of text that no other mark has. */
static void make_text(const char *name, int mark)
{
    char text[4096];

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i % 32 == 31 ? '\n' : 'a' + (i / 32 + i) % 20);
    text[0] = (char)('A' + mark);
    scratch_write(scratch_file(&dir, name), text, sizeof text);
}

static locant_status read_folder(locant_corpus **c, const char *name)
{
    const char *path = scratch_file(&dir, name);
    locant_corpus_options o = LOCANT_CORPUS_INIT;

    o.kind = LOCANT_CORPUS_FILES;
    o.paths = &path;
    o.n_paths = 1;
    return locant_corpus_create(c, &o);
}

IN_SCRATCH(unreadable_files_are_counted)
{
    const locant_corpus_info *info;
    locant_corpus *c;
    char name[40];

    assert_int_equal(scratch_obey_permissions(), 0);
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "%d", i);
        make_text(name, i);
    }
    CHECK_OK(read_folder(&c, "."));
    info = locant_corpus_info_of(c);
    CHECK(info->files == 20 && info->unreadable == 0);
    CHECK(info->unreadable_path[0] == 0);
    locant_corpus_free(c);
    CHECK(mkdir(scratch_file(&dir, "locked\x1b[7m"), 0) == 0);
    make_text("secret", 20);
    CHECK(chmod(scratch_file(&dir, "secret"), 0) == 0);
    CHECK_OK(read_folder(&c, "."));
    info = locant_corpus_info_of(c);
    CHECK(info->files == 20 && info->unreadable == 2);
    CHECK(strstr(info->unreadable_path, "/locked\\x1b[7m") != NULL);
    locant_corpus_free(c);
    /* a file that the caller names is refused, not counted */
    CHECK(read_folder(&c, "secret") == LOCANT_ERR_IO);
    CHECK(strstr(locant_last_error(), "/secret': Permission denied") != NULL);
    CHECK(chmod(scratch_file(&dir, "locked\x1b[7m"), 0700) == 0);
}

IN_SCRATCH(a_sparse_file_takes_no_memory)
{
    const char *path = scratch_file(&dir, "sparse");
    locant_corpus *c;

    scratch_write(path, "", 0);
    CHECK(truncate(path, 1 << 30) == 0);
    test_memory_fail(0);
    CHECK(read_folder(&c, "sparse") == LOCANT_ERR_FORMAT);
    test_memory_end();
    CHECK(strstr(locant_last_error(), "is not text: it holds a zero byte"));
    if (test_memory_largest() > 256 << 10)
        FAIL("%zu bytes of memory for a hole\n", test_memory_largest());
}
