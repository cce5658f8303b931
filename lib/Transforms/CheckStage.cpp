//===- Transforms/CheckStage.cpp - what checks of stages share ------------===//
#include "Transforms/CheckStage.h"

#include "graphc/Status.h"
#include "llvm/ADT/StringExtras.h"

namespace graphc {
namespace {

/// Longer ones are none of graphc's.
constexpr size_t kMaxName = 512;

Place placeOf(mlir::Operation *op) {
  auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  if (!place)
    return {};
  llvm::StringRef file = place.getFilename().getValue();
  return Place(internFileName({file.data(), file.size()}), place.getLine(), place.getColumn());
}

} // namespace

bool isPlainName(llvm::StringRef name) {
  return !name.empty() && name.size() <= kMaxName && !llvm::isDigit(name.front()) &&
         !name.starts_with("llvm.") && !name.starts_with("graphc.") &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
}

absl::Status stageError(mlir::Operation *op, llvm::StringRef what) {
  std::string text = (what + " (" + op->getName().getStringRef() + ")").str();
  return makeError(ErrorKind::ValueError, text, placeOf(op));
}

absl::Status checkAttributes(mlir::ModuleOp module, llvm::ArrayRef<llvm::StringRef> known) {
  absl::Status status;
  module.walk([&](mlir::Operation *op) {
    auto check = [&](mlir::DictionaryAttr attributes) {
      if (attributes)
        for (mlir::NamedAttribute attribute : attributes)
          if (!llvm::is_contained(known, attribute.getName().getValue()))
            status = stageError(
                op,
                ("'" + attribute.getName().getValue() + "' is no attribute of this stage").str());
    };
    check(op->getDiscardableAttrDictionary());
    if (auto fn = mlir::dyn_cast<mlir::func::FuncOp>(op)) {
      for (unsigned i = 0; i < fn.getNumArguments(); ++i)
        check(fn.getArgAttrDict(i));
      for (unsigned i = 0; i < fn.getNumResults(); ++i)
        check(fn.getResultAttrDict(i));
    }
    return status.ok() ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return status;
}

absl::Status checkKernelName(mlir::func::FuncOp fn, llvm::StringRef mark) {
  if (!fn->hasAttrOfType<mlir::UnitAttr>(mark))
    return stageError(fn, ("a function with a body is marked " + mark).str());
  if (!isPlainName(fn.getName()))
    return stageError(fn, "a kernel's name is made of letters, digits, points and underscores");
  return absl::OkStatus();
}

} // namespace graphc
