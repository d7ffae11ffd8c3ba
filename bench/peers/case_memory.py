"""Peak memory of attention forward and backward with a learned T5 bias.

Each contender runs in a process of its own.  With all inputs in memory it makes
one call, and reports by how much its resident set rose at most, less the bytes
of its outputs: out, the log-sum-exp of ours, and the gradients.  The time of
the call is shown, too.
"""
import os
import subprocess
import sys
import time

import torch

import attention as peer
import case_backward
from attention import Problem
from measure import Row, reason

MIB = 1 << 20
WARM = 256  # tokens of a first call, which loads what every call needs


def resident(field):
    with open("/proc/self/status") as status:
        lines = dict(line.split(":", 1) for line in status)
    return int(lines[field].split()[0]) * 1024


def forget_peak():
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")


def ours(p, locant):
    """A function that runs forward and backward, and the bytes of outputs that
    it adds to the resident set: 0, because they are touched here."""
    problem = peer.ours(locant, p)
    problem.prepare_backward(case_backward.dout(p))
    for tensor in (problem.out, problem.lse, *problem.gradients):
        tensor.zero_()

    def run():
        problem.forward()
        problem.backward()
    return run, 0


def sdpa(p, learned):
    leaves = [x.clone().requires_grad_() for x in p.qkv()]
    table = p.table().clone().requires_grad_(learned)
    given = case_backward.dout(p)
    if learned:
        leaves.append(table)

    def run():
        bias = peer.bias_tensor(p, table)
        out = peer.sdpa(p, leaves[:3], bias)
        return out, torch.autograd.grad(out, leaves, given)
    return run, 4 * given.nbytes


def child(who, tokens, threads):
    """Print peak bytes and seconds."""
    import lib_locant
    torch.set_num_threads(threads)
    locant = lib_locant.Locant()
    locant.set_threads(threads)
    make = {"ours": lambda p: ours(p, locant),
            "sdpa": lambda p: sdpa(p, False),
            "sdpa-learned": lambda p: sdpa(p, True)}[who]
    make(Problem(64, True, "t5", tokens=WARM, keys=WARM))[0]()
    run, outputs = make(Problem(64, True, "t5", tokens=tokens, keys=tokens))
    forget_peak()
    before, start = resident("VmRSS"), time.perf_counter()
    run()
    seconds = time.perf_counter() - start
    print(max(0, resident("VmHWM") - before - outputs), seconds)


def measured(who, tokens, threads):
    # makes malloc() take large blocks from the system, not from freed memory
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"}
    done = subprocess.run([sys.executable, __file__, who, str(tokens),
                           str(threads)], capture_output=True, text=True,
                          env=environment)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise RuntimeError(said[-1] if said else
                           f"died, status {done.returncode}")
    peak, seconds = done.stdout.split()
    return int(peak), float(seconds)


def name(tokens):
    return f"memory [1,8,{tokens},64] f32 causal t5, forward and backward"


def rows(threads, tokens):
    found = []
    for contender, who in (("locant", "ours"), ("SDPA, bias as data", "sdpa"),
                           ("SDPA, table learned", "sdpa-learned")):
        row = Row(name(tokens), contender, "MiB", rounds=1)
        found.append(row)
        try:
            peak, seconds = measured(who, tokens, threads)
            row.ms, row.speed = seconds * 1e3, peak / MIB
            row.ratio = row.ms / found[0].ms
        except Exception as error:
            row.cannot = reason(error)
    return found


if __name__ == "__main__":
    child(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
