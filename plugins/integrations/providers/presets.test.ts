import t from 'tap';
import { compile } from '../../platform/schema/contract.ts';
import { PRESETS } from './local/presets.ts';
import { PROVIDERS, readProviderSettings } from './domain/read-settings.ts';
import presets from './presets.json' with { type: 'json' };
import schema from './schema/provider-preset.schema.json' with { type: 'json' };

const client = { client_id: 'svc', client_secret: 'hush-hush' };
const read = (entries: object[]) => readProviderSettings({ [PROVIDERS]: JSON.stringify(entries) });

t.test('every preset fits the schema, and gives settings that a server takes', async (t) => {
  const validate = compile({ type: 'array', items: schema });
  t.same(validate(presets), []);
  t.ok(PRESETS.length >= 20, `${PRESETS.length} presets`);
  t.equal(new Set(PRESETS.map(({ preset }) => preset)).size, PRESETS.length);
  const { errors, providers } = read(PRESETS.map(({ preset }) => ({ name: preset, preset, ...client })));
  t.same(errors, []);
  t.equal(providers.length, PRESETS.length);
  for (const { preset, assumed, settings } of PRESETS)
    if (assumed.includes('capabilities'))
      t.same(settings.capabilities, { rotates_refresh_token: true, reuse_revokes_family: true }, `${preset} is safe`);
});

t.test('the entry wins over its preset, and an unknown preset is told', async (t) => {
  const scopes = ['api', 'read_user'];
  const { providers } = read([{ name: 'forge', preset: 'gitlab', scopes, ...client }]);
  t.match(providers, [{ name: 'forge', title: 'GitLab', token_url: 'https://gitlab.com/oauth/token', scopes }]);
  t.match(read([{ preset: 'gitlab', ...client }]).providers, [{ name: 'gitlab' }]);
  t.match(read([{ preset: 'gitlap', ...client }]).errors, [
    { path: '[0].preset', message: 'names no preset; did you mean gitlab? (svc provider presets lists them)' },
  ]);
  t.match(read([{ preset: 'gitlab' }]).errors, [
    { path: '[0].client_id', message: 'is required' },
    { path: '[0].client_secret', message: 'is required' },
  ]);
  const { errors } = read([{ name: 'x', preset: 7, ...client }]);
  t.ok(errors.some(({ path, message }) => path === '[0].preset' && message === 'must be a string'));
});
