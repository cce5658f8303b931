//===- JIT/IREmitter.h - what is known of a kernel's values -----*- C++ -*-===//
#pragma once

#include "JIT/OutlineLoops.h"
#include "JIT/Target.h"
#include "absl/status/status.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Operation.h"
#include "llvm/Analysis/TargetFolder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"

namespace graphc {

/// Writes one kernel. An array's value is the pointer to its first element: arrays of the loops
/// stage have one dimension at most, and their elements stand side by side. 16-bit floats are
/// integers (JIT/HalfFloats.h), indices 64-bit ones.
class IREmitter {
public:
  using Builder = llvm::IRBuilder<llvm::TargetFolder>;

  /// `outlined`: loops that are functions of other modules.
  IREmitter(llvm::Module &module, const TargetDescription &target, const OutlinedLoops &outlined);
  absl::Status kernel(mlir::func::FuncOp fn);
  /// The function of a loop.
  absl::Status outline(const OutlinedLoop &loop);

  llvm::Value *get(mlir::Value value) const;
  void set(mlir::Value value, llvm::Value *to) { values[value] = to; }
  llvm::Type *type(mlir::Type type) const;
  /// Of a constant's numbers; null where they are none.
  llvm::Constant *constant(mlir::Type type, mlir::Attribute value) const;
  /// The address of array[index] (of its first element, if `indices` is empty), and how elements
  /// are aligned.
  llvm::Value *address(mlir::Value array, mlir::ValueRange indices);
  llvm::Align alignment(mlir::Type element) const;

  Builder b;
  llvm::Module &module;
  const TargetDescription &target;

private:
  void block(mlir::Block &block);
  void loop(mlir::scf::ForOp op);
  void call(const OutlinedLoop &loop);
  /// A declaration of the loop's function.
  llvm::Function *declare(const OutlinedLoop &loop);
  void op(mlir::Operation &op);
  void checkName(llvm::StringRef wanted, const llvm::Function &made);
  void branch(mlir::scf::IfOp op);
  llvm::BasicBlock *newBlock();

  const OutlinedLoops &outlined;
  llvm::DenseMap<mlir::Value, llvm::Value *> values;
  llvm::Function *function = nullptr;
  absl::Status status;
};

/// Writes an op: sets its results' values. False for what the op may be and the stage has not.
using OpEmitter = bool (*)(IREmitter &, mlir::Operation *);
using OpEmitters = llvm::DenseMap<mlir::TypeID, OpEmitter>;

/// Adds the op's emitter. `Make`, a type without data, takes the emitter and the op and gives the
/// value of its only result; null: nothing the stage has.
template <class Op, class Make> void addValue(OpEmitters &table, Make) {
  table[mlir::TypeID::get<Op>()] = [](IREmitter &e, mlir::Operation *op) {
    llvm::Value *made = Make()(e, mlir::cast<Op>(op));
    if (made)
      e.set(op->getResult(0), made);
    return made != nullptr;
  };
}
/// The same for an op without results, or with several: `Make` gives what an OpEmitter gives.
template <class Op, class Make> void addEffect(OpEmitters &table, Make) {
  table[mlir::TypeID::get<Op>()] = [](IREmitter &e, mlir::Operation *op) {
    return bool(Make()(e, mlir::cast<Op>(op)));
  };
}

/// An instruction that promises what the op does.
llvm::Value *withFlags(llvm::Value *made, mlir::arith::FastMathFlags flags);

/// An intrinsic on operands of one type, which is the result's.
template <llvm::Intrinsic::ID Code> struct CallOf {
  template <class Op> llvm::Value *operator()(IREmitter &e, Op op) const {
    llvm::SmallVector<llvm::Value *, 3> operands;
    for (mlir::Value operand : op->getOperands())
      operands.push_back(e.get(operand));
    llvm::Value *made = e.b.CreateIntrinsic(Code, {operands[0]->getType()}, operands);
    if constexpr (requires { op.getFastmath(); })
      withFlags(made, op.getFastmath());
    return made;
  }
};

template <llvm::Instruction::CastOps Code> struct CastOf {
  template <class Op> llvm::Value *operator()(IREmitter &e, Op op) const {
    llvm::Type *type = e.type(op->getResult(0).getType());
    llvm::Value *made = e.b.CreateCast(Code, e.get(op->getOperand(0)), type);
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(made);
    if (!instruction)
      return made;
    if constexpr (requires { op.hasNoSignedWrap(); }) {
      instruction->setHasNoSignedWrap(op.hasNoSignedWrap());
      instruction->setHasNoUnsignedWrap(op.hasNoUnsignedWrap());
    }
    return made;
  }
};

void addArithmetic(OpEmitters &table); // EmitArithmetic.cpp
void addVectors(OpEmitters &table);    // EmitVectors.cpp: vectors, memory
void addLLVM(OpEmitters &table);       // EmitLLVM.cpp: ops of the LLVM dialect

} // namespace graphc
