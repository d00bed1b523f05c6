import type { Test } from 'tap';
import { freePort } from '../../../../features/support/free-port.ts';
import { Database } from '../../../../kernel/contracts/index.ts';
import { type Answer, boot, type Store, type TestServer } from '../../../../test/kit/index.ts';
import { agree, OidcServer } from '../../../../test/support/oidc-server.ts';

export const ROLES = {
  claim: 'groups',
  map: {
    'svc-owners': { org: 'acme', role: 'owner' },
    'web-team': [{ org: 'acme', project: 'web', role: 'member' }],
    'web-leads': { org: 'acme', project: 'web', role: 'admin' },
    everything: { org: 'acme', project: '*', role: 'viewer' },
    admins: { org: 'acme', role: 'admin' },
    lost: { org: 'nowhere', role: 'member' },
  },
};

/** A browser without pages: it keeps cookies. */
export class Person {
  readonly #world: OidcWorld;
  readonly cookies = new Map<string, string>();
  csrf = '';

  constructor(world: OidcWorld) {
    this.#world = world;
  }

  async go(path: string, init: RequestInit = {}): Promise<Answer & { location: string | null }> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, 'x-svc-csrf': this.csrf, ...(init.headers as Record<string, string>) };
    const response = await fetch(`${this.#world.server.url}${path}`, { ...init, redirect: 'manual', headers });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.cookies.set(name, value);
    }
    const text = await response.text();
    const json = /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : undefined;
    if (json?.csrf !== undefined) this.csrf = json.csrf;
    const { status, headers: got } = response;
    return { status, json, text, headers: got, location: got.get('location') };
  }

  /** To the issuer, there as `login`, and back: the path with which the person comes. */
  async leave(login: string, start = '/session/start'): Promise<string> {
    const { location, text } = await this.go(start);
    if (location === null) throw new Error(text);
    const back = new URL(await agree(location, login, `${this.#world.server.url}/session/callback`));
    return `${back.pathname}${back.search}`;
  }

  async signIn(login: string, start?: string) {
    return this.go(await this.leave(login, start));
  }

  async roles(): Promise<Record<string, string>> {
    const { json } = await this.go('/api/v1/whoami');
    const orgs = (json.orgs ?? []) as { org: string; role: string; projects: { project: string; role: string }[] }[];
    return Object.fromEntries(
      orgs.flatMap(({ org, role, projects }) => [
        [org, role],
        ...projects.map((one) => [`${org}/${one.project}`, one.role] as const),
      ]),
    );
  }
}

/** A server, and a real issuer whose groups a test sets. */
export class OidcWorld {
  readonly server: TestServer;
  readonly issuer: OidcServer;
  readonly groups: Map<string, readonly string[]>;

  constructor(server: TestServer, issuer: OidcServer, groups: Map<string, readonly string[]>) {
    this.server = server;
    this.issuer = issuer;
    this.groups = groups;
  }

  person = (): Person => new Person(this);

  audited(action: string) {
    return this.server
      .use(Database)
      .read<{ subject: string; detail: string; principal_name: string }>(
        'SELECT subject, detail, principal_name FROM audit_entries WHERE action = ? ORDER BY entry_id',
        [action],
      );
  }
}

export async function openWorld(t: Test, store: Store): Promise<OidcWorld> {
  const groups = new Map<string, readonly string[]>();
  const port = await freePort();
  const issuer = new OidcServer();
  const redirect_uri = `http://127.0.0.1:${port}/session/callback`;
  await issuer.listen({ redirect_uri, groups: (login) => groups.get(login) ?? [] });
  t.teardown(() => issuer.close());
  const server = await boot({
    store,
    access: 'project',
    plugins: ['http', 'access', 'audit', 'sessions', 'oidc'],
    settings: { port },
    env: {
      SVC_EGRESS_ALLOW: '127.0.0.1',
      SVC_OIDC_ISSUER: issuer.url,
      SVC_OIDC_CLIENT_ID: 'svc',
      SVC_OIDC_CLIENT_SECRET: issuer.client_secret,
      SVC_OIDC_ROLES: JSON.stringify(ROLES),
    },
  });
  t.teardown(() => server.close());
  return new OidcWorld(server, issuer, groups);
}
