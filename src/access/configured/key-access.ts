import type { Config } from '../../config/schema.js';
import type { Door } from '../../core/call.js';
import type { JsonObject } from '../../core/json.js';
import type { Principal } from '../../core/principal.js';
import type { ConsoleSessions } from '../identity/console-sessions.js';
import type { KeyStore } from '../identity/keys.js';

/** What the routes about keys work with. */
interface KeyAccessOptions {
  readonly keys: KeyStore;
  readonly sessions: ConsoleSessions;
  readonly config: () => Config;
  /** Time of the last call of a principal; undefined if none is known. */
  readonly lastCall: (principal: string) => string | undefined;
  readonly record: (
    action: 'token_create' | 'token_revoke' | 'console_logout',
    target: string,
    by: Principal,
    door: Door,
  ) => void;
}

/** Names become parts of principal ids, so nothing that could forge another id is allowed. */
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;
/** About ten years. */
const mostDays = 3_650;

/** Keys and sessions for administrators over HTTP. */
export function keyAccess({ keys, sessions, config, lastCall, record }: KeyAccessOptions) {
  return {
    list: (): JsonObject => ({
      keys: keys.list().map(({ name, roles, profile, created, expires }) => ({
        name,
        principal: `key:${name}`,
        roles,
        profile: profile ?? null,
        created,
        expires: expires ?? null,
        last_call: lastCall(`key:${name}`) ?? null,
      })),
      sessions: sessions.list().map(({ id, principal, created, expires, used }) => ({
        id,
        principal: principal.id,
        created,
        expires,
        used,
      })),
    }),
    async create(
      { name, roles = ['user'], profile, days }: JsonObject,
      by: Principal,
      door: Door,
    ): Promise<JsonObject | string | undefined> {
      // A string is the problem for the caller; undefined means that the name is taken.
      if (typeof name !== 'string' || !namePattern.test(name)) return 'name must be 1 to 64 letters, digits, _ or -';
      if (
        !Array.isArray(roles) ||
        !roles.every((role): role is string => typeof role === 'string' && namePattern.test(role))
      )
        return 'roles must be a list of names';
      if (profile !== undefined && (typeof profile !== 'string' || !Object.hasOwn(config().access.profiles, profile)))
        return 'profile must be one of access.profiles';
      if (days !== undefined && (typeof days !== 'number' || !(days > 0 && days <= mostDays)))
        return `days must be a number up to ${mostDays}`;
      const expires = days === undefined ? undefined : new Date(Date.now() + days * 86_400_000);
      // The key itself is returned once and stored as a hash only.
      const key = await keys.create({
        name,
        roles,
        ...(profile !== undefined && { profile }),
        ...(expires && { expires }),
      });
      if (key === undefined) return undefined;
      record('token_create', `key:${name}`, by, door);
      return { name, key, principal: `key:${name}`, roles, ...(expires && { expires: expires.toISOString() }) };
    },
    async revoke(name: string, by: Principal, door: Door): Promise<boolean> {
      // Sessions and keys share the route; their ids differ by the prefix.
      const isSession = name.startsWith('cs_') && sessions.revoke(name);
      if (!isSession && !(await keys.revoke(name))) return false;
      record(isSession ? 'console_logout' : 'token_revoke', isSession ? name : `key:${name}`, by, door);
      return true;
    },
  };
}
