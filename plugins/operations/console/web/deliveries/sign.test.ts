import { createHmac } from 'node:crypto';
import t from 'tap';
import { canSign, proofHeaders, proofOfHook } from './sign.ts';

const DELIVERY = { secret: 'key-of-the-far-end', body: '{"total":12}', id: 'test-1', now: 1_700_000_000_500 };

t.test('a shared token stands in its header', async (t) => {
  const proof = proofOfHook({ mode: 'token' })!;
  t.same(await proofHeaders(proof, DELIVERY), { 'X-Svc-Hook-Secret': DELIVERY.secret });
});

t.test('a signature is over the body, with its prefix', async (t) => {
  const hmac = { header: 'X-Sig', prefix: 'sha256=', algorithm: 'sha256', encoding: 'hex' } as const;
  const expected = createHmac('sha256', DELIVERY.secret).update(DELIVERY.body).digest('hex');
  t.same(await proofHeaders(proofOfHook({ mode: 'hmac', hmac })!, DELIVERY), { 'X-Sig': `sha256=${expected}` });
});

t.test('a signature over id, time and body, by a key that is written as base64', async (t) => {
  const key = Buffer.from('a key of 24 bytes, or so');
  const proof = {
    signature: {
      header: 'webhook-signature',
      algorithm: 'sha256',
      encoding: 'base64',
      prefix: 'v1,',
      signs: '{id}.{timestamp}.{body}',
      timestamp_header: 'webhook-timestamp',
      key: { prefix: 'whsec_', encoding: 'base64' },
    },
  } as const;
  const secret = `whsec_${key.toString('base64')}`;
  const expected = createHmac('sha256', key).update(`test-1.1700000000.${DELIVERY.body}`).digest('base64');
  t.same(await proofHeaders(proof, { ...DELIVERY, secret }), {
    'webhook-signature': `v1,${expected}`,
    'webhook-timestamp': '1700000000',
  });
});

t.test('time and signature may be parts of one header', async (t) => {
  const proof = {
    signature: {
      header: 'Signature',
      algorithm: 'sha256',
      encoding: 'hex',
      parts: { signature: 'v1', timestamp: 't' },
      signs: '{timestamp}.{body}',
    },
  } as const;
  const expected = createHmac('sha256', DELIVERY.secret).update(`1700000000.${DELIVERY.body}`).digest('hex');
  t.same(await proofHeaders(proof, DELIVERY), { Signature: `t=1700000000,v1=${expected}` });
});

t.test('what only the sender can sign is known', async (t) => {
  t.notOk(canSign({ signature: { header: 'S', algorithm: 'ed25519', encoding: 'hex' } }));
  t.ok(canSign({ signature: { header: 'S', algorithm: 'sha512', encoding: 'hex' } }));
  t.equal(proofOfHook({ mode: 'manifest' }), undefined);
});
