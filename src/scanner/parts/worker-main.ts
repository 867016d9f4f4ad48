// Reads parts of a large tree in a thread of its own; what comes back is small and plain.
import { parentPort, workerData } from 'node:worker_threads';
import type { PartOrder, PartSetting } from './order.js';
import { readPart } from './read-part.js';

// Both are written by our own side.
const setting = workerData as PartSetting;
parentPort?.on(
  'message',
  (order: PartOrder) => void readPart(setting, order).then((answer) => parentPort?.postMessage(answer, [])),
);
