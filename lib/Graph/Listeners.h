//===- Graph/Listeners.h - the Features of a FunctionGraph ------*- C++ -*-===//
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "graphc/Feature.h"

namespace graphc::detail {

struct Listener {
  std::shared_ptr<Feature> feature;
  bool attached = true;
  double seconds = 0;
};
using ListenerList = std::vector<std::shared_ptr<Listener>>;
using Tell = absl::FunctionRef<absl::Status(Feature &)>;

/// Copied on write: who is telling an event goes on over the list as it was, leaving out those
/// that have been removed since (F-107).
class Listeners {
public:
  bool empty() const { return list_->empty(); }
  const Features &features() const { return features_; }
  const std::shared_ptr<const ListenerList> &list() const { return list_; }
  const Listener *find(const Feature *feature) const;

  void add(std::shared_ptr<Feature> feature);
  void remove(const Feature *feature);

private:
  std::shared_ptr<const ListenerList> list_ = std::make_shared<const ListenerList>();
  /// The same, as users see it.
  Features features_;
};

/// What `tell` returns, naming the Feature. Its time counts.
absl::Status tellOne(Listener &listener, Tell tell);

struct GraphState;

/// Tells the Features of a graph what happens to it, and remembers who has heard what, so that
/// it can be taken back.
class Announcer {
public:
  enum class OnError {
    Stop,   // nobody hears of anything after the first error
    Detach, // who fails is removed, and the others go on
  };
  Announcer(FunctionGraph &graph, GraphState &state, std::string_view reason, OnError onError);
  ~Announcer();
  Announcer(const Announcer &) = delete;

  /// Whether nobody listens: the events need not be made.
  bool idle() const { return idle_; }
  void imported(Apply node);
  void pruned(Apply node);
  void changed(Client client, Variable old, Variable fresh);

  /// The first error, by Stop; by Detach one that names all that failed.
  const absl::Status &status() const { return status_; }
  /// Tells the reverse of all events to those that heard of them, newest first, with Detach.
  /// The graph is as before by then.
  void takeBack();

private:
  struct Event {
    enum Kind { Import, Prune, Change } kind;
    Client client;
    Variable old;
    Variable fresh;
    /// The first `count` of `list` have heard of it.
    std::shared_ptr<const ListenerList> list = nullptr;
    size_t count = 0;
  };
  absl::Status tell(Listener &listener, const Event &event, bool reverse);
  void announce(Event event);
  void detach(Listener &listener, const absl::Status &why);

  FunctionGraph &graph_;
  GraphState &state_;
  std::string reason_;
  OnError onError_;
  bool idle_;
  std::vector<Event> heard_;
  absl::Status status_;
};

} // namespace graphc::detail
