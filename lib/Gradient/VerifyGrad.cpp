//===- VerifyGrad.cpp - gradients against differences ----------------------===//
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "ComplexDerivatives.h"
#include "Eval/Evaluate.h"
#include "Support/Text.h"
#include "absl/strings/str_format.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

/// Uniform in [low, low + 1), the same numbers on every machine.
class Uniform {
public:
  explicit Uniform(uint64_t seed) : bits_(seed) {}
  double from(double low) { return low + double(bits_() >> 11) * 0x1p-53; }

private:
  std::mt19937_64 bits_;
};

absl::StatusOr<Tensor> randomTensor(const Type &type, Uniform &random, double low, double scale) {
  absl::StatusOr<Tensor> values = Tensor::zeros(DType::Float64, type.shape());
  if (!values.ok())
    return values;
  for (double &value : values->mutableFlat<double>())
    value = scale * random.from(low / scale);
  return values->cast(type.dtype());
}

/// What depends on how many digits a dtype has.
struct Bounds {
  double epsilon, absolute, relative;
};

Bounds boundsFor(DType dtype, const VerifyGradOptions &options) {
  bool isCentral = options.differences == Differences::Central;
  Bounds bounds = dtype == DType::Float64   ? Bounds{isCentral ? 1e-5 : 1e-7, 1e-4, 1e-4}
                  : dtype == DType::Float32 ? Bounds{isCentral ? 5e-3 : 3e-4, 1e-2, 1e-2}
                  : dtype == DType::Float16 ? Bounds{0x1p-9, 1e-1, 1e-1}
                                            : Bounds{0x1p-6, 1e-1, 1e-1};
  // Errors of rounding alone; halves are moved as float32, but their gradients are halves.
  if (options.differences == Differences::ComplexStep)
    bounds = dtype == DType::Float64   ? Bounds{1e-20, 1e-10, 1e-10}
             : dtype == DType::Float32 ? Bounds{1e-10, 1e-4, 1e-4}
                                       : Bounds{1e-10, 1e-1, 1e-1};
  return {options.epsilon.value_or(bounds.epsilon), options.absoluteBound.value_or(bounds.absolute),
          options.relativeBound.value_or(bounds.relative)};
}

/// The cost that is differentiated.
Variable weightedSum(const Variable &result, const Tensor &weights) {
  return sum(result * Constant::adopt(weights),
             {.dtype = DType::Float64, .accDtype = DType::Float64});
}

/// The row-major position as indices.
std::string positionText(absl::Span<const int64_t> shape, int64_t flat) {
  std::vector<int64_t> indices(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; flat /= shape[axis])
    indices[axis] = flat % shape[axis];
  return shapeText(indices);
}

/// The function at one point.
class Verification {
public:
  Verification(const VerifyGradOptions &options, std::source_location loc)
      : options_(options), loc_(loc) {}
  absl::Status prepare(const GradFunction &function, const std::vector<Tensor> &point);
  absl::Status run();

private:
  absl::Status prepareComplexStep(const GradFunction &function, const Tensor &weights);
  absl::StatusOr<double> difference(size_t argument, int64_t element, double atPoint);
  absl::StatusOr<double> complexStep(size_t argument, int64_t element);
  absl::StatusOr<double> costWith(size_t argument, int64_t element, double change);
  absl::Status compare(size_t argument, int64_t element, double gradient, double atPoint);
  absl::Status preparePushforward();
  absl::Status comparePushforward(absl::Span<const Tensor> gradients, double got) const;

  const VerifyGradOptions &options_;
  std::source_location loc_;
  Variables inputs_;
  std::vector<Tensor> point_;
  Variable cost_;
  Variables gradients_;
  // Of the complex step: imaginary parts of the arguments, and that of the cost.
  Variables directions_;
  Variable imaginaryCost_;
  /// A direction at the point, and the cost's derivative along it by pushforward; none where an op
  /// has a gradient alone.
  std::vector<Tensor> direction_;
  std::optional<Variable> along_;
  double step_ = 0; // how far the argument moved, as its dtype has it
};

