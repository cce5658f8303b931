//===- Runtime/Npy.cpp - NPY files ----------------------------------------===//
#include "Runtime/Npy.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "Support/ReadFile.h"
#include "Support/SystemError.h"
#include "Support/Text.h"
#include "absl/strings/str_cat.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

static_assert(std::endian::native == std::endian::little, "npyPrefix writes '<'");

constexpr std::string_view kMagic = "\x93NUMPY";

absl::Status damaged(absl::string_view what) {
  return makeError(ErrorKind::Io, {what.data(), what.size()});
}

class MemorySource : public ByteSource {
public:
  explicit MemorySource(std::string_view bytes)
      : ByteSource(int64_t(bytes.size())), next_(bytes.data()) {}

protected:
  absl::Status readSome(void *out, int64_t count) override {
    std::memcpy(out, next_, size_t(count));
    next_ += count;
    return absl::OkStatus();
  }

private:
  const char *next_;
};

class FileSource : public ByteSource {
public:
  FileSource(FILE *file, int64_t size) : ByteSource(size), file_(file) {}

protected:
  absl::Status readSome(void *out, int64_t count) override {
    if (std::fread(out, 1, size_t(count), file_) == size_t(count))
      return absl::OkStatus();
    if (std::ferror(file_))
      return ioError(std::strerror(errno), errno);
    return damaged("the file became shorter");
  }

private:
  FILE *file_;
};

/// "FILE: why" from errno.
absl::Status fileError(const std::string &path) { return systemError(path, errno); }

void reverseBytes(void *data, int64_t count, int64_t size) {
  char *bytes = static_cast<char *>(data);
  for (int64_t i = 0; i < count; ++i, bytes += size)
    std::reverse(bytes, bytes + size);
}

/// Bytes of the elements, or Io where the shape cannot be.
absl::StatusOr<int64_t> dataBytes(const NpyHeader &header) {
  int64_t bytes = byteSize(header.dtype);
  for (int64_t extent : header.shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return damaged("the shape is too large");
  return bytes;
}

absl::Status checkMagic(std::string_view head) {
  if (head.starts_with(kMagic))
    return absl::OkStatus();
  return damaged("not an NPY file: it does not begin with \\x93NUMPY");
}

absl::StatusOr<NpyHeader> readHeader(ByteSource &source) {
  char preamble[8];
  if (source.remaining() < int64_t(sizeof(preamble)))
    return damaged("not an NPY file: too short");
  if (absl::Status status = source.read(preamble, sizeof(preamble)); !status.ok())
    return status;
  if (absl::Status status = checkMagic({preamble, sizeof(preamble)}); !status.ok())
    return status;
  int version = uint8_t(preamble[6]);
  if (version < 1 || version > 3 || preamble[7] != 0)
    return makeError(
        ErrorKind::NotSupported,
        absl::StrCat("NPY version ", version, ".", int(uint8_t(preamble[7])), " is not supported"));
  uint8_t lengthBytes[4] = {};
  if (absl::Status status = source.read(lengthBytes, version == 1 ? 2 : 4); !status.ok())
    return status;
  uint32_t length = 0;
  for (int i = 3; i >= 0; --i)
    length = length << 8 | lengthBytes[i];
  if (int64_t(length) > source.remaining())
    return damaged(absl::StrCat("the header of ", length, " bytes goes beyond the end"));
  // NumPy itself reads no longer ones unless it is told to: 10,000.
  if (length > 1 << 20)
    return damaged(absl::StrCat("the header has ", length, " bytes"));
  std::string text(length, '\0');
  if (absl::Status status = source.read(text.data(), int64_t(length)); !status.ok())
    return status;
  return parseNpyHeader(text);
}

} // namespace

absl::Status ByteSource::read(void *out, int64_t count) {
  if (count > remaining_)
    return damaged(absl::StrCat("ends at byte ", position_ + remaining_, ", ", count,
                                " bytes wanted from byte ", position_));
  if (count == 0)
    return absl::OkStatus();
  if (absl::Status status = readSome(out, count); !status.ok())
    return prefixError(status, absl::StrCat("byte ", position_));
  remaining_ -= count;
  position_ += count;
  return absl::OkStatus();
}

