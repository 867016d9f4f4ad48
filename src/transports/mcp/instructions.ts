import type { Gateway, Identity, View } from '../../core/gateway.js';

/** The gateway's own instructions, followed by those of the sources that this view sees. */
export function instructionsFor(
  { identity, gateway }: { readonly identity: Identity; readonly gateway: Gateway },
  view: View,
): string | undefined {
  const sources = gateway.instructions?.(view) ?? '';
  if (sources === '') return identity.instructions;
  return identity.instructions === undefined ? sources : `${identity.instructions}\n\n${sources}`;
}
