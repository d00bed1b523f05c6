import type { Test } from 'tap';
import {
  Database,
  GroupCommits,
  type LockedRows,
  type Param,
  type Replacement,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { DatabaseErrors } from '../../../plugins/platform/database/errors.ts';
import { DatabaseGroupCommits } from '../../../plugins/platform/database/group-commit.ts';
import type { Claimed, Completion } from '../../../plugins/engine/runs/contract.ts';
import { lockRun } from '../../../plugins/engine/runs/store/rows/runs.ts';
import { codeOf, refOf, Scenario } from './scenario.ts';
import { openServer, type Server } from './server.ts';
import { alteredDatabase, systemClock, type TestDatabase } from '../../kit/index.ts';

const MANY = 24;
const DONE: Completion = { status: 'succeeded', output: { ok: true } };
const END_OF_RUN = 'UPDATE runs_runs SET output';
const TABLES = ['runs_runs', 'runs_activities'];

/** The database of a server, whose transactions are counted and may be disturbed. */
class Disturbed {
  transactions = 0;
  /** Called before each write of a transaction; what it throws is the fault of that write. */
  onWrite: (statement: string, params: readonly Param[]) => void = () => {};
  /** What transactions locked, in their order. */
  locked: LockedRows[] = [];
  /** Called after each commit; what it throws is what its caller is told. */
  onCommit: () => void = () => {};
  /** Faults that it has thrown. */
  struck = 0;
  readonly replace: Replacement[];

  constructor(database: Database) {
    const transaction = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
      this.transactions += 1;
      const answer = await database.transaction((tx) => work(this.#watched(tx)));
      this.onCommit();
      return answer;
    };
    const altered = alteredDatabase(database, {
      usesCommitCertification: () => database.usesCommitCertification(),
      transaction,
    });
    this.replace = [
      [Database, () => altered],
      [GroupCommits, () => new DatabaseGroupCommits(altered, systemClock)],
    ];
  }

  /** Throws once, at the first end of a run. */
  strikeOnce(fault: Error): void {
    this.struck = 0;
    this.onWrite = (statement) => {
      if (this.struck > 0 || !statement.startsWith(END_OF_RUN)) return;
      this.struck += 1;
      throw fault;
    };
  }

  calm(): void {
    this.onWrite = () => {};
    this.onCommit = () => {};
  }

  #watched(tx: Transaction): Transaction {
    return new Proxy(tx, {
      get: (of, name) => {
        const value: unknown = Reflect.get(of, name, of);
        if (typeof value !== 'function') return value;
        if (name === 'lock')
          return (rows: LockedRows) => {
            this.locked.push(rows);
            return of.lock(rows);
          };
        if (name !== 'write') return value.bind(of);
        return async (statement: string, params: readonly Param[] = []) => {
          this.onWrite(statement, params);
          return of.write(statement, params);
        };
      },
    });
  }
}

/** Requests that come together share transactions, whatever becomes of some of them. */
export function batchSuite(t: Test, shared: TestDatabase, sound: Server): void {
  const disturbed = new Disturbed(sound.database);
  let server: Server;
  t.before(async () => {
    server = await openServer(shared, disturbed.replace);
  });
  t.afterEach(() => disturbed.calm());
  t.teardown(() => server.close());

  async function claims(h: Scenario, count = MANY): Promise<Claimed[]> {
    await Promise.all(Array.from({ length: count }, () => h.submit()));
    return h.store.claim(h.agent(), count, 600_000);
  }
  const endings = (h: Scenario) => h.announced('run.succeeded', 'run.failed', 'run.cancelled');
  const succeeded = (h: Scenario) => h.count('runs_runs', `status = 'succeeded' AND project_id = ?`, [h.project_id]);
  const complete = (h: Scenario, claim: Claimed, how = DONE) => codeOf(h.store.complete(refOf(claim), how));

  t.test('submits: one of a taken key and one that is refused', async (t) => {
    const h = new Scenario([server]);
    const first = await h.submit({ idempotency_key: 'taken' });
    disturbed.transactions = 0;
    const more = [{ idempotency_key: 'taken' }, { tags: ['refuse'] }, { idempotency_key: 'new' }];
    const runs = [...more, ...Array.from({ length: MANY }, () => ({}))].map((over) => h.newRun(over));
    const answers = await Promise.allSettled(runs.map((run) => h.store.createRun(run)));
    t.match(answers[0], { value: { run_id: first.run_id, duplicate: true } });
    t.match(answers[1], { reason: { code: 'forbidden' } });
    for (const [i, answer] of answers.entries())
      if (i > 1) t.match(answer, { value: { run_id: runs[i]!.run_id, duplicate: false } });
    t.equal(await h.count('runs_runs', 'project_id = ?', [h.project_id]), 1 + MANY + 1);
    t.ok(disturbed.transactions < runs.length, `${disturbed.transactions} transactions`);
  });

  t.test('ends: claims that are lost, a run that is gone, a repeat', async (t) => {
    const h = new Scenario([server]);
    const [released, gone, cancelled, ...rest] = await claims(h);
    await h.store.release(refOf(released!));
    for (const table of TABLES) await h.first.database.write(`DELETE FROM ${table} WHERE run_id = ?`, [gone!.run_id]);
    await h.store.cancelRun({ ...h.run(cancelled!.run_id), reason: 'enough' });
    disturbed.transactions = 0;
    const all = [released!, gone!, cancelled!, ...rest, rest[0]!];
    const codes = await Promise.all(all.map((claim) => complete(h, claim)));
    t.same(codes.slice(0, 3), ['lease_lost', 'not_found', 'lease_lost']);
    t.same(new Set(codes.slice(3)), new Set([undefined]));
    t.ok(disturbed.transactions <= 4, `${disturbed.transactions} transactions for ${all.length} ends`);
    t.equal(await succeeded(h), rest.length);
    t.equal(endings(h), rest.length + 1, 'one end each, and that of the cancelled one');
  });

  t.test('ends of one run: the run ends with the last, failed by the first that failed', async (t) => {
    const h = new Scenario([server]);
    const { run_id } = await h.submit({}, 3);
    const own = await h.store.claim(h.agent(), 3, 600_000);
    const failed: Completion = { status: 'failed', code: 'step_failed', message: 'no', exit_code: 3 };
    disturbed.locked = [];
    const codes = await Promise.all(own.map((claim, i) => complete(h, claim, i === 1 ? failed : DONE)));
    t.same(codes, [undefined, undefined, undefined]);
    const first = disturbed.locked.find(({ table }) => table === 'runs_activities');
    const activities = own.map(({ activity_id }) => activity_id);
    t.same(new Set(first?.params), new Set(activities), 'all of them are locked at once, in the order of locks');
    t.equal(await h.count('runs_runs', `run_id = ? AND status = 'failed' AND error_code = 'step_failed'`, [run_id]), 1);
    t.equal(await h.count('runs_activities', `run_id = ? AND state = 'failed' AND exit_code = 3`, [run_id]), 1);
    t.equal(await h.count('runs_activities', `run_id = ? AND state = 'done' AND exit_code = 0`, [run_id]), 2);
    t.equal(endings(h), 1);
  });

  t.test('projects do not share transactions where there are several writers', async (t) => {
    const scopes = [new Scenario([server]), new Scenario([server])];
    const all: [Scenario, Claimed][] = [];
    for (const h of scopes) for (const claim of await claims(h, 4)) all.push([h, claim]);
    const together: number[] = [];
    disturbed.onWrite = (statement, params) => {
      if (!statement.startsWith(END_OF_RUN)) return;
      together.push(new Set(all.filter(([, { run_id }]) => params.includes(run_id)).map(([h]) => h.project_id)).size);
    };
    t.same(new Set(await Promise.all(all.map(([h, claim]) => complete(h, claim)))), new Set([undefined]));
    const most = sound.database.sql.family === 'sqlite' ? 2 : 1;
    t.equal(Math.max(...together), most);
  });

  t.test('a deadlock, or another fault, in the middle: all of them end once', async (t) => {
    const h = new Scenario([server]);
    const own = await claims(h);
    // SQLite has no deadlocks: there the batch is halved.
    const deadlock = Object.assign(new Error('Deadlock found when trying to get lock'), { errno: 1213 });
    disturbed.strikeOnce(sound.database.sql.family === 'mysql' ? deadlock : new Error('a fault'));
    t.same(new Set(await Promise.all(own.map((claim) => complete(h, claim)))), new Set([undefined]));
    t.equal(disturbed.struck, 1);
    t.equal(await succeeded(h), MANY);
    t.equal(endings(h), MANY);
  });

  t.test('one that can never be written fails alone', async (t) => {
    const h = new Scenario([server]);
    const own = await claims(h);
    const poison = own[5]!;
    disturbed.onWrite = (statement, params) => {
      if (statement.startsWith(END_OF_RUN) && params.includes(poison.run_id)) throw new Error('never');
    };
    const answers = await Promise.allSettled(own.map((claim) => h.store.complete(refOf(claim), DONE)));
    t.match(answers[5], { reason: { message: 'never' } });
    t.equal(answers.filter(({ status }) => status === 'fulfilled').length, MANY - 1);
    t.equal(await succeeded(h), MANY - 1);
    disturbed.calm();
    t.equal(await complete(h, poison), undefined, 'its claim still holds');
    t.equal(endings(h), MANY);
  });

  const several = sound.database.sql.family === 'mysql' ? {} : { skip: 'there is one writer' };
  t.test('a run that somebody has locked holds up no end but its own', several, async (t) => {
    const h = new Scenario([server]);
    const [held, other] = await claims(h, 2);
    const [locked, freed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = sound.database.transaction(async (tx) => {
      await lockRun(tx, held!.run_id);
      locked.resolve();
      await freed.promise;
    });
    await locked.promise;
    const waiting = complete(h, held!);
    t.equal(await complete(h, other!), undefined, 'while the lock is held');
    t.equal(endings(h), 1);
    freed.resolve();
    await holding;
    t.equal(await waiting, undefined);
    t.equal(endings(h), 2);
  });

  t.test('an answer to the commit that is lost: each is told that it ended, once', async (t) => {
    const h = new Scenario([server]);
    const own = await claims(h);
    let lost = 0;
    disturbed.onCommit = () => {
      if (lost++ === 0) throw DatabaseErrors.commitUnknown('the connection broke in a test');
    };
    t.same(new Set(await Promise.all(own.map((claim) => complete(h, claim)))), new Set([undefined]));
    t.ok(lost > 1);
    t.equal(await succeeded(h), MANY);
    t.equal(endings(h), MANY);
  });
}
