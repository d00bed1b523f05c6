/** Matches `localhost`, 127.0.0.0/8 and [::1], the only hosts for which http is accepted. */
const isLocal = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);

/** Returns why an address of an issuer is not accepted; undefined when it is. */
export function validateIssuerUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an https address';
  if (url.protocol === 'http:' && !isLocal(url)) return 'must be https; plain http is accepted for localhost only';
  if (url.username !== '' || url.password !== '') return 'must not contain a username or password';
  return url.hash === '' && url.search === '' ? undefined : 'must not contain a query or a fragment';
}

/** Returns the path to go to after signing in; `/` for anything that is not a path of this service. */
export function safeReturnPath(text: string | undefined): string {
  if (text === undefined || text.length > 512 || !/^\/[\x21-\x7e]*$/.test(text)) return '/';
  // A browser treats // and /\ as the beginning of another host.
  return /^\/[/\\]/.test(text) || text.startsWith('/api/') || text.startsWith('/session/') ? '/' : text;
}
