import { useEffect, useState } from 'preact/hooks';
import { api, segment } from '../lib/api.js';
import { me } from '../lib/me.js';
import { go } from '../lib/router.js';
import { pendingTickets } from '../lib/tickets.js';
import { pages } from '../pages/index.js';
import { Dialog } from './dialog.js';
import { Text } from './text.js';

interface Target {
  readonly kind: string;
  readonly label: string;
  readonly path: string;
}

/** A longer list is narrowed by typing instead of scrolling. */
const mostShown = 12;

/** Command palette: pages, tools, sources, tickets and rules by a part of their name. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [remote, setRemote] = useState<readonly Target[]>([]);
  useEffect(() => {
    void loadTargets().then(setRemote);
  }, []);
  const all: readonly Target[] = [
    ...pages
      // Pages without icon need parameters and cannot be opened by name alone.
      .filter(({ icon, admin }) => icon !== undefined && (!admin || me.value?.may.admin === true))
      .map(({ title, paths }) => ({ kind: 'Page', label: title, path: paths[0] ?? '/' })),
    ...pendingTickets.value.map(({ id, tool, principal }) => ({
      kind: 'Ticket',
      label: `${tool} by ${principal}`,
      path: `/approvals/${segment(id)}`,
    })),
    ...remote,
  ];
  const wanted = text.toLowerCase();
  // Substring and not a pattern: input never becomes a regular expression, so ReDoS is impossible.
  const found = all.filter(({ kind, label }) => `${kind} ${label}`.toLowerCase().includes(wanted)).slice(0, mostShown);
  // The choice may lie beyond a list that typing just shortened.
  const chosen = found[Math.min(at, found.length - 1)];
  const open = (target: Target | undefined): void => {
    if (target === undefined) return;
    // Closed first, so that the dialog returns the focus before the new page takes it.
    onClose();
    go(target.path);
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((before) => Math.max(0, Math.min(found.length - 1, before + step)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(chosen);
    }
  };
  return (
    <Dialog label="Find" onClose={onClose}>
      <input
        type="text"
        class="palette-input"
        placeholder="Page, tool, source, ticket or rule"
        aria-label="Find a page, tool, source, ticket or rule"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={chosen && `palette-${found.indexOf(chosen)}`}
        value={text}
        autofocus
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <ul id="palette-list" role="listbox" class="palette" aria-label="Matches">
        {found.map((target, index) => (
          <li id={`palette-${index}`} role="option" aria-selected={target === chosen} onClick={() => open(target)}>
            <span class="kind">{target.kind}</span> <Text>{target.label}</Text>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="unknown">Nothing matches.</p>}
    </Dialog>
  );
}

/** Names that only the gateway has; a list that cannot be read is left out. */
async function loadTargets(): Promise<readonly Target[]> {
  const list = async <T,>(path: string, toTargets: (body: T) => readonly Target[]): Promise<readonly Target[]> => {
    try {
      return toTargets(await api<T>(path));
    } catch {
      return [];
    }
  };
  const isAdmin = me.value?.may.admin === true;
  const found = await Promise.all([
    list<{ readonly tools: readonly { readonly name: string }[] }>('/tools', ({ tools }) =>
      tools.map(({ name }) => ({ kind: 'Tool', label: name, path: `/tools/${segment(name)}` })),
    ),
    ...(isAdmin
      ? [
          list<{ readonly sources: readonly { readonly id: string }[] }>('/sources', ({ sources }) =>
            sources.map(({ id }) => ({ kind: 'Source', label: id, path: `/sources/${segment(id)}` })),
          ),
          list<{ readonly rules: readonly { readonly id: string }[] }>('/policy', ({ rules }) =>
            rules.map(({ id }) => ({ kind: 'Rule', label: id, path: `/policy?rule=${segment(id)}` })),
          ),
        ]
      : []),
  ]);
  return found.flat();
}
