import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What opens an address in the person's browser. */
const OPENER = process.platform === 'darwin' ? 'open' : 'xdg-open';

/** True when the program was started; it goes on by itself, as long as the browser wants. */
export async function openInBrowser(url: string): Promise<boolean> {
  const child = spawn(OPENER, [url], { stdio: 'ignore', detached: true });
  try {
    await once(child, 'spawn');
  } catch {
    // There is no such program here.
    return false;
  }
  child.unref();
  return true;
}
