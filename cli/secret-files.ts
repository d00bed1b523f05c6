import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError, Exit } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings that hold a secret. The variable `<name>_FILE` names a file with the value instead, because systemd and
 * containers pass secrets as files.
 */
const IN_FILES = [
  'SVC_DATABASE_URL',
  'SVC_MASTER_KEY',
  'SVC_NEW_MASTER_KEY',
  'SVC_OIDC_CLIENT_SECRET',
  'SVC_ARTIFACTS_S3_ACCESS_KEY_ID',
  'SVC_ARTIFACTS_S3_SECRET_ACCESS_KEY',
  'SVC_WAKE_URL',
];

/** Returns the environment with the values from those files. Throws `setting_invalid`; no message contains a value. */
export async function withSecretFiles(env: Environment): Promise<Environment> {
  const read: Record<string, string> = {};
  for (const name of IN_FILES) {
    const file = env[`${name}_FILE`];
    if (file === undefined || file === '') continue;
    if (env[name]) throw settingInvalid(`${name} and ${name}_FILE are both set`, 'set one of them');
    read[name] = await readValue(`${name}_FILE`, file);
  }
  return { ...env, ...read };
}

async function readValue(variable: string, file: string): Promise<string> {
  try {
    const text = (await readFile(resolve(file), 'utf8')).trim();
    if (text !== '') return text;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw settingInvalid(
      `${variable} names ${file}, which cannot be read (${code})`,
      'check the path and its permissions',
    );
  }
  throw settingInvalid(`${variable} names ${file}, which is empty`, 'write the value into it');
}

const settingInvalid = (message: string, next: string) => new CliError(Exit.failed, 'setting_invalid', message, next);
