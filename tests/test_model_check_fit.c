/* needs: lab */
/*
 * test_model_check_fit.c - T01 to T03 say what 'locant model logits' refuses:
 * each fixture fits, and with any of its tensors under another name or
 * transposed, the check speaks where the model cannot be opened, in the same
 * sentence, and is silent where it can
 */
#define _GNU_SOURCE
#include "net_case.h"
#include "scratch_case.h"
#include <dirent.h>
#include <jansson.h>

/* model.safetensors of a fixture: its header, and what stands behind it. */
struct file {
    json_t *header;
    char *all;
    const char *data;
    size_t bytes;
};

static struct file read_file(const char *name)
{
    char path[1024];
    struct file f;
    uint64_t length = 0;
    size_t n;

    snprintf(path, sizeof path, "%s/model.safetensors", fixture(name));
    f.all = scratch_read(path, &n);
    for (int i = 7; i >= 0; i--)
        length = length << 8 | (unsigned char)f.all[i];
    f.header = json_loadb(f.all + 8, length, 0, NULL);
    CHECK(f.header != NULL);
    f.data = f.all + 8 + length;
    f.bytes = n - 8 - length;
    return f;
}

static void end_file(struct file *f)
{
    json_decref(f->header);
    free(f->all);
}

/* Write it with this header. */
static void write_file(const struct file *f, const json_t *header)
{
    char *text = json_dumps(header, JSON_COMPACT), *out;
    const size_t n = strlen(text);

    out = malloc(8 + n + f->bytes);
    CHECK(out != NULL);
    for (int i = 0; i < 8; i++)
        out[i] = (char)((uint64_t)n >> 8 * i);
    memcpy(out + 8, text, n);
    memcpy(out + 8 + n, f->data, f->bytes);
    scratch_write(scratch_file(&dir, "model.safetensors"), out,
                  8 + n + f->bytes);
    free(out);
    free(text);
}

static void copy_config(const char *name)
{
    char path[1024];
    size_t n;
    char *text;

    snprintf(path, sizeof path, "%s/config.json", fixture(name));
    text = scratch_read(path, &n);
    scratch_write(scratch_file(&dir, "config.json"), text, n);
    free(text);
}

/* The finding of tensors; NULL if there is none. */
static const locant_finding *find(const locant_findings *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->at[i].id[0] == 'T')
            return &f->at[i];
    return NULL;
}

/* Checks that tell of these tensors in words of their own. */
static bool told(const locant_findings *f)
{
    static const char others[] = "L09 W07 W08 W14 P19 P21";

    for (size_t i = 0; i < f->n; i++)
        if (strstr(others, f->at[i].id) != NULL)
            return true;
    return false;
}

/* Does the folder open, and does the check agree?  *refused counts. */
static void agree(const char *what, const char *tensor, int *refused)
{
    locant_model *m;
    const locant_status status = locant_model_open(&m, dir.path, LOCANT_F32);
    char error[1024];
    locant_findings f;
    const locant_finding *t;

    snprintf(error, sizeof error, "%s", locant_last_error());
    locant_model_close(m);
    CHECK_OK(locant_model_check(&f, dir.path, NULL));
    t = find(&f);
    if (status == LOCANT_OK ? t != NULL : t == NULL && !told(&f))
        FAIL("%s %s: opening gives %d, '%s', and the check '%s'\n", what,
             tensor, (int)status, status == LOCANT_OK ? "" : error,
             t != NULL ? t->sentence : "nothing");
    if (t != NULL) {
        CHECK(status == LOCANT_ERR_FORMAT && strstr(error, "tensor ") &&
              strstr(t->sentence, strstr(error, "tensor ")) != NULL);
        CHECK((strstr(error, "there is no tensor") != NULL) ==
              (strcmp(t->id, "T01") == 0));
        CHECK(t->severity == LOCANT_FINDING_ERROR);
        *refused += 1;
    }
    locant_findings_free(&f);
}

/* The header with a tensor under another name. */
static json_t *renamed(const json_t *header, const char *name)
{
    json_t *out = json_copy((json_t *)header);
    char other[512];

    snprintf(other, sizeof other, "%s_", name);
    json_object_set(out, other, json_object_get(header, name));
    json_object_del(out, name);
    return out;
}

/* The header with a matrix whose sides change places; NULL if that is the same
   matrix. */
static json_t *transposed(const json_t *header, const char *name)
{
    json_t *out = json_deep_copy(header);
    json_t *shape = json_object_get(json_object_get(out, name), "shape");
    const json_t *first = json_array_get(shape, 0);
    const json_int_t rows = json_integer_value(first);

    if (json_array_size(shape) != 2 ||
        rows == json_integer_value(json_array_get(shape, 1))) {
        json_decref(out);
        return NULL;
    }
    json_array_append_new(shape, json_integer(rows));
    json_array_remove(shape, 0);
    return out;
}

/* Every second tensor of a fixture, from 'first' on. */
static void try_fixture(const char *name, int first, int *lacking, int *misfit)
{
    struct file f = read_file(name);
    const char *tensor;
    json_t *value;
    int none = 0, i = first;

    copy_config(name);
    write_file(&f, f.header);
    agree(name, "as it is", &none);
    CHECK(none == 0);
    json_object_foreach(f.header, tensor, value) {
        json_t *other;

        if (strcmp(tensor, "__metadata__") == 0 || i++ % 2 != 0)
            continue;
        other = renamed(f.header, tensor);
        write_file(&f, other);
        agree(name, tensor, lacking);
        json_decref(other);
        other = transposed(f.header, tensor);
        if (other != NULL) {
            write_file(&f, other);
            agree(name, tensor, misfit);
        }
        json_decref(other);
    }
    end_file(&f);
}