absl::Status Verification::prepare(const GradFunction &function, const std::vector<Tensor> &point) {
  if (!function)
    return makeError(ErrorKind::ValueError, "verifyGrad: there is no function", loc_);
  if (double epsilon = options_.epsilon.value_or(1); !(epsilon > 0 && std::isfinite(epsilon)))
    return makeError(ErrorKind::ValueError,
                     absl::StrFormat("verifyGrad: epsilon is %g; it is a positive number", epsilon),
                     loc_);
  for (auto [name, bound] : {std::pair("absoluteBound", options_.absoluteBound),
                             std::pair("relativeBound", options_.relativeBound)})
    if (!(bound.value_or(0) >= 0)) // NaN is below nothing: no gradient would pass
      return makeError(
          ErrorKind::ValueError,
          absl::StrFormat("verifyGrad: %s is %g; it is a number, not below 0", name, *bound), loc_);
  Variables arguments;
  for (size_t i = 0; i < point.size(); ++i) {
    if (!point[i].defined() || !isDifferentiable(point[i].dtype()))
      return makeError(ErrorKind::TypeError,
                       "verifyGrad: argument " + std::to_string(i) +
                           (point[i].defined()
                                ? " is " + Type(point[i].dtype(), point[i].shape()).brief()
                                : std::string(" is undefined")) +
                           ": give float arrays, and keep others inside the function",
                       loc_);
    // A complex argument is two real ones.
    auto add = [&](const Tensor &part) {
      inputs_.push_back(Variable(Type(part.dtype(), part.shape()), {}, loc_));
      point_.push_back(part.copy());
    };
    if (!isComplex(point[i].dtype())) {
      add(point[i]);
      arguments.push_back(inputs_.back());
      continue;
    }
    if (options_.differences == Differences::ComplexStep)
      return makeError(ErrorKind::TypeError,
                       "verifyGrad: argument " + std::to_string(i) + " is " +
                           Type(point[i].dtype(), point[i].shape()).brief() +
                           ": a complex step is taken from real arguments",
                       loc_);
    for (int64_t part : {0, 1})
      add(*point[i].realView().slice(-1, part, 1, 1)->reshape(point[i].shape()));
    arguments.push_back(complex(inputs_.end()[-2], inputs_.end()[-1]));
  }
  Variable result = function(arguments);
  if (!result.ok())
    return result.status();
  if (!result.type().isTensor())
    return makeError(ErrorKind::TypeError,
                     "verifyGrad: the function gives " + result.type().brief() + ", no array",
                     loc_);
  if (isComplex(result.dtype()))
    result = stack({real(result), imag(result)});
  // The weights need the result's shape.
  absl::StatusOr<std::vector<Tensor>> value = evaluate(Variables{result}, inputs_, point_);
  if (!value.ok())
    return value.status();
  Uniform random(options_.seed);
  DType dtype = isFloat(result.dtype()) ? result.dtype() : DType::Float64;
  absl::StatusOr<Tensor> weights = randomTensor(Type(dtype, (*value)[0].shape()), random, 0.5, 1);
  if (!weights.ok())
    return weights.status();
  cost_ = weightedSum(result, *weights);
  gradients_ = grad(cost_, inputs_, {.disconnectedInputs = DisconnectedInputs::Ignore}, loc_);
  for (const Variable &gradient : gradients_)
    if (!gradient.ok())
      return gradient.status();
  if (absl::Status status = preparePushforward(); !status.ok())
    return status;
  if (options_.differences == Differences::ComplexStep)
    return prepareComplexStep(function, *weights);
  return absl::OkStatus();
}

absl::Status Verification::prepareComplexStep(const GradFunction &function, const Tensor &weights) {
  Variables arguments;
  for (const Variable &input : inputs_) {
    bool isHalf = byteSize(input.dtype()) < 4;
    Variable real = isHalf ? cast(input, DType::Float32) : input;
    directions_.push_back(Variable(real.type(), {}, loc_));
    arguments.push_back(complex(real, directions_.back()));
  }
  Variable result = function(arguments);
  if (!result.ok())
    return result.status();
  if (!result.type().isTensor() || !isComplex(result.dtype()))
    return makeError(ErrorKind::TypeError,
                     "verifyGrad: the function gives " + result.type().brief() +
                         " for complex arguments: it is not holomorphic, and has no complex step; "
                         "take central differences",
                     loc_);
  imaginaryCost_ = weightedSum(imag(result), weights);
  return imaginaryCost_.status();
}

