/**
 * `npm run shots [-- <folder>]`: pictures of every page of the console, with something on each, at two widths and in both
 * themes; `reports/shots` unless a folder is named. The three of the README are written with `--readme`, and with
 * `--only=runs,graph` only pages whose name begins with one of these words.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { until } from '../../features/support/process.ts';
import { chromiumPath } from '../../features/support/chromium.ts';
import { Console } from './browser.ts';
import { samplePages } from './pages.ts';
import { fill } from './sample.ts';

const WIDTHS = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const;
/** Of the README's pictures, which are shown small. */
const README_SIZE = { width: 1280, height: 860 };
const THEMES = ['light', 'dark'] as const;
/** Pages of the README, by the names that their pictures have there. */
const OF_THE_README: Readonly<Record<string, string>> = { overview: 'overview', run: 'run', runs: 'runs' };

/** Nothing is read any more. */
const READ = "!document.body.textContent.includes('Loading…')";

async function shoot(page: Page, url: string, file: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('load');
  // What is read after the page itself: nothing says "Loading…" any more.
  // The security policy of the page lets nobody look again and again from within.
  await until(`${url} to be read`, 10_000, async () => ((await page.evaluate(READ)) === true ? true : undefined));
  await page.screenshot({ path: file });
}

async function main(): Promise<void> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error('there is no Chromium: apt-get install chromium');
  const readme = process.argv.includes('--readme');
  const only = process.argv
    .find((one) => one.startsWith('--only='))
    ?.slice('--only='.length)
    .split(',');
  const folder = resolve(process.argv.slice(2).find((one) => !one.startsWith('--')) ?? 'reports/shots');
  await mkdir(readme ? 'docs/images' : folder, { recursive: true });
  const place = await Console.start(executablePath);
  try {
    const pages = samplePages(await fill(place));
    for (const [width, viewport] of Object.entries(WIDTHS))
      for (const colorScheme of THEMES) {
        if (readme && (width !== 'wide' || colorScheme !== 'light')) continue;
        const context = await place.newBrowser({ viewport: readme ? README_SIZE : viewport, colorScheme });
        const page = await place.signedIn(place.token, context);
        for (const [name, path] of pages) {
          const own = OF_THE_README[name];
          if (readme && own === undefined) continue;
          if (only && !only.some((word) => name.startsWith(word))) continue;
          const file = readme ? `docs/images/${own}.png` : join(folder, `${name}.${width}.${colorScheme}.png`);
          await shoot(page, `${place.url}${path}`, file);
          process.stdout.write(`${file}\n`);
        }
        await context.close();
      }
  } finally {
    await place.close();
  }
}

await main();
