import { existsSync } from 'node:fs';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import type { Running } from './toolgate.js';
import { toolgate } from './toolgate.js';

/** Debian's Chromium; CI installs it. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
export const hasBrowser = existsSync(executablePath);
if (!hasBrowser) console.warn(`console specs skipped: no ${executablePath} (apt-get install chromium)`);

let launched: Promise<Browser> | undefined;

/** One browser per test file; every page has a context of its own. */
export function browser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return launched;
}
afterAll(async () => {
  await (await launched)?.close();
  launched = undefined;
});

export interface OpenOptions {
  readonly path?: string;
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Key to log in with; the owner by default. */
  readonly key?: string;
  /** Failing requests the test provokes, by a part of the address; the browser reports each as an error. */
  readonly expectFailed?: readonly string[];
}

export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Problems so far: errors, policy violations, requests to other hosts. */
  readonly problems: readonly string[];
}

/** Opens the console of a running gateway, logged in as `toolgate console` does it; fails the test for any problem in the page. */
export async function openConsole(gate: Running, cwd: string, options: OpenOptions = {}): Promise<ConsolePage> {
  const context = await (
    await browser()
  ).newContext({
    colorScheme: options.colorScheme ?? 'light',
    viewport: options.viewport ?? { width: 1280, height: 900 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const problems = watch(page, gate.url, options.expectFailed ?? []);
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  await page.goto(await consoleAddress(gate, cwd, options));
  return { page, context, problems };
}

/** The address that `toolgate console --print` prints, with a path of the console in it. */
export async function consoleAddress(
  gate: Running,
  cwd: string,
  { path = '', key }: Pick<OpenOptions, 'path' | 'key'> = {},
): Promise<string> {
  const { out, err, code } = await toolgate(cwd, ['console', '--print', '--url', gate.url], {
    ...(key !== undefined && { TOOLGATE_TOKEN: key }),
  });
  if (code !== 0) throw new Error(err);
  return out.trim().replace('/console#', `/console${path}#`);
}

/** Collects console errors, exceptions, violations of the content security policy and requests to other origins. */
export function watch(page: Page, origin: string, expectFailed: readonly string[] = []): string[] {
  const problems: string[] = [];
  const isExpected = (text: string): boolean => expectFailed.some((part) => text.includes(part));
  page.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(`${message.text()} ${message.location().url}`))
      problems.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => problems.push(`exception: ${error.stack ?? error.message}`));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (
      !url.startsWith(`${origin}/`) &&
      !url.startsWith('data:') &&
      !url.startsWith(`blob:${origin}/`) &&
      !isExpected(url)
    )
      problems.push(`foreign request: ${url}`);
  });
  return problems;
}
