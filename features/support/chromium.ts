import { existsSync } from 'node:fs';
import { type Browser, type BrowserServer, chromium } from 'playwright-core';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Undefined where there is no Chromium: tests of pages are left out there, and say so. */
export const chromiumPath = (): string | undefined => BROWSERS.find((path) => existsSync(path));

/** Its address is for SVC_TEST_BROWSER of programs that share it. Closed by whoever opened it. */
export const serveChromium = (executablePath: string): Promise<BrowserServer> =>
  chromium.launchServer({ executablePath, args: QUIET, host: '127.0.0.1' });

/**
 * The browser of SVC_TEST_BROWSER, of which everybody has contexts of their own, or one that is started. Closed by whoever
 * opened it: of a shared one its contexts are.
 */
export async function openChromium(executablePath: string): Promise<Browser> {
  const { SVC_TEST_BROWSER: shared } = process.env;
  if (shared)
    try {
      return await chromium.connect(shared);
    } catch (error) {
      // What broke it belongs to another test, which fails by it.
      process.stderr.write(`a browser of its own, because the shared one is gone: ${(error as Error).message}\n`);
    }
  return chromium.launch({ executablePath, args: QUIET });
}
