import type { Args } from '../../../core/call.js';
import type { TargetKind, Vetted } from '../../../net/target-vetting.js';
import type { Manifest } from '../manifest/manifest.js';
import type { Rejection } from './rejections.js';

/** Vets targets against a named network policy. */
export interface TargetPolicy {
  vet(kind: TargetKind, value: string, policy: string): Promise<Vetted>;
}

type TargetResult = { readonly ok: true; readonly args: Args } | { readonly ok: false; readonly objection: Rejection };

/** Vets a target and returns its canonical form and the address passed to the program instead of the name. */
export async function resolveTarget(manifest: Manifest, value: string, judge: TargetPolicy): Promise<TargetResult> {
  const { kind, policy, takes_addresses: takesAddresses, pin } = manifest.target;
  if (kind === 'none') return { ok: true, args: {} };
  const asAddress = kind === 'domain' && takesAddresses && isAddressLike(value);
  const vetted = await judge.vet(asAddress ? 'host' : kind, value, policy);
  if (!vetted.ok) {
    const { code, reason, hint, data } = vetted;
    return rejectTarget({
      stage: code === 'not_allowed' ? 'permission' : 'semantics',
      message: reason,
      value,
      ...(hint !== undefined && { hint }),
      data: { policy: vetted.policy, ...data },
    });
  }
  const { target, addresses, name } = vetted;
  // DNS rebinding: the program resolves the name in the URL again and may get another address (TOCTOU).
  if (kind === 'url' && name !== undefined && pin === undefined) {
    return rejectTarget({
      stage: 'semantics',
      message: `this tool cannot be pinned to the vetted address of ${name}`,
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

const isAddressLike = (value: string): boolean => /^[\d.]+$/.test(value) || value.includes(':');

const rejectTarget = (objection: Omit<Rejection, 'field'>): TargetResult => ({
  ok: false,
  objection: { field: 'target', example: '192.168.1.10', ...objection },
});
