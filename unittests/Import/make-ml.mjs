// Writes ml/NAME.onnx: models of one operator of ai.onnx.ml, each with inputs and what onnxruntime gives for them as
// further initializers, "given:X" and "expected:Y". Numbers are of a generator with fixed seeds, so that a second run
// writes the same files.
//
//   npm install --ignore-scripts onnxruntime-node@1.30.0 && node make-ml.mjs FOLDER
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
const ort = createRequire(join(process.cwd(), 'x.js'))('onnxruntime-node');
const folder = process.argv[2];
mkdirSync(folder, { recursive: true });

//===--- numbers --------------------------------------------------------------------===//

let state = 1;
const seed = n => { state = n; };
// Mulberry32: a number in [0, 1).
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const uniform = (count, low = -1, high = 1) => Array.from({ length: count },
  () => Math.fround(low + (high - low) * random()));
const integer = (low, high) => low + Math.floor(random() * (high - low));
const integers = (count, low, high) => Array.from({ length: count }, () => integer(low, high));

//===--- protobuf, as much as ONNX's messages need ------------------------------------===//

function varint(number) {
  let n = BigInt.asUintN(64, BigInt(number));
  const bytes = [];
  while (n > 127n) {
    bytes.push(Number(n & 127n) | 128);
    n >>= 7n;
  }
  return [...bytes, Number(n)];
}
const message = (k, content) => [...varint(k * 8 + 2), ...varint(content.length), ...content];
const number = (k, n) => [...varint(k * 8), ...varint(n)];
const text = (k, s) => message(k, [...Buffer.from(s)]);
const kFloat = 1, kUInt8 = 2, kInt32 = 6, kInt64 = 7, kDouble = 11;
const kArrays = { [kFloat]: Float32Array, [kUInt8]: Uint8Array, [kInt32]: Int32Array, [kInt64]: BigInt64Array,
  [kDouble]: Float64Array };
const kNames = { float32: kFloat, int32: kInt32, int64: kInt64, float64: kDouble };
const rawBytes = (type, list) => {
  const array = kArrays[type].from(type === kInt64 ? [...list].map(BigInt) : list);
  return [...new Uint8Array(array.buffer)];
};
const tensor = (name, type, dims, list) => [...dims.flatMap(d => number(1, d)), ...number(2, type), ...text(8, name),
  ...message(9, rawBytes(type, list))];
class Typed { // a tensor as an attribute
  constructor(type, list) { this.type = type; this.list = list; }
}
const doubles = list => new Typed(kDouble, list), bytes = list => new Typed(kUInt8, list),
  floats = list => new Typed(kFloat, list);
class Real { constructor(value) { this.value = value; } }
const real = value => new Real(value);
const float32 = value => [...new Uint8Array(Float32Array.of(value).buffer)];

// Integers are attributes of kind INT or INTS, other numbers in lists FLOATS.
function attribute(name, value) {
  const of = (kind, content) => message(5, [...text(1, name), ...content, ...number(20, kind)]);
  if (typeof value === 'string')
    return of(3, text(4, value));
  if (typeof value === 'number')
    return of(2, number(3, value));
  if (value instanceof Real)
    return of(1, [...varint(2 * 8 + 5), ...float32(value.value)]);
  if (value instanceof Typed)
    return of(4, message(5, tensor(name, value.type, [value.list.length], value.list)));
  if (value.ints)
    return of(7, value.ints.flatMap(n => number(8, n)));
  if (typeof value[0] === 'string')
    return of(8, value.flatMap(s => text(9, s)));
  return of(6, value.flatMap(n => [...varint(7 * 8 + 5), ...float32(n)]));
}
const ints = list => ({ ints: list });

const typed = (name, type, dims) => [...text(1, name), ...message(2, message(1, [...number(1, type),
  ...message(2, dims.flatMap((d, k) => message(1, k === 0 ? text(2, 'N' + name) : number(1, d))))]))];

