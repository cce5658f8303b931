//===- Graph/GraphFeatures.cpp - attaching and telling Features -----------===//
#include <algorithm>

#include "Graph/GraphState.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

using detail::Listener;

/// What a Feature cannot provide: the names of its callbacks (F-105).
static constexpr std::string_view kCallbacks[] = {
    "onAttach",   "onDetach",  "onImport", "onPrune", "onChangeInput",
    "onValidate", "orderings", "clone",    "name",    "provides"};

/// Whether `feature` may join the others.
static absl::Status checkProvided(const Feature &feature, const Features &others) {
  for (const std::string &name : feature.provides()) {
    if (std::find(std::begin(kCallbacks), std::end(kCallbacks), name) != std::end(kCallbacks))
      return makeError(ErrorKind::ValueError, "the feature " + std::string(feature.name()) +
                                                  " provides '" + name +
                                                  "', which is the name of a callback");
    for (const std::shared_ptr<Feature> &other : others) {
      std::vector<std::string> taken = other->provides();
      if (std::find(taken.begin(), taken.end(), name) != taken.end())
        return makeError(ErrorKind::AlreadyThere, "the feature " + std::string(feature.name()) +
                                                      " provides '" + name + "', as the feature " +
                                                      std::string(other->name()) +
                                                      " of this FunctionGraph does");
    }
  }
  return absl::OkStatus();
}

absl::Status FunctionGraph::attachFeature(std::shared_ptr<Feature> feature) {
  if (!feature)
    return makeError(ErrorKind::ValueError, "there is no feature to attach: the pointer is null");
  if (!state_)
    return state().mayChange();
  if (state().listeners.find(feature.get()))
    return absl::OkStatus();
  if (feature->graphs_ > 0 && feature->clone() != feature)
    return makeError(ErrorKind::ValueError,
                     "the feature " + std::string(feature->name()) +
                         " is attached to another FunctionGraph; clone() makes one for each");
  if (absl::Status status = checkProvided(*feature, features()); !status.ok())
    return status;
  absl::Status status = feature->onAttach(*this);
  if (errorKind(status) == ErrorKind::AlreadyThere)
    return absl::OkStatus();
  if (status.ok())
    state().listeners.add(std::move(feature));
  return status;
}

absl::Status FunctionGraph::removeFeature(const std::shared_ptr<Feature> &feature) {
  if (!state().listeners.find(feature.get()))
    return absl::OkStatus();
  // It may be the list's own pointer that is given.
  std::shared_ptr<Feature> kept;
  kept = feature;
  state().listeners.remove(kept.get());
  return kept->onDetach(*this);
}

const Features &FunctionGraph::features() const { return state().listeners.features(); }

double FunctionGraph::secondsIn(const Feature &feature) const {
  const Listener *listener = state().listeners.find(&feature);
  return listener ? listener->seconds : 0;
}

absl::Status FunctionGraph::notify(const std::function<absl::Status(Feature &)> &tell) const {
  if (!state_)
    return state().mayChange();
  std::shared_ptr<const detail::ListenerList> list = state().listeners.list();
  for (const std::shared_ptr<Listener> &listener : *list)
    if (listener->attached)
      if (absl::Status status = detail::tellOne(*listener, tell); !status.ok())
        return status;
  return absl::OkStatus();
}

absl::Status FunctionGraph::disown() {
  if (absl::Status status = state().mayChange(); !status.ok())
    return status;
  absl::Status first;
  for (const std::shared_ptr<Feature> &feature : Features(features()))
    if (absl::Status status = removeFeature(feature); first.ok())
      first = status;
  state_ = nullptr;
  return first;
}

} // namespace graphc
