/** A file or folder on this machine that cannot be used, with what to do about it. */
export class LocalFileError extends Error {
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.name = 'LocalFileError';
    this.next = next;
  }
}
