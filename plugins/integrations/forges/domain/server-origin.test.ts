import t from 'tap';
import { isOnForge } from './server-origin.ts';

t.test("a webhook's credential goes to the server of the forge's API only", async (t) => {
  for (const [url, base] of [
    ['https://forge.example/acme/site.git', 'https://api.forge.example'],
    ['https://forge.example/acme/site.git', 'https://forge.example/api/v1'],
    ['https://FORGE.example:8443/acme/site.git', 'https://forge.example:8443/api/v1'],
    ['http://127.0.0.1:3000/acme/site', 'http://127.0.0.1:3000/api/v1'],
  ] as const)
    t.ok(isOnForge(url, base), `${url} and ${base}`);
  for (const [url, base] of [
    ['https://elsewhere.example/acme/site.git', 'https://api.forge.example'],
    ['https://api.forge.example.elsewhere.example/acme/site.git', 'https://api.forge.example'],
    ['https://forge.example@elsewhere.example/acme/site.git', 'https://forge.example'],
    ['https://x.forge.example/acme/site.git', 'https://forge.example'],
    ['https://forge.example/acme/site.git', 'https://x.api.forge.example'],
    ['http://forge.example/acme/site.git', 'https://forge.example'],
    ['https://forge.example:444/acme/site.git', 'https://forge.example'],
    ['forge.example:acme/site.git', 'https://forge.example'],
    ['https://forge.example/acme/site.git', undefined],
  ] as const)
    t.notOk(isOnForge(url, base), `${url} and ${base}`);
});
