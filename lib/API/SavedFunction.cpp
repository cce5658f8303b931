//===- SavedFunction.cpp --------------------------------------------------===//
#include "API/SavedFunction.h"

#include <algorithm>
#include <cstdio>

#include "API/CheckGraph.h"
#include "API/InputOfFile.h"
#include "Rewrites/OwnRewrites.h"
#include "Runtime/Archive.h"
#include "Runtime/BuildIdentity.h"
#include "Runtime/CpuIdentity.h"
#include "Support/Bytes.h"
#include "Support/Log.h"
#include "Support/ReadFile.h"
#include "absl/container/flat_hash_map.h"

namespace graphc {
namespace {

constexpr std::string_view kMagic = "graphc function\n";
constexpr uint32_t kVersion = 2;
const char *const kRecord = "function";

//===--- the record -------------------------------------------------------------===//

/// Slot::container by number, and a type instead of a Variable.
struct SlotRecord {
  std::string name;
  DType dtype = DType::Float64;
  std::vector<int64_t> shape;
  ValueRules rules;
  bool takesArgument = true, isMutable = false, isBorrowed = false, isShared = false,
       isSharedVariable = false;
  int32_t container = -1, input = -1, output = -1, source = -1;
};

struct ContainerRecord {
  std::string name; // of the shared variable
  DType dtype = DType::Float64;
  std::vector<int64_t> shape;
  ValueRules rules;
};

struct OutputRecord {
  std::string name;
  DType dtype = DType::Float64;
  std::vector<int64_t> shape;
  bool isBorrowed = false;
};

/// A part of the archive: its name and the hash of its bytes.
struct Part {
  std::string name;
  Hash128 checksum;
};

struct Record {
  std::string name, mode, target;
  std::vector<std::string> included, excluded, required;
  NanGuardOptions nanGuard;
  bool rewrites = true, hasThreads = false, trustInput = false;
  int32_t threads = 0;
  uint64_t numResults = 0;
  std::vector<SlotRecord> slots;
  std::vector<ContainerRecord> containers;
  std::vector<OutputRecord> outputs;
  std::vector<Part> parts;
  /// What the code depends on; zeros where there is none.
  Hash128 codeKey;
};

template <class Bytes, class T> void transferRules(Bytes &bytes, T &rules) {
  bytes.value(rules.strict);
  int8_t downcast = rules.allowDowncast ? int8_t(*rules.allowDowncast) : int8_t(-1);
  bytes.value(downcast);
  if constexpr (Bytes::kReads)
    if (downcast >= 0)
      rules.allowDowncast = downcast != 0;
}

template <class Bytes, class T> void transferHash(Bytes &bytes, T &hash) {
  bytes.value(hash.low);
  bytes.value(hash.high);
}

template <class Bytes, class T> void transferType(Bytes &bytes, T &record) {
  bytes.value(record.name);
  bytes.value(record.dtype);
  bytes.value(record.shape);
}

/// Every field in order.
template <class Bytes, class T> void transferRecord(Bytes &bytes, T &r) {
  bytes.value(r.name);
  bytes.value(r.mode);
  bytes.value(r.target);
  for (auto *tags : {&r.included, &r.excluded, &r.required})
    bytes.list(*tags, [&](auto &tag) { bytes.value(tag); });
  bytes.value(r.nanGuard.nan);
  bytes.value(r.nanGuard.inf);
  bytes.value(r.nanGuard.big);
  bytes.value(r.rewrites);
  bytes.value(r.hasThreads);
  bytes.value(r.threads);
  bytes.value(r.trustInput);
  bytes.value(r.numResults);
  bytes.list(r.slots, [&](auto &slot) {
    transferType(bytes, slot);
    transferRules(bytes, slot.rules);
    for (auto *flag : {&slot.takesArgument, &slot.isMutable, &slot.isBorrowed, &slot.isShared,
                       &slot.isSharedVariable})
      bytes.value(*flag);
    for (auto *number : {&slot.container, &slot.input, &slot.output, &slot.source})
      bytes.value(*number);
  });
  bytes.list(r.containers, [&](auto &container) {
    transferType(bytes, container);
    transferRules(bytes, container.rules);
  });
  bytes.list(r.outputs, [&](auto &output) {
    transferType(bytes, output);
    bytes.value(output.isBorrowed);
  });
  bytes.list(r.parts, [&](auto &part) {
    bytes.value(part.name);
    transferHash(bytes, part.checksum);
  });
  transferHash(bytes, r.codeKey);
}

Hash128 checksumOf(std::string_view bytes) {
  Hasher hasher;
  hasher.addString(bytes);
  return hasher.finish128();
}

/// What stored code needs: this very library, which the program's table is for, and the processor.
Hash128 codeKeyFor(const std::string &target) {
  Hash128 build = buildIdentity(), cpu = target == "native" ? cpuIdentity() : Hash128();
  Hasher hasher;
  hasher.add(build.low).add(build.high).addString(target).add(cpu.low).add(cpu.high);
  hasher.add(runsCodeFor(target));
  return hasher.finish128();
}

bool isTypeSound(DType dtype, const std::vector<int64_t> &shape) {
  return unsigned(dtype) < unsigned(kNumDTypes) && shape.size() <= size_t(Tensor::kMaxRank) &&
         std::ranges::all_of(shape, [](int64_t n) { return n >= 0 || n == kDynamic; });
}

/// Whether all numbers are in range: what comes from a file is believed no further.
bool isSound(const Record &r) {
  auto isIn = [](int32_t number, size_t count) { return number >= -1 && number < int64_t(count); };
  if (r.numResults < r.outputs.size() || r.numResults > r.outputs.size() + r.slots.size())
    return false;
  std::vector<bool> inputs(r.slots.size());
  size_t numInputs = 0;
  for (const SlotRecord &slot : r.slots) {
    if (!isTypeSound(slot.dtype, slot.shape) || !isIn(slot.container, r.containers.size()) ||
        !isIn(slot.input, r.slots.size()) || !isIn(slot.output, r.numResults) ||
        !isIn(slot.source, r.slots.size()))
      return false;
    bool needsContainer = !slot.takesArgument || slot.isShared || slot.isSharedVariable ||
                          slot.output >= 0 || slot.source >= 0;
    if (needsContainer && slot.container < 0)
      return false;
    if (slot.container >= 0) {
      const ContainerRecord &c = r.containers[size_t(slot.container)];
      if (!isTypeSound(c.dtype, c.shape) ||
          !Type(slot.dtype, slot.shape).isSuperOf(Type(c.dtype, c.shape)))
        return false;
    }
    if (slot.output >= 0 && uint64_t(slot.output) < r.outputs.size())
      return false;
    if (slot.source >= 0 && r.slots[size_t(slot.source)].container < 0)
      return false;
    if (slot.input >= 0) {
      if (inputs[size_t(slot.input)])
        return false;
      inputs[size_t(slot.input)] = true;
      ++numInputs;
    }
  }
  for (size_t i = 0; i < numInputs; ++i)
    if (!inputs[i])
      return false;
  return std::ranges::all_of(r.outputs, [](const OutputRecord &output) {
    return isTypeSound(output.dtype, output.shape);
  });
}

std::string valueName(size_t container) { return "values/" + std::to_string(container) + ".npy"; }

/// bfloat16, which NPY does not have, and its bits as uint16.
absl::StatusOr<Tensor> asDType(const Tensor &t, DType dtype) {
  Tensor dense = t.contiguous();
  if (!dense.defined())
    return makeError(ErrorKind::OutOfMemory, "no memory for a row-major copy of a value");
  return Tensor::borrow(dtype, dense.data(), dense.shape(), {}, std::make_shared<Tensor>(dense));
}

//===--- reading ----------------------------------------------------------------===//

class Reader {
public:
  Reader(const std::string &path, ArchiveReader archive)
      : path_(path), archive_(std::move(archive)) {}

