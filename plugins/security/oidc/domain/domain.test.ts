import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Membership } from '../../access/contract.ts';
import { mappedRoles, dropUnverifiedEmail, preferredName } from './claims.ts';
import { readOidcSettings } from './read-settings.ts';
import { type Grant, scopeKey, roleChanges } from './role-changes.ts';
import { safeReturnPath } from './urls.ts';

const GOOD = {
  SVC_OIDC_ISSUER: 'https://login.example',
  SVC_OIDC_CLIENT_ID: 'svc',
  SVC_OIDC_CLIENT_SECRET: 'hush-hush',
};

t.test('settings', async (t) => {
  t.equal(readOidcSettings({}), undefined);
  t.match(readOidcSettings(GOOD), { client_id: 'svc', client_secret: 'hush-hush', scopes: 'openid profile email' });
  const path = join(t.testdir({}), 'secret');
  writeFileSync(path, 'of-a-file\n');
  t.match(readOidcSettings({ ...GOOD, SVC_OIDC_CLIENT_SECRET: `@${path}` }), { client_secret: 'of-a-file' });
  const faults: [Record<string, string>, RegExp][] = [
    [{ SVC_OIDC_CLIENT_SECRET: '' }, /SVC_OIDC_CLIENT_SECRET is missing, but SVC_OIDC_ISSUER is set/],
    [{ SVC_OIDC_ISSUER: '' }, /SVC_OIDC_ISSUER is missing/],
    [{ SVC_OIDC_ISSUER: 'http://login.example' }, /SVC_OIDC_ISSUER must be https/],
    [{ SVC_OIDC_ISSUER: 'login.example' }, /SVC_OIDC_ISSUER must be an https address/],
    [{ SVC_OIDC_CLIENT_SECRET: '@/nowhere' }, /SVC_OIDC_CLIENT_SECRET names the file .*ENOENT/],
    [{ SVC_OIDC_SCOPES: 'email' }, /SVC_OIDC_SCOPES must have the scope openid/],
    [{ SVC_OIDC_ROLES: '{' }, /SVC_OIDC_ROLES is not valid JSON/],
    [{ SVC_OIDC_ROLES: '[]' }, /SVC_OIDC_ROLES/],
    [{ SVC_OIDC_ROLES: '{"claim":"g"}' }, /SVC_OIDC_ROLES.*map/],
    [{ SVC_OIDC_ROLES: '{"claim":"g","map":{"x":{"org":"a","role":"boss"}}}' }, /SVC_OIDC_ROLES\/map\/x/],
    [
      { SVC_OIDC_ROLES: '{"claim":"g","map":{"x":{"org":"a","project":"p","role":"owner"}}}' },
      /"x" gives owner of a project/,
    ],
  ];
  for (const [changes, says] of faults) {
    const error = t.throws(() => readOidcSettings({ ...GOOD, ...changes }), { code: 'setting_invalid', message: says });
    t.notMatch(String((error as Error | undefined)?.message), /hush/);
  }
});

t.test('claims', async (t) => {
  const web = { org: 'acme', project: 'web', role: 'member' } as const;
  const own = { org: 'acme', role: 'owner' } as const;
  const roles = (claim: string) => ({ claim, map: { web, own: [own, web] } });
  t.same(mappedRoles({ groups: ['web', 'x', 7, null] }, roles('groups')), [web]);
  t.same(mappedRoles({ groups: 'own' }, roles('groups')), [own, web]);
  t.same(mappedRoles({ realm: { roles: ['web'] } }, roles('/realm/roles')), [web]);
  t.same(mappedRoles({ '/realm/roles': 'web' }, roles('/realm/roles')), [web], 'a name may look like a pointer');
  for (const claims of [{}, { groups: { web: true } }, { groups: ['constructor', '__proto__'] }])
    t.same(mappedRoles(claims, roles('groups')), []);
  t.same(mappedRoles({ groups: ['web'] }, undefined), []);
  t.equal(preferredName({ sub: '1', preferred_username: 'ana@acme', name: 'Ana' }), 'ana');
  t.equal(preferredName({ sub: '1', email: 'ana.b@acme.example' }), 'ana.b');
  t.equal(preferredName({ sub: '1' }), '1');
});

