/* test_corpus.c - text from files and headers: split, cleaned, refused */
/* needs: lab */
#define _GNU_SOURCE
#include "testing.h"
#include "test_corpus_check.h"
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------- folders to read */

static char root[512]; /* of the test that runs */

static int make_root(void **state)
{
    const char *given = getenv("TMPDIR");
    FREED_BY(free_memory) char *base = realpath(given ? given : ".", NULL);

    (void)state;
    snprintf(root, sizeof root, "%s/corpus-XXXXXX", base ? base : ".");
    return mkdtemp(root) == NULL;
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static int remove_root(void **state)
{
    (void)state;
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The path is valid until the eighth call after this one. */
static const char *below_root(const char *name)
{
    static char path[8][1024];
    static int next;
    char *p = path[next++ % 8];

    snprintf(p, sizeof path[0], "%s/%s", root, name);
    return p;
}

static void make_folder(const char *name)
{
    CHECK(mkdir(below_root(name), 0700) == 0 || errno == EEXIST);
}

static void make_file(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(below_root(name), "wb");

    CHECK(f != NULL && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

/* Make a file of 'size' bytes, in lines that no other mark has. */
static void make_text(const char *name, unsigned mark, size_t size)
{
    FREED_BY(free_memory) char *text = malloc(size + 64);
    size_t n = 0;

    for (unsigned line = 0; n < size; line++)
        n += (size_t)snprintf(text + n, 64, "mark %06u line %u of many\n", mark,
                              line);
    text[size - 1] = '\n';
    make_file(name, text, size);
}

/* Make 'folders' folders of 'files' files; mark = 1000 folder + file. */
static void make_tree(const char *name, int folders, int files, size_t size)
{
    char path[256];

    make_folder(name);
    for (int d = folders - 1; d >= 0; d--) {
        snprintf(path, sizeof path, "%s/%d", name, d);
        make_folder(path);
        for (int f = 0; f < files; f++) {
            snprintf(path, sizeof path, "%s/%d/%d.txt", name, d, f);
            make_text(path, (unsigned)(1000 * d + f), size);
        }
    }
}

static locant_corpus *corpus_of_folder(const char *name, uint64_t seed)
{
    const char *path = below_root(name);

    return corpus_of_files(&path, 1, seed, LOCANT_KEEP_DEFAULT);
}

/* The mark of file f; every test text starts a line with one. */
static unsigned mark_of(const struct lct_split *s, size_t f)
{
    const char *text = (const char *)s->bytes + s->start[f] + 1;

    return (unsigned)strtoul(text + 5, NULL, 10);
}

/* ------------------------------------------------------------------- split */

TEST_WITH(make_root, remove_root, folders_are_not_divided)
{
    int part_of[40] = { 0 };
    locant_corpus *c;

    make_tree("tree", 40, 3, 5000);
    c = corpus_of_folder("tree", 1);
    check_whole(c);
    CHECK(c->info.files == 120 && c->info.bytes == 120 * 5001);
    for (int part = 0; part < 3; part++) {
        const struct lct_split *s = lct_corpus_split(c, (enum lct_part)part);

        for (size_t f = 0; f < s->files; f++) {
            unsigned folder = mark_of(s, f) / 1000;

            CHECK(part_of[folder] == 0 || part_of[folder] == part + 1);
            part_of[folder] = part + 1;
        }
        /* 40 equal folders: exactly two fill 5 %. */
        CHECK(part == LCT_TRAIN || s->files == 6);
    }
    locant_corpus_free(c);
}

TEST_WITH(make_root, remove_root, large_folders_do_not_enlarge_small_parts)
{
    char name[64];
    locant_corpus *c;

    make_tree("tree", 40, 3, 4000);
    /* 76 of 1120 KB: one is below 7.5 %, with another folder it is not. */
    for (unsigned d = 0; d < 40; d += 4) {
        snprintf(name, sizeof name, "tree/%u/large.txt", d);
        make_text(name, 1000 * d + 500, 64000);
    }
    c = corpus_of_folder("tree", 1);
    check_whole(c);
    CHECK(c->info.test_bytes <= c->info.bytes / 40 * 3);
    CHECK(c->info.valid_bytes <= c->info.bytes / 40 * 3);
    locant_corpus_free(c);
}

TEST_WITH(make_root, remove_root, same_bytes_in_any_place)
{
    locant_corpus *a, *b, *d;

    make_tree("one", 20, 3, 4000);
    make_folder("deep");
    make_tree("deep/two", 20, 3, 4000);
    a = corpus_of_folder("one", 7);
    b = corpus_of_folder("deep/two///", 7);
    d = corpus_of_folder("one", 8);
    assert_string_equal(a->info.sha256, b->info.sha256);
    assert_string_not_equal(a->info.sha256, d->info.sha256);
    locant_corpus_free(a);
    locant_corpus_free(b);
    locant_corpus_free(d);
}

/* If all text fits in max_bytes, every seed tests the same folders. */
TEST_WITH(make_root, remove_root, seed_moves_no_folder)
{
    bool tested[20] = { false };
    locant_corpus *c;

    make_tree("tree", 20, 3, 4000);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        c = corpus_of_folder("tree", seed);
        for (size_t f = 0; f < c->split[LCT_TEST].files; f++) {
            unsigned folder = mark_of(&c->split[LCT_TEST], f) / 1000;

            CHECK(seed == 1 || tested[folder]);
            tested[folder] = true;
        }
        locant_corpus_free(c);
    }
}

/* Files of one folder, or given by name, are assigned one by one. */
TEST_WITH(make_root, remove_root, few_folders_divide_files)
{
    const char *paths[30];
    char names[30][600];
    locant_corpus *c;

    make_tree("flat", 1, 30, 5000);
    c = corpus_of_folder("flat", 1);
    check_whole(c);
    CHECK(c->split[LCT_TEST].files == 2 && c->split[LCT_VALID].files == 2);
    locant_corpus_free(c);
    for (int i = 0; i < 30; i++) {
        snprintf(names[i], sizeof names[i], "%s/flat/0/%d.txt", root, i);
        paths[i] = names[i];
    }
    c = corpus_of_files(paths, 30, 1, LOCANT_KEEP_DEFAULT);
    check_whole(c);
    CHECK(c->info.files == 30 && c->split[LCT_TEST].files == 2);
    locant_corpus_free(c);
}

/* One book is cut in order at 90 and 95 %, and has enough test blocks. */
TEST_WITH(make_root, remove_root, one_file_is_cut)
{
    enum { SIZE = 1000000 };
    uint8_t *joined = malloc(SIZE + 64), *want = malloc(SIZE + 64);
    const char *path = below_root("book.txt");
    size_t n = 0, ends[96];
    locant_corpus *c;
    FILE *f;

    make_text("book.txt", 1, SIZE);
    c = corpus_of_files(&path, 1, 1, LOCANT_KEEP_DEFAULT);
    check_whole(c);
    for (int part = 0; part < 3; part++) {
        const struct lct_split *s = &c->split[part];

        for (size_t i = 0; i < s->size; i++)
            if (s->bytes[i] != 0)
                joined[n++] = s->bytes[i];
    }
    f = fopen(path, "rb");
    CHECK(f != NULL && fread(want, 1, SIZE, f) == SIZE && fclose(f) == 0);
    CHECK(n == SIZE && memcmp(joined, want, SIZE) == 0);
    CHECK(c->info.files == 1);
    /* each cut moves back by less than a line of 32 bytes */
    CHECK(c->info.test_bytes >= SIZE / 20);
    CHECK(c->info.test_bytes < SIZE / 20 + 99);
    CHECK(c->info.valid_bytes > SIZE / 20 - 99);
    CHECK(c->info.valid_bytes < SIZE / 20 + 99);
    /* 50 KB: three documents of 16 KiB with 8 blocks each, and a rest */
    CHECK(lct_choose_blocks(ends, 96, lct_corpus_split(c, LCT_TEST), 1) >= 24);
    locant_corpus_free(c);
    free(joined);
    free(want);
}

/* ---------------------------------------------------------------- cleaning */

TEST_WITH(make_root, remove_root, duplicates_are_dropped)
{
    const char *paths[3];
    locant_corpus *c;

    make_tree("tree", 20, 3, 4000);
    make_text("tree/3/copy.txt", 5001, 4000);
    make_text("tree/9/copy.txt", 5001, 4000);
    CHECK(symlink("0.txt", below_root("tree/4/link.txt")) == 0);
    paths[0] = below_root("tree");
    paths[1] = below_root("tree/5");
    paths[2] = below_root("tree/6/1.txt");
    c = corpus_of_files(paths, 3, 1, LOCANT_KEEP_DEFAULT);
    check_whole(c);
    CHECK(c->info.files == 60 && c->info.bytes == 60 * 4001);
    locant_corpus_free(c);
}

/* Only the 60 text files of the tree are taken. */
TEST_WITH(make_root, remove_root, hostile_folders_are_survived)
{
    char binary[5000], controls[5000];
    locant_corpus *c;
    FILE *sparse;

    make_tree("tree", 20, 3, 4000);
    make_text("outside.txt", 999999, 4000);
    for (size_t i = 0; i < sizeof binary; i++) {
        binary[i] = (char)(test_rand() | 1);
        controls[i] = i % 50 ? 'x' : 1;
    }
    make_file("tree/1/noise", binary, sizeof binary);
    make_file("tree/1/controls", controls, sizeof controls);
    make_file("tree/1/zero.txt", "text\0text", 9);
    make_file("tree/2/empty.txt", "", 0);
    make_folder("tree/nothing");
    make_folder("tree/.git");
    make_text("tree/.git/object", 999998, 4000);
    sparse = fopen(below_root("tree/3/sparse"), "wb");
    CHECK(sparse != NULL && ftruncate(fileno(sparse), 100 << 20) == 0);
    fclose(sparse);
    CHECK(mkfifo(below_root("tree/4/pipe"), 0600) == 0);
    CHECK(symlink("..", below_root("tree/5/loop")) == 0);
    CHECK(symlink("self", below_root("tree/5/self")) == 0);
    CHECK(symlink("nowhere", below_root("tree/5/dangling")) == 0);
    CHECK(symlink("/", below_root("tree/5/whole-disk")) == 0);
    CHECK(symlink("../4/pipe", below_root("tree/5/link-to-pipe")) == 0);
    if (geteuid() != 0) { /* root reads everything */
        make_text("tree/6/secret", 999997, 4000);
        CHECK(chmod(below_root("tree/6/secret"), 0) == 0);
        make_folder("tree/locked");
        CHECK(chmod(below_root("tree/locked"), 0) == 0);
    }
    c = corpus_of_folder("tree", 1);
    check_whole(c);
    CHECK(c->info.files == 60 && c->info.bytes == 60 * 4001);
    locant_corpus_free(c);
    CHECK(chmod(below_root("tree/locked"), 0700) == 0 || geteuid() == 0);
    /* links to files are followed, and odd names are taken */
    CHECK(symlink("../../outside.txt", below_root("tree/7/linked")) == 0);
    make_text("tree/8/two\nlines \\ and \xff", 999996, 4000);
    c = corpus_of_folder("tree", 1);
    CHECK(c->info.files == 62 && c->info.bytes == 62 * 4001);
    locant_corpus_free(c);
}

TEST_WITH(make_root, remove_root, long_files_are_cut_at_lines)
{
    enum { SIZE = 200000 };
    FREED_BY(free_memory) char *wide = malloc(SIZE + 3);
    size_t cut = 0;
    locant_corpus *c;

    make_tree("tree", 20, 3, 10000);
    make_text("tree/1/long.txt", 777777, SIZE);
    for (size_t i = 0; i < SIZE; i += 3) /* U+4F4D, no line end anywhere */
        memcpy(wide + i, "\xe4\xbd\x8d", 3);
    make_file("tree/2/wide.txt", wide, SIZE / 3 * 3);
    c = corpus_of_folder("tree", 1);
    check_whole(c);
    CHECK(c->info.files == 62);
    for (int part = 0; part < 3; part++) {
        const struct lct_split *s = &c->split[part];

        for (size_t f = 0; f < s->files; f++) {
            size_t text = s->start[f + 1] - s->start[f] - 1;

            if (s->bytes[s->start[f] + 1] == 0xe4) {
                /* 65536 = 3 x 21845 + 1 */
                CHECK(text == 65535);
                cut++;
            } else {
                CHECK(s->bytes[s->start[f + 1] - 1] == '\n');
                cut += mark_of(s, f) == 777777 && text > 65536 - 64;
            }
        }
    }
    CHECK(cut == 2);
    locant_corpus_free(c);
}

TEST_WITH(make_root, remove_root, max_bytes_is_kept)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;
    const char *path;
    locant_corpus *c;

    make_tree("tree", 60, 3, 4000);
    path = below_root("tree");
    o.kind = LOCANT_CORPUS_FILES;
    o.paths = &path;
    o.n_paths = 1;
    for (o.max_bytes = 64 << 10; o.max_bytes < 80000; o.max_bytes += 997) {
        CHECK_OK(locant_corpus_create(&c, &o));
        check_whole(c);
        CHECK(c->info.bytes <= o.max_bytes &&
              c->info.bytes + LCT_TEST_FILE_MIN + 64 > o.max_bytes);
        locant_corpus_free(c);
    }
}

/* ----------------------------------------------------------------- headers */

static bool starts(const struct lct_split *s, size_t f, const char *with)
{
    return strncmp((const char *)s->bytes + s->start[f] + 1, with,
                   strlen(with)) == 0;
}

TEST(headers_are_cleaned)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;
    locant_corpus *c, *again;
    size_t ends[96];

    o.seed = 1;
    if (locant_corpus_create(&c, &o) == LOCANT_ERR_FORMAT)
        skip(); /* a machine with under 1 MiB of headers */
    CHECK_OK(locant_corpus_create(&again, &o));
    check_whole(c);
    assert_string_equal(c->info.sha256, again->info.sha256);
    CHECK(c->info.bytes >= 1 << 20 && c->info.bytes <= 16 << 20);
    for (int part = 0; part < 3; part++)
        for (size_t f = 0; f < c->split[part].files; f++) {
            CHECK(!starts(&c->split[part], f, "/*"));
            CHECK(!starts(&c->split[part], f, "//"));
            CHECK(!starts(&c->split[part], f, "namespace "));
        }
    CHECK(lct_choose_blocks(ends, 96, lct_corpus_split(c, LCT_TEST), 1) >= 24);
    print_message("%zu headers, %zu bytes: %zu, %zu, %zu\n", c->info.files,
                  c->info.bytes, c->info.train_bytes, c->info.valid_bytes,
                  c->info.test_bytes);
    locant_corpus_free(c);
    locant_corpus_free(again);
}

/* ---------------------------------------------------------------- refusals */

#define FN "locant_corpus_create: "

static void check_path_refused(const char *path, locant_status status,
                               const char *message)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;
    locant_corpus *c;

    o.kind = LOCANT_CORPUS_FILES;
    o.paths = &path;
    o.n_paths = 1;
    CHECK_REFUSED(locant_corpus_create(&c, &o), status, message);
    CHECK(c == NULL);
}

