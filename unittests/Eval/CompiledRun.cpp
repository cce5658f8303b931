#include "CompiledRun.h"

#include "graphc/Function.h"

namespace graphc {

TensorsOr runCompiled(const Variables &outputs, const Variables &inputs,
                      const std::vector<Tensor> &values) {
  auto f =
      function(inputs, outputs,
               {.mode = "fast_compile", .onUnusedInput = OnUnusedInput::Ignore, .cache = false});
  if (!f.ok())
    return f.status();
  absl::StatusOr<Results> results = f->call(values);
  if (!results.ok())
    return results.status();
  return std::vector<Tensor>(*std::move(results));
}

} // namespace graphc
