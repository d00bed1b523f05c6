import t from 'tap';
import { defineError, errorCatalogue, Errors, isServiceError } from './errors.ts';

t.test('an error carries its code, status and next step', async (t) => {
  const error = Errors.notFound('no run run_1');
  t.equal(error.code, 'not_found');
  t.equal(error.status, 404);
  t.equal(error.message, 'no run run_1');
  t.ok(isServiceError(error, 'not_found'));
  t.notOk(isServiceError(error, 'forbidden'));
});

t.test('a code means one thing', async (t) => {
  t.throws(() => defineError({ code: 'not_found', status: 410, title: 'gone', next: '' }), /declared twice/);
  t.ok(errorCatalogue().some((definition) => definition.code === 'rate_limited'));
});
