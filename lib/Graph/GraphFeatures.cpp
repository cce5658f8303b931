//===- Graph/GraphFeatures.cpp - attaching and telling Features -----------===//
#include <algorithm>

#include "Graph/GraphState.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

using detail::Callback;
using detail::GraphState;
using detail::Listener;

//===--- what a callback may do -------------------------------------------===//

absl::Status GraphState::mayChange(std::string_view what) const {
  if (disowned)
    return makeError(ErrorKind::Inconsistency, "the FunctionGraph has been disowned or moved from");
  if (std::all_of(telling.begin(), telling.end(),
                  [](const detail::Telling &each) { return each.callback == Callback::Users; }))
    return absl::OkStatus();
  return refuseInCallback(what);
}

absl::Status GraphState::refuseInCallback(std::string_view what) const {
  const detail::Telling &last = telling.back();
  return makeError(ErrorKind::Inconsistency, "the feature " + std::string(last.feature->name()) +
                                                 " tried to " + std::string(what) +
                                                 " the FunctionGraph in its " +
                                                 std::string(callbackName(last.callback)) +
                                                 "; note what to do and do it afterwards");
}

absl::Status GraphState::mayChangeInterface() const {
  if (absl::Status status = mayChange(); !status.ok())
    return status;
  if (journal->active())
    return makeError(ErrorKind::Inconsistency,
                     "inputs and outputs cannot be added or removed while a checkpoint is open");
  return absl::OkStatus();
}

bool GraphState::isTellingChange() const {
  return std::any_of(telling.begin(), telling.end(), [](const detail::Telling &each) {
    return each.callback == Callback::Import || each.callback == Callback::Prune ||
           each.callback == Callback::ChangeInput;
  });
}

absl::Status GraphState::mayAskForOrder() const {
  bool asking = std::any_of(telling.begin(), telling.end(), [](const detail::Telling &each) {
    return each.callback == Callback::Orderings;
  });
  if (!asking && !isTellingChange())
    return absl::OkStatus();
  return makeError(
      ErrorKind::Inconsistency,
      "the feature " + std::string(telling.back().feature->name()) +
          " asked for the order of the FunctionGraph in its " +
          std::string(callbackName(telling.back().callback)) + ", when " +
          (asking ? "Features are being asked for theirs" : "not all Features know of the change") +
          "; ioToposort gives the order of the data");
}

//===--- attaching and removing -------------------------------------------===//

/// What a Feature cannot provide: the names of its callbacks (F-105).
static constexpr std::string_view kCallbacks[] = {
    "onAttach",   "onDetach",  "onImport", "onPrune", "onChangeInput",
    "onValidate", "orderings", "clone",    "name",    "provides"};

/// Whether `feature` may join the others.
static absl::Status checkProvided(const Feature &feature,
                                  const std::vector<const Feature *> &others) {
  for (const std::string &name : feature.provides()) {
    if (std::find(std::begin(kCallbacks), std::end(kCallbacks), name) != std::end(kCallbacks))
      return makeError(ErrorKind::ValueError, "the feature " + std::string(feature.name()) +
                                                  " provides '" + name +
                                                  "', which is the name of a callback");
    for (const Feature *other : others) {
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

void detail::removeFeaturesBut(FunctionGraph &graph, const Features &kept) {
  Features all = graph.features(); // one that leaves may take others along
  for (auto feature = all.rbegin(); feature != all.rend(); ++feature)
    if (std::ranges::find(kept, *feature) == kept.end())
      (void)graph.removeFeature(*feature);
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
  GraphState &state = *state_;
  std::vector<const Feature *> others;
  for (const std::shared_ptr<Feature> &other : features())
    others.push_back(other.get());
  for (const detail::Telling &each : state.telling)
    if (each.callback == Callback::Attach)
      others.push_back(each.feature);
  if (absl::Status status = checkProvided(*feature, others); !status.ok())
    return status;
  Features before = features();
  absl::Status status = detail::callFeature(state, *feature, Callback::Attach,
                                            [&](Feature &f) { return f.onAttach(*this); });
  if (!status.ok())
    detail::removeFeaturesBut(*this, before); // what it brought along
  if (errorKind(status) == ErrorKind::AlreadyThere)
    return absl::OkStatus();
  // It may have attached itself.
  if (status.ok() && !state.listeners.find(feature.get()))
    state.listeners.add(std::move(feature),
                        state.announcer ? state.announcer->heardByNewcomers() : 0);
  return status;
}

absl::Status FunctionGraph::removeFeature(const std::shared_ptr<Feature> &feature) {
  const Listener *listener = state().listeners.find(feature.get());
  if (!listener)
    return absl::OkStatus();
  // It may be the list's own pointer that is given.
  std::shared_ptr<Feature> kept;
  kept = feature;
  size_t heard = listener->heard;
  state().listeners.remove(kept.get());
  return detail::callFeature(
      state(), *kept, Callback::Detach, [&](Feature &f) { return f.onDetach(*this); }, heard);
}

const Features &FunctionGraph::features() const { return state().listeners.features(); }

double FunctionGraph::secondsIn(const Feature &feature) const {
  const Listener *listener = state().listeners.find(&feature);
  return listener ? listener->seconds : 0;
}

absl::Status FunctionGraph::notify(const std::function<absl::Status(Feature &)> &tell,
                                   bool ofFeature) const {
  return tellAll(ofFeature ? Callback::Validate : Callback::Users, tell);
}

absl::Status FunctionGraph::tellAll(Callback callback,
                                    const std::function<absl::Status(Feature &)> &tell) const {
  if (!state_)
    return state().mayChange();
  std::shared_ptr<const detail::ListenerList> list = state().listeners.list();
  for (const std::shared_ptr<Listener> &listener : *list)
    if (listener->attached)
      if (absl::Status status = detail::tellOne(*state_, *listener, callback, tell); !status.ok())
        return status;
  return absl::OkStatus();
}

absl::Status FunctionGraph::disown() {
  if (absl::Status status = state().mayChange("disown"); !status.ok())
    return status;
  if (!state().telling.empty())
    return state().refuseInCallback("disown");
  absl::Status first;
  for (const std::shared_ptr<Feature> &feature : Features(features()))
    if (absl::Status status = removeFeature(feature); first.ok())
      first = status;
  state_ = nullptr;
  return first;
}

} // namespace graphc
