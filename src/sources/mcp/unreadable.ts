const leading = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/;
// The last brace closes the message itself, so what stands directly before it is a member of the message.
const trailing = /[,{]\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** Which request of ours a message answers that is too long or too deep to be read, by how it begins and ends. */
export function answeredId(begins: string, ends: string): number | undefined {
  const id = (leading.exec(begins) ?? trailing.exec(ends))?.[1];
  return id === undefined ? undefined : Number(id);
}
