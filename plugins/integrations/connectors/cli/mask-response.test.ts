import t from 'tap';
import { maskResponse } from './mask-response.ts';

t.test('a recorded response contains no secret', async (t) => {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'set-cookie': 'sid=s3cret',
    'x-request-id': '7',
  };
  const body = {
    id: 7,
    access_token: 's3cret',
    apiKey: 's3cret',
    login: { Password: 's3cret', expires_in: 60 },
    sessions: [{ id: 's3cret', age: 1 }, 's3cret'],
    items: [{ name: 'a', client_secret: 's3cret' }],
    text: null,
  };
  t.same(maskResponse({ status: 201, headers, body }), {
    status: 201,
    body: {
      id: 7,
      access_token: '***',
      apiKey: '***',
      login: { Password: '***', expires_in: 60 },
      sessions: [{ id: '***', age: 1 }, '***'],
      items: [{ name: 'a', client_secret: '***' }],
      text: null,
    },
  });
  t.same(maskResponse({ status: 204, headers: { 'retry-after': '3' }, body: null }), {
    status: 204,
    headers: { 'retry-after': '3' },
  });
  t.same(maskResponse({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'hello' }), {
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body: 'hello',
  });
  t.same(
    maskResponse({ status: 200, headers: {}, body: 'x'.repeat(70_000) }),
    { status: 200 },
    'a long body is left out',
  );
});
