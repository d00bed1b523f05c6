import t from 'tap';
import { isServiceError, type ProjectRole } from '../../../../kernel/contracts/index.ts';
import { expiresInMs } from './expiry.ts';
import { type Identity, orgRoleOf, projectRoleOf } from './identity.ts';
import { planToken } from './minting.ts';
import { checkName, isName } from './names.ts';
import { isWithin, type Limits, UNLIMITED } from './roles.ts';
import { bearerToken, tokenDigest, tokenText } from './token.ts';

/** Owner of org A, member of org B with one project as member and one as viewer. */
function someone(limits: Partial<Limits> = {}, expires_at: number | null = null): Identity {
  return {
    principal: { kind: 'user', id: 'usr_1', name: 'ana', token_id: 'tok_1', org_id: limits.org_id ?? null },
    token: { name: 'x', expires_at, limits: { ...UNLIMITED, ...limits } },
    orgs: new Map([
      ['A', { role: 'owner' as const, projects: new Map() }],
      [
        'B',
        {
          role: 'member' as const,
          projects: new Map<string, ProjectRole>([
            ['B1', 'member'],
            ['B2', 'viewer'],
          ]),
        },
      ],
    ]),
  };
}

const codeOf = (run: () => unknown): string => {
  try {
    run();
    return 'allowed';
  } catch (error) {
    if (isServiceError(error)) return error.code;
    throw error;
  }
};

t.test('roles follow membership, and a token only ever narrows them', async (t) => {
  const table: [limits: Partial<Limits>, org: string, project: string, orgRole: unknown, projectRole: unknown][] = [
    [{}, 'A', 'A1', 'owner', 'admin'],
    [{}, 'B', 'B1', 'member', 'member'],
    [{}, 'B', 'B2', 'member', 'viewer'],
    [{}, 'B', 'B3', 'member', undefined],
    [{}, 'C', 'C1', undefined, undefined],
    [{ role: 'admin' }, 'A', 'A1', 'member', 'admin'],
    [{ role: 'viewer' }, 'A', 'A1', 'member', 'viewer'],
    [{ role: 'admin' }, 'B', 'B1', 'member', 'member'],
    [{ role: 'member' }, 'B', 'B2', 'member', 'viewer'],
    [{ org_id: 'A' }, 'A', 'A1', 'owner', 'admin'],
    [{ org_id: 'A' }, 'B', 'B1', undefined, undefined],
    [{ org_id: 'A', project_id: 'A1' }, 'A', 'A1', 'member', 'admin'],
    [{ org_id: 'A', project_id: 'A1' }, 'A', 'A2', 'member', undefined],
    [{ org_id: 'C', project_id: 'C1' }, 'C', 'C1', undefined, undefined],
  ];
  for (const [limits, org, project, orgRole, projectRole] of table) {
    const identity = someone(limits);
    t.equal(orgRoleOf(identity, org), orgRole, `${JSON.stringify(limits)} in ${org}`);
    t.equal(projectRoleOf(identity, org, project), projectRole, `${JSON.stringify(limits)} in ${project}`);
  }
});

t.test('no token makes one that can do more than itself', async (t) => {
  const wishes: Limits[] = [null, 'A', 'B'].flatMap((org_id) =>
    [null, 'viewer' as const, 'member' as const, 'admin' as const].flatMap((role) =>
      [null, ...(org_id === null ? [] : [`${org_id}1`])].map((project_id) => ({ org_id, project_id, role })),
    ),
  );
  let made = 0;
  for (const own of wishes)
    for (const limits of wishes) {
      const wish = { kind: 'user' as const, limits, for_user: undefined, expires_at: null };
      let plan: ReturnType<typeof planToken>;
      try {
        plan = planToken(someone(own), wish);
      } catch (error) {
        if (!isServiceError(error)) throw error;
        continue;
      }
      made += 1;
      if (!isWithin(plan.limits, own)) t.fail(`${JSON.stringify(own)} made ${JSON.stringify(plan.limits)}`);
    }
  t.ok(made > wishes.length, `${made} were allowed`);
  const plan = planToken(someone({ org_id: 'B', role: 'viewer' }), {
    kind: 'user',
    limits: UNLIMITED,
    for_user: undefined,
    expires_at: null,
  });
  t.same(plan.limits, { org_id: 'B', project_id: null, role: 'viewer' }, 'limits that are not asked for are inherited');
});

