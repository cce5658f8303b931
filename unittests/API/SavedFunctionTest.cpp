//===- SavedFunctionTest.cpp - save, functionDump, loadFunction -----------===//
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "API/SavedFunction.h"
#include "Places.h"
#include "Runtime/Archive.h"
#include "Runtime/TestData.h"
#include "Support/Hash.h"
#include "graphc/Function.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

std::string bytesOf(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

double number(const absl::StatusOr<Results> &r) {
  EXPECT_TRUE(r.ok()) << r.status();
  return r.ok() && r->size() > 0 ? (*r)[0].item<double>() : NAN;
}

/// With what comes through a file: shared variables and their updates, a default, a state, names.
struct Trainer {
  Variable x = dscalar("x"), y = dscalar("y"), total = dscalar("total");
  SharedVariable s = shared(5.0, "s"), t = shared(1.0, "t");
  Function f;
  FunctionOptions options{.updates = {{s, s + 1}, {t, s}}, .name = "trainer"};
  InputList inputs{x, In(y, {.value = 10.0, .name = "k"}),
                   In(total, {.value = 0.0, .update = total + x})};
  OutputList outputs{{"product", s * x * y + t}, {"total", total}};
  Trainer() {
    absl::StatusOr<Function> made = function(inputs, outputs, options);
    EXPECT_TRUE(made.ok()) << made.status();
    f = made.value_or(Function());
  }
};

void expectTrainer(const Function &f) {
  EXPECT_EQ(f.name(), "trainer");
  EXPECT_EQ(f.inputNames(), (std::vector<std::string>{"x", "k", "total"}));
  EXPECT_EQ(f.outputNames(), (std::vector<std::string>{"product", "total"}));
  ASSERT_EQ(f.sharedVariables().size(), 2u);
  EXPECT_EQ(f["s"].get()->item<double>(), 5);
  absl::StatusOr<Results> r = f(2.0);
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)["product"].item<double>(), 101) << "5 * 2 * 10 + 1";
  EXPECT_EQ((*r)["total"].item<double>(), 0);
  EXPECT_EQ(f["s"].get()->item<double>(), 6);
  EXPECT_EQ(f["t"].get()->item<double>(), 5);
  EXPECT_EQ(f["total"].get()->item<double>(), 2);
  r = f.call({3.0}, {{"k", 1.0}}, {.outputSubset = OutputSubset{"product"}});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)[0].item<double>(), 23) << "6 * 3 * 1 + 5";
  EXPECT_EQ(f["k"].get()->item<double>(), 10);
}

// F-200, F-216, G05, G06: the loaded function is another one.
TEST(SavedFunction, IsAnotherFunction) {
  Trainer trainer;
  TemporaryFile saved("trainer.graphc"), dumped("dumped.graphc");
  ASSERT_TRUE(trainer.f.save(saved.path()).ok());
  absl::Status dump = functionDump(dumped.path(), trainer.inputs, trainer.outputs, trainer.options);
  ASSERT_TRUE(dump.ok()) << dump;
  ASSERT_TRUE(trainer.s.set(-1.0).ok());
  for (const std::string &path : {saved.path(), dumped.path()})
    for (bool trust : {true, false}) {
      absl::StatusOr<Function> f = loadFunction(path, {.trustCode = trust});
      ASSERT_TRUE(f.ok()) << f.status();
      expectTrainer(*f);
    }
  EXPECT_EQ(trainer.s.get().item<double>(), -1);
  // What was loaded is saved again with its values of now.
  absl::StatusOr<Function> f = loadFunction(saved.path(), {.trustCode = true});
  ASSERT_TRUE(f.ok());
  number((*f)(1.0));
  ASSERT_TRUE(f->save(dumped.path()).ok());
  absl::StatusOr<Function> g = loadFunction(dumped.path());
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ((*g)["s"].get()->item<double>(), 6);
}

// Trusted code runs without the compiler; in other hands the graph is compiled.
TEST(SavedFunction, RunsItsCodeOnlyWhereItIsTrusted) {
  Trainer trainer;
  TemporaryFile saved("trusted.graphc");
  ASSERT_TRUE(trainer.f.save(saved.path()).ok());
  EXPECT_FALSE(readSaved(saved.path(), true)->code.program.empty());
  EXPECT_TRUE(readSaved(saved.path(), false)->code.program.empty());
  // Another mode needs other code.
  absl::StatusOr<Function> f =
      loadFunction(saved.path(), {.trustCode = true, .mode = "interpreter"});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(f->counters().kernels, 0);
  expectTrainer(*f);
}

