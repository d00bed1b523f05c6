import { hkdfSync, webcrypto } from 'node:crypto';
import t from 'tap';
import vectors from '../test-vectors.json' with { type: 'json' };
import { decrypt, digestOf, encrypt, keyVersionOf, lengthPrefixed, contextAad } from './envelope.ts';
import { isSameCheck, masterKey, parseMasterKey, unwrapOrgKey, wrapOrgKey } from './master-key.ts';

const hex = (text: string) => Buffer.from(text, 'hex');

/** The layout read by another implementation of AES-GCM, from the specification alone. */
async function openIndependently(key: Buffer, blob: Buffer, aad: Buffer): Promise<Buffer> {
  const imported = await webcrypto.subtle.importKey('raw', new Uint8Array(key), 'AES-GCM', false, ['decrypt']);
  const rules = { name: 'AES-GCM', iv: new Uint8Array(blob.subarray(5, 17)), additionalData: new Uint8Array(aad) };
  return Buffer.from(await webcrypto.subtle.decrypt(rules, imported, new Uint8Array(blob.subarray(17))));
}

t.test('the master key gives the committed id, check value and wrapping key', async (t) => {
  for (const { text, id, check, wrapping } of vectors.master_keys) {
    const bytes = parseMasterKey(text);
    const key = masterKey(bytes!);
    t.same(
      { id: key.id, check: key.check.toString('hex'), wrapping: key.wrapping.toString('hex') },
      { id, check, wrapping },
    );
    t.equal(Buffer.from(hkdfSync('sha256', bytes!, '', 'svc/vault/v1/wrap', 32)).toString('hex'), wrapping);
    t.ok(isSameCheck(key, hex(check)));
    t.notOk(isSameCheck(key, Buffer.concat([hex(check), Buffer.alloc(1)])), 'another length is another key');
  }
});

t.test('org keys wrap to the committed bytes and open again', async (t) => {
  for (const { master, org_id, version, key, nonce, wrapped } of vectors.org_keys) {
    const owner = masterKey(parseMasterKey(vectors.master_keys[master]!.text)!);
    t.equal(wrapOrgKey(owner, org_id, version, hex(nonce), hex(key)).toString('hex'), wrapped);
    t.same(unwrapOrgKey(owner, org_id, version, hex(wrapped)), hex(key));
    t.equal(unwrapOrgKey(owner, `${org_id}x`, version, hex(wrapped)), undefined, 'not as the key of another org');
    t.equal(unwrapOrgKey(owner, org_id, version + 1, hex(wrapped)), undefined, 'not as another version');
    const stranger = masterKey(Buffer.alloc(32, 9));
    t.equal(unwrapOrgKey(stranger, org_id, version, hex(wrapped)), undefined, 'not by another master key');
    const aad = lengthPrefixed(['vault_org_keys', org_id, String(version), owner.id]);
    t.same(await openIndependently(owner.wrapping, hex(wrapped), aad), hex(key));
  }
});

t.test('values seal to the committed bytes and open again', async (t) => {
  for (const { key, version, nonce, place, plain, aad, blob } of vectors.values) {
    t.equal(contextAad(place, version).toString('hex'), aad);
    t.equal(encrypt(hex(key), version, hex(nonce), hex(aad), hex(plain)).toString('hex'), blob);
    t.same(decrypt(hex(key), hex(aad), hex(blob)), hex(plain));
    t.equal(keyVersionOf(hex(blob)), version);
    t.same(await openIndependently(hex(key), hex(blob), hex(aad)), hex(plain));
  }
});

t.test('a blob opens in its own place only', async (t) => {
  const { key, version, place, blob } = vectors.values[0]!;
  for (const member of Object.keys(place)) {
    const moved = { ...place, [member]: `${place[member as keyof typeof place]}2` };
    t.equal(decrypt(hex(key), contextAad(moved, version), hex(blob)), undefined, `another ${member}`);
  }
  const shifted = { ...place, kind: place.kind + place.name.slice(0, 1), name: place.name.slice(1) };
  t.equal(decrypt(hex(key), contextAad(shifted, version), hex(blob)), undefined, 'parts that join to the same text');
  t.equal(decrypt(hex(key), contextAad(place, version + 1), hex(blob)), undefined, 'another key version');
});

t.test('texts have the committed digests, which WebCrypto makes from the specification', async (t) => {
  for (const { key, version, place, text, hex: digest } of vectors.digests) {
    const aad = contextAad({ ...place, name: '' }, version);
    t.equal(digestOf(hex(key), aad, text), digest);
    const derived = Buffer.from(hkdfSync('sha256', hex(key), '', 'svc/vault/v1/digest', 32));
    const hmac = { name: 'HMAC', hash: 'SHA-256' };
    const imported = await webcrypto.subtle.importKey('raw', new Uint8Array(derived), hmac, false, ['sign']);
    const signed = await webcrypto.subtle.sign(
      'HMAC',
      imported,
      new Uint8Array(Buffer.concat([aad, Buffer.from(text)])),
    );
    t.equal(Buffer.from(signed).toString('hex'), digest);
  }
});

t.test('every flipped bit and every shortening of a blob is refused', async (t) => {
  const { key, aad, blob } = vectors.values[0]!;
  const whole = hex(blob);
  let opened = 0;
  for (let bit = 0; bit < whole.length * 8; bit += 1) {
    const flipped = Buffer.from(whole);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    // The version in the head chooses the key and is bound by the AAD of whoever opens it.
    const version = keyVersionOf(flipped);
    const bound = version === undefined ? hex(aad) : contextAad(vectors.values[0]!.place, version);
    if (decrypt(hex(key), bound, flipped) !== undefined) opened += 1;
  }
  for (let length = 0; length < whole.length; length += 1)
    if (decrypt(hex(key), hex(aad), whole.subarray(0, length)) !== undefined) opened += 1;
  if (decrypt(hex(key), hex(aad), Buffer.concat([whole, Buffer.alloc(1)])) !== undefined) opened += 1;
  t.equal(opened, 0);
});

t.test('a master key is 32 bytes in base64 and nothing else', async (t) => {
  const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index));
  for (const text of [bytes.toString('base64'), bytes.toString('base64url'), `  ${bytes.toString('base64')}\n`])
    t.same(parseMasterKey(text), bytes, JSON.stringify(text));
  const wrong = [
    '',
    'short',
    bytes.toString('hex'),
    bytes.subarray(1).toString('base64'),
    `${bytes.toString('base64')}AA`,
  ];
  for (const text of [...wrong, `${bytes.toString('base64').slice(0, 20)} ${bytes.toString('base64').slice(20)}`])
    t.equal(parseMasterKey(text), undefined, JSON.stringify(text));
});
