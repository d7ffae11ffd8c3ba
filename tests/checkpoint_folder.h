/* checkpoint_folder.h - makes small models: a folder with safetensors */
#ifndef CHECKPOINT_FOLDER_H
#define CHECKPOINT_FOLDER_H
#include "../src/files/number.h"
#include "scratch.h"
#include "testing.h"
#include <sys/stat.h>

struct checkpoint_tensor {
    const char *name, *type;
    int64_t shape[3]; /* 0 ends it, -1 stands for 0 */
};

static inline size_t checkpoint_bytes(const struct checkpoint_tensor *t)
{
    size_t bytes = lct_number_safetensors(t->type)->bytes;

    for (int i = 0; i < 3 && t->shape[i] != 0; i++)
        bytes *= t->shape[i] > 0 ? (size_t)t->shape[i] : 0;
    return bytes;
}

/* Small random numbers of any type: no float has a large exponent. */
static inline void checkpoint_fill(unsigned char *out,
                                   const struct checkpoint_tensor *t)
{
    const size_t each = lct_number_safetensors(t->type)->bytes;
    const bool whole = t->type[0] == 'I' || t->type[0] == 'U';
    const size_t n = checkpoint_bytes(t);

    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)(test_rand() >> 7);
    for (size_t i = each - 1; i < n && !whole; i += each)
        out[i] = (unsigned char)(each == 1 ? 0x30 | (out[i] & 0x8f)
                                           : 0x3c | (out[i] & 0x83));
}

static inline void checkpoint_put(char *folder, const char *name,
                                  const void *bytes, size_t n)
{
    char path[2 * PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    scratch_write(path, bytes, n);
}

/*
 * Write tensors (a NULL name ends them), config.json unless it is NULL,
 * adapter_config.json unless 'adapter' is NULL, and files that a conversion
 * copies, or does not.
 */
static inline void checkpoint_write(const char *folder_path, const char *config,
                                    const struct checkpoint_tensor *tensors,
                                    size_t n, const char *adapter)
{
    static unsigned char file[1 << 16];
    char folder[PATH_MAX], header[8192] = "{\"__metadata__\":{\"format\":"
                                          "\"pt\"}";
    size_t used = strlen(header), at = 0, length;

    snprintf(folder, sizeof folder, "%s", folder_path);
    mkdir(folder, 0777);
    for (size_t i = 0; i < n && tensors[i].name != NULL; i++) {
        const struct checkpoint_tensor *t = &tensors[i];
        const char *comma = "";

        used += (size_t)snprintf(header + used, sizeof header - used,
                                 ",\"%s\":{\"dtype\":\"%s\",\"shape\":[",
                                 t->name, t->type);
        for (int k = 0; k < 3 && t->shape[k] != 0; k++, comma = ",")
            used += (size_t)snprintf(
                header + used, sizeof header - used, "%s%lld", comma,
                t->shape[k] > 0 ? (long long)t->shape[k] : 0LL);
        used += (size_t)snprintf(header + used, sizeof header - used,
                                 "],\"data_offsets\":[%zu,%zu]}", at,
                                 at + checkpoint_bytes(t));
        at += checkpoint_bytes(t);
    }
    header[used++] = '}';
    CHECK(used < sizeof header && 8 + used + at < sizeof file);
    for (int i = 0; i < 8; i++)
        file[i] = (unsigned char)((uint64_t)used >> 8 * i);
    memcpy(file + 8, header, used);
    length = 8 + used;
    for (size_t i = 0; i < n && tensors[i].name != NULL; i++) {
        checkpoint_fill(file + length, &tensors[i]);
        length += checkpoint_bytes(&tensors[i]);
    }
    checkpoint_put(folder,
                   adapter ? "adapter_model.safetensors" : "model.safetensors",
                   file, length);
    if (config != NULL)
        checkpoint_put(folder, "config.json", config, strlen(config));
    if (adapter != NULL)
        checkpoint_put(folder, "adapter_config.json", adapter, strlen(adapter));
    checkpoint_put(folder, "generation_config.json", "{}", 2);
    checkpoint_put(folder, "old.bin", "x", 1);
}
#endif