// Every dtype, also bfloat16, which NPY does not have; extents that a type knows; the options.
TEST(SavedFunction, KeepsTypesAndOptions) {
  TemporaryFile saved("types.graphc");
  for (int k = 0; k < kNumDTypes; ++k) {
    Tensor value = Tensor({{0, 1, 1}, {1, 0, 1}}).cast(DType(k));
    SharedVariable s = shared(value, "s", {.strict = true, .shape = {{2, kDynamic}}});
    absl::StatusOr<Function> f =
        function({}, {s}, {.mode = Mode("strict").excluding({"merge"}), .threads = 1});
    ASSERT_TRUE(f.ok()) << f.status();
    ASSERT_TRUE(f->save(saved.path()).ok());
    absl::StatusOr<Function> g = loadFunction(saved.path(), {.trustCode = k % 2 == 0});
    ASSERT_TRUE(g.ok()) << g.status();
    EXPECT_TRUE((*(*g)())[0].identical(value)) << dtypeName(DType(k));
    EXPECT_EQ(g->sharedVariables()[0].type(), s.type());
    EXPECT_FALSE((*g)["s"].set(value.cast(DType(k == 3 ? 4 : 3))).ok()) << "strict";
  }
  absl::StatusOr<SavedFunction> read = readSaved(saved.path(), false);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->options.mode.name(), "strict");
  EXPECT_EQ(read->options.mode.excluded(), std::vector<std::string>{"merge"});
  EXPECT_EQ(read->options.threads, 1);
}

// Two inputs of one value, and a shared variable that an input stands for, stay so.
TEST(SavedFunction, SharedValuesStayShared) {
  Variable x = dscalar("x"), y = dscalar("y");
  SharedVariable s = shared(3.0, "s");
  absl::StatusOr<Function> f =
      function({In(x, {.value = s}), In(y, {.value = s})}, {x + y + s}, {.updates = {{s, s + 1}}});
  ASSERT_TRUE(f.ok()) << f.status();
  TemporaryFile saved("shared.graphc");
  ASSERT_TRUE(f->save(saved.path()).ok());
  absl::StatusOr<Function> g = loadFunction(saved.path());
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(number((*g)()), 9);
  EXPECT_EQ(number((*g)()), 12);
  EXPECT_EQ(s.get().item<double>(), 3);
}

// A place of the graph's is still the user's after a file.
TEST(SavedFunction, KeepsPlaces) {
  Variable x = dvector("x"), y = dvector("y");
  absl::StatusOr<Function> f = function({x, y}, x + y);
  ASSERT_TRUE(f.ok());
  TemporaryFile saved("places.graphc");
  ASSERT_TRUE(f->save(saved.path()).ok());
  std::string wanted = whole((*f)(Tensor({1, 2}), Tensor({1, 2, 3})).status());
  EXPECT_NE(wanted.find("SavedFunctionTest.cpp"), wanted.npos);
  for (bool trust : {true, false})
    EXPECT_EQ(
        whole((*loadFunction(saved.path(), {.trustCode = trust}))(Tensor({1, 2}), Tensor({1, 2, 3}))
                  .status()),
        wanted);
  // Inputs have none there, and least of all one of graphc's own lines.
  for (bool trust : {true, false}) {
    absl::Status wrong =
        (*loadFunction(saved.path(), {.trustCode = trust}))(Tensor({1, 2}), Tensor(1.0)).status();
    EXPECT_EQ(errorPlace(wrong), std::nullopt) << wrong;
    EXPECT_NE(wrong.message().find("argument 1 ('y') wants f64[?] but got f64"), std::string::npos)
        << wrong;
  }
}

