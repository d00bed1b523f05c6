import t from 'tap';
import { tokenRequest } from './token-request.ts';

const scope = { org: 'acme', project: 'web' };

t.test('what is chosen is asked for', async (t) => {
  t.same(tokenRequest(scope, { name: ' ci ', kind: 'user', reach: 'project', role: 'member', expires_in: '30d' }), {
    name: 'ci',
    kind: 'user',
    org: 'acme',
    project: 'web',
    role: 'member',
    expires_in: '30d',
  });
  t.same(tokenRequest(scope, { name: 'me', kind: 'user', reach: 'all', role: '', expires_in: '' }), {
    name: 'me',
    kind: 'user',
  });
});

t.test('a token of an agent is one of the org, whatever else the form says', async (t) => {
  t.same(tokenRequest(scope, { name: 'box', kind: 'agent', reach: 'project', role: 'admin', expires_in: '' }), {
    name: 'box',
    kind: 'agent',
    org: 'acme',
  });
});
