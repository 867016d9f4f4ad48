/** One secret format: literals that begin it, and a sticky pattern whose first group stays and whose second is the secret. */
export interface SecretFormat {
  readonly kind: string;
  readonly starts: readonly string[];
  readonly pattern: RegExp;
  /** The literal must not continue a word; formats that begin inside other text say false. */
  readonly wordStart: boolean;
}

/** A format that begins with a fixed prefix; every repetition is bounded, so that matching stays linear (ReDoS). */
const token = (kind: string, starts: readonly string[], rest: string): SecretFormat => ({
  kind,
  starts,
  pattern: new RegExp(`()((?:${starts.map(escaped).join('|')})${rest})`, 'y'),
  wordStart: true,
});

/** A format that only its surroundings identify: the words before it stay readable, the value is redacted. */
const inContext = (kind: string, starts: readonly string[], keepAndSecret: RegExp): SecretFormat => ({
  kind,
  starts,
  pattern: new RegExp(keepAndSecret.source, 'y'),
  wordStart: false,
});

// Escapes metacharacters: prefixes such as `ya29.` must match literally.
const escaped = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

const WORD = '[A-Za-z0-9_-]';
/** Not followed by a word character: a longer run is another format, or no key at all. */
const END = '(?![A-Za-z0-9_-])';

