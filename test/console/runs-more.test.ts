import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { until } from '../../features/support/process.ts';
import { Console, inaccessible } from './browser.ts';
import { omit } from '../kit/needs.ts';

const HOSTILE = '<img src=x onerror="document.title=`owned`">\u202e';
const SHOWN = '<img src=x onerror="document.title=`owned`">\\u202e';
const path = chromiumPath();

/** Prints what a file says, so that two runs of it differ. */
const VARIES = `svc step same -- echo same
svc step varies -- cat "$PWD_OF_TEST/word"
svc emit built.done --key site
`;
const CHILD = 'svc step child -- echo child\n';
/** Asks for another step once it has been woken. */
const UNSTEADY = `svc step "$(cat "$PWD_OF_TEST/word")" -- true
svc wait-signal go
`;

const FIRST = "svc wait-any signal:stop event:order.paid --when order.paid='event.payload.id == 7'\n";

/** Its inputs are declared, so that they have fields. */
const DEPLOYS = `# svc:inputs
#   service: string
#   replicas: integer = 1
#   env: test|live = test
svc input
`;

/** Its pause between attempts parks it for long. */
const RETRIES = `svc step pay --retry 5 --backoff 1h -- sh -c 'echo "no answer"; exit 7'
`;

const NAME = '<img src=x onerror="document.title=`owned`">';
/** Answers its first ask, and leaves the second one without an answer. */
const ASKED = `ask=$(svc wait-ask price)
svc answer "$ask" '{"price": 12.50, "note": ${JSON.stringify(HOSTILE)}}'
svc wait-any signal:go 'ask:${NAME}'
`;

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

