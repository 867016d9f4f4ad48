import type { UpstreamAdmission } from '../sources/mcp/admission.js';
import type { AuditLog } from '../observe/audit/audit-log.js';
import type { Log } from '../observe/log/log.js';
import { recordAdmission } from './audit-record.js';
import { definitionAdmission, personalAdmission } from './definitions.js';
import type { AdmissionRecord } from './evidence.js';
import type { OpenAdmissionOptions } from './open.js';
import type { SourceAdmission } from './source-admission.js';

interface UpstreamAdmissionOptions extends Omit<OpenAdmissionOptions, 'registry' | 'onDecision'> {
  readonly journal: AuditLog;
  readonly log: Log;
}

/** Admission of upstream servers and of their definitions; the scanner is loaded when the first server is to start. */
export function upstreamAdmission({ journal, log, ...options }: UpstreamAdmissionOptions): UpstreamAdmission & {
  /** Decision about a local server, with its evidence. */
  record(source: string): AdmissionRecord | undefined;
  close(): Promise<void>;
} {
  // Loaded on demand: a gateway without local servers never pays for the scanner.
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
    // One promise for all sources, so that the scanner is opened once even if many start at the same time.
    admit: async (id, config, command) => (await (loading ??= open())).admit(id, config, command),
    definitions: definitionAdmission({
      files: options.pins,
      // Before the first start there is no scan to compare with.
      sourceAdmission: { compare: (id, live) => loaded?.compare(id, live) ?? [] },
      onEvent: options.onEvent,
    }),
    personalDefinitions: personalAdmission,
    unregisteredTools: (id) =>
      (loaded?.record(id)?.differences ?? [])
        // Only certain differences count: a tool that incomplete analysis did not find may still be in the code.
        .filter(({ kind, severity }) => kind === 'not-in-source' && severity === 'high')
        .map(({ tool }) => tool),
    record: (source) => loaded?.record(source),
    async close() {
      // An opening under way is awaited, so that nothing is left open behind it.
      await (await loading)?.close();
    },
  };
}
