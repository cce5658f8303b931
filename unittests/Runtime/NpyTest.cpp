#include <cmath>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "TestData.h"
#include "graphc/Status.h"
#include "graphc/Tensor.h"

namespace graphc {
namespace {

struct Sample {
  Tensor tensor;
  std::string file;
};

/// NumPy's files of the kind "npy".
std::vector<Sample> npySamples() {
  std::istringstream data(readTestFile("numpy_npy.txt"));
  std::vector<Sample> samples;
  for (std::string line; std::getline(data, line);) {
    std::istringstream words(line);
    std::string kind, dtype, shape, file, elements;
    words >> kind >> dtype >> shape >> file >> elements;
    if (kind != "npy")
      continue;
    Tensor tensor = *Tensor::allocate(*parseDType(dtype), shapeOfText(shape));
    std::string bytes = elements == "-" ? "" : bytesOfHex(elements);
    EXPECT_EQ(bytes.size(), size_t(tensor.numBytes()));
    std::memcpy(tensor.data(), bytes.data(), bytes.size());
    samples.push_back({tensor, bytesOfHex(file)});
  }
  return samples;
}

std::vector<std::string> npzSamples(const std::string &kind = "npz ") {
  std::istringstream data(readTestFile("numpy_npy.txt"));
  std::vector<std::string> samples;
  for (std::string line; std::getline(data, line);)
    if (line.starts_with(kind))
      samples.push_back(bytesOfHex(line.substr(kind.size())));
  return samples;
}

TEST(Npy, ReadsWhatNumPyWrote) {
  std::vector<Sample> samples = npySamples();
  EXPECT_EQ(samples.size(), 3u * 23 + 2 * 23 + 7);
  for (const Sample &sample : samples) {
    absl::StatusOr<Tensor> tensor = parseNpy(sample.file);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_TRUE(tensor->isContiguous());
    EXPECT_TRUE(tensor->identical(sample.tensor)) << *tensor << "\n" << sample.tensor;
  }
}

TEST(Npy, WritesWhatNumPyWrites) {
  int compared = 0;
  for (const Sample &sample : npySamples()) {
    absl::StatusOr<std::string> bytes = formatNpy(sample.tensor);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    EXPECT_TRUE(parseNpy(*bytes)->identical(sample.tensor));
    // NumPy leaves spaces for arrays that grow, so headers of high rank differ in length.
    if (sample.file[6] != 1 || sample.tensor.rank() > 3 ||
        sample.file.find("True") != std::string::npos ||
        sample.file.find("'>") != std::string::npos)
      continue;
    EXPECT_EQ(*bytes, sample.file);
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

TEST(Npy, WritesStridedTensorsRowMajor) {
  Tensor matrix({{1, 2, 3}, {4, 5, 6}}, DType::Int16);
  Tensor transposed = *matrix.transpose({1, 0});
  EXPECT_TRUE(parseNpy(*formatNpy(transposed))->identical(transposed));
  TemporaryFile file("strided.npy");
  ASSERT_TRUE(saveNpy(file.path(), transposed).ok());
  EXPECT_TRUE(loadNpy(file.path())->identical(transposed));
  ASSERT_TRUE(saveNpy(file.path(), Tensor(7.5)).ok()); // shorter: what was there is gone
  EXPECT_EQ(loadNpy(file.path())->item<double>(), 7.5);
}

/// A version 2 file of a header and elements.
std::string npyOf(const std::string &header, const std::string &elements) {
  std::string bytes("\x93NUMPY\2\0", 8);
  for (int i = 0; i < 4; ++i)
    bytes += char(header.size() >> 8 * i);
  return bytes + header + elements;
}

TEST(Npy, ReadsHeadersOfOtherWriters) {
  std::string elements("\1\0\2\0\3\0\4\0", 8);
  Tensor expected({{1, 2}, {3, 4}}, DType::Int16);
  for (const char *header : {
           "{'descr': '<i2', 'fortran_order': False, 'shape': (2L, 2L)}",
           "{\"shape\":(2,2,),\"fortran_order\":False,\"descr\":\"=i2\"}",
           "  {'fortran_order' : False,\n 'descr':\t'<i2' , 'shape': ( 2 , 2 ) , } \n\n",
       }) {
    absl::StatusOr<Tensor> tensor = parseNpy(npyOf(header, elements));
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_TRUE(tensor->identical(expected));
  }
  // A header longer than version 1 could say.
  std::string longHeader = std::string("{'descr': '<i2', 'fortran_order': False, ") +
                           std::string(100000, ' ') + "'shape': (2, 2)}";
  EXPECT_TRUE(parseNpy(npyOf(longHeader, elements))->identical(expected));
}

struct Bad {
  std::string bytes;
  ErrorKind kind;
  const char *message;
};

TEST(Npy, MalformedFilesGetErrorsThatSayWhere) {
  constexpr ErrorKind kIo = ErrorKind::Io, kNotSupported = ErrorKind::NotSupported;
  std::string rest = "'fortran_order': False, 'shape': (2,)}";
  auto withDescr = [&](const char *descr) {
    return npyOf(std::string("{'descr': ") + descr + ", " + rest, "1234");
  };
  auto withShape = [&](const char *shape) {
    return npyOf(std::string("{'descr': '<i2', 'fortran_order': False, 'shape': ") + shape + "}",
                 "1234");
  };
  std::string many = "(";
  for (int i = 0; i < 33; ++i)
    many += "1,";
  const Bad cases[] = {
      {"", kIo, "x: not an NPY file: too short"},
      {"NUMPYNUMPY", kIo, "x: not an NPY file: it does not begin with \\x93NUMPY"},
      {std::string("\x93NUMPY\4\0\0\0", 10), kNotSupported, "x: NPY version 4.0 is not supported"},
      {std::string("\x93NUMPY\1\0\0", 9), kIo, "x: ends at byte 9, 2 bytes wanted from byte 8"},
      {std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12), kIo,
       "x: the header of 4294967295 bytes goes beyond the end"},
      {npyOf("", ""), kIo, "x: byte 0 of the header: expected '{'"},
      {npyOf("{}", ""), kIo, "x: byte 2 of the header: no 'descr' in the dict"},
      {npyOf("{'descr': '<i2', 'shape': ()}", ""), kIo,
       "x: byte 29 of the header: no 'fortran_order' in the dict"},
      {npyOf("{'descr': '<i2', 'fortran_order': False}", ""), kIo,
       "x: byte 40 of the header: no 'shape' in the dict"},
      {npyOf("{'descr", ""), kIo, "x: byte 1 of the header: string without end"},
      {npyOf("{descr", ""), kIo, "x: byte 1 of the header: expected a string"},
      {npyOf("{'descr' '<i2'}", ""), kIo, "x: byte 9 of the header: expected ':'"},
      {npyOf("{'descr': '<i2' 'shape'}", ""), kIo, "x: byte 16 of the header: expected '}'"},
      {npyOf("{'other': 1}", ""), kIo, "x: byte 9 of the header: unknown key 'other'"},
      {npyOf("{'descr': '<i2', 'descr': '<i2'}", ""), kIo,
       "x: byte 25 of the header: key 'descr' is there twice"},
      {npyOf("{'fortran_order': 1}", ""), kIo, "x: byte 18 of the header: expected True or False"},
      {npyOf("{'descr': '<i2', " + rest + "!", "1234"), kIo,
       "x: byte 55 of the header: text after the dict"},
      {withDescr("[('a', '<i2')]"), kNotSupported, "x: structured dtypes are not supported"},
      {withDescr("'<c32'"), kNotSupported, "x: dtype '<c32' is not supported"},
      {withDescr("'|O'"), kNotSupported, "x: dtype '|O' is not supported"},
      {withDescr("'<U5'"), kNotSupported, "x: dtype '<U5' is not supported"},
      {withDescr("'<f16'"), kNotSupported, "x: dtype '<f16' is not supported"},
      {withDescr("'<f1'"), kNotSupported, "x: dtype '<f1' is not supported"},
      {withDescr("'<i3'"), kNotSupported, "x: dtype '<i3' is not supported"},
      {withDescr("'<b2'"), kNotSupported, "x: dtype '<b2' is not supported"},
      {withDescr("'xi2'"), kNotSupported, "x: dtype 'xi2' is not supported"},
      {withDescr("5"), kIo, "x: byte 10 of the header: expected a string"},
      {withShape("[2]"), kIo, "x: byte 50 of the header: expected '('"},
      {withShape("(2)"), kIo, "x: byte 52 of the header: expected ','"},
      {withShape("(2.5,)"), kIo, "x: byte 52 of the header: expected ','"},
      {withShape("(a,)"), kIo, "x: byte 51 of the header: expected an extent"},
      {withShape("(-2,)"), kIo, "x: byte 51 of the header: negative extent"},
      {withShape("(99999999999999999999,)"), kIo, "x: byte 51 of the header: extent is too large"},
      {withShape((many + ")").c_str()), kIo,
       "x: byte 115 of the header: rank is above the maximum of 32"},
      {withShape("(9223372036854775807, 9)"), kIo, "x: the shape is too large"},
      {withShape("(4611686018427387904, 4611686018427387904, 0)"), kIo,
       "x: the shape is too large"},
      {withShape("(1000000000000,)"), kIo,
       "x: shape (1000000000000,) of int16 takes 2000000000000 bytes; there are 4 from byte 79"},
      {withShape("(1,)"), kIo, "x: shape (1,) of int16 takes 2 bytes; there are 4 from byte 67"},
  };
  for (const Bad &bad : cases) {
    absl::StatusOr<Tensor> tensor = parseNpy(bad.bytes, "x");
    ASSERT_FALSE(tensor.ok()) << bad.message;
    EXPECT_EQ(std::string(tensor.status().message()), bad.message);
    EXPECT_EQ(errorKind(tensor.status()), bad.kind) << bad.message;
  }
}

TEST(Npy, FilesThatCannotBeReadOrWritten) {
  absl::Status missing = loadNpy("/nowhere/x.npy").status();
  EXPECT_EQ(missing.message(), "/nowhere/x.npy: No such file or directory");
  EXPECT_EQ(errorKind(missing), ErrorKind::Io);
  // A missing file, one that is no file of the kind, and one that cannot be written, by code.
  auto code = [](const absl::Status &status) { return absl::StatusCodeToString(status.code()); };
  EXPECT_EQ(code(missing), "NOT_FOUND");
  EXPECT_EQ(code(loadNpz("/nowhere/x.npz").status()), "NOT_FOUND");
  EXPECT_EQ(code(parseNpy("not an array").status()), "DATA_LOSS");
  EXPECT_EQ(code(saveNpy("/nowhere/x.npy", Tensor(1))), "NOT_FOUND");
  EXPECT_EQ(code(saveNpz("/nowhere/x.npz", {{"a", Tensor(1)}})), "NOT_FOUND");
  EXPECT_EQ(code(saveNpz("/nowhere/x.npz", {})), "NOT_FOUND");
  EXPECT_EQ(code(saveNpy("/dev/full", *Tensor::zeros(DType::Float64, {100000}))),
            "RESOURCE_EXHAUSTED");
  EXPECT_EQ(errorKind(loadNpy("/").status()), ErrorKind::Io);
  EXPECT_EQ(loadNpy("/dev/null").status().message(), "/dev/null: is no regular file");
  EXPECT_EQ(saveNpy("/nowhere/x.npy", Tensor(1)).message(),
            "/nowhere/x.npy: No such file or directory");
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_EQ(saveNpy("/dev/full", Tensor(1)).message(), "/dev/full: No space left on device");
  }
  absl::Status bfloat = formatNpy(Tensor(1).cast(DType::BFloat16)).status();
  EXPECT_EQ(bfloat.message(), "NPY has no dtype for bfloat16: cast to float32 to save");
  EXPECT_EQ(errorKind(bfloat), ErrorKind::NotSupported);
  EXPECT_EQ(errorKind(formatNpy(Tensor()).status()), ErrorKind::ValueError);
}

TEST(Npy, BytesOfBoolsAreMadeZeroOrOne) {
  std::string header = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}";
  Tensor bools = *parseNpy(npyOf(header, std::string("\0\1\7", 3)));
  EXPECT_EQ(static_cast<const uint8_t *>(bools.data())[2], 1);
}

TEST(Npy, SurvivesDamage) {
  std::vector<Sample> samples = npySamples();
  int read = 0, refused = 0;
  for (size_t i : {size_t(0), size_t(10), size_t(40), samples.size() - 1, samples.size() - 4})
    forEachDamaged(samples[i].file, 1000, [&](const std::string &damaged) {
      absl::StatusOr<Tensor> tensor = parseNpy(damaged);
      if (tensor.ok()) { // damage to elements or spaces: what was read must be whole
        EXPECT_LE(size_t(tensor->numBytes()), damaged.size());
        tensor->contentHash();
        ++read;
        return;
      }
      EXPECT_TRUE(errorKind(tensor.status()) == ErrorKind::Io ||
                  errorKind(tensor.status()) == ErrorKind::NotSupported)
          << tensor.status();
      ++refused;
    });
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 500);
}

