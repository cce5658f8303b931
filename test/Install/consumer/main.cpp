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
}
