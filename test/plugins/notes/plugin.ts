import { Database, definePlugin, HttpRoutes, Ids, iso, type Resolve } from 'svc/plugin';
import { AuditedWrites, namedResource, type ResourceService } from 'svc/resources';
import { NOTE, type NoteRow, notes, noteTables } from './notes.ts';
import manifest from './plugin.json' with { type: 'json' };
import item from './schema/note.schema.json' with { type: 'json' };
import put from './schema/put-note.schema.json' with { type: 'json' };

const viewOf = ({ name, text, set_at }: NoteRow) => ({ name, text, set_at: iso(set_at) });

function service(use: Resolve): ResourceService<{ text: string }> {
  const [database, ids, writes] = [use(Database), use(Ids), use(AuditedWrites)];
  return {
    list: (scope, page) => notes.page(database, scope, page, viewOf),
    read: async ({ scope, name }) => viewOf(await notes.get(database, scope, name)),
    async set(call, { text }) {
      const row = { ...call.scope, name: call.name, note_id: ids.next('note'), text, set_at: database.now() };
      const made = await writes.write(call, 'note.set', (tx) => notes.put(tx, row));
      return { made, view: viewOf(row) };
    },
    remove: (call) => writes.remove(call, 'note.delete', notes),
  };
}

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([noteTables]);
  plugin.contribute(HttpRoutes, (use) =>
    namedResource({
      ...NOTE,
      roles: { read: 'viewer', write: 'member' },
      schemas: { put, item },
      service: service(use),
    }),
  );
});
