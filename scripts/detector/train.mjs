// Logistic regression over hashed features of windows, with AdaGrad. Deterministic: fixed seed, fixed order, no clock.
import { originGroup } from './texts.mjs';

const EPOCHS = 4;
const RATE = 0.2;
const DECAY = 1e-6;
/** Origins of attacks in which a feature must occur to count towards an attack; one collection's habits do not generalise. */
const MIN_ATTACK_ORIGINS = 8;
const MIN_BENIGN_ORIGINS = 3;
/** Texts of one origin and label count together as at most about this many. */
const TEXTS_PER_ORIGIN = 150;
const QUANTILE = 0.0005;

/** Random numbers in [0, 1) by a linear congruential generator. */
function randomNumbers(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296;
}

/** In how many origins each feature occurs, up to 255. */
function originsOf(rows, buckets) {
  const counts = new Uint8Array(buckets);
  const byOrigin = new Map();
  for (const row of rows) {
    const group = originGroup(row.origin);
    if (!byOrigin.has(group)) byOrigin.set(group, []);
    byOrigin.get(group).push(row);
  }
  const seen = new Int32Array(buckets);
  let number = 0;
  for (const some of byOrigin.values()) {
    number++;
    for (const row of some)
      for (const window of row.windows)
        for (const feature of window)
          if (seen[feature] !== number) {
            seen[feature] = number;
            if (counts[feature] < 255) counts[feature]++;
          }
  }
  return counts;
}

/**
 * Trains on rows with `windows` (arrays of buckets) and returns int8 weights with scale and bias. Of each text only the best
 * scoring window is used: the others of an attack are harmless, and the best one of a harmless text is the one to get right.
 */
export function trainModel(allRows, buckets, minFeatures) {
  const rows = allRows.filter((row) => row.windows.length > 0 && row.class !== 'planted');
  const attacks = originsOf(
    rows.filter((row) => row.isAttack),
    buckets,
  );
  const benign = originsOf(
    rows.filter((row) => !row.isAttack),
    buckets,
  );
  const sizes = new Map();
  const sizeKey = (row) => `${row.origin} ${row.isAttack}`;
  for (const row of rows) sizes.set(sizeKey(row), (sizes.get(sizeKey(row)) ?? 0) + 1);

  const weights = new Float32Array(buckets);
  const squares = new Float32Array(buckets).fill(1e-6);
  let bias = -1;
  let biasSquares = 1e-6;
  const score = (window) => {
    let sum = 0;
    for (let index = 0; index < window.length; index++) sum += weights[window[index]];
    return bias + sum / Math.sqrt(Math.max(minFeatures, window.length));
  };
  const step = (window, target, weight) => {
    const error = (1 / (1 + Math.exp(-score(window))) - target) * weight;
    if (Math.abs(error) < 1e-4) return;
    const factor = error / Math.sqrt(Math.max(minFeatures, window.length));
    for (let index = 0; index < window.length; index++) {
      const feature = window[index];
      const mayAccuse = attacks[feature] >= MIN_ATTACK_ORIGINS;
      if (!mayAccuse && benign[feature] < MIN_BENIGN_ORIGINS) continue;
      const gradient = factor + DECAY * weights[feature];
      squares[feature] += gradient * gradient;
      const moved = weights[feature] - (RATE * gradient) / Math.sqrt(squares[feature]);
      weights[feature] = mayAccuse ? moved : Math.min(0, moved);
    }
    biasSquares += error * error;
    bias -= (RATE * error) / Math.sqrt(biasSquares);
  };

  const random = randomNumbers(1);
  const order = rows.map((_, index) => index);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (let last = order.length - 1; last > 0; last--) {
      const other = Math.floor(random() * (last + 1));
      [order[last], order[other]] = [order[other], order[last]];
    }
    for (const index of order) {
      const row = rows[index];
      const weight = Math.min(1, Math.sqrt(TEXTS_PER_ORIGIN / sizes.get(sizeKey(row))));
      let best = row.windows[0];
      let highest = -Infinity;
      if (row.windows.length > 1)
        for (const window of row.windows) {
          const current = score(window);
          if (current > highest) [best, highest] = [window, current];
        }
      step(best, row.isAttack ? 1 : 0, weight);
      if (!row.isAttack && epoch < 2 && row.windows.length > 1)
        step(row.windows[Math.floor(random() * row.windows.length)], 0, weight);
    }
  }
  return quantise(weights, bias);
}

function quantise(weights, bias) {
  const magnitudes = Float32Array.from(weights, Math.abs).sort();
  const largest = magnitudes[Math.floor(magnitudes.length * (1 - QUANTILE))] || 1;
  const scale = Math.fround(largest / 127);
  return {
    scale,
    bias: Math.fround(bias),
    weights: Int8Array.from(weights, (weight) => Math.max(-127, Math.min(127, Math.round(weight / scale)))),
  };
}
