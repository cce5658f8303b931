#include <graphc/graphc.h>
#include <iostream>

using namespace graphc;

int main() {
  auto x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
  Variable e = x + y * z;
  auto f = function({x, y, z}, {e});
  if (!f.ok()) {
    std::cerr << f.status() << "\n";
    return 1;
  }
  std::cout << (*f)(2.0, 3.0, 4.0)->item<double>() << "\n";

  // Enums that are only known while the program runs go to and fro between its compiler's code and
  // the library's.
  volatile int one = 1;
  for (int k = 0; k < kNumDTypes; ++k) {
    DType dtype = DType(k * one);
    Tensor column({{1}, {0}, {1}, {1}}, dtype);
    Variable v = cast(tensor(dtype, {kDynamic, 1}), promote(dtype, DType::Float16));
    Tensor wide = (isComplex(dtype) ? column.realView() : column).cast(DType::Int64);
    std::cout << dtypeName(dtype) << " " << dtypeShortName(column.dtype()) << " " << byteSize(dtype)
              << isFloat(dtype) << isInteger(dtype) << " " << dtypeName(v.dtype()) << " "
              << column.shape()[0] << column.shape()[1] << " " << wide.flat<int64_t>()[2] << "\n";
  }
  for (int k = 1; k <= int(ErrorKind::Internal); ++k) {
    absl::Status status = makeError(ErrorKind(k * one), "why");
    std::cout << errorKindName(errorKind(status)) << (errorKind(status) == ErrorKind(k)) << " ";
  }
  std::cout << "\n";
  Variable mistake = dot(x, tensor(DType::Float32, {2, 2})) + tensor(DType::Float32, {3, 2});
  std::cout << int(mistake.type().kind() == Type::Kind::Invalid) << " "
            << errorKindName(errorKind(mistake.status())) << "\n";
  std::cout << debugPrint({e}, {.idType = IdType(int(IdType::Numbers) * one)}) << "\n";
  for (int k = 0; k < 3; ++k) {
    auto g = function({x, y}, {exp(x)}, {.onUnusedInput = OnUnusedInput(k * one)});
    std::cout << errorKindName(errorKind(g.status())) << " ";
  }
  std::cout << "\n";
}