TEST_WITH(make_root, remove_root, refuses_bad_paths)
{
    char name[32];

    CHECK(chdir(root) == 0);
    check_path_refused("missing", LOCANT_ERR_IO,
                       FN "'missing': No such file or directory");
    check_path_refused("", LOCANT_ERR_IO, FN "'': No such file or directory");
    check_path_refused("a\nb\x1b[2J", LOCANT_ERR_IO,
                       FN "'a\\x0ab\\x1b[2J': No such file or directory");
    CHECK(mkfifo("pipe", 0600) == 0);
    check_path_refused("pipe", LOCANT_ERR_IO,
                       FN "'pipe' is neither a file nor a folder");
    make_folder("empty");
    check_path_refused("empty", LOCANT_ERR_FORMAT,
                       FN "found 0 bytes of text in the given paths, at least "
                          "65536 are needed");
    make_text("short.txt", 1, 5000);
    check_path_refused("short.txt", LOCANT_ERR_FORMAT,
                       FN "found 5001 bytes of text in the given paths, at "
                          "least 65536 are needed");
    make_file("zero", "a\0b", 3);
    check_path_refused("zero", LOCANT_ERR_FORMAT,
                       FN "'zero' is not text: it holds a zero byte");
    make_file("controls", "\1\2\3", 3);
    check_path_refused("controls", LOCANT_ERR_FORMAT,
                       FN "'controls' is not text: it is full of control "
                          "bytes");
    make_folder("tiny");
    for (unsigned i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "tiny/%u", i);
        make_text(name, i, 1000);
    }
    check_path_refused("tiny", LOCANT_ERR_FORMAT,
                       FN "100 files cannot be split: training, validation and "
                          "test need folders or files of their own, and the "
                          "test one of at least 2304 bytes");
    CHECK(chdir("..") == 0);
}

/* ------------------------------------------------------------------ memory */

/* The k-th allocation fails, k = 1, 2, .. until none does. */
static void survive_shortage(const locant_corpus_options *o)
{
    locant_status status = LOCANT_ERR_NOMEM;
    long k = 0;

    while (status != LOCANT_OK && k < 1000) {
        locant_corpus *c;

        test_memory_fail(++k);
        status = locant_corpus_create(&c, o);
        CHECK(status == LOCANT_OK ? c != NULL
                                  : status == LOCANT_ERR_NOMEM && c == NULL);
        locant_corpus_free(c);
        CHECK(test_memory_held() == 0);
    }
    test_memory_end();
    CHECK(status == LOCANT_OK && k > 5);
}

TEST_WITH(make_root, remove_root, memory_shortage_is_survived)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;
    const char *path;

    make_tree("tree", 70, 8, 2500); /* 560 files: every list grows */
    path = below_root("tree");
    o.kind = LOCANT_CORPUS_GENERATED;
    o.max_bytes = 64 << 10;
    survive_shortage(&o);
    o.kind = LOCANT_CORPUS_FILES;
    o.max_bytes = 0;
    o.paths = &path;
    o.n_paths = 1;
    survive_shortage(&o);
}
