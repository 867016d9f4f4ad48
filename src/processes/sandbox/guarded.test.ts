import { execFileSync, spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { aRun, aSpec, eventually, finished, oddSleep, processesNamed } from '../../../test/support/processes.js';
import { credentialPaths, startupPaths } from './credential-paths.js';
import { planLaunch, type LaunchContext } from '../launch.js';
import { ownLimits } from '../limits.js';
import { processes } from '../processes.js';
import { protectedPaths } from './protected-paths.js';
import type { ProcessSpec } from '../process-spec.js';

// Not below /tmp, which is private anyway: these must be hidden by their masks.
const place = mkdtempSync('/var/tmp/toolgate-guarded-');
const home = join(place, 'home');
const state = join(home, '.toolgate');
const config = join(home, 'project/toolgate.yaml');
const env = { HOME: home };
const folders = ['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.mozilla', '.password-store', '.config/gcloud'];
const credentials = Object.values(credentialPaths).flat();
const fileOf = (path: string): string => (folders.includes(path) ? join(home, path, 'secret') : join(home, path));

const plant = (path: string, text: string): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};
for (const path of [...folders, ...credentials]) {
  try {
    plant(fileOf(path), 'SECRET');
  } catch {
    // the path is a folder of an earlier row, which is masked as a whole
  }
}
for (const path of startupPaths) if (!path.includes('/') && path.startsWith('.')) plant(join(home, path), 'own text\n');
plant(join(state, 'token'), 'SECRET');
plant(join(state, 'packages/npm/some@1.0.0/index.js'), 'package code');
plant(join(state, 'packages/npm/other@1.0.0/index.js'), 'SECRET');
plant(config, 'SECRET');
plant(join(home, 'project/notes.txt'), 'my notes');
// A dotfile manager keeps the file elsewhere, and a link in its place.
plant(join(home, 'dotfiles/aws'), 'SECRET');
symlinkSync(join(home, 'dotfiles/aws'), join(home, '.aws/credentials'));

const paths = protectedPaths(env, [state, config]);
const local = processes({ paths });
const { guarded } = await local.tiers();
afterAll(async () => {
  await local.close();
  rmSync(place, { recursive: true, force: true });
});

const isRoot = process.getuid?.() === 0;
const held = (script: string, over: Partial<ProcessSpec> = {}): ProcessSpec =>
  aSpec(script, { tier: 'bwrap', guarded: {}, cwd: join(home, 'project'), limits: { openFiles: 256 }, ...over });

/** Runs a script in the profile: as this user, or as another one. */
async function output(script: string, over: Partial<ProcessSpec> = {}, uid?: number): Promise<string> {
  const spec = held(script, over);
  if (isRoot) execFileSync('chown', ['-hR', String(uid ?? 0), place]);
  if (uid === undefined) {
    const { stdout, stderr } = finished(await local.run(spec, aRun()));
    return `${stdout}${stderr}`;
  }
  const report = await local.tiers();
  const context: LaunchContext = { report, bestEffort: false, uid, ownLimits: ownLimits(), hasCgroups: false, paths };
  process.seteuid?.(uid); // the broker of that user could not look into the folders of this one either
  const plan = planLaunch(spec, 1n, context);
  process.seteuid?.(0);
  if (plan.kind === 'refused') throw new Error(plan.message);
  const user = ['--reuid', String(uid), '--regid', String(uid), '--clear-groups', '--'];
  const { stdout, stderr } = spawnSync('setpriv', [...user, ...plan.argv], { encoding: 'utf8', env: spec.env });
  return `${stdout}${stderr}`;
}

/** Every file planted above, as a list of shell words. */
const everyCredential = credentials.map((path) => `"${fileOf(path)}"`).join(' ');

