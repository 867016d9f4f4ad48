import type { JsonObject } from '../core/json.js';
import { compareSurface, type Difference, type LiveTool } from '../scanner/admission/compare.js';
import { evidenceOf, type AdmissionRecord } from './evidence.js';
import type { ScanFailure, ScanResult } from './scan/result.js';

interface AdmissionReports {
  onEvent(event: string, fields: JsonObject): void;
  /** Called once for each new decision. */
  onDecision(record: AdmissionRecord): void;
}

const eventOf = ({ decision, unknown }: AdmissionRecord): string => {
  if (decision === 'quarantine') return 'source.quarantined';
  if (decision === 'deny') return 'source.denied';
  return unknown === undefined ? 'source.admitted' : 'source.unread';
};

/** The latest decision about each source with the surface of its code; a new decision is reported once. */
export function admissionRecords({ onEvent, onDecision }: AdmissionReports) {
  const latest = new Map<string, AdmissionRecord>();
  const surfaces = new Map<string, ScanResult['surface']>();
  const reported = new Map<string, string>();

  return {
    get: (id: string): AdmissionRecord | undefined => latest.get(id),
    /** Replaces fields of a record, if there is one. */
    amend(id: string, fields: Partial<AdmissionRecord>): void {
      const before = latest.get(id);
      if (before) latest.set(id, { ...before, ...fields });
    },
    /** Records a source whose code is not scanned; nothing is reported. */
    setOpen(id: string): void {
      const unknown = 'its code was not scanned: admission is open';
      latest.set(id, { source: id, decision: 'allow', reasons: [], findings: [], unknown, differences: [] });
    },
    /** Records a decision; `state` identifies what it was about. */
    set(record: AdmissionRecord, result: ScanResult | ScanFailure, state: string): void {
      const { source, decision, reasons } = record;
      latest.set(source, record);
      if ('unread' in result) surfaces.delete(source);
      else surfaces.set(source, result.surface);
      const text = `${state} ${decision} ${reasons.join('\n')}`;
      if (reported.get(source) === text) return;
      reported.set(source, text);
      onEvent(eventOf(record), { source, decision, ...evidenceOf(record) });
      onDecision(record);
    },
    /** Differences between the live tools and the scanned code; empty if there is no scan result. */
    compare(id: string, live: readonly LiveTool[]): readonly Difference[] {
      const surface = surfaces.get(id);
      const before = latest.get(id);
      // Skip if the surface is empty: that gap is already reported once.
      if (!surface || !before || surface.tools.length + surface.optionalTools.length === 0) return [];
      const differences = compareSurface(surface, live);
      latest.set(id, { ...before, differences });
      return differences;
    },
  };
}