absl::StatusOr<Tensor> readNpy(ByteSource &source) {
  absl::StatusOr<NpyHeader> header = readHeader(source);
  if (!header.ok())
    return header.status();
  absl::StatusOr<int64_t> bytes = dataBytes(*header);
  if (!bytes.ok())
    return bytes.status();
  // Before anything is allocated.
  if (*bytes != source.remaining())
    return damaged(absl::StrCat(
        "shape ", shapeText(header->shape), " of ", dtypeName(header->dtype).data(), " takes ",
        *bytes, " bytes; there are ", source.remaining(), " from byte ", source.position()));
  // In Fortran order the elements are the transposed array's in row-major order.
  std::vector<int64_t> stored = header->shape;
  if (header->fortranOrder)
    std::reverse(stored.begin(), stored.end());
  absl::StatusOr<Tensor> tensor = Tensor::allocate(header->dtype, stored);
  if (!tensor.ok()) {
    if (errorKind(tensor.status()) == ErrorKind::OutOfMemory)
      return tensor;
    return damaged("the shape is too large");
  }
  if (absl::Status status = source.read(tensor->data(), *bytes); !status.ok())
    return status;
  if (header->swapBytes)
    reverseBytes(tensor->data(), *bytes / byteSize(realDType(header->dtype)),
                 byteSize(realDType(header->dtype)));
  if (isBool(header->dtype)) {
    auto *elements = static_cast<uint8_t *>(tensor->data());
    for (int64_t i = 0; i < *bytes; ++i)
      elements[i] = elements[i] != 0;
  }
  if (!header->fortranOrder || stored.size() < 2)
    return tensor;
  std::vector<int> axes;
  for (int axis = tensor->rank(); axis-- > 0;)
    axes.push_back(axis);
  Tensor rowMajor = tensor->transpose(axes)->copy();
  if (!rowMajor.defined())
    return makeError(ErrorKind::OutOfMemory, "no memory to bring Fortran order into row-major");
  return rowMajor;
}

absl::StatusOr<std::string> npyPrefix(const Tensor &tensor) {
  if (!tensor.defined())
    return makeError(ErrorKind::ValueError, "an undefined tensor cannot be saved");
  DType dtype = tensor.dtype();
  if (dtype == DType::BFloat16)
    return makeError(ErrorKind::NotSupported,
                     "NPY has no dtype for bfloat16: cast to float32 to save");
  char kind = isBool(dtype)        ? 'b'
              : isComplex(dtype)   ? 'c'
              : isFloat(dtype)     ? 'f'
              : isSignedInt(dtype) ? 'i'
                                   : 'u';
  std::string dict = absl::StrCat(
      "{'descr': '", byteSize(dtype) == 1 ? "|" : "<", std::string(1, kind), byteSize(dtype),
      "', 'fortran_order': False, 'shape': ", shapeText(tensor.shape()), ", }");
  constexpr size_t kBefore = 10; // magic, version and length
  size_t total = (kBefore + dict.size() + 1 + 63) / 64 * 64;
  dict.resize(total - kBefore - 1, ' ');
  dict += '\n';
  // Version 1.0 holds 65535 bytes of header; rank 32 needs less than 1000.
  std::string prefix(kMagic);
  prefix += {'\1', '\0', char(dict.size() & 0xff), char(dict.size() >> 8)};
  return prefix + dict;
}

absl::StatusOr<Tensor> parseNpy(std::string_view bytes, std::string_view name) {
  MemorySource source(bytes);
  absl::StatusOr<Tensor> tensor = readNpy(source);
  return tensor.ok() ? tensor : prefixError(tensor.status(), name);
}

absl::StatusOr<std::string> formatNpy(const Tensor &tensor) {
  absl::StatusOr<std::string> bytes = npyPrefix(tensor);
  if (!bytes.ok())
    return bytes;
  Tensor rowMajor = tensor.contiguous();
  if (!rowMajor.defined())
    return makeError(ErrorKind::OutOfMemory, "no memory to bring the elements in order");
  bytes->append(static_cast<const char *>(rowMajor.data()), size_t(rowMajor.numBytes()));
  return bytes;
}

absl::StatusOr<Tensor> loadNpy(const std::string &path) {
  absl::StatusOr<OpenFile> opened = openFile(path);
  if (!opened.ok())
    return opened.status();
  if (opened->size < 0) {
    absl::StatusOr<std::string> bytes = readToEnd(opened->file.get(), path, checkMagic);
    return bytes.ok() ? parseNpy(*bytes, path) : bytes.status();
  }
  FileSource source(opened->file.get(), opened->size);
  absl::StatusOr<Tensor> tensor = readNpy(source);
  return tensor.ok() ? tensor : prefixError(tensor.status(), path);
}

absl::Status saveNpy(const std::string &path, const Tensor &tensor) {
  absl::StatusOr<std::string> prefix = npyPrefix(tensor);
  if (!prefix.ok())
    return prefixError(prefix.status(), path);
  Tensor rowMajor = tensor.contiguous();
  if (!rowMajor.defined())
    return makeError(ErrorKind::OutOfMemory, path + ": no memory to bring the elements in order");
  File file(std::fopen(path.c_str(), "wb"));
  if (!file)
    return fileError(path);
  auto size = size_t(rowMajor.numBytes());
  if (std::fwrite(prefix->data(), 1, prefix->size(), file.get()) != prefix->size() ||
      std::fwrite(rowMajor.data(), 1, size, file.get()) != size || std::fclose(file.release()) != 0)
    return fileError(path);
  return absl::OkStatus();
}

} // namespace graphc
