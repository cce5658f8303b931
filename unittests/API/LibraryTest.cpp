//===- LibraryTest.cpp - programs as files, from C++ ----------------------===//
#include <gtest/gtest.h>

#include "Kernels/CompilerInterface.h"
#include "graphc/Emit.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

absl::StatusOr<LibraryFiles> compileLibrary(const GraphModule &module) {
  absl::StatusOr<const CompilerInterface *> compiler = loadCompiler();
  if (!compiler.ok())
    return compiler.status();
  return (*compiler)->compileLibrary(module, {"f", "f.mlir"}, {});
}

TEST(Library, HostCallbacksAreRefusedByName) {
  OpDef def;
  def.name = "lookup";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    HostFunction copy = [](absl::Span<const Tensor> inputs, absl::Span<Tensor> outputs) {
      outputs[0] = inputs[0];
      return absl::OkStatus();
    };
    return e.hostCall(copy, in, {{DType::Float64, {}}});
  };
  Variable x = dscalar("x");
  GraphModule module;
  module.inputs = {x};
  module.outputs = {(*defineOp(def))(exp(x))};
  module.outputNames = {""};
  absl::StatusOr<LibraryFiles> files = compileLibrary(module);
  EXPECT_EQ(errorKind(files.status()), ErrorKind::NotSupported);
  EXPECT_EQ(files.status().message(),
            "lookup: it is computed by a function of this program, which libraries and programs do "
            "not have");
  ASSERT_TRUE(errorPlace(files.status()));
  EXPECT_NE(errorPlace(files.status())->str().find("LibraryTest.cpp"), std::string::npos);
}

TEST(Library, HeaderNamesWhatCCannotName) {
  Variable a = dscalar("class"), b = dscalar("x*/y"), c = dscalar("state"), d = dscalar("class");
  GraphModule module;
  module.inputs = {a, b, c, d, dscalar("")};
  module.outputs = {a + b + c + d};
  module.outputNames = {"class"};
  absl::StatusOr<LibraryFiles> files = compileLibrary(module);
  ASSERT_TRUE(files.ok()) << files.status();
  for (const char *member : {"double class_; /* `class` */", "double x__y; /* `x+/y` */",
                             "double state_2; /* `state` */", "double class__2; /* `class` */",
                             "double in4;", "double class__3; /* `class` */"})
    EXPECT_NE(files->header.find(member), std::string::npos) << member << "\n" << files->header;
}

} // namespace
} // namespace graphc
