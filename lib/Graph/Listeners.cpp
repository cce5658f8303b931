//===- Graph/Listeners.cpp ------------------------------------------------===//
#include "Graph/Listeners.h"

#include <algorithm>
#include <chrono>

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

absl::Status Bookkeeper::onAttach(FunctionGraph &graph) {
  absl::StatusOr<std::vector<Apply>> order = graph.toposort();
  if (!order.ok())
    return order.status();
  for (const Apply &node : *order)
    if (absl::Status status = onImport(graph, node, "attach"); !status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status Bookkeeper::onDetach(FunctionGraph &graph) {
  absl::StatusOr<std::vector<Apply>> order = graph.toposort();
  if (!order.ok())
    return order.status();
  for (auto node = order->rbegin(); node != order->rend(); ++node)
    if (absl::Status status = onPrune(graph, *node, "detach"); !status.ok())
      return status;
  return absl::OkStatus();
}

namespace detail {

//===--- the list ---------------------------------------------------------===//

const Listener *Listeners::find(const Feature *feature) const {
  for (const std::shared_ptr<Listener> &listener : *list_)
    if (listener->feature.get() == feature)
      return listener.get();
  return nullptr;
}

void Listeners::add(std::shared_ptr<Feature> feature) {
  ListenerList list = *list_;
  list.push_back(std::make_shared<Listener>(Listener{feature}));
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

absl::Status tellOne(Listener &listener, Tell tell) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  absl::Status status = tell(*listener.feature);
  listener.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  return status;
}

//===--- events -----------------------------------------------------------===//

Announcer::Announcer(FunctionGraph &graph, GraphState &state, std::string_view reason,
                     OnError onError)
    : graph_(graph), state_(state), reason_(reason), onError_(onError),
      idle_(state.listeners.empty()) {
  state_.changing = true;
}

Announcer::~Announcer() { state_.changing = false; }

void Announcer::imported(Apply node) {
  announce({Event::Import, {std::move(node), 0}, Variable(), Variable()});
}
void Announcer::pruned(Apply node) {
  announce({Event::Prune, {std::move(node), 0}, Variable(), Variable()});
}
void Announcer::changed(Client client, Variable old, Variable fresh) {
  announce({Event::Change, std::move(client), std::move(old), std::move(fresh)});
}

absl::Status Announcer::tell(Listener &listener, const Event &event, bool reverse) {
  return tellOne(listener, [&](Feature &feature) {
    if (event.kind == Event::Change)
      return reverse ? feature.onChangeInput(graph_, event.client, event.fresh, event.old, reason_)
                     : feature.onChangeInput(graph_, event.client, event.old, event.fresh, reason_);
    return (event.kind == Event::Import) != reverse
               ? feature.onImport(graph_, event.client.node, reason_)
               : feature.onPrune(graph_, event.client.node, reason_);
  });
}

void Announcer::announce(Event event) {
  if (onError_ == OnError::Stop && !status_.ok())
    return;
  event.list = state_.listeners.list();
  while (event.count < event.list->size()) {
    Listener &listener = *(*event.list)[event.count++];
    if (!listener.attached)
      continue;
    absl::Status status = tell(listener, event, /*reverse=*/false);
    if (status.ok())
      continue;
    if (onError_ == OnError::Detach) {
      detach(listener, status);
    } else {
      status_ = status;
      break;
    }
  }
  heard_.push_back(std::move(event));
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

void Announcer::takeBack() {
  reason_ = "revert: " + reason_;
  while (!heard_.empty()) {
    Event event = std::move(heard_.back());
    heard_.pop_back();
    for (size_t i = event.count; i-- > 0;) {
      Listener &listener = *(*event.list)[i];
      if (!listener.attached)
        continue;
      if (absl::Status status = tell(listener, event, /*reverse=*/true); !status.ok())
        detach(listener, status);
    }
  }
}

} // namespace detail
} // namespace graphc