TEST(Npz, ReadsWhatNumPyWrote) {
  std::vector<std::string> samples = npzSamples();
  ASSERT_EQ(samples.size(), 2u); // stored and deflated
  EXPECT_LT(samples[1].size(), samples[0].size());
  for (const std::string &bytes : samples) {
    TemporaryFile file("numpy.npz");
    writeFile(file.path(), bytes);
    absl::StatusOr<std::map<std::string, Tensor>> tensors = loadNpz(file.path());
    ASSERT_TRUE(tensors.ok()) << tensors.status();
    ASSERT_EQ(tensors->size(), 2u);
    EXPECT_TRUE(tensors->at("a").identical(Tensor({{1, 2}, {3, 4}}, DType::Int16)));
    ASSERT_EQ(tensors->at("b/c").numElements(), 100);
    for (int i = 0; i < 100; ++i)
      EXPECT_EQ(tensors->at("b/c").flat<double>()[size_t(i)], i);
  }
}

std::string bytesOf(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

TEST(Npz, ReadsWhatItWrote) {
  std::map<std::string, Tensor> tensors = {{"weights", Tensor({{1.5, 2}, {3, 4}})},
                                           {"step", Tensor(7)},
                                           {"layer/0/bias", Tensor({1, 0}, DType::Bool)},
                                           {"größe", *Tensor::zeros(DType::Float16, {3, 0})}};
  TemporaryFile file("own.npz"), again("again.npz");
  ASSERT_TRUE(saveNpz(file.path(), tensors).ok());
  absl::StatusOr<std::map<std::string, Tensor>> back = loadNpz(file.path());
  ASSERT_TRUE(back.ok()) << back.status();
  ASSERT_EQ(back->size(), tensors.size());
  for (const auto &[name, tensor] : tensors)
    EXPECT_TRUE(back->at(name).identical(tensor)) << name;
  // Equal tensors, equal files; and nothing that was in a file before stays.
  writeFile(again.path(), npzSamples()[0]);
  ASSERT_TRUE(saveNpz(again.path(), tensors).ok());
  EXPECT_EQ(bytesOf(file.path()), bytesOf(again.path()));
  // The time of a member in its local header: midnight of the first day that zip knows.
  EXPECT_EQ(bytesOf(file.path()).substr(10, 4), std::string("\0\0\x21\0", 4));
}

TEST(Npz, EmptyArchives) {
  TemporaryFile file("empty.npz");
  ASSERT_TRUE(saveNpz(file.path(), {}).ok());
  absl::StatusOr<std::map<std::string, Tensor>> back = loadNpz(file.path());
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(back->empty());
}

/// The status of loading `bytes` as a file.
absl::Status npzStatus(const std::string &bytes) {
  TemporaryFile file("bad.npz");
  writeFile(file.path(), bytes);
  absl::Status status = loadNpz(file.path()).status();
  if (!status.ok()) {
    EXPECT_EQ(status.message().substr(0, file.path().size()), file.path());
  }
  return status;
}

/// The message without the file's name.
std::string npzMessage(const std::string &bytes) {
  TemporaryFile file("bad.npz");
  return std::string(npzStatus(bytes).message()).substr(file.path().size() + 2);
}

std::string replaced(std::string bytes, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = bytes.find(from, at)) != std::string::npos; at += to.size())
    bytes.replace(at, from.size(), to);
  return bytes;
}