// Inputs are {type, dims, list}; the first axis of each is open. `theirs`: the attributes that onnxruntime is given.
async function write(name, operator, version, attributes, inputs, outputs, theirs = attributes) {
  const names = inputs.map((_, k) => 'X' + k), results = Array.from({ length: outputs }, (_, k) => 'Y' + k);
  const node = attributes => [...names.flatMap(n => text(1, n)), ...results.flatMap(n => text(2, n)), ...text(4,
    operator),
    ...Object.entries(attributes).flatMap(([n, v]) => attribute(n, v)), ...text(7, 'ai.onnx.ml')];
  const graph = (initializers, attributes) => [...message(1, node(attributes)), ...text(2, 'g'),
    ...initializers.flatMap(t => message(5, t)),
    ...inputs.flatMap((x, k) => message(11, typed(names[k], x.type, x.dims))),
    ...results.flatMap(n => message(12, text(1, n)))];
  const model = (initializers, attributes) => Uint8Array.from([...number(1, 8),
    ...message(7, graph(initializers, attributes)),
    ...message(8, number(2, 17)), ...message(8, [...text(1, 'ai.onnx.ml'), ...number(2, version)])]);
  const session = await ort.InferenceSession.create(model([], theirs), { logSeverityLevel: 4 });
  const feeds = {};
  const given = inputs.map((x, k) => {
    const list = kArrays[x.type].from(x.type === kInt64 ? x.list.map(BigInt) : x.list);
    feeds[names[k]] = new ort.Tensor(Object.entries(kNames).find(([, t]) => t === x.type)[0], list, x.dims);
    return tensor('given:' + names[k], x.type, x.dims, x.list);
  });
  const answer = await session.run(feeds);
  const expected = results.map(n => tensor('expected:' + n, kNames[answer[n].type], answer[n].dims, answer[n].data));
  writeFileSync(join(folder, name + '.onnx'), model([...given, ...expected], attributes));
}

const matrix = (rows, columns, type = kFloat) => ({ type, dims: [rows, columns],
  list: type === kFloat || type === kDouble ? uniform(rows * columns, -2, 2) : integers(rows * columns, -3, 4) });
const kTransforms = ['NONE', 'LOGISTIC', 'SOFTMAX', 'SOFTMAX_ZERO', 'PROBIT'];

//===--- linear models, features, encoders --------------------------------------------===//

seed(1);
for (const post_transform of kTransforms.slice(0, 4)) {
  await write(`linear_classifier_3_${post_transform}`, 'LinearClassifier', 1, { coefficients: uniform(12),
    intercepts: uniform(3), classlabels_ints: ints([7, -2, 5]), post_transform }, [matrix(9, 4)], 2);
  await write(`linear_classifier_pair_${post_transform}`, 'LinearClassifier', 1, { coefficients: uniform(4),
    intercepts: uniform(1), classlabels_ints: ints([7, -2]), post_transform }, [matrix(9, 4)], 2);
  await write(`linear_regressor_${post_transform}`, 'LinearRegressor', 1, { coefficients: uniform(12),
    intercepts: uniform(3), targets: 3, post_transform }, [matrix(5, 4)], 1);
}
await write('linear_classifier_int64', 'LinearClassifier', 1, { coefficients: uniform(8), intercepts: uniform(2),
  classlabels_ints: ints([0, 1]) }, [matrix(9, 4, kInt64)], 2);
await write('scaler', 'Scaler', 1, { offset: uniform(3), scale: uniform(3) }, [matrix(4, 3)], 1);
await write('scaler_one', 'Scaler', 1, { offset: [0.5], scale: [-3] }, [matrix(4, 3, kInt64)], 1);
await write('scaler_double', 'Scaler', 1, { offset: uniform(3), scale: uniform(3) }, [matrix(4, 3, kDouble)], 1);
for (const norm of ['MAX', 'L1', 'L2'])
  await write('normalizer_' + norm, 'Normalizer', 1, { norm }, [{ ...matrix(4, 3), list: [...uniform(9), 0, 0, 0] }],
    1);
await write('imputer', 'Imputer', 1, { imputed_value_floats: [1, 2, 3], replaced_value_float: real(NaN) },
  [{ ...matrix(3, 3), list: [1, NaN, 2, NaN, NaN, NaN, 0, -1, 5] }], 1);
await write('imputer_one', 'Imputer', 1, { imputed_value_floats: [9.5], replaced_value_float: real(2) },
  [{ ...matrix(2, 3), list: [1, 2, 3, 2, 2, 0] }], 1);
