const maxUriLength = 4_096;

/**
 * Matches URIs against an RFC 6570 template by its literal parts, in order. No regular expression is built from untrusted
 * text (ReDoS); the cost is at most the template length times the URI length.
 */
export function templateMatcher(template: string): (uri: string) => boolean {
  const parts = template.split(/\{[^{}]*\}/);
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  // `{+path}` and similar operators span slashes; a plain variable is one segment.
  const spans = /\{[+#/?&.;]/.test(template);
  return (uri) => {
    if (uri.length > maxUriLength || !uri.startsWith(first)) return false;
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
