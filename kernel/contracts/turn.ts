/** Lets the event loop do what else is due: for between the parts of work that holds it for long. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
