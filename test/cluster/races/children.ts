import { type Race, unsuccessful } from './race.ts';

const WAITS = `for i in 1 2 3 4 5 6; do svc activity-submit "c$i" -- /bin/true; done
test "$(svc activity-wait-all)" = 0 || exit 9
`;

const COLLECTS = `for i in 1 2 3 4; do svc activity-submit "c$i" -- /bin/echo "$i"; done
for i in 1 2 3 4; do test "$(svc activity-collect "c$i")" = "$i" || exit 9; done
`;

/** The children of a run end on all servers at once while it begins to wait for them. */
const childrenBy = (name: string, source: string): Race => ({
  name,
  width: 4,
  async round({ place, round, tag }) {
    await place.at(round).submit({ source, tags: [tag] }, tag);
    const { runs, hung } = await place.at(round + 1).ended(tag, 1);
    return [...hung, ...unsuccessful(runs)];
  },
});

export const waitAll = childrenBy('children-wait-all', WAITS);
export const collect = childrenBy('children-collect', COLLECTS);
