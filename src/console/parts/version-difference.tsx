import { Chip, Fact, Facts, Panel, Time } from './basics.js';
import { severityMeaning } from './source-screening.js';
import { Name, Text } from './text.js';

interface FindingLine {
  readonly severity: string;
  readonly rule: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
}

/** The two newest scanned versions of a source, and what changed between them. */
export interface VersionInfo {
  readonly before: { readonly content: string; readonly at: string };
  readonly after: { readonly content: string; readonly at: string };
  readonly added_tools: readonly string[];
  readonly removed_tools: readonly string[];
  readonly changed_tools: readonly {
    readonly tool: string;
    readonly changed: readonly string[];
    readonly gained: readonly string[];
    readonly lost: readonly string[];
  }[];
  readonly new_findings: readonly FindingLine[];
  readonly fixed_findings: readonly FindingLine[];
}

const Names = ({ names }: { readonly names: readonly string[] }) =>
  names.length === 0 ? (
    <span class="unknown">none</span>
  ) : (
    <>
      {names.map((name) => (
        <Chip>{name}</Chip>
      ))}
    </>
  );

const Lines = ({ lines }: { readonly lines: readonly FindingLine[] }) =>
  lines.length === 0 ? (
    <span class="unknown">none</span>
  ) : (
    <ul class="plain">
      {lines.map(({ severity, rule, message, file, line }) => (
        <li>
          <Chip meaning={severityMeaning[severity] ?? 'plain'}>{severity}</Chip> <code>{rule}</code>{' '}
          <Text>{message}</Text>{' '}
          <code class="note">
            <Text>{`${file}:${line}`}</Text>
          </code>
        </li>
      ))}
    </ul>
  );

/** What a new version of the code adds, removes and changes. */
export const VersionDifference = ({ versions }: { readonly versions: VersionInfo }) => (
  <Panel title="Difference to the version before">
    <Facts>
      <Fact name="Versions">
        <code>{versions.before.content.slice(0, 12)}</code> <Time at={versions.before.at} /> →{' '}
        <code>{versions.after.content.slice(0, 12)}</code> <Time at={versions.after.at} />
      </Fact>
      <Fact name="+ Tools">
        <Names names={versions.added_tools} />
      </Fact>
      <Fact name="− Tools">
        <Names names={versions.removed_tools} />
      </Fact>
      <Fact name="Changed tools">
        {versions.changed_tools.length === 0 && <span class="unknown">none</span>}
        {versions.changed_tools.map(({ tool, changed, gained, lost }) => (
          <div>
            <Name>{tool}</Name> {changed.join(', ')}{' '}
            {gained.map((each) => (
              <Chip meaning="bad">{`+ ${each}`}</Chip>
            ))}
            {lost.map((each) => (
              <Chip meaning="good">{`− ${each}`}</Chip>
            ))}
          </div>
        ))}
      </Fact>
      <Fact name="New findings">
        <Lines lines={versions.new_findings} />
      </Fact>
      <Fact name="Fixed findings">
        <Lines lines={versions.fixed_findings} />
      </Fact>
    </Facts>
  </Panel>
);
