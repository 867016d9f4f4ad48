import type { HealthCheck } from '../observe/health.js';
import type { AdmissionRecord } from './evidence.js';

/** Health check that lists sources that were not admitted, were not fully scanned, or offer tools their code does not register. */
export const admissionCheck = (
  ids: () => readonly string[],
  of: (id: string) => AdmissionRecord | undefined,
): HealthCheck => ({
  name: 'admission',
  priority: 'important',
  check() {
    const all = ids().flatMap((id) => of(id) ?? []);
    // Held sources, and admitted ones whose tools do not match their code.
    const held = all.filter(
      ({ decision, differences }) =>
        decision !== 'allow' ||
        differences.some(({ kind, severity }) => kind === 'not-in-source' && severity === 'high'),
    );
    const unread = all.filter(({ decision, unknown }) => decision === 'allow' && unknown !== undefined);
    const lines = [
      ...held.map(
        ({ source, decision, reasons: [first] }) =>
          `${source}: ${decision === 'allow' ? 'offers tools that its code does not register' : `${decision} (${first ?? ''})`}`,
      ),
      ...unread.map(({ source, unknown }) => `${source}: not fully scanned (${unknown ?? ''})`),
    ];
    return { status: held.length > 0 ? 'degraded' : 'healthy', ...(lines.length > 0 && { detail: lines.join('; ') }) };
  },
});