// The graph of what calls see, as `graphc compile` wants it.
TEST(SavedFunction, AsAGraph) {
  Variable x = dscalar("x"), y = dscalar("y");
  SharedVariable s = shared(3.0, "s");
  TemporaryFile saved("graph.graphc");
  ASSERT_TRUE(functionDump(saved.path(), {x, In(y, {.value = 2.0})}, {x * y + s}).ok());
  EXPECT_TRUE(isSavedFunction(saved.path()));
  absl::StatusOr<GraphModule> module = loadSavedGraph(saved.path());
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->inputs.size(), 2u);
  absl::StatusOr<Function> f = function(*module);
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(number((*f)(4.0, 5.0)), 23);
  std::vector<std::string> names;
  for (const Variable &v : graphInputs(module->outputs))
    names.emplace_back(v.name());
  EXPECT_EQ(names, (std::vector<std::string>{"x", "y", "s"}));
  ASSERT_TRUE(functionDump(saved.path(), {x}, {x + s}, {.updates = {{s, s + 1}}}).ok());
  EXPECT_EQ(said(loadSavedGraph(saved.path()).status()),
            "NotSupported: " + saved.path() +
                ": the function updates 's', which only `run` and loadFunction can do");
}

TEST(SavedFunction, Errors) {
  Variable x = dscalar("x"), y = dscalar("y");
  TemporaryFile file("errors.graphc");
  OpDef def;
  def.name = "mine";
  def.doc = "Of the user's.";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [](Emitter &, const Arrays &in, const Attributes &) { return Arrays{in[0]}; };
  Op mine = *defineOp(def);
  writeFile(file.path(), "no archive");
  EXPECT_FALSE(isSavedFunction(file.path()));
  EXPECT_FALSE(isSavedFunction(file.path() + ".missing"));
  expectMessages({
      {loadFunction(file.path()).status(), "Io: " + file.path() + ": Not a zip archive"},
      {loadFunction(file.path() + ".missing").status(),
       "Io: " + file.path() + ".missing: No such file or directory"},
      {function({x}, mine(x))->save(file.path()),
       "NotSupported: " + file.path() + ": op 'mine' has no text form: it is not in the registry"},
      {function({x}, x + 1)->save("/nowhere/f.graphc"),
       "Io: /nowhere/f.graphc: Failure to create temporary file: No such file or directory"},
      {Function().save(file.path()),
       "ValueError: the Function to save was default-constructed or moved from: it is none"},
      {functionDump(file.path(), {x}, {x + 1}, {.mode = "quick"}),
       "ValueError: function: no mode is called 'quick'; modes are fast_run, strict, fast_math, "
       "fast_compile, debug, nanguard, monitor, interpreter"},
  });
  EXPECT_EQ(errorKind(functionDump(file.path(), {x}, {x + y})), ErrorKind::MissingInput);
  EXPECT_EQ(bytesOf(file.path()), "no archive") << "what failed has written nothing";
  ASSERT_TRUE(saveNpz(file.path(), {{"a", Tensor({1})}}).ok());
  EXPECT_EQ(said(loadFunction(file.path()).status()),
            "Io: " + file.path() +
                ": is no saved function; Function::save and functionDump write such files");
}

TEST(SavedFunction, FailuresOnTheWay) {
  Variable x = dscalar("x");
  TemporaryFile one("one.graphc"), other("other.graphc");
  ASSERT_TRUE(functionDump(one.path(), {x}, {x + 1}).ok());
  ASSERT_TRUE(functionDump(other.path(), {x}, {x > 1}).ok());
  absl::StatusOr<SavedFunction> mixed = readSaved(one.path(), false);
  mixed->graph = readSaved(other.path(), false)->graph;
  ASSERT_TRUE(writeSaved(one.path(), *mixed).ok());
  EXPECT_EQ(said(loadFunction(one.path()).status()),
            "Io: " + one.path() +
                ": the saved function is damaged: its graph is another function's");
  for (const char *code : {"", "code"})
    EXPECT_EQ(said(loadImage({"program", code}).status()),
              "ValueError: a compiled program is damaged");
  absl::StatusOr<Function> f = function({x}, x + 1);
  const char *before = getenv("TMPDIR");
  std::optional<std::string> folder = before ? std::optional<std::string>(before) : std::nullopt;
  setenv("TMPDIR", "/proc", 1); // what is linked stays in memory
  absl::Status saved = f->save(one.path());
  std::string message = said(loadFunction(one.path(), {.trustCode = true}).status());
  folder ? setenv("TMPDIR", folder->c_str(), 1) : unsetenv("TMPDIR");
  EXPECT_TRUE(saved.ok()) << saved;
  EXPECT_EQ(message.substr(0, message.rfind('-')),
            "Io: " + one.path() + ": cannot make a temporary file /proc/graphc-code");
}