t.test("an address that the issuer has not verified is nobody's", async (t) => {
  const claims = { sub: '1', email: 'ana@acme.example' };
  for (const email_verified of [true, 'true', undefined])
    t.equal(dropUnverifiedEmail({ ...claims, email_verified }).email, claims.email, String(email_verified));
  t.equal(dropUnverifiedEmail(claims), claims);
  for (const email_verified of [false, 'false', null, 0, ''])
    t.equal(dropUnverifiedEmail({ ...claims, email_verified }).email, undefined, String(email_verified));
});

t.test('paths to go on at', async (t) => {
  t.equal(safeReturnPath('/orgs/acme/projects/web?tag=a#b'), '/orgs/acme/projects/web?tag=a#b');
  for (const text of [
    undefined,
    '',
    'x',
    '//e',
    '/\\e',
    'https://e',
    '/api/v1/session',
    '/session/start',
    '/a b',
    '/\n',
    `/${'a'.repeat(600)}`,
  ])
    t.equal(safeReturnPath(text), '/', String(text));
});

const ORG = { org_id: 'o', project_id: null };
const WEB = { org_id: 'o', project_id: 'web' };
const APP = { org_id: 'o', project_id: 'app' };

/** A person of whom everything is known: what sign-ins with claims make of roles and notes. */
class Model {
  held: Membership[] = [];
  given: Grant[] = [];

  signIn(...wanted: Membership[]): Record<string, string> {
    for (const { set, grant, ...place } of roleChanges(wanted, this.given, this.held)) {
      if (grant !== undefined)
        this.given = [...this.given.filter((one) => scopeKey(one) !== scopeKey(place)), ...(grant ? [grant] : [])];
      if (set !== undefined) this.hand(place, set);
    }
    return Object.fromEntries(this.held.map((one) => [one.project_id ?? 'org', one.role]));
  }

  /** Somebody sets a role by hand; null removes it. Leaving an org leaves its projects. */
  hand(place: { org_id: string; project_id: string | null }, role: Membership['role'] | null): void {
    const gone = (one: Membership) =>
      scopeKey(one) === scopeKey(place) || (role === null && place.project_id === null && one.org_id === place.org_id);
    this.held = [...this.held.filter((one) => !gone(one)), ...(role ? [{ ...place, role }] : [])];
  }
}

t.test('roles of claims and roles by hand', async (t) => {
  const person = new Model();
  t.same(person.signIn({ ...WEB, role: 'member' }), { org: 'member', web: 'member' });
  t.same(person.signIn({ ...WEB, role: 'viewer' }, { ...WEB, role: 'admin' }), { org: 'member', web: 'admin' });
  person.hand(APP, 'viewer');
  t.same(person.signIn({ ...APP, role: 'admin' }), { org: 'member', app: 'admin' }, 'more than by hand');
  t.same(person.signIn(), { app: 'viewer', org: 'member' }, 'what was by hand comes back, and its org stays');
  t.same(person.signIn({ ...ORG, role: 'owner' }), { app: 'viewer', org: 'owner' });
  t.same(person.signIn(), { app: 'viewer', org: 'member' }, 'an owner becomes a member');
  person.hand(APP, null);
  t.same(person.signIn(), {}, 'it no longer exists');
  t.same(person.given, []);

  t.same(person.signIn({ ...WEB, role: 'viewer' }), { org: 'member', web: 'viewer' });
  person.hand(WEB, 'admin');
  t.same(person.signIn({ ...WEB, role: 'viewer' }), { org: 'member', web: 'admin' }, 'a higher one by hand stays');
  t.same(person.signIn(), { org: 'member', web: 'admin' });
  person.hand(ORG, null);
  t.same(
    person.signIn({ ...WEB, role: 'viewer' }),
    { org: 'member', web: 'viewer' },
    'removed by hand, and mapped again',
  );
});
