import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The program that opens an address in the browser. */
const OPENER = process.platform === 'darwin' ? 'open' : 'xdg-open';

/** Starts the program and returns true if that worked. It runs detached, because the browser may keep it running. */
export async function openInBrowser(url: string): Promise<boolean> {
  const child = spawn(OPENER, [url], { stdio: 'ignore', detached: true });
  try {
    await once(child, 'spawn');
  } catch {
    // The program is not installed.
    return false;
  }
  child.unref();
  return true;
}
