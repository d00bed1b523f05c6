import t from 'tap';
import { titleOf } from './error-title.ts';

const failed = (message: string, code = 'script_failed') => titleOf({ code, message });

t.test('what a program said stands first', async (t) => {
  t.same(
    failed(
      'the script ended with exit code 3\nthe last durable call, migrate#0, failed with exit code 3\n' +
        'the end of its standard error:\nERROR: relation "orders" does not exist',
    ),
    { title: 'relation "orders" does not exist', where: 'step migrate' },
  );
  t.same(
    failed(
      'node test: the step unit ended with exit code 1\nthe end of its standard error:\n\u001b[31m✕\u001b[0m refund.spec.ts (2 failed)\n more',
    ),
    { title: 'refund.spec.ts (2 failed)', where: 'job test, step unit' },
  );
  t.equal(
    failed('x\nthe end of its standard error:\nTraceback (most recent call last):\n  File "a"\nValueError: no price')
      .title,
    'ValueError: no price',
  );
});

t.test('what said nothing has what the service says', async (t) => {
  t.same(failed('the script ended with exit code 3'), { title: 'the script ended with exit code 3' });
  t.same(failed('', 'timed_out'), { title: 'timed_out' });
  t.equal(failed('x'.repeat(500)).title.length, 161);
});
