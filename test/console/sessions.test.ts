import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import t from 'tap';
import { chromiumPath, openChromium } from '../../features/support/chromium.ts';
import { freePort } from '../../features/support/free-port.ts';
import { homeFolder } from '../../features/support/home.ts';
import { runToEnd, Service } from '../../features/support/process.ts';
import { svcProgram } from '../../features/support/target.ts';
import { OidcServer } from '../support/oidc-server.ts';
import { leaveOut } from '../kit/needs.ts';

interface Asked {
  method?: string;
  body?: unknown;
  csrf?: string;
}

/** A request of the page itself. */
const ask = (page: Page, path: string, { method = 'GET', body, csrf }: Asked = {}) =>
  page.evaluate(
    async (asked) => {
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      if (asked.csrf !== undefined) headers['x-svc-csrf'] = asked.csrf;
      const { method: how, body: text } = asked;
      const response = await fetch(asked.path, { method: how, headers, body: text });
      const answer = await response.text();
      // biome-ignore lint/suspicious/noExplicitAny: read member by member
      return { status: response.status, json: (answer === '' ? {} : JSON.parse(answer)) as any };
    },
    { path, method, csrf, body: body === undefined ? null : JSON.stringify(body) },
  );

/** A page of somebody else: at `localhost` it is another site than 127.0.0.1, and a neighbour on the same host. */
async function openForeign(context: BrowserContext, host: string, port: number) {
  const page = await context.newPage();
  await page.goto(`http://${host}:${port}/`);
  return (url: string, init: { method: string; body?: string }) =>
    page.evaluate(
      async (sent) => {
        const how = { ...sent.init, mode: 'no-cors', credentials: 'include' } as const;
        return fetch(sent.url, how).then(
          ({ type }) => type as string,
          () => 'failed',
        );
      },
      { url, init },
    );
}

t.test('sessions in a real browser: a link, an issuer, pages of others', { timeout: 1_200_000 }, async (t) => {
  const executablePath = chromiumPath();
  if (executablePath === undefined) return leaveOut(t, 'chromium');
  const folder = await homeFolder('svc-sessions-');
  const port = await freePort();
  const issuer = new OidcServer();
  await issuer.listen({ redirect_uri: `http://127.0.0.1:${port}/session/callback`, groups: () => ['team'] });
  const roles = { claim: 'groups', map: { team: { org: 'dev', project: 'main', role: 'admin' } } };
  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: folder, SVC_OIDC_ISSUER: issuer.url, SVC_OIDC_CLIENT_ID: 'svc' },
    ...{ SVC_OIDC_CLIENT_SECRET: issuer.client_secret, SVC_OIDC_ROLES: JSON.stringify(roles) },
  };
  const dev = new Service(svcProgram, ['dev', '--port', String(port)], { cwd: folder, env });
  const foreign = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>another</title>');
  });
  await new Promise<void>((resolve) => foreign.listen(0, resolve));
  const foreignPort = (foreign.address() as AddressInfo).port;
  const browser = await openChromium(executablePath);
  t.teardown(async () => {
    await browser.close();
    await dev.kill('SIGTERM');
    foreign.closeAllConnections();
    await new Promise((resolve) => foreign.close(resolve));
    await issuer.close();
    await rm(folder, { recursive: true, force: true });
  });
  const [, link = ''] = await dev.says(/open (http:\S+)/);
  const url = new URL(link).origin;
  const member = (name: string) => `/api/v1/orgs/dev/projects/main/members/${name}`;
  const role = { role: 'viewer' };

  await t.test('by the link that svc dev prints', async (t) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url);
    const code = new URL(link).hash.slice(1);
    const begun = await ask(page, '/api/v1/session/redeem', { method: 'POST', body: { code } });
    t.equal(begun.status, 201);
    t.equal(await page.evaluate('document.cookie'), '', 'no script sees the cookie');
    t.equal((await ask(page, '/api/v1/whoami')).json.user.name, 'dev');
    const { csrf } = begun.json;
    t.equal((await ask(page, member('one'), { method: 'PUT', body: role })).json.code, 'csrf_failed');
    t.equal((await ask(page, member('one'), { method: 'PUT', body: role, csrf })).status, 201);
    const again = await ask(page, '/api/v1/session/redeem', { method: 'POST', body: { code } });
    t.equal(again.json.code, 'link_invalid');
    t.same((await ask(page, '/api/v1/session')).json.csrf, csrf, 'a page that is loaded again');

    for (const host of ['localhost', '127.0.0.1']) {
      const send = await openForeign(context, host, foreignPort);
      t.equal(await send(`${url}/api/v1/session`, { method: 'DELETE' }), 'failed', `${host}: no method of CORS`);
      const body = '{"role":"admin"}';
      await send(`${url}${member('mallory')}`, { method: 'POST', body });
      await send(`${url}/api/v1/sessions`, { method: 'GET' });
    }
    t.equal((await ask(page, member('mallory'))).status, 404);
    t.equal((await ask(page, '/api/v1/whoami')).status, 200, 'the session is as it was');

    const printed = await runToEnd(svcProgram, ['console'], { cwd: folder, env });
    t.match(printed.stdout, new RegExp(`^${url}/sign-in#[\\w-]{43}\\n$`), 'without a terminal it is printed');
    const other = await (await browser.newContext()).newPage();
    await other.goto(url);
    const next = await ask(other, '/api/v1/session/redeem', {
      method: 'POST',
      body: { code: printed.stdout.trim().split('#')[1] },
    });
    t.equal((await ask(other, '/api/v1/sessions')).json.sessions.length, 2);
    t.equal((await ask(other, '/api/v1/sessions', { method: 'DELETE', csrf: next.json.csrf })).status, 204);
    t.equal((await ask(page, '/api/v1/whoami')).status, 401, 'signed out everywhere');
  });

  await t.test('by an issuer, back from another site', async (t) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${url}/session/start?to=/orgs/dev/projects/main`);
    await page.locator('input[name=login]').fill('ana');
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.getByText('Continue').click();
    await page.waitForURL(`${url}/orgs/dev/projects/main`);
    const { json } = await ask(page, '/api/v1/session');
    t.equal(json.user, 'ana-at-the-provider');
    t.equal((await ask(page, member('two'), { method: 'PUT', body: role, csrf: json.csrf })).status, 201);
    t.match((await ask(page, '/api/v1/sessions')).json.sessions, [
      { signed_in_by: 'oidc', browser: /^Chrome \d+ on Linux$/ },
    ]);
  });
  return undefined;
});
