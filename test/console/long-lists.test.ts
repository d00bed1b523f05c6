import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { Console } from './browser.ts';
import { omit } from '../kit/needs.ts';

const HERE = '/orgs/dev/projects/main';
/** More than the API gives in one answer. */
const MANY = 205;
/** Lists begin with the newest: this one is on the second page. */
const LAST = 'aa-first-made';
const path = chromiumPath();

t.setTimeout(600_000);

const GRAPH = {
  version: 'svc-graph/v1',
  nodes: [{ id: 'start', type: 'trigger.manual' }],
  edges: [],
};
const HANDLER = { on: ['deploy.done'], filename: 'tell.sh', source: 'echo told\n' };

if (path === undefined) omit(t, 'lists of more than one page in a browser', 'chromium');
else
  t.test('what is searched, chosen from and counted has all pages of its list', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const put = async (to: string, body: unknown) => {
      const headers = { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' };
      const init = { method: 'PUT', headers, body: JSON.stringify(body) };
      const answer = await fetch(`${place.url}/api/v1${HERE}${to}`, init);
      if (!answer.ok) throw new Error(`${to}: ${answer.status} ${await answer.text()}`);
    };
    for (const name of [LAST, ...Array.from({ length: MANY - 1 }, (_, n) => `one-${n}`)]) {
      await put(`/handlers/${name}`, HANDLER);
      await put(`/graphs/${name}`, GRAPH);
      await put(`/credentials/${name}`, { kind: 'bearer', token: 'of-no-use' });
    }
    const page = await place.signedIn();

    await t.test('handlers are found and counted', async () => {
      await page.goto(`${place.url}${HERE}/handlers`);
      await page.locator('.page-head').getByText(String(MANY), { exact: true }).waitFor();
      await page.getByRole('searchbox').fill(LAST);
      await page.getByRole('row', { name: new RegExp(LAST) }).waitFor();
    });

    await t.test('every graph can be chosen for a new run', async () => {
      await page.goto(`${place.url}${HERE}/new-run?what=graph`);
      await page.locator('.new-run select').selectOption(LAST);
      await page.getByText(`svc submit --graph ${LAST}`).waitFor();
    });

    await t.test('the palette finds every graph', async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(LAST);
      await page.getByRole('group', { name: 'Graphs' }).getByText(LAST).waitFor();
      await page.keyboard.press('Escape');
    });

    await t.test('the editor offers every credential', async () => {
      await page.goto(`${place.url}${HERE}/graphs/new?node=team_chat.post_message`);
      await page.getByRole('region', { name: 'Selection' }).getByRole('heading', { name: 'Post message' }).waitFor();
      await page.locator(`datalist option[value=${LAST}]`).first().waitFor({ state: 'attached' });
    });

    t.same(place.faults, []);
  });
