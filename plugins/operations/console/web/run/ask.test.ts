import t from 'tap';
import { askOf, isApproval, notesOf } from './ask.ts';

const waits = (annotations: string[], name = 'approved') =>
  askOf({ annotations, workflow: 'release.sh', substate: { kind: 'signal', name, since: '' } });

t.test('the last note is the question', async (t) => {
  t.same(waits(['built', '# Ship **2.13.2** to production?\n\nIt is green.']), {
    title: 'Ship 2.13.2 to production?',
    detail: 'It is green.',
  });
  t.same(waits(['**Ready.** Waits']), { title: 'Ready. Waits' });
});

t.test('without a note the signal is', async (t) => {
  t.same(waits([]), { title: 'Approve release.sh?' });
  t.same(waits([], 'go'), { title: 'release.sh waits for go' });
  t.ok(isApproval('refund-approved'));
  t.notOk(isApproval('deploy.done'));
});

t.test('what is asked is no note', async (t) => {
  const annotations = ['built', 'Ship?'];
  t.same(notesOf({ annotations, status: 'waiting', substate: { kind: 'signal', name: 'a', since: '' } }), ['built']);
  t.same(notesOf({ annotations, status: 'succeeded' }), annotations);
});
