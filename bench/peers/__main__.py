"""Time locant against PyTorch, transformers, onnxruntime and ggml.

    scripts/peers [--quick] [--only TEXT] [--threads N] [--rounds N]
                  [--isa NAME] [--json]

In each round every library that supports a case runs it once.  A ratio is a
peer's time divided by ours in the same round: 2 means that locant is twice as
fast.
"""
import argparse
import os
import sys

GROUPS = ("case_rotation", "case_attention", "case_backward", "case_training",
          "case_models")
MEMORY_TOKENS, QUICK_MEMORY_TOKENS = 4096, 2048


def options():
    cpus = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(
        prog="scripts/peers", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true",
                        help="a few cases, three rounds")
    parser.add_argument("--only", metavar="TEXT", default="",
                        help="cases whose name contains TEXT")
    parser.add_argument("--threads", metavar="N", type=int, default=cpus,
                        help=f"threads of every contender ({cpus})")
    parser.add_argument("--rounds", metavar="N", type=int,
                        help="rounds of each case (7; 3 with --quick)")
    parser.add_argument("--isa", choices=("avx2",),
                        help="let every contender use no more than this "
                        "(ggml's wheel is built for AVX2)")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--build", metavar="FOLDER", default="build",
                        help="where liblocant.so is (build)")
    chosen = parser.parse_args()
    chosen.rounds = chosen.rounds or (3 if chosen.quick else 7)
    if chosen.threads < 1 or chosen.rounds < 1:
        parser.error("--threads and --rounds: at least 1")
    return chosen


def limit_threads(threads):
    """Call this before torch is loaded."""
    for name in ("OMP", "MKL", "OPENBLAS"):
        os.environ[f"{name}_NUM_THREADS"] = str(threads)
    # OpenMP's threads spin for some 0.3 ms between loops, but not for the
    # milliseconds in which other libraries are timed
    os.environ["GOMP_SPINCOUNT"] = "20000"


def limit_isa(isa):
    """No contender uses more than AVX2.  Call this before torch is loaded."""
    if isa:
        os.environ["ATEN_CPU_CAPABILITY"] = isa
        os.environ["ONEDNN_MAX_CPU_ISA"] = isa.upper()
        os.environ["MKL_ENABLE_INSTRUCTIONS"] = isa.upper()
        # compiled kernels of other sets are not read
        os.environ["TORCHINDUCTOR_CACHE_DIR"] += f"-{isa}"


def cpu_name():
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return os.uname().machine


def version_or_error(about):
    try:
        return about()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def describe(locant, chosen):
    import lib_ggml
    import lib_onnx
    import torch
    import transformers
    return {
        "CPU": cpu_name(),
        "threads": chosen.threads,
        "load before": f"{os.getloadavg()[0]:.2f}",
        "contenders": ", ".join([
            locant.about(), f"PyTorch {torch.__version__} "
            f"({torch.backends.cpu.get_cpu_capability()})",
            f"transformers {transformers.__version__}",
            version_or_error(lib_onnx.about),
            version_or_error(lib_ggml.about)]),
        "order": f"{chosen.rounds} rounds, every contender in each; before it "
        "a pause of 20 ms in which the others' threads go to sleep",
        "idle threads": "of OpenMP spin 20000 times (GOMP_SPINCOUNT), of "
        "onnxruntime not at all (allow_spinning 0), of ggml not (poll 0)",
    }


def wanted(case, chosen):
    return chosen.only in case.name and (case.quick or not chosen.quick)


def run(locant, chosen, show):
    """Measure the cases that were asked for; show(rows) is called for each."""
    import case_memory
    import measure
    rows = []
    for group in GROUPS:
        for case in __import__(group).cases(locant, chosen.threads):
            if wanted(case, chosen):
                found = measure.measure(case, chosen.rounds)
                show(found)
                rows += found
    tokens = QUICK_MEMORY_TOKENS if chosen.quick else MEMORY_TOKENS
    if chosen.only in case_memory.name(tokens):
        found = case_memory.rows(chosen.threads, tokens)
        show(found)
        rows += found
    return rows


def main():
    chosen = options()
    limit_threads(chosen.threads)
    limit_isa(chosen.isa)
    os.environ["LOCANT_LIBRARY"] = chosen.build  # children inherit it
    import measure
    import report
    import torch
    from lib_locant import Locant
    torch.set_num_threads(chosen.threads)
    # fail if a function cannot be compiled, rather than run it uncompiled
    torch._dynamo.config.fail_on_recompile_limit_hit = True
    locant = Locant()
    locant.set_threads(chosen.threads)
    if chosen.isa:
        locant.call("set_isa", chosen.isa.encode())
    conditions = describe(locant, chosen)
    if not chosen.json:
        report.print_conditions(conditions)
    rows = run(locant, chosen,
               (lambda found: None) if chosen.json else report.print_rows)
    idle = f"{measure.CLOCK.idle_use():.3f} CPUs"
    conditions["busy at the end of the pauses"] = idle
    if chosen.json:
        report.print_json(conditions, rows)
        return
    report.print_goals(rows)
    print(f"\nbusy at the end of the pauses: {idle}")


if __name__ == "__main__":
    sys.exit(main())
