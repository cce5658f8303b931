//===- Rewrite/NodeRewriter.h - what changes one node -----------*- C++ -*-===//
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graphc/OpDef.h"
#include "graphc/Rewrite.h"

namespace graphc {

/// Proposes replacements for the outputs of a node.
class NodeRewriter {
public:
  virtual ~NodeRewriter() = default;
  virtual const std::string &name() const = 0;
  /// F-297: by which queries select it, too.
  virtual std::string_view className() const { return "NodeRewriter"; }
  virtual Effects effects() const { return kNoEffects; }
  /// Rule::cost. What is cheaper afterwards is tried first.
  virtual double cost() const { return 0; }
  /// The op of the nodes that it looks at; null for all.
  virtual const OpDef *root() const { return nullptr; }
  /// How many nodes deep it looks.
  virtual int depth() const { return 1; }
  /// Empty where it has nothing to propose. What is proposed need not fit: whoever calls checks
  /// types. The graph's nodes stay as they are. `matched`, if not null, gets the nodes whose work
  /// the proposal does.
  virtual Proposal propose(FunctionGraph &graph, const Apply &node,
                           std::vector<Apply> *matched) const = 0;
};

/// The graph's ShapeFeature, which is attached if there is none yet.
ShapeFeature &shapesOf(FunctionGraph &graph);
/// Whether it overwrites an input. Such nodes are neither merged nor folded.
bool destroysInput(const OpDef &def);
/// Row 56 of F-307's catalogue: constants that an elementwise op converts are converted now.
NodeRewriterPtr upcastConstants();

/// compileRule of graphc/Rewrite.h for a rule that others keep, too.
absl::StatusOr<NodeRewriterPtr> compileRule(std::shared_ptr<const Rule> rule);

/// mergeRewriter, under another name in a database.
GraphRewriterPtr mergeRewriter(std::string name);

} // namespace graphc
