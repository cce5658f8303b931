// Models of a few nodes, run by onnxruntime: just as much of protobuf and of ONNX's messages as they need.
import { createRequire } from 'node:module';
import { join } from 'node:path';
export const ort = createRequire(join(process.cwd(), 'x.js'))('onnxruntime-node');

const varint = value => {
  const bytes = [];
  let n = BigInt.asUintN(64, BigInt(value));
  for (; n >= 128n; n /= 128n)
    bytes.push(Number(n % 128n) + 128);
  return [...bytes, Number(n)];
};
const bytes = (k, content) => [...varint(k * 8 + 2), ...varint(content.length), ...content];
const number = (k, n) => [...varint(k * 8), ...varint(n)];
const text = (k, s) => bytes(k, [...Buffer.from(s)]);
const float = (k, x) => [...varint(k * 8 + 5), ...new Uint8Array(new Float32Array([x]).buffer)];

// The numbers of ONNX's element types.
export const kTypes = { float32: 1, uint8: 2, int8: 3, uint16: 4, int16: 5, int32: 6, int64: 7, bool: 9, float16: 10,
  float64: 11 };

// An attribute is {i}, {f}, {s}, {ints}, {floats}, {strings} or {g}: {inputs, nodes, outputs}, names; of
// an input also {name, dtype}, which is a scalar.
function attribute(name, value) {
  const [kind, content] = Object.entries(value)[0];
  const fields = {
    f: v => [...float(2, v), ...number(20, 1)],
    i: v => [...number(3, v), ...number(20, 2)],
    s: v => [...text(4, v), ...number(20, 3)],
    floats: v => [...v.flatMap(x => float(7, x)), ...number(20, 6)],
    ints: v => [...v.flatMap(x => number(8, x)), ...number(20, 7)],
    g: v => [...bytes(6, [...v.nodes.flatMap(node), ...text(2, name),
      ...v.inputs.flatMap(own => own.name ? scalarInfo(11, own.name, kTypes[own.dtype]) : valueInfo(11, own)),
      ...v.outputs.flatMap(own => valueInfo(12, own))]), ...number(20, 5)],
    strings: v => [...v.flatMap(x => text(9, x)), ...number(20, 8)],
  };
  return bytes(5, [...text(1, name), ...fields[kind](content)]);
}

const scalarInfo = (k, name, type) => bytes(k, [...text(1, name), ...bytes(2, bytes(1, [...number(1, type),
  ...bytes(2, [])]))]);

const node = ({ op, inputs, outputs, attributes = {} }) => bytes(1, [
  ...inputs.flatMap(name => text(1, name)), ...outputs.flatMap(name => text(2, name)), ...text(4, op),
  ...Object.entries(attributes).flatMap(([name, value]) => attribute(name, value))]);

const valueInfo = (k, name, type) => bytes(k, [...text(1, name), ...(type ? bytes(2, bytes(1, number(1, type))) : [])]);

const initializer = ([name, { type, shape, raw }]) => bytes(5, [...shape.flatMap(n => number(1, n)), ...number(2, type),
  ...text(8, name), ...bytes(9, raw)]);

// inputs: {name: {dtype, shape, data}}; constants: {name: {type, shape, raw}}, a number of ONNX's and bytes.
// Gives {name: {dtype, shape, data}} for the outputs.
export async function run({ opset, nodes, inputs, constants = {}, outputs }) {
  const graph = [...nodes.flatMap(node), ...text(2, 'g'), ...Object.entries(constants).flatMap(initializer),
    ...Object.entries(inputs).flatMap(([name, tensor]) => valueInfo(11, name, kTypes[tensor.dtype])),
    ...outputs.flatMap(name => valueInfo(12, name))];
  const model = Uint8Array.from([...number(1, 10), ...bytes(7, graph), ...bytes(8, number(2, opset))]);
  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 4 });
  const feeds = {};
  for (const [name, { dtype, shape, data }] of Object.entries(inputs))
    feeds[name] = new ort.Tensor(dtype, dtype === 'int64' ? BigInt64Array.from(data.map(BigInt)) : data, shape);
  const results = await session.run(feeds);
  return Object.fromEntries(outputs.map(name => {
    const { type, dims, data } = results[name];
    return [name, { dtype: type, shape: [...dims], data: Array.from(data, Number) }];
  }));
}
