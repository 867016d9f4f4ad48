import { render } from 'preact';
import { effect } from '@preact/signals';
import { epoch, stopEvents } from './lib/events.js';
import { handleKey } from './lib/keys.js';
import { loadMe, me } from './lib/me.js';
import { followLinks } from './lib/router.js';
import { endReason, logInWithCode, session, takeCode } from './lib/session.js';
import './lib/theme.js';
import { LoginPage } from './pages/login.js';
import { Shell } from './parts/shell.js';

// Before anything else: the code must not stay in the address bar or the history.
const code = takeCode();

// Delegated at the document: links and keys of pages that mount later need no registration.
document.addEventListener('click', followLinks);
document.addEventListener('keydown', handleKey);

const App = () => (session.value === undefined ? <LoginPage /> : <Shell />);

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no #app');

// Exchanged before the first render, so that the login page does not flash.
if (code !== undefined) {
  const problem = await logInWithCode(code);
  if (problem !== undefined) endReason.value = problem;
}
effect(() => {
  // Also after lost events: the gateway may have restarted with other roles.
  void epoch.value;
  if (session.value !== undefined) void loadMe();
  else {
    // Nothing of the ended session may stay visible: neither its stream nor its roles.
    stopEvents();
    me.value = undefined;
  }
});
render(<App />, root);
