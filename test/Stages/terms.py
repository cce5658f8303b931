"""Prints a graph: the sum of N products x y, x |y|^2, x |y|^4, x |y|^8 ...: terms.py N (schedule.mlir)"""

import sys

T = "tensor<?x?xf32>"
print(f"func.func @main(%x: {T}, %y: {T}) -> {T} {{")
print(f"  %t1 = graph.matmul %x, %y : ({T}, {T}) -> {T}")
print(f"  %y1 = graph.abs %y : ({T}) -> {T}")
for k in range(2, int(sys.argv[1]) + 1):
    print(f"  %y{k} = graph.sqr %y{k - 1} : ({T}) -> {T}")
    print(f"  %p{k} = graph.matmul %x, %y{k} : ({T}, {T}) -> {T}")
    print(f"  %t{k} = graph.add %t{k - 1}, %p{k} : ({T}, {T}) -> {T}")
print(f"  return %t{sys.argv[1]} : {T}\n}}")
