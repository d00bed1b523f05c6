import { readFile } from 'node:fs/promises';
import { type Race, unsuccessful } from './race.ts';

const TAKES = 36;
/** A long queue hides what happens when it is empty at the moment of a release, so most rounds have few contenders. */
const CONTENDERS = [2, 3, 6, 36];

/** Takes it several times, each while a command runs. */
const shortly = (group: string, ledger: string, takes: number) =>
  `for ((i = 0; i < ${takes}; i++)); do
  svc lock ${group} -- sh -c 'echo "in $0" >> "$1"; echo "out $0" >> "$1"' "$SVC_WORKFLOW_ID/$i" '${ledger}'
done\n`;

/** Holds until the run is over, and knows its fence. */
const wholly = (group: string, ledger: string) =>
  `fence=$(svc lock ${group} --fence)
svc step held -- sh -c 'echo "in $0 $2" >> "$1"; echo "out $0" >> "$1"' "$SVC_WORKFLOW_ID" '${ledger}' "$fence"\n`;

/** Runs of all servers want one lease: each gets it as often as it asks, one after the other. */
export const locks: Race = {
  name: 'locks',
  width: 2,
  async round({ place, round, tag }) {
    const ledger = place.ledger(tag);
    const contenders = CONTENDERS[round % CONTENDERS.length]!;
    const takes = TAKES / contenders;
    const source = (n: number) => (takes === 1 && n % 2 === 1 ? wholly(tag, ledger) : shortly(tag, ledger, takes));
    await Promise.all(
      Array.from({ length: contenders }, (_, n) =>
        place.at(n).submit({ source: source(n), tags: [tag] }, `${tag}-${n}`),
      ),
    );
    const { runs, hung } = await place.at(0).ended(tag, contenders);
    const text = await readFile(ledger, 'utf8').catch(() => '');
    return [...hung, ...unsuccessful(runs), ...(hung.length > 0 ? [] : taken(text, TAKES))];
  },
};

/** What the ledger says against one holder at a time, each once, with fences that rise. */
function taken(text: string, count: number): string[] {
  const lines = text.split('\n').slice(0, -1);
  const wrong: string[] = [];
  const seen = new Set<string>();
  let fence = 0;
  for (let at = 0; at < lines.length; at += 2) {
    const [, take = '', given] = lines[at]!.split(' ');
    if (!lines[at]!.startsWith('in ') || lines[at + 1] !== `out ${take}`) wrong.push(`two hold at line ${at}`);
    if (seen.has(take)) wrong.push(`${take} held twice`);
    seen.add(take);
    if (given !== undefined && Number(given) <= fence) wrong.push(`fence ${given} after ${fence}`);
    if (given !== undefined) fence = Number(given);
  }
  if (seen.size !== count) wrong.push(`${seen.size} of ${count} held`);
  return wrong.slice(0, 3);
}
