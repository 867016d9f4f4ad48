// Looks at a large tree, or reads parts of it, in a thread of its own; what comes back is small and plain.
import { parentPort, workerData } from 'node:worker_threads';
import { packed, type PartOrder, type PartSetting, type SurveyOrder } from './order.js';
import { readPart } from './read-part.js';
import { surveyOf } from './survey.js';

// Written by our own side, as are the orders.
const given = workerData as PartSetting | SurveyOrder;
if ('walked' in given) {
  // In a thread that ends with it: texts of fifty megabytes would stay with the main thread until it is next cleaned.
  parentPort?.postMessage(surveyOf(given.walked, given.limits), []);
} else {
  parentPort?.on('message', (order: PartOrder) => {
    void readPart(given, order).then((answer) => {
      const made = packed(answer);
      parentPort?.postMessage(made, [made.json.buffer as ArrayBuffer]); // made of an array of its own, never of shared memory
    });
  });
}
