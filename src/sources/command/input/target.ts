import type { Args } from '../../../core/call.js';
import type { Refusal } from '../../../net/egress/network-policy.js';
import type { ParsedTarget, TargetKind } from '../../../net/egress/target-vetting.js';
import type { Manifest } from '../manifest/manifest.js';
import type { Rejection } from './rejections.js';

/** Checks targets against a named network policy, in two steps: without a lookup, then by resolving the name. */
export interface TargetPolicy {
  parse(kind: TargetKind, value: string, policy: string): ParsedTarget | Refusal;
  resolve(
    name: string,
    policy: string,
    signal: AbortSignal,
  ): Promise<{ readonly ok: true; readonly addresses: readonly string[] } | Refusal>;
}

/** The arguments of a target, or why it is rejected. */
type TargetResult = { readonly ok: true; readonly args: Args } | { readonly ok: false; readonly objection: Rejection };

/** Checks a target without a lookup; returns its canonical form, with the address if it is a literal one. */
export function parseTarget(manifest: Manifest, value: string, policies: TargetPolicy): TargetResult {
  const { kind, policy, takes_addresses: takesAddresses, pin } = manifest.target;
  if (kind === 'none') return { ok: true, args: {} };
  // dig and whois take both; an address is then looked up in reverse.
  const asAddress = kind === 'domain' && takesAddresses && isAddressLike(value);
  const parsed = policies.parse(asAddress ? 'host' : kind, value, policy);
  if (!parsed.ok) return { ok: false, objection: toTargetRejection(parsed, value) };
  const { target, addresses, name } = parsed;
  // DNS rebinding: the program resolves the name in the URL again and may get another address (TOCTOU).
  if (kind === 'url' && name !== undefined && pin === undefined)
    return {
      ok: false,
      objection: rejectTarget({
        stage: 'semantics',
        message: `this tool cannot be pinned to the vetted address of ${name}`,
        value,
        hint: 'Put the address in the URL, such as http://192.168.1.10/',
      }),
    };
  const [address] = addresses;
  return {
    ok: true,
    args: { target, ...(address !== undefined && { address }), ...(name !== undefined && { name }) },
  };
}

/** Resolves the name of a parsed target and adds the vetted addresses, which the program gets instead of the name. */
export async function resolveTarget(
  { target: { kind, policy } }: Manifest,
  args: Args,
  policies: TargetPolicy,
  signal: AbortSignal,
): Promise<TargetResult> {
  const { name, address } = args;
  // A domain is data for the program (dig, whois), not a destination.
  if (typeof name !== 'string' || address !== undefined || kind === 'domain' || kind === 'none')
    return { ok: true, args };
  const found = await policies.resolve(name, policy, signal);
  if (!found.ok) return { ok: false, objection: toTargetRejection(found, String(args['target'])) };
  const [first] = found.addresses;
  return {
    ok: true,
    args: {
      ...args,
      ...(first !== undefined && { address: first }),
      ...(found.addresses.length > 1 && { addresses: found.addresses }),
    },
  };
}

/** Whether a text has the form of an address; the policy parses it properly. */
const isAddressLike = (value: string): boolean => /^[\d.]+$/.test(value) || value.includes(':');

/** A refusal of the network policy as a rejection of the argument `target`. */
const toTargetRejection = ({ code, reason, hint, data, policy }: Refusal, value: string): Rejection =>
  rejectTarget({
    stage: code === 'not_allowed' ? 'permission' : 'semantics',
    message: reason,
    value,
    ...(hint !== undefined && { hint }),
    data: { policy, ...data },
  });

/** A rejection of the argument `target`. */
const rejectTarget = (objection: Omit<Rejection, 'field'>): Rejection => ({
  field: 'target',
  example: '192.168.1.10',
  ...objection,
});
