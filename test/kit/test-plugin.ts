import { definePlugin, type Plugin, type PluginSetup } from '../../kernel/contracts/index.ts';

/** A plugin of a test. Its manifest is made from what `register` does, so that a test writes no plugin.json. */
export function testPlugin(
  id: string,
  register: (plugin: PluginSetup) => void,
  { requires = [] }: { requires?: readonly string[] } = {},
): Plugin {
  const provides = new Set<string>();
  const contributes = new Set<string>();
  const none = () => undefined;
  register(
    new Proxy({} as PluginSetup, {
      get: (_, member) => {
        if (member === 'id') return id;
        if (member === 'bind') return ({ name }: { name: string }) => provides.add(name);
        if (member === 'contribute') return ({ name }: { name: string }) => contributes.add(name);
        return none;
      },
    }),
  );
  const lists = { requires, provides: [...provides], contributes: [...contributes] };
  return definePlugin({ id, version: '1.0.0', kernel: '^1', summary: 'Belongs to a test.', ...lists }, register);
}
