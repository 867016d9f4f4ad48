// Ranking of plain questions over public OpenAPI documents: how often the right operation is first and in the first five.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { operationLabel } from '../dist/sources/openapi/document/model.js';
import { openApiSource } from '../dist/sources/openapi/source.js';
import { searchIndex } from '../dist/sources/openapi/tools/search-index.js';

const here = dirname(fileURLToPath(import.meta.url));
const corpus = process.env.OPENAPI_DOCUMENTS ?? join(here, '../../shared/corpus/openapi');

/** The questions of the tests, which are TypeScript. */
async function loadQuestions(name) {
  const entryPoints = [join(here, '../test/support/search', `${name}.ts`)];
  const { outputFiles } = await build({ entryPoints, format: 'esm', bundle: true, write: false });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

async function placesIn(questions) {
  const places = [];
  for (const [file, asked] of Object.entries(questions)) {
    const source = openApiSource({
      id: 'api',
      document: join(corpus, file),
      baseUrl: 'https://api.test/v1',
      openEgress() {
        throw new Error('no request is sent');
      },
    });
    await source.list(new AbortController().signal);
    const tools = source.toolset()?.tools ?? [];
    const search = searchIndex(tools);
    for (const [index, [question, wanted]] of asked.entries()) {
      const found = search(question).map(({ operation }) => [operation.operationId, operationLabel(operation)]);
      places.push({
        place: found.findIndex((names) => names.includes(wanted)),
        isHeldOut: index % 2 === 1,
        question,
        wanted,
      });
    }
    await source.close?.();
  }
  return places;
}

function figuresOf(places) {
  const share = (within) =>
    Math.round((100 * places.filter(({ place }) => place >= 0 && place < within).length) / places.length);
  const reciprocal = places.reduce((sum, { place }) => sum + (place < 0 ? 0 : 1 / (place + 1)), 0);
  return {
    questions: places.length,
    firstPercent: share(1),
    firstFivePercent: share(5),
    meanReciprocalRank: Number((reciprocal / places.length).toFixed(2)),
  };
}

export async function run() {
  // The results of the last run stay.
  if (!existsSync(corpus))
    throw new Error('the documents are not beside this checkout; name their folder in OPENAPI_DOCUMENTS');
  const { questions } = await loadQuestions('questions');
  const { laterQuestions } = await loadQuestions('later-questions');
  const places = await placesIn(questions);
  const later = await placesIn(laterQuestions);
  for (const { place, question, wanted } of [...places, ...later].filter((one) => one.place !== 0))
    console.log(`${place < 0 ? 'not found' : `place ${place + 1}`}: ${question} → ${wanted}`);
  return {
    all: figuresOf(places),
    heldOut: figuresOf(places.filter(({ isHeldOut }) => isHeldOut)),
    later: figuresOf(later),
  };
}
