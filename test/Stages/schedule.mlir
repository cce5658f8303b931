The sum of twenty products: no kernel reads so many arrays. The one that adds up the first fifteen runs as soon as these are there.

RUN: mkdir -p %t && cd %t && %python %S/terms.py 20 > terms.mlir
RUN: graphc compile terms.mlir --emit=kernels | FileCheck %s --check-prefixes=ADDED,EARLY
RUN: graphc compile terms.mlir --emit=kernels --exclude=schedule | FileCheck %s --check-prefixes=ADDED,LATE
ADDED: kernel @add (
EARLY-COUNT-4: kernel @mul_sum (
LATE-COUNT-3: kernel @mul_sum (
ADDED-NOT: kernel @mul_sum (
ADDED: kernel @mul_sum_add (

The same numbers, of which none is rounded.
RUN: graphc run terms.mlir -i x=[[1,2],[-1,1]] -i y=[[1,0],[1,-1]] > with
RUN: graphc run terms.mlir -i x=[[1,2],[-1,1]] -i y=[[1,0],[1,-1]] --exclude=schedule > without
RUN: diff with without && FileCheck %s --check-prefix=NUMBERS < with
NUMBERS{LITERAL}: [[60, 36], [0, 18]]
