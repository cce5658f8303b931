//===- MachineLearningTest.cpp - the operators of ai.onnx.ml ------------------------===//
//
// Models of ml/, which make-ml.mjs has made, with onnxruntime's results for them. It computes in
// float32, in an order of its own; sums have at most some dozen terms of about 1, and kernels of
// degree 3 have a condition of about 10: errors are some units of 6e-8 times that. Labels are
// equal.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "Eval/Evaluate.h"
#include "Import/OneNode.h"
#include "Import/TensorReader.h"
#include "Import/Translations.h"
#include "graphc/Function.h"

namespace graphc::test {
namespace {

const std::string kFolder = GRAPHC_TEST_DATA "/ml/";
constexpr double kTolerance = 2e-5;

std::vector<std::string> modelNames() {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(kFolder))
    names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

/// A model without the values that it carries along, and these by name: "given:X0".
struct Case {
  onnx::ModelProto model;
  std::map<std::string, Tensor> values;
};

Case readCase(const std::string &name) {
  Case c;
  EXPECT_TRUE(c.model.ParseFromString(readFile(kFolder + name + ".onnx"))) << name;
  for (const onnx::TensorProto &proto : c.model.graph().initializer())
    c.values[proto.name()] = *readTensor(proto, "");
  c.model.mutable_graph()->clear_initializer();
  return c;
}

Tensor argmaxOfRows(const Tensor &scores) {
  std::vector<int64_t> places;
  for (int64_t row = 0; row < scores.shape()[0]; ++row) {
    const float *first = scores.flat<float>().data() + row * scores.shape()[1];
    places.push_back(std::max_element(first, first + scores.shape()[1]) - first);
  }
  return *Tensor::fromSpan(absl::MakeConstSpan(places), {scores.shape()[0]});
}

class MachineLearningTest : public testing::TestWithParam<std::string> {};

TEST_P(MachineLearningTest, EqualsOnnxruntime) {
  Case c = readCase(GetParam());
  auto module = loadModel(c.model);
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<Tensor> inputs;
  for (const Variable &input : module->inputs)
    inputs.push_back(c.values.at("given:" + std::string(input.name())));
  auto evaluated = evaluate(module->outputs, module->inputs, inputs);
  ASSERT_TRUE(evaluated.ok()) << evaluated.status();
  auto f = function(*module);
  ASSERT_TRUE(f.ok()) << f.status();
  auto called = f->call(inputs);
  ASSERT_TRUE(called.ok()) << called.status();
  for (size_t k = 0; k < evaluated->size(); ++k) {
    // Of two classes that both have weights onnxruntime chooses the second wherever its score is
    // positive; ONNX says that it is the top class.
    if (k == 0 && GetParam().ends_with("_scores")) {
      EXPECT_EQ((*evaluated)[k], argmaxOfRows(c.values.at("expected:Y1")));
      continue;
    }
    const Tensor &expected = c.values.at("expected:" + module->outputNames[k]);
    EXPECT_EQ(difference((*evaluated)[k], expected, kTolerance, kTolerance), "") << k;
    EXPECT_EQ(difference((*called)[k], expected, kTolerance, kTolerance), "") << k << ", compiled";
  }
}

INSTANTIATE_TEST_SUITE_P(Models, MachineLearningTest, testing::ValuesIn(modelNames()),
                         [](const auto &info) { return info.param; });

TEST(MachineLearning, everyOperatorIsTested) {
  std::set<std::string_view> tested;
  std::map<std::string, Case> cases;
  for (const std::string &name : modelNames())
    tested.insert(
        cases.emplace(name, readCase(name)).first->second.model.graph().node(0).op_type());
  for (const Translation *t : allTranslations(Domain::MachineLearning))
    EXPECT_TRUE(tested.contains(t->name)) << t->name;
}

/// x, by one coefficient that is 1, after a transformation.
absl::StatusOr<std::vector<Tensor>> oneTarget(const std::string &transform,
                                              const std::vector<float> &x) {
  onnx::ModelProto model = makeModel(17);
  onnx::OperatorSetIdProto &set = *model.add_opset_import();
  set.set_domain("ai.onnx.ml"), set.set_version(1);
  addInput(model, "x", {int64_t(x.size()), 1});
  onnx::NodeProto &node = addNode(model, "LinearRegressor", {"x"}, {"y"});
  node.set_domain("ai.onnx.ml");
  onnx::AttributeProto &a = *node.add_attribute();
  a.set_name("coefficients"), a.set_type(onnx::AttributeProto::FLOATS), a.add_floats(1);
  onnx::AttributeProto &t = *node.add_attribute();
  t.set_name("post_transform"), t.set_type(onnx::AttributeProto::STRING), t.set_s(transform);
  addOutput(model, "y");
  auto module = loadModel(model);
  if (!module.ok())
    return module.status();
  return evaluate(module->outputs, module->inputs,
                  {*Tensor::fromSpan(absl::MakeConstSpan(x), {int64_t(x.size()), 1})});
}
void expectOneTarget(const std::string &transform, const std::vector<float> &x,
                     const std::vector<float> &expected, double tolerance) {
  auto y = oneTarget(transform, x);
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(difference((*y)[0],
                       *Tensor::fromSpan(absl::MakeConstSpan(expected), {int64_t(x.size()), 1}), 0,
                       tolerance),
            "")
      << transform;
}

/// The quantile, which onnxruntime approximates to 2e-3: SciPy's norm.ppf.
TEST(MachineLearning, probit) {
  // 0.999 is a float32: the derivative of the quantile there is 300.
  expectOneTarget("PROBIT", {0.025f, 0.5f, 0.75f, 0.999f}, {-1.9599640f, 0, 0.6744898f, 3.0902323f},
                  2e-5);
}

/// ONNX's text makes no exception of one target, for which onnxruntime leaves these out. SciPy's
/// expit and softmax.
TEST(MachineLearning, transformsOfOneTarget) {
  expectOneTarget("LOGISTIC", {-2, 0, 0.5}, {0.11920292f, 0.5f, 0.62245933f}, 1e-6);
  expectOneTarget("SOFTMAX", {-2, 0, 0.5}, {1, 1, 1}, 0);
}

/// A tree of two leaves, of which each has another target: base values are added to both, as ONNX's
/// text has it. (onnxruntime leaves out that of a target which no leaf of the row has.)
TEST(MachineLearning, baseValuesOfTargetsThatNoLeafReaches) {
  for (const std::string aggregate : {"SUM", "MIN", "MAX"}) {
    onnx::ModelProto model = makeModel(17);
    onnx::OperatorSetIdProto &set = *model.add_opset_import();
    set.set_domain("ai.onnx.ml"), set.set_version(1);
    addInput(model, "x", {2, 1});
    onnx::NodeProto &node = addNode(model, "TreeEnsembleRegressor", {"x"}, {"y"});
    node.set_domain("ai.onnx.ml");
    auto floats = [&](const std::string &name, const std::vector<float> &values) {
      onnx::AttributeProto &a = *node.add_attribute();
      a.set_name(name), a.set_type(onnx::AttributeProto::FLOATS);
      *a.mutable_floats() = {values.begin(), values.end()};
    };
    auto texts = [&](const std::string &name, const std::vector<std::string> &values) {
      onnx::AttributeProto &a = *node.add_attribute();
      a.set_name(name), a.set_type(onnx::AttributeProto::STRINGS);
      *a.mutable_strings() = {values.begin(), values.end()};
    };
    texts("nodes_modes", {"BRANCH_LEQ", "LEAF", "LEAF"});
    floats("nodes_values", {0, 0, 0}), floats("target_weights", {1, -2});
    floats("base_values", {0.5, 0.25});
    setInts(node, "nodes_treeids", {0, 0, 0}), setInts(node, "nodes_nodeids", {0, 1, 2});
    setInts(node, "nodes_featureids", {0, 0, 0}), setInts(node, "nodes_truenodeids", {1, 0, 0});
    setInts(node, "nodes_falsenodeids", {2, 0, 0}), setInts(node, "target_treeids", {0, 0});
    setInts(node, "target_nodeids", {1, 2}), setInts(node, "target_ids", {0, 1});
    setInt(node, "n_targets", 2);
    onnx::AttributeProto &a = *node.add_attribute();
    a.set_name("aggregate_function"), a.set_type(onnx::AttributeProto::STRING), a.set_s(aggregate);
    addOutput(model, "y");
    auto module = loadModel(model);
    ASSERT_TRUE(module.ok()) << module.status();
    auto y = evaluate(module->outputs, module->inputs, {f32(Tensor({{-1.0}, {1.0}}))});
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ((*y)[0], f32(Tensor({{1.5, 0.25}, {0.5, -1.75}}))) << aggregate;
  }
}

//===--- mistakes -------------------------------------------------------------------===//

void attribute(onnx::NodeProto &node, const std::string &name,
               const std::vector<std::string> &texts) {
  onnx::AttributeProto *a = nullptr;
  for (onnx::AttributeProto &other : *node.mutable_attribute())
    if (other.name() == name)
      a = &other;
  a = a ? a : node.add_attribute();
  a->Clear();
  a->set_name(name);
  a->set_type(onnx::AttributeProto::STRINGS);
  for (const std::string &text : texts)
    a->add_strings(text);
}

onnx::AttributeProto &changed(onnx::NodeProto &node, const std::string &name) {
  for (onnx::AttributeProto &a : *node.mutable_attribute())
    if (a.name() == name)
      return a;
  onnx::AttributeProto &a = *node.add_attribute();
  a.set_name(name);
  return a;
}

/// What a model of ml/ gives after a change of its node.
template <class Change> std::string errorAfter(const std::string &name, Change change) {
  Case c = readCase(name);
  change(*c.model.mutable_graph()->mutable_node(0));
  return error(loadModel(c.model));
}

TEST(MachineLearning, errorsOfTrees) {
  auto of = [](auto change) { return errorAfter("tree_classifier_3_NONE", change); };
  const std::string kNode = "model.onnx: node 1 (TreeEnsembleClassifier): ";
  EXPECT_EQ(of([](auto &n) { attribute(n, "classlabels_strings", {"a", "b"}); }),
            kNode + "labels of classes that are strings (attribute classlabels_strings); give them "
                    "numbers, attribute classlabels_int64s");
  EXPECT_EQ(of([](auto &n) { changed(n, "classlabels_int64s").clear_ints(); }),
            kNode + "attribute classlabels_int64s is missing");
  EXPECT_EQ(of([](auto &n) { changed(n, "nodes_truenodeids").set_ints(0, 77); }),
            kNode + "there is no node 77 of tree 0");
  EXPECT_EQ(of([](auto &n) { changed(n, "nodes_truenodeids").set_ints(0, 0); }),
            kNode + "nodes of a tree lead back to themselves");
  EXPECT_EQ(of([](auto &n) { changed(n, "nodes_nodeids").set_ints(1, 0); }),
            kNode + "node 0 of tree 0 is there twice");
  EXPECT_EQ(of([](auto &n) { changed(n, "nodes_modes").set_strings(0, "BRANCH"); }),
            kNode + "a node has the mode 'BRANCH'");
  EXPECT_EQ(of([](auto &n) { changed(n, "nodes_featureids").set_ints(0, -1); }),
            kNode + "a node asks for feature -1");
  EXPECT_EQ(of([](auto &n) { changed(n, "nodes_featureids").set_ints(0, INT64_MAX); }),
            kNode + "a node asks for feature 9223372036854775807");
  EXPECT_EQ(of([](auto &n) {
              onnx::AttributeProto &missing = changed(n, "nodes_missing_value_tracks_true");
              missing.clear_ints();
              missing.set_type(onnx::AttributeProto::INTS), missing.add_ints(1);
            }).substr(0, kNode.size() + 24),
            kNode + "attributes of nodes have");
  EXPECT_EQ(of([](auto &n) { changed(n, "nodes_featureids").set_ints(0, 7); }),
            kNode + "the trees ask for 8 features of each row: f32[?,4]");
  EXPECT_EQ(of([](auto &n) { changed(n, "class_ids").set_ints(0, 3); }),
            kNode + "a weight is for target 3 of 3");
  EXPECT_EQ(of([](auto &n) { changed(n, "class_ids").add_ints(0); }).substr(0, kNode.size() + 29),
            kNode + "attributes of weights have 88");
  EXPECT_EQ(of([](auto &n) {
              for (const char *name : {"class_ids", "class_treeids", "class_nodeids"})
                changed(n, name).clear_ints();
              changed(n, "class_weights").clear_floats();
            }),
            kNode + "there are 9 trees, 0 weights and 3 targets");
  EXPECT_EQ(of([](auto &n) { changed(n, "post_transform").set_s("TANH"); }),
            kNode + "attribute post_transform is 'TANH'");
  EXPECT_EQ(of([](auto &n) {
              onnx::AttributeProto &base = changed(n, "base_values");
              base.set_type(onnx::AttributeProto::FLOATS), base.add_floats(1);
            }),
            kNode + "1 base_values for 3 classes");
  const std::string kRegressor = "model.onnx: node 1 (TreeEnsembleRegressor): ";
  EXPECT_EQ(errorAfter("tree_regressor_SUM",
                       [](auto &n) { changed(n, "aggregate_function").set_s("MEDIAN"); }),
            kRegressor + "attribute aggregate_function is 'MEDIAN'");
  EXPECT_EQ(
      errorAfter("tree_regressor_SUM", [](auto &n) { changed(n, "base_values").add_floats(1); }),
      kRegressor + "2 base_values for 1 targets");
  EXPECT_EQ(errorAfter("tree_regressor_SUM",
                       [](auto &n) { changed(n, "n_targets").set_i(int64_t(1) << 40); })
                .substr(0, kRegressor.size()),
            kRegressor);
}

TEST(MachineLearning, errorsOfPlacedTrees) {
  auto of = [](auto change) { return errorAfter("tree_ensemble_1", change); };
  const std::string kNode = "model.onnx: node 1 (TreeEnsemble): ";
  EXPECT_EQ(of([](auto &n) { changed(n, "aggregate_function").set_i(4); }),
            kNode + "attribute aggregate_function is 4");
  EXPECT_EQ(of([](auto &n) {
              changed(n, "post_transform").set_i(5);
              changed(n, "post_transform").set_type(onnx::AttributeProto::INT);
            }),
            kNode + "attribute post_transform is 5");
  EXPECT_EQ(of([](auto &n) {
              changed(n, "nodes_trueleafs").set_ints(0, 1);
              changed(n, "nodes_truenodeids").set_ints(0, 1000);
            }),
            kNode + "there is no leaf 1000");
  EXPECT_EQ(of([](auto &n) { changed(n, "tree_roots").set_ints(0, -1); }),
            kNode + "there is no node -1");
  EXPECT_EQ(of([](auto &n) {
              std::string &codes = *changed(n, "nodes_modes").mutable_t()->mutable_raw_data();
              codes[0] = 9;
            }),
            kNode + "a node has the mode 9.000000");
}

/// Rows of fewer features than the trees ask for, where that shows only when the model runs.
TEST(MachineLearning, rowsThatAreTooShort) {
  Case c = readCase("tree_BRANCH_LT");
  c.model.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(1)
      ->set_dim_param("F");
  auto module = loadModel(c.model);
  ASSERT_TRUE(module.ok()) << module.status();
  auto f = function(*module);
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_TRUE(f->call({c.values.at("given:X0")}).ok());
  auto failed = f->call({*Tensor::zeros(DType::Float32, {2, 3})});
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(std::string(failed.status().message())
                .find("the trees ask for 4 features of each row, which has fewer"),
            std::string::npos);
}

TEST(MachineLearning, errorsOfVectorMachines) {
  auto of = [](auto change) { return errorAfter("svm_classifier_LINEAR", change); };
  const std::string kNode = "model.onnx: node 1 (SVMClassifier): ";
  EXPECT_EQ(of([](auto &n) { changed(n, "kernel_type").set_s("COSINE"); }),
            kNode + "attribute kernel_type is 'COSINE'");
  EXPECT_EQ(of([](auto &n) { changed(n, "vectors_per_class").add_ints(1); }),
            kNode + "4 numbers in vectors_per_class for 3 classes");
  EXPECT_EQ(of([](auto &n) { changed(n, "vectors_per_class").set_ints(0, -1); }),
            kNode + "attribute vectors_per_class has -1");
  EXPECT_EQ(of([](auto &n) { changed(n, "vectors_per_class").set_ints(0, 4); }),
            kNode + "24 numbers in 7 rows");
  EXPECT_EQ(of([](auto &n) { changed(n, "coefficients").mutable_floats()->RemoveLast(); }),
            kNode + "11 coefficients and 3 numbers in rho for 3 classes and 6 support vectors");
  EXPECT_EQ(of([](auto &n) { changed(n, "rho").clear_floats(); }),
            kNode + "attribute rho is missing");
  EXPECT_EQ(errorAfter("svm_probabilities_LINEAR",
                       [](auto &n) { changed(n, "prob_b").mutable_floats()->RemoveLast(); }),
            kNode + "prob_a and prob_b have 6 and 5 numbers for 6 pairs of classes");
  EXPECT_EQ(
      errorAfter("svm_regressor_RBF", [](auto &n) { changed(n, "coefficients").add_floats(1); }),
      "model.onnx: node 1 (SVMRegressor): 6 coefficients for 5 support vectors");
  EXPECT_EQ(of([](auto &n) {
              // The product of pairs and vectors is far more than the file has.
              for (int k = 0; k < 2000; ++k) {
                changed(n, "classlabels_ints").add_ints(k);
                changed(n, "vectors_per_class").add_ints(1);
                for (int i = 0; i < 4; ++i)
                  changed(n, "support_vectors").add_floats(0);
              }
            }),
            kNode + "2003 classes and 2006 support vectors");
}

TEST(MachineLearning, errorsOfOtherOperators) {
  EXPECT_EQ(errorAfter("linear_classifier_3_NONE",
                       [](auto &n) { changed(n, "intercepts").add_floats(1); }),
            "model.onnx: node 1 (LinearClassifier): 3 labels for 4 rows");
  EXPECT_EQ(errorAfter("linear_regressor_NONE", [](auto &n) { changed(n, "targets").set_i(5); }),
            "model.onnx: node 1 (LinearRegressor): 12 coefficients for 5 rows");
  EXPECT_EQ(errorAfter("linear_regressor_NONE", [](auto &n) { changed(n, "targets").set_i(2); }),
            "model.onnx: node 1 (LinearRegressor): 3 intercepts for 2 rows");
  EXPECT_EQ(errorAfter("scaler", [](auto &n) { changed(n, "scale").clear_floats(); }),
            "model.onnx: node 1 (Scaler): attribute scale is missing");
  EXPECT_EQ(errorAfter("normalizer_L1", [](auto &n) { changed(n, "norm").set_s("L3"); }),
            "model.onnx: node 1 (Normalizer): attribute norm is 'L3'");
  EXPECT_EQ(
      errorAfter("imputer_int64", [](auto &n) { changed(n, "imputed_value_int64s").clear_ints(); }),
      "model.onnx: node 1 (Imputer): attribute imputed_value_int64s is missing");
  EXPECT_EQ(
      errorAfter("feature_vectorizer", [](auto &n) { changed(n, "inputdimensions").add_ints(1); }),
      "model.onnx: node 1 (FeatureVectorizer): 4 inputdimensions for 3 inputs");
  EXPECT_EQ(errorAfter("feature_vectorizer",
                       [](auto &n) { changed(n, "inputdimensions").set_ints(0, -2); }),
            "model.onnx: node 1 (FeatureVectorizer): attribute inputdimensions has -2");
  EXPECT_EQ(errorAfter("one_hot_encoder", [](auto &n) { attribute(n, "cats_strings", {"a"}); }),
            "model.onnx: node 1 (OneHotEncoder): attribute cats_strings: strings, which graphc has "
            "not; give numbers");
  EXPECT_EQ(errorAfter("one_hot_encoder", [](auto &n) { changed(n, "cats_int64s").clear_ints(); }),
            "model.onnx: node 1 (OneHotEncoder): attribute cats_int64s is missing");
  EXPECT_EQ(errorAfter("label_encoder_2", [](auto &n) { changed(n, "keys_int64s").add_ints(1); }),
            "model.onnx: node 1 (LabelEncoder): 4 keys for 3 values");
  EXPECT_EQ(errorAfter("label_encoder_2",
                       [](auto &n) {
                         n.mutable_attribute()->erase(
                             std::remove_if(n.mutable_attribute()->begin(),
                                            n.mutable_attribute()->end(),
                                            [](auto &a) { return a.name() == "keys_int64s"; }),
                             n.mutable_attribute()->end());
                       }),
            "model.onnx: node 1 (LabelEncoder): there are no keys");
}

TEST(MachineLearning, shapesAndDTypes) {
  auto of = [](const std::string &name, std::vector<int64_t> shape, int type) {
    Case c = readCase(name);
    c.model.mutable_graph()->mutable_input(0)->clear_type();
    setType(*c.model.mutable_graph()->mutable_input(0), shape, type);
    return error(loadModel(c.model));
  };
  constexpr int kFloat = onnx::TensorProto::FLOAT;
  EXPECT_EQ(of("linear_regressor_NONE", {2, 2, 4}, kFloat),
            "model.onnx: node 1 (LinearRegressor): input 0 must be rows, or one row: f32[2,2,4]");
  EXPECT_EQ(of("feature_vectorizer", {2, 2, 4}, kFloat),
            "model.onnx: node 1 (FeatureVectorizer): input 0 must be rows, or one row: f32[2,2,4]");
  EXPECT_EQ(of("array_feature_extractor", {}, kFloat),
            "model.onnx: node 1 (ArrayFeatureExtractor): input 0 must have an axis: f32");
  EXPECT_EQ(of("label_encoder_2", {3}, kFloat),
            "model.onnx: node 1 (LabelEncoder): keys of int64 for f32[3]");
  EXPECT_EQ(of("tree_regressor_SUM", {4}, kFloat), "no error"); // one row
}

TEST(MachineLearning, whatIsNoCategory) {
  Case c = readCase("one_hot_encoder");
  changed(*c.model.mutable_graph()->mutable_node(0), "zeros").set_i(0);
  auto module = loadModel(c.model);
  ASSERT_TRUE(module.ok()) << module.status();
  auto failed = evaluate(module->outputs, module->inputs, {c.values.at("given:X0")});
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(std::string(failed.status().message())
                .find("an element is none of the categories, and attribute zeros is 0"),
            std::string::npos);
}

TEST(MachineLearning, stringsAndDictionariesAreRefused) {
  auto of = [](const std::string &op, int version) {
    onnx::ModelProto model = makeModel(17);
    onnx::OperatorSetIdProto &set = *model.add_opset_import();
    set.set_domain("ai.onnx.ml"), set.set_version(version);
    addInput(model, "x", {2});
    addNode(model, op, {"x"}, {"y"}).set_domain("ai.onnx.ml");
    addOutput(model, "y");
    return error(loadModel(model));
  };
  const std::string kHead = "model.onnx: uses operators that have no translation: ai.onnx.ml.";
  EXPECT_EQ(of("CategoryMapper", 1),
            kHead +
                "CategoryMapper (1; it maps strings, which graphc has not: map them before, and "
                "give the model integers)");
  EXPECT_EQ(of("DictVectorizer", 1),
            kHead + "DictVectorizer (1; it takes a dictionary: give the model the vector instead)");
  EXPECT_EQ(of("ZipMap", 1), kHead + "ZipMap (1; it makes dictionaries: remove the node, and make "
                                     "its input an output of the model)");
  EXPECT_EQ(of("LabelEncoder", 1),
            "model.onnx: node 1 (LabelEncoder): LabelEncoder of version 1, which maps strings; "
            "graphc has none: map them before, and give the model integers");
  EXPECT_EQ(of("Scaler", 6), "model.onnx: is written for version 6 of the operators of ai.onnx.ml; "
                             "1 to 5 are known: convert it to version 5, the nearest");
}

} // namespace
} // namespace graphc::test
