import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import { startTarget } from '../../features/support/target.ts';
import { Project } from '../schedules/project.ts';
import { inTurn } from '../support/length.ts';
import { openMysql } from '../support/mysql-server.ts';
import { FarEnd, listConnector, sendJson } from './far-end.ts';

t.setTimeout(600_000);

const ids = (count: number) => Array.from({ length: count }, (_, n) => ({ id: n, at: n }));

async function world(t: Test, failpoint: string, database_url?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-triggers-'));
  const far = await FarEnd.open();
  const file = join(folder, 'list.json');
  await writeFile(file, listConnector({ cursor: { of: 'items', value: 'item.at' } }));
  const env = { SVC_CONNECTORS: file, SVC_EGRESS_ALLOW: '127.0.0.1', SVC_FAILPOINTS: failpoint };
  const target = await startTarget({ agents: 0, env, ...(database_url === undefined ? {} : { database_url }) });
  t.teardown(async () => {
    await target.close();
    far.close();
    await rm(folder, { recursive: true, force: true });
  });
  const project = new Project(target);
  const set = { connector: 'list', trigger: 'item', every: '10s', from: 'beginning', with: { base_url: far.url } };
  const died = () => until('the server to die', 60_000, async () => (target.own!.server.running ? undefined : true));
  const restart = async () => {
    delete target.own!.env.SVC_FAILPOINTS;
    target.own!.server = (await target.own!.startServer()).service;
  };
  return { far, project, set, own: target.own!, died, restart };
}

/** Each item has one event, in whatever order they came. */
async function eachOnce(t: Test, project: Project, count: number): Promise<void> {
  const events = () => project.all<{ key: string }>('events?type=item.added&', 'events');
  await until(`${count} events`, 120_000, async () => ((await events()).length >= count ? true : undefined));
  // One more poll finds nothing new.
  await project.ask('POST', 'triggers/items/poll');
  await until('the last poll', 60_000, async () => {
    const { last_poll } = await project.ask('GET', 'triggers/items');
    return last_poll?.items === count && last_poll.events === 0 ? true : undefined;
  });
  const numbers = (await events()).map(({ key }) => Number(key)).sort((a, b) => a - b);
  t.same(
    numbers,
    ids(count).map(({ id }) => id),
    'each item has one event',
  );
}

t.test(
  'SQLite: killed while it records, while it waits for an answer, and at any moment',
  inTurn('sqlite'),
  async (t) => {
    // It dies in the second of three transactions, after the events were written.
    const { far, project, set, own, died, restart } = await world(t, 'triggers.recorded:2');
    far.reply = (_request, response) => sendJson(response, { items: ids(250) });
    await project.ask('PUT', 'triggers/items', set);
    await died();
    await restart();
    await project.ask('POST', 'triggers/items/poll');
    far.reply = (_request, response) => {
      own.server.child.kill('SIGKILL');
      far.reply = (_again, later) => sendJson(later, { items: ids(260) });
      sendJson(response, { items: ids(260) });
    };
    await died();
    await restart();
    await project.ask('POST', 'triggers/items/poll');
    far.reply = (_request, response) => {
      sendJson(response, { items: ids(470) });
      setTimeout(() => own.server.child.kill('SIGKILL'), Math.random() * 100);
      far.reply = (_again, later) => sendJson(later, { items: ids(470) });
    };
    await died();
    await restart();
    await project.ask('POST', 'triggers/items/poll');
    await eachOnce(t, project, 470);
  },
);

t.test(
  'MySQL: one of two servers dies while it records, and the other continues when its lease ends',
  inTurn('mysql'),
  async (t) => {
    const database_url = await openMysql(t);
    if (database_url === undefined) return;
    const { far, project, set, own, died, restart } = await world(t, 'triggers.recorded:2', database_url);
    far.reply = (_request, response) => sendJson(response, { items: ids(250) });
    await project.ask('PUT', 'triggers/items', set);
    await died();
    await restart();
    const other = await own.startServer('0');
    await eachOnce(t, project, 250);
    // Both are asked to poll again and again, and each takes over from the other.
    far.reply = (_request, response) => sendJson(response, { items: ids(300) });
    await Promise.all(Array.from({ length: 20 }, () => project.ask('POST', 'triggers/items/poll')));
    await eachOnce(t, project, 300);
    await other.service.kill('SIGKILL');
  },
);
