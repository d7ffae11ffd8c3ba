/* needs: lab */
/*
 * test_model_check.c - every check fires on its planted fault and on nothing
 * else; its mend mends it; published configurations have no error
 */
#define _GNU_SOURCE
#include "../src/families/check.h"
#include "check_findings.h"
#include "gguf_bytes.h"

/* ------------------------------------------------------ the file of cases */

static json_t *read_json(const char *name)
{
    json_error_t error;
    json_t *root = json_load_file(name, 0, &error);

    if (root == NULL)
        FAIL("%s: %s\n", name, error.text);
    return root;
}

static json_t *read_cases(void)
{
    return read_json(LOCANT_SOURCE "/tests/check_cases.json");
}

/* The configuration of a side of a case: its keys, laid over the base. */
static json_t *configuration(const json_t *cases, const json_t *side)
{
    const json_t *with = json_object_get(side, "with");
    json_t *config, *key;
    size_t i;

    if (json_is_true(json_object_get(side, "alone")))
        return json_deep_copy(with);
    config = json_deep_copy(json_object_get(cases, "base"));
    json_array_foreach(json_object_get(side, "without"), i, key)
        json_object_del(config, json_string_value(key));
    json_object_update_new(config, json_deep_copy(with));
    return config;
}

/* The keys of a GGUF file without tensors: texts, bools, U32 and F32. */
static void make_gguf(struct gguf_bytes *f, const json_t *keys)
{
    const char *key;
    json_t *value;

    put_header(f, 3, 0, json_object_size(keys));
    json_object_foreach((json_t *)(uintptr_t)keys, key, value) {
        const float real = (float)json_number_value(value);
        uint32_t bits;

        memcpy(&bits, &real, 4);
        if (json_is_string(value)) {
            put_text(f, key);
            put_number(f, 8, 4);
            put_text(f, json_string_value(value));
        } else if (json_is_real(value)) {
            put_value(f, key, 6, bits, 4);
        } else {
            put_value(f, key, 4, (uint64_t)json_integer_value(value), 4);
        }
    }
    put_zeros(f, 32);
}

static const char *write_json(const char *name, const json_t *value)
{
    const char *path = scratch_file(&dir, name);

    CHECK(json_dump_file(value, path, 0) == 0);
    return path;
}

/* Write the model of a side; its path lives until the fourth file after. */
static const char *write_side(const json_t *cases, const json_t *side)
{
    const json_t *keys = json_object_get(side, "gguf");
    struct gguf_bytes f;
    const char *path;
    json_t *config;

    if (keys != NULL) {
        path = scratch_file(&dir, "model.gguf");
        make_gguf(&f, keys);
        scratch_write(path, f.bytes, f.size);
        return path;
    }
    config = configuration(cases, side);
    path = write_json("config.json", config);
    json_decref(config);
    return path;
}

/* [T], or [A][T] for the ids of A axes, of one row. */
static void fill_ids(locant_tensor *ids, int64_t *data, const json_t *list)
{
    const int64_t A = json_is_array(json_array_get(list, 0))
                          ? (int64_t)json_array_size(list)
                          : 0;
    const json_t *row = A ? json_array_get(list, 0) : list;
    const int64_t T = (int64_t)json_array_size(row);
    const int64_t flat[2] = { 1, T }, axes[3] = { A, 1, T };

    for (int64_t i = 0; i < (A ? A : 1) * T; i++)
        data[i] = json_integer_value(json_array_get(
            A ? json_array_get(list, (size_t)(i / T)) : list, (size_t)(i % T)));
    *ids = locant_dense(data, LOCANT_I64, A ? 3 : 2, A ? axes : flat);
}

/* "D01 L02" of the ids that a side names. */
static const char *wanted(const json_t *side)
{
    static char text[256];
    json_t *id;
    size_t i;

    text[0] = '\0';
    json_array_foreach(json_object_get(side, "ids"), i, id)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                 i > 0 ? " " : "", json_string_value(id));
    return text;
}

static void try_side(const json_t *cases, const json_t *side)
{
    const json_t *other = json_object_get(side, "against");
    const json_t *list = json_object_get(side, "positions");
    locant_check_options o = LOCANT_CHECK_OPTIONS_INIT;
    int64_t data[64];
    locant_tensor ids;

    o.length = json_integer_value(json_object_get(side, "length"));
    if (other != NULL)
        o.other = write_json("other.json", other);
    if (list != NULL) {
        fill_ids(&ids, data, list);
        o.positions = &ids;
    }
    finds(write_side(cases, side), &o, wanted(side));
}

