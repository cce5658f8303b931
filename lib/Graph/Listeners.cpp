//===- Graph/Listeners.cpp ------------------------------------------------===//
#include "Graph/Listeners.h"

#include <algorithm>

#include "Graph/GraphState.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

Feature::~Feature() = default;
absl::Status Feature::onAttach(FunctionGraph &) { return absl::OkStatus(); }
absl::Status Feature::onDetach(FunctionGraph &) { return absl::OkStatus(); }
absl::Status Feature::onImport(FunctionGraph &, const Apply &, std::string_view) {
  return absl::OkStatus();
}
absl::Status Feature::onPrune(FunctionGraph &, const Apply &, std::string_view) {
  return absl::OkStatus();
}
absl::Status Feature::onChangeInput(FunctionGraph &, const Client &, const Variable &,
                                    const Variable &, std::string_view) {
  return absl::OkStatus();
}
absl::Status Feature::onValidate(FunctionGraph &) { return absl::OkStatus(); }
absl::StatusOr<Orderings> Feature::orderings(FunctionGraph &) { return Orderings(); }

// Nodes are told in the order of data: Features that order may not know of a change yet that is
// being told.

absl::Status Bookkeeper::onAttach(FunctionGraph &graph) {
  std::vector<Apply> nodes;
  for (detail::ApplyNode *node : graph.state().toposort())
    nodes.push_back(Apply::fromNode(node));
  for (size_t i = 0; i < nodes.size(); ++i)
    if (absl::Status status = onImport(graph, nodes[i], "attach"); !status.ok()) {
      // As of any change that fails, it hears the reverse of all that it has heard.
      for (size_t k = i + 1; k-- > 0;)
        (void)onPrune(graph, nodes[k], "revert: attach");
      return status;
    }
  return absl::OkStatus();
}

absl::Status Bookkeeper::onDetach(FunctionGraph &graph) {
  detail::Announcer::View view = detail::viewOf(graph.state(), *this);
  std::vector<Apply> nodes;
  for (detail::ApplyNode *node : graph.state().toposort())
    if (!view.unknown.contains(node))
      nodes.push_back(Apply::fromNode(node));
  nodes.insert(nodes.end(), view.left.rbegin(), view.left.rend());
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
    if (absl::Status status = onPrune(graph, *node, "detach"); !status.ok())
      return status;
  return absl::OkStatus();
}