await write('imputer_int64', 'Imputer', 1, { imputed_value_int64s: ints([4, 5]), replaced_value_int64: -1 },
  [{ type: kInt64, dims: [3, 2], list: [1, -1, -1, 2, 0, -1] }], 1);
await write('binarizer', 'Binarizer', 1, { threshold: real(0.25) }, [{ ...matrix(2, 3), list: [0.25, 0.3, -1, 5, 0,
  0.2] }], 1);
await write('array_feature_extractor', 'ArrayFeatureExtractor', 1, {},
  [matrix(3, 4), { type: kInt64, dims: [3], list: [3, 0, 3] }], 1);
await write('feature_vectorizer', 'FeatureVectorizer', 1, { inputdimensions: ints([2, 3, 1]) },
  [matrix(3, 2), matrix(3, 3), matrix(3, 1)], 1);
await write('one_hot_encoder', 'OneHotEncoder', 1, { cats_int64s: ints([3, -1, 7]), zeros: 1 },
  [{ type: kInt64, dims: [5], list: [7, 3, 4, -1, 3] }], 1);
await write('one_hot_encoder_float', 'OneHotEncoder', 1, { cats_int64s: ints([0, 1, 2]) },
  [{ type: kFloat, dims: [2, 2], list: [2, 0, 1, 2] }], 1);
await write('label_encoder_2', 'LabelEncoder', 2, { keys_int64s: ints([5, -1, 9]), values_floats: [0.5, 1.5, 2.5],
  default_float: real(-7) }, [{ type: kInt64, dims: [2, 3], list: [9, 5, 0, -1, 10, 5] }], 1);
await write('label_encoder_floats', 'LabelEncoder', 2, { keys_floats: [0.5, -2, 1e30], values_int64s: ints([3, 2, 1]) },
  [{ type: kFloat, dims: [5], list: [1e30, 0.5, 0.25, -2, 7] }], 1);
await write('label_encoder_tensor', 'LabelEncoder', 4, { keys_tensor: doubles([0.1, NaN, -3]),
  values_tensor: doubles([10, 20, 30]), default_tensor: doubles([-1]) },
  [{ type: kDouble, dims: [5], list: [NaN, 0.1, -3, 0.2, -0] }], 1);

//===--- support vectors ---------------------------------------------------------------===//

seed(2);
for (const [kernel_type, parameters] of [['LINEAR', [0, 0, 0]], ['POLY', [0.3, 0.5, 3]], ['RBF', [0.4, 0, 0]],
  ['SIGMOID', [0.2, 0.1, 0]]]) {
  const machine = (classes, vectors, more) => ({ kernel_type, kernel_params: parameters,
    support_vectors: uniform(vectors * 4), coefficients: uniform((classes - 1) * vectors),
    rho: uniform(classes * (classes - 1) / 2), ...more });
  await write('svm_regressor_' + kernel_type, 'SVMRegressor', 1, { ...machine(2, 5, {}), n_supports: 5, rho: [0.25] },
    [matrix(6, 4)], 1);
  await write('svm_classifier_' + kernel_type, 'SVMClassifier', 1, machine(3, 6, { vectors_per_class: ints([3, 1, 2]),
    classlabels_ints: ints([4, 5, 6]) }), [matrix(9, 4)], 2);
  await write('svm_pair_' + kernel_type, 'SVMClassifier', 1, machine(2, 6, { vectors_per_class: ints([4, 2]),
    classlabels_ints: ints([4, 5]) }), [matrix(9, 4)], 2);
  await write('svm_probabilities_' + kernel_type, 'SVMClassifier', 1, machine(4, 7, {
    vectors_per_class: ints([3, 1, 2, 1]), classlabels_ints: ints([4, 5, 6, 8]), prob_a: uniform(6, -2, 0),
    prob_b: uniform(6) }), [matrix(9, 4)], 2);
}
for (const post_transform of ['LOGISTIC', 'SOFTMAX'])
  await write('svm_pair_' + post_transform, 'SVMClassifier', 1, { kernel_type: 'LINEAR', kernel_params: [0, 0, 0],
    support_vectors: uniform(24), coefficients: uniform(6), rho: uniform(1), vectors_per_class: ints([4, 2]),
    classlabels_ints: ints([4, 5]), post_transform }, [matrix(9, 4)], 2);
