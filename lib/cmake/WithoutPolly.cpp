// LLVM's archives refer to the Polly extension, which Debian does not package. This one registers
// nothing.
#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "absent", [](llvm::PassBuilder &) {}, nullptr};
}
