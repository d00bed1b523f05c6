import type { Lap, Race } from './race.ts';

/**
 * What one server has answered is there for the next, whose node may be behind: a run that was made a moment ago is
 * shown, signalled and cancelled, and not answered with 404. A run that is not there stays none.
 */
export const reads: Race = {
  name: 'reads-at-the-next-server',
  width: 3,
  async round({ place, round, tag }: Lap) {
    const [one, two, three] = [0, 1, 2].map((n) => place.at(round + n));
    const wrong: string[] = [];
    const noting = (what: string) => (error: unknown) => void wrong.push(`${tag}: ${what}: ${String(error)}`);
    const run_id = await one!.submit({ source: 'svc wait-signal go', requires: ['nowhere'], tags: [tag] }, tag);
    await Promise.all([
      two!.run(run_id).catch(noting('the run is not shown')),
      two!.ask('POST', `runs/${run_id}/signals/go`, { payload: 1 }).catch(noting('the run takes no signal')),
    ]);
    await three!.ask('POST', `runs/${run_id}/cancel`, {}).catch(noting('the run is not cancelled'));
    const none = await two!.run(`${run_id.slice(0, -4)}0000`).then(
      () => 'shown',
      (error: { status?: number }) => error.status,
    );
    if (none !== 404) wrong.push(`${tag}: a run that is not there is ${none}`);
    return wrong;
  },
};
