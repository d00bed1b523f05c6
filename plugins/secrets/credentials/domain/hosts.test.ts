import t from 'tap';
import { allowsHost, readHosts } from './hosts.ts';

t.test('hosts are stored as a URL writes them', async (t) => {
  t.same(
    readHosts(['API.Example.com.', 'api.example.com', 'bücher.example', '*.Example.org', '[::1]', '::1', '127.1']),
    ['api.example.com', 'xn--bcher-kva.example', '*.example.org', '::1', '127.0.0.1'],
  );
  t.equal(readHosts(undefined), undefined);
});

t.test('what is no host is rejected with its place', async (t) => {
  const bad = [
    '',
    '*',
    '*.',
    '*.*.example.com',
    '*.127.0.0.1',
    'a b',
    'a@b',
    'user:pw@a.example',
    'a.example:443',
    '//a',
    'a?b',
    'a#b',
    'a\\b',
    '-a.example',
    'a..b',
    `${'a'.repeat(64)}.example`,
    'x'.repeat(300),
  ];
  for (const host of bad)
    t.throws(
      () => readHosts(['ok.example', host]),
      { code: 'invalid_request', extras: { errors: [{ pointer: '/hosts/1' }] } },
      host,
    );
});

t.test('a request is allowed by its host and by nothing else of its URL', async (t) => {
  const hosts = ['api.example.com', '*.example.org', '::1'];
  const cases: Record<string, boolean> = {
    'https://api.example.com/x': true,
    'https://API.EXAMPLE.COM.:8443/': true,
    'https://example.com/': false,
    'https://x.api.example.com/': false,
    'https://api.example.com.evil.example/': false,
    'https://api.example.com@evil.example/': false,
    'https://evil.example/api.example.com': false,
    'https://evil.example#api.example.com': false,
    'https://evil.example\\@api.example.com/': false,
    'https://a.example.org/': true,
    'https://a.b.example.org/': true,
    'https://example.org/': false,
    'https://evilexample.org/': false,
    'http://[::1]:80/': true,
    'http://[0:0:0:0:0:0:0:1]/': true,
    'no url': false,
  };
  for (const [url, allowed] of Object.entries(cases)) t.equal(allowsHost(hosts, url), allowed, url);
});
