"""Positions of the nodes of a graph: eigenvectors of a Laplacian, return
probabilities of a random walk, distances.

The results are parameters of the encodings "laplacian", "random-walk" and
"graph".  liblocant_lab computes them (eigenvectors by OpenBLAS).
"""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import Array, accept, result, view
from ._c import Status
from ._c_lab import Laplacian
from ._library import Error, lab
from ._values import real, whole

__all__ = ["Graph", "GraphInfo"]


@dataclass(frozen=True)
class GraphInfo:
    """What the list of edges contained.

    edges       pairs {i, j}, each counted once
    repeated    rows that repeat a pair, (j, i) included
    self_loops  rows (i, i), ignored
    isolated    nodes without an edge
    components  connected parts
    """

    nodes: int
    edges: int
    repeated: int
    self_loops: int
    isolated: int
    components: int


class Graph:
    """A simple undirected graph of 'nodes' nodes.

    edges  int64 or int32 [E, 2]; (i, j) and (j, i) are one edge, (i, i) is
           ignored

    Errors: ERR_PARAM (a node that does not exist), ERR_SHAPE, ERR_DTYPE,
    ERR_UNSUPPORTED (this build has no lab).
    """

    __slots__ = ("handle", "info", "_free")

    def __init__(self, edges: Any, nodes: int, *, copy: bool = False) -> None:
        if isinstance(edges, (list, tuple)):
            edges = np.asarray(edges, np.int64).reshape(len(edges), -1) \
                if len(edges) else np.empty((0, 2), np.int64)
        edges, _ = accept(edges, "edges", copy, codes=(4, 5))
        library = lab()
        handle = ctypes.c_void_p()
        library.locant_graph_create(ctypes.byref(handle), view(edges, "edges"),
                                    whole(nodes, "nodes", -2**63))
        self._free = library.locant_graph_free
        self.handle = handle
        found = library.locant_graph_info_of(handle).contents
        self.info = GraphInfo(*(getattr(found, name)
                                for name, _ in found._fields_))

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self._free(self.handle)

    def laplacian(self, k: int, kind: str = "symmetric",
                  drop_trivial: bool = False) -> tuple[Array, Array, Array]:
        """The k smallest eigenvalues [k] of a Laplacian, their eigenvectors
        [N, k], and degenerate [k]: 0 for a simple eigenvalue, g for the columns
        that span the g-th eigenspace, -g if they span a part of it.

        kind          "symmetric", "combinatorial", "random-walk"
        drop_trivial  leave out the first vector

        Errors: ERR_PARAM, ERR_IO (no OpenBLAS), ERR_UNSUPPORTED (too many
        nodes).
        """
        kinds = {m.name.lower().replace("_", "-"): m for m in Laplacian}
        if kind not in kinds:
            raise Error(Status.ERR_PARAM, f"locant: kind is {kind!r}, expected "
                        + ", ".join(kinds))
        k = whole(k, "k")
        values = result(None, (k,), np.float64)
        vectors = result(None, (self.info.nodes, k), np.float64)
        degenerate = result(None, (k,), np.int32)
        lab().locant_graph_laplacian(
            view(values, "values"), view(vectors, "vectors"),
            view(degenerate, "degenerate"), self.handle, kinds[kind],
            int(bool(drop_trivial)))
        return values, vectors, degenerate

    def random_walk(self, steps: int, space_dim: float = 0) -> Array:
        """The probability that a walk from a node is back after 1 .. steps
        steps, times k^(space_dim / 2), float64 [N, steps]."""
        out = result(None, (self.info.nodes, whole(steps, "steps")), np.float64)
        lab().locant_graph_random_walk(view(out, "out"), self.handle,
                                       real(space_dim, "space_dim"))
        return out

    def hops(self) -> Array:
        """Edges on a shortest path from each node to each, int64 [N, N]; -1:
        there is none."""
        out = result(None, (self.info.nodes,) * 2, np.int64)
        lab().locant_graph_hops(view(out, "out"), self.handle)
        return out
