//===- GraphDialect.h - the `graph` dialect, made from the registry -*- C++ -*-===//
#pragma once

#include "Text/ContextPool.h"
#include "graphc/Attributes.h"
#include "graphc/Tensor.h"
#include "graphc/Type.h"
#include "graphc/Variable.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

namespace graphc {

/// Adds the dialect to a registry: one operation for each op of allOps(), `graph.constant`, and
/// `graph.call`. Operations print as
///   %0 = graph.sum %x {axes = [0]} : (tensor<2x3xf64>) -> tensor<3xf64>
///   %1 = graph.constant dense<[1, 2]> : tensor<2xi64>
///   %2 = graph.call @name(%0, %1) : (tensor<3xf64>, tensor<2xi64>) -> tensor<3xf64>
/// Their verifier runs the op's type rule.
void registerGraphDialect(mlir::DialectRegistry &registry);

/// Contexts with the dialect, for reading and writing.
ContextPool &graphContexts();

inline constexpr llvm::StringLiteral kConstantOpName = "graph.constant";
/// The application of an OpFromGraph, which is a function of the module.
inline constexpr llvm::StringLiteral kCallOpName = "graph.call";
inline constexpr llvm::StringLiteral kCalleeAttr = "callee";

//===--- conversions between graphc's values and MLIR's attributes --------===//

mlir::Type toMlir(DType dtype, mlir::MLIRContext *context);
mlir::RankedTensorType toMlir(const Type &type, mlir::MLIRContext *context);
/// Empty for element types that graphc does not have.
std::optional<DType> dtypeFromMlir(mlir::Type type);
std::string printed(mlir::Type type);
/// Invalid, with a TypeError, for what is no ranked tensor of a known element type.
Type typeFromMlir(mlir::Type type);

mlir::Attribute toMlir(const AttributeValue &value, mlir::MLIRContext *context);
/// Null for an attribute that is no value of `kind` (NoneAttr is the unit attribute).
std::optional<AttributeValue> attributeFromMlir(mlir::Attribute attribute, AttributeKind kind);

mlir::DenseElementsAttr denseFromTensor(const Tensor &tensor, mlir::MLIRContext *context);
absl::StatusOr<Tensor> tensorFromDense(mlir::DenseElementsAttr dense);
/// The bytes that a splat claims by its one element, where those are more than 8 KiB; else 0.
int64_t bytesOfSplat(mlir::DenseElementsAttr dense);
/// A splat as an expression, whose memory whoever computes it asks for.
absl::StatusOr<Variable> broadcastSplat(mlir::DenseElementsAttr splat);

} // namespace graphc