if (path === undefined) omit(t, 'comparing runs and their chains in a browser', 'chromium');
else
  t.test('runs beside each other and one after another', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const base = `${place.url}/orgs/dev/projects/main`;
    const word = (text: string) => writeFile(join(place.folder, 'word'), text);
    for (const [name, source] of Object.entries({
      'varies.sh': VARIES,
      'child.sh': CHILD,
      'unsteady.sh': UNSTEADY,
      'retries.sh': RETRIES,
      'waits.sh': 'svc wait-signal approval\n',
      'asked.sh': ASKED,
      'deploys.sh': DEPLOYS,
      'first.sh': FIRST,
    }))
      await writeFile(join(place.folder, name), source);
    const submit = async (file: string, ...more: string[]) => {
      const args = ['submit', file, '--env', `PWD_OF_TEST=${place.folder}`, '--json', ...more];
      const { stdout, stderr } = await place.svc(args);
      const [run_id] = stdout.match(/run_\w{26}/) ?? [];
      if (run_id === undefined) throw new Error(`no run: ${stdout} ${stderr}`);
      return run_id;
    };
    const reaches = (run_id: string, state: string) =>
      until(`${run_id} to be ${state}`, 60_000, async () =>
        (await place.svc(['status', run_id])).stdout.includes(state) ? true : undefined,
      );
    await place.svc(['handler', 'set', 'after', 'child.sh', '--on', 'built.*']);
    await word(HOSTILE);
    const a = await submit('varies.sh', '--input', '{"n":1}');
    await reaches(a, 'succeeded');
    await word('another');
    const b = await submit('varies.sh', '--input', '{"n":2}');
    await reaches(b, 'succeeded');
    await word('first-name');
    const broken = await submit('unsteady.sh');
    await reaches(broken, 'waiting');
    await word(HOSTILE);
    await place.svc(['signal', broken, 'go']);
    await reaches(broken, 'failed');

    const page = await place.signedIn();
    const changed = (looked: Page, text: string) => looked.locator('.diff').getByText(text).first().waitFor();

    await t.test('two runs are compared', async (t) => {
      await page.goto(`${base}/runs/${a}`);
      await page.getByRole('link', { name: 'Compare', exact: true }).click();
      await page.getByRole('link', { name: b }).click();
      await page.waitForURL(`${base}/runs/compare?a=${a}&b=${b}`);
      await changed(page, `- ${SHOWN}`);
      await changed(page, '+ another');
      await changed(page, '"n": 2');
      const rows = page.getByRole('row', { name: /^step same#0/ });
      t.equal(await rows.count(), 0, 'what is the same is left out');
      await page.getByRole('button', { name: 'Show all' }).click();
      await rows.getByText('same', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Swap A and B' }).click();
      await changed(page, `+ ${SHOWN}`);
      const told = await place.svc(['runs', 'diff', a, b]);
      t.match(told.stdout, /\+another/);
      t.match(JSON.parse((await place.svc(['runs', 'diff', a, b, '--json'])).stdout), { a, b, input: { a: { n: 1 } } });

      await page.goto(`${base}/runs?workflow=varies.sh`);
      for (const id of [a, b]) await page.getByRole('checkbox', { name: new RegExp(id) }).check();
      await page.getByRole('link', { name: 'Compare the two' }).click();
      await page.waitForURL(`${base}/runs/compare?a=${a}&b=${b}`);
    });

    await t.test('a run is rerun with another input', async (t) => {
      const first = await submit('deploys.sh', '--input', '{"service": "shop", "replicas": 2}');
      await reaches(first, 'succeeded');
      await page.goto(`${base}/runs/${first}`);
      const opened = async (looked: Page) => {
        await looked.getByRole('button', { name: 'More ways to rerun' }).press('Enter');
        await looked.getByRole('menuitem', { name: 'Rerun with another input…' }).press('Enter');
        return looked.getByRole('dialog', { name: 'Rerun with another input' });
      };
      const dialog = await opened(page);
      const service = dialog.getByLabel(/^Service/);
      await service.waitFor();
      t.same(
        [await service.inputValue(), await dialog.getByLabel('Replicas').inputValue()],
        ['shop', '2'],
        'the form begins with the input of the run',
      );
      await service.fill('');
      await service.press('Enter');
      await dialog.getByText('Service is required.').waitFor();
      await dialog.getByRole('button', { name: 'Edit as JSON' }).press('Enter');
      await dialog.getByLabel('Input, as JSON').fill('{"service": "shop", "replicas": "many"}');
      await dialog.getByRole('button', { name: 'Rerun', exact: true }).press('Enter');
      await dialog.getByText('/input/replicas must be integer').first().waitFor();
      await dialog.getByRole('button', { name: 'Back to fields' }).press('Enter');
      await dialog.getByLabel('Replicas').fill('3');
      await dialog.getByLabel('Env').selectOption('live');
      await dialog.getByRole('button', { name: 'Rerun', exact: true }).press('Enter');
      await page.getByText('Rerun of', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Input', exact: true }).click();
      await page.getByText('"replicas": 3').first().waitFor();
      t.equal(await page.getByRole('dialog').count(), 0, 'the dialog is closed');
      const again = /run_\w{26}/.exec(page.url())![0];
      t.not(again, first);
      const { stdout } = await place.svc(['status', again, '--json']);
      t.match(JSON.parse(stdout), { rerun_of: first });

      const exact = await submit('varies.sh', '--input', '{"n": 12345678901234567890}');
      await reaches(exact, 'succeeded');
      await page.goto(`${base}/runs/${exact}`);
      const plain = (await opened(page)).getByLabel('Input, as JSON');
      await plain.waitFor();
      t.match(await plain.inputValue(), /12345678901234567890/, 'without declared inputs, it is JSON with every digit');
      const looks = { viewport: { width: 390, height: 800 } };
      for (const colorScheme of ['light', 'dark'] as const) {
        const looked = await place.signedIn(place.token, await place.newBrowser({ colorScheme, ...looks }));
        await looked.goto(`${base}/runs/${first}`);
        await (await opened(looked)).getByLabel(/^Service/).waitFor();
        t.same(await inaccessible(looked), [], colorScheme);
      }
    });

    await t.test('what led to a run and what came of it', async (t) => {
      await page.goto(`${base}/runs/${a}?tab=lineage`);
      const chain = page.locator('.chain');
      await chain.getByRole('link', { name: 'built.done' }).waitFor();
      await chain.getByRole('link', { name: /child\.sh|handler/ }).click();
      await page.getByRole('heading', { name: /child\.sh/, level: 1 }).waitFor();
      await page.getByRole('link', { name: 'Lineage' }).click();
      await page.getByRole('heading', { name: 'Caused by', exact: true }).waitFor();
      await chain.getByRole('link', { name: 'varies.sh' }).waitFor();
      await chain.getByRole('link', { name: 'built.done' }).click();
      await page.getByRole('heading', { name: 'built.done', level: 1 }).waitFor();
      await chain.getByText('emitted by').waitFor();
      const told = await place.svc(['runs', 'chain', a]);
      t.match(told.stdout, /emitted evt_[\s\S]*started run_/);
    });

    await t.test('a replay that differs shows both sides', async () => {
      await page.goto(`${base}/runs/${broken}`);
      await page.getByRole('heading', { name: 'The replay differs' }).waitFor();
      await changed(page, '- step first-name#0');
      await changed(page, `+ step ${SHOWN}`);
    });

    await t.test('attempts of a step, and the deadline of a run', async () => {
      const retries = await submit('retries.sh', '--timeout', '30d');
      await reaches(retries, 'waiting');
      await page.goto(`${base}/runs/${retries}`);
      await page.getByText('has failed 1 of 5 times, most recently with exit code 7').waitFor();
      await page.getByText(/^Deadline in 29 d$/).waitFor();
      await page.getByRole('button', { name: /^attempt Attempt 1 · exit 7/ }).waitFor();
      const step = page.getByRole('region', { name: 'Step pay' });
      await step.getByText('Attempt 2 of 5').waitFor();
      await step.getByText('no answer').first().waitFor();
    });

    await t.test('a signal under a wrong name is seen, and all runs of a list are cancelled at once', async () => {
      const waits = [await submit('waits.sh'), await submit('waits.sh')];
      for (const run_id of waits) await reaches(run_id, 'waiting');
      await place.svc(['signal', waits[0]!, 'aproval']);
      await page.goto(`${base}/runs/${waits[0]}`);
      await page.getByText(/aproval was sent .* ago, and nothing waits for that name/).waitFor();
      await page.getByText(`send it under the name that the run waits for: svc signal ${waits[0]} approval`).waitFor();
      await page.goto(`${base}/runs?workflow=waits.sh`);
      await page.getByRole('checkbox', { name: 'Select all shown runs' }).check();
      await page.getByRole('button', { name: 'Cancel 2' }).click();
      await page.getByText('svc runs cancel --workflow waits.sh').waitFor();
      await page.getByRole('button', { name: 'Cancel runs' }).click();
      await page.getByText('2 cancelled').waitFor();
      for (const run_id of waits) await reaches(run_id, 'cancelled');
    });

    await t.test('a run is asked, and its answer comes without a reload', async (t) => {
      const asked = await submit('asked.sh');
      await reaches(asked, 'waiting');
      await page.goto(`${base}/runs/${asked}`);
      const card = page.getByRole('region', { name: 'Waiting for an ask' });
      t.equal(await card.getByLabel('Name').inputValue(), 'price');
      await card.getByLabel('Payload, as JSON').fill('{"sku": ');
      await card.getByRole('button', { name: 'Ask', exact: true }).press('Enter');
      await card.getByText(/This is not JSON/).waitFor();
      await card.getByLabel('Payload, as JSON').fill('{"sku": "lamp"}');
      await card.getByRole('button', { name: 'Ask', exact: true }).press('Enter');
      await page.getByText('Answered', { exact: true }).waitFor();
      const answer = page.locator('.ask-row pre');
      await answer.waitFor();
      t.match(
        await answer.innerText(),
        /"price": 12\.50[\s\S]*onerror=.*\\u202e/,
        'exactly, and what deceives is shown',
      );
      const next = page.getByRole('region', { name: 'Waiting for whichever comes first' });
      await next.getByLabel('Name').waitFor();
      t.equal(await next.getByLabel('Name').inputValue(), NAME);
      await place.svc(['ask', asked, NAME, '--no-wait']);
      await page.getByText('The run ended without an answer').waitFor();
      await page.locator('.ask-row summary').getByText(NAME).waitFor();
      t.equal(await page.getByRole('button', { name: 'Ask', exact: true }).count(), 0, 'an ended run answers nothing');
      t.equal(await answer.count(), 1, 'the earlier answer stays open');
    });

    await t.test('a wait for the first of several is ended by what somebody chooses', async (t) => {
      const first = await submit('first.sh');
      await reaches(first, 'waiting');
      await page.goto(`${base}/runs/${first}`);
      const card = page.getByRole('region', { name: 'Waiting for whichever comes first' });
      await card.getByText('Only an event of type order.paid for which this is true ends it').waitFor();
      await card.getByLabel('Signal or event').selectOption('event order.paid');
      await card.getByLabel('Payload, as JSON').fill('{"id": 7}');
      await card.getByRole('button', { name: 'Send', exact: true }).press('Enter');
      await reaches(first, 'succeeded');
      t.match((await place.svc(['logs', first])).stdout, /"first":"event","name":"order\.paid"/);
    });

    await t.test('accessible in both themes on a narrow screen, for a viewer too', async (t) => {
      const asked = await submit('asked.sh');
      await reaches(asked, 'waiting');
      await place.svc(['ask', asked, 'stock', '--no-wait']);
      const made = await place.svc(['token', 'create', 'looks', '--role', 'viewer', '--json']);
      const { token } = JSON.parse(made.stdout) as { token: string };
      const viewport = { width: 390, height: 800 };
      const light = await place.signedIn(token, await place.newBrowser({ colorScheme: 'light', viewport }));
      const dark = await place.signedIn(place.token, await place.newBrowser({ colorScheme: 'dark', viewport }));
      const pages: [string, string][] = [
        [`/runs/compare?a=${a}&b=${b}&all=steps`, '.diff'],
        [`/runs/compare?a=${a}`, 'table'],
        [`/runs/${a}?tab=lineage`, '.chain'],
        [`/runs/${a}`, '.step-card'],
        [`/runs/${broken}`, '.diff'],
        [`/runs/${asked}`, '.ask-row'],
      ];
      for (const [address, shows] of pages)
        for (const looked of [light, dark]) {
          await looked.goto(base + address);
          await looked.locator(shows).first().waitFor();
          const whose = looked === light ? 'light, a viewer' : 'dark, an admin';
          t.same(await inaccessible(looked), [], `${whose} ${address}`);
          const overflow = await looked.evaluate('document.documentElement.scrollWidth - innerWidth');
          t.ok(Number(overflow) <= 0, `${address} is not wider than the screen`);
        }
      await light.goto(`${base}/runs/${a}`);
      await light.locator('.step-card').first().waitFor();
      t.equal(await light.getByRole('button', { name: /ways to rerun/ }).count(), 0, 'a viewer reruns nothing');
      const asks = (looked: Page) => looked.getByRole('button', { name: 'Ask', exact: true }).count();
      t.same([await asks(light), await asks(dark)], [0, 1], 'a viewer sees what was asked, and cannot ask');
    });

    t.not(await page.title(), 'owned', 'what runs print is text');
    t.equal(await page.locator('img').count(), 0);
    await t.test('a name that is spelt nearly right', async (t) => {
      await writeFile(
        join(place.folder, 'waits.sh'),
        'svc step before -- true\nsvc wait-event order.approved\nsvc step after -- true\n',
      );
      const waits = await submit('waits.sh');
      await reaches(waits, 'waiting');
      await place.svc(['handler', 'set', 'shop', 'child.sh', '--on', 'order.aproved']);
      const emitted = await place.svc(['emit', 'order.aprovd']);
      await page.goto(`${base}/runs/${waits}`);
      await page.getByText(/An event of type order\.aprovd was recorded/).waitFor();
      t.match((await place.svc(['explain', waits])).stdout, /An event of type order\.aprovd was recorded/);
      await page.goto(`${base}/events/${/evt_\w+/.exec(emitted.stdout)![0]}`);
      const near = page.locator('section', { hasText: 'Similar types' });
      await near.getByText(/waits for order\.approved/).waitFor();
      await near
        .getByRole('listitem')
        .filter({ hasText: /handler shop listens for order\.aproved/ })
        .waitFor();
      await place.svc(['emit', 'order.approved']);
      await reaches(waits, 'succeeded');
      await page.goto(`${base}/runs/${waits}`);
      const passes = page.getByRole('button', { name: '2 passes', exact: true });
      await passes.waitFor();
      t.equal(await page.getByRole('button', { name: /^pass \d/ }).count(), 0, 'passes are folded');
      await passes.press('Enter');
      await page.getByRole('button', { name: /^pass 1/ }).waitFor();
      t.equal(await page.getByRole('button', { name: /^pass \d/ }).count(), 2, 'each pass has its bar');
    });

    await t.test('what cost time', async (t) => {
      await page.goto(`${base}/insights`);
      const waits = page.getByRole('table', { name: 'Waits' });
      const asked = waits.getByRole('row').filter({ hasText: 'pay' });
      t.equal(await asked.count(), 0, 'a pause between attempts is not a wait for something');
      await page.getByRole('button', { name: '1 hour' }).press('Enter');
      await page.waitForURL(`${base}/insights?window=1h`);
      await waits.getByRole('link', { name: 'event order.approved' }).press('Enter');
      await page.waitForURL(/\/runs\/run_/);
      await page.getByRole('heading', { name: 'waits.sh' }).waitFor();
    });

    t.same(place.faults, [], 'no error, and nothing that the content security policy refused');
  });
