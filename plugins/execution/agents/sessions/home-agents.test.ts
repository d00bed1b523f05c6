import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { messageLog } from '../../../../test/kit/index.ts';
import { HomeAgents } from './home-agents.ts';

t.test('what the agents of the process before held is set free', async (t) => {
  const folder = t.testdir();
  const released: string[] = [];
  const store = { releaseAllBut: async (agent_id: string) => released.push(agent_id) };
  const { log, lines } = messageLog();
  const open = () => new HomeAgents({ folder, store, log });
  const first = open();
  await first.releaseFormer();
  t.same(released, [], 'a new folder has none');
  await Promise.all([first.remember('agt_a'), first.remember('agt_b'), first.remember('agt_a')]);
  const file = join(folder, 'agents.json');
  t.same(JSON.parse(readFileSync(file, 'utf8')), ['agt_a', 'agt_b']);
  t.equal(statSync(file).mode & 0o777, 0o600);
  const second = open();
  await second.releaseFormer();
  t.same(released.splice(0), ['agt_a', 'agt_b']);
  await second.remember('agt_c');
  await open().releaseFormer();
  t.same(released.splice(0), ['agt_c'], 'only those of the last process');
  t.same(readdirSync(folder), ['agents.json'], 'no drafts are left');
  for (const text of ['', '{"a":1}', '["../x"]', '[1]']) {
    writeFileSync(file, text);
    await open().releaseFormer();
    t.equal(lines.pop(), "cannot read the list of the previous process's agents", text);
  }
  t.same(released, []);
  t.ok(existsSync(file));
});