await write('svm_pair_probabilities', 'SVMClassifier', 1, { kernel_type: 'LINEAR', kernel_params: [0, 0, 0],
  support_vectors: uniform(24), coefficients: uniform(6), rho: uniform(1), vectors_per_class: ints([4, 2]),
  classlabels_ints: ints([4, 5]), prob_a: [-1.5], prob_b: [0.2] }, [matrix(9, 4)], 2);
await write('svm_linear', 'SVMClassifier', 1, { kernel_type: 'LINEAR', kernel_params: [0, 0, 0],
  coefficients: uniform(12), rho: [0.1], classlabels_ints: ints([1, 2, 3]) },
  [matrix(9, 4)], 2);
await write('svm_one_class', 'SVMRegressor', 1, { kernel_type: 'RBF', kernel_params: [0.4, 0, 0], n_supports: 5,
  support_vectors: uniform(20), coefficients: uniform(5), rho: [0.1], one_class: 1 }, [matrix(9, 4)], 1);

//===--- trees -------------------------------------------------------------------------===//

const kModes = ['BRANCH_LEQ', 'BRANCH_LT', 'BRANCH_GTE', 'BRANCH_GT', 'BRANCH_EQ', 'BRANCH_NEQ'];
// A tree's nodes in the order in which a walk meets them: [feature, split, mode, missing, yes, no] or a leaf's null.
// `chain`: of each node one child is a leaf.
function tree(depth, modes, half, chain) {
  const nodes = [];
  const add = left => {
    const own = nodes.length;
    nodes.push(null);
    if (left === 0 || (!chain && left < depth && random() < 0.2))
      return own;
    const split = half ? integer(-3, 4) / 2 : uniform(1, -2, 2)[0], mode = modes[integer(0, modes.length)];
    const entry = [integer(0, 4), split, mode, integer(0, 2)];
    const yes = add(left - 1), no = add(chain ? 0 : left - 1);
    nodes[own] = [...entry, yes, no];
    return own;
  };
  add(depth);
  return nodes;
}
function ensemble(count, depth, modes, prefix, weightsOf, { half = false, missing = false, chain = false } = {}) {
  const a = { nodes_treeids: [], nodes_nodeids: [], nodes_featureids: [], nodes_truenodeids: [], nodes_falsenodeids: [],
    nodes_missing_value_tracks_true: [] };
  const texts = [], splits = [], w = { treeids: [], nodeids: [], ids: [] }, weights = [];
  for (let t = 0; t < count; ++t)
    tree(depth, modes, half, chain).forEach((node, k) => {
      const [feature, split, mode, track, yes, no] = node ?? [0, 0, 'LEAF', 0, 0, 0];
      a.nodes_treeids.push(t), a.nodes_nodeids.push(k), a.nodes_featureids.push(feature);
      a.nodes_truenodeids.push(yes), a.nodes_falsenodeids.push(no);
      a.nodes_missing_value_tracks_true.push(missing ? track : 0);
      texts.push(mode), splits.push(split);
      if (!node)
        for (const [target, weight] of weightsOf(t)) {
          w.treeids.push(t), w.nodeids.push(k), w.ids.push(target), weights.push(weight);
        }
    });
  const list = Object.fromEntries(Object.entries(a).map(([k, v]) => [k, ints(v)]));
  for (const [k, v] of Object.entries(w))
    list[`${prefix}_${k}`] = ints(v);
  return { ...list, nodes_modes: texts, nodes_values: splits, [prefix + '_weights']: weights };
}
const weight = () => uniform(1)[0];
const one = target => () => [[target, weight()]];
const every = (n, low) => () => Array.from({ length: n }, (_, k) => [k, uniform(1, low)[0]]);
const some = n => t => [[t % n, weight()]];
const halves = rows => ({ type: kFloat, dims: [rows, 4], list: integers(rows * 4, -4, 5).map(n => n / 2) });
const withNaN = x => ({ ...x, list: x.list.map((v, k) => k % 5 === 1 ? NaN : v) });

