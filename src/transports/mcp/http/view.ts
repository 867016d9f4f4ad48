import type { View } from '../../../core/gateway.js';
import type { HttpContext } from '../../http/edge/route.js';

/** The caller's view; the profile, if there is one, is the route parameter of `/p/{profile}` URLs. */
export function viewOf({ principal, params, peer }: Pick<HttpContext, 'principal' | 'params' | 'peer'>): View {
  const { profile } = params;
  return profile === undefined ? { principal, peer } : { principal, profile, peer };
}
