// networks.mjs FOLDER OTHER: each network of OTHER computes what the one of that name in FOLDER does, on one picture.
import fs from 'fs';
import path from 'path';
import {createRequire} from 'module';

const ort = createRequire(path.join(process.env.NODE_PATH, 'package.json'))('onnxruntime-node');
const [folder, other] = process.argv.slice(2);
const picture = new Float32Array(3 * 224 * 224).map((_, i) => Math.sin(i * 0.7) * 0.5);
let agree = 0, differ = 0;
for (const name of fs.readdirSync(other).filter(name => name.endsWith('.onnx'))) {
  const results = [];
  for (const file of [path.join(folder, name), path.join(other, name)]) {
    const session = await ort.InferenceSession.create(file);
    const found = await session.run({[session.inputNames[0]]: new ort.Tensor('float32', picture, [1, 3, 224, 224])});
    results.push(found[session.outputNames[0]].data);
  }
  const [a, b] = results;
  const scale = Math.max(...a.map(Math.abs)), most = Math.max(...a.map((x, i) => Math.abs(x - b[i])));
  const isSame = a.length === b.length && most <= 1e-4 * scale;
  isSame ? ++agree : ++differ;
  console.log(`${name}: ${isSame ? 'agrees' : 'differs'}, by ${most / scale} of the greatest element`);
}
console.log(`${agree} networks agree, ${differ} differ`);
