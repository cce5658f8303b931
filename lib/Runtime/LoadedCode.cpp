//===- Runtime/LoadedCode.cpp - machine code in this process --------------===//
#include "Runtime/LoadedCode.h"

namespace graphc {
namespace {

class JoinedCode : public LoadedCode {
public:
  using Parts = std::vector<std::shared_ptr<const LoadedCode>>;
  explicit JoinedCode(Parts parts) : LoadedCode(functionsOf(parts)), parts(std::move(parts)) {}

private:
  static std::vector<KernelFunction> functionsOf(const Parts &parts) {
    std::vector<KernelFunction> functions;
    for (const std::shared_ptr<const LoadedCode> &part : parts)
      for (size_t i = 0; i < part->size(); ++i)
        functions.push_back(part->function(i));
    return functions;
  }

  Parts parts;
};

} // namespace

std::shared_ptr<const LoadedCode>
joinCode(absl::Span<const std::shared_ptr<const LoadedCode>> parts) {
  return std::make_shared<JoinedCode>(JoinedCode::Parts(parts.begin(), parts.end()));
}

} // namespace graphc
