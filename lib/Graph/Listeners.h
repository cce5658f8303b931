//===- Graph/Listeners.h - the Features of a FunctionGraph ------*- C++ -*-===//
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "graphc/Feature.h"

namespace graphc::detail {

inline constexpr size_t kAllEvents = ~size_t(0);

struct Listener {
  std::shared_ptr<Feature> feature;
  /// Of the change that is being told: how many of its events are in what the Feature knows.
  size_t heard = 0;
  bool attached = true;
  double seconds = 0;
};
using Clock = std::chrono::steady_clock;
using ListenerList = std::vector<std::shared_ptr<Listener>>;
using Tell = absl::FunctionRef<absl::Status(Feature &)>;

/// Copied on write: who tells something goes on over the list as it was, leaving out those that
/// have been removed since (F-107).
class Listeners {
public:
  Listeners() = default;
  Listeners(const Listeners &) = delete;
  /// They are not told, and free for another graph.
  ~Listeners();
  bool empty() const { return list_->empty(); }
  const Features &features() const { return features_; }
  const std::shared_ptr<const ListenerList> &list() const { return list_; }
  const Listener *find(const Feature *feature) const;

  void add(std::shared_ptr<Feature> feature, size_t heard);
  void remove(const Feature *feature);

private:
  std::shared_ptr<const ListenerList> list_ = std::make_shared<const ListenerList>();
  /// The same, as users see it.
  Features features_;
};

enum class Callback : uint8_t {
  Attach,
  Detach,
  Import,
  Prune,
  ChangeInput,
  Validate,
  Orderings,
  Users, // of an interface of the user's
};
std::string_view callbackName(Callback callback);

/// A callback that has not returned yet.
struct Telling {
  const Feature *feature;
  Callback callback;
  /// Of Detach: Listener::heard.
  size_t heard;
};

struct GraphState;

/// What `tell` returns. Inconsistency, naming the Feature, where callbacks call each other
/// endlessly.
absl::Status callFeature(GraphState &state, Feature &feature, Callback callback, Tell tell,
                         size_t heard = kAllEvents);
/// The same, and its time counts.
absl::Status tellOne(GraphState &state, Listener &listener, Callback callback, Tell tell);

/// Tells the Features of a graph what has happened to it. The steps of a change are noted while it
/// is made, and told when it is done, so that Features read a whole graph. It knows who has heard
/// what, so that it can be taken back, and Features may come and go meanwhile.
class Announcer {
public:
  enum class OnError {
    Stop,   // nobody hears of anything after the first error
    Detach, // who fails is removed, and the others go on
  };
  Announcer(FunctionGraph &graph, GraphState &state, std::string_view reason, OnError onError);
  ~Announcer();
  Announcer(const Announcer &) = delete;

  void imported(ApplyNode *node);
  void pruned(ApplyNode *node);
  void changed(uint32_t use, VariableNode *old, VariableNode *fresh);

  /// All that has been noted, in its order. The first error, by Stop; by Detach one that names all
  /// that failed.
  absl::Status deliver();
  /// After an error of `deliver`, when the graph is as before: tells the reverse of all events to
  /// those that heard of them, newest first, with Detach. The error, and what failed now.
  absl::Status takeBack();

  /// What a Feature that is attached now knows.
  size_t heardByNewcomers() const { return takingBack_ ? 0 : kAllEvents; }
  /// How a Feature that has heard of `heard` events sees the graph: it still knows `left`,
  /// consumers first, and does not know `unknown`, which are members.
  struct View {
    std::vector<Apply> left;
    absl::flat_hash_set<const ApplyNode *> unknown;
  };
  View viewAfter(size_t heard) const;

private:
  struct Event {
    Callback kind;
    Client client;
    Variable old = {};
    Variable fresh = {};
  };
  absl::Status tell(Listener &listener, const Event &event, bool reverse);
  void detach(Listener &listener, const absl::Status &why);

  FunctionGraph &graph_;
  GraphState &state_;
  std::string reason_;
  OnError onError_;
  bool idle_;
  bool takingBack_ = false;
  std::vector<Event> events_;
  Clock::time_point last_;
  absl::Status status_;
};

/// The graph as a Feature sees it that is being detached.
Announcer::View viewOf(const GraphState &state, const Feature &leaving);

/// The newest first, whatever they say to it.
void removeFeaturesBut(FunctionGraph &graph, const Features &kept);

} // namespace graphc::detail