/** Every format known by its shape alone; each is specific enough that prose and code do not match it by chance. */
export const SECRET_FORMATS: readonly SecretFormat[] = [
  token('aws-access-key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], `(?![A-Z0-9]{9}EXAMPLE)[A-Z0-9]{16}${END}`),
  inContext(
    'aws-secret-key',
    ['ecretAccessKey', 'ecret_access_key', 'ECRET_ACCESS_KEY'],
    /([A-Za-z_]{14,16}["']?\s{0,3}[:=]\s{0,3}["']?)([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/,
  ),
  token('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], `[A-Za-z0-9]{36,255}${END}`),
  token('github-token', ['github_pat_'], `[A-Za-z0-9_]{22,255}${END}`),
  token(
    'gitlab-token',
    ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glcbt-', 'glsoat-', 'glagent-', 'gloas-'],
    `[A-Za-z0-9_.-]{20,300}`,
  ),
  token(
    'slack-token',
    ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xoxe.'],
    `[A-Za-z0-9-]{10,250}`,
  ),
  token('slack-token', ['xapp-'], `[0-9]-[A-Za-z0-9-]{20,250}`),
  inContext(
    'slack-webhook',
    ['hooks.slack.com/'],
    /(hooks\.slack\.com\/(?:services|workflows)\/)(T[A-Z0-9]{6,14}\/[A-Z0-9]{6,14}\/[A-Za-z0-9]{16,48})/,
  ),
  inContext('discord-webhook', ['/api/webhooks/'], /(\/api\/webhooks\/[0-9]{15,22}\/)([A-Za-z0-9_-]{50,100})/),
  token('stripe-key', ['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_', 'whsec_'], `[A-Za-z0-9+/=]{16,250}`),
  token('npm-token', ['npm_'], `[A-Za-z0-9]{36}${END}`),
  token('pypi-token', ['pypi-AgE'], `${WORD}{50,1000}`),
  token('anthropic-key', ['sk-ant-'], `${WORD}{24,250}`),
  token('openai-key', ['sk-proj-', 'sk-svcacct-', 'sk-admin-'], `${WORD}{24,250}`),
  token('openai-key', ['sk-'], `(?=[A-Za-z0-9]{0,60}[0-9])(?=[A-Za-z0-9]{0,60}[A-Z])[A-Za-z0-9]{32,64}${END}`),
  token('google-key', ['AIza'], `${WORD}{35}${END}`),
  token('google-token', ['ya29.'], `${WORD}{20,2000}`),
  token('google-secret', ['GOCSPX-'], `${WORD}{28}${END}`),
  inContext(
    'azure-key',
    ['AccountKey=', 'SharedAccessKey='],
    /((?:AccountKey|SharedAccessKey)=)([A-Za-z0-9+/]{40,88}={0,2})/,
  ),
  inContext('azure-signature', ['&sig=', '?sig='], /([&?]sig=)([A-Za-z0-9%+/]{40,120}(?:=|%3[Dd]){0,2})/),
  token('digitalocean-token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], `[a-f0-9]{64}${END}`),
  token('hugging-face-token', ['hf_'], `(?=[A-Za-z]{0,60}[A-Z])[A-Za-z0-9]{34,60}${END}`),
  token('sendgrid-key', ['SG.'], `${WORD}{20,24}\\.${WORD}{39,50}${END}`),
  token(
    'twilio-key',
    [...'0123456789abcdef'].map((digit) => `SK${digit}`),
    `[0-9a-f]{31}${END}`,
  ),
  token('mailgun-key', ['key-'], `[0-9a-f]{32}${END}`),
  inContext('telegram-token', [':AA'], /((?<=(?<![0-9A-Za-z])[0-9]{8,10}):)(AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])/),
  token('vault-token', ['hvs.', 'hvb.'], `${WORD}{24,300}`),
  token('databricks-token', ['dapi'], `[0-9a-f]{32}(?:-[0-9])?${END}`),
  token('shopify-token', ['shpat_', 'shpss_', 'shpca_', 'shppa_'], `[0-9a-fA-F]{32}${END}`),
  token('notion-token', ['ntn_'], `[A-Za-z0-9]{40,60}${END}`),
  token('linear-key', ['lin_api_', 'lin_oauth_'], `[A-Za-z0-9]{32,64}${END}`),
  token('docker-token', ['dckr_pat_', 'dckr_oat_'], `${WORD}{20,64}`),
  token('grafana-token', ['glsa_', 'glc_'], `[A-Za-z0-9_+/=]{32,300}`),
  token('sentry-token', ['sntrys_', 'sntryu_'], `[A-Za-z0-9_+/=]{40,400}`),
  token('atlassian-token', ['ATATT3', 'ATCTT3'], `[A-Za-z0-9_=-]{50,300}`),
  token('postman-key', ['PMAK-'], `[a-f0-9]{24}-[a-f0-9]{34}${END}`),
  token('figma-token', ['figd_'], `${WORD}{36,60}`),
  token('rubygems-key', ['rubygems_'], `[a-f0-9]{48}${END}`),
  token('tailscale-key', ['tskey-'], `[a-z]{2,10}-[A-Za-z0-9-]{16,80}`),
  token('supabase-key', ['sbp_', 'sb_secret_'], `[A-Za-z0-9_-]{30,64}`),
  token('groq-key', ['gsk_'], `[A-Za-z0-9]{48,60}${END}`),
  token('xai-key', ['xai-'], `[A-Za-z0-9]{64,90}${END}`),
  token('age-key', ['AGE-SECRET-KEY-1'], `[0-9A-Z]{50,60}${END}`),
  token('jwt', ['eyJ'], `${WORD}{10,4096}\\.eyJ${WORD}{10,8192}\\.${WORD}{10,2048}`),
  inContext(
    'authorization-header',
    ['uthorization'],
    /(uthorization["']?\s{0,3}[:=]\s{0,3}["']?(?:[Bb]earer|[Bb]asic|[Tt]oken)\s{1,3})([A-Za-z0-9._~+/-]{12,4096}={0,2})/,
  ),
  inContext(
    'bearer-token',
    ['Bearer ', 'bearer '],
    /([Bb]earer )((?=[A-Za-z._~+/-]{0,200}[0-9])(?=[a-z0-9._~+/-]{0,200}[A-Z._+/])[A-Za-z0-9._~+/-]{20,4096}={0,2})/,
  ),
  inContext('password-in-url', ['://'], /(:\/\/[^\s/:@"'<>{}$]{0,128}:)([^\s/:@"'<>{}$*]{3,256})(?=@[A-Za-z0-9[])/),
  inContext(
    'password-in-connection-string',
    [';Password=', '; Password=', ';Pwd=', ';password=', ';pwd=', ';PWD='],
    /(; ?[A-Za-z]{3,8}=)([^\s;"'<>{}$*]{4,128})/,
  ),
];

/** What people write where a secret would stand; redacting these would only mangle documentation. */
export const isPlaceholder = (value: string): boolean =>
  /^(?:pass(?:w(?:or)?d)?|pwd|secret|token|api[-_]?key|my[-_]?\w{1,20}|your[-_]?\w{0,40}|changeme|example|placeholder|redacted|xx+|\.{3,}|\*+|x+|0+|1234?5?6?7?8?)$/i.test(
    value,
  ) || /^(?:\$\{|\$[A-Z_]+$|\$\(|<|\{\{|%[A-Za-z_]+%$)|your[-_ ]|example|placeholder|x{6,}|\*{3,}/i.test(value);