describe.skipIf(!guarded.available)('in the guarded profile', () => {
  const users = isRoot
    ? ([
        ['this user', undefined],
        ['a user without rights', 1000],
      ] as const)
    : ([['this user', undefined]] as const);

  test.each(users)('no credential of the table, no token and no configuration can be read, as %s', async (_, uid) => {
    const script = `for f in ${everyCredential} "${state}/token" "${config}" "${home}/dotfiles/aws" "${state}/packages/npm/other@1.0.0/index.js"; do
      grep -q SECRET "$f" 2>/dev/null && echo "READ $f"; done
      grep -rl SECRET "${home}" 2>/dev/null; cat "${home}/project/notes.txt"`;
    expect(await output(script, {}, uid)).toBe('my notes');
  });

  test.each(users)(
    'ordinary files are written, start-up files and the gateway’s files are not, as %s',
    async (_, uid) => {
      const script = `set +e; echo new > "${home}/project/new.txt"; mkdir -p "${home}/.cache/x" && echo ok > "${home}/.cache/x/y"
      for f in "${home}/.bashrc" "${home}/.profile" "${state}/token" "${state}/keys"; do echo evil >> "$f"; done
      echo evil > "${config}"; rm -f "${config}"; mv "${home}/project" "${home}/moved"; mv "${state}" "${state}2"; mv "${home}" "${home}2"; true`;
      await output(script, {}, uid);
      expect(readFileSync(join(home, 'project/new.txt'), 'utf8')).toBe('new\n');
      expect(readFileSync(join(home, '.cache/x/y'), 'utf8')).toBe('ok\n');
      expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe('own text\n');
      expect(readFileSync(join(state, 'token'), 'utf8')).toBe('SECRET');
      expect(readFileSync(config, 'utf8')).toBe('SECRET');
      expect(readdirSync(state).sort()).toEqual(['packages', 'token']);
      rmSync(join(home, '.cache/x'), { recursive: true });
    },
  );

  test.each(users)('no process outside is seen, and its mounts cannot be taken away, as %s', async (_, uid) => {
    const script = `cat /proc/${process.pid}/environ 2>&1; ls /proc | grep -c '^[0-9]'; umount "${state}" 2>&1
      unshare -Urm sh -c 'umount "${state}"; umount -l "${home}/.ssh"; cat "${state}/token" "${home}/.ssh/secret"' 2>/dev/null
      ls /run/docker.sock /run/user /run/dbus 2>/dev/null; true`;
    const text = await output(script, {}, uid);
    expect(text).toMatch(/environ: No such file/);
    expect(Number(/^\d+$/m.exec(text)?.[0])).toBeLessThan(10);
    expect(text).not.toContain('SECRET');
    expect(text).not.toContain('/run/');
  });

  test('the folder of a package is readable and not writable, though it is inside the hidden state folder', async () => {
    const folder = join(state, 'packages/npm/some@1.0.0');
    const script = `cat ${folder}/index.js; echo evil > ${folder}/index.js; ls -A ${state} ${state}/packages/npm`;
    const text = await output(script, { readable: [folder] });
    expect(text).toMatch(/^package code/);
    expect(text).toContain('Read-only file system');
    expect(text).not.toContain('token');
    expect(text).not.toContain('other@1.0.0');
  });

  test('what the operator unmasks is visible, and only that', async () => {
    const unmasked = [join(home, '.ssh'), join(home, '.config/gcloud/secret')];
    const script = `cat ${home}/.ssh/secret ${home}/.config/gcloud/secret ${home}/.aws/secret`;
    const text = await output(script, { guarded: { unmasked } });
    expect(text.match(/SECRET/g)).toHaveLength(2);
    expect(
      await output(`cat ${home}/project/notes.txt`, { guarded: { masked: [join(home, 'project/notes.txt')] } }),
    ).toBe('');
  });

  test('a path named in its arguments is visible in the private /tmp, everything else there is not', async () => {
    const tmp = mkdtempSync('/tmp/toolgate-named-');
    const other = mkdtempSync('/tmp/toolgate-other-');
    try {
      plant(join(tmp, 'src/server.sh'), 'true');
      plant(join(tmp, 'lib/part.sh'), 'beside');
      const script = `cat ${tmp}/lib/part.sh; ls /tmp; echo x > /tmp/mine && echo private`;
      const text = await output(script, { guarded: { named: [join(tmp, 'src/server.sh')] } });
      expect(text).toBe(`beside${tmp.slice(5)}\nprivate\n`);
      expect(() => lstatSync('/tmp/mine')).toThrow();
    } finally {
      for (const folder of [tmp, other]) rmSync(folder, { recursive: true });
    }
  });

  test.skipIf(!isRoot)(
    'as root the system is read-only: no cron job, no program and no kernel setting can be replaced',
    async () => {
      const script = `for f in /etc/cron.d/evil /usr/bin/evil /bin/evil /evil /sys/kernel/uevent_helper /proc/sys/kernel/core_pattern; do
      (true >> "$f") 2>/dev/null && echo "WROTE $f"; done; cat /etc/shadow; grep CapEff /proc/self/status`;
      expect(await output(script)).toBe('CapEff:\t0000000000000000\n');
    },
  );

  test('nothing survives: not a new session with a lowered marker, neither its exit nor the end of the gateway', async () => {
    const [first, second] = [oddSleep(), oddSleep()];
    const escape = (odd: string): string =>
      `prlimit --rttime=1000000:1000000 setsid sh -c 'sleep ${odd} & sleep ${odd}' >/dev/null 2>&1 & `;
    await output(`${escape(first)} sleep 0.2`);
    await eventually(
      () => processesNamed(first).length,
      (left) => left === 0,
    );
    const own = processes({ paths });
    const handlers = { onStdout: () => {}, onStderr: () => {}, onExit: () => {} };
    const opened = await own.open(held(`${escape(second)} sleep ${second}`), handlers);
    expect(opened.kind).toBe('open');
    await eventually(
      () => processesNamed(second).length,
      (found) => found > 2,
    );
    await own.close();
    expect(processesNamed(second)).toEqual([]);
  });

  test('a listed folder of the strict profile does not contain the gateway’s files either', async () => {
    const { guarded: _, ...strict } = held(`cat ${state}/token ${config} ${home}/project/notes.txt`, {
      writable: [home],
    });
    expect(`${finished(await local.run(strict, aRun())).stdout}`).toBe('my notes');
  });

  test('Chromium finds shared memory, and user namespaces for its own sandbox', async () => {
    const script =
      "echo x > /dev/shm/x && df -k /dev/shm | tail -1 | awk '{print ($2 >= 65536)}'; unshare -U true && echo nested";
    expect(await output(script, {}, isRoot ? 1000 : undefined)).toBe('1\nnested\n');
  });
});
