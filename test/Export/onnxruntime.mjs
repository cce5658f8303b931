// Models in ONNX Runtime: onnxruntime.mjs FOLDER runs each N.onnx of the folder on the operands of N.json and compares
// with its results. Prints what differs, what ONNX Runtime has no kernels for, and a count of each.
import fs from 'fs';
import path from 'path';
import {createRequire} from 'module';

const require = createRequire(path.join(process.env.NODE_PATH, 'package.json'));
const ort = require('onnxruntime-node');
ort.env.logLevel = 'fatal';

// ONNX Runtime's name, the array of JavaScript.
const kTypes = {
  bool: ['bool', Uint8Array], int8: ['int8', Int8Array], int16: ['int16', Int16Array], int32: ['int32', Int32Array],
  int64: ['int64', BigInt64Array], uint8: ['uint8', Uint8Array], uint16: ['uint16', Uint16Array],
  uint32: ['uint32', Uint32Array], uint64: ['uint64', BigUint64Array], float16: ['float16', Uint16Array],
  float32: ['float32', Float32Array], float64: ['float64', Float64Array],
};

function elements(tensor) {
  const bytes = Buffer.from(tensor.data, 'base64'), Array = kTypes[tensor.dtype][1];
  return new Array(new Uint8Array(bytes).buffer);
}

function halfToNumber(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, rest = bits & 1023;
  if (exponent === 31) return rest ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + rest / 1024) * 2 ** (exponent - 15) : rest * 2 ** -24);
}

// Sums of float32 numbers are ONNX Runtime's own: in float32, in any order.
const kUnit = {float16: 2 ** -10, float32: 2 ** -23, float64: 2 ** -52};
const kTerms = 64;

// ONNX Runtime transforms float64 numbers with float32's sines.
const kTransforms = /fft|dft/;

function difference(got, wanted, test) {
  if (got.dims.join() !== wanted.dims.join()) return `dims ${got.dims} for ${wanted.dims}`;
  const a = got.data, b = elements(wanted);
  const unit = kTransforms.test(test) && kUnit[wanted.dtype] ? kUnit.float32 : kUnit[wanted.dtype];
  const value = x => (wanted.dtype === 'float16' ? halfToNumber(x) : Number(x));
  let most = 0;
  if (unit) for (const x of b) if (Number.isFinite(value(x))) most = Math.max(most, Math.abs(value(x)));
  for (let i = 0; i < b.length; ++i) {
    const x = value(a[i]), y = value(b[i]);
    if (unit ? Object.is(x, y) || x === y || (Number.isNaN(x) && Number.isNaN(y)) : a[i] == b[i]) continue;
    const allowed = unit ? wanted.atol + (wanted.rtol + 8 * unit) * Math.abs(y) + kTerms * unit * most : 0;
    if (!(Math.abs(x - y) <= allowed)) return `element ${i} is ${x}, not ${y}`;
  }
  return '';
}

const kNoKernel = /NOT_IMPLEMENTED|NOT IMPLEMENTED|Could not find an implementation|Failed to find kernel/i;
const hasNan = tensor => tensor.dtype.startsWith('float') && elements(tensor).some(x =>
  Number.isNaN(tensor.dtype === 'float16' ? halfToNumber(x) : x));

const folder = process.argv[2], counts = {same: 0, missing: 0, nan: 0, differs: 0}, missing = new Map();
const names = fs.readdirSync(folder).filter(name => name.endsWith('.json'));
for (const name of names.sort((a, b) => parseInt(a) - parseInt(b))) {
  const description = JSON.parse(fs.readFileSync(path.join(folder, name)));
  const all = [...description.inputs ?? [], ...description.outputs];
  let found;
  if (all.some(t => !(t.dtype in kTypes))) {
    found = 'NOT_IMPLEMENTED: JavaScript has no ' + all.find(t => !(t.dtype in kTypes)).dtype;
  } else {
    try {
      const session = await ort.InferenceSession.create(path.join(folder, name.replace('json', 'onnx')),
                                                        {graphOptimizationLevel: 'all'});
      const feeds = {};
      for (const t of description.inputs ?? [])
        if (session.inputNames.includes(t.name))
          feeds[t.name] = new ort.Tensor(kTypes[t.dtype][0], elements(t), t.dims);
      const results = await session.run(feeds);
      found = description.outputs.map(t => difference(results[t.name], t, description.test)).find(text => text) ?? '';
    } catch (problem) {
      found = String(problem.message);
    }
  }
  if (!found) {
    ++counts.same;
  } else if (kNoKernel.test(found)) {
    ++counts.missing;
    const what = /(?:implementation|kernel) for ([^ ]+)/.exec(found)?.[1] ?? /(JavaScript.*)/.exec(found)?.[1] ?? found;
    missing.set(what, (missing.get(what) ?? 0) + 1);
  } else if (/^(element|dims)/.test(found) && (description.inputs ?? []).some(hasNan)) {
    ++counts.nan; // where ONNX leaves it open what becomes of it
  } else {
    ++counts.differs;
    const types = (description.inputs ?? []).map(t => `${t.dtype}[${t.dims}]`).join(' ');
    console.log(`${name} ${description.test} (${types}): ${found.slice(0, 300)}`);
  }
}
for (const [what, count] of [...missing].sort()) console.log(`no kernel: ${what} (${count})`);
console.log(`${counts.same} models agree, ${counts.differs} differ, ${counts.nan} for NaN, ` +
            `for ${counts.missing} ONNX Runtime has no kernels`);
