import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../parts/icons.js';
import { Text } from '../parts/text.js';
import { route } from '../lib/router.js';
import { endReason, logInAtIssuer, logInWithKey } from '../lib/session.js';

interface Issuers {
  readonly issuers: readonly string[];
}

/** Why a login at an issuer failed; the issuer's own words are not shown. */
const loginProblems: Readonly<Record<string, string>> = {
  expired: 'The login took too long or was finished before; begin again',
  denied: 'The issuer did not log you in',
  invalid: 'The answer of the issuer is not valid for this gateway; see its log',
  unavailable: 'The issuer cannot be reached; try again, or log in with a key',
  busy: 'Too many logins are under way; try again in a minute',
};
const problemOf = (key: string | null): string | undefined =>
  // The key comes from the address: only own keys, never a name of the prototype.
  key !== null && Object.hasOwn(loginProblems, key) ? loginProblems[key] : undefined;

/** Login: a command on this machine, an account at an issuer, or a key. */
export function LoginPage() {
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [issuers, setIssuers] = useState<Issuers['issuers']>([]);
  useEffect(() => {
    document.title = 'Log in · Toolgate';
    fetch('/console/login')
      .then((answer) => (answer.ok ? (answer.json() as Promise<Issuers>) : { issuers: [] }))
      .then((found) => setIssuers(found.issuers))
      .catch(() => undefined);
  }, []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(await logInWithKey(key.trim()));
    setBusy(false);
  };
  const atIssuer = async (name: string): Promise<void> => {
    setBusy(true);
    setProblem(await logInAtIssuer(name));
    setBusy(false);
  };
  const message = problem ?? endReason.value ?? problemOf(route.value.query.get('login'));
  return (
    <main class="login">
      <h1>
        <img src="/console/assets/icon.svg" alt="" width="28" height="28" /> Toolgate
      </h1>
      {message !== undefined && (
        <p class="problem" role="alert">
          <Icon name="warning" /> <Text>{message}</Text>
        </p>
      )}
      <section class="panel">
        <div class="panel-body">
          <h2>On the machine of the gateway</h2>
          <p>Run this in a terminal; it opens the console in your browser:</p>
          <pre class="command">toolgate console</pre>
        </div>
      </section>
      {issuers.length > 0 && (
        <section class="panel">
          <div class="panel-body">
            <h2>With your account</h2>
            <div class="row">
              {issuers.map((name) => (
                <button type="button" class="primary" disabled={isBusy} onClick={() => void atIssuer(name)}>
                  Log in with {name}
                </button>
              ))}
            </div>
          </div>
        </section>
      )}
      <form class="panel" onSubmit={(event) => void submit(event)}>
        <div class="panel-body">
          <h2>
            <label for="key">With a key</label>
          </h2>
          <p>
            Of <code>toolgate token create</code>. It is exchanged for a session of this tab and not stored.
          </p>
          <div class="row">
            <input
              id="key"
              type="password"
              autocomplete="off"
              value={key}
              onInput={(event) => setKey(event.currentTarget.value)}
            />
            <button type="submit" class="primary" disabled={isBusy || key.trim() === ''}>
              Log in
            </button>
          </div>
        </div>
      </form>
    </main>
  );
}
