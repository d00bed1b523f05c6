import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { Console, inaccessible } from './browser.ts';
import { omit } from '../kit/needs.ts';

const path = chromiumPath();

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

const SCRIPT = `
echo "a line of each pass"
svc sleep 10ms
svc step slow -- sh -c 'read -r said < gate; echo "it took its time"'
`;

if (path === undefined) omit(t, 'the console in a browser', 'chromium');
else
  t.test('a step under way is shown, counts, and is recorded; earlier passes are folded', async (t) => {
    const place = await Console.open(t, path);
    execFileSync('mkfifo', [join(place.folder, 'gate')]);
    const { stdout } = await place.svc(['submit', '-', '--json'], SCRIPT);
    const { run_id } = JSON.parse(stdout) as { run_id: string };
    const page = await place.signedIn();
    await page.goto(`${place.url}/orgs/dev/projects/main/runs/${run_id}`);
    const step = page.getByRole('region', { name: 'Step slow' });
    await step.getByText(/^running for \d+s on /).waitFor();
    const first = await step.getByText(/^running for/).textContent();
    await step
      .getByText(/^running for/)
      .filter({ hasNotText: first! })
      .waitFor();
    t.pass('it counts by itself');
    await page.getByRole('button', { name: /^step slow .* so far/ }).waitFor();
    await page.getByText(/Now: step slow#0 running for/).waitFor();
    t.same(await inaccessible(page), []);
    await page.getByRole('navigation', { name: 'About the run' }).getByRole('link', { name: 'Log' }).click();
    const line = page.locator('.log .line').getByText('a line of each pass');
    const unfold = page.getByRole('button', { name: '1 line of earlier passes' });
    await unfold.waitFor();
    await line.first().waitFor();
    t.equal(await line.count(), 1, 'of the last pass');
    t.equal(await unfold.getAttribute('aria-expanded'), 'false');
    await unfold.press('Enter');
    await line.nth(1).waitFor();
    t.equal(await unfold.getAttribute('aria-expanded'), 'true');
    t.same(await inaccessible(page), []);
    await page.goBack();
    const gate = await open(join(place.folder, 'gate'), 'w');
    await gate.close();
    await page.getByRole('heading', { level: 1 }).getByText('Succeeded').waitFor();
    await step.getByText('it took its time').first().waitFor();
    t.equal(await page.getByText(/running for/).count(), 0);
    t.same(place.faults, []);
  });
