import type { HttpRequest } from '../../../kernel/contracts/index.ts';

type Headers = HttpRequest['headers'];

/** Why a write does not surely come from a page of ours; undefined when what the browser says of it is in order. */
export function writeFault(headers: Headers, public_url: string | undefined): string | undefined {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return 'a page of another origin has sent it (Sec-Fetch-Site)';
  if (origin !== undefined && !isOurs(origin, headers, public_url))
    return 'a page of another origin has sent it (Origin)';
  return undefined;
}

/** A page of another site can have a browser read with its cookie, though it does not see the answer. */
export function readFault(headers: Headers): string | undefined {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  return 'a page of another origin has sent it (Sec-Fetch-Site), and the session is for pages of this service only';
}

/** The public address, or the one that the browser itself asked for. */
function isOurs(origin: string, { host }: Headers, public_url: string | undefined): boolean {
  if (public_url !== undefined && origin === new URL(public_url).origin) return true;
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