absl::StatusOr<double> Verification::complexStep(size_t argument, int64_t element) {
  double epsilon = boundsFor(point_[argument].dtype(), options_).epsilon;
  std::vector<Tensor> values = point_;
  Variables inputs = inputs_;
  for (size_t i = 0; i < directions_.size(); ++i) {
    Type type = directions_[i].type();
    absl::StatusOr<Tensor> direction = Tensor::zeros(DType::Float64, type.shape());
    if (!direction.ok())
      return direction.status();
    if (i == argument)
      direction->mutableFlat<double>()[size_t(element)] = epsilon;
    inputs.push_back(directions_[i]);
    values.push_back(direction->cast(type.dtype()));
  }
  absl::StatusOr<std::vector<Tensor>> cost = evaluate(Variables{imaginaryCost_}, inputs, values);
  if (!cost.ok())
    return cost.status();
  return (*cost)[0].item<double>() / epsilon;
}

absl::Status Verification::preparePushforward() {
  Uniform random(options_.seed + 1);
  Variables tangents;
  for (const Tensor &value : point_) {
    absl::StatusOr<Tensor> values = randomTensor(Type(value.dtype(), value.shape()), random, -1, 2);
    if (!values.ok())
      return values.status();
    direction_.push_back(*values);
    tangents.push_back(Constant::adopt(*std::move(values)));
  }
  Variable along = pushforward(Variables{cost_}, inputs_, tangents,
                               {.disconnectedInputs = DisconnectedInputs::Ignore}, loc_)[0];
  ErrorKind kind = errorKind(along.status());
  if (kind == ErrorKind::NullGradient || kind == ErrorKind::MethodNotDefined)
    return absl::OkStatus();
  if (!along.ok())
    return along.status();
  along_ = along;
  return absl::OkStatus();
}

/// Both are the evaluator's, so that they differ by rounding alone: the bounds of a difference do.
absl::Status Verification::comparePushforward(absl::Span<const Tensor> gradients,
                                              double got) const {
  double expected = 0, size = 0, absolute = 0, relative = 0;
  VerifyGradOptions options = options_;
  options.differences = Differences::OneSided;
  for (size_t i = 0; i < point_.size(); ++i) {
    Bounds bounds = boundsFor(point_[i].dtype(), options);
    absolute = std::max(absolute, bounds.absolute);
    relative = std::max(relative, bounds.relative);
    Tensor gradient = gradients[i].cast(DType::Float64).contiguous();
    Tensor direction = direction_[i].cast(DType::Float64).contiguous();
    for (size_t k = 0; k < gradient.flat<double>().size(); ++k) {
      double term = gradient.flat<double>()[k] * direction.flat<double>()[k];
      expected += term;
      size += std::abs(term);
    }
  }
  double error = std::abs(got - expected);
  if (error < absolute || error < relative * size || (std::isnan(got) && std::isnan(expected)))
    return absl::OkStatus();
  return makeError(
      ErrorKind::DebugMismatch,
      absl::StrFormat("verifyGrad: in a random direction pushforward gives %.9g, but the gradient, "
                      "which agrees with differences, gives %.9g: absolute error %.3g (allowed: "
                      "%.3g)",
                      got, expected, error, std::max(absolute, relative * size)),
      loc_);
}

absl::StatusOr<double> Verification::costWith(size_t argument, int64_t element, double change) {
  DType dtype = point_[argument].dtype();
  Tensor moved = point_[argument].cast(DType::Float64).copy();
  double &value = moved.mutableFlat<double>()[size_t(element)];
  double before = value;
  value += change;
  std::vector<Tensor> values = point_;
  values[argument] = moved.cast(dtype);
  Tensor rounded = values[argument].cast(DType::Float64).contiguous();
  step_ = rounded.flat<double>()[size_t(element)] - before;
  absl::StatusOr<std::vector<Tensor>> cost = evaluate(Variables{cost_}, inputs_, values);
  if (!cost.ok())
    return cost.status();
  return (*cost)[0].item<double>();
}

