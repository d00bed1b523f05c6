import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';

interface RunStream extends EventEmitter {
  readonly writableLength: number;
  write(line: string): boolean;
  flush(): void;
}

/** The connection between a program with workflows and its agent. */
export class Link {
  constructor(socket: Duplex, onControl: (message: object) => void, onClose: () => void);
  open(pass: number): RunStream;
  send(message: object): void;
  flush(): void;
  end(): void;
}
