// Entry of the worker thread that examines large results, so that they do not block the event loop.
import { parentPort } from 'node:worker_threads';
import type { SecretRedactor } from '../secrets.js';
import { secretRedactor } from '../secrets.js';
import { removeHostileText } from './clean-text.js';
import type { ExamineReply, ExamineRequest, WorkerRules } from './examine-messages.js';
import { injectionEvidence } from './injection-evidence.js';

/** Rules of this many configurations: calls that began before a reload end under the old ones. */
const maxKnownRules = 4;
const rules = new Map<number, { readonly level: WorkerRules['level']; readonly redact: SecretRedactor | undefined }>();

const reply = (message: ExamineReply): void => parentPort?.postMessage(message, []);

parentPort?.on('message', (request: ExamineRequest) => {
  if (request.kind === 'rules') {
    const { level, secrets } = request.rules;
    rules.set(request.rulesId, { level, redact: secrets && secretRedactor({ values: secrets }) });
    // Insertion order is age: the oldest rules are evicted first.
    for (const oldest of [...rules.keys()].slice(0, -maxKnownRules)) rules.delete(oldest);
    return;
  }
  const { id, text } = request;
  if (request.kind === 'injection') return reply({ id, kind: 'injection', evidence: injectionEvidence(text) });
  const known = rules.get(request.rulesId);
  // Without its rules the text cannot be cleaned: the exception ends the worker, and the gateway cleans the text itself.
  if (known === undefined) throw new Error('the rules of this configuration are gone');
  const cleaned = removeHostileText(text, known.level, known.redact);
  return reply({ id, kind: 'clean', changed: cleaned.text === text ? undefined : cleaned });
});