  absl::StatusOr<SavedFunction> run(bool withCode);

private:
  absl::Status damaged(const std::string &what) const {
    return makeError(ErrorKind::Io, path_ + ": the saved function is damaged: " + what);
  }
  absl::Status findParts();
  absl::StatusOr<std::string> readPart(const std::string &name) const;
  absl::Status readRecord();
  absl::Status makeContainers();
  void makeSlots(SavedFunction &saved) const;

  const std::string &path_;
  ArchiveReader archive_;
  absl::flat_hash_map<std::string, size_t> members_;
  Record record_;
  absl::flat_hash_map<std::string, Hash128> checksums_;
  std::vector<SharedVariable> shared_;
};

absl::Status Reader::findParts() {
  for (size_t i = 0; i < archive_.numMembers(); ++i) {
    absl::StatusOr<std::string> name = archive_.name(i);
    if (!name.ok())
      return name.status();
    if (!members_.try_emplace(*name, i).second)
      return damaged(*name + " is there twice");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Reader::readPart(const std::string &name) const {
  auto found = members_.find(name);
  if (found == members_.end())
    return damaged(name + " is missing");
  std::string bytes;
  absl::Status status = archive_.read(found->second, [&](ByteSource &source) {
    bytes.resize(size_t(source.remaining()));
    return source.read(bytes.data(), int64_t(bytes.size()));
  });
  if (!status.ok())
    return status;
  if (name == kRecord) // has its own
    return bytes;
  if (auto checksum = checksums_.find(name);
      checksum == checksums_.end() || !(checksum->second == checksumOf(bytes)))
    return damaged(name + " has another checksum");
  return bytes;
}

absl::Status Reader::readRecord() {
  if (!members_.contains(kRecord))
    return makeError(ErrorKind::Io, path_ + ": is no saved function; Function::save and "
                                            "functionDump write such files");
  absl::StatusOr<std::string> bytes = readPart(kRecord);
  if (!bytes.ok())
    return bytes.status();
  std::string_view rest = *bytes;
  if (!rest.starts_with(kMagic) || rest.size() < kMagic.size() + sizeof(kVersion) + 16)
    return damaged("function does not begin as it should");
  ByteReader body(rest.substr(kMagic.size(), rest.size() - kMagic.size() - 16));
  ByteReader end(rest.substr(rest.size() - 16));
  uint32_t version;
  body.value(version);
  if (version != kVersion)
    return makeError(ErrorKind::Io, path_ + ": the saved function has version " +
                                        std::to_string(version) + " of the format; this graphc " +
                                        "reads version " + std::to_string(kVersion));
  Hash128 checksum;
  transferHash(end, checksum);
  if (!(checksum == checksumOf(rest.substr(0, rest.size() - 16))))
    return damaged("function has another checksum");
  transferRecord(body, record_);
  if (!body.atEnd() || !isSound(record_))
    return damaged("function does not fit together");
  for (const Part &part : record_.parts)
    checksums_.emplace(part.name, part.checksum);
  return absl::OkStatus();
}

/// A shared variable for each: also for defaults and states, whose container is all that is used.
absl::Status Reader::makeContainers() {
  for (size_t i = 0; i < record_.containers.size(); ++i) {
    const ContainerRecord &c = record_.containers[i];
    absl::StatusOr<std::string> bytes = readPart(valueName(i));
    if (!bytes.ok())
      return bytes.status();
    absl::StatusOr<Tensor> value = parseNpy(*bytes, path_ + ": " + valueName(i));
    if (value.ok() && c.dtype == DType::BFloat16 && value->dtype() == DType::UInt16)
      value = asDType(*value, DType::BFloat16);
    if (!value.ok())
      return value.status();
    if (!isOfType(*value, Type(c.dtype, c.shape)))
      return damaged(valueName(i) + " is " + Type(value->dtype(), value->shape()).brief() +
                     ", not " + Type(c.dtype, c.shape).brief());
    SharedOptions options{.strict = c.rules.strict,
                          .allowDowncast = c.rules.allowDowncast,
                          .borrow = true,
                          .shape = c.shape};
    shared_.push_back(makeShared(*std::move(value), c.name, options, Place()));
  }
  return absl::OkStatus();
}

void Reader::makeSlots(SavedFunction &saved) const {
  for (const SlotRecord &r : record_.slots) {
    Slot slot;
    slot.name = r.name;
    slot.rules = r.rules;
    slot.takesArgument = r.takesArgument;
    slot.isMutable = r.isMutable;
    slot.isBorrowed = r.isBorrowed;
    slot.input = r.input;
    slot.output = r.output;
    slot.source = r.source;
    if (r.container >= 0)
      slot.container = detail::containerOf(shared_[size_t(r.container)]);
    if (r.isShared)
      slot.shared = shared_[size_t(r.container)];
    slot.variable = r.isSharedVariable ? Variable(shared_[size_t(r.container)])
                                       : inputOfFile(Type(r.dtype, r.shape), r.name);
    saved.slots.push_back(std::move(slot));
  }
}

absl::StatusOr<SavedFunction> Reader::run(bool withCode) {
  if (absl::Status s = findParts(); !s.ok())
    return s;
  if (absl::Status s = readRecord(); !s.ok())
    return s;
  if (absl::Status s = makeContainers(); !s.ok())
    return s;
  SavedFunction saved;
  makeSlots(saved);
  saved.options.name = record_.name;
  Mode mode = Mode(record_.mode).withNanGuard(record_.nanGuard);
  for (const std::string &tag : record_.included)
    mode = mode.including({tag});
  for (const std::string &tag : record_.excluded)
    mode = mode.excluding({tag});
  for (const std::string &tag : record_.required)
    mode = mode.requiring({tag});
  saved.options.mode = std::move(mode);
  saved.options.rewrites = record_.rewrites;
  saved.options.target = record_.target;
  if (record_.hasThreads)
    saved.options.threads = record_.threads;
  saved.trustInput = record_.trustInput;
  saved.numResults = record_.numResults;
  for (const OutputRecord &output : record_.outputs) {
    saved.outputTypes.emplace_back(output.dtype, output.shape);
    saved.outputNames.push_back(output.name);
    saved.areBorrowed.push_back(output.isBorrowed);
  }
  absl::StatusOr<std::string> graph = readPart("graph");
  if (!graph.ok())
    return graph.status();
  saved.graph = *std::move(graph);
  if (withCode && members_.contains("code/program") &&
      record_.codeKey == codeKeyFor(record_.target)) {
    absl::StatusOr<std::string> program = readPart("code/program");
    if (!program.ok())
      return program.status();
    absl::StatusOr<std::string> code = readPart("code/kernels.so");
    if (!code.ok())
      return code.status();
    saved.code = {*std::move(program), *std::move(code)};
  }
  return saved;
}

/// F-216: those of two containers that share memory will be two in the file.
void warnOfSharing(const std::string &path, const std::vector<Slot> &slots,
                   const std::vector<Tensor> &values) {
  std::vector<size_t> order;
  for (size_t i = 0; i < slots.size(); ++i)
    if (values[i].defined())
      order.push_back(i);
  std::ranges::sort(order, std::less<>(), [&](size_t i) { return std::pair(values[i].data(), i); });
  for (size_t k = 1; k < order.size(); ++k) {
    const Slot &one = slots[std::min(order[k - 1], order[k])],
               &other = slots[std::max(order[k - 1], order[k])];
    if (one.container != other.container && values[order[k - 1]].overlaps(values[order[k]]))
      logWarning(path + ": " + quoted(one.variable) + " and " + quoted(other.variable) +
                 " share memory, those of the saved function will not");
  }
}

/// By slot; as they are at one moment.
absl::StatusOr<std::vector<Tensor>> valuesOf(const std::vector<Slot> &slots) {
  std::vector<detail::Access::Use> uses;
  std::vector<detail::Container *> containers;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < slots.size(); ++i)
    if (detail::Container *container = slots[i].container.get()) {
      uses.push_back({container, false});
      containers.push_back(container);
      numbers.push_back(i);
    }
  std::vector<Tensor> read(containers.size()), values(slots.size());
  if (absl::Status s = detail::Access(std::move(uses)).read(containers, absl::MakeSpan(read));
      !s.ok())
    return s;
  for (size_t i = 0; i < read.size(); ++i)
    values[numbers[i]] = std::move(read[i]);
  return values;
}

} // namespace

//===--- writing ----------------------------------------------------------------===//

absl::Status writeSaved(const std::string &path, const SavedFunction &saved) {
  Record r;
  r.name = saved.options.name;
  const Mode &mode = saved.options.mode;
  r.mode = mode.name();
  r.included = mode.included();
  if (mode.ownRewrites()) // whoever compiles the graph again must have them
    for (std::string &name : mode.ownRewrites()->names())
      r.included.push_back(std::move(name));
  r.excluded = mode.excluded();
  r.required = mode.required();
  r.nanGuard = mode.nanGuardOptions();
  r.rewrites = saved.options.rewrites;
  r.target = saved.options.target;
  r.hasThreads = saved.options.threads.has_value();
  r.threads = saved.options.threads.value_or(0);
  r.trustInput = saved.trustInput;
  r.numResults = saved.numResults;
  for (size_t i = 0; i < saved.outputTypes.size(); ++i) {
    absl::Span<const int64_t> shape = saved.outputTypes[i].shape();
    r.outputs.push_back({saved.outputNames[i],
                         saved.outputTypes[i].dtype(),
                         {shape.begin(), shape.end()},
                         saved.areBorrowed[i]});
  }
  std::vector<std::pair<std::string, std::string>> members;
  auto addPart = [&](const std::string &name, std::string bytes) {
    r.parts.push_back({name, checksumOf(bytes)});
    members.emplace_back(name, std::move(bytes));
  };
  addPart("graph", saved.graph);

  absl::flat_hash_map<detail::Container *, int32_t> numbers;
  absl::StatusOr<std::vector<Tensor>> values = valuesOf(saved.slots);
  if (!values.ok())
    return values.status();
  warnOfSharing(path, saved.slots, *values);
  for (size_t i = 0; i < saved.slots.size(); ++i) {
    const Slot &slot = saved.slots[i];
    const Type &type = slot.variable.type();
    SlotRecord s{.name = slot.name,
                 .dtype = type.dtype(),
                 .shape = {type.shape().begin(), type.shape().end()},
                 .rules = slot.rules,
                 .takesArgument = slot.takesArgument,
                 .isMutable = slot.isMutable,
                 .isBorrowed = slot.isBorrowed,
                 .isShared = slot.shared.has_value(),
                 .isSharedVariable = SharedVariable::from(slot.variable).has_value(),
                 .input = slot.input,
                 .output = slot.output,
                 .source = slot.source};
    if (slot.container) {
      auto [at, isNew] = numbers.try_emplace(slot.container.get(), int32_t(r.containers.size()));
      s.container = at->second;
      if (isNew) {
        const Type &own = slot.container->type;
        r.containers.push_back({std::string(slot.variable.name()),
                                own.dtype(),
                                {own.shape().begin(), own.shape().end()},
                                slot.container->rules});
        const Tensor &value = (*values)[i];
        absl::StatusOr<Tensor> bits = own.dtype() == DType::BFloat16
                                          ? asDType(value, DType::UInt16)
                                          : absl::StatusOr<Tensor>(value);
        absl::StatusOr<std::string> npy = bits.ok() ? formatNpy(*bits) : bits.status();
        if (!npy.ok())
          return npy.status();
        addPart(valueName(size_t(at->second)), *std::move(npy));
      }
    }
    r.slots.push_back(std::move(s));
  }
  if (!saved.code.program.empty()) {
    r.codeKey = codeKeyFor(r.target);
    addPart("code/program", saved.code.program);
    addPart("code/kernels.so", saved.code.code);
  }

  ByteWriter bytes;
  bytes.append(kMagic.data(), kMagic.size());
  bytes.value(kVersion);
  transferRecord(bytes, r);
  std::string record = bytes.take();
  ByteWriter end;
  Hash128 checksum = checksumOf(record);
  transferHash(end, checksum);
  members.insert(members.begin(), {kRecord, record + end.take()});
  return writeArchive(path, members);
}

absl::StatusOr<SavedFunction> readSaved(const std::string &path, bool withCode) {
  absl::StatusOr<ArchiveReader> archive = ArchiveReader::open(path);
  if (!archive.ok())
    return archive.status();
  return Reader(path, *std::move(archive)).run(withCode);
}

bool isSavedFunction(const std::string &path) {
  absl::StatusOr<OpenFile> file = openFile(path);
  char head[2];
  return file.ok() && file->size >= 0 &&
         std::fread(head, 1, sizeof(head), file->file.get()) == sizeof(head) && head[0] == 'P' &&
         head[1] == 'K';
}

} // namespace graphc
