//===- graphc/graphc.h - everything ------------------------------*- C++ -*-===//
//
// All of graphc's public headers, for programs that embed it, Host.h by Emit.h; each may be
// included alone as well.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "graphc/Compiler.h" // first of all

#include "graphc/Arrays.h"
#include "graphc/Attributes.h"
#include "graphc/Bound.h"
#include "graphc/Config.h"
#include "graphc/ControlFlow.h"
#include "graphc/DType.h"
#include "graphc/Embedding.h"
#include "graphc/Emit.h"
#include "graphc/Export.h"
#include "graphc/Feature.h"
#include "graphc/Features.h"
#include "graphc/Fourier.h"
#include "graphc/FrozenGraph.h"
#include "graphc/Function.h"
#include "graphc/FunctionGraph.h"
#include "graphc/FunctionOptions.h"
#include "graphc/Gradient.h"
#include "graphc/Import.h"
#include "graphc/Indexing.h"
#include "graphc/LinearAlgebra.h"
#include "graphc/Mode.h"
#include "graphc/Neural.h"
#include "graphc/OpDef.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"
#include "graphc/Optim.h"
#include "graphc/Print.h"
#include "graphc/Profile.h"
#include "graphc/Random.h"
#include "graphc/Rewrite.h"
#include "graphc/Scan.h"
#include "graphc/Shared.h"
#include "graphc/Sorting.h"
#include "graphc/Special.h"
#include "graphc/Stage.h"
#include "graphc/Status.h"
#include "graphc/Tensor.h"
#include "graphc/TestValues.h"
#include "graphc/Traversal.h"
#include "graphc/Type.h"
#include "graphc/Variable.h"
