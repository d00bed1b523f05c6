import t from 'tap';
import { fieldsOfTest } from './test-fields.ts';

t.test('a test asks only for the fields that its request reads', async (t) => {
  const fields = [
    { name: 'site', type: 'string' as const, required: true, title: 'Address' },
    { name: 'site_name', type: 'string' as const, required: true },
    { name: 'api_base', type: 'string' as const, default: 'https://api.example.org' },
    { name: 'team', type: 'string' as const },
  ];
  const request = {
    method: 'GET' as const,
    url: '{{ with.api_base }}/{{ with.site }}/me',
    query: { team: '{{ with.team }}' },
  };
  t.same(fieldsOfTest({ test: { request }, fields }), [
    { name: 'site', title: 'Address', preset: undefined, required: true },
    { name: 'api_base', title: 'api_base', preset: 'https://api.example.org', required: false },
    { name: 'team', title: 'team', preset: undefined, required: false },
  ]);
  t.same(fieldsOfTest({ fields }), [], 'a connector without a test reads none');
});
