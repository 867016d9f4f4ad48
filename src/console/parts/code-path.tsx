import { Text } from './text.js';

export interface CodeLine {
  readonly line: number;
  readonly text: string;
}

export interface FlowStep {
  readonly at: { readonly file: string; readonly startLine: number };
  readonly says: string;
  readonly code?: readonly CodeLine[];
}

/**
 * Lines of code with their numbers, one of them marked. Scanned code is untrusted: `Text` makes bidi controls visible
 * (Trojan Source).
 */
export const Code = ({ lines, marked }: { readonly lines: readonly CodeLine[]; readonly marked: number }) =>
  lines.length === 0 ? (
    <p class="unknown">The code cannot be read any more.</p>
  ) : (
    <pre class="code">
      {lines.map(({ line, text }) => (
        <span class={line === marked ? 'code-line marked' : 'code-line'}>
          <span class="line-number">{line}</span>
          <Text>{text}</Text>
          {'\n'}
        </span>
      ))}
    </pre>
  );

/** The way of a value from the parameter to the sink, step by step in the code. */
export const CodePath = ({ flow }: { readonly flow: readonly FlowStep[] }) => (
  <ol class="path">
    {flow.map(({ at, says, code = [] }, index) => (
      <li>
        <div>
          <strong>{index === 0 ? 'parameter' : index === flow.length - 1 ? 'sink' : 'step'}</strong> <Text>{says}</Text>{' '}
          <code class="note">
            <Text>{`${at.file}:${at.startLine}`}</Text>
          </code>
        </div>
        <Code lines={code} marked={at.startLine} />
      </li>
    ))}
  </ol>
);
