import { json, Refusal } from '../api/client.ts';

/** Whoever makes a thing does not want to replace another. Throws when there is one of this name. */
export async function refuseTaken(path: string, what: string): Promise<void> {
  try {
    await json(path);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return;
    throw error;
  }
  throw new Error(
    `A ${what} with this name already exists. Choose another name, or edit the existing one on its page.`,
  );
}
