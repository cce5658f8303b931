//===- Graph/PlaceScope.h - nodes made on behalf of another -----*- C++ -*-===//
#pragma once

#include "graphc/Status.h"

namespace graphc {

/// While it lives, nodes that this thread makes stand at `place`, wherever the code that makes them
/// is: derivatives at the place of the node that they are of. Scopes nest; unknown places change
/// nothing.
class PlaceScope {
public:
  explicit PlaceScope(Place place) : before_(current()) {
    if (place.known())
      current() = place;
  }
  ~PlaceScope() { current() = before_; }
  PlaceScope(const PlaceScope &) = delete;
  PlaceScope &operator=(const PlaceScope &) = delete;

  /// Where a node stands that is made at `given`.
  static Place of(Place given) { return current().known() ? current() : given; }

private:
  static Place &current() {
    static thread_local Place place;
    return place;
  }
  Place before_;
};

} // namespace graphc
