/** A value of `mcp_env_vars` as the configuration refers to it, or why it cannot; `file://…` is a URL and stays as it is. */
export function toReference(name: string, value: string): { readonly text: string } | { readonly problem: string } {
  const [, scheme, rest = ''] = /^(env|file(?!:\/\/)|secret|keychain):(.+)$/.exec(value) ?? [];
  switch (scheme) {
    case 'env':
      return /^[A-Za-z_][A-Za-z0-9_]*$/.test(rest)
        ? { text: `\${${rest}}` }
        : { problem: `${name}: ${JSON.stringify(rest)} is not the name of a variable` };
    case 'file':
      // A path with a dollar sign or brace could end the reference early.
      return rest.startsWith('/') && !/[\0\n$}]/.test(rest)
        ? { text: `\${file:${rest}}` }
        : { problem: `${name}: file: needs an absolute path, such as file:/run/secrets/token` };
    case 'secret':
      return /^[A-Za-z0-9_][A-Za-z0-9_.:/@-]*$/.test(rest)
        ? { text: `\${secret:${rest}}` }
        : { problem: `${name}: ${JSON.stringify(rest)} is not the name of a secret` };
    // Keychains differ per system; the helper program hides that.
    case 'keychain':
      return {
        problem: `${name}: keychains are read by the program in secrets.helper; set it and write secret:${rest}`,
      };
    default:
      return { text: value };
  }
}