absl::StatusOr<double> Verification::difference(size_t argument, int64_t element, double atPoint) {
  if (options_.differences == Differences::ComplexStep)
    return complexStep(argument, element);
  Bounds bounds = boundsFor(point_[argument].dtype(), options_);
  absl::StatusOr<double> above = costWith(argument, element, bounds.epsilon);
  if (!above.ok())
    return above;
  double distance = step_, below = atPoint;
  if (options_.differences == Differences::Central) {
    absl::StatusOr<double> cost = costWith(argument, element, -bounds.epsilon);
    if (!cost.ok())
      return cost;
    below = *cost;
    distance -= step_;
  }
  if (distance == 0)
    return makeError(ErrorKind::ValueError,
                     absl::StrFormat("verifyGrad: epsilon, %g, does not move argument %d at %s",
                                     bounds.epsilon, argument,
                                     positionText(point_[argument].shape(), element)),
                     loc_);
  return (*above - below) / distance;
}

absl::Status Verification::compare(size_t argument, int64_t element, double gradient,
                                   double atPoint) {
  absl::StatusOr<double> found = difference(argument, element, atPoint);
  if (!found.ok())
    return found.status();
  Bounds bounds = boundsFor(point_[argument].dtype(), options_);
  double expected = *found;
  double absolute = std::abs(gradient - expected);
  double relative = absolute / std::max(std::abs(gradient) + std::abs(expected), 1e-300);
  if (absolute < bounds.absolute || relative < bounds.relative ||
      (std::isnan(gradient) && std::isnan(expected)))
    return absl::OkStatus();
  return makeError(ErrorKind::DebugMismatch,
                   absl::StrFormat("verifyGrad: the gradient of argument %d at %s is %.9g, but "
                                   "differences give %.9g: absolute error %.3g (allowed: %.3g), "
                                   "relative error %.3g (allowed: %.3g)",
                                   argument, positionText(point_[argument].shape(), element),
                                   gradient, expected, absolute, bounds.absolute, relative,
                                   bounds.relative),
                   loc_);
}

absl::Status Verification::run() {
  Variables outputs = gradients_;
  if (along_)
    outputs.push_back(*along_);
  outputs.push_back(cost_);
  absl::StatusOr<std::vector<Tensor>> values = evaluate(outputs, inputs_, point_);
  if (!values.ok())
    return values.status();
  double atPoint = values->back().item<double>();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    Tensor gradient = (*values)[i].cast(DType::Float64).contiguous();
    if (gradient.shape() != point_[i].shape())
      return makeError(ErrorKind::Internal, // grad sees to that
                       "verifyGrad: the gradient of argument " + std::to_string(i) + " has shape " +
                           shapeText(gradient.shape()) + ", the argument " +
                           shapeText(point_[i].shape()),
                       loc_);
    absl::Span<const double> elements = gradient.flat<double>();
    for (size_t k = 0; k < elements.size(); ++k)
      if (absl::Status status = compare(i, int64_t(k), elements[k], atPoint); !status.ok())
        return status;
  }
  if (!along_)
    return absl::OkStatus();
  return comparePushforward(absl::MakeConstSpan(*values).first(inputs_.size()),
                            values->end()[-2].cast(DType::Float64).item<double>());
}

} // namespace

absl::Status verifyGrad(const GradFunction &function, const std::vector<Tensor> &point,
                        const VerifyGradOptions &options, std::source_location loc) {
  Verification verification(options, loc);
  if (absl::Status status = verification.prepare(function, point); !status.ok())
    return status;
  return verification.run();
}

absl::Status verifyGrad(const GradFunction &function, const std::vector<Type> &arguments,
                        int points, const VerifyGradOptions &options, std::source_location loc) {
  if (points < 1)
    return makeError(ErrorKind::ValueError,
                     "verifyGrad: " + std::to_string(points) +
                         " points are asked for; it takes at least 1",
                     loc);
  Uniform random(options.seed);
  for (int k = 0; k < points; ++k) {
    std::vector<Tensor> point;
    for (const Type &type : arguments) {
      if (!type.isTensor())
        return makeError(ErrorKind::TypeError,
                         "verifyGrad: an argument is " + type.brief() + ": give float arrays", loc);
      if (!type.hasStaticShape())
        return makeError(
            ErrorKind::ShapeError,
            "verifyGrad: random points need static extents, not those of " + type.brief(), loc);
      absl::StatusOr<Tensor> values = randomTensor(type, random, -1, 2);
      if (!values.ok())
        return values.status();
      point.push_back(*std::move(values));
    }
    if (absl::Status status = verifyGrad(function, point, options, loc); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

} // namespace graphc
