"""Check that contenders agree, then time them alternately.

A case is a list of contenders that do the same work; the first is ours.  Each
round runs every contender once, for at least MIN_SAMPLE, after a pause in which
the threads of the previous contender go to sleep.  A ratio is the median over
rounds of a contender's time divided by ours in the same round.
"""
import functools
import math
import os
import signal
import statistics
import time
from dataclasses import dataclass, field
from typing import Callable, Optional

import torch

MIN_SAMPLE = .02  # seconds
PAUSE = .02       # between contenders
TRIAL = 30        # seconds that a trial in a child may take
CASE_LIMIT = 15.  # seconds of a case; a slow case has fewer rounds


@dataclass
class Work:
    """The work of a contender: 'run' is timed, 'result' is compared."""
    run: Callable        # a float that it returns is the seconds it took
    result: Optional[Callable] = None
    units: int = 1  # of work in one run


@dataclass
class Contender:
    name: str
    make: Callable       # () -> Work; raises an exception if it cannot
    goal: float = 0      # ours should be this many times as fast; 0: none
    forked: bool = False # try it in a child first: its library may abort


@dataclass
class Case:
    name: str
    unit: str            # "GB/s", "GFLOP/s", "steps/s"
    amount: float        # work of one run: 1e9 units, or steps
    tolerance: float     # for the relative L2 distance from ours
    contenders: list = field(default_factory=list)
    quick: bool = False  # whether --quick includes it


@dataclass
class Row:
    case: str
    contender: str
    unit: str
    cannot: str = ""
    ms: float = math.nan
    speed: float = math.nan
    ratio: float = math.nan  # the contender's time / ours
    low: float = math.nan    # quartiles of the ratio
    high: float = math.nan
    distance: float = math.nan  # of its results from ours
    agrees: bool = True
    goal: float = 0
    rounds: int = 0


class Clock:
    """Pauses, and measures the CPU time that threads use meanwhile."""

    def __init__(self):
        self.rested, self.used = 0., 0.

    def pause(self):
        time.sleep(PAUSE / 2)  # threads may still spin
        wall, cpu = time.perf_counter(), time.process_time()
        time.sleep(PAUSE / 2)
        self.rested += time.perf_counter() - wall
        self.used += time.process_time() - cpu

    def idle_use(self):
        """CPUs busy in the second halves of the pauses."""
        return self.used / self.rested if self.rested else 0.


CLOCK = Clock()


def reason(error):
    """The type and the first line of an error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else ""
    return f"{type(error).__name__}: {text}"[:240]


def try_in_child(make):
    """Make and run a work in a child process; if that fails or dies, raise an
    exception with its output."""
    end, start = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(start, 1)
        os.dup2(start, 2)
        signal.alarm(TRIAL)
        torch.set_num_threads(1)  # a forked child lacks OpenMP's threads
        try:
            make().run()
            os._exit(0)
        except Exception as error:
            os.write(start, reason(error).encode())
            os._exit(1)
    os.close(start)
    with os.fdopen(end, errors="replace") as said:
        lines = [line for line in said.read().splitlines() if line.strip()]
    status = os.waitpid(child, 0)[1]
    if status != 0:
        raise RuntimeError(lines[0] if lines else f"died, status {status}")


def distance(x, y):
    """Relative L2 distance of x from y, lists of tensors."""
    error = sum(((a.double() - b.double()) ** 2).sum() for a, b in zip(x, y))
    return math.sqrt(error / sum((b.double() ** 2).sum() for b in y))


def prepare(case):
    """Rows of all contenders, and their works; None for one that cannot."""
    torch._dynamo.reset()  # otherwise it stops compiling after 8 shapes
    rows, works, ours = [], [], None
    for contender in case.contenders:
        row = Row(case.name, contender.name, case.unit, goal=contender.goal)
        work = None
        try:
            if contender.forked:
                try_in_child(contender.make)
            work = contender.make()
            work.run()
            got = work.result() if work.result else None
            if ours is None:
                ours = got
            elif got is not None:
                row.distance = distance(got, ours)
                row.agrees = row.distance <= case.tolerance
        except Exception as error:
            row.cannot, work = reason(error), None
        rows.append(row)
        works.append(work)
    return rows, works


def sample(work, calls):
    """Seconds of one unit of work, the mean of 'calls' runs."""
    start, counted = time.perf_counter(), 0.
    for _ in range(calls):
        said = work.run()
        counted += said if isinstance(said, float) else 0.
    passed = counted or time.perf_counter() - start
    return passed / calls / work.units


def calls_for(work):
    """How many runs last MIN_SAMPLE."""
    sample(work, 1)
    return max(1, math.ceil(MIN_SAMPLE / (sample(work, 1) * work.units)))


def fill(row, case, times, ours):
    row.ms = statistics.median(times) * 1e3
    row.speed = case.amount / statistics.median(times)
    row.rounds = len(times)
    if ours:
        ratios = sorted(t / o for t, o in zip(times, ours))
        row.ratio = statistics.median(ratios)
        row.low = ratios[len(ratios) // 4]
        row.high = ratios[-1 - len(ratios) // 4]


def measure(case, rounds):
    """The rows of one case."""
    rows, works = prepare(case)
    able = [(row, work, []) for row, work in zip(rows, works) if work]
    if not able:
        return rows
    calls = {}  # runs of a sample
    for row, work, _ in able:
        CLOCK.pause()
        calls[row.contender] = calls_for(work)
    for n in range(rounds):
        began = time.perf_counter()
        # every other round is in reverse, so that predecessors vary
        for row, work, times in able[::-1] if n % 2 else able:
            CLOCK.pause()
            times.append(sample(work, calls[row.contender]))
        if (time.perf_counter() - began) * (n + 2) > CASE_LIMIT and n >= 2:
            break
    ours = able[0][2] if works[0] else None
    for row, _, times in able:
        fill(row, case, times, ours)
    return rows


@functools.lru_cache(maxsize=8)
def seeded(*shape, dtype=torch.float32, seed=1):
    """Normal numbers shared by all contenders; do not write to them."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator).to(dtype)