/// With another number at `field` of the directory's entry and at `local` of the member's header.
std::string patched(std::string bytes, size_t field, size_t local, uint32_t value, size_t width) {
  for (auto [magic, offset] : {std::pair("PK\1\2", field), std::pair("PK\3\4", local)}) {
    size_t at = bytes.find(magic);
    EXPECT_NE(at, std::string::npos);
    std::memcpy(&bytes[at + offset], &value, width);
  }
  return bytes;
}

TEST(Npz, DirectoriesThatGraphcDoesNotTake) {
  TemporaryFile file("one.npz");
  ASSERT_TRUE(saveNpz(file.path(), {{"a", Tensor({1.0, 2.0})}}).ok());
  std::string one = bytesOf(file.path());
  auto size = uint32_t(one.find("PK\1\2") - one.find("\x93NUMPY"));
  EXPECT_EQ(npzMessage(patched(one, 8, 6, 1, 2)), "a.npy: encrypted members are not supported");
  EXPECT_EQ(npzMessage(patched(one, 10, 8, 12, 2)),
            "a.npy: compression method 12 is not supported");
  EXPECT_EQ(npzMessage(patched(one, 24, 22, size - 8, 4)),
            "a.npy: shape (2,) of float64 takes 16 bytes; there are 8 from byte 128");
  EXPECT_EQ(npzMessage(patched(one, 24, 22, size - 120, 4)),
            "a.npy: the header of 118 bytes goes beyond the end");
  EXPECT_EQ(npzMessage(patched(one, 20, 18, size - 8, 4)),
            "a.npy: sizes 136 and 144 in the archive's directory cannot be");
  EXPECT_EQ(npzMessage(patched(replaced(one, "(2,)", "(1,)"), 24, 22, size - 8, 4)),
            "a.npy: more data than the archive's directory says");
  EXPECT_EQ(npzMessage(npzSamples("short ")[0]), "a.npy: byte 128: the member ends early");
  std::string deflated = npzSamples()[1];
  EXPECT_EQ(npzMessage(patched(deflated, 24, 22, 144, 4)),
            "a.npy: shape (2, 2) of int16 takes 8 bytes; there are 16 from byte 128");
  EXPECT_EQ(npzMessage(patched(deflated, 24, 22, 100000, 4)),
            "a.npy: sizes 78 and 100000 in the archive's directory cannot be");
  EXPECT_EQ(npzMessage(patched(deflated, 24, 22, 130, 4)),
            "a.npy: shape (2, 2) of int16 takes 8 bytes; there are 2 from byte 128");
}

