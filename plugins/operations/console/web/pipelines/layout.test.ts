import t from 'tap';
import type { Job } from './document.ts';
import { HEAD_PX, layoutOf } from './layout.ts';

const job = (id: string, needs: string[] = []): Job => ({
  id,
  kind: 'steps',
  script: false,
  needs,
  steps: [],
  cells: [],
});

t.test('jobs stand right of what they need, and none upon another', async (t) => {
  const jobs = [job('lint'), job('test'), job('build'), job('bundle', ['lint', 'test']), job('docs', ['build'])];
  const { boxes, arrows, width, height } = layoutOf(jobs, ({ id }) => (id === 'test' ? 150 : HEAD_PX));
  for (const { from, to } of arrows) t.ok(boxes.get(from)!.x < boxes.get(to)!.x, `${from} ${to}`);
  t.equal(arrows.length, 3);
  const all = [...boxes.values()];
  for (const a of all)
    for (const b of all)
      if (a.id < b.id && a.x === b.x) t.ok(a.y + a.height <= b.y || b.y + b.height <= a.y, `${a.id} ${b.id}`);
  t.ok(all.every((box) => box.x + box.width <= width && box.y + box.height <= height));
});

t.test('a circle, and a need that is not there, are drawn', async (t) => {
  const { boxes, arrows } = layoutOf([job('a', ['b']), job('b', ['a']), job('c', ['gone'])], () => HEAD_PX);
  t.equal(boxes.size, 3);
  t.same(arrows, []);
});
