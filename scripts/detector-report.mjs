// How the detector does on the shared texts, by kind, family and rule. Usage: node scripts/detector-report.mjs [--json]
// Reads ../shared/corpus/injection/train.jsonl beside the checkout and the built code in dist/; writes bench/results/detector.json.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const corpus = join(root, '../shared/corpus/injection/train.jsonl');
if (!existsSync(corpus)) {
  console.log('skipped: the shared injection texts are not beside this checkout');
  process.exit(0);
}
const { detectInjection } = await import(join(root, 'dist/hostile-text/injection/detect.js'));
const { FLAG_AT, scoreOf } = await import(join(root, 'dist/hostile-text/injection/score.js'));

const rows = readFileSync(corpus, 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const row = JSON.parse(line);
    return { ...row, source: sourceOf(row.family), verdict: detectInjection(row.text, row.kind) };
  });

/** Families that come from one collection count as one origin. */
function sourceOf(family) {
  return family.replace(/^b[od]:/, '').replace(/^(atr|bipia|garak|syn)\b.*/, '$1');
}

const rate = (some, flagged = (row) => row.verdict.flagged) => {
  const hits = some.filter(flagged).length;
  return {
    texts: some.length,
    flagged: hits,
    percent: some.length === 0 ? 0 : Number(((100 * hits) / some.length).toFixed(2)),
  };
};
const grouped = (some, key) =>
  Object.fromEntries(
    [...new Set(some.map(key))].sort().map((name) => [name, rate(some.filter((row) => key(row) === name))]),
  );

const malicious = rows.filter((row) => row.label === 'malicious');
const benign = rows.filter((row) => row.label === 'benign');

/** Recall on an origin with only the rules that fire on malicious texts of at least one other origin: what each origin lends the others. */
const withoutOwnRules = (() => {
  const firesOn = new Map();
  for (const row of malicious)
    for (const { rule } of row.verdict.findings) firesOn.set(rule, (firesOn.get(rule) ?? new Set()).add(row.source));
  return rate(
    malicious,
    (row) =>
      scoreOf(
        row.verdict.findings.filter(({ rule }) => [...firesOn.get(rule)].some((source) => source !== row.source)),
      ) >= FLAG_AT[row.kind],
  );
})();

const rules = {};
for (const row of rows) {
  for (const rule of new Set(row.verdict.findings.map((finding) => finding.rule))) {
    rules[rule] ??= { malicious: 0, benign: 0, origins: new Set() };
    rules[rule][row.label]++;
    if (row.label === 'malicious') rules[rule].origins.add(row.source);
  }
}

/** Reads texts of a JSON Lines file and adds the verdict on each. */
const judged = (path) =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const row = JSON.parse(line);
      return { ...row, verdict: detectInjection(row.text, row.kind) };
    });
const byLabel = (texts) => ({
  recall: rate(texts.filter((row) => row.label === 'malicious')),
  falseAlarms: rate(texts.filter((row) => row.label === 'benign')),
});

/** Our own texts, on which rules were tuned: a lower bound, not a measurement. */
const own = judged(join(root, 'test/support/texts/injection.jsonl'));
const second = judged(join(root, 'test/support/texts/injection-second.jsonl'));
/** Collections that are not part of the repository, with the figures at first sight and after the rules were extended. */
const collections = JSON.parse(readFileSync(join(root, 'scripts/detector-collections.json'), 'utf8'));
/** Result of `scripts/detector-cross-validate.mjs` and the totals over the held-out collections, from texts outside of the repository. */
const outside = JSON.parse(readFileSync(join(root, 'scripts/detector/measured.json'), 'utf8'));

const report = {
  recall: { all: rate(malicious), ...grouped(malicious, (row) => row.kind) },
  falseAlarms: {
    all: rate(benign),
    hard: rate(benign.filter((row) => row.hard)),
    ...grouped(benign, (row) => row.kind),
  },
  recallByRulesOfOtherOrigins: withoutOwnRules,
  ownTexts: byLabel(own),
  ownTextsSecond: { firstSight: { recall: 49.0, falseAlarms: 8.3 }, now: byLabel(second) },
  ...outside,
  collections,
  ownTextsByFamily: grouped(own, (row) => `${row.label} ${row.family}`),
  recallByFamily: grouped(malicious, (row) => `${row.kind} ${row.family}`),
  falseAlarmsByFamily: grouped(benign, (row) => `${row.kind} ${row.family.slice(3)}`),
  rules: Object.fromEntries(
    Object.entries(rules)
      .sort()
      .map(([id, { origins, ...counts }]) => [id, { ...counts, origins: origins.size }]),
  ),
};

mkdirSync(join(root, 'bench/results'), { recursive: true });
writeFileSync(
  join(root, 'bench/results/detector.json'),
  `${JSON.stringify({ part: 'detector', command: 'node scripts/detector-report.mjs', figures: report }, null, 2)}\n`,
);
if (process.argv.includes('--json')) console.log(JSON.stringify(report, null, 2));
else {
  const line = (name, { flagged, texts, percent }) =>
    console.log(
      `${name.padEnd(56)} ${String(flagged).padStart(5)} / ${String(texts).padEnd(5)} ${percent.toFixed(1).padStart(6)} %`,
    );
  for (const section of ['recall', 'falseAlarms', 'recallByFamily', 'falseAlarmsByFamily']) {
    console.log(`\n${section}`);
    for (const [name, figures] of Object.entries(report[section])) line(`  ${name}`, figures);
  }
  line('\nrecall by rules that other origins support', report.recallByRulesOfOtherOrigins);
}
