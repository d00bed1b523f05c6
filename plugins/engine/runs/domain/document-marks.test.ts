import t from 'tap';
import { ofTheService, versionOf } from './document-marks.ts';

t.test('the version of a document is its own, and only in JSON', async (t) => {
  t.equal(versionOf('{"version": "svc-graph/v1"}'), 'svc-graph/v1');
  t.equal(versionOf(' {"nodes": {"version": "svc-graph/v1"}}'), undefined, 'not one further in');
  t.equal(versionOf('{ echo "version"; }'), undefined, 'a program');
  t.equal(versionOf('{"version": 1}'), undefined);
});

t.test('what would take long to parse is not parsed, and never taken for a program', async (t) => {
  const { parse } = JSON;
  t.teardown(() => {
    JSON.parse = parse;
  });
  JSON.parse = () => {
    throw new Error('it is parsed');
  };
  const deep = `{"a":${'['.repeat(1_000_000)},"version": "svc-graph/v1"`;
  t.equal(ofTheService(versionOf(`${deep}}`), undefined), 'graph');
  t.equal(versionOf(`{"a":${'['.repeat(1_000_000)},"version":1}`), undefined);
});