IN_SCRATCH(each_check_fires_on_its_fault_alone)
{
    json_t *cases = read_cases(), *row;
    size_t i;

    json_array_foreach(json_object_get(cases, "cases"), i, row) {
        const char *id = json_string_value(json_object_get(row, "id"));
        const json_t *fires = json_object_get(row, "fires");
        const json_t *silent = json_object_get(row, "silent");

        CHECK(strstr(wanted(fires), id) != NULL);
        CHECK(strstr(wanted(silent), id) == NULL);
        try_side(cases, fires);
        try_side(cases, silent);
    }
    json_decref(cases);
}

/* The checks of tensors, whose cases are in test_model_check_tensors.c and
   test_model_check_fit.c. */
static const char of_tensors[] = "L06 P19 G01 G02 G10 G14 G16 A01 A02 A03 "
                                 "T01 T02 T03";

TEST(every_check_has_a_case)
{
    json_t *cases = read_cases(), *row;
    const locant_check_info *info;

    for (size_t c = 0; (info = locant_model_check_at(c)) != NULL; c++) {
        bool found = strstr(of_tensors, info->id) != NULL;
        size_t i;

        json_array_foreach(json_object_get(cases, "cases"), i, row)
            found |= strcmp(json_string_value(json_object_get(row, "id")),
                            info->id) == 0;
        if (!found)
            FAIL("%s has no case\n", info->id);
    }
    json_decref(cases);
}

/* The table of the guide, made of checks.def. */
TEST(the_guide_lists_every_check)
{
    static const char *const severities[] = { "note", "warning", "error" };
    const locant_check_info *info;
    size_t n, checks = 0, rows = 0;
    char *page =
        scratch_read(LOCANT_SOURCE "/docs/guide/models/wrong-rope.md", &n);
    const char *table;

    page[n] = '\0';
    table = strstr(page, "| check | severity |");
    CHECK(table != NULL);
    for (; (info = locant_model_check_at(checks)) != NULL; checks++) {
        char row[256];

        snprintf(row, sizeof row, "\n| %s | %s | %s |\n", info->id,
                 severities[info->severity], info->title);
        if (strstr(table, row) == NULL)
            FAIL("the guide has no row%s", row);
    }
    for (const char *at = table; (at = strstr(at, "\n| ")) != NULL; at++)
        rows++;
    CHECK(rows == checks);
    free(page);
}

/* ------------------------------------------------------------------ mends */

/* How many findings of the file have a mend that --fix makes. */
static size_t count_fixes(const char *path)
{
    locant_findings f;
    size_t n = 0;

    CHECK_OK(locant_model_check(&f, path, NULL));
    for (size_t i = 0; i < f.n; i++)
        n += f.at[i].fixes != 0;
    locant_findings_free(&f);
    return n;
}

static size_t count_errors(const char *path)
{
    locant_findings f;
    size_t n = 0;

    CHECK_OK(locant_model_check(&f, path, NULL));
    while (n < f.n && f.at[n].severity == LOCANT_FINDING_ERROR)
        n++;
    locant_findings_free(&f);
    return n;
}

IN_SCRATCH(a_mend_mends_and_writes_beside)
{
    json_t *cases = read_cases(), *row;
    size_t i, mended = 0;

    json_array_foreach(json_object_get(cases, "cases"), i, row) {
        const json_t *fires = json_object_get(row, "fires");
        const char *path, *out = scratch_file(&dir, "config.fixed.json");
        size_t fixed, n, before_size, after_size;
        char *before, *after;

        if (json_object_get(fires, "gguf") != NULL)
            continue;
        path = write_side(cases, fires);
        n = count_fixes(path);
        before = scratch_read(path, &before_size);
        CHECK_OK(locant_model_fix(&fixed, path, out));
        after = scratch_read(path, &after_size);
        CHECK(after_size == before_size &&
              memcmp(after, before, after_size) == 0);
        free(before);
        free(after);
        CHECK((fixed > 0) == (n > 0) && fixed >= n);
        if (n == 0) {
            CHECK(access(out, F_OK) != 0);
            continue;
        }
        CHECK(count_fixes(out) == 0);
        CHECK(count_errors(out) <= count_errors(path));
        CHECK(remove(out) == 0);
        mended++;
    }
    /* D03 D05 D06 D07 D09 L03 L05 L07 L12 L19 W02 W04 W11 W16 P03 P13 P22 P25
       G13 X01 X02 at least */
    CHECK(mended >= 21);
    json_decref(cases);
}

