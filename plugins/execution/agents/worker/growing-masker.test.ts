import t from 'tap';
import { createMaskers } from '../../../../test/kit/index.ts';
import { GrowingMasker } from './growing-masker.ts';

const maskers = createMaskers();
const TOKEN = 'eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl';

function growing(...secrets: string[]) {
  let now = 0;
  const masker = new GrowingMasker(maskers.masker(secrets), maskers, { monotonic: () => now });
  return { masker, pass: (ms: number) => (now += ms) };
}

const push = (stream: { push(chunk: Buffer): Buffer }, text: string) => stream.push(Buffer.from(text)).toString();

t.test('a value is masked as soon as it is added, in streams that are open too', async (t) => {
  const { masker } = growing();
  const stream = masker.stream();
  t.ok(masker.idle);
  t.equal(push(stream, 'before '), 'before ');
  await masker.add([TOKEN], 1000);
  t.notOk(masker.idle);
  t.equal(push(stream, `it is ${TOKEN.slice(0, 12)}`), 'it is ');
  t.equal(push(stream, `${TOKEN.slice(12)}.`), '***.');
  t.equal(stream.end().toString(), '');
  t.equal(masker.text(`it is ${TOKEN}.`), 'it is ***.');
  t.equal(masker.bytes(Buffer.from(TOKEN)).toString(), '***');
  t.equal((await masker.maskLarge(Buffer.from(TOKEN))).toString(), '***');
  t.same(masker.json({ a: [TOKEN] }), { a: ['***'] });
  t.equal(push(masker.stream(), `${TOKEN}.`), '***.', 'a later stream too');
});

t.test('a secret inside a value does not hide the value, and one that is split stays masked', async (t) => {
  const { masker } = growing('hunter22', 'eyJzdWIiOi');
  const stream = masker.stream();
  t.equal(push(stream, 'the password is hunt'), 'the password is ');
  await masker.add([TOKEN], 1000);
  t.equal(push(stream, `er22 ${TOKEN} x `), '*** *** x ');
  t.equal(masker.text(`hunter22 ${TOKEN}`), '*** ***');
});

t.test('a value that has expired is released when the next one is added', async (t) => {
  const { masker, pass } = growing('hunter22');
  const stream = masker.stream();
  await masker.add([TOKEN], 1000);
  t.equal(push(stream, 'now eyJh'), 'now ', 'it may be the beginning of the value');
  pass(1000);
  await masker.add(['another-value'], 1000);
  t.equal(push(stream, `, ${TOKEN}, another-value, hunter22.`), `eyJh, ${TOKEN}, ***, ***.`);
  t.equal(Buffer.concat([stream.flush(), stream.end()]).toString(), '');
});
