/*
 * corpus_walk.c - lists the files that a corpus may be made of.
 *
 * Folders are walked without recursion. Symbolic links to files are followed,
 * links to folders are not: a folder inside a root is reached by its own name,
 * so no loop is possible and no link leads out of the root. Names that start
 * with a dot are skipped (.git). Files and folders below a root that may not be
 * read are counted and left out; a root that may not be read is an error.
 */
#define _GNU_SOURCE
#include "../core/quote.h"
#include "corpus.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_PATHS = 1 << 20, /* 100 MB; more is a mistake, like a whole disk */
    CHUNK = 64 << 10,
    TAIL = 76 /* bytes of a long path that are shown */
};

/* Strings never move, so paths may point at them while the list grows. */
struct lct_chunk {
    struct lct_chunk *next;
    size_t used, room;
    char text[];
};

/* folder + "/" + name, or folder alone if name is NULL; NULL when memory is
   short. */
static char *join(struct lct_listing *l, const char *folder, const char *name)
{
    size_t a = strlen(folder), b = name ? strlen(name) : 0;
    size_t need = a + b + 2;
    struct lct_chunk *c = l->strings;
    char *s;

    if (c == NULL || c->room - c->used < need) {
        size_t room = need > CHUNK ? need : CHUNK;

        c = locant_alloc(sizeof *c + room);
        if (c == NULL)
            return NULL;
        c->room = room;
        c->next = l->strings;
        l->strings = c;
    }
    s = c->text + c->used;
    c->used += need;
    memcpy(s, folder, a);
    if (name != NULL) {
        s[a] = '/';
        memcpy(s + a + 1, name, b);
    }
    return s;
}

static locant_status push(struct lct_path_list *list, struct lct_path path)
{
    void *at = list->at;

    if (list->n >= MAX_PATHS)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "locant_corpus_create: more than "
                           "%d files, name a smaller folder",
                           MAX_PATHS);
    if (path.path == NULL ||
        !lct_reserve(&at, &list->room, list->n, 1, sizeof *list->at))
        return locant_fail(LOCANT_ERR_NOMEM, "locant_corpus_create: no memory "
                                             "for the list of files");
    list->at = at;
    list->at[list->n++] = path;
    return LOCANT_OK;
}

static bool is_header(const char *name)
{
    size_t n = strlen(name);

    return n > 2 && memcmp(name + n - 2, ".h", 3) == 0;
}

