import type { Test } from 'tap';
import { call, codeOf, type Scenario, refOf, step, text, until } from './scenario.ts';

const MIB = 1024 * 1024;

/** append and perform: one record a position and a site, no gap, repeats answered, conflicts refused. */
export function journalSuite(t: Test, scenario: () => Scenario): void {
  t.test('a journal is read back byte by byte', async (t) => {
    const h = scenario();
    const claim = await h.started();
    const bytes = Buffer.from([0, 255, 10, 13, 0xc3, 0x28, 0]).toString('base64');
    const records = [
      step(0, { output: bytes, label: 'Ünïcode 😀', message: 'why\0', exit_code: 255, digest: 'd'.repeat(64) }),
      step(1, { output: '', name: '' }),
      step(2, { name: 'a', kind: 'state' }),
      step(3, { name: 'a ', ordinal: 0 }),
      step(4, { name: 'a', ordinal: 0 }),
      step(5, { name: 'A', ordinal: 0, output: Buffer.alloc(2 * MIB, 'x').toString('base64') }),
      step(6, { name: 'é'.repeat(1024) }),
    ];
    for (const record of records) await h.store.append(refOf(claim), record);
    await h.store.release(refOf(claim));
    t.same((await h.claim()).journal, records);
  });

  t.test('a repeat after a lost answer is fine, anything else at the place is a conflict', async (t) => {
    const h = scenario();
    const claim = refOf(await h.started());
    await h.store.append(claim, step(0));
    await h.store.append(claim, step(0));
    await h.store.append(claim, step(1));
    await h.store.append(claim, step(0));
    const codes = [
      step(0, { output: '' }),
      step(1, { exit_code: 1 }),
      step(1, { name: 'other' }),
      step(1, { digest: 'x' }),
      step(1, { message: 'm' }),
      step(3),
      step(2, { name: 'step-1' }),
    ].map((record) => codeOf(h.store.append(claim, record)));
    t.same(
      await Promise.all(codes),
      codes.map(() => 'journal_conflict'),
    );
    await h.store.append(claim, step(2));
    t.equal(await h.count('runs_journal', 'activity_id = ?', [claim.activity_id]), 3);
  });

  t.test('a bad record takes no other down', async (t) => {
    const h = scenario();
    await Promise.all(Array.from({ length: 40 }, () => h.submit()));
    const claims = await h.store.claim(h.agent(), 40, 600_000);
    const codes = await Promise.all(
      claims.map((claim, i) => {
        const ref = i % 10 === 3 ? { ...refOf(claim), epoch: 5 } : refOf(claim);
        return codeOf(h.store.append(ref, step(i % 10 === 7 ? 1 : 0)));
      }),
    );
    for (const [i, code] of codes.entries())
      t.equal(code, i % 10 === 3 ? 'lease_lost' : i % 10 === 7 ? 'journal_conflict' : undefined, `${i}`);
    t.equal(await codeOf(h.store.append({ activity_id: 'act_none', epoch: 1 }, step(0))), 'lease_lost');
    for (const wrong of [
      step(-1),
      step(0.5),
      step(0, { kind: 'Nope' }),
      step(0, { exit_code: 256 }),
      step(0, { started_at: 253_402_300_800_000 }),
      step(0, { name: 'n'.repeat(1025) }),
    ])
      t.equal(await codeOf(h.store.append(refOf(claims[0]!), wrong)), 'invalid_request');
    const large = step(0, { output: Buffer.alloc(3 * MIB).toString('base64') });
    t.equal(await codeOf(h.store.append(refOf(claims[0]!), large)), 'payload_too_large');
  });

  t.test('the same append from both servers at once is one record', async (t) => {
    const h = scenario();
    const claim = refOf(await h.started());
    for (let position = 0; position < 30; position++) {
      const appends = [h.first, h.other, h.first].map(({ store }) => store.append(claim, step(position)));
      await Promise.all(appends);
    }
    const rivals = [h.first, h.other].map(({ store }, i) => codeOf(store.append(claim, step(30, { exit_code: i }))));
    t.same((await Promise.all(rivals)).sort(), ['journal_conflict', undefined]);
    t.equal(await h.count('runs_journal', 'activity_id = ?', [claim.activity_id]), 31);
  });

  t.test('many activities append long journals together', async (t) => {
    const h = scenario();
    await Promise.all(Array.from({ length: 32 }, () => h.submit()));
    const claims = await h.store.claim(h.agent(), 32, 600_000);
    await Promise.all(
      claims.map(async (claim, i) => {
        const { store } = i % 2 === 0 ? h.first : h.other;
        for (let position = 0; position < 20; position++)
          await store.append(refOf(claim), step(position, { name: 's', ordinal: position }));
        await store.release(refOf(claim));
      }),
    );
    const again = await h.store.claim(h.agent(), 32, 600_000);
    t.equal(again.length, 32);
    for (const { journal } of again)
      t.same(
        journal.map(({ position }) => position),
        Array.from({ length: 20 }, (_, i) => i),
      );
  });

  t.test('appends pipelined without waiting keep their order', async (t) => {
    const h = scenario();
    const claim = refOf(await h.started());
    await Promise.all(Array.from({ length: 150 }, (_, i) => h.store.append(claim, step(i))));
    t.equal(await h.count('runs_journal', 'activity_id = ?', [claim.activity_id]), 150);
  });

  t.test('a performed verb works once with its record, or not at all', async (t) => {
    const h = scenario();
    const claim = refOf(await h.started());
    const counting = call(0, { kind: 'count', name: '', args: {} });
    t.equal(text(await h.store.perform(claim, counting)), '1');
    t.equal(text(await h.store.perform(claim, counting)), '1', 'a repeat finds the record');
    const both = await Promise.all(
      [h.first, h.other].map(({ store }) => store.perform(claim, { ...counting, position: 1, ordinal: 1 })),
    );
    t.same(both.map(text), ['2', '2']);
    const third = { ...counting, position: 2, ordinal: 2 };
    t.match(await codeOf(h.store.perform(claim, { ...third, args: { refuse: true } })), /refused/);
    t.equal(text(await h.store.perform(claim, third)), '3', 'what was refused left nothing');
    t.equal(await codeOf(h.store.perform(claim, { ...counting, digest: 'other' })), 'journal_conflict');
    t.equal(await codeOf(h.store.perform(claim, { ...counting, position: 9, ordinal: 9 })), 'journal_conflict');
    t.equal(
      await codeOf(h.store.perform(claim, { ...counting, position: 3 })),
      'journal_conflict',
      'its site is recorded',
    );
    t.equal(await codeOf(h.store.perform(claim, { ...counting, kind: 'none', position: 3 })), 'invalid_request');
  });

  t.test('a moved record does not open, and ends its own run only', async (t) => {
    const h = scenario();
    for (let i = 0; i < 2; i++) await h.submit();
    const claims = await h.store.claim(h.agent(), 2, 600_000);
    for (const claim of claims) {
      await h.store.append(refOf(claim), step(0));
      await h.store.append(refOf(claim), step(1));
      await h.store.release(refOf(claim));
    }
    await h.first.database.write('UPDATE runs_journal SET output = ? WHERE activity_id = ? AND position = 0', [
      Buffer.from('forged'),
      claims[0]!.activity_id,
    ]);
    const again = await h.store.claim(h.agent(), 2, 600_000);
    t.same(
      again.map(({ activity_id }) => activity_id),
      [claims[1]!.activity_id],
    );
    t.equal(
      await h.count('runs_runs', "run_id = ? AND error_code = 'sealed_value_unreadable'", [claims[0]!.run_id]),
      1,
    );
  });

  t.test('annotations replace by number and logs keep one order', async (t) => {
    const h = scenario();
    const claim = await h.started();
    await h.store.annotate(refOf(claim), 0, 'first');
    await h.store.annotate(refOf(claim), 1, '# second');
    await h.store.annotate(refOf(claim), 0, 'first again');
    t.equal(await h.count('runs_annotations', 'run_id = ?', [claim.run_id]), 2);
    t.equal(await codeOf(h.store.annotate(refOf(claim), -1, '')), 'invalid_request');
    t.equal(await codeOf(h.store.annotate(refOf(claim), 0, 'x'.repeat(MIB))), 'payload_too_large');
    const rest = 256 * 1024 - Buffer.byteLength('first again# second');
    await h.store.annotate(refOf(claim), 2, `${'é'.repeat(64 * 1024)}${'x'.repeat(rest - 128 * 1024)}`);
    t.equal(await codeOf(h.store.annotate(refOf(claim), 3, 'y')), 'payload_too_large', 'all of them have a limit too');
    await h.store.annotate(refOf(claim), 2, '');
    await until(
      async () => (await h.count('runs_annotations', "run_id = ? AND text = 'first again'", [claim.run_id])) === 1,
    );
  });
}
