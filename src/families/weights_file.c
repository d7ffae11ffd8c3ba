/* weights_file.c - see weights_file.h */
#include "weights_file.h"
#include "../core/text.h"
#include "../files/path.h"
#include <string.h>

static locant_status no_memory(const char *name)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to open it",
                       lct_path_tail(name));
}

/* f->path = the first 'n' bytes of folder, then name. */
static locant_status set_path(struct lct_weights_file *f, const char *folder,
                              size_t n, const char *name)
{
    f->path = locant_alloc(n + strlen(name) + 1);
    if (f->path == NULL)
        return no_memory(name);
    memcpy(f->path, folder, n);
    memcpy(f->path + n, name, strlen(name) + 1);
    f->name = lct_last_part(f->path);
    return LOCANT_OK;
}

/* What a clone has in the place of a large file until it is fetched. */
static locant_status check_pointer(const struct lct_weights_file *f,
                                   size_t size)
{
    static const char first[] = "version https://git-lfs.";

    if (size < sizeof(first) || memcmp(f->bytes, first, sizeof(first) - 1) != 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_IO,
                       "%s: is a pointer of Git LFS, not the weights; "
                       "'git lfs pull' fetches them",
                       lct_path_tail(f->path));
}

static locant_status read_header(struct lct_weights_file *f, size_t size)
{
    size_t length = 0;

    f->header = locant_alloc(sizeof *f->header);
    if (f->header == NULL)
        return no_memory(f->path);
    f->header->any_number = true;
    LCT_TRY(check_pointer(f, size));
    LCT_TRY(lct_tensors_frame(&length, f->path, f->bytes, size));
    f->header->data = 8 + length;
    return lct_tensors_header(f->header, f->path, (const char *)f->bytes + 8,
                              length, size - f->header->data);
}

locant_status lct_weights_file_open(struct lct_weights_file *out,
                                    const char *folder, size_t folder_bytes,
                                    const char *name)
{
    *out = (struct lct_weights_file){ 0 };
    LCT_TRY(set_path(out, folder, folder_bytes, name));
    LCT_TRY(lct_map_open(&out->map, out->path));
    out->bytes = out->map.bytes;
    return read_header(out, out->map.size);
}

locant_status lct_weights_file_parse(struct lct_weights_file *out,
                                     const void *bytes, size_t size,
                                     const char *name)
{
    *out = (struct lct_weights_file){ .bytes = bytes };
    LCT_TRY(set_path(out, "", 0, name));
    return read_header(out, size);
}

void lct_weights_file_close(struct lct_weights_file *f)
{
    locant_tensors_free(f->header);
    lct_map_close(&f->map);
    locant_release(f->path);
    *f = (struct lct_weights_file){ 0 };
}

struct lct_weight lct_weights_file_tensor(const struct lct_weights_file *f,
                                          size_t i)
{
    const struct lct_entry *e = f->header->by_name[i];
    struct lct_weight w = { .name = e->name,
                            .file = f->path,
                            .type = e->type,
                            .rank = e->tensor.rank,
                            .data = f->bytes + f->header->data + e->begin,
                            .bytes = e->bytes };

    memcpy(w.shape, e->tensor.shape, sizeof w.shape);
    return w;
}
