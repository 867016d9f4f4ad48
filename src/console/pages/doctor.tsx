import { useRemote } from '../lib/remote.js';
import { Chip, ErrorNote, type Meaning, Origin, Panel } from '../parts/basics.js';
import type { IconName } from '../parts/icons.js';
import { Text } from '../parts/text.js';

interface CheckInfo {
  readonly name: string;
  readonly result: 'pass' | 'warn' | 'fail';
  readonly detail: string;
  readonly fix?: string;
}

const meanings: Readonly<
  Record<CheckInfo['result'], { readonly meaning: Meaning; readonly icon: IconName; readonly title: string }>
> = {
  fail: { meaning: 'bad', icon: 'cross', title: 'Failed' },
  warn: { meaning: 'attention', icon: 'warning', title: 'Warnings' },
  pass: { meaning: 'good', icon: 'check', title: 'Passed' },
};
const order = ['fail', 'warn', 'pass'] as const;

/** The deployment checklist, what did not pass first. */
export function DoctorPage() {
  const { data, at, error, refresh } = useRemote<{ readonly checks: readonly CheckInfo[] }>('/doctor');
  return (
    <>
      <h1>Doctor</h1>
      <div class="row between">
        <Origin of="GET /doctor, as toolgate doctor" at={at} error={error} />
        <button type="button" onClick={refresh}>
          Check again
        </button>
      </div>
      {error && data === undefined && <ErrorNote error={error} />}
      {data === undefined && error === undefined && <p class="unknown">The checks are running.</p>}
      {order.map((result) => {
        const found = data?.checks.filter((check) => check.result === result) ?? [];
        if (found.length === 0) return null;
        const { meaning, icon, title } = meanings[result];
        return (
          <Panel title={`${title} (${found.length})`}>
            <ul class="plain checks">
              {found.map(({ name, detail, fix }) => (
                <li>
                  <Chip meaning={meaning} icon={icon}>
                    {result}
                  </Chip>
                  <span>
                    <strong>
                      <Text>{name}</Text>
                    </strong>{' '}
                    <span class="note">
                      <Text>{detail}</Text>
                    </span>
                    {fix !== undefined && (
                      <div class="fix">
                        Fix: <Text>{fix}</Text>
                      </div>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          </Panel>
        );
      })}
    </>
  );
}
