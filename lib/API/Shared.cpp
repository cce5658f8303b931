//===- Shared.cpp - shared variables --------------------------------------===//
#include "graphc/Shared.h"

#include "API/Container.h"
#include "Graph/Nodes.h"
#include "Support/Log.h"
#include "graphc/Traversal.h"

namespace graphc {

using detail::Container;
using detail::containerOf;

static std::string quoted(const Variable &v) {
  return v.name().empty() ? "a shared variable" : "'" + std::string(v.name()) + "'";
}

SharedVariable makeShared(Tensor value, std::string_view name, const SharedOptions &options,
                          Place place) {
  auto refused = [&](ErrorKind kind, const std::string &why) {
    return SharedVariable(Variable::invalid(makeError(kind, "shared: " + why, place)));
  };
  if (!value.defined())
    return refused(ErrorKind::ValueError, "an undefined Tensor is no value");
  Type type(value.dtype(), options.shape.value_or(std::vector<int64_t>(value.rank(), kDynamic)));
  if (!isOfType(value, type))
    return refused(ErrorKind::TypeError, "the value is " +
                                             Type(value.dtype(), value.shape()).brief() +
                                             ", which is no " + type.brief());
  Tensor own = options.borrow ? value : value.copy();
  if (!own.defined())
    return refused(ErrorKind::OutOfMemory, "no memory for " + std::to_string(value.numBytes()) +
                                               " bytes of the value, " + type.brief());
  value = Tensor(); // borrowed, it is the variable's alone
  detail::LeafNode *leaf = detail::makeLeaf(type, name, place);
  leaf->container = std::make_shared<Container>(
      type, ValueRules{options.strict, options.allowDowncast}, std::move(own));
  SharedVariable made{Variable::fromNode(leaf)};
  detail::release(leaf);
  return made;
}

std::optional<SharedVariable> SharedVariable::from(const Variable &v) {
  if (!containerOf(v))
    return std::nullopt;
  return SharedVariable(v);
}

Tensor SharedVariable::get(BorrowOptions options) const {
  std::shared_ptr<Container> container = containerOf(*this);
  if (!container)
    return Tensor();
  absl::StatusOr<Tensor> value = container->peek();
  if (!value.ok()) {
    logWarning(quoted(*this) + ": " + std::string(value.status().message()));
    return Tensor();
  }
  Tensor result = options.borrow ? *value : value->copy();
  if (!result.defined())
    logWarning(quoted(*this) + ": no memory for " + std::to_string(value->numBytes()) +
               " bytes of a copy of the value; borrow it");
  return result;
}

absl::Status SharedVariable::set(const Tensor &value, BorrowOptions options) const {
  std::shared_ptr<Container> container = containerOf(*this);
  if (!container)
    return status();
  return container->assign(value, options.borrow, quoted(*this));
}

absl::Status SharedVariable::setDefaultUpdate(const Variable &update) const {
  std::shared_ptr<Container> container = containerOf(*this);
  if (!container)
    return status();
  Variable fitting = filterVariable(type(), update);
  if (!fitting.ok())
    return prefixError(fitting.status(), "the default update of " + quoted(*this));
  Variable self(type(), name());
  absl::StatusOr<Variables> expression = cloneReplace({&fitting, 1}, {{*this, self}});
  if (!expression.ok())
    return expression.status();
  container->defaultUpdate = Container::DefaultUpdate{expression->front(), self};
  return absl::OkStatus();
}

void SharedVariable::removeDefaultUpdate() const {
  if (std::shared_ptr<Container> container = containerOf(*this))
    container->defaultUpdate.reset();
}

std::optional<Variable> SharedVariable::defaultUpdate() const {
  std::shared_ptr<Container> container = containerOf(*this);
  if (!container || !container->defaultUpdate)
    return std::nullopt;
  const auto &[expression, self] = *container->defaultUpdate;
  return cloneReplace({&expression, 1}, {{self, *this}}).value_or(Variables{Variable()}).front();
}

} // namespace graphc
