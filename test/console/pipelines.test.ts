import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { Console, inaccessible } from './browser.ts';
import { omit } from '../kit/needs.ts';

/** Red, 2 × 3. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEElEQVR4nGP4z8AARAwoFABE0AX7pM/egAAAAABJRU5ErkJggg==';
const HOSTILE = '<img src=x onerror="document.title=`owned`">\u202e';
const path = chromiumPath();

t.setTimeout(600_000);

const PIPELINE = `name: release
jobs:
  build:
    strategy: { matrix: { node: ["20", "22"] } }
    steps:
      - id: compile
        env: { NODE: "\${{ matrix.node }}" }
        run: |
          echo "building for $NODE"
          mkdir -p dist
          echo '# Notes <script>' > "dist/notes-$NODE.md"
          printf '%s\\n' '${HOSTILE}' > dist/hostile.html
          echo '${PNG}' | base64 -d > dist/dot.png
          echo '<svg onload="alert(1)">' > dist/broken.png
          echo "version=1.$NODE" >> "$SVC_OUTPUT"
      - { name: "${HOSTILE.replaceAll('"', '\\"').replace('\u202e', '')}", run: "true" }
    artifacts: [dist]
    outputs: { version: "\${{ steps.compile.output.version }}" }
  lint:
    continue_on_error: true
    steps: [{ name: look, run: "echo no good; exit 3" }]
  ship:
    needs: [build, lint]
    concurrency: production
    steps: [{ name: push, run: "echo shipped" }]
  never: { needs: build, if: "false", steps: [{ run: "true" }] }
  approval: { needs: ship, wait_for_event: ship.approved, timeout: 1h }
`;

/** Holds the lock that `ship` needs, until it is told to end. */
const HOLDER = `svc lock production
svc wait-signal go
`;

/** Its head: those of its combinations stand below. */
const job = (page: Page, name: string) =>
  page
    .getByRole('region', { name: 'Jobs by stage' })
    .getByRole('button', { name: new RegExp(`^${name} `) })
    .first();

async function accessible(t: Test, place: Console, address: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await place.signedIn(place.token, await place.newBrowser({ colorScheme }));
    await page.goto(address);
    await page.getByRole('region', { name: 'Jobs by stage' }).waitFor();
    t.same(await inaccessible(page), [], `${colorScheme}: ${new URL(address).pathname}`);
    await page.context().close();
  }
}

