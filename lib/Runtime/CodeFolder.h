//===- Runtime/CodeFolder.h - compiled code on disk -------------*- C++ -*-===//
//
// A folder of compiled code, named by keys of what it was compiled from. What is in it is run, so
// the folder must belong to the user and be open to nobody else, and each entry carries a checksum:
// a file that was cut short by a full disk or a crash is taken for missing and replaced. Several
// processes may use one folder at the same time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "Support/Hash.h"
#include "absl/status/statusor.h"
#include "graphc/Config.h"

namespace graphc {

/// A key for code compiled from `content` with `options` for `target` (a name that JIT/Target.h
/// knows). It also depends on the build of graphc, and for "native" on the processor.
Hash128 codeKey(std::string_view content, std::string_view options, std::string_view target);

/// The folder of compiled code: the configured one or, where none is, that of the user's cache;
/// kNoCache where no code is kept.
std::string codeFolderPath(const Config &config);

class CodeFolder {
public:
  enum class Kind {
    Object,  ///< a relocatable object, for the JIT: ".o"
    Library, ///< a shared object, for loadSharedObject: ".so"
  };

  struct Entry {
    std::string path; ///< of the file, which is the code with a trailer that ELF's readers ignore
    std::string code; ///< the bytes that were written
    std::string data; ///< what was stored beside it
  };

  /// Opens `path`, and makes it if it is missing. At most about `maxBytes` are kept, those used
  /// last. Errors: Io if that fails, or if the folder is another user's or open to others.
  static absl::StatusOr<std::unique_ptr<CodeFolder>> open(const std::string &path,
                                                          uint64_t maxBytes = uint64_t(256) << 20);

  /// The folder that config() asks for; null if there is to be none. One that cannot be used is
  /// warned about, once.
  static std::shared_ptr<CodeFolder> configured();

  /// An entry and its bytes; nothing if there is none, or it is damaged. Thread-safe.
  std::optional<Entry> find(const Hash128 &key, Kind kind) const;

  /// Stores an entry, in place of an older one. Others see either none of it or all. Io.
  /// Thread-safe.
  absl::Status store(const Hash128 &key, Kind kind, std::string_view data, std::string_view code);

  /// Where an entry is or would be.
  std::string pathOf(const Hash128 &key, Kind kind) const;
  const std::string &path() const { return folder; }

private:
  CodeFolder(std::string path, uint64_t maxBytes) : folder(std::move(path)), maxBytes(maxBytes) {}
  bool isTurn(const Hash128 &key, uint64_t bytes) const;
  void removeUnfinished() const;
  void removeOldest();

  std::string folder;
  uint64_t maxBytes;
  std::atomic<uint64_t> stores = 0;
  std::mutex removing;
};

} // namespace graphc