static void fix_text(const char *before, const char *after)
{
    const char *path = scratch_file(&dir, "config.json");
    const char *out = scratch_file(&dir, "out.json");
    size_t fixed, n;
    char *got;

    scratch_write(path, before, strlen(before));
    CHECK_OK(locant_model_fix(&fixed, path, out));
    CHECK(fixed > 0);
    got = scratch_read(out, &n);
    if (n != strlen(after) || memcmp(got, after, n) != 0)
        FAIL("got %.*swant %s", (int)n, got, after);
    free(got);
}

IN_SCRATCH(a_mend_changes_nothing_else)
{
    fix_text("{\"z\":0.1,\"model_type\":\"llama\",\"eps\":1e-05,"
             "\"a\":[1,2.0,null],\"e\":{},\"rope_theta\":\"500000\"}",
             "{\n  \"z\": 0.1,\n  \"model_type\": \"llama\",\n"
             "  \"eps\": 1e-05,\n  \"a\": [\n    1,\n    2.0,\n    null\n  ],\n"
             "  \"e\": {},\n  \"rope_theta\": 500000\n}\n");
    /* within a nested configuration */
    fix_text("{\"model_type\":\"llava\",\"text_config\":{\"model_type\":"
             "\"llama\",\"rope_theta\":1e4,\"rope_scaling\":{\"rope_type\":"
             "\"linear\",\"factr\":2.0}}}",
             "{\n  \"model_type\": \"llava\",\n  \"text_config\": {\n"
             "    \"model_type\": \"llama\",\n    \"rope_theta\": 10000.0,\n"
             "    \"rope_scaling\": {\n      \"rope_type\": \"linear\",\n"
             "      \"factor\": 2.0\n    }\n  }\n}\n");
}

IN_SCRATCH(the_configuration_itself_is_never_written_over)
{
    const char *path = scratch_file(&dir, "config.json");
    const char text[] = "{\"model_type\":\"llama\",\"rope_theta\":\"1\"}";
    char want[8192];
    size_t fixed;

    scratch_write(path, text, strlen(text));
    snprintf(want, sizeof want,
             "locant_model_fix: output %s is the configuration itself, which "
             "is never written over",
             path);
    CHECK_REFUSED(locant_model_fix(&fixed, path, path), LOCANT_ERR_PARAM, want);
    CHECK_REFUSED(locant_model_fix(&fixed, dir.path, path), LOCANT_ERR_PARAM,
                  want);
}

/* --------------------------------------------- published configurations */

/* Files that are wrong, or misread by a stack, as they are published. */
static bool is_wrong(const char *name, const char *ids)
{
    static const char *const known[][2] = {
        { "MPT 7B StoryWriter", "P27" },
        { "gpt-oss without rope parameters", "P20" },
        { "DeepSeek V2 Lite", "L15" },
        { "Kimi Linear 48B", "W16" },
        { "MiniMax-M2", "W04" },
    };

    for (size_t i = 0; i < LEN(known); i++)
        if (strcmp(name, known[i][0]) == 0 && strcmp(ids, known[i][1]) == 0)
            return true;
    return false;
}

TEST(published_configurations_have_no_error)
{
    json_t *rows = read_json(LOCANT_SOURCE "/tests/published_plans.json");
    json_t *row;
    size_t i;

    CHECK(json_array_size(rows) > 60);
    json_array_foreach(rows, i, row) {
        const char *name = json_string_value(json_object_get(row, "name"));
        char *text = json_dumps(json_object_get(row, "config"), 0);
        char ids[64] = "";
        locant_findings f;

        CHECK_OK(locant_model_check_text(&f, text, strlen(text), name, NULL));
        for (size_t j = 0; j < f.n; j++)
            /* X01 to X04: a right file has no key that is unknown or
               wrong */
            if (f.at[j].severity == LOCANT_FINDING_ERROR ||
                (f.at[j].id[0] == 'X' && strcmp(f.at[j].id, "X04") <= 0))
                snprintf(ids + strlen(ids), sizeof ids - strlen(ids), "%s",
                         f.at[j].id);
        if (ids[0] != '\0' && !is_wrong(name, ids))
            FAIL("%s: %s\n", name, ids);
        locant_findings_free(&f);
        free(text);
    }
    json_decref(rows);
}

