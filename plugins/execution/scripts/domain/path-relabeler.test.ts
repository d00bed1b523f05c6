import t from 'tap';
import { PathRelabeler } from './path-relabeler.ts';

const NAMES = [
  { path: '/dev/shm/svc-a/p1/source/job.ts.mjs', shown: 'job.ts' },
  { path: '/dev/shm/svc-a/p1/source/', shown: '' },
];
const all = (...chunks: string[]) => {
  const names = new PathRelabeler(NAMES);
  return [...chunks.map((chunk) => names.push(Buffer.from(chunk)).toString()), names.flush().toString()].join('');
};

t.test('files of a pass have the names that their author gave them', (t) => {
  t.equal(all('/dev/shm/svc-a/p1/source/job.sh: line 3: x\n'), 'job.sh: line 3: x\n');
  t.equal(all('at f (file:///dev/shm/svc-a/p1/source/lib/a.ts:1:2)\n'), 'at f (lib/a.ts:1:2)\n');
  t.equal(all('/dev/shm/svc-a/p1/source/job.ts.mjs:4\n'), 'job.ts:4\n');
  t.equal(all('a /dev/shm/svc-a/p1/source/x b /dev/shm/svc-a/p1/source/y\n'), 'a x b y\n');
  for (const text of ['', 'nothing\n', '/dev/shm/svc-a/p2/source/x\n', '/dev/shm/svc-a/p1/s', '/', 'ü\xff /dev/'])
    t.equal(all(text), text);
  t.end();
});

t.test('wherever a stream is cut', (t) => {
  const text = 'x /dev/shm/svc-a/p1/source/job.ts.mjs:4 /dev/shm/svc-a/p1/source/lib /dev/shm/svc';
  for (let at = 0; at <= text.length; at++)
    t.equal(all(text.slice(0, at), text.slice(at)), 'x job.ts:4 lib /dev/shm/svc', String(at));
  t.equal(all(...text), 'x job.ts:4 lib /dev/shm/svc');
  const names = new PathRelabeler(NAMES);
  t.equal(names.push(Buffer.from('Go on? ')).toString(), 'Go on? ', 'nothing is held back that cannot become a name');
  t.equal(new PathRelabeler([]).push(Buffer.from('/')).toString(), '/');
  t.end();
});
