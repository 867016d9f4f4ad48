// A function server in the smallest form: POST {"function": name, "args": {…}}, the answer is JSON. No dependencies.
import { createServer } from 'node:http';

const cities = { Bonn: { temperature: 21.5, sky: 'clear' }, Oslo: { temperature: 9, sky: 'rain' } };

const functions = {
  add: {
    description: 'Adds two numbers. Use it when an exact sum is needed, for example add(a=2, b=40).',
    parameters: [{ name: 'a', type: 'float', required: true }, { name: 'b', type: 'float', required: true }],
    run: ({ a, b }) => ({ sum: a + b }),
  },
  get_weather: {
    description: 'Tells the weather of a city. Use it for questions about today, for example get_weather(city="Bonn").',
    parameters: [{ name: 'city', type: 'string', required: true }, { name: 'units', type: 'string', required: false, enum: ['metric', 'imperial'], default: 'metric' }],
    run({ city, units = 'metric' }) {
      const found = Object.hasOwn(cities, city) ? cities[city] : undefined;
      if (found === undefined) throw new Refusal(404, `Unknown city: ${city}`);
      return { city, sky: found.sky, temperature: units === 'imperial' ? found.temperature * 1.8 + 32 : found.temperature, units };
    },
  },
};

class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function called({ function: name, args = {} }) {
  if (name === 'list_functions') return { functions: Object.entries(functions).map(([each, { description, parameters }]) => ({ name: each, description, parameters })) };
  if (!Object.hasOwn(functions, name)) throw new Refusal(400, `Unknown function: ${name}`);
  return functions[name].run(args);
}

/** The same data the ordinary way: GET /cities and GET /cities/{city}. */
function read(path) {
  const [, root, city] = path.split('/').map(decodeURIComponent);
  if (root === 'cities' && city === undefined) return { data: Object.keys(cities) };
  if (root === 'cities' && Object.hasOwn(cities, city)) return { data: { city, ...cities[city] } };
  throw new Refusal(404, `Nothing at ${path}`);
}

const token = process.env.FUNCTIONS_TOKEN;

const server = createServer(async (request, response) => {
  const send = (status, value) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  try {
    if (token && request.headers.authorization !== `Bearer ${token}`) throw new Refusal(401, 'A token is needed');
    if (request.method === 'GET') return send(200, read(new URL(request.url, 'http://localhost').pathname));
    if (request.method !== 'POST') throw new Refusal(405, 'POST or GET');
    let text = '';
    for await (const chunk of request) {
      text += chunk;
      if (text.length > 1_048_576) throw new Refusal(413, 'The request is too large');
    }
    return send(200, called(JSON.parse(text)));
  } catch (error) {
    return send(error instanceof Refusal ? error.status : error instanceof SyntaxError ? 400 : 500, { error: error.message });
  }
});

server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => console.log(`functions on http://127.0.0.1:${server.address().port}/`));
