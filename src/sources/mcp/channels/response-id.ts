const leadingId = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/;
// The last brace closes the message itself, so the member directly before it belongs to the message.
const trailingId = /[,{]\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** Finds the id of a response that is too long or too deep to parse, from its first and last bytes. */
export function findResponseId(begins: string, ends: string): number | undefined {
  const id = (leadingId.exec(begins) ?? trailingId.exec(ends))?.[1];
  return id === undefined ? undefined : Number(id);
}
