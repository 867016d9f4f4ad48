import type { Args } from '../../core/call.js';
import type { TargetKind, Vetted } from '../../net/targets.js';
import type { Manifest } from './manifest.js';
import type { Objection } from './refusals.js';

/** Decides where a tool may be pointed, by the name of a network policy. */
export interface TargetJudge {
  vet(kind: TargetKind, value: string, policy: string): Promise<Vetted>;
}

type Aimed = { readonly ok: true; readonly args: Args } | { readonly ok: false; readonly objection: Objection };

/** The arguments a vetted target becomes: its canonical form and the address the program is given instead of a name. */
export async function targetOf(manifest: Manifest, value: string, judge: TargetJudge): Promise<Aimed> {
  const { kind, policy, takes_addresses: takesAddresses, pin } = manifest.target;
  if (kind === 'none') return { ok: true, args: {} };
  const asAddress = kind === 'domain' && takesAddresses && looksLikeAddress(value);
  const vetted = await judge.vet(asAddress ? 'host' : kind, value, policy);
  if (!vetted.ok) {
    const { code, reason, hint, data } = vetted;
    return no({
      stage: code === 'not_allowed' ? 'permission' : 'semantics',
      message: reason,
      value,
      ...(hint !== undefined && { hint }),
      data: { policy: vetted.policy, ...data },
    });
  }
  const { target, addresses, name } = vetted;
  // The program looks the name in a URL up once more, and by then it may lead elsewhere.
  if (kind === 'url' && name !== undefined && pin === undefined) {
    return no({
      stage: 'semantics',
      message: `this tool cannot be held to the address of ${name}`,
      value,
      hint: `Put the address in the URL, such as ${addresses[0] ?? '192.168.1.10'}`,
    });
  }
  const [address] = addresses;
  return {
    ok: true,
    args: {
      target,
      ...(address !== undefined && { address }),
      ...(addresses.length > 1 && { addresses }),
      ...(name !== undefined && { name }),
    },
  };
}

const looksLikeAddress = (value: string): boolean => /^[\d.]+$/.test(value) || value.includes(':');

const no = (objection: Omit<Objection, 'field'>): Aimed => ({
  ok: false,
  objection: { field: 'target', example: '192.168.1.10', ...objection },
});
