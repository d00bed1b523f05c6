/*
 * Programs that use an SDK: `count` steps whose function answers at once, then a wait for a signal; the second pass
 * replays all of it. Each pass writes `{spans, ends, inserts}` to `<file>.new` or `<file>.replayed`: what every step
 * took in microseconds, when it ended in epoch milliseconds, and, on the first pass with `floor`, what one durable
 * insert took in turn with each step, so that a busy machine is busy for both.
 */

interface Wish {
  file: string;
  count: number;
  floor: boolean;
}

/** As many steps, so many of them made at the same time; `{spans, ends}` are of each such group. */
export const togetherSource = ({ file, count, group }: { file: string; count: number; group: number }) => `
import { existsSync, writeFileSync } from 'node:fs';
import { step, waitSignal } from 'svc/sdk';
const file: string = ${JSON.stringify(file)};
const spans: number[] = [];
const ends: number[] = [];
for (let n = 0; n < ${count}; n += ${group}) {
  const since = performance.now();
  await Promise.all(Array.from({ length: ${group} }, () => step('work', async () => 'done')));
  spans.push(Math.round((performance.now() - since) * 1000));
  ends.push(performance.timeOrigin + performance.now());
}
if (!existsSync(file + '.new')) writeFileSync(file + '.new', JSON.stringify({ spans, ends, inserts: [] }));
await waitSignal('go');
`;

const typescript = ({ file, count, floor }: Wish) => `
import { existsSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { step, waitSignal } from 'svc/sdk';
const file: string = ${JSON.stringify(file)};
const pass = existsSync(file + '.new') ? '.replayed' : '.new';
const database = new DatabaseSync(${floor} && pass === '.new' ? file + '.db' : ':memory:');
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE floor_rows (id INTEGER PRIMARY KEY, body TEXT)');
const insert = database.prepare('INSERT INTO floor_rows (id, body) VALUES (?, ?)');
const spans: number[] = [];
const ends: number[] = [];
const inserts: number[] = [];
for (let n = 0; n < ${count}; n++) {
  if (${floor} && pass === '.new') {
    const since = performance.now();
    insert.run(n, 'x'.repeat(200));
    inserts.push(Math.round((performance.now() - since) * 1000));
  }
  const since = performance.now();
  await step('work', () => 'done');
  const end = performance.now();
  spans.push(Math.round((end - since) * 1000));
  ends.push(performance.timeOrigin + end);
}
writeFileSync(file + pass, JSON.stringify({ spans, ends, inserts }));
await waitSignal('go');
`;

const python = ({ file, count, floor }: Wish) => `
import json, os, sqlite3, time
import svc_sdk as svc
file = ${JSON.stringify(file)}
name = ".replayed" if os.path.exists(file + ".new") else ".new"
floor = ${floor ? 'True' : 'False'} and name == ".new"
database = sqlite3.connect(file + ".db" if floor else ":memory:", isolation_level=None)
database.execute("PRAGMA journal_mode = WAL")
database.execute("PRAGMA synchronous = FULL")
database.execute("CREATE TABLE floor_rows (id INTEGER PRIMARY KEY, body TEXT)")
spans, ends, inserts = [], [], []
for n in range(${count}):
    if floor:
        since = time.perf_counter()
        database.execute("INSERT INTO floor_rows (id, body) VALUES (?, ?)", (n, "x" * 200))
        inserts.append(round((time.perf_counter() - since) * 1000000))
    since = time.perf_counter()
    svc.step("work", lambda: "done")
    spans.append(round((time.perf_counter() - since) * 1000000))
    ends.append(time.time() * 1000)
with open(file + name, "w") as out:
    json.dump({"spans": spans, "ends": ends, "inserts": inserts}, out)
svc.wait_signal("go")
`;

/** The SDKs, with the file names that choose the interpreters. */
export const SDKS = [
  { language: 'TypeScript', filename: 'sdk.ts', source: typescript },
  { language: 'Python', filename: 'sdk.py', source: python },
] as const;
