/** The members of nodes that run something for each item in a list of at most so many. */
export const itemProperties = (max_items: number) => ({
  items: {
    type: ['array', 'string'],
    minLength: 1,
    maxItems: max_items,
    description: 'A list, or a CEL expression that returns one.',
  },
});

/** How they run the items. */
export const ITEM_OPTIONS = {
  concurrency: {
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    description: 'Maximum number of items at a time; default 16.',
  },
  finish_all: { type: 'boolean', description: 'If an item fails, the others continue; the node fails at the end.' },
};
