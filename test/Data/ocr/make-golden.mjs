// Writes golden.json: what onnxruntime-node says about the pictures, with the preprocessing of PaddleOCR's
// tools/infer/predict_cls.py (resize_norm_img), class TextClassifier:
//   - the picture as OpenCV reads it: channels in the order blue, green, red
//   - resized to 48 rows keeping the ratio, at most 192 columns: width = min(192, ceil(48 * columns / rows)); bilinear,
//     pixel centres at i + 0.5, edges repeated, rounded to whole numbers (cv2.resize's default), here halves up:
//     computed with whole numbers below 2^53, so that no rounding decides which numbers are halves
//   - (x / 255 - 0.5) / 0.5 in float32, then zeros to the right up to 192 columns; shape 1 x 3 x 48 x 192, float32
// The classes are 0 and 180 degrees (label_list in tools/infer/utility.py).
//
//   npm install --ignore-scripts onnxruntime-node@1.30.0 pngjs@7.0.0 && node make-golden.mjs MODEL.onnx > golden.json
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
const require = createRequire(join(process.cwd(), 'x.js'));
const ort = require('onnxruntime-node');
const { PNG } = require('pngjs');

const rows = 48, columns = 192, float32 = Math.fround;

function preprocess(path) {
  const { width, height, data } = PNG.sync.read(readFileSync(path));
  const resizedWidth = Math.min(columns, Math.ceil(rows * width / height));
  const result = new Float32Array(3 * rows * columns);
  const clamp = (v, n) => Math.min(Math.max(v, 0), n - 1);
  for (let row = 0; row < rows; ++row) {
    const y = (2 * row + 1) * height - rows, y0 = Math.floor(y / (2 * rows)), fy = y - y0 * 2 * rows;
    for (let column = 0; column < resizedWidth; ++column) {
      const wide = 2 * resizedWidth;
      const x = (2 * column + 1) * width - resizedWidth, x0 = Math.floor(x / wide), fx = x - x0 * wide;
      for (let channel = 0; channel < 3; ++channel) {
        const at = (i, j) => data[(clamp(i, height) * width + clamp(j, width)) * 4 + 2 - channel];
        const top = at(y0, x0) * (wide - fx) + at(y0, x0 + 1) * fx;
        const bottom = at(y0 + 1, x0) * (wide - fx) + at(y0 + 1, x0 + 1) * fx;
        const sum = top * (2 * rows - fy) + bottom * fy, parts = wide * 2 * rows;
        const value = Math.floor((2 * sum + parts) / (2 * parts));
        result[(channel * rows + row) * columns + column] = float32(float32(value / 255) - 0.5) / 0.5;
      }
    }
  }
  return result;
}

const session = await ort.InferenceSession.create(process.argv[2]);
const folder = dirname(fileURLToPath(import.meta.url));
const golden = { onnxruntime: require('onnxruntime-node/package.json').version, classes: ['0', '180'], pictures: {} };
for (const name of ['upright.png', 'upside-down.png', 'either-way.png']) {
  const input = preprocess(join(folder, name));
  const feeds = { [session.inputNames[0]]: new ort.Tensor('float32', input, [1, 3, rows, columns]) };
  const output = (await session.run(feeds))[session.outputNames[0]];
  golden.pictures[name] = {
    // Weighted by position, so that exchanged rows, columns or channels show.
    inputSum: input.reduce((sum, x, i) => sum + x * (i % 101 + 1), 0),
    probabilities: Array.from(output.data),
  };
}
console.log(JSON.stringify(golden, null, 2));
