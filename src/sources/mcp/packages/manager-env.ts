/** Environment of a package manager: its own settings and proxies, without secrets of the gateway. */
export function managerEnv(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = Object.entries(env).filter(
    ([name, value]) =>
      value !== undefined &&
      (/^(npm_config_.*|uv(_.*)?|ssl_cert_(file|dir)|node_extra_ca_certs|https?_proxy|no_proxy)$/i.test(name) ||
        name === 'HOME'),
  );
  return Object.fromEntries(own) as Record<string, string>; // undefined values are filtered out above
}
