import type { ComponentChildren } from 'preact';
import { ago, clock, exactTime } from '../lib/format.js';
import type { ApiError } from '../lib/api.js';
import { Icon, type IconName } from './icons.js';
import { Text } from './text.js';

/** A meaning always has a word or an icon beside its colour. */
export type Meaning = 'good' | 'attention' | 'bad' | 'unknown' | 'plain';

export const Chip = ({
  meaning = 'plain',
  icon,
  title,
  children,
}: {
  readonly meaning?: Meaning;
  readonly icon?: IconName;
  readonly title?: string;
  readonly children: string;
}) => (
  <span class={`chip ${meaning}`} title={title}>
    {icon && <Icon name={icon} />}
    <Text>{children}</Text>
  </span>
);

/** A time relative to now, with the exact one on hover. */
export function Time({ at }: { readonly at: string | number | undefined | null }) {
  const time = typeof at === 'number' ? at : Date.parse(at ?? '');
  // An invalid date is shown as unknown: `toISOString` would throw and take the page down.
  if (Number.isNaN(time)) return <span class="unknown">unknown</span>;
  return (
    <time dateTime={new Date(time).toISOString()} title={exactTime(time)}>
      {ago(time, clock.value)}
    </time>
  );
}

/** Where the data of a box comes from and how old it is; a page never shows data without this. */
export function Origin({
  of,
  at,
  error,
}: {
  readonly of: string;
  readonly at?: number | undefined;
  readonly error?: ApiError | undefined;
}) {
  return (
    <p class={error ? 'origin stale' : 'origin'}>
      <span>{of}</span>
      {at !== undefined && (
        <span>
          {' · '}
          {clock.value - at > 10_000 || error ? <Time at={at} /> : 'now'}
        </span>
      )}
      {error && (
        <span role="status">
          {' · '}
          <Icon name="warning" /> <Text>{error.message}</Text>
        </span>
      )}
    </p>
  );
}

/** What would appear here, and the command that makes it happen. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
);

// `role="alert"` interrupts a screen reader: only for failures of something the user just did.
export const ErrorNote = ({ error }: { readonly error: { readonly message: string } }) => (
  <div class="problem" role="alert">
    <Icon name="warning" /> <Text>{error.message}</Text>
  </div>
);

/** A labelled list of facts. */
export const Facts = ({ children }: { readonly children: ComponentChildren }) => <dl class="facts">{children}</dl>;
export const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

export const Key = ({ children }: { readonly children: string }) => <kbd>{children}</kbd>;

/** Frame of a section of a page. */
export const Panel = ({
  title,
  aside,
  children,
  id,
}: {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly id?: string;
}) => (
  <section class="panel" aria-label={title} id={id}>
    <header>
      <h2>{title}</h2>
      {aside}
    </header>
    <div class="panel-body">{children}</div>
  </section>
);
