import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Given, Then, When } from '@cucumber/cucumber';
import { agree, OidcServer } from '../../test/support/oidc-server.ts';
import { freePort } from '../support/free-port.ts';
import { runToEnd, until } from '../support/process.ts';
import { clone, svcProgram } from '../support/target.ts';
import type { Answer, SvcWorld } from '../support/world.ts';

/** What a browser keeps of its session. */
interface Browser {
  cookies: Map<string, string>;
  csrf: string;
}

const browsers = new WeakMap<SvcWorld, Browser>();

/** A request without a token; the scenario looks at its answer. */
async function send(world: SvcWorld, path: string, init: RequestInit = {}): Promise<Answer> {
  world.refuseUnchecked();
  const browser = browsers.get(world)!;
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const url = `${world.target.base_url}${path}`;
  const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
  for (const set of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
    browser.cookies.set(name, value);
  }
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
  world.answer = { ...answer, checked: answer.status < 400 };
  if (answer.status < 300 && text.includes('"csrf"')) browser.csrf = (answer.json() as { csrf: string }).csrf;
  return answer;
}

const JSON_TYPE = { 'content-type': 'application/json' };

async function openLink(world: SvcWorld): Promise<void> {
  const [, code = ''] = /#(\S+)/.exec(world.cli?.stdout ?? '') ?? [];
  browsers.set(world, { cookies: new Map(), csrf: '' });
  await send(world, '/api/v1/session/redeem', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ code }) });
}

When('a browser opens the link', async function (this: SvcWorld) {
  await openLink(this);
});

When('another browser opens the link', async function (this: SvcWorld) {
  const first = browsers.get(this)!;
  await openLink(this);
  browsers.set(this, first);
});

/** The body of the only write that scenarios make: a role. */
const request = (method: string): RequestInit =>
  method === 'PUT' ? { method, body: '{"role":"viewer"}', headers: JSON_TYPE } : { method };

When('the browser sends {string} to {string}', async function (this: SvcWorld, method: string, path: string) {
  const { headers, ...rest } = request(method);
  const csrf = { 'x-svc-csrf': browsers.get(this)!.csrf };
  await send(this, this.expand(path), { ...rest, headers: { ...(headers as object), ...csrf } });
});

When(
  'the browser sends {string} to {string}, without its CSRF token',
  async function (this: SvcWorld, method: string, path: string) {
    await send(this, this.expand(path), request(method));
  },
);

Given('a program {string} that notes what it is called with', async function (this: SvcWorld, name: string) {
  const program = `#!/bin/sh\nprintf '%s\\n' "$*" > '${join(this.folder, 'called')}.part'\nmv '${join(this.folder, 'called')}.part' '${join(this.folder, 'called')}'\n`;
  await writeFile(join(this.folder, name), program, { mode: 0o755 });
});

When('I call {string} on a terminal of that server', async function (this: SvcWorld, line: string) {
  const [, ...args] = line.split(' ');
  const env = { PATH: `${this.folder}:${process.env.PATH ?? ''}`, HOME: this.folder, LANG: 'C.UTF-8', TERM: 'xterm' };
  const terminal = join(clone, 'features/support/terminal.py');
  const finished = await runToEnd('python3', [terminal, svcProgram, ...args], { env, cwd: this.folder });
  assert.equal(finished.exit, 0, finished.stdout);
});

Then('the program was called with a link to {string}', async function (this: SvcWorld, page: string) {
  const called = await until('the program to be called', 10_000, async () =>
    readFile(join(this.folder, 'called'), 'utf8').catch(() => undefined),
  );
  assert.match(called.trim().replace(this.expand(page), ''), /^#[\w-]{43}$/);
});

Given(
  'a server whose issuer says that {string} is in {string} and {string} in nothing, where {string} is {string} of the project',
  async function (this: SvcWorld, login: string, group: string, _nobody: string, mapped: string, role: string) {
    const port = await freePort();
    const issuer = new OidcServer();
    const redirect_uri = `http://127.0.0.1:${port}/session/callback`;
    await issuer.listen({ redirect_uri, groups: (one) => (one === login ? [group] : []) });
    this.cleanups.push(() => issuer.close());
    const roles = { claim: 'groups', map: { [mapped]: { org: 'conformance', project: '*', role } } };
    const env = {
      ...{ SVC_PORT: String(port), SVC_OIDC_ISSUER: issuer.url, SVC_OIDC_CLIENT_ID: 'svc' },
      ...{ SVC_OIDC_CLIENT_SECRET: issuer.client_secret, SVC_OIDC_ROLES: JSON.stringify(roles) },
    };
    await this.startOwn({ env, agents: 1 });
    await this.moveTo(this.privateTarget!);
  },
);

When('{string} signs in at the issuer', async function (this: SvcWorld, login: string) {
  browsers.set(this, { cookies: new Map(), csrf: '' });
  const begun = await send(this, '/session/start');
  const callback = `${this.target.base_url}/session/callback`;
  const back = new URL(await agree(begun.headers.get('location') ?? '', login, callback));
  await send(this, `${back.pathname}${back.search}`);
});
