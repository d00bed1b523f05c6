import { readFile } from 'node:fs/promises';
import { type Race, unsuccessful } from './race.ts';

const CONTENDERS = 36;

/** Holds while a command runs. */
const shortly = (group: string, ledger: string) =>
  `svc lock ${group} -- sh -c 'echo "in $0" >> "$1"; echo "out $0" >> "$1"' "$SVC_WORKFLOW_ID" '${ledger}'\n`;

/** Holds until the run is over, and knows its fence. */
const wholly = (group: string, ledger: string) =>
  `fence=$(svc lock ${group} --fence)
svc step held -- sh -c 'echo "in $0 $2" >> "$1"; echo "out $0" >> "$1"' "$SVC_WORKFLOW_ID" '${ledger}' "$fence"\n`;

/** Many runs of all servers want one lease: each gets it, one after the other. */
export const locks: Race = {
  name: 'locks',
  width: 1,
  async round({ place, tag }) {
    const ledger = place.ledger(tag);
    await Promise.all(
      Array.from({ length: CONTENDERS }, (_, n) =>
        place.at(n).submit({ source: (n % 2 === 0 ? shortly : wholly)(tag, ledger), tags: [tag] }, `${tag}-${n}`),
      ),
    );
    const { runs, hung } = await place.at(0).ended(tag, CONTENDERS);
    const text = await readFile(ledger, 'utf8').catch(() => '');
    return [...hung, ...unsuccessful(runs), ...(hung.length > 0 ? [] : taken(text, CONTENDERS))];
  },
};

/** What the ledger says against one holder at a time, each once, with fences that rise. */
function taken(text: string, count: number): string[] {
  const lines = text.split('\n').slice(0, -1);
  const wrong: string[] = [];
  const seen = new Set<string>();
  let fence = 0;
  for (let at = 0; at < lines.length; at += 2) {
    const [, run = '', given] = lines[at]!.split(' ');
    if (!lines[at]!.startsWith('in ') || lines[at + 1] !== `out ${run}`) wrong.push(`two hold at line ${at}`);
    if (seen.has(run)) wrong.push(`${run} held twice`);
    seen.add(run);
    if (given !== undefined && Number(given) <= fence) wrong.push(`fence ${given} after ${fence}`);
    if (given !== undefined) fence = Number(given);
  }
  if (seen.size !== count) wrong.push(`${seen.size} of ${count} held`);
  return wrong.slice(0, 3);
}
