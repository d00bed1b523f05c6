import { type DataTable, Given } from '@cucumber/cucumber';
import type { SvcWorld } from '../support/world.ts';

/** Complete settings of a provider that nobody reaches. */
const complete = () => ({
  name: 'forge',
  authorize_url: 'https://forge.example/authorize',
  token_url: 'https://forge.example/token',
  client_id: 'svc',
  client_secret: 'hush-of-the-client',
  scopes: ['repo', 'offline_access'],
  capabilities: { rotates_refresh_token: true, reuse_revokes_family: false },
  identity: { url: 'https://forge.example/user', id_pointer: '/id', label_pointer: '/login' },
});

type Settings = { [member: string]: unknown };

/** Sets, or takes away, what stands at a path such as `identity.url`. */
function change(settings: Settings, path: string, value: string): void {
  const names = path.split('.');
  const last = names.pop()!;
  const holder = names.reduce<Settings>((at, name) => at[name] as Settings, settings);
  if (value === 'absent') delete holder[last];
  else holder[last] = JSON.parse(value) as unknown;
}

Given(
  'settings of a provider noted as {string}, with {string} {string}',
  function (this: SvcWorld, name: string, path: string, value: string) {
    const settings = complete();
    if (path !== '') change(settings, path, this.expand(value));
    this.notes.set(name, JSON.stringify([settings]));
  },
);

Given(
  'settings of providers noted as {string}, one for each line:',
  function (this: SvcWorld, name: string, table: DataTable) {
    const list = table.raw().map(([path = '', value = '']) => {
      const settings = complete();
      change(settings, path, this.expand(value));
      return settings;
    });
    this.notes.set(name, JSON.stringify(list));
  },
);
