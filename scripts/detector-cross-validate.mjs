// Cross-validation of the injection detector by origin: every group of origins is judged by a model that saw none of its texts.
// Usage: node scripts/detector-cross-validate.mjs --texts <folder> [--texts <folder>] [--folds 8 | --folds all] [--json <file>]
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { optionValues, originGroup, readTexts } from './detector/texts.mjs';
import { trainModel } from './detector/train.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const injection = join(root, 'dist/hostile-text/injection');
const { normalise } = await import(join(injection, 'normalise.js'));
const { detectInjection } = await import(join(injection, 'detect.js'));
const { BUCKETS } = await import(join(injection, 'model/features.js'));
const { MIN_FEATURES, bestWindow, windowFeatures } = await import(join(injection, 'model/windows.js'));

const THRESHOLDS = [1, 1.5, 2, 2.5, 3, 3.5];
const rows = readTexts(optionValues('--texts')).map((row) => ({
  ...row,
  windows: windowFeatures(normalise(row.text).text),
  byRules: detectInjection(row.text, row.kind, () => undefined).flagged,
}));
const groups = [...new Set(rows.filter((row) => row.isAttack).map((row) => originGroup(row.origin)))].sort();
const asked = optionValues('--folds')[0] ?? '8';
const folds = asked === 'all' ? groups.length : Number(asked);
const hash = (name) => createHash('sha256').update(name).digest().readUInt32BE(0);
const foldOf = (origin) => {
  const group = originGroup(origin);
  const index = groups.indexOf(group);
  return asked === 'all' && index >= 0 ? index : hash(group) % folds;
};

for (let fold = 0; fold < folds; fold++) {
  const judged = rows.filter((row) => foldOf(row.origin) === fold);
  if (judged.length === 0) continue;
  const model = trainModel(
    rows.filter((row) => foldOf(row.origin) !== fold),
    BUCKETS,
    MIN_FEATURES,
  );
  for (const row of judged)
    row.flagged = row.byRules
      ? THRESHOLDS.map(() => true)
      : THRESHOLDS.map(
          (threshold) => detectInjection(row.text, row.kind, (text) => bestWindow(text, model), threshold).flagged,
        );
}

const share = (some, flagged) =>
  some.length === 0 ? 0 : Number(((100 * some.filter(flagged).length) / some.length).toFixed(1));
const attacks = rows.filter((row) => row.isAttack && row.class === 'injection');
const benign = rows.filter((row) => !row.isAttack);
const byOrigin = (some, flagged) => {
  const groupsOf = Map.groupBy
    ? Map.groupBy(some, (row) => originGroup(row.origin))
    : some.reduce((map, row) => {
        const group = originGroup(row.origin);
        return map.set(group, [...(map.get(group) ?? []), row]);
      }, new Map());
  const shares = [...groupsOf.values()].filter((texts) => texts.length >= 8).map((texts) => share(texts, flagged));
  return Number((shares.reduce((sum, value) => sum + value, 0) / shares.length).toFixed(1));
};
const figures = (flagged) => ({
  outputs: share(
    attacks.filter((row) => row.kind === 'output'),
    flagged,
  ),
  descriptions: share(
    attacks.filter((row) => row.kind === 'description'),
    flagged,
  ),
  meanOverOrigins: byOrigin(attacks, flagged),
  jailbreaks: share(
    rows.filter((row) => row.class === 'jailbreak'),
    flagged,
  ),
  plantedRequests: share(
    rows.filter((row) => row.class === 'planted'),
    flagged,
  ),
  falseAlarmsOutputs: share(
    benign.filter((row) => row.kind === 'output'),
    flagged,
  ),
  falseAlarmsDescriptions: share(
    benign.filter((row) => row.kind === 'description'),
    flagged,
  ),
  falseAlarmsHard: share(
    benign.filter((row) => row.hard),
    flagged,
  ),
  falseAlarmsMeanOverOrigins: byOrigin(benign, flagged),
});
const report = {
  texts: rows.length,
  attacks: attacks.length,
  benign: benign.length,
  origins: new Set(rows.map((row) => originGroup(row.origin))).size,
  folds,
  rules: figures((row) => row.byRules),
  rulesAndModel: Object.fromEntries(
    THRESHOLDS.map((threshold, index) => [threshold, figures((row) => row.flagged[index])]),
  ),
};
const file = optionValues('--json')[0];
if (file) writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
const line = (name, values) => console.log(name.padEnd(14), Object.entries(values).flat().join(' '));
console.log(
  `${report.attacks} attacks and ${report.benign} harmless texts of ${report.origins} origins, ${folds} folds`,
);
line('rules', report.rules);
for (const [threshold, values] of Object.entries(report.rulesAndModel)) line(`model ${threshold}`, values);
const missed = optionValues('--missed')[0];
if (missed)
  writeFileSync(
    missed,
    rows
      .filter((row) => (row.class === 'injection') !== row.flagged[2] && (row.class === 'injection' || !row.isAttack))
      .map(
        (row) =>
          `${row.isAttack ? 'MISSED' : 'FALSE'} ${row.origin} ${row.kind} | ${JSON.stringify(row.text.slice(0, 300))}\n`,
      )
      .join(''),
  );
