import type { AdmissionRecord } from '../../admission/evidence.js';

/** Findings and differences per source; the scan shows all. */
const maxListed = 5;

/** The admission decision without the name of its source. */
export type SourceEvidence = Omit<AdmissionRecord, 'source'>;

/** Formats the admission decision on a source's code and its evidence. */
export function evidenceLines({
  decision,
  findings,
  unknown,
  tools,
  registry,
  differences,
}: SourceEvidence): readonly string[] {
  const facts = [
    decision,
    ...(tools === undefined ? [] : [`${countOf(tools, 'tool')} in its code`]),
    ...(findings.length === 0 ? [] : [countOf(findings.length, 'finding')]),
    ...(registry ? [`registry: ${registry.verdict}`] : []),
  ];
  // A tool that the code registers and the server does not list is harmless.
  const differing = differences.filter(({ kind }) => kind !== 'not-live');
  return [
    `admission  ${facts.join(', ')}`,
    ...findings.slice(0, maxListed).map((finding) => `finding    ${finding}`),
    ...(findings.length > maxListed
      ? [`finding    and ${findings.length - maxListed} more; toolgate scan shows all`]
      : []),
    ...(unknown === undefined ? [] : [`unknown    ${unknown}`]),
    ...differing
      .slice(0, maxListed)
      .map(
        ({ kind, tool, severity, why }) =>
          `${kind === 'not-in-source' ? 'not in source' : 'differs'}  ${tool} (${severity}): ${why}`,
      ),
  ];
}

/** A number with its noun. */
export const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
