/** A file or folder on this machine that cannot be used, and what to do about it. */
export class LocalFault extends Error {
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.name = 'LocalFault';
    this.next = next;
  }
}
