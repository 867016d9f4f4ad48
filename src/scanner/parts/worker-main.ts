// Worker thread entry point: surveys a large tree or scans parts of it, and posts small plain messages.
import { parentPort, workerData } from 'node:worker_threads';
import { encodeResult, type PartRequest, type PartSettings, type SurveyRequest } from './messages.js';
import { scanPart } from './scan-part.js';
import { surveyTree } from './survey.js';

// Trusted: sent by pool.ts, like the requests.
const request = workerData as PartSettings | SurveyRequest;
if ('walked' in request) {
  // In a separate thread: in the main thread, fifty megabytes of text would stay until the next full GC.
  parentPort?.postMessage(surveyTree(request.walked, request.limits), []);
} else {
  parentPort?.on('message', (order: PartRequest) => {
    void scanPart(request, order).then((answer) => {
      const made = encodeResult(answer);
      parentPort?.postMessage(made, [made.json.buffer as ArrayBuffer]); // transferable: a dedicated buffer, never shared memory
    });
  });
}