TEST(Npz, MalformedArchivesGetErrors) {
  std::string stored = npzSamples()[0];
  EXPECT_EQ(npzMessage("not an archive"), "Not a zip archive");
  EXPECT_EQ(npzMessage(""), "Not a zip archive");
  EXPECT_EQ(errorKind(npzStatus("not an archive")), ErrorKind::Io);
  EXPECT_EQ(npzMessage(replaced(stored, "NUMPY", "NUMPX")),
            "a.npy: not an NPY file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(npzMessage(replaced(stored, "(2, 2)", "(2, 3)")),
            "a.npy: shape (2, 3) of int16 takes 12 bytes; there are 8 from byte 128");
  // An element changed: the checksum tells.
  EXPECT_EQ(npzMessage(replaced(stored, std::string("\1\0\2\0\3\0\4\0", 8),
                                std::string("\1\0\2\0\3\0\5\0", 8))),
            "a.npy: CRC error");
  // Before 3 GB are allocated for a file of 250 bytes.
  std::string bomb = npzMessage(npzSamples("bomb ")[0]);
  EXPECT_TRUE(bomb.starts_with("a.npy: sizes ")) << bomb;
  EXPECT_TRUE(bomb.ends_with(" and 3000000000 in the archive's directory cannot be")) << bomb;
  TemporaryFile twice("twice.npz");
  ASSERT_TRUE(saveNpz(twice.path(), {{"a", Tensor(1)}, {"b", Tensor(2)}}).ok());
  EXPECT_EQ(npzMessage(replaced(bytesOf(twice.path()), "b.npy", "a.npy")), "a.npy is there twice");
  absl::Status missing = loadNpz("/nowhere/x.npz").status();
  EXPECT_EQ(missing.message(), "/nowhere/x.npz: No such file or directory");
  EXPECT_EQ(errorKind(saveNpz("/nowhere/x.npz", {{"a", Tensor(1)}})), ErrorKind::Io);
  EXPECT_EQ(errorKind(saveNpz("/nowhere/x.npz", {})), ErrorKind::Io);
  EXPECT_EQ(saveNpz("x.npz", {{"a", Tensor()}}).message(),
            "x.npz: a: an undefined tensor cannot be saved");
  absl::Status bfloat = saveNpz("x.npz", {{"a", Tensor(1).cast(DType::BFloat16)}});
  EXPECT_EQ(bfloat.message(), "x.npz: a: NPY has no dtype for bfloat16: cast to float32 to save");
}

TEST(Npz, SurvivesDamage) {
  int read = 0, refused = 0;
  for (const std::string &sample : npzSamples())
    forEachDamaged(sample, 1500, [&](const std::string &damaged) {
      absl::Status status = npzStatus(damaged);
      EXPECT_TRUE(status.ok() || errorKind(status) == ErrorKind::Io ||
                  errorKind(status) == ErrorKind::NotSupported)
          << status;
      ++(status.ok() ? read : refused);
    });
  EXPECT_GT(read, 100); // damage to times and names of members
  EXPECT_GT(refused, 1000);
}

} // namespace
} // namespace graphc
