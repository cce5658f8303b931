//===- Workers.cpp --------------------------------------------------------===//
#include "Workers.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "TemporaryFolder.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "graphc/Status.h"

extern char **environ;

namespace graphc::bench {

std::vector<char *> pointersTo(const std::vector<std::string> &words) {
  std::vector<char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(const_cast<char *>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

namespace {

std::string environmentOf(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

/// What GRAPHC_BENCH_PYTHON says; else Debian's Python, which sees Debian's packages, or that in
/// the PATH.
std::string python() {
  if (std::string chosen = environmentOf("GRAPHC_BENCH_PYTHON"); !chosen.empty())
    return chosen;
  const char *ofDebian = "/usr/bin/python3";
  return std::filesystem::exists(ofDebian) ? ofDebian : "python3";
}

/// What NODE_PATH says, and where tools/install-deps --peers puts npm's packages.
std::string modulePath() {
  std::string cache = environmentOf("XDG_CACHE_HOME");
  if (cache.empty())
    cache = environmentOf("HOME") + "/.cache";
  return environmentOf("NODE_PATH") + ":" + cache + "/graphc/peers/node_modules";
}

} // namespace

Worker::Worker(std::string name, const std::vector<std::string> &command,
               const std::vector<std::string> &environment)
    : name_(std::move(name)) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) {
    missing_ = "no pipe for it";
    return;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  std::vector<std::string> variables = environment;
  for (char **variable = environ; *variable; ++variable)
    variables.emplace_back(*variable);
  int failed = posix_spawnp(&child_, command[0].c_str(), &actions, nullptr,
                            pointersTo(command).data(), pointersTo(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  to_ = fdopen(in[1], "w");
  from_ = fdopen(out[0], "r");
  if (failed) {
    child_ = -1;
    missing_ = command[0] + " is not installed";
    return;
  }
  absl::StatusOr<std::string> hello = readLine();
  if (!hello.ok())
    missing_ = "its script does not run";
  else if (hello->starts_with("ready "))
    version_ = hello->substr(6);
  else
    missing_ = hello->starts_with("missing ") ? hello->substr(8) : *hello;
}

Worker::~Worker() {
  for (FILE *file : {to_, from_}) // its input ends, and so does it
    if (file)
      (void)fclose(file);
  if (child_ > 0)
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

absl::StatusOr<std::string> Worker::readLine() {
  char *text = nullptr;
  size_t capacity = 0;
  ssize_t length = getline(&text, &capacity, from_);
  std::string line(text ? text : "", length > 0 ? size_t(length) : 0);
  free(text);
  if (!line.ends_with("\n"))
    return makeError(ErrorKind::RuntimeError, name_ + " has ended");
  line.pop_back();
  return line;
}

absl::StatusOr<std::string> Worker::ask(const std::string &line) {
  if (std::fputs((line + "\n").c_str(), to_) < 0 || std::fflush(to_))
    return makeError(ErrorKind::RuntimeError, name_ + " has ended");
  return readLine();
}

Workers::Workers(int threads) {
  (void)std::signal(SIGPIPE, SIG_IGN); // a worker that has ended is an error, not the end
  std::string scripts = GRAPHC_BENCH_PEERS, count = absl::StrCat(threads);
  std::vector<std::string> environment = {
      "OMP_NUM_THREADS=" + count, "OPENBLAS_NUM_THREADS=" + count, "NODE_PATH=" + modulePath()};
  auto start = [&](const char *name, std::vector<std::string> command) {
    workers_.push_back(std::make_unique<Worker>(name, command, environment));
  };
  start("NumPy", {python(), scripts + "/worker.py", "numpy", count});
  start("PyTorch", {python(), scripts + "/worker.py", "torch", count});
  start("ONNX Runtime", {"node", scripts + "/worker.js", count});
}

Workers::~Workers() = default;

namespace {

constexpr const char *kBFloat16Npy = ".bf16.npy", *kNpy = ".npy";

absl::Status saveArray(const std::string &path, const Tensor &value) {
  return value.dtype() == DType::BFloat16 ? saveNpy(path + kBFloat16Npy, value.cast(DType::Float32))
                                          : saveNpy(path + kNpy, value);
}

absl::StatusOr<Tensor> loadArray(const std::string &path) {
  if (!std::filesystem::exists(path + kBFloat16Npy))
    return loadNpy(path + kNpy);
  absl::StatusOr<Tensor> wide = loadNpy(path + kBFloat16Npy);
  return wide.ok() ? wide->cast(DType::BFloat16) : wide;
}

absl::StatusOr<std::vector<Tensor>> savedResults(Worker &worker, const std::string &folder) {
  absl::StatusOr<std::string> answer = worker.ask("save " + folder);
  if (!answer.ok())
    return answer.status();
  int count = 0;
  if (!answer->starts_with("ok ") || !absl::SimpleAtoi(answer->substr(3), &count))
    return makeError(ErrorKind::RuntimeError, worker.name() + ": " + *answer);
  std::vector<Tensor> results;
  for (int i = 0; i < count; ++i) {
    absl::StatusOr<Tensor> result = loadArray(absl::StrFormat("%s/%d", folder, i));
    if (!result.ok())
      return result.status();
    results.push_back(*std::move(result));
  }
  return results;
}

absl::StatusOr<double> timeOf(Worker &worker, int64_t count) {
  absl::StatusOr<std::string> answer = worker.ask(absl::StrCat("run ", count));
  if (!answer.ok())
    return answer.status();
  double nanoseconds = 0;
  if (!absl::SimpleAtod(*answer, &nanoseconds))
    return makeError(ErrorKind::RuntimeError, worker.name() + ": " + *answer);
  return nanoseconds;
}

} // namespace

absl::StatusOr<std::vector<Rival>> Workers::rivals(const std::string &formula, const Feeds &feeds,
                                                   const std::map<std::string, int64_t> &numbers,
                                                   const Check &check) {
  TemporaryFolder inputs, results;
  if (inputs.path.empty() || results.path.empty())
    return makeError(ErrorKind::Io, "no folder for temporary files");
  for (const auto &[name, value] : feeds)
    if (absl::Status s = saveArray(inputs.path / name, value); !s.ok())
      return s;
  std::string load = "load " + formula + " " + inputs.path.string();
  for (const auto &[name, value] : numbers)
    absl::StrAppend(&load, " ", name, "=", value);
  std::vector<Rival> rivals;
  for (const std::unique_ptr<Worker> &worker : workers_) {
    if (!worker->missing().empty())
      continue;
    absl::StatusOr<std::string> answer = worker->ask(load);
    if (!answer.ok())
      return answer.status();
    if (*answer == "none")
      continue;
    if (*answer != "ok")
      return makeError(ErrorKind::RuntimeError, worker->name() + ": " + *answer);
    if (absl::Status s = timeOf(*worker, 1).status(); !s.ok())
      return s;
    absl::StatusOr<std::vector<Tensor>> found = savedResults(*worker, results.path);
    if (!found.ok())
      return found.status();
    if (absl::Status s = check(worker->name(), *found); !s.ok()) { // the others' times stand
      std::cerr << "error: " << s.message() << std::endl;
      ++numWrong_;
      continue;
    }
    rivals.push_back(
        {worker->name(), [w = worker.get()](int64_t count) { return timeOf(*w, count); }});
  }
  return rivals;
}

} // namespace graphc::bench
