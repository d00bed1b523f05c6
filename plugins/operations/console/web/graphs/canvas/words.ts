/** What React Flow says to those who do not see the canvas. */
export const FLOW_LABELS = {
  'node.a11yDescription.default': 'Press Enter or Space to select a node, Escape to clear the selection.',
  'node.a11yDescription.keyboardDisabled': 'Press Enter or Space to select a node. Arrow keys move it.',
  'edge.a11yDescription.default': 'Press Enter or Space to select an edge, Delete to remove it.',
};
