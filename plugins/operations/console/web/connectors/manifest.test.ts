import t from 'tap';
import type { ConnectorManifest, ManifestExample, ManifestValue } from '../../../../../cli/generated/api.ts';
import { shellQuote } from '../kit/text.ts';
import { examplesOf, filledIn, fitsWords, proofOf, renderCommand, requestLine, wordsAbout } from './manifest.ts';

const manifest: ConnectorManifest = {
  manifest: 'svc-connector/v1',
  name: 'team_chat',
  title: 'Team chat',
  actions: { post: { title: 'Post a message', request: { method: 'POST', url: '{{ with.base }}/post' } } },
  examples: [
    { title: 'one', action: 'post', with: { channel: '#ops' }, input: { text: "it's" } },
    { title: 'two', action: 'other' },
  ],
};

t.test('words are looked for in names, titles and actions', async (t) => {
  t.ok(fitsWords(manifest, ''));
  t.ok(fitsWords(manifest, 'CHAT mess'));
  t.notOk(fitsWords(manifest, 'chat mail'));
  t.ok(fitsWords(manifest, 'slack'), 'by the name that people know');
  t.ok(fitsWords({ ...manifest, name: 'messages_llm' }, 'claude'), 'by another word for it');
});

t.test('what it does is told in a line', async (t) => {
  t.equal(wordsAbout(manifest), 'Chat · post a message');
  t.equal(wordsAbout({ ...manifest, name: 'of_somebody_else', actions: {}, hook: {} }), 'Other · deliveries');
});

t.test('an action has its own examples, its line and its command', async (t) => {
  const [first] = examplesOf(manifest, 'post');
  t.equal(first?.title, 'one');
  t.equal(requestLine(manifest.actions!.post!), 'POST {{ with.base }}/post');
  t.equal(
    renderCommand('team_chat', 'post', first, shellQuote),
    `svc connector render team_chat.post --with '{"channel":"#ops"}' --input '{"text":"it'\\''s"}'`,
  );
  t.equal(renderCommand('team_chat', 'post', undefined, shellQuote), 'svc connector render team_chat.post');
});

t.test('values to begin with: of an example, else empty where one is required', async (t) => {
  const fields = [
    { name: 'channel', type: 'string', required: true },
    { name: 'limit', type: 'integer', required: true },
    { name: 'base', type: 'string', default: 'https://h' },
  ] as ManifestValue[];
  t.same(filledIn(fields, [], undefined), { with: { channel: '', limit: 0 }, input: {} });
  t.same(filledIn(fields, [], { action: 'post', with: { channel: '#ops' }, input: { text: 'x' } } as ManifestExample), {
    with: { channel: '#ops', limit: 0 },
    input: { text: 'x' },
  });
});

t.test('the proof of deliveries is said in words', async (t) => {
  t.match(proofOf({ token: { header: 'X-Token' } }), /token in the X-Token header/);
  t.match(
    proofOf({ signature: { header: 'X-Sig', algorithm: 'sha256', encoding: 'hex' } }),
    /signature \(sha256\) in the X-Sig header/,
  );
});
