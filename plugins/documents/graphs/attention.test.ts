import t from 'tap';
import { STORES } from '../../../test/kit/index.ts';
import { createGraph, GraphServer, node } from './testing/graph-server.ts';

for (const store of STORES)
  t.test(`${store}: credentials that published graphs lack need somebody, those of drafts do not`, async (t) => {
    const graphs = await GraphServer.open({ store, plugins: ['requests', 'summary'] });
    t.teardown(() => graphs.close());
    const needs = async () => {
      graphs.server.clock.advance(10_000);
      return (await graphs.call('GET /summary', undefined, 'member')).json.attention;
    };
    const post = (credential: string) =>
      createGraph([node('post', 'http', { url: 'https://far.example', method: 'POST', credential })]);
    t.equal((await graphs.call('PUT /graphs/shop', post('chat'))).status, 201);
    await graphs.call('PUT /graphs/draft', post('other'));
    t.same(await needs(), [], 'neither is published');
    t.equal((await graphs.call('PUT /credentials/chat', { kind: 'bearer', token: 'abcdef' })).status, 201);
    t.equal((await graphs.call('POST /graphs/shop/publish', {})).status, 200);
    t.same(await needs(), [], 'it has what it needs');
    await graphs.call('DELETE /credentials/chat');
    t.same(await needs(), [
      { kind: 'credential', name: 'chat', state: 'missing', detail: 'node post of graph shop needs it', graph: 'shop' },
    ]);
    await graphs.call('PUT /credentials/chat', { kind: 'url-token', token: 'abcdef' });
    t.match(await needs(), [{ name: 'chat', state: 'wrong_kind' }]);
    await graphs.call('PUT /credentials/chat', { kind: 'bearer', token: 'abcdef' });
    t.same(await needs(), []);
  });
