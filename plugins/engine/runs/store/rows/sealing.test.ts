import t from 'tap';
import { PlaceSealer } from '../../../../../test/kit/index.ts';
import {
  openEnv,
  openEnvelope,
  openSpec,
  openText,
  sealContext,
  sealEnv,
  sealEnvelope,
  sealSpec,
  sealText,
} from './sealing.ts';

const RUN = { org_id: 'org_a', project_id: 'prj_a', run_id: 'run_1' };
const CANARY = 'hunter2-canary';

async function prepared(): Promise<PlaceSealer> {
  const sealer = new PlaceSealer();
  await sealer.prepare(RUN.org_id);
  return sealer;
}

t.test('what is sealed opens at its own place only', async (t) => {
  const sealer = await prepared();
  const place = sealContext.source(RUN, 'digest');
  const text = sealText(sealer, place, `echo ${CANARY}`);
  t.notOk(text.includes(CANARY));
  t.equal(openText(sealer, place, text), `echo ${CANARY}`);
  t.throws(() => openText(sealer, sealContext.source(RUN, 'other'), text), /was moved/);
  const spec = sealSpec({ sealer }, RUN, 'act_1', { source: CANARY });
  t.notOk(spec.includes(CANARY));
  t.same(openSpec({ sealer }, RUN, 'act_1', spec), { source: CANARY });
  const env = sealEnv(sealer, RUN, { A: CANARY });
  t.notOk(env.includes(CANARY));
  t.same(openEnv(sealer, RUN, env), { A: CANARY });
  t.equal(sealEnv(sealer, RUN), '{}');
});

t.test('of an envelope, what statements look for stays readable', async (t) => {
  const sealer = await prepared();
  const envelope = { type: 'manual', $ref: 'bus:evt_1', input: { text: CANARY }, parent: 'run_0' };
  const stored = sealEnvelope(sealer, RUN, envelope);
  t.notOk(stored.includes(CANARY));
  t.match(JSON.parse(stored), { type: 'manual', $ref: 'bus:evt_1' });
  t.same(openEnvelope(sealer, RUN, JSON.parse(stored)), envelope);
  t.throws(() => openEnvelope(sealer, { ...RUN, run_id: 'run_2' }, JSON.parse(stored)), /was moved/);
});

t.test('rows of older versions are read as they are', async (t) => {
  const sealer = await prepared();
  t.equal(openText(sealer, sealContext.source(RUN, 'digest'), 'echo hello'), 'echo hello');
  t.same(openSpec({ sealer }, RUN, 'act_1', '{"source":"true"}'), { source: 'true' });
  t.same(openEnv(sealer, RUN, '{"A":"b"}'), { A: 'b' });
  const old = { type: 'manual', input: { a: 1 } };
  t.same(openEnvelope(sealer, RUN, old), old);
});
