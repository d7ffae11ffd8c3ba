#!/usr/bin/env python3
"""A store of nine seeds that took no training, for test_page_claims.py.

usage: more_seeds.py FROM TO

FROM is the store of the report of preset smoke, with one seed.  TO gets its
text, and its runs nine times, with seeds 1 to 9 and invented losses, so that a
report of nine seeds has all kinds of claims: losses rise, fall, change by
little, may do either, are undefined or not judged.
"""
import os
import shutil
import sqlite3
import sys

import numpy as np

SEEDS = 9
# Of each encoding: nats that its loss is higher by, that it rises by with each
# doubling, by how much that varies between seeds, and what its context is
# worth.
LAW = {
    "none": (0.5, 0.0, 0.001, 0.1), "learned(length=128)": (0.4, 0, 0.001, 1),
    "sinusoidal": (0.3, 0.3, 0.02, 1), "rope": (0.0, 0.2, 0.02, 1),
    "rope(base=128)": (0.001, 0.05, 0.3, 1), "alibi": (0.05, 0.003, 0.0003, 1),
    "t5": (0.02, -0.05, 0.003, 1), "kerple": (0.05, 0.0, 0.003, 1),
}


def columns(db, table):
    return [row[1] for row in db.execute(f"PRAGMA table_info({table})")]


def copy(db, table, where, **changed):
    """Copy rows with some columns changed; NULL ids are new."""
    names = columns(db, table)
    values = ", ".join(f":{n}" if n in changed else n for n in names)
    return db.execute(f"INSERT INTO {table} SELECT {values} FROM {table} "
                      f"WHERE {where}", changed).lastrowid


def copy_run(db, run, seed):
    """The same run of another seed."""
    key, options = db.execute("SELECT key, options FROM runs WHERE id = ?",
                              (run,)).fetchone()
    new = copy(db, "runs", f"id = {run}", id=None, seed=seed,
               key=key.replace(";seed=1;", f";seed={seed};"),
               options=options.replace('"seed":1,', f'"seed":{seed},'))
    for table in ("metrics", "gradients"):
        copy(db, table, f"run = {run}", run=new)
    for (old,) in db.execute("SELECT id FROM evaluations WHERE run = ?",
                             (run,)).fetchall():
        made = copy(db, "evaluations", f"id = {old}", id=None, run=new)
        for table in ("curves", "losses"):
            copy(db, table, f"evaluation = {old}", evaluation=made)
    return new


def invent(db, run, random):
    """Losses by the law of the run's encoding."""
    spec, = db.execute("SELECT encoding FROM runs WHERE id = ?", (run,)).fetchone()
    base, rise, varies, worth = LAW[spec]
    own, slope = 0.01 * random.standard_normal(), rise
    slope += varies * random.standard_normal()
    for evaluation, protocol, length, block in db.execute(
            "SELECT evaluation, protocol, length, block FROM losses WHERE loss "
            "IS NOT NULL AND evaluation IN (SELECT id FROM evaluations WHERE "
            "run = ?) ORDER BY evaluation, protocol, length, block",
            (run,)).fetchall():
        loss = (2 + base + own + 0.1 * np.sin(block) +
                slope * np.log2(length / 128) * (protocol in ("P1", "P3")) +
                worth * (protocol == "replaced") +
                0.001 * random.standard_normal())
        db.execute("UPDATE losses SET loss = ? WHERE evaluation = ? AND "
                   "protocol = ? AND length = ? AND block = ?",
                   (float(loss), evaluation, protocol, length, block))
    db.execute(
        "UPDATE curves SET loss = (SELECT avg(loss) FROM losses l WHERE "
        "l.evaluation = curves.evaluation AND l.protocol = curves.protocol AND "
        "l.length = curves.length) WHERE protocol != 'P2' AND loss IS NOT NULL "
        "AND evaluation IN (SELECT id FROM evaluations WHERE run = ?)", (run,))
    for column, protocol in (("own_window", "P4"), ("shuffled", "shuffled")):
        db.execute(
            f"UPDATE evaluations SET {column} = (SELECT loss FROM curves WHERE "
            "evaluation = id AND protocol = ?) WHERE run = ? AND "
            f"{column} IS NOT NULL", (protocol, run))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, to = sys.argv[1:]
    os.makedirs(os.path.join(to, "checkpoints"), exist_ok=True)
    shutil.copytree(os.path.join(source, "texts"), os.path.join(to, "texts"))
    old = sqlite3.connect(os.path.join(source, "runs.db"))
    db = sqlite3.connect(os.path.join(to, "runs.db"))
    old.backup(db)
    random = np.random.default_rng(1)
    runs = [run for run, in db.execute(
        "SELECT id FROM runs WHERE key LIKE '%width=32,heads=4%;seed=1;%' AND "
        "source = 'text' AND parent IS NULL AND length = 128 AND "
        "id IN (SELECT run FROM evaluations WHERE lengths = '') "
        "ORDER BY encoding")]
    for run in runs:
        name = f"checkpoints/run-{run}.safetensors"
        shutil.copy(os.path.join(source, name), os.path.join(to, name))
        made = [copy_run(db, run, seed) for seed in range(2, SEEDS + 1)]
        for one in made:  # a run without a checkpoint is not done
            os.link(os.path.join(to, name), os.path.join(
                to, f"checkpoints/run-{one}.safetensors"))
        for one in (run, *made):
            invent(db, one, random)
    db.commit()


if __name__ == "__main__":
    main()
