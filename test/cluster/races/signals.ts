import { pause, type Race, unsuccessful } from './race.ts';

const SIGNALS = 4;

const taker = `got=
for ((i = 0; i < ${SIGNALS}; i++)); do got="$got $(svc wait-signal go)"; done
svc wait-signal go --timeout 300ms > /dev/null && got="$got more"
svc output set got="$got"
`;

/** Signals come at all servers while the run begins to wait for them, each at two of them with one key. */
export const signals: Race = {
  name: 'signals',
  width: 4,
  async round({ place, round, tag, random }) {
    const run_id = await place.at(round).submit({ source: taker, tags: [tag] }, tag);
    const send = async (n: number, server: number) => {
      await pause(random() * 400);
      const client = place.at(server);
      // The run that was made on one node may be unknown to another for a moment.
      await known(() => client.run(run_id));
      await client.ask('POST', `runs/${run_id}/signals/go`, n, `${tag}-${n}`);
    };
    const twice = Array.from({ length: SIGNALS }, (_, n) => [send(n, round + n), send(n, round + n + 1)]);
    await Promise.all(twice.flat());
    const { runs, hung } = await place.at(round + 1).ended(tag, 1);
    if (hung.length > 0 || runs[0]!.status !== 'succeeded') return [...hung, ...unsuccessful(runs)];
    const { output } = await place.at(round + 1).run(run_id);
    const got = String(output?.got).trim().split(/\s+/).sort().join(' ');
    return got === '0 1 2 3' ? [] : [`${run_id} got the signals "${got}"`];
  },
};

async function known<T>(look: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1)
    try {
      return await look();
    } catch (error) {
      if (tries === 50) throw error;
      await pause(10);
    }
}
