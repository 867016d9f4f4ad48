import type { Flag } from './flag.js';
import type { Manifest } from './manifest.js';

/** A declared flag that widens what a caller can do beyond reading. */
interface RiskyFlag {
  /** Argument name in the manifest. */
  readonly name: string;
  readonly spelling: string;
  readonly risk: string;
}

/** A kind of risk, with the spellings by which it is recognised. */
interface Risk {
  readonly risk: string;
  readonly long: RegExp;
  /** Short flags have many meanings; they count only if they take a free value. */
  readonly short: RegExp;
}

/** Spellings that are common across programs; a manifest that allow-lists one deserves a second look. */
const risks: readonly Risk[] = [
  {
    risk: 'writes files',
    long: /^--(?:out(?:put|file)?(?:-(?:file|dir|document|format))?|write(?:-\w+)?|save(?:-\w+)?|dump|log-?file|append-output|download-dir|extract-dir)$/,
    short: /^-(?:[oOw]|o[NXGAS])$/,
  },
  {
    risk: 'executes programs',
    long: /^--(?:exec(?:ute)?(?:-\w+)?|eval|run|shell|sh-exec|script|command|to-command|checkpoint-action|use-compress-program|rsh|proxy-?command|plugin|load(?:-\w+)?|hook)$/,
    short: /^-(?:[ec]|exec|execdir|ok|okdir)$/,
  },
  {
    risk: 'listens for connections',
    long: /^--(?:listen(?:-\w+)?|bind(?:-\w+)?|serve|server|daemon|keep-open)$/,
    short: /^-(?:listen)$/,
  },
  {
    risk: 'raises privileges',
    long: /^--(?:sudo|become|as-root|privileged|setuid|suid|cap-add|user|run-as)$/,
    short: /^-(?:sudo)$/,
  },
];

/** A closed list of values cannot name a file or a program. */
const isFree = ({ type, values }: Flag): boolean => values === undefined && (type === 'string' || type === 'list');

/** Flags of a manifest that write files, execute, listen or raise privileges by their spelling. */
export function riskyFlags({ flags }: Pick<Manifest, 'flags'>): readonly RiskyFlag[] {
  return Object.entries(flags).flatMap(([name, flag]) =>
    flag.flag.flatMap((spelling) => {
      const found = risks.find(
        ({ long, short, risk }) =>
          // A closed list of formats, as in `--output json`, writes no file.
          (long.test(spelling) && (flag.values === undefined || risk !== 'writes files')) ||
          (short.test(spelling) && isFree(flag)),
      );
      return found === undefined ? [] : [{ name, spelling, risk: found.risk }];
    }),
  );
}