namespace detail {

//===--- the list ---------------------------------------------------------===//

Listeners::~Listeners() {
  for (const std::shared_ptr<Feature> &feature : features_)
    --feature->graphs_;
}

const Listener *Listeners::find(const Feature *feature) const {
  for (const std::shared_ptr<Listener> &listener : *list_)
    if (listener->feature.get() == feature)
      return listener.get();
  return nullptr;
}

void Listeners::add(std::shared_ptr<Feature> feature, size_t heard) {
  ListenerList list = *list_;
  list.push_back(std::make_shared<Listener>(Listener{feature, heard}));
  list_ = std::make_shared<const ListenerList>(std::move(list));
  ++feature->graphs_;
  features_.push_back(std::move(feature));
}

void Listeners::remove(const Feature *feature) {
  ListenerList list;
  for (const std::shared_ptr<Listener> &listener : *list_)
    if (listener->feature.get() == feature)
      listener->attached = false;
    else
      list.push_back(listener);
  list_ = std::make_shared<const ListenerList>(std::move(list));
  std::erase_if(features_, [&](const std::shared_ptr<Feature> &each) {
    bool gone = each.get() == feature;
    if (gone)
      --each->graphs_;
    return gone;
  });
}

//===--- callbacks --------------------------------------------------------===//

std::string_view callbackName(Callback callback) {
  constexpr std::string_view kNames[] = {"onAttach",      "onDetach",   "onImport",  "onPrune",
                                         "onChangeInput", "onValidate", "orderings", "callback"};
  return kNames[size_t(callback)];
}

absl::Status callFeature(GraphState &state, Feature &feature, Callback callback, Tell tell,
                         size_t heard) {
  // Far more than Features that know each other need, and far less than a stack holds.
  constexpr size_t kMostNested = 64;
  if (state.telling.size() == kMostNested)
    return makeError(ErrorKind::Inconsistency,
                     "callbacks of Features lead to each other without end, now to " +
                         std::string(callbackName(callback)) + " of the feature " +
                         std::string(feature.name()));
  state.telling.push_back({&feature, callback, heard});
  absl::Status status = tell(feature);
  state.telling.pop_back();
  return status;
}

absl::Status tellOne(GraphState &state, Listener &listener, Callback callback, Tell tell) {
  Clock::time_point start = Clock::now();
  absl::Status status = callFeature(state, *listener.feature, callback, tell);
  listener.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  return status;
}

//===--- events -----------------------------------------------------------===//

Announcer::Announcer(FunctionGraph &graph, GraphState &state, std::string_view reason,
                     OnError onError)
    : graph_(graph), state_(state), reason_(reason), onError_(onError),
      idle_(state.listeners.empty()) {
  for (const std::shared_ptr<Listener> &listener : *state.listeners.list())
    listener->heard = 0;
  state.announcer = this;
}

Announcer::~Announcer() { state_.announcer = nullptr; }

void Announcer::imported(ApplyNode *node) {
  if (!idle_)
    events_.push_back({Callback::Import, {Apply::fromNode(node), 0}});
}
void Announcer::pruned(ApplyNode *node) {
  if (!idle_)
    events_.push_back({Callback::Prune, {Apply::fromNode(node), 0}});
}
void Announcer::changed(uint32_t use, VariableNode *old, VariableNode *fresh) {
  if (!idle_)
    events_.push_back({Callback::ChangeInput, state_.clientOf(state_.uses[use]),
                       Variable::fromNode(old), Variable::fromNode(fresh)});
}

absl::Status Announcer::tell(Listener &listener, const Event &event, bool reverse) {
  Callback kind = event.kind;
  if (reverse && kind != Callback::ChangeInput)
    kind = kind == Callback::Import ? Callback::Prune : Callback::Import;
  absl::Status status = callFeature(state_, *listener.feature, kind, [&](Feature &feature) {
    if (kind == Callback::ChangeInput)
      return reverse ? feature.onChangeInput(graph_, event.client, event.fresh, event.old, reason_)
                     : feature.onChangeInput(graph_, event.client, event.old, event.fresh, reason_);
    return kind == Callback::Import ? feature.onImport(graph_, event.client.node, reason_)
                                    : feature.onPrune(graph_, event.client.node, reason_);
  });
  // One look at the clock for each callback: the next one begins here.
  Clock::time_point end = Clock::now();
  listener.seconds += std::chrono::duration<double>(end - last_).count();
  last_ = end;
  return status;
}

absl::Status Announcer::deliver() {
  if (!events_.empty())
    last_ = Clock::now();
  for (size_t i = 0; i < events_.size(); ++i) {
    std::shared_ptr<const ListenerList> list = state_.listeners.list();
    for (const std::shared_ptr<Listener> &listener : *list) {
      if (!listener->attached || listener->heard > i)
        continue;
      listener->heard = i + 1;
      absl::Status status = tell(*listener, events_[i], /*reverse=*/false);
      if (status.ok())
        continue;
      if (onError_ == OnError::Stop)
        return status_ = status;
      detach(*listener, status);
    }
  }
  return status_;
}

void Announcer::detach(Listener &listener, const absl::Status &why) {
  state_.listeners.remove(listener.feature.get());
  std::string note =
      "the feature " + std::string(listener.feature->name()) +
      " failed while a change was undone, and has been removed: " + std::string(why.message());
  status_ = status_.ok()
                ? makeError(errorKind(why), note)
                : makeError(errorKind(status_), std::string(status_.message()) + "\n" + note);
}

absl::Status Announcer::takeBack() {
  last_ = Clock::now();
  takingBack_ = true;
  reason_ = "revert: " + reason_;
  for (size_t i = events_.size(); i-- > 0;) {
    std::shared_ptr<const ListenerList> list = state_.listeners.list();
    for (size_t k = list->size(); k-- > 0;) {
      Listener &listener = *(*list)[k];
      if (!listener.attached || listener.heard <= i)
        continue;
      listener.heard = i;
      if (absl::Status status = tell(listener, events_[i], /*reverse=*/true); !status.ok())
        detach(listener, status);
    }
  }
  return status_;
}

Announcer::View Announcer::viewAfter(size_t heard) const {
  View view;
  auto note = [&](const Event &event, Callback leaving) {
    if (event.kind == leaving)
      view.left.push_back(event.client.node);
    else if (event.kind != Callback::ChangeInput)
      view.unknown.insert(event.client.node.node());
  };
  if (takingBack_)
    for (size_t i = std::min(heard, events_.size()); i-- > 0;)
      note(events_[i], Callback::Import);
  else
    for (size_t i = heard; i < events_.size(); ++i)
      note(events_[i], Callback::Prune);
  return view;
}

Announcer::View viewOf(const GraphState &state, const Feature &leaving) {
  if (state.announcer)
    for (const Telling &each : state.telling)
      if (each.feature == &leaving && each.callback == Callback::Detach)
        return state.announcer->viewAfter(each.heard);
  return {};
}

} // namespace detail
} // namespace graphc
