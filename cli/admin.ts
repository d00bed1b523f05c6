import type { Command, Invocation, Run } from './command.ts';
import { withSecretFiles } from './secret-files.ts';
import { CliError, Exit } from './errors.ts';
import { loadKernel } from './prebuilt/prebuilt.mjs';

/** The command `svc admin <name>`: runs a plugin's AdminCommand on the database of this environment, without a server. */
export const adminCommand = (name: string, description: Omit<Command, 'name' | 'group' | 'load'>): Command => ({
  ...description,
  name: `admin ${name}`,
  group: 'Operate',
  anywhere: true,
  load: async () => ({ run: runAdminCommand(name) }),
});

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Boots the kernel up to init, so that nothing listens, and runs the command. */
const runAdminCommand =
  (name: string): Run =>
  async ({ flags, output, env }: Invocation) => {
    const { AdminCommands, boot } = await loadKernel('local');
    const kernel = await boot({ role: 'server', env: await withSecretFiles(env), quiet: true });
    try {
      const command = kernel.use.all(AdminCommands).find((one) => one.name === name);
      if (!command)
        throw new CliError(Exit.usage, 'usage', `no plugin has the admin command ${name}`, 'see `svc plugins`');
      const present = Object.entries(flags).filter(([, value]) => typeof value === 'string' || value === true);
      const args = Object.fromEntries(present.map(([key, value]) => [kebab(key), value as string | boolean]));
      delete args.json;
      for (const flag of command.flags)
        if (flag.required && args[flag.name] === undefined)
          throw new CliError(Exit.usage, 'usage', `--${flag.name} is missing: ${flag.summary}`, command.usage);
      const answer = await command.run(kernel.use, args);
      output.data(answer.json, () => answer.text);
    } finally {
      await kernel.stop();
    }
    return Exit.ok;
  };
