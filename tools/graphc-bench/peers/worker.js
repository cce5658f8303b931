// A worker of graphc-bench --peers: worker.js THREADS (the lines that it answers: Workers.h)
//
// ONNX Runtime. Each formula of docs/Benchmarks.md is an ONNX model that is written here, node by node: no package for
// that is needed. Weights are initializers, as in networks that only answer.
'use strict';
const fs = require('fs');
const path = require('path');
const readline = require('readline');

let ort;
try {
  ort = require('onnxruntime-node');
} catch (problem) {
  console.log('missing onnxruntime-node is not installed');
  process.exit();
}

// ---- protocol buffers: onnx.proto's messages, field by field

function varint(value) {
  const bytes = [];
  for (value = BigInt.asUintN(64, BigInt(value)); value > 127n; value >>= 7n) bytes.push(Number(value & 127n) | 128);
  return Buffer.from([...bytes, Number(value)]);
}
const integer = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
function message(field, ...parts) {
  const body = Buffer.concat(parts.flat());
  return Buffer.concat([varint((field << 3) | 2), varint(body.length), body]);
}
const text = (field, value) => message(field, Buffer.from(value));

const kTypes = {float32: 1, int64: 7, float64: 11};

function attribute(name, value) {
  if (Array.isArray(value)) return message(5, text(1, name), value.map(v => integer(8, v)), integer(20, 7));
  return message(5, text(1, name), integer(3, value), integer(20, 2));
}

function initializer(name, {type, dims, data}) {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return message(5, dims.map(d => integer(1, d)), integer(2, kTypes[type]), text(8, name), message(9, bytes));
}

function valueInfo(field, name, type, dims) {
  const shape = dims ? [message(2, dims.map(d => message(1, integer(1, d))))] : [];
  return message(field, text(1, name), message(2, message(1, integer(1, kTypes[type]), ...shape)));
}

// Nodes are made by g.Add(a, b, {attributes}); values are their names.
class Graph {
  constructor() {
    this.parts = [];
    this.count = 0;
    return new Proxy(this, {
      get: (graph, name) => name in graph ? graph[name] : (...words) => graph.node(name, words),
    });
  }
  node(type, words) {
    const attributes = typeof words.at(-1) === 'object' ? words.pop() : {};
    const result = `v${this.count++}`;
    this.parts.push(message(1, words.map(word => text(1, word)), text(2, result), text(4, type),
                            Object.entries(attributes).map(([name, value]) => attribute(name, value))));
    return result;
  }
  constant(tensor) {
    const name = `v${this.count++}`;
    this.parts.push(initializer(name, tensor));
    return name;
  }
  number(value) { return this.constant({type: 'float32', dims: [], data: Float32Array.of(value)}); }
  integers(...values) {
    return this.constant({type: 'int64', dims: [values.length], data: BigInt64Array.from(values.map(BigInt))});
  }
  model(inputs, outputs, outputType) {
    for (const [name, {type, dims}] of inputs) this.parts.push(valueInfo(11, name, type, dims));
    for (const name of outputs) this.parts.push(valueInfo(12, name, outputType));
    return Buffer.concat([
      integer(1, 8), message(7, text(2, 'graph'), this.parts), message(8, text(1, ''), integer(2, 17)),
    ]);
  }
}

// ---- formulas: outputs of a graph; those with `weights` have all other inputs than x as initializers

const layerNorm = (g, x, gain, shift) => g.LayerNormalization(x, gain, shift, {axis: -1});
const normal = (g, z) => g.Mul(g.number(0.5), g.Add(g.number(1), g.Erf(g.Div(z, g.number(Math.SQRT2)))));
const square = (g, x) => g.Mul(x, x);