/// The members of an archive.
std::vector<std::pair<std::string, std::string>> membersOf(const std::string &path) {
  std::vector<std::pair<std::string, std::string>> members;
  absl::StatusOr<ArchiveReader> archive = ArchiveReader::open(path);
  for (size_t i = 0; archive.ok() && i < archive->numMembers(); ++i) {
    std::string bytes;
    EXPECT_TRUE(archive
                    ->read(i,
                           [&](ByteSource &source) {
                             bytes.resize(size_t(source.remaining()));
                             return source.read(bytes.data(), int64_t(bytes.size()));
                           })
                    .ok());
    members.emplace_back(*archive->name(i), bytes);
  }
  return members;
}

// Parts that were exchanged, left out, or come from another version.
TEST(SavedFunction, PartsThatDoNotFit) {
  Trainer trainer;
  TemporaryFile saved("parts.graphc"), changed("changed.graphc");
  ASSERT_TRUE(trainer.f.save(saved.path()).ok());
  const auto members = membersOf(saved.path());
  ASSERT_EQ(members.size(), 8u) << "function, graph, four values, program and kernels";
  auto without = [&](std::string_view name) {
    auto some = members;
    std::erase_if(some, [&](const auto &member) { return member.first == name; });
    EXPECT_TRUE(writeArchive(changed.path(), some).ok());
    return said(loadFunction(changed.path(), {.trustCode = true}).status());
  };
  auto with = [&](std::string_view name, size_t at, char byte) {
    auto some = members;
    for (auto &[own, bytes] : some)
      if (own == name)
        bytes[at] = byte;
    EXPECT_TRUE(writeArchive(changed.path(), some).ok());
    return said(loadFunction(changed.path(), {.trustCode = true}).status());
  };
  std::string damaged = "Io: " + changed.path() + ": the saved function is damaged: ";
  EXPECT_EQ(without("graph"), damaged + "graph is missing");
  EXPECT_EQ(without("values/1.npy"), damaged + "values/1.npy is missing");
  EXPECT_EQ(without("code/kernels.so"), damaged + "code/kernels.so is missing");
  EXPECT_EQ(without("code/program"), "OK") << "its graph is compiled";
  EXPECT_EQ(with("graph", 40, '?'), damaged + "graph has another checksum");
  EXPECT_EQ(with("code/program", 0, '?'), damaged + "code/program has another checksum");
  EXPECT_EQ(with("function", 60, '?'), damaged + "function has another checksum");
  EXPECT_EQ(with("function", 0, '?'), damaged + "function does not begin as it should");
  EXPECT_EQ(with("function", 16, 9),
            "Io: " + changed.path() +
                ": the saved function has version 9 of the format; this graphc reads version 2");
}

/// The record's last 16 bytes are its checksum: that of the others.
void seal(std::string &record) {
  Hasher hasher;
  hasher.addString(std::string_view(record).substr(0, record.size() - 16));
  Hash128 checksum = hasher.finish128();
  std::memcpy(record.data() + record.size() - 16, &checksum.low, 8);
  std::memcpy(record.data() + record.size() - 8, &checksum.high, 8);
}

// An input that is said to be a shared variable's, and has no value in the file.
TEST(SavedFunction, RecordsAreNotBelieved) {
  Variable x = dscalar("x");
  TemporaryFile saved("plain.graphc"), claims("claims.graphc");
  ASSERT_TRUE(function({x}, x + 1)->save(saved.path()).ok());
  auto members = membersOf(saved.path());
  std::string &record = members[0].second;
  ASSERT_EQ(members[0].first, "function");
  // Five flags, of which the first says that it takes an argument and the last what is claimed; the
  // numbers of its container, input, output and source.
  const std::string none(4, '\xff'), zeros(4, '\0');
  const std::string slot = std::string("\1\0\0\0\0", 5) + none + zeros + none + none;
  size_t at = record.find(slot);
  ASSERT_NE(at, std::string::npos);
  record[at + 4] = 1;
  seal(record);
  ASSERT_TRUE(writeArchive(claims.path(), members).ok());
  const std::string damaged =
      "Io: " + claims.path() + ": the saved function is damaged: function does not fit together";
  EXPECT_EQ(said(loadFunction(claims.path()).status()), damaged);
  EXPECT_EQ(said(loadSavedGraph(claims.path()).status()), damaged);
}

