// The headers that most files of the light half include, for builds that compile all of it only to
// be watched: see graphc_light_library. A file still includes what it uses.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "graphc/Features.h"
#include "graphc/Function.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"
#include "graphc/Status.h"
#include "graphc/Tensor.h"
#include "graphc/Variable.h"
