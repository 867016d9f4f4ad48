import { describe, expect, test } from 'vitest';
import { summaryOf } from './docstrings.js';

describe('what newer versions of FastMCP show of a docstring', () => {
  test.each([
    ['Google sections', 'Find it.\n\nMore.\n\nArgs:\n    q: What.\n\nReturns:\n    It.', 'Find it.\n\nMore.'],
    ['any title over indented lines', 'Find it.\n\nError handling:\n    none', 'Find it.'],
    ['NumPy sections', 'Find it.\n\nParameters\n----------\nq : str', 'Find it.'],
    ['Sphinx fields', 'Find it.\n\n:param q: What.', 'Find it.'],
    ['no section', 'Find it.\nNote: this is one line.', 'Find it.\nNote: this is one line.'],
    ['a title that follows text at once', 'Find it.\nArgs:\n    q: What.', 'Find it.\nArgs:\n    q: What.'],
    ['a title inside a code block', 'Find it.\n\n```\n\nArgs:\n    q\n```', 'Find it.\n\n```\n\nArgs:\n    q\n```'],
  ])('%s', (_title, docstring, shown) => {
    expect(summaryOf(docstring)).toBe(shown);
  });
});