seed(3);
for (const aggregate_function of ['SUM', 'AVERAGE', 'MIN', 'MAX']) {
  await write('tree_regressor_' + aggregate_function, 'TreeEnsembleRegressor', 1, { ...ensemble(7, 4, ['BRANCH_LEQ'],
    'target', one(0)), n_targets: 1, aggregate_function, base_values: [0.5] }, [matrix(11, 4)], 1);
  await write('tree_regressor_3_' + aggregate_function, 'TreeEnsembleRegressor', 1, { ...ensemble(7, 4, ['BRANCH_LEQ'],
    'target', every(3, -1)), n_targets: 3, aggregate_function, base_values: uniform(3) }, [matrix(11, 4)], 1);
}
for (const mode of kModes)
  await write('tree_' + mode, 'TreeEnsembleRegressor', 1, { ...ensemble(3, 4, [mode], 'target', one(0), { half: true }),
    n_targets: 1 }, [halves(20)], 1);
await write('tree_modes', 'TreeEnsembleRegressor', 1, { ...ensemble(9, 5, kModes, 'target', one(0), { half: true }),
  n_targets: 1 }, [halves(30)], 1);
await write('tree_missing', 'TreeEnsembleRegressor', 1, { ...ensemble(9, 5, kModes, 'target', one(0), { half: true,
  missing: true }), n_targets: 1 }, [withNaN(halves(30))], 1);
await write('tree_missing_plain', 'TreeEnsembleRegressor', 1, { ...ensemble(9, 5, ['BRANCH_LEQ'], 'target', one(0)),
  n_targets: 1 }, [withNaN(matrix(30, 4))], 1);
await write('tree_deep', 'TreeEnsembleRegressor', 1, { ...ensemble(2, 21, ['BRANCH_LT'], 'target', one(0),
  { chain: true }),
  n_targets: 1 }, [{ ...matrix(20, 4), list: uniform(80, -6, 1) }], 1);
await write('tree_int64', 'TreeEnsembleClassifier', 1, { ...ensemble(4, 4, ['BRANCH_LEQ'], 'class', some(3),
  { half: true }),
  classlabels_int64s: ints([0, 1, 2]) }, [matrix(9, 4, kInt64)], 2);
await write('tree_double', 'TreeEnsembleRegressor', 3, (() => {
  const { nodes_values, target_weights, ...rest } = ensemble(5, 4, ['BRANCH_LEQ'], 'target', one(0));
  return { ...rest, n_targets: 1, nodes_values_as_tensor: doubles(nodes_values.map(v => v + 1e-9)),
    target_weights_as_tensor: doubles(target_weights), base_values_as_tensor: doubles([0.1]) };
})(), [matrix(9, 4, kDouble)], 1);
for (const post_transform of kTransforms.slice(0, 4)) {
  const labels = list => ({ classlabels_int64s: ints(list), post_transform });
  await write('tree_classifier_3_' + post_transform, 'TreeEnsembleClassifier', 1, { ...ensemble(9, 4, ['BRANCH_LEQ'],
    'class', some(3)), ...labels([5, 2, 9]) }, [matrix(15, 4)], 2);
  await write('tree_classifier_pair_' + post_transform, 'TreeEnsembleClassifier', 1, { ...ensemble(9, 4, ['BRANCH_LEQ'],
    'class', one(0)), ...labels([5, 2]) }, [matrix(15, 4)], 2);
  await write('tree_classifier_positive_' + post_transform, 'TreeEnsembleClassifier', 1, { ...ensemble(4, 4,
    ['BRANCH_LEQ'], 'class', () => [[0, uniform(1, 0, 0.3)[0]]]), ...labels([5, 2]) }, [matrix(15, 4)], 2);
  await write('tree_classifier_second_' + post_transform, 'TreeEnsembleClassifier', 1, { ...ensemble(9, 4,
    ['BRANCH_LEQ'], 'class', one(1)), ...labels([5, 2]) }, [matrix(15, 4)], 2);
}
await write('tree_classifier_forest', 'TreeEnsembleClassifier', 1, { ...ensemble(9, 4, ['BRANCH_LEQ'], 'class',
  every(3, 0)), classlabels_int64s: ints([0, 1, 2]) }, [matrix(15, 4)], 2);
await write('tree_classifier_forest_2_scores', 'TreeEnsembleClassifier', 1, { ...ensemble(9, 4, ['BRANCH_LEQ'], 'class',
  every(2, 0)), classlabels_int64s: ints([0, 1]) }, [matrix(15, 4)], 2);
