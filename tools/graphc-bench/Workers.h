//===- Workers.h - other systems, each in a process of its own ----*- C++ -*-===//
//
// NumPy, PyTorch and ONNX Runtime: a script of peers/ for each language. A worker reads lines from
// its standard input and answers each with one line:
//
//     (at the start)            ready VERSION | missing WHY
//     load FORMULA FOLDER K=V.. ok | none | error WHY     FOLDER has NAME.npy for each input
//     run COUNT                 NANOSECONDS               of so many calls, by the worker's clock
//     save FOLDER               ok COUNT                  the last results: FOLDER/0.npy, ...
//
// NPY has no bfloat16: such an array is NAME.bf16.npy (0.bf16.npy) and holds the same numbers as
// float32. Who has no bfloat16 answers "none".
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "Case.h"
#include "graphc/Tensor.h"

namespace graphc::bench {

/// As programs are given their words: null behind the last one.
std::vector<char *> pointersTo(const std::vector<std::string> &words);

/// Inputs by name.
using Feeds = std::vector<std::pair<std::string, Tensor>>;

/// A process that answers lines. It ends with its owner.
class Worker {
public:
  Worker(std::string name, const std::vector<std::string> &command,
         const std::vector<std::string> &environment);
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;
  ~Worker();

  const std::string &name() const { return name_; }
  /// What it says of itself; empty if it cannot be asked.
  const std::string &version() const { return version_; }
  /// Why it cannot be asked; empty if it can.
  const std::string &missing() const { return missing_; }
  /// RuntimeError if it has ended.
  absl::StatusOr<std::string> ask(const std::string &line);

private:
  absl::StatusOr<std::string> readLine();

  std::string name_, version_, missing_;
  int child_ = -1;
  FILE *to_ = nullptr, *from_ = nullptr;
};

class Workers {
public:
  /// Starts all of them.
  explicit Workers(int threads);
  ~Workers();

  const std::vector<std::unique_ptr<Worker>> &all() const { return workers_; }

  using Check = std::function<absl::Status(const std::string &side, const std::vector<Tensor> &)>;
  /// Those that are there and know `formula`, with `feeds` loaded and the results of a first call
  /// checked. They stand until the next call of this. One whose results are wrong is left out, and
  /// told of on standard error.
  absl::StatusOr<std::vector<Rival>> rivals(const std::string &formula, const Feeds &feeds,
                                            const std::map<std::string, int64_t> &numbers,
                                            const Check &check);

  /// How often one was left out for its results.
  int numWrong() const { return numWrong_; }

private:
  std::vector<std::unique_ptr<Worker>> workers_;
  int numWrong_ = 0;
};

} // namespace graphc::bench
