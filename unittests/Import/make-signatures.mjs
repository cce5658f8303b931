// Writes signatures.txt: what onnxruntime's copy of ONNX's schemas says of the versions that Debian's libonnx does not
// know.
// A line for each operator and version that differs from the one before: its name, the version, the greatest number of
// inputs (or "any"), its attributes.
// onnxruntime refuses a model whose node has too many inputs, and says how many there may be; and one whose node has
// an attribute that the schema has not. Candidates for attributes are all names in lib/Import/Signatures.cpp, and those
// that ONNX's change log has for any operator of these versions.
//
//   npm install --ignore-scripts onnxruntime-node@1.30.0 && node make-signatures.mjs TREE > signatures.txt
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
const ort = createRequire(join(process.cwd(), 'x.js'))('onnxruntime-node');

const kFirst = 18, kLast = 24;
const kOthers = ['align_corners', 'antialias', 'approximate', 'batch_dims', 'block_size', 'body',
  'case_change_action',
  'coordinate_transformation_mode', 'delimiter', 'detect_negative', 'else_branch', 'keep_aspect_ratio_policy',
  'maxsplit',
  'num_groups', 'num_outputs', 'num_scan_inputs', 'offset_group', 'output_dtype', 'pattern', 'pixel_format',
  'precision',
  'round_mode', 'saturate', 'scan_input_axes', 'scan_output_axes', 'stash_type', 'then_branch'];

const source = readFileSync(join(process.argv[2], 'lib/Import/Signatures.cpp'), 'utf8');
const operators = new Map(), candidates = new Set(kOthers);
for (const [, name, since, attributes] of source.matchAll(/\{"(\w+)", (\d+), \w+,\s+((?:"[^"]*"\s*)+)\}/g)) {
  operators.set(name, Math.min(operators.get(name) ?? kLast, Number(since)));
  for (const word of attributes.replaceAll('"', ' ').split(/\s+/).filter(Boolean))
    candidates.add(word);
}

// Just as much of protobuf and of ONNX's messages as one node needs.
const varint = n => n < 128 ? [n] : [n % 128 + 128, ...varint(Math.floor(n / 128))];
const bytes = (k, content) => [...varint(k * 8 + 2), ...varint(content.length), ...content];
const number = (k, n) => [...varint(k * 8), ...varint(n)];
const text = (k, s) => bytes(k, [...Buffer.from(s)]);
function model(operator, version, inputs, attribute, outputs = 1) {
  const kInt = 2, kFloat = 1, names = Array.from({ length: inputs }, (_, i) => 'x' + i);
  const results = Array.from({ length: outputs }, (_, i) => 'y' + (i || ''));
  const node = names.flatMap(name => text(1, name)).concat(results.flatMap(name => text(2, name)), text(4, operator),
    attribute ? bytes(5, [...text(1, attribute), ...number(3, 1), ...number(20, kInt)]) : []);
  const type = bytes(2, bytes(1, number(1, kFloat)));
  const graph = [...bytes(1, node), ...text(2, 'g'), ...names.flatMap(name => bytes(11, [...text(1, name), ...type])),
    ...bytes(12, text(1, 'y'))];
  return Uint8Array.from([...number(1, 8), ...bytes(7, graph), ...bytes(8, number(2, version))]);
}

async function says(...what) {
  try {
    await ort.InferenceSession.create(model(...what), { logSeverityLevel: 4 });
    return '';
  } catch (error) {
    return error.message;
  }
}

for (const operator of [...operators.keys()].sort()) {
  let before = '';
  for (let version = Math.max(kFirst, operators.get(operator)); version <= kLast; ++version) {
    const tooMany = await says(operator, version, 50, '');
    const range = /has input size 50 not in range \[min=(\d+), max=(\d+)\]/.exec(tooMany);
    const least = range ? Number(range[1]) : 1;
    const fewResults = /has output size 1 not in range \[min=(\d+)/.exec(await says(operator, version, least, ''));
    const refuses = async name => (await says(operator, version, least, name, fewResults ? Number(fewResults[1]) : 1))
      .includes(`Unrecognized attribute: ${name} `);
    // What it does not have, has no more, or does not check (Constant, LayerNormalization).
    if (!await refuses('no_such_attribute'))
      continue;
    const attributes = [];
    for (const name of [...candidates].sort())
      if (!await refuses(name))
        attributes.push(name);
    const signature = [range ? range[2] : 'any', ...attributes].join(' ');
    if (signature !== before)
      console.log(`${operator} ${version} ${signature}`);
    before = signature;
  }
}
