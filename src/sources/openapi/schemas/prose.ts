import { clean } from '../../../hostile-text/clean.js';
import { truncateText } from '../../../lib/text/truncate.js';

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
  '#34': '"',
  '#160': ' ',
};

/** Names of HTML elements that documents use in descriptions; other angle brackets, such as `<id>`, are text. */
const markup =
  /<\/?(?:a|abbr|b|blockquote|br|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|kbd|li|ol|p|pre|s|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul|var)(?:\s[^<>]{0,2000})?\/?>/gi;
const blocks = /<\/?(?:br|p|div|li|tr|h[1-6]|ul|ol|table|pre|blockquote)(?:\s[^<>]{0,2000})?\/?>/gi;
const comments = /<!--[\s\S]{0,10000}?-->/g;

/** A text of a document without hidden characters and HTML markup; a comment in it could instruct a model unseen. */
export function cleanProse(text: string): string {
  const plain = clean(text).text;
  if (!/[<&]/.test(plain)) return plain.trim();
  return plain
    .replace(comments, ' ')
    .replace(blocks, '\n')
    .replace(markup, '')
    .replace(/&(#?\w{1,6});/g, (whole, name: string) =>
      Object.hasOwn(entities, name) ? (entities[name] ?? whole) : whole,
    )
    .replace(/[ \t]+(?=\n)/g, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The same, limited in length. */
export function cleanText(text: string, maxBytes: number): string {
  const { value, truncated } = truncateText(cleanProse(text), maxBytes);
  return truncated ? `${value.trimEnd()}…` : value;
}
