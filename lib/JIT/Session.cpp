//===- JIT/Session.cpp - objects to callable code -------------------------===//
//
// ORC is used as a linker only: no LLJIT, whose layers for IR take a millisecond to set up. Every
// load gets a JITDylib of its own, so that equal names in different loads do not meet, and so that
// it can be freed as a whole.
//
//===----------------------------------------------------------------------===//
#include "JIT/Session.h"

#include <atomic>

#include "JIT/RuntimeSymbols.h"
#include "Support/Fork.h"
#include "graphc/Status.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace graphc {
namespace {

absl::Status toStatus(Error error) {
  return makeError(ErrorKind::Internal, "JIT: " + toString(std::move(error)));
}

/// What ORC reported to the session on this thread. A lookup's own error only says which symbols
/// could not be had; the cause, such as a symbol that is missing, comes this way. ORC links on the
/// thread that asks (InPlaceTaskDispatcher).
thread_local std::string reported;

absl::Status linkStatus(Error error) {
  std::string text = toString(std::move(error));
  if (!reported.empty())
    text = std::exchange(reported, "");
  return makeError(ErrorKind::Internal, "JIT: " + text);
}

class JITCode : public LoadedCode {
public:
  JITCode(std::vector<KernelFunction> functions, orc::ExecutionSession &session,
          orc::JITDylib &library)
      : LoadedCode(std::move(functions)), session(session), library(&library) {}
  ~JITCode() override {
    CompilerWork work;
    if (!work.isPossible()) { // the session's locks may be held by a thread that is not here
      new orc::JITDylibSP(std::move(library));
      return;
    }
    // Fails only if the session has ended, and it does not end before the process.
    consumeError(session.removeJITDylib(*library));
  }

private:
  orc::ExecutionSession &session;
  orc::JITDylibSP library;
};

} // namespace

struct Session::Impl {
  explicit Impl(std::unique_ptr<orc::ExecutorProcessControl> control)
      : session(std::move(control)), layer(session),
        runtime(session.createBareJITDylib("runtime")) {}
  ~Impl() { consumeError(session.endSession()); }

  orc::ExecutionSession session;
  orc::ObjectLinkingLayer layer;
  orc::JITDylib &runtime;
  std::atomic<uint64_t> loads = 0;
};

Session::Session(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Session::~Session() = default;

absl::StatusOr<Session *> Session::make() {
  auto control = orc::SelfExecutorProcessControl::Create(
      nullptr, std::make_unique<orc::InPlaceTaskDispatcher>());
  if (!control)
    return toStatus(control.takeError());
  auto impl = std::make_unique<Impl>(std::move(*control));
  impl->session.setErrorReporter([](Error error) {
    if (!reported.empty())
      reported += "; ";
    reported += toString(std::move(error));
  });
  orc::SymbolMap symbols;
  for (const RuntimeSymbol &symbol : runtimeSymbols())
    symbols[impl->session.intern(symbol.name)] = {orc::ExecutorAddr::fromPtr(symbol.address),
                                                  JITSymbolFlags::Exported |
                                                      JITSymbolFlags::Callable};
  if (Error error = impl->runtime.define(orc::absoluteSymbols(std::move(symbols))))
    return toStatus(std::move(error));
  return new Session(std::move(impl));
}

absl::StatusOr<Session *> Session::get() {
  // Never deleted: code may still run in other threads while the process ends.
  static const absl::StatusOr<Session *> session = make();
  return session;
}

absl::StatusOr<std::shared_ptr<const LoadedCode>>
Session::loadKernels(absl::Span<const std::string> objects, absl::Span<const std::string> names) {
  orc::ExecutionSession &session = impl->session;
  orc::JITDylib &library = session.createBareJITDylib("kernels" + std::to_string(impl->loads++));
  scope_exit unload([&] { consumeError(session.removeJITDylib(library)); });
  reported.clear();
  library.addToLinkOrder(impl->runtime, orc::JITDylibLookupFlags::MatchExportedSymbolsOnly);
  for (const std::string &object : objects)
    if (Error error =
            impl->layer.add(library, MemoryBuffer::getMemBufferCopy(object, library.getName())))
      return linkStatus(std::move(error));

  orc::SymbolLookupSet wanted;
  std::vector<orc::SymbolStringPtr> symbols;
  for (const std::string &name : names) {
    symbols.push_back(session.intern(name));
    wanted.add(symbols.back());
  }
  wanted.removeDuplicates();
  Expected<orc::SymbolMap> found = session.lookup(
      orc::makeJITDylibSearchOrder(&library, orc::JITDylibLookupFlags::MatchAllSymbols), wanted);
  if (!found)
    return linkStatus(found.takeError());
  std::vector<KernelFunction> functions;
  for (const orc::SymbolStringPtr &symbol : symbols)
    functions.push_back((*found)[symbol].getAddress().toPtr<KernelFunction>());
  unload.release();
  return std::make_shared<JITCode>(std::move(functions), session, library);
}

} // namespace graphc
