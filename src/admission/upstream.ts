import type { UpstreamAdmission } from '../sources/mcp/admission.js';
import type { AuditLog } from '../observe/audit-log.js';
import type { Log } from '../observe/log.js';
import { recordAdmission } from './audit-record.js';
import { definitionAdmission } from './definitions.js';
import type { AdmissionRecord } from './evidence.js';
import type { OpenAdmissionOptions } from './open.js';
import type { SourceAdmission } from './source-admission.js';

export interface UpstreamAdmissionOptions extends Omit<OpenAdmissionOptions, 'registry' | 'onDecision'> {
  readonly journal: AuditLog;
  readonly log: Log;
}

/** Admission of upstream servers and of their definitions; the scanner is loaded when the first server is to start. */
export function upstreamAdmission({ journal, log, ...options }: UpstreamAdmissionOptions): UpstreamAdmission & {
  /** Decision about a local server, with its evidence. */
  record(source: string): AdmissionRecord | undefined;
  close(): Promise<void>;
} {
  let loading: Promise<SourceAdmission & { close(): Promise<void> }> | undefined;
  let loaded: SourceAdmission | undefined;
  const open = async () => {
    const [{ openSourceAdmission }, { configuredRegistry }] = await Promise.all([
      import('./open.js'),
      import('./configured-registry.js'),
    ]);
    const admission = openSourceAdmission({
      ...options,
      registry: configuredRegistry(options.config),
      onDecision: (record) => recordAdmission(journal, log, record),
    });
    loaded = admission;
    return admission;
  };
  return {
    admit: async (id, config, command) => (await (loading ??= open())).admit(id, config, command),
    definitions: definitionAdmission({
      files: options.pins,
      sourceAdmission: { compare: (id, live) => loaded?.compare(id, live) ?? [] },
      onEvent: options.onEvent,
    }),
    unregisteredTools: (id) =>
      (loaded?.record(id)?.differences ?? [])
        .filter(({ kind, severity }) => kind === 'not-in-source' && severity === 'high')
        .map(({ tool }) => tool),
    record: (source) => loaded?.record(source),
    async close() {
      await (await loading)?.close();
    },
  };
}
