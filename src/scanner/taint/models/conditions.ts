import type { CallSite } from './sinks.js';
import type { ConditionName } from './rows.js';

/** Client with a fixed base URL: the argument is a path on that host, so SSRF is ruled out. */
const hasBaseUrl = (call: CallSite): boolean =>
  call.language === 'python' ? call.receiver?.fields?.has('base_url') === true : hasBaseOption(call);

function hasBaseOption({ receiver }: CallSite): boolean {
  const options = receiver?.value?.kind === 'result' ? receiver.value.args.positional[0] : undefined;
  return (
    options !== undefined &&
    // Unknown options may contain a base URL: prefer a missed finding to a false positive.
    (options.kind !== 'object' ||
      options.open ||
      ['baseURL', 'prefixUrl', 'prefix'].some((key) => options.props.has(key)))
  );
}

const hasSafeLoader = (call: CallSite): boolean =>
  /(?:^|\.)C?(?:Safe|Base)Loader$/.test(call.named.get('Loader')?.name ?? call.args[1]?.name ?? '');

const hasDataFilter = (call: CallSite): boolean =>
  /data|tar_filter/.test(call.named.get('filter')?.name ?? call.textOf(call.named.get('filter')) ?? '');

function isEvaluated(call: CallSite): boolean {
  const value = call.args[1]?.fields?.get('eval')?.value;
  return value?.kind === 'constant' && value.value === true;
}

/** Conditions under which a row of a sink table applies to a call. */
export const conditions: Readonly<Record<ConditionName, (call: CallSite) => boolean>> = {
  'unless-base-url': (call) => !hasBaseUrl(call),
  'unless-safe-loader': (call) => !hasSafeLoader(call),
  'unless-data-filter': (call) => !hasDataFilter(call),
  'if-evaluated': isEvaluated,
};