/* The kind of an entry: DT_DIR, DT_REG (also through a link), or DT_UNKNOWN. */
static int kind_of(int fd, const struct dirent *e)
{
    struct stat st;
    int kind = e->d_type;

    if (kind == DT_UNKNOWN &&
        fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        kind = S_ISDIR(st.st_mode)   ? DT_DIR
               : S_ISREG(st.st_mode) ? DT_REG
               : S_ISLNK(st.st_mode) ? DT_LNK
                                     : DT_UNKNOWN;
    if (kind == DT_LNK)
        kind = fstatat(fd, e->d_name, &st, 0) == 0 && S_ISREG(st.st_mode)
                   ? DT_REG
                   : DT_UNKNOWN;
    return kind == DT_DIR || kind == DT_REG ? kind : DT_UNKNOWN;
}

static locant_status take_entry(struct lct_listing *l, int fd,
                                const struct dirent *e, struct lct_path folder)
{
    const char *name = e->d_name;
    int kind;

    if (name[0] == '.')
        return LOCANT_OK;
    kind = kind_of(fd, e);
    if (kind == DT_UNKNOWN)
        return LOCANT_OK;
    if (l->headers &&
        (kind == DT_DIR ? strcmp(name, "c++") == 0 : !is_header(name)))
        return LOCANT_OK;
    folder.path = join(l, folder.path, name);
    folder.named = false;
    return push(kind == DT_DIR ? &l->folders : &l->files, folder);
}

locant_status lct_skip_unreadable(locant_corpus_info *info, const char *path,
                                  bool named, int error)
{
    char shown[LCT_QUOTE_BYTES];
    /* Running out of file handles or memory is a failure: it must not silently
       make the corpus smaller. */
    bool shortage = error == EMFILE || error == ENFILE || error == ENOMEM;

    if (named || shortage)
        return locant_fail(error == ENOMEM ? LOCANT_ERR_NOMEM : LOCANT_ERR_IO,
                           "locant_corpus_create: '%s': %s",
                           lct_quote(shown, path, strlen(path)),
                           strerror(error));
    if (error == ENOENT) /* it was there when its folder was listed */
        return LOCANT_OK;
    if (info->unreadable++ == 0) {
        size_t n = strlen(path), cut = n > TAIL ? n - TAIL : 0;

        snprintf(info->unreadable_path, sizeof info->unreadable_path, "%s%s",
                 cut ? ".." : "", lct_quote(shown, path + cut, n - cut));
    }
    return LOCANT_OK;
}

static locant_status list_folder(struct lct_listing *l, struct lct_path folder)
{
    locant_status status = LOCANT_OK;
    DIR *dir = opendir(folder.path);
    int error;

    if (dir == NULL)
        return lct_skip_unreadable(l->info, folder.path, folder.named, errno);
    errno = 0;
    for (struct dirent *e; status == LOCANT_OK && (e = readdir(dir)) != NULL;
         errno = 0)
        status = take_entry(l, dirfd(dir), e, folder);
    error = status == LOCANT_OK ? errno : 0;
    closedir(dir);
    return error == 0
               ? status
               : lct_skip_unreadable(l->info, folder.path, folder.named, error);
}

static locant_status walk(struct lct_listing *l)
{
    for (size_t i = 0; i < l->folders.n; i++)
        LCT_TRY(list_folder(l, l->folders.at[i]));
    return LOCANT_OK;
}

locant_status lct_list_headers(struct lct_listing *l)
{
    /* Where compilers look: FHS, GCC's own, Apple's command line tools. */
    static const char *const roots[] = {
        "/usr/include", "/usr/local/include", "/usr/lib/gcc/*/*/include",
        "/Library/Developer/CommandLineTools/SDKs/MacOSX.sdk/usr/include"
    };
    locant_status status = LOCANT_OK;

    l->headers = true;
    for (size_t r = 0; r < sizeof roots / sizeof roots[0]; r++) {
        glob_t found = { 0 };
        int failed = glob(roots[r], GLOB_NOSORT, NULL, &found);

        if (failed == GLOB_NOSPACE)
            status = lct_skip_unreadable(l->info, roots[r], true, ENOMEM);
        if (failed == 0)
            for (size_t i = 0; status == LOCANT_OK && i < found.gl_pathc; i++)
                status = push(&l->folders,
                              (struct lct_path){
                                  .path = join(l, found.gl_pathv[i], NULL) });
        globfree(&found);
        LCT_TRY(status);
    }
    return walk(l);
}

static locant_status add_root(struct lct_listing *l, const char *given,
                              size_t root)
{
    struct lct_path p = { .root = root, .named = true };
    struct stat st;
    const char *slash;
    char shown[LCT_QUOTE_BYTES];

    if (stat(given, &st) != 0)
        return locant_fail(LOCANT_ERR_IO, "locant_corpus_create: '%s': %s",
                           lct_quote(shown, given, strlen(given)),
                           strerror(errno));
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
        return locant_fail(LOCANT_ERR_IO,
                           "locant_corpus_create: '%s' is "
                           "neither a file nor a folder",
                           lct_quote(shown, given, strlen(given)));
    p.path = join(l, given, NULL);
    if (p.path == NULL)
        return push(&l->files, p);
    if (S_ISDIR(st.st_mode)) {
        p.key = strlen(p.path) + 1; /* after the slash that join() adds */
        return push(&l->folders, p);
    }
    slash = strrchr(p.path, '/');
    p.key = slash ? (size_t)(slash - p.path) + 1 : 0;
    return push(&l->files, p);
}

locant_status lct_list_files(struct lct_listing *l,
                             const locant_corpus_options *options)
{
    for (size_t i = 0; i < options->n_paths; i++)
        LCT_TRY(add_root(l, options->paths[i], i));
    return walk(l);
}

static int by_key(const void *a, const void *b)
{
    const struct lct_path *x = a, *y = b;
    int order = strcmp(x->path + x->key, y->path + y->key);

    return order != 0 ? order : (x->root > y->root) - (x->root < y->root);
}

void lct_listing_shuffle(struct lct_listing *l, uint64_t seed)
{
    /* The stream is "shuffle" in ASCII: no other part draws from it. */
    locant_random random = { .seed = seed, .stream = 0x73687566666c65 };
    struct lct_path *at = l->files.at;

    if (l->files.n > 1)
        qsort(at, l->files.n, sizeof *at, by_key);
    for (size_t i = l->files.n; i > 1; i--) {
        size_t j = (size_t)locant_random_below(&random, i);
        struct lct_path swap = at[i - 1];

        at[i - 1] = at[j];
        at[j] = swap;
    }
}

void lct_listing_free(struct lct_listing *l)
{
    for (struct lct_chunk *c = l->strings, *next; c != NULL; c = next) {
        next = c->next;
        locant_release(c);
    }
    locant_release(l->files.at);
    locant_release(l->folders.at);
}
