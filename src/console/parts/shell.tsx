import { useEffect, useState } from 'preact/hooks';
import { connection, epoch, lastSeen } from '../lib/events.js';
import { clock, span } from '../lib/format.js';
import { useKeys } from '../lib/keys.js';
import { me } from '../lib/me.js';
import { go, href, match, route } from '../lib/router.js';
import { logOut, session } from '../lib/session.js';
import { switchTheme, theme } from '../lib/theme.js';
import { dropExpired, loadTickets, pendingTickets, watchTickets } from '../lib/tickets.js';
import { pages, type PageEntry } from '../pages/index.js';
import { Icon } from './icons.js';
import { KeyHelp } from './key-help.js';
import { Palette } from './palette.js';
import { Text } from './text.js';

/** The page of a path, with the parameters in it. */
function findPage(
  path: string,
): { readonly page: PageEntry; readonly params: Readonly<Record<string, string>> } | undefined {
  for (const page of pages)
    for (const pattern of page.paths) {
      const params = match(pattern, path);
      if (params) return { page, params };
    }
  return undefined;
}

/** Frame of every page: navigation, top bar, keys, palette. */
export function Shell() {
  const [help, setHelp] = useState(false);
  const [palette, setPalette] = useState(false);
  const { path } = route.value;
  const found = findPage(path);
  useEffect(() => watchTickets(), []);
  // A new epoch means missed events, also approvals: the list is loaded again.
  useEffect(() => {
    void loadTickets();
  }, [epoch.value]);
  // The clock removes expired tickets, without waiting for an event.
  useEffect(() => dropExpired(clock.value), [clock.value]);
  useEffect(() => {
    // The count is in the title, so that a background tab shows waiting calls.
    const waiting = pendingTickets.value.length;
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${found?.page.title ?? 'Unknown page'} · Toolgate`;
  }, [path, pendingTickets.value.length]);
  useEffect(() => {
    const onPalette = (event: KeyboardEvent): void => {
      // Not through `useKeys`, which ignores modifiers: this one works inside fields too.
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      setPalette(true);
    };
    // In the capture phase: a dialog that is still closing stops key events.
    document.addEventListener('keydown', onPalette, true);
    return () => document.removeEventListener('keydown', onPalette, true);
  }, []);
  useKeys(
    [
      ...pages
        .filter(({ key }) => key !== undefined)
        .map(({ key, title, paths }) => ({ keys: `g ${key}`, does: title, run: () => go(paths[0] ?? '/') })),
      { keys: '?', does: 'Show the keys of this page', run: () => setHelp(true) },
      { keys: '/', does: 'Find pages, tools, sources, tickets', run: () => setPalette(true) },
    ],
    [],
  );
  return (
    <div class="shell">
      <a class="skip" href="#content" target="_self">
        Skip to the content
      </a>
      <TopBar onPalette={() => setPalette(true)} />
      <Navigation current={found?.page} />
      <main id="content" tabIndex={-1}>
        {found === undefined ? (
          <p>This page does not exist.</p>
        ) : (
          <found.page.Page {...found.params} key={pageKey(found.page, path)} />
        )}
      </main>
      <InboxAnnouncement />
      {help && <KeyHelp onClose={() => setHelp(false)} />}
      {palette && <Palette onClose={() => setPalette(false)} />}
    </div>
  );
}

/** Pages with a list beside the detail stay mounted while the detail changes. */
const pageKey = (page: PageEntry, path: string): string => (page.keepsList === true ? page.title : path);

function Navigation({ current }: { readonly current: PageEntry | undefined }) {
  const isAdmin = me.value?.may.admin === true;
  return (
    <nav aria-label="Pages">
      {pages
        .filter(({ admin, icon }) => icon !== undefined && (!admin || isAdmin))
        .map((page) => (
          <a
            href={href(page.paths[0] ?? '/')}
            aria-current={page === current ? 'page' : undefined}
            title={page.key === undefined ? page.title : `${page.title} (g ${page.key})`}
          >
            {page.icon && <Icon name={page.icon} />}
            <span class="nav-label">{page.title}</span>
            {page.title === 'Approvals' && pendingTickets.value.length > 0 && (
              <span class="badge">{pendingTickets.value.length}</span>
            )}
          </a>
        ))}
    </nav>
  );
}

function TopBar({ onPalette }: { readonly onPalette: () => void }) {
  return (
    <header class="top">
      <a class="brand" href={href('/')}>
        <img src="/console/assets/icon.svg" alt="" width="20" height="20" />
        <span>Toolgate</span>
      </a>
      <LiveState />
      <button type="button" class="find" onClick={onPalette}>
        Find <kbd>Ctrl K</kbd>
      </button>
      <span class="who" title={me.value?.roles.join(', ')}>
        <Text>{me.value?.id ?? session.value?.principal ?? ''}</Text>
      </span>
      <button
        type="button"
        class="quiet"
        onClick={switchTheme}
        aria-label={`Use the ${theme.value === 'dark' ? 'light' : 'dark'} scheme`}
      >
        <Icon name={theme.value === 'dark' ? 'sun' : 'moon'} />
      </button>
      <button type="button" class="quiet" onClick={() => void logOut()} aria-label="Log out">
        <Icon name="out" />
      </button>
    </header>
  );
}

/** Whether what the page shows is current. */
function LiveState() {
  const state = connection.value;
  const silent = state === 'live' ? clock.value - lastSeen.value : 0;
  // The gateway sends a heartbeat every 15 s: longer silence means that the connection is dead without having been closed.
  const isStale = state === 'live' && lastSeen.value > 0 && silent > 40_000;
  const text = {
    off: 'Not connected',
    connecting: 'Connecting',
    lost: 'Connection lost; trying again',
    live: isStale ? `No sign of life for ${span(silent / 1000)}` : 'Live',
  }[state];
  const meaning = state === 'live' && !isStale ? 'good' : state === 'lost' || isStale ? 'bad' : 'unknown';
  return (
    <span class={`live ${meaning}`} role="status">
      <span class="dot" aria-hidden="true" /> {text}
    </span>
  );
}

/** Reads new tickets to people who do not see the page. */
function InboxAnnouncement() {
  const { length } = pendingTickets.value;
  return (
    <p class="visually-hidden" aria-live="polite">
      {length === 0
        ? 'No call waits for approval'
        : `${length} ${length === 1 ? 'call waits' : 'calls wait'} for approval`}
    </p>
  );
}
