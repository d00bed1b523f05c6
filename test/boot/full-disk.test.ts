import t from 'tap';
import { openCrampedServer } from '../support/cramped-server.ts';

t.setTimeout(600_000);

/** In KiB: no file of the server can become larger. */
const MOST = 3072;
const SUBMITS = 100;

t.test('a server whose database takes no writes is not ready', async (t) => {
  const { token, url } = await openCrampedServer(t, MOST, { SVC_RATE_LIMIT: 'off' });
  t.equal((await fetch(`${url}/readyz`)).status, 200);
  const submit = async () => {
    const response = await fetch(`${url}/api/v1/orgs/acme/projects/main/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ source: `true # ${'x'.repeat(90_000)}`, filename: 'a.sh' }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  let status = 201;
  for (let count = 0; status === 201 && count < SUBMITS; count++) status = await submit();
  t.equal(status, 503, 'the disk is full');
  const answer = await fetch(`${url}/readyz`);
  t.equal(answer.status, 503);
  t.match(await answer.json(), { code: 'unavailable', failing: ['database_writes'] });
  t.equal((await fetch(`${url}/healthz`)).status, 200, 'the process lives');
});
