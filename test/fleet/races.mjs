import { until } from '../support/engines.mjs';
import { call, caller, codeOf, initialize, modern, operator, request, second, send, textOf } from './replica.mjs';

const count = (items, accepts) => items.filter(accepts).length;
const times = (number, make) => Array.from({ length: number }, (_, at) => make(at));

/** A new key that every replica accepts. */
async function aKey(fleet, name) {
  const { key } = (await send(`${fleet[0].url}/keys`, operator, { name, roles: ['user'] })).body;
  await until(async () =>
    (await Promise.all(fleet.map(({ url }) => send(`${url}/tools`, key, undefined, 'GET')))).every(
      ({ status }) => status === 200,
    ),
  );
  return key;
}

/** Promises about calls that several replicas handle at the same moment. */
export const races = {
  async 'I3 one approval, one run'({ fleet, long }) {
    const rounds = 30 * long;
    let [wrong, approved, disturbed, seenRuns] = [0, 0, 0, 0];
    const details = [];
    const runsBefore = Number(textOf(await call(fleet[0].url, 'one__calls', caller, {})));
    let as = caller;
    for (let round = 0; round < rounds; round += 1) {
      // Tickets of one caller are bounded, decided ones included.
      if (round % 30 === 29) as = await aKey(fleet, `race${round}`);
      const args = { round };
      const at = (offset) => fleet[(round + offset) % fleet.length].url;
      const asked = await call(at(0), 'one__count', as, args);
      const ticket = /"ticket":"([^"]+)"/.exec(asked.text)?.[1];
      // Both approve in one half of the rounds; in the other one approves and one denies.
      const decide = (by, verb, offset) => send(`${at(offset)}/approvals/${ticket}/${verb}`, by);
      const decided = await Promise.all([
        decide(operator, 'approve', 0),
        decide(second, round % 2 === 0 ? 'approve' : 'deny', 1),
        decide(operator, 'approve', 2),
      ]);
      // On a busy machine an engine may miss its bound: then a call is refused, and only that none runs twice can be seen.
      const isDisturbed = (answers) => answers.some(({ status }) => status >= 500);
      const won = decided.filter(({ status }) => status === 200);
      const isApproved = won[0]?.body.status === 'approved';
      // Without its ticket, a call that comes too late would open another one.
      const named = { 'toolgate-ticket': ticket ?? 'none' };
      const runs = await Promise.all(times(3, (offset) => call(at(offset), 'one__count', as, args, named)));
      const ran = count(runs, ({ status }) => status === 200);
      if (isDisturbed([asked, ...decided, ...runs])) disturbed += 1;
      else approved += isApproved ? 1 : 0;
      seenRuns += ran;
      const isExact = won.length === 1 && ran === (isApproved ? 1 : 0);
      if (won.length > 1 || ran > 1 || (!isExact && !isDisturbed([asked, ...decided, ...runs]))) {
        wrong += 1;
        details.push(
          [asked, ...decided, ...runs]
            .map((each) => `${each.status} ${codeOf(each) ?? each.text.slice(0, 80)}`)
            .join(', '),
        );
      }
    }
    const ran = Number(textOf(await call(fleet[1].url, 'one__calls', caller, {}))) - runsBefore;
    return [
      wrong === 0 && ran >= seenRuns && ran <= seenRuns + disturbed && disturbed < rounds / 2,
      `${rounds} tickets, 3 decisions and 3 replicas each: ${wrong} with another number than one outcome; ${approved} approved, ${ran} ran, ${disturbed} disturbed by a slow engine ${details.slice(0, 2).join(' | ')}`,
    ];
  },

  async 'I4 an answer is used once'({ fleet, long }) {
    const rounds = 30 * long;
    let [wrong, disturbed] = [0, 0];
    const seen = new Set();
    for (let round = 0; round < rounds; round += 1) {
      const params = { name: 'one__echo', arguments: { text: `t${round}` } };
      const asked = await modern(fleet[round % 3].url, 'tools/call', params);
      const { inputRequests = {}, requestState } = asked.result ?? {};
      const inputResponses = Object.fromEntries(
        Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: { approve: true } }]),
      );
      const answers = await Promise.all(
        fleet.map(({ url }) => modern(url, 'tools/call', { ...params, inputResponses, requestState })),
      );
      const given = count(answers, ({ result }) => result?.content?.[0]?.text === `t${round}`);
      const isDisturbed =
        requestState === undefined || /state_unavailable|audit_unavailable/.test(JSON.stringify(answers));
      if (isDisturbed) disturbed += 1;
      if (given > 1 || (given !== 1 && !isDisturbed)) {
        wrong += 1;
        seen.add(JSON.stringify([asked, answers]).slice(0, 300));
      }
    }
    return [
      wrong === 0 && disturbed < rounds / 2,
      `${rounds} answers sent to three replicas at once: ${wrong} not used exactly once, ${disturbed} disturbed ${[...seen].slice(0, 1)}`,
    ];
  },

  async 'I7 private read on one replica, send on another'({ fleet, long }) {
    const rounds = 30 * long;
    let [refused, named, clean] = [0, 0, 0];
    for (let round = 0; round < rounds; round += 1) {
      const [a, b] = [fleet[round % 3].url, fleet[(round + 1) % 3].url];
      const headers = { 'mcp-session-id': (await initialize(a)).session, 'mcp-protocol-version': '2025-11-25' };
      const use = (base, name) => request(base, 'tools/call', { name, arguments: {} }, headers);
      // A conversation without a private read may send.
      if (round % 10 === 0 && (await use(b, 'one__send_out')).body.result?.isError !== true) clean += 1;
      const isRead = (await use(a, 'one__read_private')).body.result?.isError !== true;
      const sent = await use(b, 'one__send_out');
      // What could not be read has nothing to leak.
      if (!isRead || sent.body.result?.isError === true) refused += 1;
      if (JSON.stringify(sent.body).includes('private-then-out')) named += 1;
    }
    return [
      refused === rounds && named > rounds / 2 && clean > 0,
      `${refused} of ${rounds} sends refused on the other replica, ${named} by the rule; ${clean} without a private read passed`,
    ];
  },
};
