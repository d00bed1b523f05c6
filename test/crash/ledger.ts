import { readFile } from 'node:fs/promises';

/** Side effects as the outside world saw them: how often each site was executed and with which keys. */
export async function readLedger(path: string): Promise<Map<string, { times: number; keys: Set<string> }>> {
  const text = await readFile(path, 'utf8');
  const ledger = new Map<string, { times: number; keys: Set<string> }>();
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [site = '', key = ''] = line.split(' ');
    const entry = ledger.get(site) ?? { times: 0, keys: new Set() };
    entry.times += 1;
    entry.keys.add(key);
    ledger.set(site, entry);
  }
  return ledger;
}
