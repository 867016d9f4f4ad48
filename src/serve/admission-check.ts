import type { HealthCheck } from '../observe/health.js';
import type { Screening } from './screening/evidence.js';

/** Which sources were held back, run with something unknown, or offer what their code does not have. */
export const admissionCheck = (
  ids: () => readonly string[],
  of: (id: string) => Screening | undefined,
): HealthCheck => ({
  name: 'admission',
  priority: 'important',
  check() {
    const all = ids().flatMap((id) => of(id) ?? []);
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
      ...unread.map(({ source, unknown }) => `${source}: not wholly read (${unknown ?? ''})`),
    ];
    return { status: held.length > 0 ? 'degraded' : 'healthy', ...(lines.length > 0 && { detail: lines.join('; ') }) };
  },
});
