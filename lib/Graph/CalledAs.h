//===- Graph/CalledAs.h - ops that functions of other names make -*- C++ -*-===//
//
// `stack` makes a join. Who called stack and did it wrong should read of stack, so an Op keeps the
// function's name for messages; its own name, in texts of graphs and in comparisons, stays.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

#include "graphc/Variable.h"

namespace graphc {

/// The op as `function` makes it, which must live as long as the process.
Op calledAs(const Op &op, std::string_view function);
/// What messages call an op: the function that made it, else its own name.
std::string_view calledName(const Op &op);
/// The same with the attributes, as Op::str.
std::string calledText(const Op &op);
/// The name and the place of an application, if it has one: "exp at main.cpp:3:5".
std::string calledAt(const Apply &node);
/// "outer > inner": where something is in the graphs of OpFromGraphs; eight names at most. `inner`
/// may be such a text.
std::string nested(std::string_view outer, std::string_view inner);

} // namespace graphc