if (path === undefined) omit(t, 'pipelines in a browser', 'chromium');
else
  t.test('pipelines', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const base = `${place.url}/orgs/dev/projects/main`;
    const page = await place.signedIn();
    await writeFile(join(place.folder, 'holder.sh'), HOLDER);
    const holder = (await place.svc(['submit', 'holder.sh'])).stdout.trim();

    await t.test('a document is checked as it is typed', async (t) => {
      await page.getByRole('link', { name: 'Pipelines', exact: true }).click();
      await page.getByText('None of the newest 200 runs is a pipeline run.').waitFor();
      const field = page.getByRole('textbox', { name: 'Pipeline document' });
      const says = page.getByRole('status', { name: 'Check result' });
      await says.getByText('The document is valid.').waitFor();
      await field.fill('jobs:\n  a:\n    stepz: []\n');
      await says.getByText(/did you mean `steps`/).waitFor();
      await says.getByRole('button', { name: 'line 3' }).click();
      await page.keyboard.press('Shift+End');
      await page.keyboard.type('steps: [{ run: "true" }]');
      await says.getByText('The document is valid.').waitFor();
      await field.fill(PIPELINE);
      await says.getByText('The document is valid.').waitFor();
      t.match(await page.getByRole('region', { name: 'Stage 1' }).innerText(), /build.*2 combinations.*lint/s);
      t.match(await page.getByRole('region', { name: 'Stage 2' }).innerText(), /lock production/);
      await field.focus();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      t.not(await page.evaluate('document.activeElement.className'), 'editor', 'the keyboard leaves the field');
    });

    await t.test('its run is shown as jobs, live', async (t) => {
      await page.getByRole('button', { name: 'Run pipeline' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Run pipeline' }).click();
      await page.getByRole('heading', { name: 'release', level: 1 }).waitFor();
      await job(page, 'ship')
        .getByText(/waiting for the lock production/)
        .waitFor();
      t.match(await job(page, 'lint').innerText(), /Failed.*exit code 3/s);
      t.match(await job(page, 'never').innerText(), /Skipped.*condition was not true: false/s);
      t.match(await job(page, 'build').innerText(), /Succeeded.*2 of 2.*combinations/s);
      t.match(await job(page, 'approval').innerText(), /Waiting.*needs ship/s);
      await place.svc(['signal', holder, 'go']);
      await job(page, 'approval')
        .getByText(/waiting for an event of type ship\.approved/)
        .waitFor();
      t.match(await job(page, 'ship').innerText(), /Succeeded/);
    });

    await t.test('the list has each pipeline with its newest run', async (t) => {
      const list = await place.signedIn();
      await list.goto(`${base}/pipelines`);
      const row = list.getByRole('table', { name: 'Pipelines' }).getByRole('row').nth(1);
      t.match(await row.innerText(), /^release\s+Waiting.*\s+none\s/s);
      await row.getByRole('link', { name: 'Waiting' }).click();
      await list.getByRole('heading', { name: 'release', level: 1 }).waitFor();
      await list.context().close();
    });

    await t.test('a job has its combinations, steps and log', async (t) => {
      await job(page, 'build').click();
      const open = page.getByRole('region', { name: 'Job build' });
      await open.getByRole('button', { name: 'node 22' }).click();
      // The steps of the combination before are there until its own are read.
      await open.getByText('"version": "1.22"').waitFor();
      const steps = open.getByRole('list', { name: 'Steps of the job' });
      await steps.getByRole('button', { name: /compile/ }).click();
      await open.getByText('building for 22').waitFor();
      t.match(await open.innerText(), /"version": "1\.22"/);
      t.notMatch(await open.innerText(), /building for 20/, 'of this combination alone');
      const hostile = steps.getByRole('listitem').filter({ hasText: 'onerror=' });
      await hostile.getByRole('img', { name: 'Succeeded' }).waitFor();
      t.match(await steps.innerText(), /compile.*onerror=/s);
      t.equal(await steps.getByRole('img', { name: 'Succeeded' }).count(), 2);
      await steps.getByRole('button', { name: /onerror/ }).click();
      await open.getByText('building for 22').waitFor({ state: 'detached' });
      t.match(page.url(), /\?job=build$/);
      await page.goto(page.url().replace('job=build', 'job=lint'));
      const lint = page.getByRole('region', { name: 'Job lint' });
      await lint.getByText('no good').waitFor();
      const linted = lint.getByRole('list', { name: 'Steps of the job' });
      await linted.getByRole('img', { name: 'Failed' }).waitFor();
      t.match(await linted.innerText(), /look/);
      t.not(await page.title(), 'owned');
    });

    const run = page.url().replace(/\?.*/, '');
    await t.test('artifacts are looked at, downloaded and removed', async (t) => {
      await page.getByRole('navigation', { name: 'About the run' }).getByRole('link', { name: 'Artifacts' }).click();
      const row = page.getByRole('row', { name: /dist\/hostile\.html/ });
      await row.getByRole('button', { name: 'Look' }).click();
      const shown = page.getByRole('region', { name: 'Content of dist/hostile.html' });
      t.match(await shown.innerText(), /<img src=x.*\\u202e/, 'as its source');
      t.equal(await shown.locator('img').count(), 0);
      const look = (name: RegExp) => page.getByRole('row', { name }).getByRole('button', { name: 'Look' }).click();
      await look(/dot\.png/);
      const dot = page.getByRole('img', { name: 'dist/dot.png, 2 × 3' });
      await dot.waitFor();
      const pixel =
        "document.querySelector('.artifact-shown canvas').getContext('2d').getImageData(1, 2, 1, 1).data.join()";
      t.equal(await page.evaluate(pixel), '255,0,0,255');
      await look(/broken\.png/);
      await page.getByText('This file is not an image that the browser can show.').waitFor();
      await look(/notes-20\.md/);
      const notes = page.getByRole('region', { name: 'Content of dist/notes-20.md' });
      await notes.getByRole('heading', { name: 'Notes <script>' }).waitFor();
      const loading = page.waitForEvent('download');
      await row.getByRole('link', { name: 'Download' }).click();
      t.equal((await loading).suggestedFilename(), 'hostile.html');
      await row.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove artifact' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await row.waitFor({ state: 'detached' });
      t.equal(await page.getByRole('row', { name: /notes/ }).count(), 2);
    });

    await t.test('a viewer looks, and runs nothing', async (t) => {
      const made = await place.svc(['token', 'create', 'looks', '--role', 'viewer', '--json']);
      const { token } = JSON.parse(made.stdout) as { token: string };
      const vic = await place.signedIn(token);
      await vic.goto(`${base}/pipelines`);
      await vic.getByRole('table', { name: 'Pipelines' }).getByText('release').waitFor();
      await vic.getByRole('textbox', { name: 'Pipeline document' }).waitFor();
      t.equal(await vic.getByRole('button', { name: 'Run pipeline' }).count(), 0);
      await vic.goto(run);
      await job(vic, 'build').waitFor();
      await vic.goto(`${run}?tab=artifacts`);
      await vic
        .getByRole('row', { name: /notes-20/ })
        .getByRole('button', { name: 'Look' })
        .waitFor();
      t.equal(await vic.getByRole('button', { name: 'Remove' }).count(), 0);
      await vic.context().close();
    });

    await t.test('both themes and a narrow screen', async (t) => {
      await accessible(t, place, `${base}/pipelines`);
      await accessible(t, place, run);
      const narrow = await place.signedIn(
        place.token,
        await place.newBrowser({ viewport: { width: 390, height: 800 } }),
      );
      for (const address of [`${base}/pipelines`, run]) {
        await narrow.goto(address);
        await job(narrow, 'build')
          .or(narrow.getByRole('region', { name: 'Stage 1' }))
          .first()
          .waitFor();
        t.ok(await narrow.evaluate('document.documentElement.scrollWidth <= 390'), address);
      }
    });

    t.same(place.faults, []);
  });