/* The findings of a params.json, whose keys keep their names. */
static void params(const char *text, const char *want, const char *key)
{
    locant_findings f;

    CHECK_OK(locant_model_check_text(&f, text, strlen(text), "x", NULL));
    if (strcmp(ids_of(&f), want) != 0)
        FAIL("%s: got '%s'\n", text, ids_of(&f));
    CHECK(key == NULL || strcmp(f.at[0].key, key) == 0);
    CHECK(strcmp(want, "D09") != 0 ||
          strncmp(f.at[0].sentence, key, strlen(key)) == 0);
    locant_findings_free(&f);
}

#define SIZES "{\"dim\":4096,\"n_layers\":32,\"n_heads\":32"
TEST(params_json_is_checked_under_its_own_names)
{
    params(SIZES ",\"n_kv_heads\":8,\"rope_theta\":500000.0,"
                 "\"use_scaled_rope\":true,\"vocab_size\":128256}",
           "", NULL);
    params(SIZES ",\"n_kv_heads\":5,\"rope_theta\":500000.0}", "W08",
           "n_kv_heads");
    params("{\"dim\":\"4096\",\"n_layers\":32,\"n_heads\":32,"
           "\"rope_theta\":500000.0}",
           "D09", "dim");
    params(SIZES ",\"vocab_size\":128256}", "D04", "rope_theta");
    params(SIZES ",\"head_dim\":128,\"hidden_dim\":14336,"
                 "\"rope_theta\":1e6,\"yarn\":{\"factor\":16,"
                 "\"beta\":1,\"alpha\":32,"
                 "\"original_max_position_embeddings\":16384}}",
           "L19", "yarn.beta");
    params(SIZES ",\"head_dim\":128,\"hidden_dim\":14336,"
                 "\"rope_theta\":1e6,\"yarn\":{\"factor\":16,"
                 "\"beta\":32,\"alpha\":1,"
                 "\"original_max_position_embeddings\":16384}}",
           "", NULL);
}

/* -------------------------------------------------------------- bad input */

/* Put 'value' in place of each key, and each key of a dictionary, in turn. */
static void replace_each(const char *name, json_t *root, json_t *object,
                         const json_t *value)
{
    json_t *keys = json_copy(object), *old;
    const char *key;

    json_object_foreach(keys, key, old) {
        locant_findings f;
        char *text;

        json_object_set_new(object, key, json_deep_copy(value));
        text = json_dumps(root, 0);
        if (locant_model_check_text(&f, text, strlen(text), name, NULL) ==
            LOCANT_OK)
            locant_findings_free(&f);
        free(text);
        json_object_set(object, key, old);
        if (json_is_object(old))
            replace_each(name, root, json_object_get(object, key), value);
    }
    json_decref(keys);
}

TEST(wrong_values_of_every_key_do_no_harm)
{
    json_t *cases = read_cases(), *row, *value;
    json_t *values = json_pack("[n,b,s,i,I,f,f,[],{},[s,f],{s:f}]", 1, "x",
                               LOCANT_STACK_TRUE, (json_int_t)INT64_MAX, 1e308,
                               1e-308, "y", 0.5, "full_attention", 2.0);
    size_t i, j;

    CHECK(json_array_size(values) == 11);
    json_array_foreach(json_object_get(cases, "cases"), i, row) {
        json_t *config = configuration(cases, json_object_get(row, "fires"));

        json_array_foreach(values, j, value)
            replace_each("x", config, config, value);
        json_decref(config);
    }
    json_decref(values);
    json_decref(cases);
}

TEST(no_memory_is_reported_and_nothing_is_kept)
{
    static const char text[] =
        "{\"model_type\":\"llama\",\"rope_scaling\":{\"rope_type\":\"yarn\","
        "\"factor\":4,\"colour\":1}}";
    locant_status status = LOCANT_ERR_NOMEM;
    locant_findings f;

    for (long k = 1; status != LOCANT_OK; k++) {
        CHECK(k < 3000);
        test_memory_fail(k);
        status = locant_model_check_text(&f, text, sizeof text - 1, "x", NULL);
        CHECK(status == LOCANT_OK || status == LOCANT_ERR_NOMEM);
        if (status == LOCANT_OK)
            locant_findings_free(&f);
        CHECK(test_memory_held() == 0);
    }
    test_memory_end();
}