t.test('tokens for others and for agents need a whole owner token', async (t) => {
  const ask = (limits: Partial<Limits>, own: Partial<Limits>, kind: 'user' | 'agent', for_user?: string) =>
    codeOf(() => planToken(someone(own), { kind, limits: { ...UNLIMITED, ...limits }, for_user, expires_at: null }));
  t.equal(ask({ org_id: 'A' }, {}, 'agent'), 'allowed');
  t.equal(ask({ org_id: 'A' }, { org_id: 'A' }, 'agent'), 'allowed');
  t.equal(ask({ org_id: 'B' }, {}, 'agent'), 'forbidden');
  t.equal(ask({ org_id: 'C' }, {}, 'agent'), 'not_found');
  t.equal(ask({}, {}, 'agent'), 'invalid_request', 'the org must be named');
  t.equal(ask({ org_id: 'A', role: 'viewer' }, {}, 'agent'), 'invalid_request');
  t.equal(ask({ org_id: 'A', project_id: 'A1' }, {}, 'agent'), 'allowed', 'of one project');
  t.equal(ask({ org_id: 'A' }, {}, 'agent', 'usr_2'), 'invalid_request');
  t.equal(ask({ org_id: 'A' }, { role: 'admin' }, 'agent'), 'forbidden');
  t.equal(ask({ org_id: 'A' }, { org_id: 'A', project_id: 'A1' }, 'agent'), 'forbidden');
  t.equal(ask({ org_id: 'A' }, {}, 'user', 'usr_2'), 'allowed');
  t.equal(ask({ org_id: 'A', project_id: 'A1', role: 'viewer' }, {}, 'user', 'usr_2'), 'allowed');
  t.equal(ask({}, {}, 'user', 'usr_2'), 'invalid_request', 'never a whole token of somebody else');
  t.equal(ask({ org_id: 'B' }, {}, 'user', 'usr_2'), 'forbidden');
  t.equal(ask({ org_id: 'C' }, {}, 'user', 'usr_2'), 'not_found');
  t.equal(ask({ org_id: 'B', project_id: 'B3' }, {}, 'user'), 'not_found');
});

t.test('no token outlives the one that makes it', async (t) => {
  const wish = (expires_at: number | null) => ({
    kind: 'user' as const,
    limits: UNLIMITED,
    for_user: undefined,
    expires_at,
  });
  t.equal(planToken(someone({}, 1000), wish(null)).expires_at, 1000);
  t.equal(planToken(someone({}, 1000), wish(999)).expires_at, 999);
  t.equal(
    codeOf(() => planToken(someone({}, 1000), wish(1001))),
    'forbidden',
  );
  t.equal(planToken(someone(), wish(null)).expires_at, null);
});

t.test('an Authorization header is read strictly, and its fault named', async (t) => {
  const user = tokenText('user', Buffer.alloc(32, 255));
  const agent = tokenText('agent', Buffer.alloc(32, 0));
  t.match(user, /^svc_pat_[A-Za-z0-9_-]{43}$/);
  t.match(agent, /^svc_agt_[A-Za-z0-9_-]{43}$/);
  t.same(bearerToken(`Bearer ${user}`), { token: user });
  t.same(bearerToken(`bearer  ${agent} `), { token: agent });
  t.equal(tokenDigest(user).length, 32);
  const wrong = [
    undefined,
    '',
    'Bearer',
    `Basic ${user}`,
    user,
    `Bearer ${user}x`,
    `Bearer ${user} x`,
    `Bearer svc_pat_`,
  ];
  for (const header of [...wrong, 'Bearer svc_xxx_', `Bearer ${'a'.repeat(10_000)}`, 'Bearer \u0000'])
    t.ok('error' in bearerToken(header), JSON.stringify(header)?.slice(0, 60));
});

t.test('names are ASCII, begin with a letter or digit and end at 63', async (t) => {
  for (const good of ['a', '0', 'A-b_c', 'x'.repeat(63)]) t.ok(isName(good), good);
  for (const bad of ['', '-a', '_a', 'a b', 'ä', 'a.b', 'a/b', 'a\n', 'x'.repeat(64), 'a\u0000', '__proto__'])
    t.notOk(isName(bad), JSON.stringify(bad));
  t.equal(
    codeOf(() => checkName('a b', 'org')),
    'invalid_request',
  );
});

t.test('expires_in is seconds or a duration, between a second and ten years', async (t) => {
  t.equal(expiresInMs(60), 60_000);
  t.equal(expiresInMs('30d'), 30 * 86_400_000);
  t.equal(expiresInMs('1h30m'), 5_400_000);
  for (const bad of [0, 1e12, '', '30', 'd', '500ms', '4000d', '-1d', '1d '])
    t.equal(
      codeOf(() => expiresInMs(bad)),
      'invalid_request',
      String(bad),
    );
});
