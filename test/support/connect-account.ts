import { agree } from './oidc-server.ts';

/** A project of a server, and a token of somebody who may connect accounts in it. */
export interface ConnectPlace {
  base_url: string;
  /** Path of the project. */
  scoped: string;
  token: string;
  /** The redirect address of the server. */
  back: string;
}

/** Whoever holds the token goes to the provider with a browser, signs in there as `login`, agrees and comes back. */
export async function connectAccount(
  { base_url, scoped, token, back }: ConnectPlace,
  { provider, name, login }: { provider: string; name: string; login: string },
): Promise<{ status: number; text: string }> {
  const authorization = `Bearer ${token}`;
  const session = await fetch(`${base_url}/api/v1/session`, { method: 'POST', headers: { authorization } });
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
  const begun = await fetch(`${base_url}${scoped}/accounts/${name}/connect`, {
    method: 'POST',
    headers: { authorization, cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ provider }),
  });
  if (begun.status !== 200) throw new Error(`${name} cannot be connected: ${begun.status} ${await begun.text()}`);
  const { authorize_url } = (await begun.json()) as { authorize_url: string };
  const came = new URL(await agree(authorize_url, login, back));
  const page = await fetch(`${base_url}${came.pathname}${came.search}`, { headers: { cookie } });
  return { status: page.status, text: await page.text() };
}