const formulas = {
  ew10: g => [g.Div(g.Exp(g.Neg(square(g, g.Tanh(g.Add(g.Mul('x', 'y'), 'x'))))),
                    g.Sqrt(g.Add(g.number(1), square(g, 'y'))))],
  ew10cheap: g => {
    const t = g.Sub(g.Mul(g.Max(g.Add(g.Mul('x', 'y'), 'x'), g.number(0.25)), g.number(0.5)), 'y');
    return [g.Abs(g.Mul(g.Min(g.Add(square(g, t), g.number(1)), g.number(3)), 'x'))];
  },
  softmax: g => [g.Softmax('x', {axis: -1})],
  layernorm: g => [layerNorm(g, 'x', 'g', 'b')],
  sum_axis0: g => [g.ReduceSum('x', g.integers(0), {keepdims: 0})],
  sum_axis1: g => [g.ReduceSum('x', g.integers(1), {keepdims: 0})],
  sum_all: g => [g.ReduceSum('x', g.integers(0, 1), {keepdims: 0})],
  gemm: g => [g.MatMul('a', 'b')],
  dense: g => [g.MatMul('x', 'b')],
  gemm_abt: g => [g.Gemm('a', 'b', {transB: 1})],
  add: g => [g.Add('x', 'y')],
  conv: (g, {stride, padding, groups}) =>
      [g.Relu(g.Conv('x', 'w', 'b', {strides: [stride, stride], pads: Array(4).fill(padding), group: groups}))],
  mlp_step: g => {
    const h1 = g.Relu(g.Gemm('x', 'W1', 'b1')), h2 = g.Relu(g.Gemm(h1, 'W2', 'b2'));
    const z = g.Gemm(h2, 'W3', 'b3'), n = g.number(64), rate = g.number(0.01);
    const zeroOne = g.constant({type: 'float32', dims: [2], data: Float32Array.of(0, 1)});
    const target = g.OneHot('t', g.integers(10), zeroOne);
    const loss = g.Neg(g.Div(g.ReduceSum(g.Mul(target, g.LogSoftmax(z)), g.integers(0, 1), {keepdims: 0}), n));
    const d3 = g.Div(g.Sub(g.Softmax(z), target), n);
    const back = (d, weights, h) =>
        g.Mul(g.Gemm(d, weights, {transB: 1}), g.Cast(g.Greater(h, g.number(0)), {to: kTypes.float32}));
    const d2 = back(d3, 'W3', h2), d1 = back(d2, 'W2', h1);
    const next = (weights, bias, h, d) => [
      g.Sub(weights, g.Mul(rate, g.Gemm(h, d, {transA: 1}))),
      g.Sub(bias, g.Mul(rate, g.ReduceSum(d, g.integers(0), {keepdims: 0}))),
    ];
    return [loss, ...next('W1', 'b1', 'x', d1), ...next('W2', 'b2', h1, d2), ...next('W3', 'b3', h2, d3)];
  },
  encoder: g => {
    const linear = (x, weights, bias) => g.Add(g.MatMul(x, weights), bias);
    const heads = x => g.Transpose(g.Reshape(x, g.integers(1, 128, 8, 64)), {perm: [0, 2, 1, 3]});
    const keys = g.Transpose(g.Reshape(linear('x', 'Wk', 'bk'), g.integers(1, 128, 8, 64)), {perm: [0, 2, 3, 1]});
    const p = g.Softmax(g.Mul(g.MatMul(heads(linear('x', 'Wq', 'bq')), keys), g.number(0.125)), {axis: -1});
    const mixed = g.Transpose(g.MatMul(p, heads(linear('x', 'Wv', 'bv'))), {perm: [0, 2, 1, 3]});
    const y = layerNorm(g, g.Add('x', linear(g.Reshape(mixed, g.integers(1, 128, 512)), 'Wo', 'bo')), 'g1', 'c1');
    const f = linear(y, 'W1', 'b1');
    // Written so that it finds its Gelu.
    const gelu = g.Mul(g.Mul(f, g.Add(g.Erf(g.Div(f, g.number(Math.SQRT2))), g.number(1))), g.number(0.5));
    return [layerNorm(g, g.Add(y, linear(gelu, 'W2', 'b2')), 'g2', 'c2')];
  },
  attention: g => {
    const scores = g.Mul(g.MatMul('q', g.Transpose('k', {perm: [0, 2, 1]})), g.number(0.125));
    return [g.MatMul(g.Softmax(scores, {axis: -1}), 'v')];
  },
  blackscholes: g => {
    const rate = g.number(0.02), one = g.number(1), q = g.Mul('v', g.Sqrt('t'));
    const drift = g.Mul(g.Add(rate, g.Div(square(g, 'v'), g.number(2))), 't');
    const d1 = g.Div(g.Add(g.Log(g.Div('s', 'k')), drift), q);
    const n1 = normal(g, d1), n2 = normal(g, g.Sub(d1, q)), discounted = g.Mul('k', g.Exp(g.Mul(g.Neg(rate), 't')));
    return [g.Sub(g.Mul('s', n1), g.Mul(discounted, n2)),
            g.Sub(g.Mul(discounted, g.Sub(one, n2)), g.Mul('s', g.Sub(one, n1)))];
  },
  nbody: g => {
    const d = g.Sub(g.Unsqueeze('p', g.integers(0)), g.Unsqueeze('p', g.integers(1)));
    const distance = g.Add(g.ReduceSum(square(g, d), g.integers(2), {keepdims: 0}), g.number(0.01));
    const pull = g.Mul(g.Unsqueeze('m', g.integers(0)), g.Pow(distance, g.number(-1.5)));
    const a = g.Squeeze(g.MatMul(g.Unsqueeze(pull, g.integers(1)), d), g.integers(1));
    const step = g.number(0.001), speed = g.Add('u', g.Mul(step, a));
    return [g.Add('p', g.Mul(step, speed)), speed];
  },
};
const weights = new Set(['conv', 'dense', 'encoder']);

