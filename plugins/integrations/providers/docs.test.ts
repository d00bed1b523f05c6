import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { PROVIDERS, readProviderSettings, REDIRECT_URI } from './domain/read-settings.ts';

t.test('what the documentation has ready to copy is accepted', async (t) => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/accounts.md'), 'utf8');
  const blocks = [...text.matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, json]) => json!);
  t.ok(blocks.length >= 7, `${blocks.length} providers`);
  for (const block of blocks) {
    // The files and variables of secrets are those of the reader.
    const settings = block.replaceAll(/"(@\/etc\/svc\/|env:)[^"]+"/g, '"a secret"');
    t.notMatch(settings, /"client_secret": "(?!a secret")/, 'no secret stands in the settings');
    const { errors, providers } = readProviderSettings({
      [PROVIDERS]: settings,
      [REDIRECT_URI]: 'https://svc.example.org/connections/callback',
    });
    t.same(errors, []);
    t.equal(providers.length, 1);
  }
});