await write('tree_classifier_base', 'TreeEnsembleClassifier', 1, { ...ensemble(9, 4, ['BRANCH_LEQ'], 'class', some(3)),
  classlabels_int64s: ints([0, 1, 2]), base_values: uniform(3) }, [matrix(15, 4)], 2);
await write('tree_classifier_pair_base', 'TreeEnsembleClassifier', 1, { ...ensemble(9, 4, ['BRANCH_LEQ'], 'class',
  one(0)), classlabels_int64s: ints([0, 1]), base_values: [0.3] }, [matrix(15, 4)], 2);

// Version 5: nodes and leaves in lists of their own.
function placed(count, depth, modes, targets, members = false, type = floats) {
  const a = { features: [], yes: [], no: [], yesLeaf: [], noLeaf: [], missing: [] }, splits = [], codes = [],
    roots = [],
    leafTargets = [], weights = [], sets = [];
  for (let t = 0; t < count; ++t) {
    let nodes;
    do // a root that is a leaf has no form here
      nodes = tree(depth, modes, true);
    while (!nodes[0]);
    const places = [];
    let next = codes.length;
    nodes.forEach((node, k) => { places[k] = node ? next++ : leafTargets.push(integer(0, targets)) - 1; });
    leafTargets.slice(weights.length).forEach(() => weights.push(weight()));
    roots.push(places[0]);
    for (const node of nodes.filter(Boolean)) {
      const [feature, split, mode, track, yes, no] = node;
      a.features.push(feature), a.yes.push(places[yes]), a.no.push(places[no]);
      a.yesLeaf.push(nodes[yes] ? 0 : 1), a.noLeaf.push(nodes[no] ? 0 : 1), a.missing.push(track);
      const isMember = members && random() < 0.5;
      codes.push(isMember ? 6 : kModes.indexOf(mode)), splits.push(split);
      if (isMember)
        sets.push(...integers(integer(1, 4), 1, 5), NaN); // onnxruntime has small positive integers alone
    }
  }
  return { nodes_featureids: ints(a.features), nodes_truenodeids: ints(a.yes), nodes_falsenodeids: ints(a.no),
    nodes_trueleafs: ints(a.yesLeaf), nodes_falseleafs: ints(a.noLeaf),
      nodes_missing_value_tracks_true: ints(a.missing),
    nodes_splits: type(splits), nodes_modes: bytes(codes), tree_roots: ints(roots), leaf_targetids: ints(leafTargets),
    leaf_weights: type(weights), n_targets: targets, ...(sets.length ? { membership_values: type(sets) } : {}) };
}
seed(4);
for (let aggregate_function = 0; aggregate_function < 4; ++aggregate_function)
  await write('tree_ensemble_' + aggregate_function, 'TreeEnsemble', 5, { ...placed(7, 4, kModes, 1),
    aggregate_function },
    [halves(20)], 1);
// By ONNX's text 1 is SOFTMAX and 2 LOGISTIC; onnxruntime has it the other way round.
for (const [post_transform, theirs] of [[0, 0], [1, 2], [2, 1], [3, 3]]) {
  const trees = placed(7, 4, kModes, 3);
  await write('tree_ensemble_post_' + post_transform, 'TreeEnsemble', 5, { ...trees, post_transform },
    [withNaN(halves(20))], 1, { ...trees, post_transform: theirs });
}
await write('tree_ensemble_members', 'TreeEnsemble', 5, placed(7, 4, ['BRANCH_LEQ'], 2, true),
  [{ type: kFloat, dims: [30, 4], list: integers(120, 0, 6) }], 1);
await write('tree_ensemble_double', 'TreeEnsemble', 5, placed(5, 4, ['BRANCH_LEQ'], 2, false, doubles),
  [{ ...halves(20), type: kDouble }], 1);

// NaN is other than any number, whichever way missing values go: here to the other side.
seed(5);
await write('tree_missing_BRANCH_NEQ', 'TreeEnsembleRegressor', 1, { ...ensemble(5, 3, ['BRANCH_NEQ'], 'target', one(0),
  { half: true }), n_targets: 1 }, [withNaN(halves(20))], 1);