// ---- arrays in NumPy's files

const kArrays = {'<f4': ['float32', Float32Array], '<f8': ['float64', Float64Array], '<i8': ['int64', BigInt64Array]};

function readNpy(file) {
  const bytes = fs.readFileSync(file), wide = bytes[6] > 1;
  const start = (wide ? 12 : 10) + (wide ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8));
  const head = bytes.toString('latin1', 10, start);
  const [type, Kind] = kArrays[head.match(/'descr': '([^']*)'/)[1]];
  const dims = head.match(/'shape': \(([^)]*)\)/)[1].split(',').filter(d => d.trim()).map(Number);
  const data = new Kind(new Uint8Array(bytes.subarray(start)).buffer);
  return {type, dims, data};
}

function writeNpy(file, {type, dims, data}) {
  const descr = Object.keys(kArrays).find(key => kArrays[key][0] === type);
  const shape = dims.map(d => `${d},`).join('');
  let head = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`;
  head = head.padEnd(Math.ceil((head.length + 11) / 64) * 64 - 11) + '\n';
  const start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, head.length & 255, head.length >> 8]);
  fs.writeFileSync(file, Buffer.concat([start, Buffer.from(head), Buffer.from(data.buffer, data.byteOffset,
                                                                              data.byteLength)]));
}

// ---- answers

const threads = Number(process.argv[2]);
let session, feeds, outputs, results;

const options = {intraOpNumThreads: threads, interOpNumThreads: 1};

// A network of test/Data, which has one input.
async function loadNetwork(name, folder) {
  session = await ort.InferenceSession.create(
      path.join(__dirname, '../../../test/Data/onnx/seeded', `${name}.onnx`), options);
  const {type, dims, data} = readNpy(path.join(folder, 'x.npy'));
  feeds = {[session.inputNames[0]]: new ort.Tensor(type, data, dims)};
  outputs = session.outputNames;
  return 'ok';
}

async function load(name, folder, ...numbers) {
  if (name.startsWith('network_')) return loadNetwork(name.slice(8), folder);
  if (!formulas[name]) return 'none';
  const values = Object.fromEntries(numbers.map(n => n.split('=')).map(([key, value]) => [key, Number(value)]));
  const files = fs.readdirSync(folder).filter(file => file.endsWith('.npy'));
  if (files.some(file => file.endsWith('.bf16.npy'))) return 'none';  // no kernels for it on processors
  const tensors = files.map(file => [path.basename(file, '.npy'), readNpy(path.join(folder, file))]);
  const isInput = ([input]) => input === 'x' || !weights.has(name);
  const graph = new Graph();
  for (const [input, tensor] of tensors.filter(t => !isInput(t))) graph.parts.push(initializer(input, tensor));
  outputs = formulas[name](graph, values);
  const model = graph.model(tensors.filter(isInput), outputs, tensors.some(t => t[1].type === 'float64') ? 'float64'
                                                                                                         : 'float32');
  session = await ort.InferenceSession.create(model, options);
  const feed = ([input, t]) => [input, new ort.Tensor(t.type, t.data, t.dims)];
  feeds = Object.fromEntries(tensors.filter(isInput).map(feed));
  return 'ok';
}

async function run(count) {
  const begin = process.hrtime.bigint();
  for (let i = 0; i < count; ++i) results = await session.run(feeds);
  return process.hrtime.bigint() - begin;
}

function save(folder) {
  outputs.forEach((name, i) => writeNpy(path.join(folder, `${i}.npy`), results[name]));
  return `ok ${outputs.length}`;
}

(async () => {
  console.log(`ready ${ort.env.versions.common ?? ''}`);
  for await (const line of readline.createInterface({input: process.stdin})) {
    const [verb, ...words] = line.split(' ');
    let answer;
    try {
      answer = verb === 'load' ? await load(...words) : verb === 'run' ? await run(Number(words[0])) : save(words[0]);
    } catch (problem) {
      answer = `error ${String(problem.message).replaceAll('\n', ' ')}`;
    }
    console.log(String(answer));
  }
})();
