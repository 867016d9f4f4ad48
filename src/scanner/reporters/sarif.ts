import type { Location } from '../ir/positions.js';
import type { ReportFinding, ScanReport } from '../report.js';
import { rules } from '../rules/index.js';
import type { Rule, Severity } from '../rules/rule.js';

const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  note: 'note',
};
const securitySeverities: Readonly<Record<Severity, string>> = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '3.0',
  note: '0.0',
};

const toLocation = ({ file, startLine, startColumn, endLine, endColumn }: Location, folder: string) => ({
  physicalLocation: {
    artifactLocation: { uri: `${folder}${file}`.split('/').map(encodeURIComponent).join('/'), uriBaseId: 'ROOT' },
    region: {
      startLine,
      startColumn,
      endLine,
      endColumn: Math.max(endColumn, endLine === startLine ? startColumn : 1),
    },
  },
});

const toRule = (rule: Rule) => ({
  id: rule.id,
  name: rule.id.replace(/(?:^|-)(\w)(\w*)/g, (_all, first: string, rest: string) => first + rest.toLowerCase()),
  shortDescription: { text: rule.title },
  fullDescription: { text: rule.why },
  help: { text: `${rule.why}\n\n${rule.fix}`, markdown: `${rule.why}\n\n**Fix:** ${rule.fix}` },
  defaultConfiguration: { level: levels[rule.severity] },
  properties: {
    'security-severity': securitySeverities[rule.severity],
    tags: ['security', ...rule.cwe.map((each) => `external/cwe/cwe-${each}`), ...rule.owasp, ...rule.safeMcp],
  },
});

function toResult(finding: ReportFinding, folder: string) {
  const flow =
    finding.flow && finding.flow.length > 1
      ? [
          {
            threadFlows: [
              {
                locations: finding.flow.map((step) => ({
                  location: { ...toLocation(step.at, folder), message: { text: step.says } },
                })),
              },
            ],
          },
        ]
      : undefined;
  return {
    ruleId: finding.rule,
    ruleIndex: rules.findIndex((rule) => rule.id === finding.rule),
    level: levels[finding.severity],
    message: { text: finding.message },
    locations: [toLocation(finding.location, folder)],
    partialFingerprints: { 'toolgate/v1': finding.fingerprint },
    ...(flow ? { codeFlows: flow } : {}),
    ...(finding.suppressed === undefined
      ? {}
      : { suppressions: [{ kind: 'inSource', justification: finding.suppressed }] }),
    ...(finding.known ? { baselineState: 'unchanged' } : {}),
    properties: {
      kind: finding.kind,
      ...(finding.tool === undefined ? {} : { tool: finding.tool }),
      ...(finding.param === undefined ? {} : { param: finding.param }),
    },
  };
}

/** A scan, and the folder of its target below the repository root (`packages/a/`, or empty). */
interface SarifScan {
  readonly report: ScanReport;
  readonly folder: string;
}

/** Formats a scan as SARIF 2.1.0, with data flows as `codeFlows` and line-independent fingerprints. */
export const formatSarif = (report: ScanReport, version: string, folder = ''): string =>
  formatSarifRuns([{ report, folder }], version);

/** Formats several scans as runs of one SARIF file; paths are relative to the repository root, as code hosts expect. */
export const formatSarifRuns = (scans: readonly SarifScan[], version: string): string =>
  `${JSON.stringify(
    {
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: scans.map((scan) => toRun(scan, version)),
    },
    null,
    2,
  )}\n`;

function toRun({ report, folder }: SarifScan, version: string) {
  const notifications = report.gaps.map((gap) => ({
    level: 'warning',
    message: { text: `${gap.file}: ${gap.reason}` },
  }));
  return {
    tool: { driver: { name: 'toolgate', version, rules: rules.map(toRule) } },
    invocations: [{ executionSuccessful: report.verdict !== 'incomplete', toolExecutionNotifications: notifications }],
    ...(folder === '' ? {} : { automationDetails: { id: `toolgate/${folder}` } }),
    columnKind: 'utf16CodeUnits',
    results: report.findings.map((finding) => toResult(finding, folder)),
  };
}
