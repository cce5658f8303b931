//===- Interface.h - what a library shows to C --------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "Runtime/Program.h"
#include "absl/status/statusor.h"

namespace graphc {

/// The structure of a call, as a C compiler for a 64-bit processor lays it out: one member for each
/// input and output, then the driver's pointer.
struct CallInterface {
  struct Member {
    std::string name;   // a C identifier, the variable's own where that is one
    std::string type;   // of an element, in C
    std::string shape;  // "[n, 3]", as comments and messages have it; "" for a scalar
    int32_t offset = 0; // in bytes
  };
  std::string name; // of the library: starts all of its names
  std::vector<Member> inputs, outputs;
  int32_t stateOffset = 0;
};

/// ValueError if `name` is no C identifier, or one that C or a called library has already.
absl::StatusOr<CallInterface> callInterface(const Program &program, std::string_view name);

/// The text of the C header. `source` and `target` are named in it.
std::string cHeader(const Program &program, const CallInterface &interface, std::string_view source,
                    std::string_view target);

} // namespace graphc
