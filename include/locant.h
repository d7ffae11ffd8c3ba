/*
 * locant.h - positional encodings of Transformers: forward, backward, exact at
 * any position, fused into attention.
 *
 * The headers are the manual.  liblocant needs libc, libm and threads:
 *
 *   locant/core.h       status, tensors, memory, threads, instruction sets
 *   locant/angles.h     exact cosine and sine of position x frequency
 *   locant/encoding.h   every encoding by its spec: parameters, table, bias
 *   locant/rotate.h     queries and keys rotated, forward and backward
 *   locant/frequencies.h channels and frequencies of a rotation, as numbers
 *   locant/resize.h     learned tables resampled to another length or grid
 *   locant/attention.h  fused attention, forward and backward
 *   locant/cache.h      caches of keys and values: append, quantise
 *   locant/ragged.h     attention of packed sequences of different lengths
 *   locant/positions.h  position ids: padding, packing, grids, M-RoPE, windows
 *   locant/multimodal.h ids of text, images, video and audio together
 *
 * liblocant_lab adds what small experiments need; include its headers by name:
 *
 *   locant/files.h      .npy and safetensors
 *   locant/graph.h      eigenvectors, random walks, distances of a graph
 *   locant/group.h      processes that work at one thing
 *   locant/lab.h        corpora, training, the run store
 *   locant/evaluate.h   losses of a trained run at several lengths
 *   locant/report.h     encodings compared: trained, measured, one page
 *   locant/study.h      a report as one file, to be repeated on another machine
 *   locant/tasks.h      sixteen synthetic tasks to train on
 *   locant/probe.h      how a trained model uses positions
 *   locant/figure.h     figures of the report by name: SVG, PNG, PDF, page,
 *                       terminal, JSON, CSV
 *   locant/models.h     real models: read, check, compare, convert, run
 *   locant/statistics.h tests and intervals for a small number of seeds
 *
 * liblocant_mpi, where the build had MPI:
 *
 *   locant/mpi.h        a group of the processes of MPI
 */
#ifndef LOCANT_H
#define LOCANT_H

#include "locant/core.h"
#include "locant/angles.h"
#include "locant/encoding.h"
#include "locant/rotate.h"
#include "locant/frequencies.h"
#include "locant/resize.h"
#include "locant/cache.h"
#include "locant/attention.h"
#include "locant/positions.h"
#include "locant/ragged.h"
#include "locant/multimodal.h"

#endif /* LOCANT_H */
