import type { HttpRequest } from '../../../../kernel/contracts/index.ts';

type Headers = HttpRequest['headers'];

/** Returns why a write may not come from a page of ours; undefined when its headers are in order. */
export function checkWriteOrigin(headers: Headers, public_url: string | undefined): string | undefined {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return 'a page of another origin sent it (Sec-Fetch-Site)';
  if (origin !== undefined && !isOurs(origin, headers, public_url)) return 'a page of another origin sent it (Origin)';
  return undefined;
}

/** Returns why a read may not come from a page of ours. Other sites can trigger reads, though they do not see the answers. */
export function checkReadOrigin(headers: Headers): string | undefined {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  return 'a page of another origin sent it (Sec-Fetch-Site), but the session is only for pages of this service';
}

/** Compares an origin with the public address, and with the host of the request. */
function isOurs(origin: string, { host }: Headers, public_url: string | undefined): boolean {
  if (public_url !== undefined && origin === new URL(public_url).origin) return true;
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