// Code for another kind of processor, or of another build, is passed over: the graph is compiled.
TEST(SavedFunction, CodeForAnotherMachineIsNotRun) {
  Trainer trainer;
  TemporaryFile saved("own.graphc"), foreign("foreign.graphc");
  ASSERT_TRUE(trainer.f.save(saved.path()).ok());
  auto members = membersOf(saved.path());
  std::string &record = members[0].second;
  ASSERT_EQ(members[0].first, "function");
  // The record ends in the key of its code, and its checksum.
  record[record.size() - 32] ^= 1;
  seal(record);
  ASSERT_TRUE(writeArchive(foreign.path(), members).ok());
  EXPECT_FALSE(readSaved(saved.path(), true)->code.program.empty());
  absl::StatusOr<SavedFunction> read = readSaved(foreign.path(), true);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->code.program.empty());
  absl::StatusOr<Function> f = loadFunction(foreign.path(), {.trustCode = true});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_GT(f->counters().kernels, 0);
  expectTrainer(*f);
}

// F-216: the values of a saved function are its own, each of them.
TEST(SavedFunction, ValuesThatShareMemoryAreWarnedAbout) {
  Tensor both({1, 2, 3});
  SharedVariable s = shared(both, "s", {.borrow = true}), t = shared(both, "t", {.borrow = true}),
                 own = shared(both, "own");
  absl::StatusOr<Function> f = function({}, {s + t + own});
  ASSERT_TRUE(f.ok()) << f.status();
  TemporaryFile saved("sharing.graphc");
  std::vector<std::string> warnings;
  setLogSink([&](std::string_view text) { warnings.emplace_back(text); });
  absl::Status status = f->save(saved.path());
  setLogSink({});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(warnings,
            std::vector<std::string>{saved.path() + ": 's' and 't' share memory, those of the "
                                                    "saved function will not"});
  absl::StatusOr<Function> g = loadFunction(saved.path());
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_FALSE((*g)["s"].get({.borrow = true})->overlaps(*(*g)["t"].get({.borrow = true})));
}

// What nanguard looks for, and rules of conversion, come through a file.
TEST(SavedFunction, KeepsWhatCallsLookAt) {
  Variable x = dscalar("x"), i = bscalar("i");
  TemporaryFile saved("rules.graphc");
  absl::StatusOr<Function> f = function({x, In(i, {.allowDowncast = true})}, {sqrt(x), i},
                                        {.mode = Mode::nanGuard({.nan = false, .big = 1e3})});
  ASSERT_TRUE(f.ok()) << f.status();
  f->setTrustInput(false);
  ASSERT_TRUE(f->save(saved.path()).ok());
  absl::StatusOr<Function> g = loadFunction(saved.path());
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_TRUE((*g)(-1.0, 300).ok());
  EXPECT_EQ((*(*g)(4.0, 300))[1].item<int>(), 44);
  EXPECT_EQ(errorKind((*g)(1e8, 1).status()), ErrorKind::NanGuard);
  f->setTrustInput(true);
  ASSERT_TRUE(f->save(saved.path()).ok());
  EXPECT_TRUE(loadFunction(saved.path())->trustInput());
}

// Any damage is refused, or changes nothing (a byte that no reader looks at).
TEST(SavedFunction, DamagedFilesAreRefused) {
  Trainer trainer;
  TemporaryFile saved("whole.graphc"), damaged("damaged.graphc");
  ASSERT_TRUE(functionDump(saved.path(), trainer.inputs, trainer.outputs, trainer.options).ok());
  int loaded = 0;
  forEachDamaged(bytesOf(saved.path()), 1000, [&](const std::string &bytes) {
    writeFile(damaged.path(), bytes);
    absl::StatusOr<Function> f = loadFunction(damaged.path(), {.mode = "interpreter"});
    if (!f.ok()) {
      bool otherZip = errorKind(f.status()) == ErrorKind::NotSupported;
      EXPECT_TRUE(otherZip || errorKind(f.status()) == ErrorKind::Io) << f.status();
      return;
    }
    ++loaded;
    expectTrainer(*f);
  });
  EXPECT_LT(loaded, 200) << "times and attributes of the archive's members";
}

} // namespace
} // namespace graphc