IN_SCRATCH(a_fault_of_any_tensor_is_what_opening_refuses)
{
    DIR *all = opendir(FIXTURES);
    const struct dirent *entry;
    int lacking = 0, misfit = 0, first = 0;

    CHECK(all != NULL);
    while ((entry = readdir(all)) != NULL)
        if (entry->d_name[0] != '.')
            try_fixture(entry->d_name, first++ % 2, &lacking, &misfit);
    closedir(all);
    /* 1,387 and 603 of all tensors */
    CHECK(lacking > 600 && misfit > 250);
}

/* The ids of findings on tensors: "", "T01" or "T02". */
static const char *found(const char *path)
{
    static char id[8];
    locant_findings f;

    CHECK_OK(locant_model_check(&f, path, NULL));
    snprintf(id, sizeof id, "%s", find(&f) != NULL ? find(&f)->id : "");
    locant_findings_free(&f);
    return id;
}

/* A configuration alone, weights that are packed as whole numbers, and some
   tensors of a model have none. */
IN_SCRATCH(what_cannot_be_judged_is_silent)
{
    struct file f = read_file("llama");
    const char *tensor = "model.layers.0.self_attn.q_proj.weight";
    json_t *one = json_deep_copy(f.header), *value, *part = json_object();

    copy_config("llama");
    write_file(&f, f.header);
    assert_string_equal(found(dir.path), "");
    value = json_object_get(one, tensor);
    json_array_set_new(json_object_get(value, "shape"), 1, json_integer(16));
    json_object_set_new(value, "dtype", json_string("U8"));
    write_file(&f, one);
    assert_string_equal(found(dir.path), "");
    json_object_set_new(value, "dtype", json_string("F8_E4M3"));
    write_file(&f, one);
    assert_string_equal(found(dir.path), "T02");
    assert_string_equal(found(scratch_file(&dir, "config.json")), "");
    json_object_set(part, tensor, value);
    f.data += json_integer_value(
        json_array_get(json_object_get(value, "data_offsets"), 0));
    f.bytes = 8 * 16;
    json_object_set_new(value, "data_offsets", json_pack("[i, i]", 0, 8 * 16));
    write_file(&f, part);
    assert_string_equal(found(dir.path), "");
    json_decref(part);
    json_decref(one);
    end_file(&f);
}

/* Put a byte at 'offset' behind the first 'word' of a file. */
static void poke(const char *path, const char *word, size_t offset, char byte)
{
    size_t n;
    char *file = scratch_read(path, &n);
    char *at = memmem(file, n, word, strlen(word));

    CHECK(at != NULL);
    at[strlen(word) + offset] = byte;
    scratch_write(path, file, n);
    free(file);
}

IN_SCRATCH(a_gguf_is_judged_by_its_own_names)
{
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    const char *out = scratch_file(&dir, "out");
    const char *path = scratch_file(&dir, "out/model.gguf");
    locant_conversion done;

    o.format = LOCANT_MODEL_GGUF;
    CHECK_OK(locant_model_convert(&done, fixture("llama"), out, &o));
    assert_string_equal(found(path), "");
    /* behind the key its type, 4 bytes, and 12 in 4 bytes */
    poke(path, "llama.feed_forward_length", 4, 11);
    assert_string_equal(found(path), "T02");
    poke(path, "llama.feed_forward_length", 4, 12);
    assert_string_equal(found(path), "");
    poke(path, "blk.1.ffn_u", 0, 'q');
    assert_string_equal(found(path), "T01");
}

/* A key that says nothing of positions, but without which nothing runs. */
IN_SCRATCH(a_key_of_a_run_is_judged_where_the_weights_are)
{
    static const struct {
        const char *name, *key, *word;
        json_int_t number;
    } cases[] = {
        { "llama", "hidden_act", "hidden_act is 5, expected a text", 5 },
        { "mixtral", "num_experts_per_tok", "num_experts_per_tok", 99 }
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct file f = read_file(cases[i].name);
        const char *path = scratch_file(&dir, "config.json");
        locant_findings all;
        json_t *config;

        copy_config(cases[i].name);
        write_file(&f, f.header);
        assert_string_equal(found(dir.path), "");
        config = json_load_file(path, 0, NULL);
        json_object_set_new(config, cases[i].key,
                            json_integer(cases[i].number));
        CHECK(json_dump_file(config, path, 0) == 0);
        json_decref(config);
        assert_string_equal(found(path), "");
        CHECK_OK(locant_model_check(&all, dir.path, NULL));
        CHECK(find(&all) != NULL && strcmp(find(&all)->id, "T03") == 0 &&
              strstr(find(&all)->sentence, cases[i].word) != NULL);
        locant_findings_free(&all);
        end_file(&f);
    }
}

static locant_status check_folder(const void *path)
{
    locant_findings f;
    const locant_status status = locant_model_check(&f, path, NULL);

    if (status == LOCANT_OK)
        locant_findings_free(&f);
    return status;
}

TEST(no_memory_is_reported_and_nothing_is_kept)
{
    check_no_memory(check_folder, fixture("qwen2"));
    check_no_memory(check_folder, fixture("t5"));
}
