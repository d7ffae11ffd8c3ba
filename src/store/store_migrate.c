/*
 * store_migrate.c - the schema of the database of runs, and the scripts that
 * bring an older one up to date.
 *
 * A new store is an empty one that went through every version, so new and
 * migrated schemas are identical. docs/STORE.md describes tables and columns.
 *
 * All scripts run in one transaction that also sets the version (PRAGMA
 * user_version): a killed process leaves the old schema or the new one.
 *
 * No table is dropped while another refers to it: with foreign_keys on, SQLite
 * would delete the rows that refer to it. A process of an older locant that has
 * the store open can go on training: runs keep their columns, and new ones have
 * defaults. New values of a step are in a table of their own, because an older
 * locant inserts into metrics by the number of columns.
 */
#include "store.h"

/* application_id 1280262990 is "LOCN" */
static const char version_1[] =
    "CREATE TABLE runs ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " key TEXT NOT NULL UNIQUE,"
    " status TEXT NOT NULL CHECK (status IN"
    "  ('running', 'interrupted', 'done', 'failed')),"
    " encoding TEXT NOT NULL, model TEXT NOT NULL,"
    " corpus_sha256 TEXT NOT NULL, seed INTEGER NOT NULL,"
    " step INTEGER NOT NULL, steps INTEGER NOT NULL,"
    " batch INTEGER NOT NULL, length INTEGER NOT NULL,"
    " parameters INTEGER NOT NULL, encoding_parameters INTEGER NOT NULL,"
    " bytes INTEGER NOT NULL, seconds REAL NOT NULL,"
    " batch_checksum TEXT NOT NULL, message TEXT,"
    " started TEXT NOT NULL);"
    "CREATE TABLE metrics ("
    " run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    " step INTEGER NOT NULL, loss REAL, grad_norm REAL, rate REAL,"
    " PRIMARY KEY (run, step)) WITHOUT ROWID;"
    "CREATE TABLE evaluations ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    " corpus_sha256 TEXT NOT NULL, want INTEGER NOT NULL,"
    " blocks INTEGER NOT NULL, own_window REAL, valid REAL, shuffled REAL,"
    " causality REAL, tokens_per_second REAL,"
    " UNIQUE (run, corpus_sha256, want));"
    "CREATE TABLE evaluation_lengths ("
    " evaluation INTEGER NOT NULL REFERENCES evaluations ON DELETE CASCADE,"
    " length INTEGER NOT NULL, loss REAL,"
    " PRIMARY KEY (evaluation, length)) WITHOUT ROWID;"
    "CREATE TABLE evaluation_positions ("
    " evaluation INTEGER NOT NULL REFERENCES evaluations ON DELETE CASCADE,"
    " bucket INTEGER NOT NULL, loss REAL,"
    " PRIMARY KEY (evaluation, bucket)) WITHOUT ROWID;"
    "CREATE TABLE evaluation_blocks ("
    " evaluation INTEGER NOT NULL REFERENCES evaluations ON DELETE CASCADE,"
    " length INTEGER NOT NULL, block INTEGER NOT NULL, loss REAL,"
    " PRIMARY KEY (evaluation, length, block)) WITHOUT ROWID;"
    "PRAGMA application_id = 1280262990;"
    "PRAGMA user_version = 1;";

