/** Words that say nothing about what is asked for. */
export const stopWords: ReadonlySet<string> = new Set(
  `a an the of for to in on at by with from into and or as is are was be been it its this that these those my your our their me i we
  you he she they do does did can could should would will may please want need like how what which who where when there any some if
  then about using use via given specific particular certain one ones s`.split(/\s+/),
);

/** Verbs of APIs that stand for the same request. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  create: ['create', 'add', 'new', 'make', 'insert', 'open', 'register', 'post'],
  delete: ['delete', 'remove', 'erase', 'drop', 'destroy'],
  update: ['update', 'edit', 'change', 'modify', 'patch', 'rename', 'set'],
  list: ['list', 'all', 'browse', 'every', 'find'],
  get: ['get', 'fetch', 'retrieve', 'read', 'show', 'view', 'look', 'see', 'give', 'display', 'details'],
};
const classes = new Map(
  Object.entries(verbs).flatMap(([name, words]) => words.map((word) => [word, `=${name}`] as const)),
);

/** The class of a verb, so that `remove a label` finds `delete-label`. */
export const verbClass = (word: string): string | undefined =>
  classes.get(word) ??
  // Cheap endings first; a dictionary would be more exact and much larger.
  classes.get(word.replace(/s$/, '')) ??
  classes.get(word.replace(/ing$/, '')) ??
  classes.get(word.replace(/ing$/, 'e'));

const abbreviations: Readonly<Record<string, string>> = {
  repo: 'repository',
  org: 'organization',
  mail: 'email',
  info: 'information',
  config: 'configuration',
  msg: 'message',
  auth: 'authentication',
  pr: 'pull',
};

/** The stem of an English word: plurals and the common endings of verbs. */
export function stem(word: string): string {
  // Plurals of abbreviations, too: repos, msgs.
  const whole = Object.hasOwn(abbreviations, word.replace(/s$/, ''))
    ? (abbreviations[word.replace(/s$/, '')] ?? word)
    : word;
  // Short words have no endings worth removing.
  if (whole.length <= 3) return whole;
  const plain = whole
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x|z)es$/, '$1')
    .replace(/([^s])s$/, '$1');
  // A stem of fewer than three letters would match unrelated words.
  if (plain.length <= 4) return plain;
  const base = plain.replace(/(?:ations?|ing|ed|ment|er)$/, '');
  return (base.length >= 3 ? base : plain).replace(/(.)\1$/, '$1').replace(/e$/, '');
}
