import t from 'tap';
import { inTurn, isLong } from '../support/length.ts';
import { openMysql } from '../support/mysql-server.ts';
import { Database } from '../../kernel/contracts/index.ts';
import { rekeyRun } from './rekey-run.ts';
import { boot, STORES } from '../kit/index.ts';

t.setTimeout(600_000);

for (const store of STORES)
  t.test(`${store}: sealed rows that were altered or moved are refused, every time`, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    const database = server.use(Database);
    const values = { FIRST: 'the-first-canary-value', SECOND: 'the-second-canary-value' };
    for (const [name, value] of Object.entries(values))
      t.equal((await server.call('owner', `PUT ${server.scoped}/secrets/${name}`, { value })).status, 201);
    const read = (name: string) => server.call('owner', `GET ${server.scoped}/secrets/${name}`);
    const blob = async (name: string) =>
      (await database.read<{ value: Buffer }>('SELECT value FROM secrets_secrets WHERE name = ?', [name]))[0]!.value;
    const put = (name: string, sealed: Buffer) =>
      database.write('UPDATE secrets_secrets SET value = ? WHERE name = ?', [sealed, name]);
    const [first, second] = [await blob('FIRST'), await blob('SECOND')];
    let opened = 0;
    let tried = 0;
    const attempt = async () => {
      const { status, text } = await read('FIRST');
      tried += 1;
      if (status < 400 || text.includes('canary')) opened += 1;
    };
    await put('FIRST', second);
    await put('SECOND', first);
    await attempt();
    for (let byte = 0; byte < first.length; byte += 1) {
      const altered = Buffer.from(first);
      altered[byte]! ^= 1 << (byte % 8);
      await put('FIRST', altered);
      await attempt();
    }
    for (const length of [0, 1, 16, first.length - 1]) {
      await put('FIRST', first.subarray(0, length));
      await attempt();
    }
    t.equal(opened, 0, `none of ${tried} opened`);
    await put('FIRST', first);
    t.same((await read('FIRST')).json.value, values.FIRST, 'the row as it was opens');
  });

/** One change of the key is killed at each step; in the long run two are. */
const SHORT = { orgs: 120, kills: isLong ? 10 : 5 };

t.test(
  'SQLite: rekey, killed again and again, loses nothing; a wrong key starts nothing',
  { timeout: 600_000, ...inTurn('sqlite') },
  async (t) => {
    t.same(await rekeyRun(SHORT), { killed: SHORT.kills, lost: [], refused: true });
  },
);

t.test(
  'MySQL: rekey, killed again and again, loses nothing; a wrong key starts nothing',
  { timeout: 600_000, ...inTurn('mysql') },
  async (t) => {
    const database_url = await openMysql(t);
    if (database_url === undefined) return;
    t.same(await rekeyRun({ ...SHORT, database_url }), { killed: SHORT.kills, lost: [], refused: true });
  },
);