static const char version_2[] =
    "CREATE TABLE corpora ("
    " sha256 TEXT NOT NULL PRIMARY KEY,"
    " kind TEXT NOT NULL, paths TEXT NOT NULL, seed INTEGER NOT NULL,"
    " max_bytes INTEGER NOT NULL) WITHOUT ROWID;"
    "ALTER TABLE runs ADD COLUMN"
    " parent INTEGER REFERENCES runs ON DELETE SET NULL;"
    "ALTER TABLE runs ADD COLUMN source TEXT NOT NULL DEFAULT 'text';"
    "ALTER TABLE runs ADD COLUMN options TEXT;"
    "CREATE INDEX runs_parent ON runs (parent);"
    /* run, corpus and blocks alone no longer identify an evaluation */
    "ALTER TABLE evaluations RENAME TO evaluations_1;"
    "CREATE TABLE evaluations ("
    " id INTEGER PRIMARY KEY,"
    " run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    " corpus_sha256 TEXT NOT NULL, want INTEGER NOT NULL,"
    " encoding TEXT NOT NULL DEFAULT '', policy TEXT NOT NULL DEFAULT '',"
    " lengths TEXT NOT NULL DEFAULT '',"
    " blocks INTEGER NOT NULL, own_window REAL, valid REAL, shuffled REAL,"
    " causality REAL, tokens_per_second REAL,"
    " UNIQUE (run, corpus_sha256, want, encoding, policy, lengths));"
    "INSERT INTO evaluations (id, run, corpus_sha256, want, blocks, own_window,"
    " valid, shuffled, causality, tokens_per_second)"
    " SELECT id, run, corpus_sha256, want, blocks, own_window, valid, shuffled,"
    " causality, tokens_per_second FROM evaluations_1;"
    "CREATE TABLE curves ("
    " evaluation INTEGER NOT NULL REFERENCES evaluations ON DELETE CASCADE,"
    " protocol TEXT NOT NULL, length INTEGER NOT NULL, loss REAL,"
    " PRIMARY KEY (evaluation, protocol, length)) WITHOUT ROWID;"
    "INSERT INTO curves"
    " SELECT evaluation, 'P1', length, loss FROM evaluation_lengths;"
    "INSERT INTO curves"
    " SELECT evaluation, 'P2', 32 * bucket, loss FROM evaluation_positions;"
    "CREATE TABLE losses ("
    " evaluation INTEGER NOT NULL REFERENCES evaluations ON DELETE CASCADE,"
    " protocol TEXT NOT NULL, length INTEGER NOT NULL,"
    " block INTEGER NOT NULL, loss REAL,"
    " PRIMARY KEY (evaluation, protocol, length, block)) WITHOUT ROWID;"
    "INSERT INTO losses"
    " SELECT evaluation, 'P1', length, block, loss FROM evaluation_blocks;"
    "DROP TABLE evaluation_blocks;"
    "DROP TABLE evaluation_positions;"
    "DROP TABLE evaluation_lengths;"
    "DROP TABLE evaluations_1;"
    "CREATE TABLE task_scores ("
    " run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    " task TEXT NOT NULL, setting TEXT NOT NULL, encoding TEXT NOT NULL,"
    " test_seed INTEGER NOT NULL, length INTEGER NOT NULL,"
    " place INTEGER NOT NULL, items INTEGER NOT NULL, exact INTEGER NOT NULL,"
    " tokens INTEGER NOT NULL, hits INTEGER NOT NULL, loss REAL,"
    " PRIMARY KEY (run, task, setting, encoding, test_seed, length, place))"
    " WITHOUT ROWID;"
    "CREATE TABLE probes ("
    " run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    " name TEXT NOT NULL, setting TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY (run, name, setting)) WITHOUT ROWID;"
    "CREATE TABLE plans ("
    " key TEXT NOT NULL PRIMARY KEY, plan TEXT NOT NULL, made TEXT NOT NULL)"
    " WITHOUT ROWID;"
    "PRAGMA user_version = 2;";

static const char version_3[] =
    "CREATE TABLE gradients ("
    " run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    " step INTEGER NOT NULL, part TEXT NOT NULL, norm REAL,"
    " PRIMARY KEY (run, step, part)) WITHOUT ROWID;"
    "PRAGMA user_version = 3;";

static const char version_4[] = "ALTER TABLE runs ADD COLUMN build TEXT;"
                                "PRAGMA user_version = 4;";

/* Texts have a table of their own because an older locant inserts into corpora
   by the number of columns. */
static const char version_5[] =
    "CREATE TABLE texts ("
    " sha256 TEXT NOT NULL PRIMARY KEY,"
    " train_bytes INTEGER NOT NULL, valid_bytes INTEGER NOT NULL,"
    " test_bytes INTEGER NOT NULL, files INTEGER NOT NULL,"
    " folders TEXT NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;"
    /* A sitting is a session of training, identified by its first step. Its
       instruction set decides the bits of the result. */
    "CREATE TABLE sittings ("
    " run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    " step INTEGER NOT NULL, isa TEXT NOT NULL, started TEXT NOT NULL,"
    " PRIMARY KEY (run, step)) WITHOUT ROWID;"
    "CREATE TABLE studies ("
    " id INTEGER PRIMARY KEY, configuration TEXT NOT NULL,"
    " corpus_sha256 TEXT NOT NULL, origin TEXT NOT NULL CHECK (origin IN"
    "  ('here', 'imported')), study TEXT NOT NULL, made TEXT NOT NULL,"
    " UNIQUE (configuration, corpus_sha256, origin));"
    "PRAGMA user_version = 5;";

/* Script i leads from version i to version i + 1. */
static const char *const scripts[LCT_STORE_VERSION] = { version_1, version_2,
                                                        version_3, version_4,
                                                        version_5 };

int lct_store_make_schema(sqlite3 *db, int64_t from, int64_t to)
{
    int code = SQLITE_OK;

    for (; from < to && code == SQLITE_OK; from++)
        code = sqlite3_exec(db, scripts[from], NULL, NULL, NULL);
    return code;
}
