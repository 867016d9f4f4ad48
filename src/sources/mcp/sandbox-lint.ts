import type { EntryFinding } from '../kind.js';
import type { McpConfig } from './config.js';
import { sandboxChoice } from './sandbox.js';

/** Findings about the sandbox of a local server: a weak tier, and settings without effect in the chosen one. */
export function sandboxFindings({ url, sandbox }: McpConfig): readonly EntryFinding[] {
  if (url !== undefined) return [];
  const { tier, profile } = sandboxChoice(sandbox);
  const weak: readonly EntryFinding[] =
    tier === 'bwrap'
      ? []
      : [
          {
            rule: 'weak-sandbox',
            severity: 'warning',
            key: 'sandbox.tier',
            message:
              tier === 'none'
                ? 'starts the server unsandboxed: it can read your files and the token of the gateway'
                : 'sets resource limits only: the server can read your files and the token of the gateway',
            hint: 'Remove the key for the guarded profile of bwrap; sandbox.unmasked shows it a folder it needs',
          },
        ];
  const only = (keys: readonly ('masked' | 'unmasked' | 'readable' | 'writable')[], place: string) =>
    keys
      .filter((key) => sandbox[key].length > 0)
      .map((key) => ({
        rule: 'unused-sandbox-setting',
        severity: 'warning' as const,
        key: `sandbox.${key}`,
        message: `has no effect: it belongs to ${place}`,
        hint: 'Remove it, or change sandbox.tier and sandbox.profile',
      }));
  return [
    ...weak,
    ...(profile === 'guarded' ? [] : only(['masked', 'unmasked'], 'the guarded profile of the bwrap tier')),
    ...(tier === 'bwrap' ? [] : only(['readable', 'writable'], 'the bwrap tier')),
  ];
}
