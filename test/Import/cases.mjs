// Cases in ONNX Runtime: cases.mjs ORTMODEL.mjs CASES.jsonl runs each line's model again, and compares with the results
// that the line has. It runs where node_modules are found from the current folder.
import fs from 'node:fs';
import {pathToFileURL} from 'node:url';

const {run} = await import(pathToFileURL(process.argv[2]));

// The lines have eight digits, and sums of float32 numbers are in an order that depends on the processor: some units
// of 2^-24 of terms around 1, as CasesTest.cpp allows.
const kRelative = 2e-5, kAbsolute = 4e-6;

// Numbers that JSON has not are texts.
const value = Number;
const isClose = (x, y) => Object.is(x, y) || x === y || Math.abs(x - y) <= kAbsolute + kRelative * Math.abs(y);

function difference(name, got, wanted) {
  if (got.dtype !== wanted.dtype) return `${name} is ${got.dtype}, not ${wanted.dtype}`;
  if (got.shape.join() !== wanted.shape.join()) return `${name} has shape ${got.shape}, not ${wanted.shape}`;
  for (let k = 0; k < wanted.data.length; ++k)
    if (!isClose(value(got.data[k]), value(wanted.data[k])))
      return `element ${k} of ${name} is ${got.data[k]}, not ${wanted.data[k]}`;
  return '';
}

const counts = {same: 0, differs: 0};
for (const line of fs.readFileSync(process.argv[3], 'utf8').split('\n').filter(text => text)) {
  const {outputs: wanted, ...model} = JSON.parse(line);
  for (const tensor of Object.values(model.inputs)) tensor.data = tensor.data.map(value);
  let found;
  try {
    const results = await run({...model, outputs: Object.keys(wanted)});
    found = Object.keys(wanted).map(name => difference(name, results[name], wanted[name])).find(text => text) ?? '';
  } catch (problem) {
    found = problem.message;
  }
  ++counts[found ? 'differs' : 'same'];
  if (found) console.log(`${model.name} ${model.opset}: ${found}`);
}
console.log(`${counts.same} cases agree, ${counts.differs} differ`);
