const maxUri = 4_096;

/**
 * Whether an address fits an RFC 6570 pattern: its literal parts stand in it in their order. No regular expression is made
 * of a stranger's text, so no pattern can take longer than its length times the address.
 */
export function templateMatcher(template: string): (uri: string) => boolean {
  const parts = template.split(/\{[^{}]*\}/);
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  // `{+path}` and its kin span slashes; a plain variable is one segment.
  const spans = /\{[+#/?&.;]/.test(template);
  return (uri) => {
    if (uri.length > maxUri || !uri.startsWith(first)) return false;
    if (parts.length === 1) return uri === first;
    let at = first.length;
    for (const [index, part] of parts.slice(1).entries()) {
      const isLast = index === parts.length - 2;
      const found = isLast
        ? uri.length - last.length >= at && uri.endsWith(last)
          ? uri.length - last.length
          : -1
        : uri.indexOf(part, at);
      if (found < 0) return false;
      if (!spans && uri.slice(at, found).includes('/')) return false;
      at = found + part.length;
    }
    return true;
  };
}
