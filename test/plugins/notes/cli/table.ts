import { resourceCommands } from 'svc/cli';

export const commands = resourceCommands<{ name: string; text: string; set_at: string }>({
  noun: 'note',
  path: '/notes',
  columns: { name: 'name', text: 'text', 'set at': 'set_at' },
  set: { flags: { text: { type: 'string', value: 'text', summary: 'what the note says' } } },
});
