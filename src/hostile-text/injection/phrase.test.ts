import { expect, test } from 'vitest';
import { literals, part, phrase } from './phrase.js';

test('a pattern over several lines is the same pattern on one', () => {
  const VERB = part`
    (?:ignore
      |forget)
  `;
  const pattern = phrase`
    \b${VERB} (?:all |the )?
      (?:rules
        |orders)\b
  `;
  expect(pattern).toEqual(/\b(?:ignore|forget) (?:all |the )?(?:rules|orders)\b/);
});

test('a literal keeps the blanks inside it, and loses those of the indentation', () => {
  expect(literals`
    note to|dear |the user
    | llm
  `).toEqual(['note to', 'dear ', 'the user', ' llm']);
});
