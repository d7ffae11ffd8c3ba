#!/bin/sh
# 'locant bench --ranks mpi': what it prints, and what it refuses.
# usage: bench.sh MPIEXEC LOCANT
launcher=${1:?usage: bench.sh MPIEXEC LOCANT}
. "$(dirname "$0")/ranks.sh"

# The numbers of JSON FILE, of so many ranks, are there and agree.
judge='
import json, math, sys
with open(sys.argv[1]) as f:
    found = json.load(f)
ranks = int(sys.argv[2])
assert found["ranks"] == ranks and found["threads"] > 0 and found["mpi"]
latency, speed = found["latency_seconds"], found["bytes_per_second"]
assert latency > 0 and speed > 0
assert [x["bytes"] for x in found["sums"]] == [4000, 720000]
for x in found["sums"]:
    assert x["tree_seconds"] > 0 and x["allreduce_seconds"] > 0, x
assert found["gathers"][0]["seconds"] > 0
flops = 16 * (6 * .18e6 * 128 + 7 * 128 ** 2 * 64 * 3) / found["flops_per_second"]
for x in found["efficiencies"]:
    p = x["ranks"]
    assert 0 < x["efficiency"] < 1, x
    if x["load"] == "S 0.18M, 16 x 128":
        sent = 8 * .18e6 * (p - 1) / p / speed + 2 * (p - 1) * latency
        want = flops / p / (flops / p + sent)
        assert math.isclose(x["efficiency"], want, rel_tol=1e-9), (x, want)
assert {x["ranks"] for x in found["efficiencies"]} == {ranks, 2, 4, 8, 16, 32}
'
for n in 2 3; do
    ranks $n bench --ranks mpi --quick --json > json 2> log
    exits 0 $? "$n ranks"
    verdict 'with numbers that agree' \
        "$(python3 -c "$judge" json $n 2>&1 || cat json)"
done
ranks 2 bench --ranks mpi --quick > text 2> log
exits 0 $? 'the text'
verdict 'is printed once, with two sums and nine efficiencies' \
    "$([ "$(grep -c 'ranks of .*MPI' text)" = 1 ] &&
       [ "$(grep -Ec '^ *[0-9]+ B  .* ms  .* ms  .*[0-9]$' text)" = 2 ] &&
       [ "$(grep -Ec '^(S|M|L|GPT-2).* 0\.[0-9]{3}' text)" = 9 ] || cat text)"
verdict 'on stdout alone' "$(cat log)"
ranks 1 bench --ranks mpi --quick > log 2>&1
exits 2 $? 'one rank'
says 'there is 1 rank, expected at least 2'
ranks 2 bench --ranks mpi --only rotate > log 2>&1
exits 2 $? 'an option of rows'
says 'bench: --only is for rows, --ranks mpi times messages'
verdict 'said once' "$([ "$(grep -c 'locant: ' log)" = 1 ] || cat log)"
exit $failed
