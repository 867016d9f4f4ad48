import { schemaContract } from './contract.js';
import type { ToolError } from './errors.js';
import { failed } from './outcome.js';
import type { Limits, Operation, Tool } from './tool.js';
import { defaultLimits, readOnly } from './tool.js';

/** Methods that pass the guards like tools; rules, limits, metrics and the audit know them by these names. */
export const standInNames = ['prompts/get', 'resources/read', 'resources/subscribe', 'completion/complete'] as const;
type StandInName = (typeof standInNames)[number];

/** Contract that accepts any object; prompts and resources validate their own arguments. */
const anyObject = schemaContract({ type: 'object' });

/** Item behind a stand-in. */
interface StandInItem {
  readonly source: string;
  readonly openWorld?: boolean;
}

/** Wraps an operation on a prompt or resource as a tool, so that it passes the same guards. */
export const standIn = (
  name: StandInName | 'unknown',
  { source, openWorld = false }: StandInItem,
  run: Operation,
  limits?: Partial<Limits>,
): Tool => ({
  name,
  source,
  run,
  description: '',
  input: anyObject,
  effects: openWorld ? { ...readOnly, openWorld } : readOnly,
  limits: { ...defaultLimits, concurrency: 64, queue: 256, ratePerMinute: 0, ...limits },
});

/** Placeholder that always fails; refused before policy runs, so that rule messages cannot reveal what exists. */
export const unavailableTool = (name: StandInName | 'unknown', unavailable: ToolError): Tool => ({
  ...standIn(name, { source: 'gateway' }, () => Promise.resolve(failed(unavailable))),
  unavailable,
});
