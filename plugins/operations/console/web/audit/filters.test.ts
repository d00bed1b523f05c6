import t from 'tap';
import { shellQuote } from '../kit/text.ts';
import { auditCommand, readAuditFilters } from './filters.ts';

t.test('an address is read, and nothing else of it', async (t) => {
  t.same(readAuditFilters({ action: ' secret.read ', principal: 7, since: '', of: 'org', more: 'x' }), {
    action: 'secret.read',
    principal: '7',
    of: 'org',
  });
  t.same(readAuditFilters({ action: ['a'], of: 'project' }), {});
});

t.test('the command has what the page shows', async (t) => {
  t.equal(auditCommand({}, shellQuote), 'svc audit ls');
  t.equal(
    auditCommand({ of: 'org', action: 'member', principal: "a'b", since: '7d' }, shellQuote),
    "svc audit ls --org --action member --principal 'a'\\''b' --since 7d",
  );
});
