import { AdminCommands, boot } from '../../../kernel/boot/index.ts';
import type { Run } from '../../command.ts';
import { CliError, Exit } from '../../command.ts';

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Runs a plugin's admin command on the database of this environment: up to init, nothing listens. */
export const adminCommand =
  (name: string): Run =>
  async ({ flags, output, env }) => {
    const kernel = await boot({ role: 'server', env, quiet: true });
    try {
      const command = kernel.use.all(AdminCommands).find((one) => one.name === name);
      if (!command)
        throw new CliError(Exit.usage, 'usage', `no plugin has the admin command ${name}`, 'see `svc plugins`');
      const given = Object.entries(flags).filter(([, value]) => typeof value === 'string' || value === true);
      const args = Object.fromEntries(given.map(([key, value]) => [kebab(key), value as string | boolean]));
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
