import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { FarEnd, send } from '../../features/support/far-end.ts';
import { VaultFarEnd } from '../far-ends/secret-stores.ts';
import { omit } from '../kit/needs.ts';
import { Console, inaccessible } from './browser.ts';

const VALUE = 'stored-canary-5f1c';
const SHOP = {
  manifest: 'svc-connector/v1',
  name: 'shop',
  title: 'Shop',
  credential: { kind: 'bearer' },
  fields: [{ name: 'base_url', type: 'string', required: true }],
  triggers: {
    new_order: {
      request: { method: 'GET', url: '{{ with.base_url }}/orders' },
      items: 'body.orders',
      id: 'item.id',
      event: { type: 'order.created' },
      every: { default: '1h', least: '10s' },
    },
  },
};
const path = chromiumPath();

t.setTimeout(600_000);

if (path === undefined) omit(t, 'polling and secret stores in a browser', 'chromium');
else
  t.test('what polls, and where secrets stay', { timeout: 600_000 }, async (t) => {
    const [shop, vault_end] = await Promise.all([FarEnd.open(), FarEnd.open()]);
    const folder = await mkdtemp(join(tmpdir(), 'svc-shop-'));
    await writeFile(join(folder, 'shop.json'), JSON.stringify(SHOP));
    t.teardown(async () => {
      await Promise.all([shop.close(), vault_end.close()]);
      await rm(folder, { recursive: true });
    });
    const orders = [{ id: 1 }];
    let broken = false;
    shop.reply = (_seen, response) =>
      send(response, broken ? 500 : 200, { 'content-type': 'application/json' }, JSON.stringify({ orders }));
    const vault = new VaultFarEnd(vault_end);
    vault.secrets.set('app/db', { password: VALUE });
    const urlOf = (end: FarEnd) => end.url('').replace('localhost', '127.0.0.1');
    const env = { SVC_CONNECTORS: join(folder, 'shop.json'), SVC_EGRESS_ALLOW: '127.0.0.1' };
    const place = await Console.open(t, path, { env });
    const base = `${place.url}/orgs/dev/projects/main`;
    await place.svc(['credential', 'set', 'bot', '--kind', 'bearer', '--token', '-'], 'tok-of-shop');
    const page = await place.signedIn();

    await t.test('a trigger is created, polls, fails, is paused and removed', async (t) => {
      await page.goto(`${base}/triggers`);
      await page.getByText('No polling triggers yet').waitFor();
      await page.getByRole('link', { name: 'New trigger' }).first().press('Enter');
      const form = page.getByRole('dialog', { name: 'New trigger' });
      await form.getByLabel('Name').fill('orders');
      await form.getByLabel('Connector', { exact: false }).first().fill('shop');
      await form.getByLabel(/^List/).fill('new_order');
      await form.getByLabel(/^Credential or account/).fill('bot');
      await form.getByLabel(/^Fields of the connector/).fill('{"base_url": nothing}');
      await form.getByRole('button', { name: 'Create trigger' }).press('Enter');
      await form.getByText(/This is not JSON/).waitFor();
      await form.getByLabel(/^Fields of the connector/).fill(JSON.stringify({ base_url: urlOf(shop) }));
      t.same(await inaccessible(page), []);
      await form.getByRole('button', { name: 'Create trigger' }).press('Enter');
      await page.waitForURL(`${base}/triggers/orders`);
      const polled = page.getByRole('region', { name: 'Last poll' });
      orders.push({ id: 2 }, { id: 3 });
      await page.getByRole('button', { name: 'Poll now' }).press('Enter');
      await page.getByText('orders is polled').waitFor();
      await place.svc(['trigger', 'show', 'orders']);
      broken = true;
      await page.getByRole('button', { name: 'Poll now' }).press('Enter');
      await polled.getByText(/status 500|answered 500|500/).waitFor();
      t.same(await inaccessible(page), []);
      await page.getByRole('button', { name: 'Pause' }).press('Enter');
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      t.match(JSON.parse((await place.svc(['trigger', 'show', 'orders', '--json'])).stdout), { paused: true });
      await page.goto(`${base}/triggers`);
      await page.getByRole('row', { name: /orders.*shop new_order.*Paused/ }).waitFor();
      await page.getByRole('button', { name: 'Actions for orders' }).press('Enter');
      await page.getByRole('menuitem', { name: 'Remove trigger' }).press('Enter');
      await page.getByRole('button', { name: 'Remove trigger' }).press('Enter');
      await page.getByText('No polling triggers yet').waitFor();
    });

    await t.test('a secret store is created and tested, and a secret has its value there', async (t) => {
      await page.goto(`${base}/connections/secret-stores`);
      await page.getByRole('button', { name: 'New secret store' }).first().press('Enter');
      const form = page.getByRole('dialog', { name: 'New secret store' });
      await form.getByLabel('Kind').selectOption('AWS Secrets Manager');
      await form.getByLabel(/^Region/).waitFor();
      await form.getByLabel('Kind').selectOption('Vault');
      await form.getByLabel('Name').fill('main');
      await form.getByLabel(/^Address/).fill(urlOf(vault_end));
      await form.getByLabel('Token').fill('hvs.root-canary');
      t.same(await inaccessible(page), []);
      await form.getByRole('button', { name: 'Create secret store' }).press('Enter');
      await page.getByRole('row', { name: /main.*Vault/ }).waitFor();
      const test = async (value_path: string) => {
        await page.getByRole('button', { name: 'Actions for main' }).press('Enter');
        await page.getByRole('menuitem', { name: 'Test with a value' }).press('Enter');
        const dialog = page.getByRole('dialog', { name: 'Test main' });
        await dialog.getByLabel(/^Path/).fill(value_path);
        await dialog.getByLabel(/^Field/).fill('password');
        await dialog.getByRole('button', { name: 'Read the value' }).press('Enter');
        return dialog;
      };
      await (await test('app/db')).waitFor({ state: 'detached' });
      await page.getByText('main returns this value').waitFor();
      const failed = await test('app/none');
      await failed.getByText(/app\/none/).waitFor();
      await page.keyboard.press('Escape');

      await page.goto(`${base}/connections/secrets`);
      await page.getByRole('button', { name: 'New secret' }).first().press('Enter');
      const secret = page.getByRole('dialog', { name: 'New secret' });
      await secret.getByLabel('Name').fill('DB_PASSWORD');
      await secret.getByLabel('Stored in').selectOption('main');
      await secret.getByLabel(/^Path/).fill('app/db');
      await secret.getByLabel(/^Field/).fill('password');
      t.same(await inaccessible(page), []);
      await secret.getByRole('button', { name: 'Store secret' }).press('Enter');
      await page.getByRole('row', { name: /DB_PASSWORD.*main: app\/db#password/ }).waitFor();
      t.notMatch(await page.content(), VALUE);
      await place.svc(['secret', 'get', 'DB_PASSWORD']).then(({ stdout }) => t.match(stdout, VALUE));
    });

    t.same(place.faults, [], 'no error, and nothing that the content security policy refused');
  });
