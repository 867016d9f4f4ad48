import type { ComponentChildren } from 'preact';
import { INVISIBLE } from '../../lib/text/escape-invisible.js';

/** Text of an untrusted source: hidden characters are drawn as labelled boxes, line breaks stay. */
export function Text({ children, multiline = false }: { readonly children: string; readonly multiline?: boolean }) {
  // `bdi` isolates direction: a right-to-left name cannot reorder the words around it (bidi spoofing).
  return <bdi class={multiline ? 'text multiline' : 'text'}>{withMarks(children, multiline)}</bdi>;
}

/** Longer texts would freeze the tab; the rest is counted, so that the cut is visible. */
const maxDrawnCharacters = 200_000;

function withMarks(whole: string, multiline: boolean): ComponentChildren {
  const text = whole.length > maxDrawnCharacters ? whole.slice(0, maxDrawnCharacters) : whole;
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const found of text.matchAll(INVISIBLE)) {
    // In multi-line text these two are layout and not hidden.
    if (multiline && (found[0] === '\n' || found[0] === '\t')) continue;
    parts.push(text.slice(end, found.index), <HiddenCharacter text={found[0]} />);
    end = found.index + found[0].length;
    // A text of nothing but hidden characters would become more elements than a page can draw.
    if (parts.length > 2_000) break;
  }
  parts.push(text.slice(end));
  if (whole.length > maxDrawnCharacters) parts.push(<em> … {whole.length - maxDrawnCharacters} more characters</em>);
  return parts.length === 1 ? text : parts;
}

function HiddenCharacter({ text }: { readonly text: string }) {
  const code = (text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return (
    <span class="hidden-character" title={`Hidden character U+${code}`}>
      U+{code}
    </span>
  );
}

/** A name: tool, source, principal, rule. */
export const Name = ({ children }: { readonly children: string }) => (
  <code class="name">
    <Text>{children}</Text>
  </code>
);
