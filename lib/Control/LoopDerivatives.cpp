//===- LoopDerivatives.cpp -------------------------------------------------===//
#include "Control/Control.h"
namespace graphc {
Variables pullLoop(const Control &, Inputs in, Outputs, Gradients) {
  return Variables(in.size(), Variable(Type::null("scan")));
}
Variables pushLoop(const Control &, Inputs, Outputs out, Tangents) {
  return Variables(out.size(), Variable(Type::null("scan")));
}
} // namespace graphc
