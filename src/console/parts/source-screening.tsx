import { segment } from '../lib/api.js';
import { useRemote } from '../lib/remote.js';
import { Chip, Fact, Facts, type Meaning, Origin, Panel } from './basics.js';
import { Code, CodePath, type CodeLine, type FlowStep } from './code-path.js';
import { Name, Text } from './text.js';
import { VersionDifference, type VersionInfo } from './version-difference.js';

interface FindingInfo {
  readonly rule: string;
  readonly kind: string;
  readonly severity: string;
  readonly message: string;
  readonly tool?: string;
  readonly location: { readonly file: string; readonly startLine: number };
  readonly code?: readonly CodeLine[];
  readonly flow?: readonly FlowStep[];
}

interface ScreeningInfo {
  readonly decision: string | null;
  readonly reasons?: readonly string[];
  readonly unknown?: string | null;
  readonly versions?: VersionInfo | null;
  readonly report?: {
    readonly findings: readonly FindingInfo[];
    readonly gaps: readonly { readonly file: string; readonly reason: string }[];
    readonly capabilities: readonly { readonly tool: string; readonly capabilities: readonly string[] }[];
  } | null;
}

export const severityMeaning: Readonly<Record<string, Meaning>> = {
  critical: 'bad',
  high: 'bad',
  medium: 'attention',
  low: 'plain',
};
const decisionMeanings: Readonly<Record<string, Meaning>> = { allow: 'good', quarantine: 'attention', deny: 'bad' };

/** Admission decision and the scan behind it, with the path from parameter to sink. */
export function SourceScreening({ id }: { readonly id: string }) {
  const { data, at, error } = useRemote<ScreeningInfo>(`/sources/${segment(id)}/screening`, { on: ['source'] });
  const report = data?.report;
  return (
    <>
      <Panel title="Admission" aside={<Origin of={`GET /sources/${id}/screening`} at={at} error={error} />}>
        {data?.decision === null && <p class="unknown">No code of this source was scanned.</p>}
        {data && data.decision !== null && (
          <Facts>
            <Fact name="Decision">
              <Chip meaning={decisionMeanings[data.decision] ?? 'unknown'}>{data.decision}</Chip>
            </Fact>
            <Fact name="Reasons">
              {data.reasons?.length === 0 ? (
                <span class="unknown">none</span>
              ) : (
                <ul class="plain">
                  {data.reasons?.map((reason) => (
                    <li>
                      <Text>{reason}</Text>
                    </li>
                  ))}
                </ul>
              )}
            </Fact>
            <Fact name="Stayed unknown">
              {data.unknown ? <Text>{data.unknown}</Text> : <span class="unknown">nothing reported</span>}
              {report && report.gaps.length > 0 && <Gaps gaps={report.gaps} />}
            </Fact>
            <Fact name="Capabilities">
              {report?.capabilities.length === 0 && <span class="unknown">none found in the code</span>}
              {report?.capabilities.map(({ tool, capabilities }) => (
                <div>
                  <Name>{tool}</Name>{' '}
                  {capabilities.length === 0 ? (
                    <span class="unknown">none found</span>
                  ) : (
                    capabilities.map((each) => <Chip meaning="attention">{each}</Chip>)
                  )}
                </div>
              ))}
            </Fact>
          </Facts>
        )}
      </Panel>
      {report && <Findings findings={report.findings} />}
      {data?.versions && <VersionDifference versions={data.versions} />}
    </>
  );
}

/** Parts that could not be analysed, bounded: a bundle that cannot be read produces thousands. */
const Gaps = ({ gaps }: { readonly gaps: readonly { readonly file: string; readonly reason: string }[] }) => (
  <details>
    <summary>{gaps.length} parts of the code could not be analysed; unknown is not safe</summary>
    <ul class="plain">
      {gaps.slice(0, 50).map(({ file, reason }) => (
        <li>
          <code>
            <Text>{file}</Text>
          </code>{' '}
          <Text>{reason}</Text>
        </li>
      ))}
    </ul>
  </details>
);

/** Findings grouped by rule, worst first; each with the way from parameter to sink. */
function Findings({ findings }: { readonly findings: readonly FindingInfo[] }) {
  const groups = new Map<string, FindingInfo[]>();
  for (const finding of findings) groups.set(finding.rule, [...(groups.get(finding.rule) ?? []), finding]);
  return (
    <Panel title={`Scan report (${findings.length})`}>
      {findings.length === 0 && <p>The scan found nothing in the code that it could follow.</p>}
      {[...groups].map(([rule, found]) => (
        <section class="finding-group" aria-label={rule}>
          <h3>
            <code>{rule}</code> {found.length > 1 && `× ${found.length}`}
          </h3>
          {found.map(({ severity, message, tool, location, code = [], flow = [] }) => (
            <details class="finding">
              <summary>
                <Chip meaning={severityMeaning[severity] ?? 'plain'}>{severity}</Chip>{' '}
                {tool !== undefined && <Name>{tool}</Name>} <Text>{message}</Text>{' '}
                <code class="note">
                  <Text>{`${location.file}:${location.startLine}`}</Text>
                </code>
              </summary>
              {flow.length > 0 ? <CodePath flow={flow} /> : <Code lines={code} marked={location.startLine} />}
            </details>
          ))}
        </section>
      ))}
    </Panel>
  );
}
