/** One thing that went wrong in a gateway like ours, and what must hold here. */
export interface Lesson {
  readonly id: string;
  readonly mustHold: string;
  /** Why it cannot happen here by construction, where no test can show it. */
  readonly because?: string;
}

/** Advisories and complaints that tests cite by id. */
export const lessons: readonly Lesson[] = [
  { id: 'CVE-2025-6514', mustHold: 'No text from outside reaches a shell, an opener or an option of a program' },
  { id: 'CVE-2025-49596', mustHold: 'A listener on loopback asks for a token and checks Host and Origin' },
  { id: 'CVE-2025-58444', mustHold: 'Text of a hostile server never becomes markup' },
  { id: 'CVE-2026-23744', mustHold: 'No request can name a command' },
  { id: 'CVE-2026-42271', mustHold: 'Every route has an explicit auth decision' },
  { id: 'CVE-2026-30623', mustHold: 'What is started comes from the configuration or the command line only' },
  { id: 'ferro ai-gateway 1.5.3', mustHold: 'What administrators change at run time may narrow, never widen' },
  { id: 'CVE-2025-64443', mustHold: 'A page re-bound to this address is refused by its Host' },
  { id: 'CVE-2026-11624', mustHold: 'A page re-bound to this address is refused by its Host' },
  { id: 'CVE-2026-25536', mustHold: 'No answer reaches another client, under load and with equal ids' },
  { id: 'CVE-2026-32871', mustHold: 'A path parameter cannot leave the prefix of its API' },
  { id: 'CVE-2026-27124', mustHold: 'A token is bound to this server and never passed on' },
  { id: 'CVE-2025-69196', mustHold: 'The audience of a token is always checked' },
  { id: 'CVE-2025-64340', mustHold: 'Writing a client configuration runs nothing, whatever the name' },
  { id: 'GHSA-wf8q-wvv8-p8jf', mustHold: 'Identity comes from the credential alone' },
  { id: 'GHSA-p3h2-2j4p-p83g', mustHold: 'A name in a manifest cannot lead out of its folder' },
  { id: 'GHSA-454m-4vm6-842f', mustHold: 'Scope is checked after every step of resolution' },
  { id: 'Obot ≤ 0.21', mustHold: 'A tool hidden in the list cannot be called' },
  { id: 'GHSA-vgf8-3685-66j9', mustHold: 'A token of another issuer or environment is refused' },
  { id: 'CVE-2026-44430', mustHold: 'Addresses that embed others are judged by what they embed' },
  { id: 'GHSA-56c3-vfp2-5qqj', mustHold: 'Addresses that embed others are judged by what they embed' },
  { id: 'CVE-2026-33032', mustHold: 'No route is without its auth decision' },
  { id: 'CVE-2025-54136', mustHold: 'What was approved is pinned; a change asks again' },
  { id: 'GHSA-943q-mwmv-hhvh', mustHold: 'One pipeline for every door' },
  { id: 'agentgateway ExtMcp', mustHold: 'Nothing changes a call after it was authorised' },
];
