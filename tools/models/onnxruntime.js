// onnxruntime.js MODEL FOLDER THREADS CALLS: runs MODEL with ONNX Runtime on the inputs that FOLDER/inputs.json names,
// writes its outputs beside, and prints {compile, calls, memory}: milliseconds of making the session and of each call,
// and the most memory that the process had in it, in KiB.
'use strict';
const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');

const [model, folder, threads, calls] = process.argv.slice(2);
const kArrays = {
  float32: Float32Array, float64: Float64Array, int64: BigInt64Array, int32: Int32Array, bool: Uint8Array,
  uint8: Uint8Array, int8: Int8Array,
};

function read({dtype, dims, file}) {
  const bytes = Uint8Array.from(fs.readFileSync(path.join(folder, file))); // in a buffer of its own
  return new ort.Tensor(dtype, new kArrays[dtype](bytes.buffer), dims);
}

async function main() {
  const feeds = {};
  for (const [name, input] of Object.entries(JSON.parse(fs.readFileSync(path.join(folder, 'inputs.json')))))
    feeds[name] = read(input);
  const start = performance.now();
  const session = await ort.InferenceSession.create(model, {intraOpNumThreads: +threads, interOpNumThreads: 1});
  const report = {compile: performance.now() - start, calls: []};
  let results;
  for (let i = 0; i < +calls; ++i) {
    const begin = performance.now();
    results = await session.run(feeds);
    report.calls.push(performance.now() - begin);
  }
  report.memory = +/VmHWM:\s*(\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1];
  const outputs = session.outputNames.map((name, i) => {
    const {type, dims, data} = results[name], file = `onnxruntime-${i}.bin`;
    fs.writeFileSync(path.join(folder, file), Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    return {name, dtype: type, dims, file};
  });
  fs.writeFileSync(path.join(folder, 'outputs.json'), JSON.stringify(outputs));
  console.log(JSON.stringify(report));
}
main().catch(problem => {
  console.error(problem.message);
  process.exit(1);
});
